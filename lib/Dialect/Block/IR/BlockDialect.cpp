//===- BlockDialect.cpp - The block level ---------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Operator/BytecodeVersion.h"
#include "Mirage/Dialect/Operator/Canonicalization.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::mirage;
using namespace mlir::mirage::block;

#include "Mirage/Dialect/Block/IR/BlockDialect.cpp.inc"

#define GET_OP_CLASSES
#include "Mirage/Dialect/Block/IR/BlockOps.cpp.inc"

void MirageBlockDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Mirage/Dialect/Block/IR/BlockOps.cpp.inc"
      >();
  mirage::addOperatorFolds(*this);
  // Version 1 has nothing to be upgraded from.
  addInterface<mirage::VersionedBytecode>(ArrayRef<mirage::UpgradeStep>());
}

void MirageBlockDialect::getCanonicalizationPatterns(
    RewritePatternSet &patterns) const {
  mirage::populateOperatorCanonicalizationPatterns(patterns, getNamespace());
}

unsigned GraphOp::getNumThreads() { return getThreads(); }
