//===- PlanSharedMemory.cpp - Places for a block's tiles ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/AheadProducts.h"
#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Analysis/LaunchSequence.h"
#include "Mirage/Analysis/LoadingWarps.h"
#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Analysis/PersistentBlocks.h"
#include "Mirage/Planning/RingPlaces.h"
#include "Mirage/Planning/Target.h"
#include "Mirage/Transforms/Passes.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_PLANSHAREDMEMORYPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

static void annotate(const BlockSteps &steps, ArrayRef<TileForm> forms,
                     const StoragePlan &plan) {
  Builder builder(steps.getGraph().getContext());
  auto annotateIfAny = [&](Operation *op, StringRef name, ValueRange values,
                           llvm::function_ref<int64_t(TileForm)> getBytes) {
    op->removeAttr(name);
    auto numbers = llvm::map_to_vector(values, [&](Value value) -> int64_t {
      std::optional<unsigned> tile = steps.getTile(value);
      return tile ? getBytes(forms[*tile]) : 0;
    });
    if (llvm::any_of(numbers, [](int64_t bytes) { return bytes > 0; }))
      op->setAttr(name, builder.getDenseI64ArrayAttr(numbers));
  };
  auto getPadding = [](TileForm form) { return form.rowPadding; };
  block::GraphOp graph = steps.getGraph();
  Region &body = graph.getBody();
  steps.statePlan(plan);
  for (Operation &op : body.front().without_terminator())
    annotateIfAny(&op, kRowPaddingsAttr, op.getResults(), getPadding);
  annotateIfAny(graph, kInputRowPaddingsAttr, body.getArguments(), getPadding);
  annotateIfAny(graph, kInputSwizzlesAttr, body.getArguments(),
                [](TileForm form) { return form.swizzleBytes; });
  graph->removeAttr(kHandsBackPlacesAttr);
  if (graph->hasAttr(kInputSwizzlesAttr) &&
      steps.canHandBackPlaces(steps.readSchedule(), forms))
    graph->setAttr(kHandsBackPlacesAttr,
                   builder.getI64IntegerAttr(
                       chooseHandBack(graph.getThreads(), graph.getStages())));
}

namespace {
struct PlannedTiles {
  SmallVector<TileForm> forms;
  StorageProblem problem;
  StoragePlan plan;
};
} // namespace

static PlannedTiles planTiles(const BlockSteps &steps, const Schedule &schedule,
                              bool isBoxed) {
  SmallVector<TileForm> forms = steps.chooseForms(isBoxed);
  StorageProblem problem = steps.makeStorageProblem(schedule, forms);
  StoragePlan plan = planStorage(problem);
  assert(!llvm::errorToBool(verify(problem, plan)) &&
         "no two live tiles may share bytes");
  return {std::move(forms), std::move(problem), std::move(plan)};
}

/// Says which tiles make a plan too large, none of which is boxed.
static LogicalResult reportDemand(const BlockSteps &steps,
                                  const PlannedTiles &tiles,
                                  int64_t limitBytes) {
  StorageProblem::Demand demand = tiles.problem.getLargestDemand();
  InFlightDiagnostic diagnostic = steps.getGraph().emitError()
                                  << "expects tiles that fit " << limitBytes
                                  << " bytes of shared memory, got "
                                  << tiles.plan.sizeBytes << " bytes";
  for (auto [number, tile] : llvm::enumerate(tiles.problem.getTiles())) {
    if (!tile.isLive(demand.epoch))
      continue;
    Value value = steps.getTiles()[number];
    Diagnostic &note = diagnostic.attachNote(value.getLoc());
    if (int64_t places = steps.getNumPlaces(number); places > 1)
      note << "a ring of " << places << " stages, " << tile.sizeBytes
           << " bytes, of ";
    else
      note << "a tile of " << tile.sizeBytes << " bytes, ";
    note << value.getType() << ", is live where most is needed";
  }
  return diagnostic;
}

/// What was decided of tiles that lay otherwise.
static void forgetDecisions(block::GraphOp graph) {
  for (StringRef name : {kLoadingWarpsAttr, kRegisterSharesAttr,
                         kPersistentBlocksAttr, kResidentBlocksAttr})
    graph->removeAttr(name);
  for (auto step : graph.getBody().getOps<thread::GraphOp>()) {
    step->removeAttr(kStartsAheadAttr);
    step->removeAttr(kWaitsLateAttr);
  }
}

static LogicalResult planSharedMemory(block::GraphOp graph, StringRef target,
                                      bool usesCopyEngine) {
  FailureOr<std::string> name = resolveTarget(graph, target);
  if (failed(name))
    return failure();
  const Target gpu = llvm::cantFail(getTarget(*name));
  int64_t limitBytes = gpu.sharedBytesPerBlock;
  forgetDecisions(graph);
  BlockSteps steps(graph);
  Schedule schedule = steps.readSchedule();
  if (llvm::Error error = verify(steps.makeScheduleProblem(), schedule))
    return graph.emitError()
           << "expects a block graph that --mirage-schedule-block scheduled: "
           << llvm::toString(std::move(error));
  PlannedTiles tiles =
      planTiles(steps, schedule, gpu.hasCopyEngine && usesCopyEngine);
  // Boxes may take more than what the search reckoned with.
  if (tiles.plan.sizeBytes > limitBytes)
    tiles = planTiles(steps, schedule, /*isBoxed=*/false);
  if (tiles.plan.sizeBytes > limitBytes)
    return reportDemand(steps, tiles, limitBytes);
  annotate(steps, tiles.forms, tiles.plan);
  return success();
}

namespace {
struct PlanSharedMemoryPass
    : mirage::impl::PlanSharedMemoryPassBase<PlanSharedMemoryPass> {
  using PlanSharedMemoryPassBase::PlanSharedMemoryPassBase;

  void runOnOperation() override {
    if (failed(resolveTarget(getOperation(), target)))
      return signalPassFailure();
    WalkResult result = getOperation()->walk([&](block::GraphOp graph) {
      return failed(planSharedMemory(graph, target, usesCopyEngine))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
