//===- ComponentSlice.h - What one component is asked for -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_COMPONENTSLICE_H
#define MIRAGE_LIB_VERIFY_COMPONENTSLICE_H

#include "Mirage/Graph/Graph.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::mirage {

/// The operations of a graph, those of its tile graphs too, that matter in one
/// component of a tower. An exponential takes the next component's value of its
/// argument, so of attention's weights exp(QK) times V the product QK is
/// the business of component 1 alone, and the one with V that of component 0.
/// All slices of a graph have all of its exponentials, in the same order.
class ComponentSlice {
public:
  enum Kind : uint8_t {
    Exponents, ///< exponentials and what they are computed from
    Outputs,   ///< what outputs are computed from, arguments of exponentials
               ///< left out
  };
  ComponentSlice(const Graph &graph, Kind kind);

  bool hasOutputs() const { return kind == Outputs; }
  bool contains(const Node &operation) const {
    return isWhole || operations.contains(&operation);
  }
  /// Whether somebody reads the results of an operation that it contains; if
  /// not, its exponentials are all that matters of it.
  bool needsResults(const Node &operation) const {
    return isWhole || !unread.contains(&operation);
  }
  /// Whether it looks at what its operands are, which may not be there if not.
  bool readsOperands(const Node &operation) const {
    return isWhole || kind == Exponents || operation.opcode != Opcode::Exp;
  }

private:
  /// \param isNeeded  by value, at first of the outputs that are asked for;
  /// then
  ///                  of all, what is left of the graph included.
  void collect(const Graph &graph, llvm::BitVector &isNeeded);

  Kind kind;
  llvm::SmallPtrSet<const Node *, 16> operations;
  llvm::SmallPtrSet<const Node *, 4> unread; ///< those without results to read
  llvm::SmallPtrSet<const TileGraph *, 4> bodies;
  bool isWhole = false; ///< a tile graph occurs twice
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_COMPONENTSLICE_H
