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

/// Whether an accumulation adds up, or averages, a tile element by element in
/// each iteration.
static bool joinsElementByElement(block::AccumulateOp op) {
  Attributes attributes = readOperatorAttributes(op);
  if (op.getAxis() != AxisKind::Loop || !attributes.dims.empty())
    return false;
  if (getOperatorInfo(attributes.reduction).averages())
    return block::findJoin(attributes.reduction).has_value();
  return isa<BlockArgument>(op.getOperand()) &&
         accumulatesElements(attributes, /*numOperands=*/1);
}

/// The accumulations that the threads of a block have registers for, one after
/// the other: those of averages, and of inputs that no step computes.
static SmallVector<block::AccumulateOp> findSums(block::GraphOp graph) {
  SmallVector<block::AccumulateOp> sums;
  if (graph.getLoop() == 1)
    return sums;
  int64_t threads = graph.getThreads();
  int64_t left = RegisterBudget(threads).getForSums(SumSource::Others);
  for (auto op : graph.getBody().getOps<block::AccumulateOp>()) {
    auto tile = cast<RankedTensorType>(op.getOperand().getType());
    int64_t registers = countMostRegisters(tile, threads);
    if (!joinsElementByElement(op) || registers > left)
      continue;
    left -= registers;
    sums.push_back(op);
  }
  return sums;
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
    // What grows in registers is divided there; others where their tile lies.
    getOperation()->walk([](block::GraphOp graph) {
      for (block::AccumulateOp op : findSums(graph)) {
        block::AccumulateOp sum = block::sumBeforeAveraging(op);
        if (isa<BlockArgument>(sum.getOperand()))
          loadIntoRegisters(sum);
      }
    });
  }
};
} // namespace
