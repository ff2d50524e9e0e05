//===- DimensionClasses.h - What operations walk together ----- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_GRAPH_DIMENSIONCLASSES_H
#define MIRAGE_LIB_GRAPH_DIMENSIONCLASSES_H

#include "Mirage/Graph/Graph.h"
#include "llvm/ADT/IntEqClasses.h"

namespace mlir::mirage {

/// Classes of the dimensions of all values of a graph: those that some
/// operation walks together are in one. A dimension of size 1 that is
/// broadcast, or left of a sum, joins none. Reshapes are the caller's.
class DimensionClasses {
public:
  explicit DimensionClasses(const Graph &graph);

  unsigned getNumDimensions() const { return numDimensions; }
  /// The number of a dimension's class, less than getNumDimensions().
  unsigned find(ValueId value, unsigned dim) const {
    return classes.findLeader(firstDimension[value] + dim);
  }
  /// Dimensions of size 1 and of different sizes stay apart.
  void join(ValueId lhs, unsigned lhsDim, ValueId rhs, unsigned rhsDim);
  /// Joins what an operation other than a reshape walks together. One that
  /// nests a graph joins nothing.
  void unify(const Node &operation);

private:
  void joinFromBack(ValueId lhs, ValueId rhs, unsigned skip);
  void unifyMatmul(ValueId lhs, ValueId rhs, ValueId result);
  void unifyMovement(const Node &operation);
  int64_t getSize(ValueId value, unsigned dim) const {
    return graph.getType(value).shape[dim];
  }
  unsigned getRank(ValueId value) const {
    return graph.getType(value).getRank();
  }

  const Graph &graph;
  llvm::SmallVector<unsigned> firstDimension; ///< by value
  unsigned numDimensions = 0;
  llvm::IntEqClasses classes;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_GRAPH_DIMENSIONCLASSES_H
