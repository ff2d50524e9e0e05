//===- HoldInRegisters.cpp - Sums over the loop grow in registers ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Transforms/Passes.h"
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

static void holdInRegisters(block::GraphOp graph) {
  int64_t numFree = countFreeRegisters(graph.getThreads());
  UnitAttr held = UnitAttr::get(graph.getContext());
  for (auto op : graph.getBody().getOps<block::AccumulateOp>()) {
    if (!canCarry(op))
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
