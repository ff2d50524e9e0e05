//===- AddLoadingWarps.cpp - Warps that do nothing but load ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Analysis/LaunchSequence.h"
#include "Mirage/Analysis/LoadingWarps.h"
#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Analysis/TileForms.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Transforms/Passes.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_ADDLOADINGWARPSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

static int64_t getNumber(block::GraphOp graph, StringRef attribute) {
  auto number = graph->getAttrOfType<IntegerAttr>(attribute);
  return number ? number.getInt() : 0;
}

/// Whether four warps multiply together.
static bool hasWarpgroupProducts(block::GraphOp graph) {
  return graph.getBody()
      .walk([](thread::WgmmaOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

static LoadingWarps choose(block::GraphOp graph, const Target &target) {
  bool isFirstOfLaunch = graph->hasAttr(kResidentBlocksAttr);
  if (!isFirstOfLaunch || !graph->hasAttr(kHandsBackPlacesAttr) ||
      !hasWarpgroupProducts(graph))
    return {};
  BlockResources block;
  block.threads = graph.getThreads();
  block.sharedBytes = getNumber(graph, kSharedBytesAttr);
  block.rowRegisters = getNumber(graph, kRowRegistersAttr);
  return chooseLoadingWarps(block, ShapedType::getNumElements(graph.getGrid()),
                            target);
}

namespace {
struct AddLoadingWarpsPass
    : mirage::impl::AddLoadingWarpsPassBase<AddLoadingWarpsPass> {
  using AddLoadingWarpsPassBase::AddLoadingWarpsPassBase;

  void runOnOperation() override {
    FailureOr<std::string> name = resolveTarget(getOperation(), target);
    if (failed(name))
      return signalPassFailure();
    const Target gpu = llvm::cantFail(getTarget(*name));
    getOperation()->walk([&](block::GraphOp graph) {
      annotate(graph, addsLoadingWarps ? choose(graph, gpu) : LoadingWarps());
    });
  }
};
} // namespace
