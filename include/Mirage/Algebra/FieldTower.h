//===- FieldTower.h - Primes for nested exponentials ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A number modulo p has no exponential modulo p that obeys exp(x + y) =
// exp(x)·exp(y): exponents live modulo the *order* of what is raised to them.
// So a value is a tuple, one component a prime, and the exponential takes
// component i + 1 to component i:
//
//   p(0) = 2·m·p(1) + 1,   p(1) = 2·m'·p(2) + 1,   ...
//   exp(x)[i] = root(i)^x[i+1],   root(i) of order p(i+1) modulo p(i)
//
// A tower of height h carries h - 1 nested exponentials. All primes are 3
// modulo 4, so that -1 is no square and square roots are a single power.
// Smallest example: 23 = 2·11 + 1 with 11 = 2·5 + 1, but 5 = 1 mod 4; 7 over 3
// and 167 over 83 are towers of height 2.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ALGEBRA_FIELDTOWER_H
#define MIRAGE_ALGEBRA_FIELDTOWER_H

#include "Mirage/Algebra/PrimeField.h"
#include "Mirage/Algebra/Random.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::mirage {

class FieldTower {
public:
  static constexpr unsigned kMaxHeight = 4;

  /// Checks that the primes, largest first, are a tower.
  explicit FieldTower(llvm::ArrayRef<uint32_t> primes);

  /// A tower drawn uniformly from all of this height (1 to kMaxHeight) with
  /// m <= 7 at every level and 2^30 < p(0) < 2^31.
  static FieldTower draw(unsigned height, RandomStream &random);
  /// How many towers `draw` draws from.
  static uint64_t countTowers(unsigned height);

  unsigned getHeight() const { return fields.size(); }
  const PrimeField &operator[](unsigned i) const { return fields[i]; }

  /// A random element of order p(level + 1) of the field `level`.
  uint32_t drawRoot(unsigned level, RandomStream &random) const;

private:
  llvm::SmallVector<PrimeField, kMaxHeight> fields;
};

} // namespace mlir::mirage

#endif // MIRAGE_ALGEBRA_FIELDTOWER_H
