//===- PieceGrid.h - Pieces that values are cut into ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_PIECEGRID_H
#define MIRAGE_LIB_SEARCH_PIECEGRID_H

#include "Mirage/Graph/DimensionCuts.h"

namespace mlir::mirage::search {

/// Which piece of a value: a number by dimension.
using Piece = llvm::SmallVector<unsigned, 4>;

/// Where the pieces of a program's values are, given where its dimensions are
/// cut.
class PieceGrid {
public:
  PieceGrid(const Graph &program, const DimensionCuts &cuts)
      : program(program), cuts(cuts) {}

  /// Where the pieces along a dimension begin, ascending.
  llvm::ArrayRef<int64_t> getCuts(ValueId value, unsigned dim) const {
    return cuts.ofValues[value][dim];
  }
  unsigned getRank(ValueId value) const {
    return program.getType(value).getRank();
  }
  Shape getOffsets(ValueId value, const Piece &piece) const;
  Shape getShape(ValueId value, const Piece &piece) const;
  /// In row-major order.
  void forEach(ValueId value,
               llvm::function_ref<void(const Piece &)> visit) const;
  /// The piece that begins at an element.
  Piece find(ValueId value, llvm::ArrayRef<int64_t> offsets) const;
  /// The piece of an operand whose first dimensions stretch to those of the
  /// piece, one to one: a dimension of size 1 has one piece.
  Piece align(ValueId operand, llvm::ArrayRef<unsigned> piece) const;
  /// The piece of an operand that is reshaped into a piece of the value:
  /// dimensions of size 1 come and go, and have one piece.
  Piece reshape(ValueId operand, ValueId value, const Piece &piece) const;

private:
  bool isOne(ValueId value, unsigned dim) const {
    return program.getType(value).shape[dim] == 1;
  }

  const Graph &program;
  const DimensionCuts &cuts;
};

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_PIECEGRID_H
