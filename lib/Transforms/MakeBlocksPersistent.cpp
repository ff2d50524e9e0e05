//===- MakeBlocksPersistent.cpp - Blocks that go on with others -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Analysis/LaunchSequence.h"
#include "Mirage/Analysis/LoadingWarps.h"
#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Analysis/Multicast.h"
#include "Mirage/Analysis/PersistentBlocks.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Planning/BlocksToLaunch.h"
#include "Mirage/Transforms/Passes.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_MAKEBLOCKSPERSISTENTPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

/// Another plan of shared memory, in which rings have their places to
/// themselves. \returns failure where that is too large, and nothing changes.
static LogicalResult planAnew(block::GraphOp kernel, const Target &target) {
  BlockSteps steps(kernel);
  llvm::Expected<SmallVector<TileForm>> forms = steps.readForms();
  if (!forms) {
    llvm::consumeError(forms.takeError());
    return failure();
  }
  StoragePlan plan =
      planStorage(steps.makeStorageProblem(steps.readSchedule(), *forms));
  if (plan.sizeBytes > target.sharedBytesPerBlock)
    return failure();
  steps.statePlan(plan);
  return success();
}

/// Whether products, and sums of them, are all that the loop computes.
static bool onlyMultiplies(block::GraphOp kernel) {
  DenseMap<Value, Phase> phases =
      computePhases(cast<TileGraphOpInterface>(kernel.getOperation()));
  auto multiplies = [](Operation &op) {
    auto step = dyn_cast<thread::GraphOp>(op);
    return isa<block::AccumulateOp>(op) ||
           (step && !step.getBody().getOps<thread::WgmmaOp>().empty());
  };
  return llvm::all_of(
      kernel.getBody().front().without_terminator(), [&](Operation &op) {
        return getExecutionPhase(&op, phases) != Phase::Loop || multiplies(op);
      });
}

/// Takes back what was decided before, and what was planned for it.
static void forget(block::GraphOp kernel, const Target &target) {
  dropMulticastCluster(kernel);
  if (kernel->removeAttr(kPersistentBlocksAttr))
    (void)planAnew(kernel, target);
}

static void decide(Launch &launch, const Target &target) {
  block::GraphOp kernel = launch.kernels.front();
  int64_t numBlocks = ShapedType::getNumElements(launch.getGrid());
  std::optional<int64_t> blocks =
      choosePersistentBlocks(numBlocks, onlyMultiplies(kernel), target);
  if (!blocks || launch.kernels.size() > 1 ||
      !kernel->hasAttr(kLoadingWarpsAttr))
    return;
  kernel->setAttr(kPersistentBlocksAttr,
                  Builder(kernel.getContext()).getI64IntegerAttr(*blocks));
  if (failed(planAnew(kernel, target)))
    kernel->removeAttr(kPersistentBlocksAttr);
}

namespace {
struct MakeBlocksPersistentPass
    : mirage::impl::MakeBlocksPersistentPassBase<MakeBlocksPersistentPass> {
  using MakeBlocksPersistentPassBase::MakeBlocksPersistentPassBase;

  void runOnOperation() override {
    for (Operation *program : findPrograms(getOperation())) {
      FailureOr<std::string> name = resolveTarget(program, target);
      if (failed(name))
        return signalPassFailure();
      const Target gpu = llvm::cantFail(getTarget(*name));
      program->walk([&](block::GraphOp kernel) { forget(kernel, gpu); });
      forgetEarlyLaunches(program);
      FailureOr<LaunchSequence> sequence = LaunchSequence::read(program);
      if (failed(sequence))
        return signalPassFailure();
      if (!makesPersistent)
        continue;
      for (Launch launch : sequence->getLaunches())
        decide(launch, gpu);
    }
  }
};
} // namespace
