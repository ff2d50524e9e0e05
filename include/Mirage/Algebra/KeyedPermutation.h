//===- KeyedPermutation.h - Random orders and functions by key --*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ALGEBRA_KEYEDPERMUTATION_H
#define MIRAGE_ALGEBRA_KEYEDPERMUTATION_H

#include "Mirage/Algebra/Random.h"
#include <cstdint>

namespace mlir::mirage {

/// Sixteen independent random permutations of the 64-bit words, one a lane: the
/// block cipher Speck64/128 (Beaulieu et al., 2013) under 16 keys. As a
/// permutation has no collisions, ranks by it have no ties: it orders field
/// elements at random. Kept as round keys, round by round, lane by lane.
struct KeyedPermutation {
  static constexpr unsigned kLanes = 16;
  static constexpr unsigned kRounds = 27;

  /// \param isOne  all lanes are the same permutation.
  explicit KeyedPermutation(RandomStream &random, bool isOne = false);

  /// Applies the permutation of one lane to the word high:low.
  uint64_t apply(unsigned lane, uint32_t high, uint32_t low) const;

  alignas(64) uint32_t roundKeys[kRounds][kLanes];
};

} // namespace mlir::mirage

#endif // MIRAGE_ALGEBRA_KEYEDPERMUTATION_H
