//===- BitMatrix.cpp - Linear maps over F2 --------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Layout/BitMatrix.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::mirage;

BitMatrix::BitMatrix(unsigned numRows, llvm::ArrayRef<uint64_t> columns)
    : numRows(numRows), columns(columns) {
  assert(numRows <= 64 && columns.size() <= 64 && "a vector is one word");
  assert(llvm::all_of(columns,
                      [&](uint64_t column) {
                        return (column & ~llvm::maskTrailingOnes<uint64_t>(
                                             numRows)) == 0;
                      }) &&
         "a column has no bits beyond the rows");
}

BitMatrix BitMatrix::identity(unsigned size) {
  llvm::SmallVector<uint64_t, 16> columns;
  for (unsigned bit = 0; bit < size; ++bit)
    columns.push_back(uint64_t(1) << bit);
  return {size, columns};
}

uint64_t BitMatrix::apply(uint64_t vector) const {
  uint64_t image = 0;
  for (auto [bit, column] : llvm::enumerate(columns))
    if (vector >> bit & 1)
      image ^= column;
  return image;
}

BitMatrix BitMatrix::operator*(const BitMatrix &other) const {
  assert(getNumColumns() == other.getNumRows() &&
         "maps that follow each other");
  llvm::SmallVector<uint64_t, 16> product;
  for (uint64_t column : other.columns)
    product.push_back(apply(column));
  return {numRows, product};
}

/// A word minus what `basis` spans, where each word of the basis has a leading
/// bit that no other has.
static uint64_t reduce(uint64_t word, llvm::ArrayRef<uint64_t> basis) {
  for (uint64_t element : basis)
    word = std::min(word, word ^ element);
  return word;
}

uint64_t BitMatrix::getIndependentColumns() const {
  uint64_t independent = 0;
  llvm::SmallVector<uint64_t, 16> basis;
  for (auto [number, column] : llvm::enumerate(columns)) {
    uint64_t rest = reduce(column, basis);
    if (rest == 0)
      continue;
    independent |= uint64_t(1) << number;
    basis.push_back(rest);
    llvm::sort(basis, std::greater<>());
  }
  return independent;
}

unsigned BitMatrix::getRank() const {
  return llvm::popcount(getIndependentColumns());
}

/// Gauss-Jordan: column operations that turn this into the identity turn the
/// identity into the inverse.
std::optional<BitMatrix> BitMatrix::invert() const {
  if (numRows != getNumColumns())
    return std::nullopt;
  llvm::SmallVector<uint64_t, 16> left = columns;
  llvm::SmallVector<uint64_t, 16> right(identity(numRows).getColumns());
  for (unsigned row = 0; row < numRows; ++row) {
    unsigned pivot = row;
    while (pivot < numRows && !(left[pivot] >> row & 1))
      ++pivot;
    if (pivot == numRows)
      return std::nullopt;
    std::swap(left[row], left[pivot]);
    std::swap(right[row], right[pivot]);
    for (unsigned column = 0; column < numRows; ++column)
      if (column != row && (left[column] >> row & 1)) {
        left[column] ^= left[row];
        right[column] ^= right[row];
      }
  }
  return BitMatrix(numRows, right);
}
