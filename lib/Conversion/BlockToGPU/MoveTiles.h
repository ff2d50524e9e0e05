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
/// \param form  how the tile lies.
void emitLoad(BlockEmitter &emitter, unsigned input, Value tensor, Value tile,
              TileForm form);

/// The same, but the tile is there only once the thread has waited for its
/// copies: by cp.async, where accesses take 4, 8 or 16 bytes that lie together
/// in the tensor and in the tile. Others are made at once, as `emitLoad` does.
void emitLoadAhead(BlockEmitter &emitter, unsigned input, Value tensor,
                   Value tile, TileForm form);
/// Ends a group of such copies, which may be empty.
void emitCommitCopies(BlockEmitter &emitter);
/// Waits for the thread's own copies, but those of the youngest groups.
void emitWaitForCopies(BlockEmitter &emitter, int64_t numPendingGroups);

/// Writes a tile to its place in output `output`, rounded to the tensor's
/// element type; elements beyond the tensor are left out. Where several blocks
/// hold the same tile, the first along that axis writes.
void emitStore(BlockEmitter &emitter, unsigned output, Value tensor,
               Value tile);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_BLOCKTOGPU_MOVETILES_H
