//===- WidePrimeField.cpp - Arithmetic modulo a prime of 62 bits ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Algebra/WidePrimeField.h"
#include "FieldPowers.h"
#include "llvm/ADT/bit.h"
#include <cassert>
#include <initializer_list>

using namespace mlir::mirage;

__extension__ using Wide = unsigned __int128;

static uint64_t powModulo(uint64_t base, uint64_t exponent, uint64_t modulus) {
  uint64_t result = 1;
  for (base %= modulus; exponent != 0; exponent >>= 1) {
    if (exponent & 1)
      result = static_cast<Wide>(result) * base % modulus;
    base = static_cast<Wide>(base) * base % modulus;
  }
  return result;
}

/// Whether an odd number passes Miller and Rabin's test for one base.
static bool isProbablePrime(uint64_t number, uint64_t base) {
  unsigned twos = llvm::countr_zero(number - 1);
  uint64_t power = powModulo(base, (number - 1) >> twos, number);
  if (power == 1 || power == number - 1)
    return true;
  for (unsigned i = 1; i < twos; ++i) {
    power = static_cast<Wide>(power) * power % number;
    if (power == number - 1)
      return true;
  }
  return false;
}

/// No composite number below 2^64 passes for the first twelve primes (Sorenson,
/// Webster: Strong pseudoprimes to twelve prime bases, 2015).
bool mlir::mirage::isWidePrime(uint64_t number) {
  constexpr uint64_t kBases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  if (number < 2)
    return false;
  for (uint64_t base : kBases) {
    if (number == base)
      return true;
    if (number % base == 0)
      return false;
  }
  for (uint64_t base : kBases)
    if (!isProbablePrime(number, base))
      return false;
  return true;
}

WidePrimeField::WidePrimeField(uint64_t prime) : prime(prime) {
  assert(prime % 2 == 1 && prime < (uint64_t(1) << 62) && isWidePrime(prime) &&
         "expects an odd prime below 2^62");
  // Newton: each step doubles the number of right bits, p itself has 3.
  uint64_t inverse = prime;
  for (int i = 0; i < 5; ++i)
    inverse *= 2 - prime * inverse;
  negativeInverse = -inverse;
  one = static_cast<uint64_t>((static_cast<Wide>(1) << 64) % prime);
  rSquared = static_cast<uint64_t>(static_cast<Wide>(one) * one % prime);
}

static uint64_t drawWord(RandomStream &random) {
  uint64_t high = random.next();
  return high << 32 | random.next();
}

WidePrimeField WidePrimeField::draw(RandomStream &random) {
  while (true) {
    uint64_t number = drawWord(random) >> 3 | uint64_t(1) << 61 | 1;
    if (isWidePrime(number))
      return WidePrimeField(number);
  }
}

uint64_t WidePrimeField::drawUnit(RandomStream &random) const {
  uint64_t mask = ~uint64_t(0) >> llvm::countl_zero(prime), number;
  do
    number = drawWord(random) & mask;
  while (number == 0 || number >= prime);
  return number; // any form of it is as likely as another one
}

uint64_t WidePrimeField::fromDouble(double value) const {
  return toRational(*this, value, inverse(add(one, one)));
}

uint64_t WidePrimeField::pow(uint64_t a, uint64_t exponent) const {
  return raise(*this, a, exponent);
}

uint64_t WidePrimeField::inverse(uint64_t a) const {
  assert(a != 0 && "zero has no inverse");
  return pow(a, prime - 2);
}
