//===- BitMatrix.h - Linear maps over F2 ------------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LAYOUT_BITMATRIX_H
#define MIRAGE_LAYOUT_BITMATRIX_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace mlir::mirage {

/// A matrix over F2 of up to 64 rows and 64 columns. Vectors are words whose
/// bit `i` is entry `i`; the image of a vector is the exclusive or of the
/// columns of its set bits.
class BitMatrix {
public:
  BitMatrix(unsigned numRows, llvm::ArrayRef<uint64_t> columns);
  static BitMatrix identity(unsigned size);

  unsigned getNumRows() const { return numRows; }
  unsigned getNumColumns() const { return columns.size(); }
  llvm::ArrayRef<uint64_t> getColumns() const { return columns; }

  uint64_t apply(uint64_t vector) const;
  /// `(a * b).apply(x) == a.apply(b.apply(x))`.
  BitMatrix operator*(const BitMatrix &other) const;
  bool operator==(const BitMatrix &other) const {
    return numRows == other.numRows && columns == other.columns;
  }

  unsigned getRank() const;
  /// The columns, as a mask, that are no sum of columns before them: a basis
  /// of the image.
  uint64_t getIndependentColumns() const;
  /// None unless the matrix is square and of full rank.
  std::optional<BitMatrix> invert() const;

private:
  unsigned numRows;
  llvm::SmallVector<uint64_t, 16> columns;
};

} // namespace mlir::mirage

#endif // MIRAGE_LAYOUT_BITMATRIX_H
