//===- Strides.h - Where elements of a tensor lie in memory -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element (i0, i1, ...) of a tensor in device memory lies i0 · strides[0] +
// i1 · strides[1] + ... elements behind its first one. Of a 4x6 tensor, strides
//
//   [6, 1]  are row-major, without gaps
//   [8, 1]  leave a gap of two elements behind each row
//   [1, 4]  are column-major: the transposed of what is 6x4 and row-major
//   [0, 1]  show the same row four times
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_STRIDES_H
#define MIRAGE_GRAPH_STRIDES_H

#include "Mirage/Graph/TensorSpec.h"

namespace mlir::mirage {

/// Elements from one to the next, by dimension.
using Strides = llvm::SmallVector<int64_t, 4>;

Strides getRowMajorStrides(llvm::ArrayRef<int64_t> shape);
/// Whether elements lie so; the stride of a dimension of size 1 is any.
bool isRowMajor(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides);

/// Elements from the first through the last one, gaps between them included.
int64_t getSpan(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides);

/// What is wrong with strides, as "expects ..., got ..."; nothing if they are
/// fine.
/// \param isWritten  of a result: each element then has a place of its own.
///                   The dimensions, ordered by stride, must lie inside one
///                   another, or else one cannot tell.
std::optional<std::string> explainBadStrides(llvm::ArrayRef<int64_t> shape,
                                             llvm::ArrayRef<int64_t> strides,
                                             bool isWritten);

/// The strides that show the same elements, in row-major order, in another
/// shape of as many; none where no strides do.
std::optional<Strides> reshapeStrides(llvm::ArrayRef<int64_t> shape,
                                      llvm::ArrayRef<int64_t> strides,
                                      llvm::ArrayRef<int64_t> newShape);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_STRIDES_H
