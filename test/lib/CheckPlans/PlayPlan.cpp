//===- PlayPlan.cpp - A planned block graph, step by step -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlayPlan.h"
#include "Mirage/Analysis/AheadProducts.h"
#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Analysis/LoadingWarps.h"
#include "Mirage/Analysis/PersistentBlocks.h"
#include "Mirage/Analysis/TileForms.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/Twine.h"
#include <map>

using namespace mlir;
using namespace mlir::mirage;
using namespace mlir::mirage::test;

static bool isOverLoop(block::AccumulateOp op) {
  return op.getAxis() == AxisKind::Loop;
}

static const OperatorInfo &getReduction(block::AccumulateOp op) {
  return getOperatorInfo(readOperatorAttributes(op).reduction);
}

/// Whether a sum in shared memory has to be made its result behind the loop: a
/// mean divides, a square root is drawn.
static bool hasFinish(block::AccumulateOp op) {
  const OperatorInfo &reduction = getReduction(op);
  return reduction.getNumCarried() > 1 || reduction.finish.nodes().size() > 1;
}

namespace {
class PlanPlayer {
public:
  PlanPlayer(block::GraphOp graph, TilesOfPlan tilesOfPlan)
      : graph(graph), tiles(std::move(tilesOfPlan)),
        phases(computePhases(cast<TileGraphOpInterface>(graph.getOperation()))),
        numPlaces(graph.getStages()),
        numOfBlock(std::min<int64_t>(graph.getLoop(), 2 * numPlaces + 2)),
        isPersistent(graph->hasAttr(kPersistentBlocksAttr)),
        numIterations(isPersistent ? 2 * numOfBlock : numOfBlock) {
    if (auto behind = graph->getAttrOfType<IntegerAttr>(kHandsBackPlacesAttr))
      handBack = behind.getInt();
    hasLoadingWarps = graph->hasAttr(kLoadingWarpsAttr);
    for (auto op : getBody().getOps<thread::GraphOp>()) {
      if (op->hasAttr(kStartsAheadAttr))
        aheadProducts.push_back(op);
      if (op->hasAttr(kWaitsLateAttr))
        lateProducts.push_back(op);
    }
  }

  PlayedPlan run() {
    plan.tiles = tiles.getTiles();
    setUpBarriers();
    fillRings();
    for (first = 0; first < numIterations; first += numOfBlock)
      playBlock();
    // Nobody may write to a barrier that counts, and these do until the end.
    if (tiles.hasBoxes())
      useBarriers("the end");
    return std::move(plan);
  }

private:
  /// One of the grid: of persistent blocks two, one after the other, whose
  /// iterations are counted on.
  void playBlock() {
    if (isPersistent)
      timeline().barrier();
    playBefore();
    if (graph->hasAttr(kBarrierAtEntryAttr))
      timeline().barrier();
    playLoop();
    if (graph->hasAttr(kBarrierAtExitAttr))
      timeline().barrier();
    playBehind();
  }

  Block &getBody() { return graph.getBody().front(); }
  Timeline &timeline() { return plan.timeline; }

  /// Inputs that are read, of which those in rings, or the others.
  SmallVector<BlockArgument> listInputs(bool areInRings) {
    return llvm::filter_to_vector(
        getBody().getArguments(), [&](BlockArgument input) {
          return !input.use_empty() && tiles.hasTile(input) &&
                 tiles.isRing(input) == areInRings;
        });
  }

  //===--------------------------------------------------------------------===//
  // Accesses
  //===--------------------------------------------------------------------===//

  std::string inIteration(const Twine &name) {
    return isInLoop ? (name + " of iteration " + Twine(iteration)).str()
                    : name.str();
  }

  Touched touch(Value value, int64_t ofIteration) {
    return tiles.touch(value, ofIteration);
  }
  Touched touch(Value value) { return touch(value, iteration); }
  Touched touchOwn(Value value) {
    Touched touched = touch(value);
    touched.isOwn = true;
    return touched;
  }

  void readAll(ValueRange values) {
    for (Value value : values)
      if (tiles.hasTile(value))
        timeline().read(touch(value));
  }

  //===--------------------------------------------------------------------===//
  // Rings
  //===--------------------------------------------------------------------===//

  /// Iterations from the one that is computed to the one that is loaded.
  int64_t getNumAhead() const {
    return hasLoadingWarps ? numPlaces : numPlaces - handBack.value_or(1);
  }

  void setUpBarriers() {
    if (!tiles.hasBoxes())
      return;
    timeline().beginStep("the set-up of the barriers");
    timeline().write(touch(Value()));
    timeline().barrier();
    loaderKnows = timeline().arrive();
  }

  void useBarriers(std::string name) {
    timeline().beginStep(std::move(name));
    timeline().read(touch(Value()));
  }

  /// Loads what an iteration reads of rings. The first thread starts boxes, or
  /// a warp that does nothing else; who hands places back is waited for by it
  /// alone.
  void copyInto(int64_t loaded) {
    int64_t before = loaded - numPlaces;
    if (tiles.hasBoxes() && handBack && before >= 0) {
      if (auto arrived = handedBack.find(before); arrived != handedBack.end())
        hasLoadingWarps ? join(loaderKnows, arrived->second)
                        : timeline().await(/*thread=*/0, arrived->second);
      else
        neverComes("the place of iteration", before, "to be handed back");
    }
    for (BlockArgument input : listInputs(/*areInRings=*/true)) {
      timeline().beginStep(("the copy of input " + Twine(input.getArgNumber()) +
                            " for iteration " + Twine(loaded))
                               .str());
      if (tiles.isBoxed(input)) {
        unsigned actor = hasLoadingWarps
                             ? timeline().start(loaderKnows, /*awaitedBy=*/0)
                             : timeline().start(/*thread=*/0);
        timeline().readBy(actor, touch(Value()));
        timeline().writeBy(actor, touch(input, loaded));
        boxCopies[loaded].push_back(actor);
        continue;
      }
      for (unsigned thread = 0; thread < Timeline::kNumThreads; ++thread) {
        unsigned actor = timeline().start(thread);
        timeline().writeBy(actor, touch(input, loaded));
        ownCopies[loaded].push_back({thread, actor});
      }
    }
  }

  /// What follows from that is not said again.
  void neverComes(StringRef what, int64_t ofIteration, StringRef end) {
    if (!plan.problems.empty())
      return;
    plan.problems.push_back(("waits in iteration " + Twine(iteration) +
                             " for " + what + " " + Twine(ofIteration) + " " +
                             end + ", which comes later or never")
                                .str());
  }

  void awaitBoxes(int64_t loaded) {
    if (!tiles.hasBoxes())
      return;
    useBarriers(inIteration("the wait for boxes"));
    if (!boxCopies.count(loaded))
      return neverComes("the copy for iteration", loaded, "to be there");
    for (unsigned actor : boxCopies[loaded])
      for (unsigned thread = 0; thread < Timeline::kNumThreads; ++thread)
        timeline().await(thread, actor);
  }

  /// A thread waits for its own copies, all but those of so many iterations
  /// that were started last.
  void awaitOwnCopies() {
    int64_t last = iteration + getNumAhead() - (numPlaces - 1);
    for (auto &[loaded, copies] : ownCopies)
      if (loaded <= last)
        for (auto [thread, actor] : copies)
          timeline().await(thread, actor);
  }

  /// Threads are done with the place of an iteration.
  void handBackPlace(int64_t used) {
    if (!tiles.hasBoxes() || !handBack || used < first)
      return;
    useBarriers(
        ("the hand-back of the place of iteration " + Twine(used)).str());
    handedBack[used] = timeline().arrive();
    if (hasLoadingWarps && used + numPlaces < numIterations)
      copyInto(used + numPlaces);
  }

  //===--------------------------------------------------------------------===//
  // Products that go on by themselves
  //===--------------------------------------------------------------------===//

  using Started = SmallVector<unsigned>; ///< actors, by thread

  Started startProduct(thread::GraphOp op, int64_t ofIteration) {
    timeline().beginStep((getStepName(op) + " of iteration " +
                          Twine(ofIteration) + ", which goes on by itself")
                             .str());
    Started started;
    for (unsigned thread = 0; thread < Timeline::kNumThreads; ++thread) {
      unsigned actor = timeline().start(thread);
      for (Value input : op.getInputs())
        if (tiles.hasTile(input))
          timeline().readBy(actor, touch(input, ofIteration));
      started.push_back(actor);
    }
    return started;
  }

  /// Behind the last iteration they are for nothing, and whatever they read.
  SmallVector<Started> startAhead(int64_t ofIteration) {
    SmallVector<Started> started;
    if (ofIteration < numIterations)
      for (thread::GraphOp op : aheadProducts)
        started.push_back(startProduct(op, ofIteration));
    return started;
  }

  void await(ArrayRef<Started> products) {
    for (const Started &started : products)
      for (auto [thread, actor] : llvm::enumerate(started))
        timeline().await(thread, actor);
  }

  /// Before a step writes registers that late products read.
  void landBefore(Operation *op) {
    for (thread::GraphOp product : lateProducts)
      if (!op || findLeftStep(product) == op)
        if (auto found = late.find(product); found != late.end()) {
          await(found->second);
          late.erase(found);
        }
  }

  //===--------------------------------------------------------------------===//
  // Phases
  //===--------------------------------------------------------------------===//

  void fillRings() {
    bool hasRings = !listInputs(/*areInRings=*/true).empty();
    int64_t numFirst = std::min(getNumAhead(), numIterations);
    for (int64_t loaded = 0; hasRings && loaded < numFirst; ++loaded)
      copyInto(loaded);
  }

  void playBefore() {
    loadInputs(Phase::Invariant);
    for (auto op : getBody().getOps<block::AccumulateOp>())
      if (isOverLoop(op) && !isCarriedSum(op.getResult())) {
        timeline().beginStep("the first value of " + getStepName(op));
        timeline().write(touchOwn(op.getResult()));
      }
    playOps(Phase::Invariant);
    playOps(Phase::Joined);
  }

  void loadInputs(Phase phase) {
    for (BlockArgument input : listInputs(/*areInRings=*/false))
      if (phases.lookup(input) == phase) {
        timeline().beginStep(
            inIteration("the load of input " + Twine(input.getArgNumber())));
        timeline().write(touch(input));
      }
  }

  void playLoop() {
    isInLoop = true;
    if (listInputs(/*areInRings=*/true).empty())
      playPlainLoop();
    else
      playPipelinedLoop();
    isInLoop = false;
  }

  void playPlainLoop() {
    for (iteration = 0; iteration < numOfBlock; ++iteration) {
      if (graph.getLoop() > 1 && graph->hasAttr(kBarrierAtHeadAttr))
        timeline().barrier();
      loadInputs(Phase::Loop);
      playOps(Phase::Loop);
    }
  }

  /// Where places are handed back no barrier stands at the head, but one before
  /// the loop.
  void playPipelinedLoop() {
    if (handBack)
      timeline().barrier();
    iteration = first;
    if (!aheadProducts.empty()) {
      awaitBoxes(first);
      await(startAhead(first));
    }
    for (; iteration < first + numOfBlock; ++iteration) {
      SmallVector<Started> started = beginIteration();
      if (!hasLoadingWarps && iteration + getNumAhead() < numIterations)
        copyInto(iteration + getNumAhead());
      playOps(Phase::Loop);
      await(started);
      await(std::exchange(overtaken, {}));
      handBackPlace(lateProducts.empty() ? iteration : iteration - 1);
    }
    landBefore(nullptr);
    if (isPersistent && !lateProducts.empty())
      handBackPlace(iteration - 1);
  }

  SmallVector<Started> beginIteration() {
    awaitOwnCopies();
    SmallVector<Started> started;
    if (aheadProducts.empty()) {
      awaitBoxes(iteration);
    } else if (iteration + 1 < numIterations) {
      awaitBoxes(iteration + 1);
      started = startAhead(iteration + 1);
    }
    if (graph->hasAttr(kBarrierAtHeadAttr) && !handBack)
      timeline().barrier();
    return started;
  }

  void playBehind() {
    for (auto op : getBody().getOps<block::AccumulateOp>())
      if (isOverLoop(op))
        finish(op);
    playOps(Phase::After);
    playOps(Phase::AfterGrid);
    Operation *yield = getBody().getTerminator();
    if (yield->hasAttr(kBarrierAttr))
      timeline().barrier();
    timeline().beginStep("the store of results");
    readAll(yield->getOperands());
  }

  /// A sum that grew in registers comes to its tile only now.
  void finish(block::AccumulateOp op) {
    Value result = op.getResult();
    bool isBrought = isCarriedSum(result);
    if (isHeld(result) || (!isBrought && !hasFinish(op)))
      return;
    timeline().beginStep("the last value of " + getStepName(op));
    if (isBrought)
      return timeline().write(touch(result));
    timeline().read(touchOwn(result));
    timeline().write(touchOwn(result));
  }

  void playOps(Phase phase) {
    for (Operation &op : getBody().without_terminator())
      if (!isa<block::ReshapeOp>(op) && getExecutionPhase(&op, phases) == phase)
        playOp(&op);
  }

  void playOp(Operation *op) {
    if (op->hasAttr(kBarrierAttr))
      timeline().barrier();
    auto accumulate = dyn_cast<block::AccumulateOp>(op);
    if (accumulate && isOverLoop(accumulate))
      return update(accumulate);
    if (op->hasAttr(kStartsAheadAttr))
      return; // the iteration before has done it
    landBefore(op);
    if (op->hasAttr(kWaitsLateAttr)) {
      Started product = startProduct(cast<thread::GraphOp>(op), iteration);
      auto [before, isFirst] = late.try_emplace(op, product);
      if (!isFirst)
        overtaken.push_back(std::exchange(before->second, product));
      return;
    }
    timeline().beginStep(inIteration(getStepName(op)));
    readAll(op->getOperands());
    for (Value result : op->getResults())
      if (tiles.hasTile(result))
        timeline().write(touch(result));
  }

  /// A rescaled sum reads the maximum so far, which grows behind it.
  void update(block::AccumulateOp op) {
    timeline().beginStep(inIteration(getStepName(op)));
    readAll(op->getOperands());
    if (block::AccumulateOp maximum = findRunningMaximum(op))
      if (!isCarriedSum(maximum.getResult()))
        timeline().read(touch(maximum.getResult()));
    if (isCarriedSum(op.getResult()))
      return;
    timeline().read(touchOwn(op.getResult()));
    timeline().write(touchOwn(op.getResult()));
  }

  block::GraphOp graph;
  const TilesOfPlan tiles;
  DenseMap<Value, Phase> phases;
  int64_t numPlaces, numOfBlock;
  bool isPersistent;
  int64_t numIterations;           ///< that are played
  int64_t first = 0;               ///< of the block that is played
  std::optional<int64_t> handBack; ///< in iterations
  bool hasLoadingWarps = false;
  Clock loaderKnows; ///< the thread that starts copies, where these do
  SmallVector<thread::GraphOp> aheadProducts, lateProducts;
  PlayedPlan plan;
  int64_t iteration = 0;
  bool isInLoop = false;
  std::map<int64_t, SmallVector<unsigned>> boxCopies; ///< by iteration
  /// By iteration: threads, and what they started.
  std::map<int64_t, SmallVector<std::pair<unsigned, unsigned>>> ownCopies;
  std::map<int64_t, Clock> handedBack; ///< by iteration
  DenseMap<Operation *, Started> late;
  /// Of the iteration before, what no step has waited for.
  SmallVector<Started> overtaken;
};
} // namespace

llvm::Expected<PlayedPlan> mlir::mirage::test::playPlan(block::GraphOp graph) {
  llvm::Expected<TilesOfPlan> tiles = TilesOfPlan::read(graph);
  if (!tiles)
    return tiles.takeError();
  auto bytes = graph->getAttrOfType<IntegerAttr>(kSharedBytesAttr);
  if (!bytes)
    return llvm::createStringError("expects a plan, and '" + kSharedBytesAttr +
                                   "' is missing");
  PlayedPlan plan = PlanPlayer(graph, std::move(*tiles)).run();
  plan.statedBytes = bytes.getInt();
  return plan;
}
