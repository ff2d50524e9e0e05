//===- MoveElements.h - Where elements of a tile come from ------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_BLOCKTOGPU_MOVEELEMENTS_H
#define MIRAGE_LIB_CONVERSION_BLOCKTOGPU_MOVEELEMENTS_H

#include "BlockEmitter.h"

namespace mlir::mirage {

ArrayRef<int64_t> getTileShape(Value memref);

/// Coordinates of an operand for those of a result, by NumPy's rule.
SmallVector<Value> broadcastCoordinates(BlockEmitter &emitter,
                                        ValueRange coordinates,
                                        ArrayRef<int64_t> operandShape);

/// The element of a movement's result at some coordinates, in f32.
Value emitMovedElement(BlockEmitter &emitter, Opcode opcode,
                       const Attributes &attributes, ValueRange operands,
                       ValueRange coordinates);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_BLOCKTOGPU_MOVEELEMENTS_H
