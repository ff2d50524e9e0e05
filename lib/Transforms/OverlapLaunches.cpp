//===- OverlapLaunches.cpp - Launches that begin early --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/LaunchSequence.h"
#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Planning/Target.h"
#include "Mirage/Transforms/Passes.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_OVERLAPLAUNCHESPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

/// What an earlier decision left goes before it is read: it may not hold any
/// more.
static LogicalResult overlapLaunches(func::FuncOp function, bool overlaps) {
  function.walk(
      [](block::GraphOp kernel) { kernel->removeAttr(kDependentLaunchAttr); });
  FailureOr<LaunchSequence> sequence = LaunchSequence::read(function);
  if (failed(sequence))
    return failure();
  if (!overlaps)
    return success();
  for (Launch launch : sequence->getLaunches().drop_front())
    launch.kernels.front()->setAttr(kDependentLaunchAttr,
                                    UnitAttr::get(function.getContext()));
  return success();
}

namespace {
struct OverlapLaunchesPass
    : mirage::impl::OverlapLaunchesPassBase<OverlapLaunchesPass> {
  using OverlapLaunchesPassBase::OverlapLaunchesPassBase;

  void runOnOperation() override {
    WalkResult result = getOperation()->walk([&](func::FuncOp function) {
      if (function.isExternal() || function.getOps<kernel::GraphOp>().empty())
        return WalkResult::advance();
      FailureOr<std::string> name = resolveTarget(function, target);
      if (failed(name))
        return WalkResult::interrupt();
      bool overlaps = overlapsLaunches &&
                      llvm::cantFail(getTarget(*name)).hasDependentLaunches;
      return failed(overlapLaunches(function, overlaps))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
