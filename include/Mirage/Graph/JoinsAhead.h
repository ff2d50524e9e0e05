//===- JoinsAhead.h - What a loop waits for other blocks with ---*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile graph whose loop reads what blocks have joined (Phases.h) as two: one
// without a loop that joins it ahead, and one that reads it as an input. What
// both need of what is computed before the joins, both compute.
//
//   %0 = input
//   %1 = exp %0                   ahead, and again with the loop
//   %2 = accumulate %1 over x     ahead: joined
//   %3 = div %1, %2               with the loop, before it
//   %4 = matmul %3, %w            with the loop, in it
//
// The one rule for code generation, which makes kernels of both
// (`--mirage-split-grid-joins`), and for cost models, which count them.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_JOINSAHEAD_H
#define MIRAGE_GRAPH_JOINSAHEAD_H

#include "Mirage/Graph/Graph.h"
#include "llvm/ADT/BitVector.h"

namespace mlir::mirage {

struct JoinsAhead {
  /// What the first leaves for the second, in the graph's order: none if the
  /// loop waits for no blocks.
  llvm::SmallVector<ValueId> joined;
  /// By operation: what each of them carries out; dead operations neither.
  llvm::BitVector ahead, withLoop;
};

JoinsAhead findJoinsAhead(const TileGraph &graph);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_JOINSAHEAD_H
