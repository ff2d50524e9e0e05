//===- PadPlaces.h - What lies behind tiles ---------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_BLOCKTOGPU_PADPLACES_H
#define MIRAGE_LIB_CONVERSION_BLOCKTOGPU_PADPLACES_H

#include "BlockEmitter.h"
#include "EmitSchedule.h"

namespace mlir::mirage {

/// Writes zeros behind each place of a tile, up to where the next access of 16
/// bytes begins. LLVM joins reads of neighbours, and completes the last of them
/// to a whole access that begins in the tile: what it reads beyond, nothing
/// uses. It stays in the tile's place, whose alignment is larger, and should be
/// as well defined as the tile.
void emitPadding(BlockEmitter &emitter, const BlockSteps &steps,
                 const TilePlacement &placement);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_BLOCKTOGPU_PADPLACES_H
