//===- PrimeField.h - Arithmetic modulo a prime -----------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ALGEBRA_PRIMEFIELD_H
#define MIRAGE_ALGEBRA_PRIMEFIELD_H

#include <cstdint>

namespace mlir::mirage {

/// Whether a number is prime; exact for every 32-bit number (Miller-Rabin with
/// bases 2, 7, 61: Jaeschke, Math. Comp. 61, 1993).
bool isPrime(uint32_t number);

/// The integers modulo an odd prime below 2^31, in Montgomery form: x is kept
/// as x·2^32 mod p, so that a product needs no division. Zero is 0, and two
/// elements are equal if their forms are. Elements are plain 32-bit words, so
/// that arrays of them go through the vector kernels (FieldKernels.h).
/// Example, p = 7, where 2^32 mod 7 = 4: 1 is kept as 4 and 2 as 1.
class PrimeField {
public:
  explicit PrimeField(uint32_t prime);

  uint32_t getPrime() const { return prime; }
  uint32_t getOne() const { return one; }
  uint32_t getHalf() const;

  /// From and to the representative in [0, p).
  uint32_t fromInteger(uint64_t value) const;
  uint32_t toInteger(uint32_t a) const { return reduce(a); }
  /// The exact rational that the bits of a finite double denote, mod p.
  uint32_t fromDouble(double value) const;

  uint32_t add(uint32_t a, uint32_t b) const {
    uint32_t sum = a + b;
    return sum >= prime ? sum - prime : sum;
  }
  uint32_t sub(uint32_t a, uint32_t b) const {
    return a >= b ? a - b : a + prime - b;
  }
  uint32_t mul(uint32_t a, uint32_t b) const {
    return reduce(static_cast<uint64_t>(a) * b);
  }
  uint32_t pow(uint32_t a, uint64_t exponent) const;
  /// 1/a; `a` is not zero.
  uint32_t inverse(uint32_t a) const;

  /// The quadratic character: 0 of zero, 1 of a square, -1 of any other.
  int getCharacter(uint32_t a) const;
  /// a^((p+1)/4), p = 3 mod 4: of a square the root that is itself a square.
  /// Multiplicative, and its square is character(a)·a, for all a.
  uint32_t sqrt(uint32_t a) const { return pow(a, (prime + 1) / 4); }

  /// t·2^-32 mod p, for t < p·2^32.
  uint32_t reduce(uint64_t t) const {
    uint32_t factor = static_cast<uint32_t>(t) * negativeInverse;
    uint64_t sum = (t + static_cast<uint64_t>(factor) * prime) >> 32;
    return sum >= prime ? sum - prime : sum;
  }

  uint32_t getNegativeInverse() const { return negativeInverse; }
  /// 2^64 mod p: a product with it brings an integer into Montgomery form.
  uint32_t getRSquared() const { return rSquared; }
  /// 2^96 mod p.
  uint32_t getRCubed() const { return mul(rSquared, rSquared); }

private:
  uint32_t prime;
  uint32_t negativeInverse; ///< -1/p mod 2^32
  uint32_t rSquared;
  uint32_t one;
};

} // namespace mlir::mirage

#endif // MIRAGE_ALGEBRA_PRIMEFIELD_H
