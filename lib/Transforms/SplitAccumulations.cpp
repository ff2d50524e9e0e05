//===- SplitAccumulations.cpp - Tiles are reduced, then joined ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Dialect/Block/IR/ReductionParts.h"
#include "Mirage/Graph/LevelRules.h"
#include "Mirage/Layout/WorkFragments.h"
#include "Mirage/Planning/RegisterBudget.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_SPLITACCUMULATIONSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

/// Registers of f32 that a thread of a step on a tile has, of whose items it
/// may have one more than others.
static int64_t countMostRegisters(RankedTensorType tile, int64_t threads) {
  int64_t even = llvm::divideCeil(tile.getNumElements(), threads);
  bool isEven = llvm::isPowerOf2_64(threads);
  return isEven ? even : even + RunLengths().longest - 1;
}

/// Whether the threads of a block have registers for a tile that its loop
/// accumulates.
static bool haveRegisters(block::AccumulateOp op) {
  auto graph = dyn_cast<block::GraphOp>(op->getParentOp());
  if (!graph || graph.getLoop() == 1 || op.getAxis() != AxisKind::Loop)
    return false;
  auto tile = cast<RankedTensorType>(op.getOperand().getType());
  int64_t threads = graph.getThreads();
  return countMostRegisters(tile, threads) <=
         RegisterBudget(threads).getForSums(SumSource::Others);
}

/// Whether an accumulation adds up an input element by element, no more of them
/// than threads have registers for.
static bool canGrowInRegisters(block::AccumulateOp op) {
  return isa<BlockArgument>(op.getOperand()) &&
         accumulatesElements(readOperatorAttributes(op),
                             /*numOperands=*/1) &&
         haveRegisters(op);
}

/// Puts a step before it that leaves the tile in registers as f32.
static void loadIntoRegisters(block::AccumulateOp op) {
  OpBuilder builder(op);
  auto tile = cast<RankedTensorType>(op.getOperand().getType());
  op.getOperandMutable().assign(block::CastOp::create(
      builder, op.getLoc(), tile.clone(builder.getF32Type()), op.getOperand()));
}

namespace {
struct SplitAccumulationsPass
    : mirage::impl::SplitAccumulationsPassBase<SplitAccumulationsPass> {
  void runOnOperation() override {
    // Warps reduce the tiles of a variance already.
    getOperation()->walk([](block::AccumulateOp op) {
      if (op.getAxis() == AxisKind::Loop)
        block::reduceBeforeJoining(op);
    });
    // Sums stay in registers; others are divided where their tile lies.
    getOperation()->walk([](block::AccumulateOp op) {
      if (haveRegisters(op))
        block::sumBeforeAveraging(op);
    });
    getOperation()->walk([](block::AccumulateOp op) {
      if (canGrowInRegisters(op))
        loadIntoRegisters(op);
    });
  }
};
} // namespace
