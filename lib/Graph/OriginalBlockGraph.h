//===- OriginalBlockGraph.h - Kernels in the original's JSON ----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_GRAPH_ORIGINALBLOCKGRAPH_H
#define MIRAGE_LIB_GRAPH_ORIGINALBLOCKGRAPH_H

#include "Mirage/Graph/Graph.h"
#include "Mirage/Graph/JSONCursor.h"

namespace mlir::mirage {

/// A tensor that a kernel takes.
struct OriginalOperand {
  int64_t guid;
  TensorSpec type;
};

/// Reads the "bgraph" of a kernel (Mirage/Graph/OriginalJSON.h). It means
/// nothing if the cursor failed. Two operators are not rows of our table:
///
/// - reduction_max gives two tiles, the maximum and by how much it has grown.
///   Of the second nothing is taken but what it is for: sums that are rescaled
///   from maximum to maximum have the first as their second operand (Graph.h,
///   "Rescaling"), and its exponential is the same.
/// - A reduction to "reduction_dimx" elements sums elements that are so far
///   apart: 256 to 64 is a tile of 4 x 64, summed over the 4.
std::shared_ptr<const TileGraph>
readOriginalBlockGraph(const JSONCursor &block,
                       llvm::ArrayRef<OriginalOperand> operands);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_GRAPH_ORIGINALBLOCKGRAPH_H
