//===- EmitSchedule.cpp - The steps of a block as code --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmitSchedule.h"
#include "BlockEmitter.h"
#include "CarriedSums.h"
#include "ComputeTiles.h"
#include "HeldMasks.h"
#include "LateProducts.h"
#include "LaunchBarriers.h"
#include "Mirage/Analysis/AheadProducts.h"
#include "Mirage/Analysis/BypassingTiles.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Graph/TileMemory.h"
#include "MoveTiles.h"
#include "PadPlaces.h"
#include "PlaceThreadGraphs.h"
#include "Rings.h"
#include "TensorPlaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::mirage;

namespace {
class ScheduleEmitter {
public:
  ScheduleEmitter(ImplicitLocOpBuilder builder, const BlockSteps &steps,
                  const TilePlacement &placement, const KernelContext &context)
      : steps(steps), placement(placement), graph(steps.getGraph()),
        context(context), emitter(builder, graph),
        walk(emitter, context.persistent) {
    emitter.barrier = context.barrier;
    emitter.launchesLastFirst = context.longestFirst;
    emitter.setBlockCoordinates(context.coordinates);
    rings.emplace(emitter, steps, placement, context);
    for (Operation &op : graph.getBody().front()) {
      if (auto step = dyn_cast<thread::GraphOp>(op);
          step && op.hasAttr(kHeldAttr))
        held.tiles.try_emplace(step.getResult(0), step);
      if (isHeldMask(&op))
        held.tiles.try_emplace(op.getResult(0),
                               held.tiles.at(op.getOperand(0)));
    }
    sums.emplace(emitter, graph, held);
    late.emplace(emitter, graph, held);
  }

  /// \returns where the threads go on that compute.
  OpBuilder::InsertPoint run() {
    if (context.admitsNextLaunch)
      emitAdmitNextLaunch(emitter.builder);
    emitter.emitPrologue();
    addTiles();
    emitPadding(emitter, steps, placement);
    rings->emitInit();
    // Nothing before touches device memory.
    if (context.waitsForLaunch)
      emitWaitForLaunch(emitter.builder);
    rings->partWarps();
    SmallVector<Value> first;
    if (!rings->empty())
      first = rings->listValues(rings->getFirst());
    walk.forEach(first, [&](ValueRange carried) { return emitBlock(carried); });
    return emitter.builder.saveInsertionPoint();
  }

private:
  /// All steps, for one block of the grid.
  /// \param carried  the position of the first iteration in the rings, if there
  ///                 are any.
  /// \returns that of the next block's.
  SmallVector<Value> emitBlock(ValueRange carried) {
    emitter.numIterations = emitter.emitNumIterations();
    // The tiles of the block before may still be read.
    if (walk.hasSeveral())
      emitter.emitBarrier();
    emitPhase(StepPhase::Before);
    if (graph->hasAttr(kBarrierAtEntryAttr))
      emitter.emitBarrier();
    SmallVector<Value> end = emitLoop(carried);
    if (graph->hasAttr(kBarrierAtExitAttr))
      emitter.emitBarrier();
    if (!context.isLast)
      rings->emitInvalidate(end);
    emitPhase(StepPhase::After);
    if (context.isLast)
      rings->emitDrain(end);
    return end;
  }

  void addTiles() {
    auto add = [&](ValueRange values) {
      for (Value value : values)
        if (std::optional<unsigned> tile = steps.getTile(value);
            tile && !rings->isRing(value))
          emitter.addTile(value, placement.getPlace(*tile));
    };
    add(graph.getBody().getArguments());
    for (Operation &op : graph.getBody().front().without_terminator())
      add(op.getResults());
  }

  /// See `emitBlock`.
  SmallVector<Value> emitLoop(ValueRange carried) {
    if (graph.getLoop() == 1) {
      emitPhase(StepPhase::Loop);
      return {};
    }
    if (!rings->empty())
      return emitPipelinedLoop(carried);
    return emitLoopOver({}, [&](ValueRange) {
      if (graph->hasAttr(kBarrierAtHeadAttr))
        emitter.emitBarrier();
      emitPhase(StepPhase::Loop);
      return SmallVector<Value>();
    });
  }

  /// The loop, which carries `initial` and all sums that grow in registers.
  /// \param body  gives what takes the place of the former for the next
  /// iteration.
  /// \returns what it has come to.
  SmallVector<Value>
  emitLoopOver(ValueRange initial,
               llvm::function_ref<SmallVector<Value>(ValueRange)> body) {
    ImplicitLocOpBuilder &builder = emitter.builder;
    SmallVector<Value> before(initial);
    for (block::AccumulateOp op : sums->list())
      before.push_back(held.current.at(op.getResult()));
    auto loop =
        scf::ForOp::create(builder, emitter.getIndex(0), emitter.numIterations,
                           emitter.getIndex(1), before);
    auto setSums = [&](ValueRange values) {
      for (auto [op, sum] :
           llvm::zip_equal(sums->list(), values.drop_front(initial.size())))
        held.current[block::AccumulateOp(op).getResult()] = sum;
    };
    Value outside = std::exchange(emitter.iteration, loop.getInductionVar());
    {
      OpBuilder::InsertionGuard insertion(builder);
      builder.setInsertionPointToStart(loop.getBody());
      setSums(loop.getRegionIterArgs());
      SmallVector<Value> next =
          body(loop.getRegionIterArgs().take_front(initial.size()));
      for (block::AccumulateOp op : sums->list())
        next.push_back(held.current.at(op.getResult()));
      if (!next.empty())
        scf::YieldOp::create(builder, next);
    }
    if (emitter.iterationsAtOnce > 1)
      setUnrolling(loop, emitter.iterationsAtOnce);
    setSums(loop.getResults());
    emitter.iteration = outside;
    return SmallVector<Value>(loop.getResults().take_front(initial.size()));
  }

  /// Copies of threads are counted in groups, one for each iteration: at the
  /// head of iteration i there are i + stages - 1, and the first i + 1 have to
  /// be there. The barrier makes them everybody's. Boxes complete phases of the
  /// barrier of their place; the parity changes where the ring begins anew.
  /// See `emitBlock`.
  SmallVector<Value> emitPipelinedLoop(ValueRange carried) {
    SmallVector<Value> initial(carried);
    // For what was written before the loop.
    if (placement.handBack)
      emitter.emitBarrier();
    SmallVector<thread::GraphOp> ahead = listSteps(kStartsAheadAttr);
    if (!ahead.empty())
      initial.append(emitFirstProducts(ahead, initial));
    SmallVector<Value> end = emitLoopOver(initial, [&](ValueRange carried) {
      place = rings->readValues(carried);
      SmallVector<Value> next, started;
      if (ahead.empty()) {
        rings->emitWaitAtHead(place);
      } else {
        next = rings->listValues(emitNextPlace());
        started = emitNextProducts(ahead, carried, next);
      }
      if (graph->hasAttr(kBarrierAtHeadAttr) && !placement.handBack)
        emitter.emitBarrier();
      emitPhase(StepPhase::Loop);
      llvm::append_range(next, late->emitAwaitAtEnd(started));
      // Of a product that is waited for late the place is still read.
      rings->emitHandBack(place, /*isOfBefore=*/!late->empty());
      return next.empty() ? rings->listValues(emitNextPlace()) : next;
    });
    late->landAll();
    // Of what was waited for late the last place was still read.
    if ((walk.hasSeveral() || rings->areAllHandedBack()) && !late->empty())
      rings->emitLastHandBack(rings->readValues(end));
    end.truncate(carried.size());
    return end;
  }

  RingPosition emitNextPlace() {
    return place.emitNext(emitter.builder, graph.getStages());
  }

  //===--------------------------------------------------------------------===//
  // Products that run beside other steps (AheadProducts.h)
  //===--------------------------------------------------------------------===//

  SmallVector<thread::GraphOp> listSteps(StringRef attribute) {
    return llvm::filter_to_vector(
        graph.getBody().getOps<thread::GraphOp>(),
        [&](thread::GraphOp op) { return op->hasAttr(attribute); });
  }

  /// Starts products on the tiles of an iteration, which are there.
  SmallVector<Value> emitStart(ArrayRef<thread::GraphOp> products,
                               Value iteration, Value place) {
    Value outside = std::exchange(emitter.iteration, iteration);
    rings->selectPlace(place);
    SmallVector<Value> started;
    for (thread::GraphOp op : products) {
      emitter.builder.setLoc(op.getLoc());
      setSwizzles(op);
      Value result = placeHeldCopy(emitter, op, getPlaces(op.getInputs()),
                                   held.tiles.at(op.getResult(0)));
      result.getDefiningOp()->setAttr(kInFlightAttr,
                                      emitter.builder.getUnitAttr());
      started.push_back(result);
    }
    emitter.iteration = outside;
    return started;
  }

  /// The products of the first iteration, before the loop.
  SmallVector<Value> emitFirstProducts(ArrayRef<thread::GraphOp> products,
                                       ValueRange initial) {
    rings->emitWait(initial[0], initial[1]);
    return emitAwait(emitter,
                     emitStart(products, emitter.getIndex(0), initial[0]),
                     /*numPending=*/0);
  }

  /// Takes the products that the iteration before has started for this one, and
  /// starts those of the next one. Behind the last iteration they are of what
  /// lies in the next place, and are for nothing: the first tiles of the next
  /// block of the grid, or what nobody writes to any more.
  /// \param next  of the next iteration: place and parity.
  SmallVector<Value> emitNextProducts(ArrayRef<thread::GraphOp> products,
                                      ValueRange carried,
                                      ArrayRef<Value> next) {
    ImplicitLocOpBuilder &builder = emitter.builder;
    for (auto [op, value] :
         llvm::zip_equal(products, carried.take_back(products.size())))
      held.current[thread::GraphOp(op).getResult(0)] = value;
    Value following =
        arith::AddIOp::create(builder, emitter.iteration, emitter.getIndex(1));
    Value isThere = arith::CmpIOp::create(builder, arith::CmpIPredicate::ult,
                                          following, emitter.numIterations);
    if (walk.hasSeveral())
      isThere = arith::OrIOp::create(builder, isThere, walk.emitHasNext());
    auto guard = scf::IfOp::create(builder, isThere, /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard insertion(builder);
      builder.setInsertionPointToStart(guard.thenBlock());
      rings->emitWait(next[0], next[1]);
    }
    SmallVector<Value> started = emitStart(products, following, next[0]);
    rings->selectPlace(place.number);
    return started;
  }

  void emitPhase(StepPhase phase) {
    for (const BlockStep &step : steps.getSteps())
      if (step.scheduled.phase == phase)
        emitStep(step);
  }

  void emitStep(const BlockStep &step) {
    emitter.builder.setLoc(step.op->getLoc());
    switch (step.kind) {
    case BlockStep::Kind::Fill:
      return rings->emitFill();
    case BlockStep::Kind::Refill:
      return rings->emitRefill(place);
    case BlockStep::Kind::Load:
      return emitLoadStep(cast<BlockArgument>(step.tile).getArgNumber());
    case BlockStep::Kind::Init:
      return emitInitStep(cast<block::AccumulateOp>(step.op));
    case BlockStep::Kind::Finish:
      return emitFinishStep(cast<block::AccumulateOp>(step.op));
    default:
      break;
    }
    if (step.op->hasAttr(kBarrierAttr))
      emitter.emitBarrier();
    if (step.kind == BlockStep::Kind::Store)
      return emitStores();
    if (step.kind == BlockStep::Kind::Update)
      return emitUpdateStep(cast<block::AccumulateOp>(step.op));
    if (step.op->hasAttr(kStartsAheadAttr))
      return; // the iteration before has done it
    if (auto threadGraph = dyn_cast<thread::GraphOp>(step.op))
      return emitThreadGraph(threadGraph);
    if (isHeldMask(step.op)) {
      Value masked = emitHeldMask(emitter, step.op,
                                  held.current.at(step.op->getOperand(0)));
      held.current[step.op->getResult(0)] = masked;
      return;
    }
    emitCompute(emitter, cast<OperatorOpInterface>(step.op));
  }

  void emitLoadStep(unsigned input) {
    BlockArgument tile = graph.getBody().getArgument(input);
    emitLoad(emitter, input, context.buffers[input], emitter.getTile(tile),
             placement.forms[*steps.getTile(tile)]);
  }

  void emitStores() {
    unsigned numInputs = graph.getInputs().size();
    for (auto [output, tile] : llvm::enumerate(
             graph.getBody().front().getTerminator()->getOperands()))
      if (!bypassesSharedMemory(tile))
        emitStore(emitter, output, context.buffers[numInputs + output],
                  emitter.getTile(tile));
  }

  void emitInitStep(block::AccumulateOp op) {
    if (!isCarriedSum(op.getResult()))
      return emitInit(emitter, op);
    sums->emitInit(op);
  }

  void emitUpdateStep(block::AccumulateOp op) {
    if (!isCarriedSum(op.getResult()))
      return emitUpdate(emitter, op);
    sums->emitUpdate(op);
  }

  void emitFinishStep(block::AccumulateOp op) {
    if (!isCarriedSum(op.getResult()))
      return emitFinish(emitter, op);
    emitStoreHeld(emitter, held.tiles.at(op.getOperand()),
                  held.current.at(op.getResult()),
                  emitter.getTile(op.getResult()));
  }

  /// Says of which inputs of a step elements change places.
  void setSwizzles(thread::GraphOp op) {
    auto state = [&](StringRef name, bool isLoadedByThreads) {
      auto swizzles = llvm::map_to_vector(op.getInputs(), [&](Value value) {
        std::optional<unsigned> tile = steps.getTile(value);
        TileForm form = tile ? placement.forms[*tile] : TileForm();
        return form.isLoadedByThreads == isLoadedByThreads ? form.swizzleBytes
                                                           : 0;
      });
      if (llvm::any_of(swizzles, [](int64_t bytes) { return bytes > 0; }))
        op->setAttr(name, emitter.builder.getDenseI64ArrayAttr(swizzles));
    };
    state(kInputSwizzlesAttr, /*isLoadedByThreads=*/false);
    state(kThreadSwizzlesAttr, /*isLoadedByThreads=*/true);
  }

  /// \param isClipped  of what bypasses shared memory: whether it may end
  ///                   beyond its tensor.
  SmallVector<Value> getPlaces(ValueRange values, bool isClipped = true) {
    return llvm::map_to_vector(values, [&](Value value) {
      if (bypassesSharedMemory(value))
        return emitPlace(emitter, value, getTensor(value), isClipped);
      return isHeld(value) ? held.current.at(value) : emitter.getTile(value);
    });
  }

  /// Of an input or an output that has no tile.
  Value getTensor(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return context.buffers[argument.getArgNumber()];
    return context.buffers[graph.getInputs().size() +
                           value.use_begin()->getOperandNumber()];
  }

  /// Of type i1: whether what a step reads and leaves in device memory ends
  /// inside its tensors. Null where that is so in all blocks.
  Value emitEndsInsideOf(thread::GraphOp op) {
    SmallVector<Value> values;
    for (ValueRange side :
         {ValueRange(op.getInputs()), ValueRange(op.getResults())})
      llvm::copy_if(side, std::back_inserter(values), bypassesSharedMemory);
    return emitEndsInside(emitter, values);
  }

  void emitThreadGraph(thread::GraphOp op) {
    late->landBefore(op);
    setSwizzles(op);
    if (block::AccumulateOp sum = findCarriedSum(op))
      return emitCarried(op, sum);
    Value isInside = emitEndsInsideOf(op);
    Value result = isInside ? emitVersions(op, isInside)
                            : placeStep(op, op, /*isClipped=*/false);
    if (!result)
      return;
    held.current[op.getResult(0)] = result;
    sums->emitRunningScale(op.getResult(0));
  }

  /// The sum that what a step holds is a part of, if it grows with its parts.
  block::AccumulateOp findCarriedSum(thread::GraphOp op) {
    if (!op->hasAttr(kHeldAttr) || !op.getResult(0).hasOneUse())
      return {};
    auto sum = dyn_cast<block::AccumulateOp>(*op.getResult(0).user_begin());
    return sum && growsWithParts(sum) ? sum : block::AccumulateOp();
  }

  void emitCarried(thread::GraphOp op, block::AccumulateOp sum) {
    SmallVector<Value> inputs = getPlaces(op.getInputs());
    Value joined =
        placeCarriedGraph(emitter, op, inputs, held.tiles.at(op.getResult(0)),
                          getCombiner(sum), sums->emitSumSoFar(sum));
    held.current[sum.getResult()] = joined;
    if (op->hasAttr(kWaitsLateAttr))
      joined.getDefiningOp()->setAttr(kInFlightAttr,
                                      emitter.builder.getUnitAttr());
  }

  /// The same graph on the places of its tiles.
  /// \param version  the step, or a copy, whose body moves along.
  /// \returns what warps hold; null where it goes to memory.
  Value placeStep(thread::GraphOp op, thread::GraphOp version, bool isClipped) {
    SmallVector<Value> inputs = getPlaces(op.getInputs(), isClipped);
    if (op->hasAttr(kHeldAttr))
      return placeHeldGraph(emitter, version, inputs,
                            held.tiles.at(op.getResult(0)));
    placeThreadGraph(emitter, version, inputs,
                     getPlaces(op.getResults(), isClipped));
    return {};
  }

  /// For blocks where all ends inside its tensors, and for the others.
  Value emitVersions(thread::GraphOp op, Value isInside) {
    ImplicitLocOpBuilder &builder = emitter.builder;
    SmallVector<Type> types;
    if (op->hasAttr(kHeldAttr))
      types.push_back(held.tiles.at(op.getResult(0)).type);
    auto branch =
        scf::IfOp::create(builder, types, isInside, /*addThenBlock=*/true,
                          /*addElseBlock=*/true);
    for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(block);
      thread::GraphOp copy = op.clone();
      Value result = placeStep(op, copy, block == branch.elseBlock());
      copy.erase();
      scf::YieldOp::create(builder, result ? ValueRange(result) : ValueRange());
    }
    return types.empty() ? Value() : branch.getResult(0);
  }

  const BlockSteps &steps;
  const TilePlacement &placement;
  block::GraphOp graph;
  const KernelContext &context;
  BlockEmitter emitter;
  BlockWalk walk;
  std::optional<Rings> rings;
  RingPosition place; ///< of the iteration that is computed
  HeldValues held;
  std::optional<CarriedSums> sums;
  std::optional<LateProducts> late;
};
} // namespace

void mlir::mirage::emitSchedule(ImplicitLocOpBuilder &builder,
                                const BlockSteps &steps,
                                const TilePlacement &placement,
                                const KernelContext &context) {
  builder.restoreInsertionPoint(
      ScheduleEmitter(builder, steps, placement, context).run());
}
