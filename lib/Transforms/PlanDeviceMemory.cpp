//===- PlanDeviceMemory.cpp - Places for what lies between kernels --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/LaunchSequence.h"
#include "Mirage/Transforms/Passes.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_PLANDEVICEMEMORYPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

static LogicalResult planDeviceMemory(Operation *program) {
  FailureOr<LaunchSequence> sequence = LaunchSequence::read(program);
  if (failed(sequence))
    return failure();
  StorageProblem problem = sequence->makeStorageProblem();
  StoragePlan plan = planStorage(problem);
  assert(!llvm::errorToBool(verify(problem, plan)) &&
         "no two live tensors may share bytes");
  sequence->annotate(plan);
  return success();
}

namespace {
struct PlanDeviceMemoryPass
    : mirage::impl::PlanDeviceMemoryPassBase<PlanDeviceMemoryPass> {
  void runOnOperation() override {
    for (Operation *program : findPrograms(getOperation()))
      if (failed(planDeviceMemory(program)))
        return signalPassFailure();
  }
};
} // namespace
