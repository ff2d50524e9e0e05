//===- Elementwise.h - Definitions applied to rows of doubles - -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_REFERENCE_ELEMENTWISE_H
#define MIRAGE_LIB_REFERENCE_ELEMENTWISE_H

#include "TensorOperations.h"

namespace mlir::mirage {

/// A tensor seen in another shape: element (i0, i1, ...) is
/// data[i0 · strides[0] + i1 · strides[1] + ...].
class StridedView {
public:
  StridedView(double *data, llvm::ArrayRef<int64_t> shape,
              llvm::ArrayRef<int64_t> strides)
      : data(data), shape(shape), strides(strides) {}

  /// As NumPy broadcasts: dimensions of size 1 have stride 0.
  static StridedView broadcast(const Tensor &tensor,
                               llvm::ArrayRef<int64_t> shape);

  const Shape &getShape() const { return shape; }
  /// The element with row-major number `index` in the view's shape.
  double &at(int64_t index) const;
  bool isContiguousAlongRows() const {
    return strides.back() == 1 || shape.back() == 1;
  }
  /// The elements lie one after the other, in order.
  bool isContiguous() const;
  const double *getData() const { return data; }
  /// Copies `count` elements from number `begin` on.
  void gather(int64_t begin, int64_t count, double *into) const;

private:
  double *data;
  Shape shape, strides;
};

/// Walks a definition with rows of doubles: each node is one loop over a few
/// hundred elements, which the compiler can vectorise, instead of one call per
/// element and node.
class ElementwiseEvaluator {
public:
  ElementwiseEvaluator(const ScalarDefinition &definition,
                       llvm::ArrayRef<StridedView> operands,
                       llvm::ArrayRef<double> parameters, double size);

  /// Computes elements [begin, end) of the result.
  void run(int64_t begin, int64_t end, double *result);

private:
  static constexpr int64_t kRow = 512; ///< elements at a time

  void fillLeaf(unsigned node, double value);
  void runRow(int64_t begin, int64_t count, double *result);

  const ScalarDefinition &definition;
  llvm::ArrayRef<StridedView> operands;
  std::vector<double> rows;                    ///< kRow elements for each node
  llvm::SmallVector<const double *, 8> values; ///< each node's row
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_REFERENCE_ELEMENTWISE_H
