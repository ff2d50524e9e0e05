//===- JoinedParts.h - Kernels that join a kernel's blocks ------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which kernels a block graph that joins blocks becomes
// (`--mirage-split-grid-joins`), for cost models: without making them. Behind
// the blocks stands one kernel for each join of parts: of what their tiles are
// reduced to, where the join reduces them. If the loop reads what
// is joined, blocks that compute parts and those that join them come ahead, and
// the blocks of the graph then begin anew (Mirage/Graph/JoinsAhead.h).
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_JOINEDPARTS_H
#define MIRAGE_SEARCH_JOINEDPARTS_H

#include "Mirage/Graph/Graph.h"
#include "llvm/ADT/BitVector.h"
#include <vector>

namespace mlir::mirage::search {

/// What one more kernel joins: parts that have one axis and as many joins
/// behind them.
struct JoinedParts {
  Axis axis = Axis::Loop;
  bool keepsBlocks = false;  ///< as in KernelWork::Join
  bool needsLoop = false;    ///< likewise
  bool isBeforeLoop = false; ///< likewise
  /// What is as large as what a block leaves for them.
  llvm::SmallVector<ValueId, 2> parts;
  /// What was computed before the join, and is read behind it as it is.
  llvm::SmallVector<ValueId, 2> own;
  /// What the last join ahead leaves for the kernel with the loop.
  llvm::SmallVector<ValueId> left;
};

/// In the order in which they are made.
std::vector<JoinedParts> listJoins(const TileGraph &kernel);

/// By value: inputs that are loaded, and results that are computed, once ahead
/// and once with the loop.
llvm::BitVector findRepeated(const TileGraph &kernel);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_JOINEDPARTS_H
