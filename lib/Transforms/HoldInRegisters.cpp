//===- HoldInRegisters.cpp - Sums over the loop grow in registers ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/STLExtras.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_HOLDINREGISTERSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

/// Warps that have no item would repeat those of others, and read all that they
/// read once more.
static bool hasWorkForAllWarps(RankedTensorType held) {
  LinearLayout layout = *thread::getFragmentLayout(held);
  return llvm::all_of(
      layout.getBases(LayoutInput::Warp), [](const Coordinates &image) {
        return llvm::any_of(image,
                            [](int64_t coordinate) { return coordinate != 0; });
      });
}

/// What is held no ldmatrix reads.
static void readInPlace(Value held) {
  IRRewriter rewriter(held.getContext());
  for (OpOperand &use : held.getUses()) {
    auto reader = dyn_cast<thread::GraphOp>(use.getOwner());
    if (!reader)
      continue;
    BlockArgument window = reader.getBody().getArgument(use.getOperandNumber());
    for (Operation *load : llvm::make_early_inc_range(window.getUsers())) {
      if (!isa<thread::LdmatrixOp>(load))
        continue;
      rewriter.setInsertionPoint(load);
      rewriter.replaceOpWithNewOp<thread::LoadOp>(
          load, load->getResult(0).getType(), window);
    }
  }
}

/// Rows that go from step to step, of which --mirage-give-rows-to-warps has
/// seen to it that there are registers.
static void holdRows(block::GraphOp graph) {
  for (auto op : graph.getBody().getOps<thread::GraphOp>()) {
    if (!op->hasAttr(kWholeRowsAttr) || op->getNumResults() != 1 ||
        llvm::errorToBool(verifyHeld(op.getResult(0))))
      continue;
    op->setAttr(kHeldAttr, UnitAttr::get(graph.getContext()));
    readInPlace(op.getResult(0));
  }
}

static void holdInRegisters(block::GraphOp graph) {
  holdRows(graph);
  int64_t numFree = countFreeRegisters(graph.getThreads());
  UnitAttr held = UnitAttr::get(graph.getContext());
  for (auto op : graph.getBody().getOps<block::AccumulateOp>()) {
    if (!canCarry(op) || isCarriedSum(op.getResult()))
      continue;
    RankedTensorType type = getHeldType(op.getOperand());
    if (!type || !hasWorkForAllWarps(type))
      continue;
    int64_t numRegisters = thread::getFragmentLayout(type)->getNumRegisters();
    if (numRegisters > numFree)
      continue;
    numFree -= numRegisters;
    op.getOperand().getDefiningOp()->setAttr(kHeldAttr, held);
  }
}

namespace {
struct HoldInRegistersPass
    : mirage::impl::HoldInRegistersPassBase<HoldInRegistersPass> {
  void runOnOperation() override {
    getOperation()->walk([](block::GraphOp graph) { holdInRegisters(graph); });
  }
};
} // namespace
