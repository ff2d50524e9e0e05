//===- SplitBeforeLoop.h - What a loop waits for, as a kernel ---*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block graph whose loop reads what blocks have joined as two
// (Mirage/Graph/JoinsAhead.h). Scores that blocks along x have joined, where
// the loop runs over columns of V:
//
//   graph grid(x = 4) loop(8) {        graph grid(x = 4) loop(1) {
//     %p = matmul %q, %k                 %p = matmul %q, %k
//     %s = accumulate %p over x   ->     %s = accumulate %p over x
//     %y = matmul %s, %v                 } -> %all
//     ...                              graph grid(x = 4) loop(8) ins(%all) {
//   }                                    %y = matmul %all, %v
//                                        ...
//                                      }
//
// What is joined passes device memory, and nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_TRANSFORMS_SPLITBEFORELOOP_H
#define MIRAGE_LIB_TRANSFORMS_SPLITBEFORELOOP_H

#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Graph/Graph.h"

namespace mlir::mirage {

/// Cuts a graph in two, of which the first has no loop, if the loop reads what
/// blocks join. \returns whether it does; then `graph` is erased.
/// \param tiles  what `graph` is; it has no dead ops.
bool splitBeforeLoop(block::GraphOp graph, const TileGraph &tiles);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_TRANSFORMS_SPLITBEFORELOOP_H
