//===- StorageProblem.h - Places for tiles in shared memory -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dynamic storage allocation: tiles that are never live together may share
// bytes. Time is counted in *epochs*, the stretches between two barriers of a
// block: within one, any thread may be anywhere, so that two tiles may share
// bytes only if no epoch touches both. Example, four tiles of 128 bytes:
//
//     epoch         0     1     2     3
//     a [0, 2)      ------------
//     b [1, 3)            ------------
//     c [2, 4)                  ------------     c may take a's place: 256
//     bytes
//
// Epochs of a loop come twice: as those of any iteration, and as those of the
// last one, which are behind it. What is computed behind the loop may then take
// the place of what the last iteration is done with, though any other iteration
// has it ready for the next:
//
//     iteration     any       last      behind
//     epoch         0    1    2    3    4
//     x [0, 3)      --------------               read first in each iteration
//     t [1, 2)           -----     -----         and again 2 epochs later
//     y [3, 5)                     ----------    may take x's place
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_PLANNING_STORAGEPROBLEM_H
#define MIRAGE_PLANNING_STORAGEPROBLEM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <algorithm>
#include <cstdint>

namespace mlir::mirage {

/// A tile, and the epochs in which it is live: from `begin` on, before `end`.
struct StoredTile {
  int64_t sizeBytes = 0;
  unsigned begin = 0, end = 0;
  /// Of its offset, where that is more than all others need; a power of two.
  int64_t alignment = 1;
  /// So many epochs later it is live once more; 0: it is not.
  unsigned again = 0;

  bool isLive(unsigned epoch) const {
    return isBetween(epoch) || (epoch >= again && isBetween(epoch - again));
  }
  bool overlaps(const StoredTile &other) const {
    return isLive(other.begin) || isLive(other.begin + other.again) ||
           other.isLive(begin) || other.isLive(begin + again);
  }

private:
  bool isBetween(unsigned epoch) const { return begin <= epoch && epoch < end; }
};

class StorageProblem {
public:
  /// \param alignment  of every offset, in bytes, a power of two.
  explicit StorageProblem(int64_t alignment) : alignment(alignment) {}

  unsigned add(StoredTile tile) {
    tiles.push_back(tile);
    return tiles.size() - 1;
  }
  llvm::ArrayRef<StoredTile> getTiles() const { return tiles; }
  int64_t getAlignment() const { return alignment; }
  /// The size of a tile with what it wastes for the alignment of all.
  int64_t getPaddedBytes(unsigned tile) const;
  /// Of a tile's offset.
  int64_t getAlignment(unsigned tile) const {
    return std::max(alignment, tiles[tile].alignment);
  }

  /// Sizes are positive, live ranges not empty, alignments powers of two.
  llvm::Error check() const;
  /// The largest sum of sizes in one epoch, and which epoch that is: no plan
  /// needs less.
  struct Demand {
    int64_t sizeBytes = 0;
    unsigned epoch = 0;
  };
  Demand getLargestDemand() const;

private:
  int64_t alignment;
  llvm::SmallVector<StoredTile> tiles;
};

struct StoragePlan {
  llvm::SmallVector<int64_t> offsets; ///< in bytes, by tile
  int64_t sizeBytes = 0;              ///< of all
  bool isOptimal = false;             ///< proved to be the smallest
};

/// Finds a plan. First fit by decreasing size; where that does not reach the
/// largest demand, an exhaustive search over the orders in which tiles are put
/// at the lowest free place (one of them gives the optimum), up to a fixed
/// number of steps.
/// \param problem  `check()` must hold.
StoragePlan planStorage(const StorageProblem &problem);

/// Whether `planStorage` finds a plan of no more bytes, in a hundredth of the
/// steps: of what it would find with more, it says no.
bool fitsStorage(const StorageProblem &problem, int64_t mostBytes);

/// Offsets are aligned, tiles lie within the plan with what they waste for
/// alignment, and those that are live together do not overlap.
llvm::Error verify(const StorageProblem &problem, const StoragePlan &plan);

} // namespace mlir::mirage

#endif // MIRAGE_PLANNING_STORAGEPROBLEM_H
