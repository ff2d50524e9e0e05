//===- Rings.cpp - Tiles that are loaded ahead ----------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rings.h"
#include "Mirage/Analysis/CausalLoop.h"
#include "Mirage/Analysis/Multicast.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "MoveTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::mirage;

Rings::Rings(BlockEmitter &emitter, const BlockSteps &steps,
             const TilePlacement &placement, const KernelContext &context)
    : emitter(emitter), steps(steps), placement(placement), context(context),
      graph(steps.getGraph()) {
  addBoxCopies();
}

void Rings::addBoxCopies() {
  std::vector<BoxedInput> inputs;
  for (auto [input, map] :
       llvm::zip_equal(getBoxedInputs(graph), context.maps)) {
    BlockArgument argument = graph.getBody().getArgument(input);
    TilePlace ring = placement.getPlace(*steps.getTile(argument));
    inputs.push_back({input, argument.getType(), *findLoadedBoxes(graph, input),
                      map, ring,
                      BlockSteps::getPlaceStride(argument, ring.form),
                      getSameAxes(graph, input)});
  }
  if (!inputs.empty())
    boxCopies.emplace(emitter, std::move(inputs),
                      BoxPlaces{placement.plan.offsets.back(),
                                static_cast<unsigned>(graph.getStages()),
                                placement.handBack.has_value(),
                                areBoxesReadByThreads(), hasLoadingWarps(),
                                context.cluster});
}

/// Whether something else than tensor cores reads boxed inputs.
bool Rings::areBoxesReadByThreads() {
  return llvm::any_of(getBoxedInputs(graph), [&](unsigned input) {
    BlockArgument tile = graph.getBody().getArgument(input);
    return llvm::any_of(tile.getUses(), [](OpOperand &use) {
      auto step = dyn_cast<thread::GraphOp>(use.getOwner());
      if (!step)
        return true;
      return !thread::isReadByWgmma(
          step.getBody().getArgument(use.getOperandNumber()));
    });
  });
}

bool Rings::empty() const {
  return llvm::none_of(steps.getSteps(), [](const BlockStep &step) {
    return step.kind == BlockStep::Kind::Refill;
  });
}

bool Rings::isBoxed(Value tile) const {
  std::optional<unsigned> number = steps.getTile(tile);
  return number && placement.forms[*number].isBoxed();
}

bool Rings::isRing(Value tile) const {
  std::optional<unsigned> number = steps.getTile(tile);
  return number && steps.getNumPlaces(*number) > 1;
}

void Rings::selectPlace(Value number) {
  auto select = [&](ValueRange values) {
    for (Value value : values)
      if (isRing(value))
        emitter.selectPlace(value, placement.getPlace(*steps.getTile(value)),
                            number);
  };
  select(graph.getBody().getArguments());
  for (Operation &op : graph.getBody().front().without_terminator())
    select(op.getResults());
}

RingPosition Rings::getFirst() {
  return {emitter.getIndex(0), emitI32(emitter.builder, /*value=*/0)};
}

SmallVector<Value> Rings::listValues(RingPosition position) const {
  if (!boxCopies)
    return {position.number};
  return {position.number, position.parity};
}

RingPosition Rings::readValues(ValueRange carried) const {
  return {carried.front(), boxCopies ? carried[1] : Value()};
}

void Rings::emitInit() {
  if (boxCopies)
    boxCopies->emitInit();
}

void Rings::emitInvalidate(ValueRange end) {
  if (!boxCopies)
    return;
  boxCopies->emitInvalidate([&] {
    if (areAllHandedBack())
      emitWaitUntilAllAreFree(readValues(end));
  });
}

bool Rings::areAllHandedBack() const {
  return boxCopies && boxCopies->areShared();
}

void Rings::emitDrain(ValueRange end) {
  if (areAllHandedBack() && !hasLoadingWarps())
    boxCopies->emitByLoadingThread(
        [&] { emitWaitUntilAllAreFree(readValues(end)); });
}

/// As if all places were filled once more. Those that never were are free.
void Rings::emitWaitUntilAllAreFree(RingPosition end) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto loop = scf::ForOp::create(builder, emitter.getIndex(0),
                                 emitter.getIndex(graph.getStages()),
                                 emitter.getIndex(1), listValues(end));
  setUnrolling(loop, /*count=*/1);
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToStart(loop.getBody());
  RingPosition place = readValues(loop.getRegionIterArgs());
  boxCopies->emitWaitUntilFree(place.number, place.parity);
  scf::YieldOp::create(builder,
                       listValues(place.emitNext(builder, graph.getStages())));
}

//===----------------------------------------------------------------------===//
// Warps that load
//===----------------------------------------------------------------------===//

void Rings::partWarps() {
  if (!hasLoadingWarps())
    return;
  ImplicitLocOpBuilder &builder = emitter.builder;
  int64_t numThreads = emitter.header.threads;
  Value computes =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::ult,
                            gpu::ThreadIdOp::create(builder, gpu::Dimension::x),
                            emitter.getIndex(numThreads));
  auto roles = scf::IfOp::create(builder, computes, /*withElseRegion=*/true);
  const std::optional<RegisterShares> &shares = placement.loadingWarps.shares;
  auto takeShare = [&](int64_t registers, NVVM::SetMaxRegisterAction action) {
    if (shares)
      NVVM::SetMaxRegisterOp::create(builder, registers, action);
  };
  builder.setInsertionPointToStart(roles.elseBlock());
  takeShare(shares ? shares->ofLoading : 0,
            NVVM::SetMaxRegisterAction::decrease);
  emitLoadsOfWarps();
  builder.setInsertionPointToStart(roles.thenBlock());
  takeShare(shares ? shares->ofComputing : 0,
            NVVM::SetMaxRegisterAction::increase);
  emitter.barrier = BlockBarrier(numThreads);
}

void Rings::emitLoadsOfWarps() {
  boxCopies->emitByLoadingThread([&] {
    SmallVector<Value> end =
        BlockWalk(emitter, context.persistent)
            .forEach(listValues(getFirst()),
                     [&](ValueRange carried) { return emitLoadLoop(carried); });
    // Before another graph the thread waits that makes mbarriers invalid.
    if (areAllHandedBack() && context.isLast)
      emitWaitUntilAllAreFree(readValues(end));
  });
}

/// All iterations, each into the next place of the rings.
/// \param initial  the first one's position.
/// \returns the one behind the last.
SmallVector<Value> Rings::emitLoadLoop(ValueRange initial) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto loop = scf::ForOp::create(builder, emitter.getIndex(0),
                                 emitter.emitNumIterations(),
                                 emitter.getIndex(1), initial);
  setUnrolling(loop, /*count=*/1);
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToStart(loop.getBody());
  ValueRange carried = loop.getRegionIterArgs();
  RingPosition target = readValues(carried);
  Value outside = std::exchange(emitter.iteration, loop.getInductionVar());
  boxCopies->emitCopies(target.number, target.parity);
  emitter.iteration = outside;
  scf::YieldOp::create(builder,
                       listValues(target.emitNext(builder, graph.getStages())));
  return SmallVector<Value>(loop.getResults());
}

//===----------------------------------------------------------------------===//
// Loads on the way
//===----------------------------------------------------------------------===//

/// Iterations from the one that is computed to the one that is loaded.
int64_t Rings::getNumAhead() {
  return graph.getStages() - placement.handBack.value_or(1);
}

/// Whether threads copy some of the tiles that are loaded ahead.
bool Rings::hasThreadCopies() {
  return llvm::any_of(graph.getBody().getArguments(),
                      [&](BlockArgument argument) {
                        return isRing(argument) && !isBoxed(argument);
                      });
}

void Rings::emitCommitOfThreads() {
  if (hasThreadCopies())
    emitCommitCopies(emitter);
}

/// Loads the tiles of an iteration, all that have a ring, into one place.
void Rings::emitLoadsInto(Value iteration, RingPosition ahead) {
  Value outside = std::exchange(emitter.iteration, iteration);
  selectPlace(ahead.number);
  for (BlockArgument argument : graph.getBody().getArguments())
    if (isRing(argument) && !isBoxed(argument)) {
      unsigned input = argument.getArgNumber();
      emitLoadAhead(emitter, input, context.buffers[input],
                    emitter.getTile(argument),
                    placement.forms[*steps.getTile(argument)]);
    }
  if (boxCopies)
    boxCopies->emitByLoadingThread(
        [&] { boxCopies->emitCopies(ahead.number, ahead.parity); });
  emitter.iteration = outside;
}

/// A loop of few iterations, which is not unrolled: that would save little,
/// once, and addresses that are computed ahead take registers.
void Rings::emitFill() {
  if (hasLoadingWarps())
    return;
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto loop =
      scf::ForOp::create(builder, emitter.getIndex(0),
                         emitter.getIndex(getNumAhead()), emitter.getIndex(1));
  setUnrolling(loop, /*count=*/1);
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar();
  RingPosition target{number, emitI32(builder, /*value=*/0)};
  if (!graph->hasAttr(kEndsEarlyAttr)) {
    emitLoadsInto(number, target);
  } else { // there may be fewer iterations than places
    Value isThere = arith::CmpIOp::create(builder, arith::CmpIPredicate::ult,
                                          number, emitter.numIterations);
    auto guard = scf::IfOp::create(builder, isThere, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard inGuard(builder);
    builder.setInsertionPointToStart(guard.thenBlock());
    emitLoadsInto(number, target);
  }
  emitCommitOfThreads();
}

/// Into the place that the iteration before has used. Behind the last
/// iterations there is nothing to load, and groups are empty.
void Rings::emitRefill(RingPosition place) {
  if (hasLoadingWarps())
    return selectPlace(place.number);
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value ahead = arith::AddIOp::create(builder, emitter.iteration,
                                      emitter.getIndex(getNumAhead()));
  Value isThere = arith::CmpIOp::create(builder, arith::CmpIPredicate::ult,
                                        ahead, emitter.numIterations);
  RingPosition target =
      place.emitAhead(builder, graph.getStages(), getNumAhead());
  auto guard = scf::IfOp::create(builder, isThere, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard insertion(builder);
    builder.setInsertionPointToStart(guard.thenBlock());
    emitLoadsInto(ahead, target);
  }
  emitCommitOfThreads();
  selectPlace(place.number);
}

void Rings::emitWaitAtHead(RingPosition place) {
  if (hasThreadCopies())
    emitWaitForCopies(emitter, graph.getStages() - 2);
  if (!boxCopies)
    return;
  if (!placement.handBack)
    boxCopies->emitReadFence();
  boxCopies->emitWait(place.number, place.parity);
}

void Rings::emitWait(Value number, Value parity) {
  boxCopies->emitWait(number, parity);
}

void Rings::emitHandBack(RingPosition place, bool isOfBefore) {
  if (!boxCopies)
    return;
  if (!isOfBefore)
    return boxCopies->emitHandBack(place.number);
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value hasBefore =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::ne,
                            emitter.iteration, emitter.getIndex(0));
  Value before = place.emitNumberBefore(builder, graph.getStages());
  auto guard = scf::IfOp::create(builder, hasBefore, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToStart(guard.thenBlock());
  boxCopies->emitHandBack(before);
}

void Rings::emitLastHandBack(RingPosition end) {
  boxCopies->emitHandBack(
      end.emitNumberBefore(emitter.builder, graph.getStages()));
}
