//===- MoveTiles.h - Between device and shared memory -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_BLOCKTOGPU_MOVETILES_H
#define MIRAGE_LIB_CONVERSION_BLOCKTOGPU_MOVETILES_H

#include "BlockEmitter.h"

namespace mlir::mirage {

/// Copies the tile of input `input` at the current coordinates into shared
/// memory; elements beyond the tensor become zero.
void emitLoad(BlockEmitter &emitter, unsigned input, Value tensor, Value tile);

/// Writes a tile to its place in output `output`, rounded to the tensor's
/// element type; elements beyond the tensor are left out. Where several blocks
/// hold the same tile, the first along that axis writes.
void emitStore(BlockEmitter &emitter, unsigned output, Value tensor,
               Value tile);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_BLOCKTOGPU_MOVETILES_H
