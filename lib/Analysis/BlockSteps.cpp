//===- BlockSteps.cpp - A block graph as steps over tiles -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Analysis/PersistentBlocks.h"
#include "Mirage/Graph/TileMemory.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"
#include <functional>

using namespace mlir;
using namespace mlir::mirage;

static StepPhase convertPhase(Phase phase) {
  return isBeforeLoop(phase)    ? StepPhase::Before
         : phase == Phase::Loop ? StepPhase::Loop
                                : StepPhase::After;
}

BlockSteps::BlockSteps(block::GraphOp graph, BypassingValues withoutTile)
    : graph(graph), bypassing(std::move(withoutTile)),
      phases(computePhases(cast<TileGraphOpInterface>(graph.getOperation()))) {
  Block &body = graph.getBody().front();
  TileGraph header =
      cast<TileGraphOpInterface>(graph.getOperation()).getHeader();
  for (BlockArgument argument : body.getArguments())
    if (!argument.use_empty() && !bypassing.contains(argument))
      addTile(argument, mirage::getNumPlaces(header, argument.getArgNumber()));
  for (Operation &op : body.without_terminator())
    for (Value result : op.getResults()) {
      if (isa<block::ReshapeOp>(op)) {
        tileOf[result] = tileOf.lookup(op.getOperand(0));
        continue;
      }
      if (!isHeld(result) && !bypassing.contains(result))
        addTile(result, /*places=*/1);
      if (isHeld(result) || isCarriedSum(result))
        registersOf[result] = registersOf.size();
    }
  addFill();
  addLoads(Phase::Invariant);
  addInits();
  addOps(Phase::Invariant);
  addOps(Phase::Joined);
  addRefill();
  addLoads(Phase::Loop);
  addOps(Phase::Loop);
  addFinishes();
  addOps(Phase::After);
  addOps(Phase::AfterGrid);
  addStore();
}

void BlockSteps::addTile(Value value, int64_t places) {
  tileOf[value] = tiles.size();
  tiles.push_back(value);
  numPlaces.push_back(places);
}

std::optional<unsigned> BlockSteps::getTile(Value value) const {
  auto found = tileOf.find(value);
  if (found == tileOf.end())
    return std::nullopt;
  return found->second;
}

static const OperatorInfo &getReduction(block::AccumulateOp op) {
  return getOperatorInfo(readOperatorAttributes(op).reduction);
}

int64_t BlockSteps::getPlaceBytes(Value tile, int64_t rowPadding) {
  int64_t bytes = getTileBytes(convertTensor(tile.getType()), rowPadding);
  auto accumulate = tile.getDefiningOp<block::AccumulateOp>();
  return accumulate ? getReduction(accumulate).getNumCarried() * bytes : bytes;
}

int64_t BlockSteps::getPlaceStride(Value tile, TileForm form) {
  // The rows of a boxed tile are whole patterns of its swizzle.
  return getRingStride(getPlaceBytes(tile, form.rowPadding));
}

/// Threads touch registers of their own alone. To the schedule they are tiles
/// behind all others.
TileAccess BlockSteps::accessRegisters(Value value, bool writes) const {
  unsigned number = tiles.size() + registersOf.at(value);
  return {number, writes, /*isOwn=*/true};
}

TileAccess BlockSteps::access(Value value, bool writes, bool isOwn) const {
  if (isHeld(value))
    return accessRegisters(value, writes);
  unsigned tile = tileOf.at(value);
  return {tile, writes, isOwn, static_cast<unsigned>(numPlaces[tile])};
}

SmallVector<TileAccess, 4> BlockSteps::readAll(ValueRange values) const {
  SmallVector<TileAccess, 4> accesses;
  for (Value value : values)
    if (!bypassing.contains(value))
      accesses.push_back(access(value, /*writes=*/false));
  return accesses;
}

void BlockSteps::addStep(BlockStep::Kind kind, Value tile, Operation *op,
                         StepPhase phase, SmallVector<TileAccess, 4> accesses) {
  steps.push_back({kind, tile, op, {phase, std::move(accesses)}});
}

/// Before the loop nothing else touches these tiles.
void BlockSteps::addFill() {
  SmallVector<TileAccess, 4> accesses;
  for (unsigned tile = 0; tile < tiles.size(); ++tile)
    if (numPlaces[tile] > 1)
      accesses.push_back({tile, /*writes=*/true});
  if (!accesses.empty())
    addStep(BlockStep::Kind::Fill, nullptr, graph, StepPhase::Before,
            std::move(accesses));
}

void BlockSteps::addRefill() {
  SmallVector<TileAccess, 4> accesses;
  for (auto [tile, places] : llvm::enumerate(numPlaces))
    if (places > 1)
      accesses.push_back({static_cast<unsigned>(tile), /*writes=*/true,
                          /*isOwn=*/false, static_cast<unsigned>(places),
                          static_cast<unsigned>(places - 1)});
  if (!accesses.empty())
    addStep(BlockStep::Kind::Refill, nullptr, graph, StepPhase::Loop,
            std::move(accesses));
}

void BlockSteps::addLoads(Phase phase) {
  for (BlockArgument argument : graph.getBody().getArguments())
    if (tileOf.count(argument) && phases.lookup(argument) == phase &&
        numPlaces[tileOf.at(argument)] == 1)
      addStep(BlockStep::Kind::Load, argument, graph, convertPhase(phase),
              {access(argument, /*writes=*/true)});
}

bool mlir::mirage::isRunningMaximum(block::AccumulateOp op, Value value) {
  return op.getAxis() == AxisKind::Loop &&
         op.getReduction() == ReductionKind::Max && !op.getDims() &&
         op.getOperand() == value;
}

block::AccumulateOp mlir::mirage::findRunningMaximum(block::AccumulateOp sum) {
  if (!sum.getRescale())
    return nullptr;
  for (mlir::Operation *op = sum->getNextNode(); op; op = op->getNextNode()) {
    auto maximum = dyn_cast<block::AccumulateOp>(op);
    if (maximum && isRunningMaximum(maximum, sum.getRescale()))
      return maximum;
  }
  return nullptr;
}

SmallVector<block::AccumulateOp> BlockSteps::getLoopAccumulations() {
  return llvm::filter_to_vector(
      graph.getBody().getOps<block::AccumulateOp>(),
      [](block::AccumulateOp op) { return op.getAxis() == AxisKind::Loop; });
}

void BlockSteps::addInits() {
  for (block::AccumulateOp op : getLoopAccumulations())
    addStep(BlockStep::Kind::Init, op.getResult(), op, StepPhase::Before,
            {accessAccumulator(op.getResult())});
}

/// An accumulator while it grows.
TileAccess BlockSteps::accessAccumulator(Value value) const {
  return isCarriedSum(value) ? accessRegisters(value, /*writes=*/true)
                             : access(value, /*writes=*/true, /*isOwn=*/true);
}

void BlockSteps::addFinishes() {
  for (block::AccumulateOp op : getLoopAccumulations()) {
    if (isHeld(op.getResult()))
      continue;
    const OperatorInfo &reduction = getReduction(op);
    // A finish of one node is the joined value itself.
    if (isCarriedSum(op.getResult()))
      addStep(BlockStep::Kind::Finish, op.getResult(), op, StepPhase::After,
              {accessRegisters(op.getResult(), /*writes=*/false),
               access(op.getResult(), /*writes=*/true)});
    else if (reduction.finish.nodes().size() > 1 ||
             reduction.getNumCarried() > 1)
      addStep(BlockStep::Kind::Finish, op.getResult(), op, StepPhase::After,
              {access(op.getResult(), /*writes=*/true, /*isOwn=*/true)});
  }
}

void BlockSteps::addOps(Phase phase) {
  for (Operation &op : graph.getBody().front().without_terminator()) {
    if (isa<block::ReshapeOp>(op) || getExecutionPhase(&op, phases) != phase)
      continue;
    SmallVector<TileAccess, 4> accesses = readAll(op.getOperands());
    auto accumulate = dyn_cast<block::AccumulateOp>(op);
    bool updates = accumulate && accumulate.getAxis() == AxisKind::Loop;
    if (block::AccumulateOp maximum =
            updates ? findRunningMaximum(accumulate) : nullptr)
      accesses.push_back(isCarriedSum(maximum.getResult())
                             ? accessRegisters(maximum.getResult(),
                                               /*writes=*/false)
                             : access(maximum.getResult(), /*writes=*/false));
    for (Value result : op.getResults())
      if (!bypassing.contains(result))
        accesses.push_back(updates ? accessAccumulator(result)
                                   : access(result, /*writes=*/true));
    addStep(updates ? BlockStep::Kind::Update : BlockStep::Kind::Compute,
            op.getResult(0), &op, convertPhase(phase), std::move(accesses));
  }
}

void BlockSteps::addStore() {
  Operation *yield = graph.getBody().front().getTerminator();
  addStep(BlockStep::Kind::Store, nullptr, yield, StepPhase::After,
          readAll(yield->getOperands()));
  steps.back().scheduled.isLast = true;
}

ScheduleProblem BlockSteps::makeScheduleProblem() const {
  ScheduleProblem problem(hasLoop());
  for (const BlockStep &step : steps)
    problem.add(step.scheduled);
  // Sums that grew in registers need no place before.
  bool leavesSums = llvm::any_of(steps, [](const BlockStep &step) {
    return step.kind == BlockStep::Kind::Init && isCarriedSum(step.tile);
  });
  if (leavesSums)
    problem.setBarrierAtExit();
  return problem;
}

bool BlockSteps::canHandBackPlaces(const Schedule &schedule,
                                   ArrayRef<TileForm> forms) const {
  bool hasBoxes = false;
  for (auto [places, form] : llvm::zip_equal(numPlaces, forms)) {
    if (places > 1 && !form.isBoxed())
      return false;
    hasBoxes |= form.isBoxed();
  }
  // A schedule that holds has a barrier between two steps of an iteration where
  // one reads what another thread writes: none of them does.
  for (auto [number, step] : llvm::enumerate(steps))
    if (step.scheduled.phase == StepPhase::Loop &&
        step.kind != BlockStep::Kind::Refill && schedule.barrierBefore[number])
      return false;
  return hasBoxes;
}

llvm::Expected<std::optional<int64_t>>
BlockSteps::readHandBack(const Schedule &schedule,
                         ArrayRef<TileForm> forms) const {
  auto behind = graph->getAttrOfType<IntegerAttr>(kHandsBackPlacesAttr);
  if (!behind)
    return std::nullopt;
  if (!canHandBackPlaces(schedule, forms))
    return llvm::createStringError(
        "a loop whose rings are all boxed and that needs no other barrier, "
        "where '" +
        kHandsBackPlacesAttr + "' is stated");
  int64_t stages = block::GraphOp(graph).getStages();
  if (behind.getInt() >= 1 && behind.getInt() < stages)
    return behind.getInt();
  return llvm::createStringError("1 to " + Twine(stages - 1) +
                                 " iterations as '" + kHandsBackPlacesAttr +
                                 "', got " + Twine(behind.getInt()));
}

Schedule BlockSteps::readSchedule() const {
  Schedule schedule;
  schedule.order = llvm::to_vector(llvm::seq<unsigned>(0, steps.size()));
  schedule.barrierBefore.resize(steps.size());
  for (auto [number, step] : llvm::enumerate(steps))
    if ((step.kind == BlockStep::Kind::Compute ||
         step.kind == BlockStep::Kind::Update ||
         step.kind == BlockStep::Kind::Store) &&
        step.op->hasAttr(kBarrierAttr))
      schedule.barrierBefore.set(number);
  schedule.barrierAtEntry = graph->hasAttr(kBarrierAtEntryAttr);
  schedule.barrierAtHead = graph->hasAttr(kBarrierAtHeadAttr);
  schedule.barrierAtExit = graph->hasAttr(kBarrierAtExitAttr);
  return schedule;
}

namespace {
/// The epochs in which a tile is touched, those of the loop in any iteration.
struct TouchedEpochs {
  unsigned first = ~0u, last = 0;
  bool before = false, inLoop = false, behind = false;

  void touch(unsigned epoch, StepPhase phase) {
    first = std::min(first, epoch);
    last = std::max(last, epoch);
    before |= phase == StepPhase::Before;
    inLoop |= phase == StepPhase::Loop;
    behind |= phase == StepPhase::After;
  }

  /// \param period  epochs from any iteration to the last one.
  StoredTile makeTile(int64_t sizeBytes, TileForm form, unsigned period) const {
    StoredTile tile{sizeBytes, first, last + 1, form.getAlignment()};
    if (!inLoop || behind)
      return tile;
    // What came into the loop is there until the last iteration is done with
    // it; what each iteration makes is not there in between.
    if (before)
      tile.end += period;
    else
      tile.again = period;
    return tile;
  }
};
} // namespace

static int64_t getRingBytes(Value tile, TileForm form, int64_t numPlaces) {
  return (numPlaces - 1) * BlockSteps::getPlaceStride(tile, form) +
         BlockSteps::getPlaceBytes(tile, form.rowPadding);
}

int64_t BlockSteps::getRingBytes(unsigned tile, TileForm form) const {
  return ::getRingBytes(tiles[tile], form, numPlaces[tile]);
}

StorageProblem BlockSteps::makeStorageProblem(const Schedule &schedule,
                                              ArrayRef<TileForm> forms) const {
  SmallVector<TouchedEpochs> touched(tiles.size());
  unsigned epoch = 0;
  auto playPhase = [&](StepPhase phase) {
    for (unsigned number : schedule.order) {
      const ScheduledStep &step = steps[number].scheduled;
      if (step.phase != phase)
        continue;
      epoch += schedule.barrierBefore[number];
      for (const TileAccess &access : step.accesses)
        if (access.tile < tiles.size()) // no registers
          touched[access.tile].touch(epoch, phase);
    }
  };
  playPhase(StepPhase::Before);
  epoch += schedule.barrierAtEntry || schedule.barrierAtHead;
  unsigned loopBegin = epoch;
  playPhase(StepPhase::Loop);
  // Without a barrier at the head the last epoch of an iteration goes on in the
  // first of the next one.
  unsigned period = hasLoop() ? epoch - loopBegin + schedule.barrierAtHead : 0;
  epoch += period + schedule.barrierAtExit;
  playPhase(StepPhase::After);

  StorageProblem problem(kTileAlignment);
  bool isPersistent = graph->hasAttr(kPersistentBlocksAttr);
  for (auto [value, form, places, tile] :
       llvm::zip_equal(tiles, forms, numPlaces, touched)) {
    StoredTile stored =
        tile.makeTile(::getRingBytes(value, form, places), form, period);
    // Boxes of the next block of the grid come at any time.
    if (isPersistent && places > 1)
      stored = {stored.sizeBytes, 0, epoch + 1, stored.alignment};
    problem.add(stored);
  }
  if (llvm::any_of(forms, std::mem_fn(&TileForm::isBoxed)))
    problem.add({kCopyBarriersOfPlace * kCopyBarrierBytes *
                     int64_t(getGraph().getStages()),
                 0, epoch + 1});
  return problem;
}
