//===- HeldMasks.h - Masks of what warps hold -------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mask counts elements of the whole tensor, so what it hides depends on where
// the block stands and on the iteration, which steps of warps do not know. Of
// what is held in registers it replaces elements there, each lane those whose
// coordinates the layout gives (Mirage/Layout/LinearLayout.h):
//
//   %p = mirage_thread.graph ... {mirage.held}       scores, in registers
//   %m = mirage_block.causal_mask %p {mirage.held}   in the same registers
//
// A tile of which nothing is hidden is left alone, by all threads of the block.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_BLOCKTOGPU_HELDMASKS_H
#define MIRAGE_LIB_CONVERSION_BLOCKTOGPU_HELDMASKS_H

#include "BlockEmitter.h"

namespace mlir::mirage {

/// What a `mask` or `causal_mask` makes of a tile that is held.
/// \param held  a tensor with a layout.
Value emitHeldMask(BlockEmitter &emitter, Operation *op, Value held);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_BLOCKTOGPU_HELDMASKS_H
