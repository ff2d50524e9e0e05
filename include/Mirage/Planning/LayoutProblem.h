//===- LayoutProblem.h - How the tiles of a block lie -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile can lie in shared memory in several ways: with so many bytes left free
// behind its rows, or as the copy engine swizzles it. Each takes so many passes
// through the banks of shared memory (Mirage/Layout/MemoryTraffic.h), of all
// that reads and writes the tile, and so many bytes; and all tiles have to find
// place. Two tiles, in 13 KiB:
//
//     tile   option           wavefronts   bytes
//     a      rows as they are       4096    4096
//            16 bytes behind         512    4608
//     b      rows as they are       2048    8192
//            16 bytes behind         256    9216
//
//   a and b with bytes behind their rows take 13.5 KiB, each of them alone 12.5
//   and 13. So it is a that has them, for 512 + 2048 wavefronts.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_PLANNING_LAYOUTPROBLEM_H
#define MIRAGE_PLANNING_LAYOUTPROBLEM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace mlir::mirage {

/// One way for a tile to lie.
struct LayoutOption {
  /// Of all iterations, that threads bring into it which the copy engine would
  /// bring if the tile lay otherwise.
  int64_t copiedBytes = 0;
  int64_t wavefronts = 0; ///< of all that threads read and write of it
  /// That threads bring into it to swizzled places, which take more to compute.
  int64_t swizzledBytes = 0;
  /// With all its places, and what they waste for their alignment.
  int64_t sizeBytes = 0;

  /// The order of preference: by these numbers, one after the other.
  bool operator<(const LayoutOption &other) const;
  bool operator==(const LayoutOption &other) const;
  LayoutOption &operator+=(const LayoutOption &other);
};

class LayoutProblem {
public:
  unsigned addTile(llvm::ArrayRef<LayoutOption> options) {
    tiles.emplace_back(options);
    return tiles.size() - 1;
  }
  llvm::ArrayRef<llvm::SmallVector<LayoutOption, 4>> getTiles() const {
    return tiles;
  }
  /// Tiles have an option, and none of its numbers is negative.
  llvm::Error check() const;
  /// The sum over all tiles.
  /// \param options  the number of one for each tile.
  LayoutOption addUp(llvm::ArrayRef<unsigned> options) const;

private:
  llvm::SmallVector<llvm::SmallVector<LayoutOption, 4>> tiles;
};

struct LayoutChoice {
  llvm::SmallVector<unsigned> options; ///< by tile
  bool fits = false;      ///< else these are the smallest, and nothing does
  bool isOptimal = false; ///< proved to be the best that fits
};

/// Whether tiles that lie so find place together. If they do, so do tiles of
/// which none is larger.
using FitTogether = llvm::function_ref<bool(llvm::ArrayRef<unsigned> options)>;

/// Finds the options whose sum is the least of those that fit, by branch and
/// bound, tiles with most to gain first, up to a number of calls of `fit`.
/// \param problem  `check()` must hold.
/// \param known    options that fit, though `fit` may not find out; or none.
LayoutChoice chooseLayouts(const LayoutProblem &problem, FitTogether fit,
                           llvm::ArrayRef<unsigned> known = {},
                           unsigned maxCalls = 2000);

/// Fails unless a choice has one of the options of each tile.
llvm::Error verify(const LayoutProblem &problem, const LayoutChoice &choice);

} // namespace mlir::mirage

#endif // MIRAGE_PLANNING_LAYOUTPROBLEM_H
