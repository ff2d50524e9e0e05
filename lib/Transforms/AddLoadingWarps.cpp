//===- AddLoadingWarps.cpp - Warps that do nothing but load ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/KernelResources.h"
#include "Mirage/Analysis/LaunchSequence.h"
#include "Mirage/Analysis/LoadingWarps.h"
#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Analysis/PersistentBlocks.h"
#include "Mirage/Analysis/TileForms.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Transforms/Passes.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_ADDLOADINGWARPSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

/// For the first kernel of a launch, whose blocks go on with the others.
static LogicalResult addLoadingWarps(Launch launch, const Target &target) {
  block::GraphOp first = launch.kernels.front();
  if (!first->hasAttr(kHandsBackPlacesAttr))
    return success();
  FailureOr<BlockResources> block = readResources(launch.kernels, target);
  if (failed(block))
    return failure();
  int64_t numBlocks = ShapedType::getNumElements(launch.getGrid());
  annotate(first, chooseLoadingWarps(*block, numBlocks, target));
  return success();
}

static LogicalResult addLoadingWarps(Operation *program, const Target &target) {
  FailureOr<LaunchSequence> sequence = LaunchSequence::read(program);
  if (failed(sequence))
    return failure();
  for (const Launch &launch : sequence->getLaunches())
    if (failed(addLoadingWarps(launch, target)))
      return failure();
  return success();
}

namespace {
struct AddLoadingWarpsPass
    : mirage::impl::AddLoadingWarpsPassBase<AddLoadingWarpsPass> {
  using AddLoadingWarpsPassBase::AddLoadingWarpsPassBase;

  void runOnOperation() override {
    if (failed(resolveTarget(getOperation(), target)))
      return signalPassFailure();
    getOperation()->walk(
        [](block::GraphOp graph) { annotate(graph, LoadingWarps()); });
    forgetEarlyLaunches(getOperation());
    if (addsLoadingWarps && failed(addToPrograms()))
      return signalPassFailure();
    // Persistent blocks are none without.
    getOperation()->walk([](block::GraphOp graph) {
      if (!graph->hasAttr(kLoadingWarpsAttr))
        graph->removeAttr(kPersistentBlocksAttr);
    });
  }

private:
  LogicalResult addToPrograms() {
    for (Operation *program : findPrograms(getOperation())) {
      FailureOr<std::string> name = resolveTarget(program, target);
      if (failed(name) ||
          failed(addLoadingWarps(program, llvm::cantFail(getTarget(*name)))))
        return failure();
    }
    return success();
  }
};
} // namespace
