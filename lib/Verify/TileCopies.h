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

/// Copies `length` elements that are `stride` apart.
inline void copyRow(uint32_t *to, const uint32_t *from, int64_t length,
                    int64_t stride, unsigned words) {
  if (stride == 1) {
    std::memcpy(to, from, length * words * sizeof(uint32_t));
  } else if (words == 1) {
    for (int64_t i = 0; i < length; ++i)
      to[i] = from[i * stride];
  } else {
    for (int64_t i = 0; i < length; ++i)
      std::memcpy(to + i * words, from + i * stride * words,
                  words * sizeof(uint32_t));
  }
}

/// Copies the elements that `strides` pick into a row-major tensor of a shape.
inline void copyStrided(uint32_t *to, const uint32_t *from,
                        llvm::ArrayRef<int64_t> shape, const Strides &strides,
                        unsigned words) {
  forEachIndex(shape.drop_back(), [&](llvm::ArrayRef<int64_t> index) {
    copyRow(to, from + getOffset(index, strides) * words, shape.back(),
            strides.back(), words);
    to += shape.back() * words;
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
/// \param getRow  where elements from an offset in the tensor on are, as far as
///                the tensor's row goes.
template <typename GetRow>
void copyTile(uint32_t *to, llvm::ArrayRef<int64_t> tile,
              llvm::ArrayRef<int64_t> tensor, llvm::ArrayRef<int64_t> origin,
              const uint32_t *zero, unsigned words, GetRow &&getRow) {
  bool isPartial = false;
  for (size_t dim = 0; dim < tile.size(); ++dim)
    isPartial |= origin[dim] + tile[dim] > tensor[dim];
  if (isPartial)
    for (size_t i = 0; i < countElements(tile); ++i)
      std::memcpy(to + i * words, zero, words * sizeof(uint32_t));
  forEachTileRow(tile, tensor, origin,
                 [&](size_t tileRow, size_t tensorRow, size_t length) {
                   std::memcpy(to + tileRow * words, getRow(tensorRow),
                               length * words * sizeof(uint32_t));
                 });
}

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_TILECOPIES_H
