//===- NameOperations.cpp - Locations that say which op code is for -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Dialect/Operator/OperationNames.h"
#include "Mirage/Transforms/Passes.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_NAMEOPERATIONSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

namespace {
struct NameOperationsPass
    : mirage::impl::NameOperationsPassBase<NameOperationsPass> {
  void runOnOperation() override {
    unsigned number = 0;
    getOperation()->walk<WalkOrder::PreOrder>([&](kernel::GraphOp graph) {
      graph.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (!findNamedOperation(op->getLoc()))
          op->setLoc(nameAfter(op, number++));
      });
    });
  }
};
} // namespace
