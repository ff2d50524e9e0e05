//===- ScheduleBlock.cpp - Order of a block's steps and barriers ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_SCHEDULEBLOCKPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

/// Whether an op's place in the block is the step's place.
static bool hasOwnPlace(const BlockStep &step) {
  return step.kind == BlockStep::Kind::Compute ||
         step.kind == BlockStep::Kind::Update ||
         step.kind == BlockStep::Kind::Store;
}

static void setUnitAttr(Operation *op, StringRef name, bool isSet) {
  if (isSet)
    op->setAttr(name, UnitAttr::get(op->getContext()));
  else
    op->removeAttr(name);
}

/// Brings the ops into the order of the schedule. Reshapes are no steps and
/// follow what they reshape.
static void reorder(const BlockSteps &steps, const Schedule &schedule) {
  Block &body = steps.getGraph().getBody().front();
  SmallVector<block::ReshapeOp> reshapes(body.getOps<block::ReshapeOp>());
  for (unsigned number : schedule.order)
    if (hasOwnPlace(steps.getSteps()[number]) &&
        steps.getSteps()[number].kind != BlockStep::Kind::Store)
      steps.getSteps()[number].op->moveBefore(body.getTerminator());
  for (block::ReshapeOp reshape : reshapes) {
    if (Operation *source = reshape.getOperand().getDefiningOp())
      reshape->moveAfter(source);
    else
      reshape->moveBefore(&body, body.begin());
  }
}

static void annotate(const BlockSteps &steps, const Schedule &schedule) {
  Builder builder(steps.getGraph().getContext());
  for (auto [position, number] : llvm::enumerate(schedule.order)) {
    const BlockStep &step = steps.getSteps()[number];
    if (!hasOwnPlace(step)) {
      assert(
          !schedule.barrierBefore[number] &&
          "loads and accumulators' first values follow barriers of the loop");
      continue;
    }
    step.op->setAttr(kStepAttr, builder.getI64IntegerAttr(position));
    setUnitAttr(step.op, kBarrierAttr, schedule.barrierBefore[number]);
  }
  setUnitAttr(steps.getGraph(), kBarrierAtEntryAttr, schedule.barrierAtEntry);
  setUnitAttr(steps.getGraph(), kBarrierAtHeadAttr, schedule.barrierAtHead);
  setUnitAttr(steps.getGraph(), kBarrierAtExitAttr, schedule.barrierAtExit);
}

/// Maxima that sums are rescaled by in each iteration are read by their code.
static DenseSet<Operation *> findRunningMaxima(block::GraphOp graph) {
  DenseSet<Operation *> maxima;
  for (auto sum : graph.getBody().getOps<block::AccumulateOp>())
    if (sum.getRescale())
      maxima.insert(findRunningMaximum(sum));
  return maxima;
}

/// A step whose result nothing reads would keep nothing apart from others.
static void eraseDeadOps(block::GraphOp graph) {
  SmallVector<Operation *> dead;
  do {
    DenseSet<Operation *> kept = findRunningMaxima(graph);
    dead.clear();
    for (Operation &op : graph.getBody().front().without_terminator())
      if (isOpTriviallyDead(&op) && !kept.contains(&op))
        dead.push_back(&op);
    for (Operation *op : dead)
      op->erase();
  } while (!dead.empty());
}

namespace {
struct ScheduleBlockPass
    : mirage::impl::ScheduleBlockPassBase<ScheduleBlockPass> {
  void runOnOperation() override {
    getOperation()->walk([](block::GraphOp graph) {
      eraseDeadOps(graph);
      BlockSteps steps(graph);
      ScheduleProblem problem = steps.makeScheduleProblem();
      Schedule schedule = scheduleSteps(problem);
      assert(!llvm::errorToBool(verify(problem, schedule)) &&
             "the schedule must keep all steps apart");
      reorder(steps, schedule);
      annotate(steps, schedule);
    });
  }
};
} // namespace
