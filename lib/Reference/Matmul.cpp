//===- Matmul.cpp - Batched matrix products in double precision -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "Mirage/Algebra/InstructionSets.h"
#include "Mirage/Reference/ParallelFor.h"
#include "TensorOperations.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir::mirage;

namespace {
// A product is cut into pieces of kPanel columns, one task each, and these into
// steps of kDepth along the contracted dimension, for which the right operand's
// part is packed into 256 KiB. In there, kRows x kColumns results at a time
// stay in registers, for kRowBlock rows before the next columns: 64 KiB of the
// left operand, which are read from a near cache all but once.
constexpr int64_t kRows = 4, kColumns = 8, kDepth = 128, kPanel = 256;
constexpr int64_t kRowBlock = 64;

/// One matrix of row-major doubles.
struct Matrix {
  double *data;
  int64_t stride; ///< between rows

  double *at(int64_t row, int64_t column) const {
    return data + row * stride + column;
  }
};

using Sums = double[kRows][kColumns];
} // namespace

/// The sums of `steps` products, which stay in registers until they are
/// complete: that is why they are copied.
/// \param left  where each row of the left operand begins.
/// \param tile  of the right operand, row by row.
MIRAGE_KERNEL static void addProducts(Sums &result,
                                      const double *const (&left)[kRows],
                                      const double *tile, int64_t steps) {
  Sums sums = {};
  for (int64_t step = 0; step < steps; ++step)
    for (int64_t i = 0; i < kRows; ++i)
      for (int64_t j = 0; j < kColumns; ++j)
        sums[i][j] += left[i][step] * tile[step * kColumns + j];
  std::memcpy(result, sums, sizeof(Sums));
}

namespace {
/// result = lhs · rhs, for a part of the columns of the result.
class PanelProduct {
public:
  PanelProduct(Matrix lhs, Matrix rhs, Matrix result, int64_t rows,
               int64_t depth)
      : lhs(lhs), rhs(rhs), result(result), rows(rows), depth(depth),
        packedDepth(std::min(kDepth, depth)) {}

  void run(int64_t beginColumn, int64_t endColumn) {
    firstColumn = beginColumn;
    packed.resize(packedDepth *
                  llvm::alignTo(endColumn - beginColumn, kColumns));
    for (int64_t k = 0; k < depth; k += packedDepth) {
      int64_t steps = std::min(packedDepth, depth - k);
      pack(k, steps, beginColumn, endColumn);
      for (int64_t row = 0; row < rows; row += kRowBlock)
        for (int64_t column = beginColumn; column < endColumn;
             column += kColumns)
          multiplyRows(row, std::min(row + kRowBlock, rows), column,
                       std::min(kColumns, endColumn - column), k, steps);
    }
  }

private:
  /// Tiles of kColumns columns lie one after the other, each row by row;
  /// missing columns of the last one are zero.
  void pack(int64_t k, int64_t steps, int64_t beginColumn, int64_t endColumn) {
    for (int64_t step = 0; step < steps; ++step) {
      const double *from = rhs.at(k + step, 0);
      for (int64_t column = beginColumn; column < endColumn;
           column += kColumns) {
        double *into =
            &packed[(column - beginColumn) * packedDepth + step * kColumns];
        for (int64_t j = 0; j < kColumns; ++j)
          into[j] = column + j < endColumn ? from[column + j] : 0.0;
      }
    }
  }

  void multiplyRows(int64_t beginRow, int64_t endRow, int64_t column,
                    int64_t numColumns, int64_t k, int64_t steps) {
    const double *tile = &packed[(column - firstColumn) * packedDepth];
    for (int64_t row = beginRow; row < endRow; row += kRows)
      multiplyTile(row, column, numColumns, k, steps, tile);
  }

  void multiplyTile(int64_t row, int64_t column, int64_t numColumns, int64_t k,
                    int64_t steps, const double *tile) {
    int64_t numRows = std::min(kRows, rows - row);
    Sums sums;
    const double *left[kRows];
    for (int64_t i = 0; i < kRows; ++i) // rows beyond the last: the last again
      left[i] = lhs.at(row + std::min(i, numRows - 1), k);
    addProducts(sums, left, tile, steps);
    for (int64_t i = 0; i < numRows; ++i)
      for (int64_t j = 0; j < numColumns; ++j) {
        double &element = *result.at(row + i, column + j);
        element = k == 0 ? sums[i][j] : element + sums[i][j];
      }
  }

  Matrix lhs, rhs, result;
  int64_t rows, depth, packedDepth, firstColumn = 0;
  std::vector<double> packed;
};
} // namespace

/// The matrix with number `batch` in the result's leading dimensions.
static Matrix getMatrix(const Tensor &tensor, llvm::ArrayRef<int64_t> shape,
                        int64_t batch) {
  Shape own(tensor.shape);
  int64_t columns = own.pop_back_val(), rows = own.pop_back_val();
  int64_t number = 0, step = 1;
  for (size_t dim = own.size(), at = shape.size() - 2; dim-- > 0;) {
    --at;
    if (own[dim] != 1)
      number += batch % shape[at] * step;
    step *= own[dim];
    batch /= shape[at];
  }
  return {tensor.data.get() + number * rows * columns, columns};
}

Tensor mlir::mirage::multiply(const Tensor &lhs, const Tensor &rhs,
                              llvm::ArrayRef<int64_t> shape, unsigned threads) {
  Tensor result = Tensor::allocate(shape);
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  int64_t depth = lhs.shape.back();
  int64_t batches = result.getNumElements() / (rows * columns);
  int64_t panels = (columns + kPanel - 1) / kPanel;
  parallelFor(threads, batches * panels, 1, [&](int64_t task, int64_t) {
    int64_t batch = task / panels, column = task % panels * kPanel;
    PanelProduct(getMatrix(lhs, shape, batch), getMatrix(rhs, shape, batch),
                 getMatrix(result, shape, batch), rows, depth)
        .run(column, std::min(column + kPanel, columns));
  });
  return result;
}
