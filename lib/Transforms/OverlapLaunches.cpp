//===- OverlapLaunches.cpp - Launches that begin early --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/KernelResources.h"
#include "Mirage/Analysis/LaunchSequence.h"
#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Planning/EarlyLaunch.h"
#include "Mirage/Planning/Target.h"
#include "Mirage/Transforms/Passes.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_OVERLAPLAUNCHESPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

/// Of a launch whose kernels are planned; or failure after an error.
static FailureOr<LaunchedBlocks> readBlocks(Launch &launch,
                                            const Target &target) {
  FailureOr<BlockResources> block = readResources(launch.kernels, target);
  if (failed(block))
    return failure();
  return LaunchedBlocks{
      launch.isPersistent() ? *launch.numPersistent
                            : ShapedType::getNumElements(launch.getGrid()),
      *block, ShapedType::getNumElements(launch.getCluster())};
}

/// Lets a dependent launch begin beside the one before it, where its blocks
/// come to lie evenly.
static LogicalResult admit(Launch &before, Launch &launch,
                           const Target &target) {
  FailureOr<LaunchedBlocks> blocksBefore = readBlocks(before, target);
  FailureOr<LaunchedBlocks> blocks = readBlocks(launch, target);
  if (failed(blocksBefore) || failed(blocks))
    return failure();
  std::optional<EarlyLaunch> early =
      planEarlyLaunch(*blocksBefore, *blocks, target);
  if (!early)
    return success();
  Builder builder(launch.kernels.front().getContext());
  before.kernels.front()->setAttr(kAdmitsNextLaunchAttr, builder.getUnitAttr());
  if (early->requestedBytes > 0)
    launch.kernels.front()->setAttr(
        kRequestedSharedBytesAttr,
        builder.getI64IntegerAttr(early->requestedBytes));
  return success();
}

/// What an earlier decision left goes before it is read: it may not hold any
/// more.
static LogicalResult overlapLaunches(Operation *program, const Target &target,
                                     bool overlaps) {
  forgetEarlyLaunches(program);
  program->walk(
      [](block::GraphOp kernel) { kernel->removeAttr(kDependentLaunchAttr); });
  FailureOr<LaunchSequence> sequence = LaunchSequence::read(program, &target);
  if (failed(sequence))
    return failure();
  // What launches a graph in place has no word for it.
  if (!overlaps || !isa<func::FuncOp>(program))
    return success();
  SmallVector<Launch> launches(sequence->getLaunches());
  for (unsigned number = 1; number < launches.size(); ++number) {
    launches[number].kernels.front()->setAttr(
        kDependentLaunchAttr, UnitAttr::get(program->getContext()));
    if (failed(admit(launches[number - 1], launches[number], target)))
      return failure();
  }
  return success();
}

namespace {
struct OverlapLaunchesPass
    : mirage::impl::OverlapLaunchesPassBase<OverlapLaunchesPass> {
  using OverlapLaunchesPassBase::OverlapLaunchesPassBase;

  void runOnOperation() override {
    for (Operation *program : findPrograms(getOperation())) {
      FailureOr<std::string> name = resolveTarget(program, target);
      if (failed(name))
        return signalPassFailure();
      const Target gpu = llvm::cantFail(getTarget(*name));
      if (failed(overlapLaunches(program, gpu,
                                 overlapsLaunches && gpu.hasDependentLaunches)))
        return signalPassFailure();
    }
  }
};
} // namespace
