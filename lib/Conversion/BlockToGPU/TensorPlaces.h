//===- TensorPlaces.h - Tiles that stay in device memory --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What bypasses shared memory (Mirage/Analysis/BypassingTiles.h) is read or
// written where it lies in its tensor. The last tiles may end beyond it, and a
// look at the edge with each access would cost all blocks what few need, so
// there are two versions of a step:
//
//   scf.if %ends_inside {        %block · 4 <= 333, say
//     mirage_thread.graph ins(%place)
//   } else {
//     %clipped = mirage_thread.clip %place dims [0] to [%rows] multiples [1]
//     mirage_thread.graph ins(%clipped)
//   }
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_BLOCKTOGPU_TENSORPLACES_H
#define MIRAGE_LIB_CONVERSION_BLOCKTOGPU_TENSORPLACES_H

#include "BlockEmitter.h"

namespace mlir::mirage {

/// Of type i1: whether the block's tiles of these values, which bypass shared
/// memory, end inside their tensors. Null where those of all blocks do.
Value emitEndsInside(BlockEmitter &emitter, ValueRange values);

/// Where the block's tile of a value that bypasses shared memory lies in its
/// tensor: of the tensor's element type, on what is known of its alignment
/// (memref.assume_alignment).
/// \param isClipped  whether it may end beyond the tensor.
Value emitPlace(BlockEmitter &emitter, Value value, Value tensor,
                bool isClipped);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_BLOCKTOGPU_TENSORPLACES_H
