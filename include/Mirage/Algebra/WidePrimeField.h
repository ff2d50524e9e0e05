//===- WidePrimeField.h - Arithmetic modulo a prime of 62 bits --*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For values that are compared in all pairs, of which there may be 2^40: over
// primes of 31 bits (PrimeField.h) some two of them would be equal by accident.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ALGEBRA_WIDEPRIMEFIELD_H
#define MIRAGE_ALGEBRA_WIDEPRIMEFIELD_H

#include "Mirage/Algebra/Random.h"
#include <cstdint>

namespace mlir::mirage {

bool isWidePrime(uint64_t number);

/// The integers modulo an odd prime p < 2^62, in Montgomery form: a stands for
/// a·2^64 mod p.
class WidePrimeField {
public:
  explicit WidePrimeField(uint64_t prime);
  /// Any prime between 2^61 and 2^62, all equally likely.
  static WidePrimeField draw(RandomStream &random);
  /// Fewer than the log2 of the number of those primes, which is 2^61 / 43.
  static constexpr unsigned kLog2Primes = 55;
  static constexpr unsigned kLog2Least = 61;

  uint64_t getPrime() const { return prime; }
  uint64_t getOne() const { return one; }

  uint64_t fromInteger(uint64_t value) const {
    return mul(value % prime, rSquared);
  }
  /// In [0, p).
  uint64_t toInteger(uint64_t a) const { return reduce(a); }
  /// The exact rational that the bits of a finite double denote, mod p.
  uint64_t fromDouble(double value) const;

  uint64_t add(uint64_t a, uint64_t b) const {
    uint64_t sum = a + b;
    return sum >= prime ? sum - prime : sum;
  }
  uint64_t sub(uint64_t a, uint64_t b) const {
    return a >= b ? a - b : a + prime - b;
  }
  uint64_t mul(uint64_t a, uint64_t b) const {
    return reduce(static_cast<Product>(a) * b);
  }
  uint64_t pow(uint64_t a, uint64_t exponent) const;
  /// 1/a; `a` is not zero.
  uint64_t inverse(uint64_t a) const;

  /// Uniform, and not zero.
  uint64_t drawUnit(RandomStream &random) const;

private:
  __extension__ using Product = unsigned __int128;

  /// t·2^-64 mod p, for t < p·2^64.
  uint64_t reduce(Product t) const {
    uint64_t factor = static_cast<uint64_t>(t) * negativeInverse;
    uint64_t sum =
        static_cast<uint64_t>((t + static_cast<Product>(factor) * prime) >> 64);
    return sum >= prime ? sum - prime : sum;
  }

  uint64_t prime;
  uint64_t negativeInverse; ///< -1/p mod 2^64
  uint64_t rSquared;        ///< 2^128 mod p
  uint64_t one;
};

} // namespace mlir::mirage

#endif // MIRAGE_ALGEBRA_WIDEPRIMEFIELD_H
