//===- ComputeTiles.h - Any operator, element by element --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops in which the threads of a block share out the elements of a result and
// each computes its own from the operator table's definition. Right for every
// operator and every tile; fast for none. Operators that warps can do better
// together are `mirage_thread.graph`s by the time this runs.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_BLOCKTOGPU_COMPUTETILES_H
#define MIRAGE_LIB_CONVERSION_BLOCKTOGPU_COMPUTETILES_H

#include "BlockEmitter.h"

namespace mlir::mirage {

/// Computes the tile of an op's result.
void emitCompute(BlockEmitter &emitter, OperatorOpInterface op);

/// The three steps of an accumulator: the neutral element; one more value, its
/// reduced dimensions joined; what the reduction does to the joined value.
void emitInit(BlockEmitter &emitter, block::AccumulateOp op);
void emitUpdate(BlockEmitter &emitter, block::AccumulateOp op);
void emitFinish(BlockEmitter &emitter, block::AccumulateOp op);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_BLOCKTOGPU_COMPUTETILES_H
