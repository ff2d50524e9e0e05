//===- KernelDialect.cpp - The kernel level -------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::mirage::kernel;

#include "Mirage/Dialect/Kernel/IR/KernelDialect.cpp.inc"

#define GET_OP_CLASSES
#include "Mirage/Dialect/Kernel/IR/KernelOps.cpp.inc"

void MirageKernelDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Mirage/Dialect/Kernel/IR/KernelOps.cpp.inc"
      >();
}

YieldOp GraphOp::getYield() {
  return cast<YieldOp>(getBody().front().getTerminator());
}

LogicalResult GraphOp::verifyRegions() {
  // C1
  if (getBody().getArgumentTypes() != getInputs().getTypes())
    return emitOpError() << "expects region arguments of the inputs' types, ("
                         << getInputs().getTypes() << "), got ("
                         << getBody().getArgumentTypes() << ")";
  // C2
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield)
    return emitOpError()
           << "expects a region that ends with mirage_kernel.yield";
  if (getInits().empty())
    return emitOpError() << "expects at least one result, got none";
  if (yield.getOperandTypes() != getInits().getTypes())
    return yield.emitOpError()
           << "expects values of the results' types, (" << getInits().getTypes()
           << "), got (" << yield.getOperandTypes() << ")";
  return success();
}
