//===- BlockBarrier.cpp - Where threads of a block meet -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockBarrier.h"
#include "BlockEmitter.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::mirage;

// Barrier 0 is that of all threads, and MLIR's name for it is gpu.barrier; its
// op for others reduces over all threads alone.

SmallVector<Value, 2>
BlockBarrier::getOperands(ImplicitLocOpBuilder &builder) const {
  if (!numThreads)
    return {emitI32(builder, /*value=*/0)};
  return {emitI32(builder, /*value=*/1), emitI32(builder, *numThreads)};
}

void BlockBarrier::emit(ImplicitLocOpBuilder &builder) const {
  if (!numThreads) {
    gpu::BarrierOp::create(builder);
    return;
  }
  SmallVector<Value, 2> operands = getOperands(builder);
  NVVM::BarrierOp::create(builder, /*resultTypes=*/TypeRange(), operands[0],
                          operands[1], NVVM::BarrierReductionAttr(),
                          /*reductionPredicate=*/Value());
}

Value BlockBarrier::emitAny(ImplicitLocOpBuilder &builder,
                            Value predicate) const {
  SmallVector<Value, 2> operands = getOperands(builder);
  operands.push_back(predicate);
  StringRef name = numThreads ? "llvm.nvvm.barrier.cta.red.or.aligned.count"
                              : "llvm.nvvm.barrier.cta.red.or.aligned.all";
  return LLVM::CallIntrinsicOp::create(builder, builder.getI1Type(),
                                       builder.getStringAttr(name), operands)
      .getResult(0);
}
