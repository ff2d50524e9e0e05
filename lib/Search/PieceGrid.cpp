//===- PieceGrid.cpp - Pieces that values are cut into --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PieceGrid.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;

Shape PieceGrid::getOffsets(ValueId value, const Piece &piece) const {
  Shape offsets;
  for (auto [dim, number] : llvm::enumerate(piece))
    offsets.push_back(getCuts(value, dim)[number]);
  return offsets;
}

Shape PieceGrid::getShape(ValueId value, const Piece &piece) const {
  Shape shape;
  for (auto [dim, number] : llvm::enumerate(piece)) {
    ArrayRef<int64_t> own = getCuts(value, dim);
    int64_t end = number + 1 < own.size() ? own[number + 1]
                                          : program.getType(value).shape[dim];
    shape.push_back(end - own[number]);
  }
  return shape;
}

void PieceGrid::forEach(ValueId value,
                        llvm::function_ref<void(const Piece &)> visit) const {
  Piece piece(getRank(value), 0);
  while (true) {
    visit(piece);
    unsigned dim = piece.size();
    while (dim > 0 && ++piece[dim - 1] == getCuts(value, dim - 1).size())
      piece[--dim] = 0;
    if (dim == 0)
      return;
  }
}

Piece PieceGrid::find(ValueId value, ArrayRef<int64_t> offsets) const {
  Piece piece;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    ArrayRef<int64_t> own = getCuts(value, dim);
    const auto *it = llvm::find(own, offset);
    assert(it != own.end() && "the whole is cut where its parts are");
    piece.push_back(it - own.begin());
  }
  return piece;
}

Piece PieceGrid::align(ValueId operand, ArrayRef<unsigned> piece) const {
  assert(piece.size() <= getRank(operand) && "a dimension meets each");
  Piece aligned(piece);
  for (auto [dim, number] : llvm::enumerate(aligned))
    if (isOne(operand, dim))
      number = 0;
  return aligned;
}

Piece PieceGrid::reshape(ValueId operand, ValueId value,
                         const Piece &piece) const {
  Piece own(getRank(operand), 0);
  unsigned from = 0;
  for (auto [to, number] : llvm::enumerate(piece)) {
    if (isOne(value, to))
      continue;
    while (isOne(operand, from))
      ++from;
    own[from++] = number;
  }
  return own;
}
