//===- WorkFragments.h - Fragments for the steps of a block -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one warp does at a time when a block's warps share a step: the shape of
// the fragment and which lane holds what. Tiles need not be multiples of
// fragments; what overhangs is read as zero and not written. Each fragment has
// at most `kMaxRegisters` elements in a lane, so that code that holds three of
// them does not spill.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LAYOUT_WORKFRAGMENTS_H
#define MIRAGE_LAYOUT_WORKFRAGMENTS_H

#include "Mirage/Layout/LinearLayout.h"
#include <optional>

namespace mlir::mirage {

constexpr unsigned kMaxRegisters = 16;

/// Elements that a lane takes side by side, powers of two.
struct RunLengths {
  int64_t longest = 8;
  /// Of tiles that have rows for it, though warps be idle then.
  int64_t shortest = 1;
};

/// For an elementwise step over a tile: runs of elements along the last
/// dimension, where its size is a multiple of the run and the warps have work
/// enough; lanes along the last dimension first.
/// \param runs  8 elements of 16 bits are an access of 16 bytes.
LinearLayout chooseElementwiseLayout(llvm::ArrayRef<int64_t> tile,
                                     unsigned numWarps, RunLengths runs = {});

/// For a reduction of a tile over `dim`. A last dimension is cut into runs for
/// the lanes of a row. Another one is added up in registers, by lanes that have
/// runs along the last one as those of an elementwise step; lanes that are left
/// over share a sum where warps would have none otherwise, and have sums of
/// their own else.
/// \param runs  along the last dimension, if that is not reduced; shorter than
///              `shortest` where warps would have no sum else.
LinearLayout chooseReductionLayout(llvm::ArrayRef<int64_t> tile, unsigned dim,
                                   unsigned numWarps, RunLengths runs = {});

/// How a reduction is shared out by that.
struct ReductionShare {
  int64_t items;     ///< of one warp each
  int64_t exchanges; ///< of a lane with others, for each item
  int64_t run;       ///< elements that a lane has side by side
};
ReductionShare shareReduction(llvm::ArrayRef<int64_t> tile, unsigned dim,
                              unsigned numWarps, RunLengths runs);

/// For a matrix product without tensor cores: a layout of dimensions m, n, k in
/// which every lane holds all of k for its rows and columns.
/// \param isRhsAlongK  whether consecutive elements of the right operand are
///                     along k: lanes side by side then take columns side by
///                     side, whose rows lie in different banks, and not
///                     columns as far apart as each has registers.
LinearLayout chooseMatmulLayout(int64_t m, int64_t n, int64_t k,
                                unsigned numWarps, bool isRhsAlongK = false);

/// The most tiles of mma.sync.m16n8k16 that one warp computes side by side
/// along n: 1, 2 or 4, no more than there are, rounded up to a power of two.
int64_t getMostMmaColumns(int64_t n);

/// For a step on whole rows of a tile (Mirage/Graph/WarpRows.h), of which the
/// last dimension has as many elements: 16 rows, spread over lanes as
/// accumulators of mma.sync.m16n8k16 are. Of rows that a reduction has left,
/// one element; four lanes have the same then.
/// \returns none unless rows are 1 element, or a power of two from 8 to
/// `kMostFragmentElements`.
std::optional<LinearLayout> findRowsLayout(llvm::ArrayRef<int64_t> tile);
constexpr int64_t kMostFragmentElements = 256; ///< of a row

/// How many it computes at a time: as many as leave work for all warps.
/// \param mostRegisters  of a thread, if warps are to hold the result: fewer
///                       tiles where only these come so even to warps.
int64_t chooseMmaColumns(int64_t batch, int64_t m, int64_t n, unsigned numWarps,
                         std::optional<int64_t> mostRegisters = std::nullopt);
/// Registers of the thread that has most of a result in f32, of which each item
/// is a share (Mirage/Layout/HeldTiles.h) of so many tiles side by side.
int64_t countMmaRegisters(int64_t batch, int64_t m, int64_t n, int64_t columns,
                          unsigned numWarps);

} // namespace mlir::mirage

#endif // MIRAGE_LAYOUT_WORKFRAGMENTS_H
