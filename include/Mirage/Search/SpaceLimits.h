//===- SpaceLimits.h - Limits that keep structures out ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_SPACELIMITS_H
#define MIRAGE_SEARCH_SPACELIMITS_H

#include "llvm/ADT/SmallVector.h"
#include <bitset>

namespace mlir::mirage::search {

/// Options that say what is a structure at all, however long a search goes on.
enum class SpaceLimit : uint8_t { BlockOps, Ops, Kernels, GridAxes };
constexpr unsigned kNumSpaceLimits = 4;

/// The limits that kept something out: with a larger one there would have been
/// more to look at, though it may be nothing that equals the program.
class SpaceLimits {
public:
  void add(SpaceLimit limit) { limits.set(unsigned(limit)); }
  void remove(SpaceLimit limit) { limits.reset(unsigned(limit)); }
  bool has(SpaceLimit limit) const { return limits.test(unsigned(limit)); }
  bool any() const { return limits.any(); }
  SpaceLimits &operator|=(const SpaceLimits &other) {
    limits |= other.limits;
    return *this;
  }
  bool operator==(const SpaceLimits &other) const {
    return limits == other.limits;
  }
  llvm::SmallVector<SpaceLimit> list() const {
    llvm::SmallVector<SpaceLimit> all;
    for (unsigned i = 0; i < kNumSpaceLimits; ++i)
      if (limits.test(i))
        all.push_back(SpaceLimit(i));
    return all;
  }

private:
  std::bitset<kNumSpaceLimits> limits;
};

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_SPACELIMITS_H
