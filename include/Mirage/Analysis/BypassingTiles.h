//===- BypassingTiles.h - Tiles without shared memory -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile goes through shared memory so that threads can read what others have
// loaded, or write what others have computed. Where one step reads each element
// of an input once, its lanes can load it from device memory themselves, and
// where nothing but an output reads what a step leaves, they can write it
// there:
//
//   mirage_block.graph ... {mirage.bypassing_inputs = array<i64: 0>} {
//   ^bb0(%x: tensor<1x8192xf16>):                         no tile
//     %y = mirage_thread.graph ins(%x) ... {mirage.bypasses}   none, either
//     mirage_block.yield %y
//
// An output may come from behind a loop; what a loop loads has rings. What is
// read on beside an output is stored by a step of its own
// (--mirage-hold-in-registers). It matters which sectors of device memory
// accesses of warps draw, and that lanes take words where rows have them. Where
// rows begin or end anywhere they take single elements, as threads would that
// copy rows to shared memory. Tiles of whole rows are one run of bytes, though,
// which threads copy by whole sectors: they bypass shared memory if lanes draw
// few more.
//
// Blocks whose tiles end beyond the tensor have lanes look where it ends
// (mirage_thread.clip); the other blocks have code that does not.
//
// What can be is held against what attributes say before code is made; what
// should be is for --mirage-bypass-shared-memory to decide.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ANALYSIS_BYPASSINGTILES_H
#define MIRAGE_ANALYSIS_BYPASSINGTILES_H

#include "Mirage/Dialect/Block/IR/Block.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Error.h"
#include <algorithm>
#include <numeric>

namespace mlir::mirage {

/// Of a block graph: the numbers of such inputs, increasing.
inline constexpr llvm::StringLiteral kBypassingInputsAttr =
    "mirage.bypassing_inputs";
/// Of a thread graph with such a result.
inline constexpr llvm::StringLiteral kBypassesAttr = "mirage.bypasses";

/// Whether attributes say of an input of a block graph, or of a value in its
/// body, that it has no tile.
bool bypassesSharedMemory(Value value);

/// How the tiles of an input, or of an output, lie along a dimension of the
/// tensor: one after the other, where the last ones may end beyond it. Numbers
/// are in elements.
struct TileEdge {
  SmallVector<Axis, 2> axes; ///< that cut the dimension
  int64_t numTiles, tile, size;

  /// Whether blocks have different numbers of elements.
  bool isUneven() const { return numTiles > 1 && numTiles * tile != size; }
  /// Those that begin at the dimension's end have none.
  bool hasEmptyTiles() const { return (numTiles - 1) * tile >= size; }
  /// Of the first tile, which no other one exceeds.
  int64_t getElements() const { return std::min(tile, size); }
  bool operator==(const TileEdge &other) const {
    return axes == other.axes && tile == other.tile && size == other.size;
  }
  /// What divides the elements of each tile.
  int64_t getDivisor() const {
    return isUneven() ? std::gcd(tile, size) : getElements();
  }
};

/// By dimension.
SmallVector<TileEdge> findInputEdges(block::GraphOp graph, unsigned input);
SmallVector<TileEdge> findOutputEdges(block::GraphOp graph, unsigned output);
/// \param value  of an input, the argument; of an output, what is yielded for
///               it and nothing else.
SmallVector<TileEdge> findTileEdges(Value value);

/// Fails where a value cannot be without a tile.
llvm::Error verifyBypassing(Value value);

/// Whether a value can be, if ldmatrix is no more than a load, and lanes do
/// well without it: of an input each item loads all in one step and no element
/// is loaded twice, and what accesses draw are sectors of 32 bytes as a whole,
/// but for the one that an access shares with the next, and few more than
/// threads would draw that copy the tile.
bool isWorthBypassing(Value value);

/// Inputs of a block graph and results of its steps that have no tile.
using BypassingValues = llvm::SmallDenseSet<Value, 4>;
/// Those of which attributes say so.
BypassingValues readBypassingValues(block::GraphOp graph);
/// Those that are worth it as the graph is now, whatever attributes say.
BypassingValues findBypassingValues(block::GraphOp graph);

} // namespace mlir::mirage

#endif // MIRAGE_ANALYSIS_BYPASSINGTILES_H
