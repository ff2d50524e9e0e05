//===- DimensionMarks.h - Places that dimensions share ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_GRAPH_DIMENSIONMARKS_H
#define MIRAGE_LIB_GRAPH_DIMENSIONMARKS_H

#include "DimensionClasses.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <set>

namespace mlir::mirage {

/// A stretch of a dimension that a slice takes, or an operand of a concat is.
struct DimensionPart {
  ValueId whole, part;
  unsigned dim;   ///< of both
  int64_t offset; ///< in the whole
  int64_t step;   ///< 1 of a single element
};

/// Calls `visit` for each dimension that a slice or concat makes shorter or
/// longer, until it fails. Other operations have none.
llvm::Error
forEachPart(const Graph &graph, const Node &operation,
            llvm::function_ref<llvm::Error(const DimensionPart &)> visit);

/// Numbers that all dimensions of a class have in common, such as where pieces
/// begin, and which operations carry from one class to another.
class DimensionMarks {
public:
  using Marks = std::set<int64_t>;

  /// \param initial  what every dimension has from the start.
  DimensionMarks(const Graph &graph, const Marks &initial)
      : graph(graph), classes(graph),
        marks(classes.getNumDimensions(), initial) {}

  /// Before there are others than the initial ones.
  DimensionClasses &getClasses() { return classes; }
  const Marks &get(ValueId value, unsigned dim) const {
    return marks[classes.find(value, dim)];
  }
  /// \returns how many there are.
  size_t add(ValueId value, unsigned dim, int64_t mark);
  /// Visits all operations, again and again, until none adds a mark. An error
  /// names the operation.
  llvm::Error
  spread(llvm::function_ref<llvm::Error(const Node &operation)> visit);

private:
  const Graph &graph;
  DimensionClasses classes;
  std::vector<Marks> marks; ///< by class
  bool hasChanged = false;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_GRAPH_DIMENSIONMARKS_H
