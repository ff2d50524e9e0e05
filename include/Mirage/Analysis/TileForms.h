//===- TileForms.h - How tiles lie in shared memory -------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile lies row by row, with bytes that may be left free behind each
// (Mirage/Graph/TileMemory.h), or swizzled (Mirage/Layout/BoxedTile.h), as the
// copy engine loads it, and as threads may. --mirage-plan-shared-memory decides
// it and leaves it in attributes.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ANALYSIS_TILEFORMS_H
#define MIRAGE_ANALYSIS_TILEFORMS_H

#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Layout/BoxedTile.h"

namespace mlir::mirage {

/// How a tile lies in shared memory.
struct TileForm {
  /// Bytes that stay free behind each row (Mirage/Graph/TileMemory.h).
  int64_t rowPadding = 0;
  /// Of a tile that is swizzled (Mirage/Layout/BoxedTile.h): the span in bytes;
  /// else 0.
  int64_t swizzleBytes = 0;
  /// Who loads a tile that is swizzled: threads, or the copy engine.
  bool isLoadedByThreads = true;

  bool operator==(const TileForm &other) const {
    return rowPadding == other.rowPadding &&
           swizzleBytes == other.swizzleBytes &&
           isLoadedByThreads == other.isLoadedByThreads;
  }
  bool isSwizzled() const { return swizzleBytes != 0; }
  /// Where elements of a tile lie that is swizzled so; none where it is not, or
  /// its rows cannot.
  std::optional<BoxedTile> findSwizzled(ShapedType tile) const;
  /// Whether the copy engine loads it.
  bool isBoxed() const { return isSwizzled() && !isLoadedByThreads; }
  /// What places begin at a multiple of, in bytes, where that is more than all
  /// tiles need: the engine takes its swizzle from addresses.
  int64_t getAlignment() const {
    return isBoxed() ? BoxedTile::kPatternRows * swizzleBytes : 1;
  }
};

/// The boxes by which the copy engine may load an input of a block graph; none
/// where it cannot, or should not: the tile has a ring, steps of warps are all
/// that reads it, one of them by ldmatrix or wgmma, and nothing is converted on
/// the way.
std::optional<TileBoxes> findInputBoxes(block::GraphOp graph, unsigned input);

/// Whether threads may swizzle an input of a block graph that they load: steps
/// of warps are all that reads it, none of them by wgmma, and its rows are a
/// multiple of 32 bytes.
bool canSwizzleByThreads(block::GraphOp graph, unsigned input);

/// The inputs of a block graph that `mirage.input_swizzles` says are boxed, in
/// their order. What the attribute says is for `readForms` to judge.
SmallVector<unsigned> getBoxedInputs(block::GraphOp graph);

/// Bytes that stay free behind each row of an op's results and a graph's
/// inputs; neither is there where all are 0.
inline constexpr llvm::StringLiteral kRowPaddingsAttr = "mirage.row_paddings";
inline constexpr llvm::StringLiteral kInputRowPaddingsAttr =
    "mirage.input_row_paddings";
/// Of a graph's inputs: the span of the swizzle with which the copy engine
/// loads a tile, 0 for others; not there where no tile is loaded so. On a
/// thread graph: of those of its inputs.
inline constexpr llvm::StringLiteral kInputSwizzlesAttr =
    "mirage.input_swizzles";
/// The same of inputs that threads load.
inline constexpr llvm::StringLiteral kThreadSwizzlesAttr =
    "mirage.thread_swizzles";
/// Of a graph with such inputs: where the mbarriers of its places lie, in bytes
/// from the start of the block's shared memory: one of each place, by which the
/// engine says that boxes are there, and behind these one of each by which
/// warps hand the place back.
inline constexpr llvm::StringLiteral kCopyBarriersAttr = "mirage.copy_barriers";
constexpr int64_t kCopyBarrierBytes = 8;
constexpr int64_t kCopyBarriersOfPlace = 2;
/// Of such a graph: warps hand places back one by one, and no barrier stands at
/// the head of the loop's iterations. A number of iterations, at least 1 and
/// less than there are places: each one refills the place that the one so far
/// behind has read, so that places - behind are on their way. A warp may be as
/// far ahead of another one.
inline constexpr llvm::StringLiteral kHandsBackPlacesAttr =
    "mirage.hands_back_places";

} // namespace mlir::mirage

#endif // MIRAGE_ANALYSIS_TILEFORMS_H
