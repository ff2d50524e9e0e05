//===- TileCopy.cpp - Cuts tiles out of tensors and puts them back --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileCopy.h"
#include "llvm/ADT/STLFunctionalExtras.h"

using namespace mlir::mirage;

/// Calls `body(tileOffset, tensorOffset, count)` for each row of a tile that
/// lies in the tensor, cut off at the tensor's edge.
static void
forEachRow(llvm::ArrayRef<int64_t> tileShape, llvm::ArrayRef<int64_t> origin,
           llvm::ArrayRef<int64_t> tensorShape,
           llvm::function_ref<void(int64_t tile, int64_t tensor, int64_t count)>
               body) {
  size_t last = tileShape.size() - 1;
  int64_t count = std::min(tileShape[last], tensorShape[last] - origin[last]);
  if (count <= 0)
    return;
  int64_t rows = 1;
  for (size_t dim = 0; dim < last; ++dim)
    rows *= tileShape[dim];
  Shape strides = getRowMajorStrides(tensorShape);
  for (int64_t row = 0; row < rows; ++row) {
    int64_t offset = origin[last];
    bool isInside = true;
    for (size_t dim = last, rest = row; dim-- > 0; rest /= tileShape[dim]) {
      int64_t coordinate = origin[dim] + rest % tileShape[dim];
      isInside &= coordinate < tensorShape[dim];
      offset += coordinate * strides[dim];
    }
    if (isInside)
      body(row * tileShape[last], offset, count);
  }
}

Tensor mlir::mirage::cutTile(const Tensor &tensor,
                             llvm::ArrayRef<int64_t> origin,
                             llvm::ArrayRef<int64_t> shape) {
  Tensor tile = Tensor::fill(shape, 0);
  forEachRow(shape, origin, tensor.shape,
             [&](int64_t into, int64_t from, int64_t count) {
               std::copy_n(&tensor.data[from], count, &tile.data[into]);
             });
  return tile;
}

void mlir::mirage::pasteTile(const Tensor &tile, llvm::ArrayRef<int64_t> origin,
                             bool adds, Tensor &tensor) {
  forEachRow(tile.shape, origin, tensor.shape,
             [&](int64_t from, int64_t into, int64_t count) {
               for (int64_t i = 0; i < count; ++i)
                 tensor.data[into + i] =
                     tile.data[from + i] + (adds ? tensor.data[into + i] : 0.0);
             });
}

Tensor mlir::mirage::maskFrom(const Tensor &tile, unsigned dim, int64_t end,
                              double value) {
  Tensor masked = Tensor::allocate(tile.shape);
  int64_t stride = getRowMajorStrides(tile.shape)[dim];
  for (int64_t i = 0, count = tile.getNumElements(); i < count; ++i)
    masked.data[i] = i / stride % tile.shape[dim] < end ? tile.data[i] : value;
  return masked;
}

Tensor mlir::mirage::maskAbove(const Tensor &tile, int64_t diagonal) {
  Tensor masked = Tensor::allocate(tile.shape);
  int64_t columns = tile.shape.back(), rows = tile.shape.rbegin()[1];
  for (int64_t i = 0, count = tile.getNumElements(); i < count; ++i) {
    bool isKept = i % columns <= i / columns % rows + diagonal;
    masked.data[i] = isKept ? tile.data[i] : getNeutral(Combiner::Max);
  }
  return masked;
}
