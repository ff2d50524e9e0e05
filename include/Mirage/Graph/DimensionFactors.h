//===- DimensionFactors.h - What reshapes make of dimensions -- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reshapes split and join dimensions. Where 2 heads are repeated for 4 queries
// each,
//
//   [2, S, D]  reshape  [2, 1, S, D]  broadcast  [2, 4, S, D]  reshape
//   [8, S, D]
//
// the dimension of 8 is a product of two, [2, 4], and so is every dimension
// that is walked together with it: the 8 heads of the queries. The factors of a
// dimension are the coarsest for which every reshape of the graph keeps each
// factor whole.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_DIMENSIONFACTORS_H
#define MIRAGE_GRAPH_DIMENSIONFACTORS_H

#include "Mirage/Graph/Graph.h"

namespace mlir::mirage {

/// Sizes larger than 1, outermost first; {1} of a dimension of size 1.
using FactorList = llvm::SmallVector<int64_t, 2>;

/// The factors of every dimension, or what mergeFactors makes of them.
struct DimensionFactors {
  std::vector<llvm::SmallVector<FactorList, 4>> ofValues; ///< by ValueId

  /// All factors of a value, one after the other.
  Shape getShape(ValueId value) const;
};

/// Factors the dimensions of a verified graph. One that is nested relates none
/// of them. A slice, and an operand of a concat, is made of whole parts:
/// factors but the outermost. Fails, naming the operation, where reshapes split
/// a dimension in ways of which neither refines the other (6 as [2, 3] and as
/// [3, 2]), or where a slice or concat cuts through a factor.
llvm::Expected<DimensionFactors> factorDimensions(const Graph &graph);

enum class MergedFactors {
  All,
  Whole, ///< those that some nested graph or causal mask takes as one dimension
};

/// Factors that no operation tells apart, as one: wherever there is one of
/// them, in every value, there is the other, next to it. So the rows and
/// columns of what is computed element by element are a single dimension, and
/// so are the heads and rows of X[heads, rows, k]·W[k, n]:
///
///   X    [2], [16], [64]   becomes   [1], [32], [64]
///   W    [64], [8]                   [64], [8]
///   XW   [2], [16], [8]              [1], [32], [8]
///
/// The product stands where the innermost stood, so that a list need not be of
/// factors of its own dimension any more, but all of a value's together are.
/// Dimensions of which some operation takes a part are left alone.
DimensionFactors mergeFactors(const Graph &graph,
                              const DimensionFactors &factors,
                              MergedFactors which);

/// The same operations with a dimension for each factor, of inputs and outputs
/// too, so that reshapes neither split nor join any. A dimension of size 1 that
/// stretches to several is as many. Fails, naming the operation, where a nested
/// graph or a causal mask needs a dimension whole that is a product.
llvm::Expected<Graph> splitDimensions(const Graph &graph,
                                      const DimensionFactors &factors);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_DIMENSIONFACTORS_H
