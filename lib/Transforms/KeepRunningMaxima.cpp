//===- KeepRunningMaxima.cpp - What rescaled sums are relative to ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_KEEPRUNNINGMAXIMAPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

/// The one running maximum of a value, behind a sum: what the graph has of them
/// already, or a new one.
static void keepRunningMaximum(Value value, block::AccumulateOp sum) {
  SmallVector<block::AccumulateOp> maxima = llvm::filter_to_vector(
      sum->getBlock()->getOps<block::AccumulateOp>(),
      [&](block::AccumulateOp op) { return isRunningMaximum(op, value); });
  if (maxima.empty()) {
    OpBuilder builder(sum->getContext());
    builder.setInsertionPointAfter(sum);
    block::AccumulateOp::create(builder, sum.getLoc(), value,
                                /*rescale=*/Value(), AxisKind::Loop,
                                ReductionKind::Max, /*dims=*/nullptr,
                                /*count=*/nullptr);
    return;
  }
  block::AccumulateOp kept = maxima.front();
  kept->moveAfter(sum);
  for (block::AccumulateOp other : ArrayRef(maxima).drop_front()) {
    other.getResult().replaceAllUsesWith(kept.getResult());
    other.erase();
  }
  // Users go on after the loop, and so nothing that the sum reads is one.
  sortTopologically(kept->getBlock());
}

static void keepRunningMaxima(block::GraphOp graph) {
  llvm::MapVector<Value, block::AccumulateOp> lastSums;
  for (auto op : graph.getBody().getOps<block::AccumulateOp>())
    if (op.getRescale() && op.getAxis() == AxisKind::Loop)
      lastSums[op.getRescale()] = op;
  for (auto [value, sum] : lastSums)
    keepRunningMaximum(value, sum);
}

namespace {
struct KeepRunningMaximaPass
    : mirage::impl::KeepRunningMaximaPassBase<KeepRunningMaximaPass> {
  void runOnOperation() override {
    getOperation()->walk(
        [](block::GraphOp graph) { keepRunningMaxima(graph); });
  }
};
} // namespace
