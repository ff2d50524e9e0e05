//===- TileCopy.h - Cuts tiles out and puts them back --------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_REFERENCE_TILECOPY_H
#define MIRAGE_LIB_REFERENCE_TILECOPY_H

#include "TensorOperations.h"

namespace mlir::mirage {

/// The tile of the given shape that starts at `origin`; zero where it hangs
/// over the tensor's edge.
Tensor cutTile(const Tensor &tensor, llvm::ArrayRef<int64_t> origin,
               llvm::ArrayRef<int64_t> shape);

/// Writes, or adds, those elements of a tile that the tensor has.
void pasteTile(const Tensor &tile, llvm::ArrayRef<int64_t> origin, bool adds,
               Tensor &tensor);

/// A copy in which elements from `end` on along `dim` are `value`.
Tensor maskFrom(const Tensor &tile, unsigned dim, int64_t end, double value);

/// A copy in which elements (i, j) of the last two dimensions with
/// j > i + diagonal are minus infinity.
Tensor maskAbove(const Tensor &tile, int64_t diagonal);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_REFERENCE_TILECOPY_H
