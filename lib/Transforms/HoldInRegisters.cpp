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
/// seen to it that there are registers. What is held may need others to be, so
/// all are at first, and those drop out that cannot. \returns whether any are.
static bool holdRows(block::GraphOp graph) {
  SmallVector<Operation *> rows;
  for (auto op : graph.getBody().getOps<thread::GraphOp>())
    if (op->hasAttr(kWholeRowsAttr) && op->getNumResults() == 1)
      rows.push_back(op);
  UnitAttr held = UnitAttr::get(graph.getContext());
  for (Operation *op : rows)
    op->setAttr(kHeldAttr, held);
  auto isHeldInVain = [](Operation *op) {
    bool cannot = llvm::errorToBool(verifyHeld(op->getResult(0)));
    if (cannot)
      op->removeAttr(kHeldAttr);
    return cannot;
  };
  while (size_t before = rows.size()) {
    llvm::erase_if(rows, isHeldInVain);
    if (rows.size() == before)
      break;
  }
  for (Operation *op : rows)
    readInPlace(op->getResult(0));
  // A maximum that nobody needs behind the loop needs no place there.
  for (auto op : graph.getBody().getOps<block::AccumulateOp>())
    if (op.use_empty() && isCarriedSum(op.getResult()))
      op->setAttr(kHeldAttr, held);
  return !rows.empty();
}

static void holdInRegisters(block::GraphOp graph) {
  // Rows have another budget, of which operands and addresses take a part.
  int64_t numFree = countFreeRegisters(graph.getThreads());
  if (holdRows(graph))
    numFree = 0;
  UnitAttr held = UnitAttr::get(graph.getContext());
  for (auto op : graph.getBody().getOps<block::AccumulateOp>()) {
    bool isAlone =
        op.getOperand().hasOneUse() && (op.getRescale() || growsWithParts(op));
    if (!isAlone || !canCarry(op) || isCarriedSum(op.getResult()))
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
