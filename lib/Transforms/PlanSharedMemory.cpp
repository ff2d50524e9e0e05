//===- PlanSharedMemory.cpp - Places for a block's tiles ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Transforms/Passes.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_PLANSHAREDMEMORYPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

static void annotate(const BlockSteps &steps, ArrayRef<int64_t> rowPaddings,
                     const StoragePlan &plan) {
  Builder builder(steps.getGraph().getContext());
  auto select = [&](ValueRange values, ArrayRef<int64_t> byTile,
                    int64_t otherwise) {
    return llvm::map_to_vector(values, [&](Value value) -> int64_t {
      std::optional<unsigned> tile = steps.getTile(value);
      return tile ? byTile[*tile] : otherwise;
    });
  };
  auto annotateOp = [&](Operation *op, ValueRange values, StringRef offsetsName,
                        StringRef paddingsName) {
    op->setAttr(offsetsName,
                builder.getDenseI64ArrayAttr(select(values, plan.offsets, -1)));
    op->removeAttr(paddingsName);
    SmallVector<int64_t> paddings = select(values, rowPaddings, 0);
    if (llvm::any_of(paddings, [](int64_t bytes) { return bytes > 0; }))
      op->setAttr(paddingsName, builder.getDenseI64ArrayAttr(paddings));
  };
  block::GraphOp graph = steps.getGraph();
  Region &body = graph.getBody();
  for (Operation &op : body.front().without_terminator())
    annotateOp(&op, op.getResults(), kOffsetsAttr, kRowPaddingsAttr);
  annotateOp(graph, body.getArguments(), kInputOffsetsAttr,
             kInputRowPaddingsAttr);
  graph->setAttr(kSharedBytesAttr, builder.getI64IntegerAttr(plan.sizeBytes));
}

/// Says which tiles make a plan too large.
static LogicalResult reportDemand(const BlockSteps &steps,
                                  const StorageProblem &problem,
                                  int64_t sizeBytes, int64_t limitBytes) {
  StorageProblem::Demand demand = problem.getLargestDemand();
  InFlightDiagnostic diagnostic = steps.getGraph().emitError()
                                  << "expects tiles that fit " << limitBytes
                                  << " bytes of shared memory, got "
                                  << sizeBytes << " bytes";
  for (auto [number, tile] : llvm::enumerate(problem.getTiles())) {
    if (demand.epoch < tile.begin || tile.end <= demand.epoch)
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

static LogicalResult planSharedMemory(block::GraphOp graph, StringRef target) {
  FailureOr<int64_t> limitBytes = resolveSharedBytes(graph, target);
  if (failed(limitBytes))
    return failure();
  BlockSteps steps(graph);
  Schedule schedule = steps.readSchedule();
  if (llvm::Error error = verify(steps.makeScheduleProblem(), schedule))
    return graph.emitError()
           << "expects a block graph that --mirage-schedule-block scheduled: "
           << llvm::toString(std::move(error));
  SmallVector<int64_t> rowPaddings = steps.chooseRowPaddings();
  StorageProblem problem = steps.makeStorageProblem(schedule, rowPaddings);
  StoragePlan plan = planStorage(problem);
  assert(!llvm::errorToBool(verify(problem, plan)) &&
         "no two live tiles may share bytes");
  if (plan.sizeBytes > *limitBytes)
    return reportDemand(steps, problem, plan.sizeBytes, *limitBytes);
  annotate(steps, rowPaddings, plan);
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
      return failed(planSharedMemory(graph, target)) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
