//===- Strides.cpp - Where elements of a tensor lie in memory -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/Strides.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir::mirage;
using llvm::ArrayRef;
using llvm::Twine;

Strides mlir::mirage::getRowMajorStrides(ArrayRef<int64_t> shape) {
  Strides strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  return strides;
}

bool mlir::mirage::isRowMajor(ArrayRef<int64_t> shape,
                              ArrayRef<int64_t> strides) {
  for (auto [size, stride, expected] :
       llvm::zip_equal(shape, strides, getRowMajorStrides(shape)))
    if (size > 1 && stride != expected)
      return false;
  return true;
}

int64_t mlir::mirage::getSpan(ArrayRef<int64_t> shape,
                              ArrayRef<int64_t> strides) {
  int64_t last = 0;
  for (auto [size, stride] : llvm::zip_equal(shape, strides))
    last += (size - 1) * stride;
  return last + 1;
}

/// More than any device has, and little enough to be counted in bytes.
static constexpr int64_t kMaxSpan = int64_t(1) << 50;

static bool hasMaxSpan(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  int64_t last = 0;
  for (auto [size, stride] : llvm::zip_equal(shape, strides)) {
    std::optional<int64_t> next = llvm::checkedMulAdd(size - 1, stride, last);
    if (!next || *next >= kMaxSpan)
      return false;
    last = *next;
  }
  return true;
}

/// The dimensions of more than one element, the closest neighbours first.
static llvm::SmallVector<unsigned> orderByStride(ArrayRef<int64_t> shape,
                                                 ArrayRef<int64_t> strides) {
  llvm::SmallVector<unsigned> order;
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] > 1)
      order.push_back(dim);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair(strides[a], a) < std::pair(strides[b], b);
  });
  return order;
}

static std::optional<std::string> explainOverlap(ArrayRef<int64_t> shape,
                                                 ArrayRef<int64_t> strides) {
  int64_t span = 1;
  for (unsigned dim : orderByStride(shape, strides)) {
    if (strides[dim] < span)
      return ("expects a stride of at least " + Twine(span) +
              " along dimension " + Twine(dim) +
              " of what is written, so that no two elements share a place, "
              "got " +
              Twine(strides[dim]))
          .str();
    span += (shape[dim] - 1) * strides[dim];
  }
  return std::nullopt;
}

std::optional<std::string>
mlir::mirage::explainBadStrides(ArrayRef<int64_t> shape,
                                ArrayRef<int64_t> strides, bool isWritten) {
  if (strides.size() != shape.size())
    return ("expects a stride for each of " + Twine(shape.size()) +
            " dimensions, got " + Twine(strides.size()))
        .str();
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size < 1)
      return ("expects a size of at least 1 along dimension " + Twine(dim) +
              ", got " + Twine(size))
          .str();
  for (auto [dim, stride] : llvm::enumerate(strides))
    if (stride < 0)
      return ("expects a stride of at least 0 along dimension " + Twine(dim) +
              ", got " + Twine(stride))
          .str();
  if (!hasMaxSpan(shape, strides))
    return "expects elements within 2^50 of the first one, got strides " +
           toString(strides);
  return isWritten ? explainOverlap(shape, strides) : std::nullopt;
}

namespace {
/// Elements at equal distances.
struct Run {
  int64_t size, stride;
};
} // namespace

/// The longest runs of which a tensor consists, the innermost last.
static llvm::SmallVector<Run> findRuns(ArrayRef<int64_t> shape,
                                       ArrayRef<int64_t> strides) {
  llvm::SmallVector<Run> runs;
  for (auto [size, stride] : llvm::zip_equal(shape, strides)) {
    if (size == 1)
      continue;
    if (!runs.empty() && runs.back().stride == size * stride)
      runs.back() = {runs.back().size * size, stride};
    else
      runs.push_back({size, stride});
  }
  return runs;
}

// Each new dimension lies within one run, or its elements would not be equally
// distant.
std::optional<Strides>
mlir::mirage::reshapeStrides(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
                             ArrayRef<int64_t> newShape) {
  llvm::SmallVector<Run> runs = findRuns(shape, strides);
  Strides result(newShape.size());
  Run run{1, 1};
  for (size_t dim = newShape.size(); dim-- > 0;) {
    if (newShape[dim] > 1 && run.size == 1)
      run = runs.pop_back_val();
    if (run.size % newShape[dim] != 0)
      return std::nullopt;
    result[dim] = run.stride;
    run = {run.size / newShape[dim], run.stride * newShape[dim]};
  }
  return result;
}
