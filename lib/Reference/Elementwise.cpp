//===- Elementwise.cpp - Definitions applied to rows of doubles -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;

StridedView StridedView::broadcast(const Tensor &tensor,
                                   llvm::ArrayRef<int64_t> shape) {
  Shape own = getRowMajorStrides(tensor.shape);
  Shape strides(shape.size(), 0);
  size_t missing = shape.size() - tensor.shape.size();
  for (size_t dim = 0; dim < tensor.shape.size(); ++dim)
    if (tensor.shape[dim] != 1)
      strides[missing + dim] = own[dim];
  return StridedView(tensor.data.get(), shape, strides);
}

double &StridedView::at(int64_t index) const {
  int64_t offset = 0;
  for (size_t dim = shape.size(); dim-- > 0; index /= shape[dim])
    offset += index % shape[dim] * strides[dim];
  return data[offset];
}

bool StridedView::isContiguous() const {
  Shape rowMajor = getRowMajorStrides(shape);
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] != 1 && strides[dim] != rowMajor[dim])
      return false;
  return true;
}

void StridedView::gather(int64_t begin, int64_t count, double *into) const {
  int64_t width = shape.back(), stride = strides.back();
  for (int64_t end = begin + count; begin < end;) {
    int64_t run = std::min(width - begin % width, end - begin);
    const double *from = &at(begin);
    if (stride == 1)
      std::copy_n(from, run, into);
    else
      for (int64_t i = 0; i < run; ++i)
        into[i] = from[i * stride];
    begin += run;
    into += run;
  }
}

ElementwiseEvaluator::ElementwiseEvaluator(const ScalarDefinition &definition,
                                           llvm::ArrayRef<StridedView> operands,
                                           llvm::ArrayRef<double> parameters,
                                           double size)
    : definition(definition), operands(operands),
      rows(definition.nodes().size() * kRow) {
  for (auto [number, node] : llvm::enumerate(definition.nodes())) {
    values.push_back(&rows[number * kRow]);
    if (node.function == ScalarFunction::Parameter)
      fillLeaf(number, parameters[node.index]);
    else if (node.function == ScalarFunction::Constant)
      fillLeaf(number, node.value);
    else if (node.function == ScalarFunction::Ln2)
      fillLeaf(number, kLn2);
    else if (node.function == ScalarFunction::Size)
      fillLeaf(number, size);
  }
}

void ElementwiseEvaluator::fillLeaf(unsigned node, double value) {
  std::fill_n(rows.begin() + node * kRow, kRow, value);
}

/// One primitive over a row. Unary ones have the same operand twice.
static void apply(ScalarFunction function, int64_t count, const double *lhs,
                  const double *rhs, double *result) {
  withDoubleMeaning(function, [&](auto meaning) {
    for (int64_t i = 0; i < count; ++i)
      result[i] = meaning(lhs[i], rhs[i]);
  });
}

void ElementwiseEvaluator::runRow(int64_t begin, int64_t count,
                                  double *result) {
  for (auto [number, node] : llvm::enumerate(definition.nodes())) {
    double *row = &rows[number * kRow];
    unsigned arity = getArity(node.function);
    if (node.function == ScalarFunction::Argument) {
      const StridedView &operand = operands[node.index];
      if (operand.isContiguous())
        values[number] = operand.getData() + begin;
      else
        operand.gather(begin, count, row);
    } else if (arity > 0) {
      const double *lhs = values[node.lhs];
      apply(node.function, count, lhs, arity > 1 ? values[node.rhs] : lhs, row);
    }
  }
  std::copy_n(values.back(), count, result + begin);
}

void ElementwiseEvaluator::run(int64_t begin, int64_t end, double *result) {
  for (; begin < end; begin += kRow)
    runRow(begin, std::min(kRow, end - begin), result);
}
