//===- KernelDialect.cpp - The kernel level -------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Dialect/Operator/BytecodeVersion.h"
#include "Mirage/Dialect/Operator/Canonicalization.h"
#include "Mirage/Dialect/Operator/TileGraphInterface.h"
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
  mirage::addOperatorFolds(*this);
  // Version 1 has nothing to be upgraded from.
  addInterface<mirage::VersionedBytecode>(ArrayRef<mirage::UpgradeStep>());
}

void MirageKernelDialect::getCanonicalizationPatterns(
    RewritePatternSet &patterns) const {
  mirage::populateOperatorCanonicalizationPatterns(patterns, getNamespace());
}

YieldOp GraphOp::getYield() {
  return cast<YieldOp>(getBody().front().getTerminator());
}

/// A kernel: a row of the operator table at this level, or a block graph.
static bool isKernel(Operation &op) {
  if (auto tiles = dyn_cast<mirage::TileGraphOpInterface>(op))
    return tiles.getLevel() == mirage::Level::Block;
  return isa<mirage::OperatorOpInterface>(op) &&
         isa<MirageKernelDialect>(op.getDialect());
}

LogicalResult GraphOp::verifyRegions() {
  for (Operation &op : getBody().front().without_terminator())
    if (!isKernel(op))
      return op.emitOpError() << "expects to stand elsewhere: a kernel graph "
                                 "holds operators of mirage_kernel and block "
                                 "graphs";
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
