//===- DimensionCuts.h - Where slices and concats cut --------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice takes a part of a dimension, a concat puts parts side by side. In
//
//   x[m, 64]   y = concat(slice(x, 32..64), slice(x, 0..32))   z = x * y
//
// the dimension of 64 is cut in the middle, in x, y and z. Pieces of tensors
// are tensors of their own: z consists of x0 * x1 and x1 * x0, and of slices
// and concats nothing is left but views of inputs and outputs.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_DIMENSIONCUTS_H
#define MIRAGE_GRAPH_DIMENSIONCUTS_H

#include "Mirage/Graph/Graph.h"

namespace mlir::mirage {

/// Where the pieces of a dimension begin, 0 first, ascending.
using CutList = llvm::SmallVector<int64_t, 2>;

struct DimensionCuts {
  std::vector<llvm::SmallVector<CutList, 4>> ofValues; ///< by ValueId

  bool hasAny() const;
};

/// A dimension with more pieces is not cut.
constexpr unsigned kMaxPieces = 8;

/// Cuts the dimensions of a verified graph whose reshapes keep them whole, such
/// that every slice and every operand of a concat consists of whole pieces.
/// Dimensions that are walked together are cut alike. Fails, naming the
/// operation, where a slice has strides, or with too many pieces.
llvm::Expected<DimensionCuts> cutDimensions(const Graph &graph);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_DIMENSIONCUTS_H
