//===- CausalLoop.h - Loops that a causal mask ends ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of attention loops over keys. A causal mask hides those behind its
// last row, and so, from some iteration on, all of a tile:
//
//   iteration    0  1  2  3  4  5     128 rows in a block, 64 keys in a tile
//   block 0      +  +  .  .  .  .     +: a part is hidden
//   block 1      #  #  +  +  .  .     .: all is, so that block 0 ends behind
//   block 2      #  #  #  #  +  +        iteration 1
//
// Such iterations add nothing where every accumulation over the loop takes what
// changes nothing of them: a sum 0 = exp(-inf), a maximum -inf. Blocks then do
// without them. Inputs are finite numbers, as everywhere: 0 times what an input
// holds is 0.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ANALYSIS_CAUSALLOOP_H
#define MIRAGE_ANALYSIS_CAUSALLOOP_H

#include "Mirage/Dialect/Block/IR/Block.h"

namespace mlir::mirage {

/// Of a block graph: blocks end their loop behind the last iteration of which a
/// causal mask leaves anything. --mirage-end-loops-early decides it.
inline constexpr llvm::StringLiteral kEndsEarlyAttr = "mirage.ends_early";

/// Where the mask hides whole tiles.
struct CausalLoop {
  SmallVector<Axis, 2> rowAxes; ///< that cut the rows, of the grid
  int64_t rows;                 ///< of a block
  /// That cut the columns, but for the loop, which cuts them last.
  SmallVector<Axis, 2> columnAxes;
  int64_t columns; ///< of an iteration
  int64_t offset;  ///< how far a row's last column lies behind the row's number

  /// Iterations of a block that anything is left of, at least one.
  /// \param header  of the graph: its grid and loop.
  /// \param block   coordinates, by axis of the grid.
  int64_t countIterations(const TileGraph &header,
                          ArrayRef<int64_t> block) const;
};

/// What a mask of the graph says of its loop; none where there is no such mask,
/// or an iteration of which it leaves nothing changes something.
std::optional<CausalLoop> findCausalLoop(block::GraphOp graph);

/// The same where the attribute says that blocks end their loop by it.
std::optional<CausalLoop> findEarlyEnd(block::GraphOp graph);

} // namespace mlir::mirage

#endif // MIRAGE_ANALYSIS_CAUSALLOOP_H
