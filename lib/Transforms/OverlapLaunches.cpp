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
static LogicalResult overlapLaunches(Operation *program, bool overlaps) {
  program->walk(
      [](block::GraphOp kernel) { kernel->removeAttr(kDependentLaunchAttr); });
  FailureOr<LaunchSequence> sequence = LaunchSequence::read(program);
  if (failed(sequence))
    return failure();
  // What launches a graph in place has no word for it.
  if (!overlaps || !isa<func::FuncOp>(program))
    return success();
  for (Launch launch : llvm::drop_begin(sequence->getLaunches()))
    launch.kernels.front()->setAttr(kDependentLaunchAttr,
                                    UnitAttr::get(program->getContext()));
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
      bool overlaps = overlapsLaunches &&
                      llvm::cantFail(getTarget(*name)).hasDependentLaunches;
      if (failed(overlapLaunches(program, overlaps)))
        return signalPassFailure();
    }
  }
};
} // namespace
