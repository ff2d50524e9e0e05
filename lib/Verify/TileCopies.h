//===- TileCopies.h - Strided copies of tensors and tiles -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_TILECOPIES_H
#define MIRAGE_LIB_VERIFY_TILECOPIES_H

#include "Mirage/Algebra/FieldKernels.h"
#include "Mirage/Graph/Strides.h"
#include "OffsetWalk.h"
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
  if (words == kernels::kLanes) {
    // Of a size that is known, so that short rows take no call each.
    for (int64_t i = 0; i < length; ++i)
      std::memcpy(to + i * kernels::kLanes, from + i * stride * kernels::kLanes,
                  kernels::kLanes * sizeof(uint32_t));
  } else if (stride == 1) {
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

/// The rows of tiles that lie inside a tensor.
class TileRows {
public:
  TileRows(llvm::ArrayRef<int64_t> tile, llvm::ArrayRef<int64_t> tensor)
      : tile(tile), tensor(tensor), tileStrides(getRowMajorStrides(tile)),
        tensorStrides(getRowMajorStrides(tensor)) {}

  /// Whether the tile at `origin` leaves the tensor.
  bool isPartial(llvm::ArrayRef<int64_t> origin) const {
    for (size_t dim = 0; dim < tile.size(); ++dim)
      if (origin[dim] + tile[dim] > tensor[dim])
        return true;
    return false;
  }

  /// Calls `visit(tile offset, tensor offset, length)`, in elements, for every
  /// row of the tile at `origin` as far as it lies inside the tensor. Rows that
  /// follow one another in both are one.
  template <typename Visit>
  void forEach(llvm::ArrayRef<int64_t> origin, Visit &&visit) const {
    Shape box(tile.size());
    for (size_t dim = 0; dim < tile.size(); ++dim) {
      box[dim] = std::min(tile[dim], tensor[dim] - origin[dim]);
      if (box[dim] <= 0)
        return;
    }
    size_t outer = tile.size();
    int64_t length = 1;
    do
      length *= box[--outer];
    while (outer > 0 && box[outer] == tile[outer] &&
           box[outer] == tensor[outer]);
    forEachInBox(llvm::ArrayRef(box).take_front(outer), 0,
                 mirage::getOffset(origin, tensorStrides),
                 [&](size_t inTile, size_t inTensor) {
                   visit(inTile, inTensor, length);
                 });
  }

  /// Reads the tile at `origin`, with `zero` where it leaves the tensor.
  /// \param getRow  where elements from an offset in the tensor on are, as far
  ///                as the tensor's row goes.
  template <typename GetRow>
  void copy(uint32_t *to, llvm::ArrayRef<int64_t> origin, const uint32_t *zero,
            unsigned words, GetRow &&getRow) const {
    if (isPartial(origin))
      copyRow(to, zero, countElements(tile), /*stride=*/0, words);
    forEach(origin, [&](size_t tileRow, size_t tensorRow, size_t length) {
      copyRow(to + tileRow * words, getRow(tensorRow), length, /*stride=*/1,
              words);
    });
  }

private:
  /// Calls `visit(tile offset, tensor offset)` for every index of a box of the
  /// first dimensions, from dimension `dim` on.
  template <typename Visit>
  void forEachInBox(llvm::ArrayRef<int64_t> box, size_t inTile, size_t inTensor,
                    Visit &&visit, size_t dim = 0) const {
    if (dim == box.size())
      return visit(inTile, inTensor);
    for (int64_t i = 0; i < box[dim]; ++i)
      forEachInBox(box, inTile + i * tileStrides[dim],
                   inTensor + i * tensorStrides[dim], visit, dim + 1);
  }

  llvm::ArrayRef<int64_t> tile, tensor;
  Strides tileStrides, tensorStrides;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_TILECOPIES_H
