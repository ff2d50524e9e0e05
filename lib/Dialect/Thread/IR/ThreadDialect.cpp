//===- ThreadDialect.cpp - The thread level -------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Operator/BytecodeVersion.h"
#include "Mirage/Dialect/Operator/Canonicalization.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::mirage;
using namespace mlir::mirage::thread;

#include "Mirage/Dialect/Thread/IR/ThreadDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Mirage/Dialect/Thread/IR/ThreadAttributes.cpp.inc"

#define GET_OP_CLASSES
#include "Mirage/Dialect/Thread/IR/ThreadOps.cpp.inc"

/// By the version that is upgraded from.
static constexpr mirage::UpgradeStep kUpgradeSteps[] = {
    // 2: accumulations that rescale, and arguments of graphs that are windows.
    // What is valid of version 1 means the same.
    [](Operation *) { return success(); },
};

void MirageThreadDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Mirage/Dialect/Thread/IR/ThreadOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Mirage/Dialect/Thread/IR/ThreadAttributes.cpp.inc"
      >();
  mirage::addOperatorFolds(*this);
  addInterface<mirage::VersionedBytecode>(
      ArrayRef<mirage::UpgradeStep>(kUpgradeSteps));
}

unsigned GraphOp::getNumThreads() { return getThreads(); }

/// On tensors a thread graph is pure; on memrefs it reads its inputs and writes
/// its outputs.
void GraphOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &input : getInputsMutable())
    if (isa<MemRefType>(input.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &input);
  for (OpOperand &init : getInitsMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &init);
}
