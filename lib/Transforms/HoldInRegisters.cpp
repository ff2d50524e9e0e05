//===- HoldInRegisters.cpp - Sums over the loop grow in registers ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Planning/Target.h"
#include "Mirage/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_HOLDINREGISTERSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

/// Of the registers that a thread can have, what else it computes with needs as
/// many.
static int64_t countFreeRegisters(block::GraphOp graph, const Target &target) {
  return target.getRegistersPerThread(graph.getThreads()) / 2;
}

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

static void holdInRegisters(block::GraphOp graph, const Target &target) {
  int64_t numFree = countFreeRegisters(graph, target);
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
  using HoldInRegistersPassBase::HoldInRegistersPassBase;

  void runOnOperation() override {
    FailureOr<std::string> name = resolveTarget(getOperation(), target);
    if (failed(name))
      return signalPassFailure();
    Target gpu = llvm::cantFail(getTarget(*name));
    getOperation()->walk(
        [&](block::GraphOp graph) { holdInRegisters(graph, gpu); });
  }
};
} // namespace
