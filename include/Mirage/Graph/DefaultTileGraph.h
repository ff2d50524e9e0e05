//===- DefaultTileGraph.h - A block graph for any operator ------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_DEFAULTTILEGRAPH_H
#define MIRAGE_GRAPH_DEFAULTTILEGRAPH_H

#include "Mirage/Graph/TileMemory.h"

namespace mlir::mirage {

/// Whether an operation becomes a kernel of its own. A reshape of whole tensors
/// does not, nor a transpose or a slice: they are views of the same bytes. What
/// is concatenated is written into its place, and a composed operator is
/// several kernels.
bool hasDefaultTileGraph(Opcode opcode);

/// How many elements a tile of a block graph has at most.
struct DefaultTileSizes {
  /// Of the result: this many keep a few hundred threads busy and leave several
  /// blocks of shared memory per SM.
  int64_t result = 4096;
  /// That it reduces; longer extents are walked by the loop. Long sums are cut
  /// into no more iterations than a tile has elements.
  int64_t reduced = 64;
};

/// A block graph that computes one kernel-level operation alone, so that any
/// program compiles and runs unsearched. Result dimensions are cut over the
/// grid, contracted and reduced ones over the loop, into tiles of moderate
/// size.
/// \param operation    an operation of `graph`.
/// \param sharedBytes  shared memory of one block; tiles are halved until all
///                     of the block's tiles fit.
/// \param sizes        of the largest tiles.
/// \param byColumns    operands that lie by columns, and are loaded so.
/// \returns the completed graph (masks included), or an error naming the
/// operation where no tiling fits or `hasDefaultTileGraph` is false.
llvm::Expected<TileGraph>
buildDefaultTileGraph(const Graph &graph, const Node &operation,
                      int64_t sharedBytes, DefaultTileSizes sizes = {},
                      llvm::ArrayRef<unsigned> byColumns = {});

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_DEFAULTTILEGRAPH_H
