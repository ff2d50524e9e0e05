//===- PlanSharedMemory.cpp - Places for a block's tiles ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/AheadProducts.h"
#include "Mirage/Analysis/BankTraffic.h"
#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Analysis/KernelResources.h"
#include "Mirage/Analysis/LaunchSequence.h"
#include "Mirage/Analysis/LoadingWarps.h"
#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Analysis/Multicast.h"
#include "Mirage/Analysis/PersistentBlocks.h"
#include "Mirage/Analysis/ProductSums.h"
#include "Mirage/Graph/TileMemory.h"
#include "Mirage/Planning/LaunchBarrier.h"
#include "Mirage/Planning/LayoutProblem.h"
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
  annotateIfAny(
      graph, kInputSwizzlesAttr, body.getArguments(),
      [](TileForm form) { return form.isBoxed() ? form.swizzleBytes : 0; });
  annotateIfAny(graph, kThreadSwizzlesAttr, body.getArguments(),
                [](TileForm form) {
                  return form.isLoadedByThreads ? form.swizzleBytes : 0;
                });
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

/// Finds how the tiles of a block lie, and where.
class TilePlanner {
public:
  TilePlanner(const BlockSteps &steps, const Schedule &schedule,
              int64_t rowRegisters, const Target &target, bool hasCopyEngine)
      : steps(steps), schedule(schedule), target(target),
        hasCopyEngine(hasCopyEngine), traffic(steps),
        forms(steps.listForms(hasCopyEngine)) {
    block::GraphOp graph = steps.getGraph();
    resources.threads = graph.getThreads();
    resources.rowRegisters = rowRegisters;
    mostAtATime = llvm::divideCeil(ShapedType::getNumElements(graph.getGrid()),
                                   int64_t(target.numSMs));
  }

  /// With the fewest wavefronts for as many blocks of an SM at a time as tiles
  /// leave that lie as the search reckoned (Mirage/Planning/LayoutProblem.h).
  /// \returns a plan that is too large where there is no other.
  PlannedTiles plan() {
    mostBytes = target.sharedBytesPerBlock;
    SmallVector<unsigned> known;
    PlannedTiles reckoned = planTiles(steps.getReckonedForms(hasCopyEngine));
    if (reckoned.plan.sizeBytes <= mostBytes) {
      known = find(reckoned.forms);
      mostBytes = findMostBytes(
          std::min(countBlocks(reckoned.plan.sizeBytes), mostAtATime));
    }
    LayoutProblem problem = makeProblem();
    LayoutChoice choice = chooseLayouts(
        problem,
        [&](ArrayRef<unsigned> options) {
          return fitsStorage(steps.makeStorageProblem(schedule, pick(options)),
                             mostBytes);
        },
        known);
    assert(!llvm::errorToBool(verify(problem, choice)) &&
           "each tile lies in one of its ways");
    if (!choice.isOptimal)
      steps.getGraph().emitRemark()
          << "tiles may lie better: not all ways were tried";
    return planTiles(pick(choice.options));
  }

private:
  PlannedTiles planTiles(SmallVector<TileForm> forms) const {
    StorageProblem problem = steps.makeStorageProblem(schedule, forms);
    StoragePlan plan = planStorage(problem);
    assert(!llvm::errorToBool(verify(problem, plan)) &&
           "no two live tiles may share bytes");
    return {std::move(forms), std::move(problem), std::move(plan)};
  }
  /// Blocks with so many bytes of shared memory that an SM holds at a time.
  int64_t countBlocks(int64_t sharedBytes) const {
    BlockResources block = resources;
    block.sharedBytes = sharedBytes;
    return getResidentBlocks(block, target);
  }
  /// The most bytes with which an SM holds so many blocks.
  int64_t findMostBytes(int64_t numBlocks) const {
    if (numBlocks <= 1)
      return target.sharedBytesPerBlock;
    int64_t fitting = 0, tooMany = target.sharedBytesPerBlock + 1;
    while (tooMany - fitting > 1) {
      int64_t bytes = fitting + (tooMany - fitting) / 2;
      (countBlocks(bytes) >= numBlocks ? fitting : tooMany) = bytes;
    }
    return fitting;
  }
  SmallVector<TileForm> pick(ArrayRef<unsigned> options) const {
    SmallVector<TileForm> picked;
    for (auto [ofTile, option] : llvm::zip_equal(forms, options))
      picked.push_back(ofTile[option]);
    return picked;
  }
  SmallVector<unsigned> find(ArrayRef<TileForm> picked) const {
    SmallVector<unsigned> options;
    for (auto [ofTile, form] : llvm::zip_equal(forms, picked))
      options.push_back(llvm::find(ofTile, form) - ofTile.begin());
    return options;
  }
  /// Boxes need mbarriers, and places at multiples of more bytes.
  int64_t getBytes(unsigned tile, TileForm form) const {
    int64_t bytes = steps.getRingBytes(tile, form);
    return form.isBoxed() ? bytes + form.getAlignment() + kTileAlignment
                          : bytes;
  }
  LayoutProblem makeProblem() const {
    LayoutProblem problem;
    for (auto [tile, ofTile] : llvm::enumerate(forms)) {
      bool hasBoxes = ofTile.front().isBoxed();
      SmallVector<LayoutOption> options;
      for (TileForm form : ofTile) {
        int64_t bytes = traffic.getCopiedBytes(tile);
        bool isCopied = hasBoxes && !form.isBoxed(),
             isSwizzled = form.isSwizzled() && form.isLoadedByThreads;
        options.push_back({isCopied ? bytes : 0, traffic.count(tile, form),
                           isSwizzled ? bytes : 0, getBytes(tile, form)});
      }
      problem.addTile(options);
    }
    return problem;
  }

  const BlockSteps &steps;
  const Schedule &schedule;
  const Target &target;
  bool hasCopyEngine;
  BankTraffic traffic;
  SmallVector<SmallVector<TileForm>> forms; ///< by tile
  BlockResources resources;
  int64_t mostAtATime = 1; ///< blocks that an SM has work for
  int64_t mostBytes = 0;   ///< of a plan
};
} // namespace

/// Whether tiles fit, if these sums grow in registers and come to shared memory
/// behind the loop alone. Of others that are held now nobody knows what they
/// would take.
static bool fitWithoutSums(const BlockSteps &steps,
                           const StorageProblem &problem, int64_t limitBytes,
                           ArrayRef<block::AccumulateOp> held) {
  DenseMap<Value, unsigned> numbers;
  for (auto [number, tile] : llvm::enumerate(steps.getTiles()))
    numbers[tile] = number;
  SmallVector<StoredTile> tiles(problem.getTiles());
  for (block::AccumulateOp sum : findCarriedSums(steps.getGraph())) {
    bool isToBeHeld = llvm::is_contained(held, sum);
    auto added = numbers.find(sum.getOperand());
    auto tile = numbers.find(sum.getResult());
    bool isHeldNow = added == numbers.end() || tile == numbers.end();
    if (isHeldNow && !isToBeHeld)
      return false;
    if (isHeldNow || !isToBeHeld)
      continue;
    StoredTile &part = tiles[added->second];
    tiles[tile->second].begin = part.end + part.again;
    part.end = part.begin;
  }
  StorageProblem left(problem.getAlignment());
  for (const StoredTile &tile : tiles)
    if (tile.begin < tile.end)
      left.add(tile);
  return planStorage(left).sizeBytes <= limitBytes;
}

/// Names a number of threads with which tiles would fit, if one is known.
static void noteThreads(InFlightDiagnostic &diagnostic, const BlockSteps &steps,
                        const StorageProblem &problem, int64_t limitBytes) {
  auto fit = [&](ArrayRef<block::AccumulateOp> held) {
    return fitWithoutSums(steps, problem, limitBytes, held);
  };
  block::GraphOp graph = steps.getGraph();
  if (std::optional<ThreadsForSums> found = findThreadsForSums(graph, fit))
    diagnostic.attachNote(graph.getLoc())
        << "threads(" << found->threads << ") would have registers for "
        << (found->areAllHeld ? "the sums of products" : "some of the sums")
        << ", and the other tiles fit";
}

/// Says which tiles make a plan too large, though they are as small as can be.
static LogicalResult reportDemand(const BlockSteps &steps,
                                  const PlannedTiles &tiles,
                                  int64_t limitBytes) {
  StorageProblem::Demand demand = tiles.problem.getLargestDemand();
  InFlightDiagnostic diagnostic = steps.getGraph().emitError()
                                  << "expects tiles that fit " << limitBytes
                                  << " bytes of shared memory, got "
                                  << tiles.plan.sizeBytes << " bytes";
  for (auto [number, tile] : llvm::enumerate(tiles.problem.getTiles())) {
    if (!tile.isLive(demand.epoch) || number >= steps.getTiles().size())
      continue; // mbarriers of the copy engine are behind the tiles
    Value value = steps.getTiles()[number];
    Diagnostic &note = diagnostic.attachNote(value.getLoc());
    if (int64_t places = steps.getNumPlaces(number); places > 1)
      note << "a ring of " << places << " stages, " << tile.sizeBytes
           << " bytes, of ";
    else
      note << "a tile of " << tile.sizeBytes << " bytes, ";
    note << value.getType() << ", is live where most is needed";
  }
  noteThreads(diagnostic, steps, tiles.problem, limitBytes);
  if (!tiles.plan.isOptimal)
    diagnostic.attachNote(steps.getGraph().getLoc())
        << "not all orders of places were tried, so that fewer bytes may do";
  return diagnostic;
}

/// What was decided of tiles that lay otherwise.
static void forgetDecisions(block::GraphOp graph) {
  for (StringRef name : {kLoadingWarpsAttr, kRegisterSharesAttr,
                         kPersistentBlocksAttr, kResidentBlocksAttr})
    graph->removeAttr(name);
  dropMulticastCluster(graph);
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
  FailureOr<int64_t> rowRegisters = readRowRegisters(graph, gpu);
  if (failed(rowRegisters))
    return failure();
  PlannedTiles tiles = TilePlanner(steps, schedule, *rowRegisters, gpu,
                                   gpu.hasCopyEngine && usesCopyEngine)
                           .plan();
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
    forgetEarlyLaunches(getOperation());
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
