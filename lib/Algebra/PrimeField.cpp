//===- PrimeField.cpp - Arithmetic modulo a prime -------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Algebra/PrimeField.h"
#include "FieldPowers.h"
#include "llvm/ADT/bit.h"
#include <cassert>
#include <initializer_list>

using namespace mlir::mirage;

static uint32_t powModulo(uint64_t base, uint32_t exponent, uint32_t modulus) {
  uint64_t result = 1;
  for (base %= modulus; exponent != 0; exponent >>= 1) {
    if (exponent & 1)
      result = result * base % modulus;
    base = base * base % modulus;
  }
  return static_cast<uint32_t>(result);
}

/// Whether an odd number passes Miller and Rabin's test for one base.
static bool isProbablePrime(uint32_t number, uint32_t base) {
  unsigned twos = llvm::countr_zero(number - 1);
  uint64_t power = powModulo(base, (number - 1) >> twos, number);
  if (power == 1 || power == number - 1)
    return true;
  for (unsigned i = 1; i < twos; ++i) {
    power = power * power % number;
    if (power == number - 1)
      return true;
  }
  return false;
}

bool mlir::mirage::isPrime(uint32_t number) {
  for (uint32_t small : {2u, 3u, 5u, 7u, 11u, 13u, 17u, 19u, 23u, 29u, 31u, 37u,
                         41u, 43u, 47u, 53u, 59u, 61u}) {
    if (number == small)
      return true;
    if (number % small == 0)
      return false;
  }
  if (number < 2)
    return false;
  return isProbablePrime(number, 2) && isProbablePrime(number, 7) &&
         isProbablePrime(number, 61);
}

PrimeField::PrimeField(uint32_t prime) : prime(prime) {
  assert(prime % 2 == 1 && prime < (1u << 31) && isPrime(prime) &&
         "expects an odd prime below 2^31");
  // Newton: each step doubles the number of right bits, p itself has 3.
  uint32_t inverse = prime;
  for (int i = 0; i < 4; ++i)
    inverse *= 2 - prime * inverse;
  negativeInverse = -inverse;
  one = static_cast<uint32_t>((uint64_t(1) << 32) % prime);
  rSquared = static_cast<uint32_t>(uint64_t(one) * one % prime);
}

uint32_t PrimeField::fromInteger(uint64_t value) const {
  return mul(static_cast<uint32_t>(value % prime), rSquared);
}

uint32_t PrimeField::fromDouble(double value) const {
  return toRational(*this, value, getHalf());
}

uint32_t PrimeField::getHalf() const {
  return one % 2 == 0 ? one / 2 : one / 2 + prime / 2 + 1;
}

uint32_t PrimeField::pow(uint32_t a, uint64_t exponent) const {
  return raise(*this, a, exponent);
}

uint32_t PrimeField::inverse(uint32_t a) const {
  assert(a != 0 && "zero has no inverse");
  return pow(a, prime - 2);
}

int PrimeField::getCharacter(uint32_t a) const {
  if (a == 0)
    return 0;
  return pow(a, (prime - 1) / 2) == one ? 1 : -1;
}
