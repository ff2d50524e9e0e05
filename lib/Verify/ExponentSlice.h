//===- ExponentSlice.h - What exponentials are computed from ----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_EXPONENTSLICE_H
#define MIRAGE_LIB_VERIFY_EXPONENTSLICE_H

#include "Mirage/Graph/Graph.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::mirage {

/// The operations of a graph, those of its tile graphs too, that take an
/// exponential or that one is computed from. All others are the business of
/// component 0 of a tower alone: of the product of attention's weights with V
/// nothing is needed where only exponents count.
class ExponentSlice {
public:
  explicit ExponentSlice(const Graph &graph);

  bool contains(const Node &operation) const {
    return isWhole || operations.contains(&operation);
  }

private:
  /// \param isNeeded  by value, at first of the outputs; then of all.
  void collect(const Graph &graph, llvm::BitVector &isNeeded);

  llvm::SmallPtrSet<const Node *, 16> operations;
  llvm::SmallPtrSet<const TileGraph *, 4> bodies;
  bool isWhole = false; ///< a tile graph occurs twice
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_EXPONENTSLICE_H
