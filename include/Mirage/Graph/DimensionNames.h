//===- DimensionNames.h - Which dimensions are the same ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Dimensions that some operation walks together are one, whatever tensors they
// are of, and have one name. In O = rms(X)·W there are three: X is [m, k], W is
// [k, n] and O is [m, n]. So a graph can be rebuilt at other sizes: a size for
// every name. A dimension of size 1 has no name.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_DIMENSIONNAMES_H
#define MIRAGE_GRAPH_DIMENSIONNAMES_H

#include "Mirage/Algebra/Letter.h"
#include "Mirage/Graph/Graph.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::mirage {

/// One entry per dimension of a tensor: its name, or kNoName for size 1.
constexpr NameId kNoName = ~NameId(0);
using DimensionList = llvm::SmallVector<NameId, 4>;

struct DimensionNames {
  llvm::SmallVector<int64_t> extents;  ///< by name
  std::vector<DimensionList> ofValues; ///< by ValueId

  unsigned getNumNames() const { return extents.size(); }
  /// The shape that `dimensions` have when names have these extents.
  static Shape getShape(llvm::ArrayRef<NameId> dimensions,
                        llvm::ArrayRef<int64_t> extents);
};

/// Names the dimensions of a verified graph of any level, in the order of the
/// values. An operation that nests a graph relates no dimensions: its tile maps
/// say what is cut into what, and names inside the nested graph are its own.
/// Fails, naming the operation, where a reshape splits or joins dimensions.
llvm::Expected<DimensionNames> nameDimensions(const Graph &graph);

/// The offset that a causal mask of rows and columns has at other sizes: 0, and
/// the number of columns that come before the rows, stay that; of any other,
/// the sign does. With columns for the first row to see, there are some again.
int64_t resizeCausalOffset(int64_t offset, std::pair<int64_t, int64_t> there,
                           std::pair<int64_t, int64_t> here);

/// What a graph becomes at other sizes.
struct ResizeRules {
  llvm::function_ref<Shape(ValueId)> getShape;
  llvm::function_ref<llvm::Expected<Attributes>(const Node &)> getAttributes;
  /// Of the operation with this number, which nests a graph.
  llvm::function_ref<llvm::Expected<std::shared_ptr<const TileGraph>>(
      unsigned number)>
      getBody;
};

/// Adds inputs, operations and outputs of `from` to an empty graph. Element
/// types and names of inputs stay.
llvm::Error resizeInto(const Graph &from, Graph &to, const ResizeRules &rules);

/// A graph without nested ones at other sizes: every named dimension gets
/// `extents[name]`, every mean the count of what it averages, and every causal
/// mask an offset as resizeCausalOffset has it.
Graph resize(const Graph &graph, const DimensionNames &names,
             llvm::ArrayRef<int64_t> extents);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_DIMENSIONNAMES_H
