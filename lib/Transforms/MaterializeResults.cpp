//===- MaterializeResults.cpp - A kernel for each result ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Transforms/Passes.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_MATERIALIZERESULTSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

/// The value that a tensor has its bytes from: reshapes are views.
static Value getRoot(Value value) {
  while (auto reshape = value.getDefiningOp<kernel::ReshapeOp>())
    value = reshape.getOperand();
  return value;
}

/// Gives every value that is yielded a buffer of its own. A broadcast to the
/// same shape is a copy.
static void materializeResults(kernel::GraphOp graph) {
  Operation *yield = graph.getBody().front().getTerminator();
  OpBuilder builder(yield);
  llvm::DenseSet<Value> written;
  for (OpOperand &operand : yield->getOpOperands()) {
    Value root = getRoot(operand.get());
    if (!isa<BlockArgument>(root) && written.insert(root).second)
      continue;
    operand.set(kernel::BroadcastOp::create(
        builder, graph.getLoc(), operand.get().getType(), operand.get()));
  }
}

namespace {
struct MaterializeResultsPass
    : mirage::impl::MaterializeResultsPassBase<MaterializeResultsPass> {
  void runOnOperation() override { getOperation()->walk(materializeResults); }
};
} // namespace
