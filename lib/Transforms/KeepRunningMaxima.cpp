//===- KeepRunningMaxima.cpp - What rescaled sums are relative to ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_KEEPRUNNINGMAXIMAPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

/// One maximum for all sums that the same value rescales, behind the last one.
static void keepRunningMaxima(block::GraphOp graph) {
  llvm::MapVector<Value, block::AccumulateOp> lastSums;
  for (auto op : graph.getBody().getOps<block::AccumulateOp>())
    if (op.getRescale() && op.getAxis() == AxisKind::Loop)
      lastSums[op.getRescale()] = op;
  for (auto [value, sum] : lastSums) {
    OpBuilder builder(sum->getContext());
    builder.setInsertionPointAfter(sum);
    block::AccumulateOp::create(builder, sum.getLoc(), value,
                                /*rescale=*/Value(), AxisKind::Loop,
                                ReductionKind::Max, /*dims=*/nullptr,
                                /*count=*/nullptr);
  }
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
