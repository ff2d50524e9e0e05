//===- TileCopies.h - Strided copies of tensors and tiles -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_TILECOPIES_H
#define MIRAGE_LIB_VERIFY_TILECOPIES_H

#include "Mirage/Graph/Strides.h"
#include <cstring>

namespace mlir::mirage {

inline size_t countElements(llvm::ArrayRef<int64_t> shape) {
  size_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

/// Strides that read a tensor of shape `from` as one of shape `to`, which it
/// broadcasts to: 0 along dimensions that stretch.
inline Strides getBroadcastStrides(llvm::ArrayRef<int64_t> from,
                                   llvm::ArrayRef<int64_t> to) {
  Strides own = getRowMajorStrides(from), strides(to.size(), 0);
  size_t missing = to.size() - from.size();
  for (size_t dim = 0; dim < from.size(); ++dim)
    strides[missing + dim] = from[dim] == 1 ? 0 : own[dim];
  return strides;
}

inline int64_t getOffset(llvm::ArrayRef<int64_t> index,
                         const Strides &strides) {
  int64_t offset = 0;
  for (size_t dim = 0; dim < index.size(); ++dim)
    offset += index[dim] * strides[dim];
  return offset;
}

/// Calls `visit(index)` for every index of a shape in row-major order.
template <typename Visit>
void forEachIndex(llvm::ArrayRef<int64_t> shape, Visit &&visit) {
  llvm::SmallVector<int64_t, 4> index(shape.size(), 0);
  if (countElements(shape) == 0)
    return;
  while (true) {
    visit(llvm::ArrayRef<int64_t>(index));
    size_t dim = shape.size();
    while (dim > 0 && ++index[dim - 1] == shape[dim - 1])
      index[--dim] = 0;
    if (dim == 0)
      return;
  }
}

/// Copies the elements that `strides` pick into a row-major tensor of a shape.
inline void copyStrided(uint32_t *to, const uint32_t *from,
                        llvm::ArrayRef<int64_t> shape, const Strides &strides,
                        unsigned words) {
  int64_t last = shape.back(), step = strides.back();
  forEachIndex(shape.drop_back(), [&](llvm::ArrayRef<int64_t> index) {
    const uint32_t *row = from + getOffset(index, strides) * words;
    if (step == 1) {
      std::memcpy(to, row, last * words * sizeof(uint32_t));
    } else if (words == 1) {
      for (int64_t i = 0; i < last; ++i)
        to[i] = row[i * step];
    } else {
      for (int64_t i = 0; i < last; ++i)
        std::memcpy(to + i * words, row + i * step * words,
                    words * sizeof(uint32_t));
    }
    to += last * words;
  });
}

/// Calls `visit(tile offset, tensor offset, length)`, in elements, for every
/// row of a tile at `origin` as far as it lies inside the tensor.
template <typename Visit>
void forEachTileRow(llvm::ArrayRef<int64_t> tile,
                    llvm::ArrayRef<int64_t> tensor,
                    llvm::ArrayRef<int64_t> origin, Visit &&visit) {
  Strides tileStrides = getRowMajorStrides(tile);
  Strides tensorStrides = getRowMajorStrides(tensor);
  int64_t length = std::min(tile.back(), tensor.back() - origin.back());
  if (length <= 0)
    return;
  forEachIndex(tile.drop_back(), [&](llvm::ArrayRef<int64_t> index) {
    int64_t offset = origin.back();
    for (size_t dim = 0; dim < index.size(); ++dim) {
      int64_t position = origin[dim] + index[dim];
      if (position >= tensor[dim])
        return;
      offset += position * tensorStrides[dim];
    }
    visit(getOffset(index, tileStrides), offset, length);
  });
}

/// Reads the tile at `origin`, with `zero` where it leaves the tensor.
inline void copyTile(uint32_t *to, llvm::ArrayRef<int64_t> tile,
                     const uint32_t *from, llvm::ArrayRef<int64_t> tensor,
                     llvm::ArrayRef<int64_t> origin, const uint32_t *zero,
                     unsigned words) {
  bool isPartial = false;
  for (size_t dim = 0; dim < tile.size(); ++dim)
    isPartial |= origin[dim] + tile[dim] > tensor[dim];
  if (isPartial)
    for (size_t i = 0; i < countElements(tile); ++i)
      std::memcpy(to + i * words, zero, words * sizeof(uint32_t));
  forEachTileRow(tile, tensor, origin,
                 [&](size_t tileRow, size_t tensorRow, size_t length) {
                   std::memcpy(to + tileRow * words, from + tensorRow * words,
                               length * words * sizeof(uint32_t));
                 });
}

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_TILECOPIES_H
