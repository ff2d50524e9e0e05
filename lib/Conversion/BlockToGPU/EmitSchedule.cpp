//===- EmitSchedule.cpp - The steps of a block as code --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmitSchedule.h"
#include "BlockEmitter.h"
#include "BoxCopies.h"
#include "CarriedSums.h"
#include "ComputeTiles.h"
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
#include "RingPosition.h"
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

/// What a loop carries, down to LLVM, of which so many iterations are to follow
/// each other; with one it is to stay as it is.
static LLVM::LoopAnnotationAttr makeUnrolling(Builder &builder, int count) {
  bool isKept = count == 1;
  auto unroll = LLVM::LoopUnrollAttr::get(
      builder.getContext(),
      /*disable=*/isKept ? builder.getBoolAttr(true) : BoolAttr(),
      /*count=*/isKept ? IntegerAttr() : builder.getI32IntegerAttr(count),
      /*runtimeDisable=*/{}, /*full=*/{}, /*followupUnrolled=*/{},
      /*followupRemainder=*/{}, /*followupAll=*/{});
  return LLVM::LoopAnnotationAttr::get(
      builder.getContext(), /*disableNonforced=*/{}, /*vectorize=*/{},
      /*interleave=*/{}, unroll, /*unrollAndJam=*/{}, /*licm=*/{},
      /*distribute=*/{}, /*pipeline=*/{}, /*peeled=*/{}, /*unswitch=*/{},
      /*mustProgress=*/{}, /*isVectorized=*/{}, /*startLoc=*/{}, /*endLoc=*/{},
      /*parallelAccesses=*/{});
}

namespace {
class ScheduleEmitter {
public:
  ScheduleEmitter(ImplicitLocOpBuilder builder, const BlockSteps &steps,
                  const TilePlacement &placement, const KernelContext &context)
      : steps(steps), placement(placement), graph(steps.getGraph()),
        context(context), emitter(builder, graph) {
    emitter.barrier = context.barrier;
    addBoxCopies();
    for (auto op : graph.getBody().getOps<thread::GraphOp>())
      if (op->hasAttr(kHeldAttr))
        held.tiles.try_emplace(op.getResult(0), op);
    sums.emplace(emitter, graph, held);
    late.emplace(emitter, graph, held);
  }

  /// \returns where the threads go on that compute.
  OpBuilder::InsertPoint run() {
    emitter.emitPrologue(context.coordinates);
    addTiles();
    emitPadding(emitter, steps, placement);
    if (boxCopies)
      boxCopies->emitInit();
    // Nothing before touches device memory.
    if (context.waitsForLaunch)
      emitWaitForLaunch(emitter.builder);
    if (hasLoadingWarps())
      partWarps();
    emitPhase(StepPhase::Before);
    if (graph->hasAttr(kBarrierAtEntryAttr))
      emitter.emitBarrier();
    emitLoop();
    if (graph->hasAttr(kBarrierAtExitAttr))
      emitter.emitBarrier();
    if (boxCopies && !context.isLast)
      boxCopies->emitInvalidate();
    emitPhase(StepPhase::After);
    return emitter.builder.saveInsertionPoint();
  }

private:
  bool hasLoadingWarps() const { return placement.loadingWarps.number > 0; }

  /// From here on loading warps have code of their own, and are gone at its
  /// end; the insertion point is that of the others.
  void partWarps() {
    ImplicitLocOpBuilder &builder = emitter.builder;
    int64_t numThreads = emitter.header.threads;
    Value computes = arith::CmpIOp::create(
        builder, arith::CmpIPredicate::ult,
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

  /// All iterations, each into the next place of the rings.
  void emitLoadsOfWarps() {
    ImplicitLocOpBuilder &builder = emitter.builder;
    boxCopies->emitByLoadingThread([&] {
      SmallVector<Value> first = listValues(getFirst());
      auto loop = scf::ForOp::create(builder, emitter.getIndex(0),
                                     emitter.getIndex(graph.getLoop()),
                                     emitter.getIndex(1), first);
      loop->setAttr("loop_annotation", makeUnrolling(builder, /*count=*/1));
      OpBuilder::InsertionGuard insertion(builder);
      builder.setInsertionPointToStart(loop.getBody());
      ValueRange carried = loop.getRegionIterArgs();
      RingPosition target = {carried[0], carried[1]};
      Value outside = std::exchange(emitter.iteration, loop.getInductionVar());
      boxCopies->emitCopies(target.number, target.parity);
      emitter.iteration = outside;
      scf::YieldOp::create(
          builder, listValues(target.emitNext(builder, graph.getStages())));
    });
  }

  void addBoxCopies() {
    SmallVector<BoxedInput> inputs;
    for (auto [input, map] :
         llvm::zip_equal(getBoxedInputs(graph), context.maps)) {
      BlockArgument argument = graph.getBody().getArgument(input);
      TilePlace ring = getPlace(*steps.getTile(argument));
      inputs.push_back({input, argument.getType(),
                        *findInputBoxes(graph, input), map, ring,
                        BlockSteps::getPlaceStride(argument, ring.form)});
    }
    if (!inputs.empty())
      boxCopies.emplace(emitter, std::move(inputs),
                        placement.plan.offsets.back(), graph.getStages(),
                        handsBackPlaces(), areBoxesReadByThreads(),
                        hasLoadingWarps());
  }

  /// Whether something else than tensor cores reads boxed inputs.
  bool areBoxesReadByThreads() {
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

  void addTiles() {
    auto add = [&](ValueRange values) {
      for (Value value : values)
        if (std::optional<unsigned> tile = steps.getTile(value);
            tile && !isRing(value))
          emitter.addTile(value, getPlace(*tile));
    };
    add(graph.getBody().getArguments());
    for (Operation &op : graph.getBody().front().without_terminator())
      add(op.getResults());
  }

  void emitLoop() {
    if (graph.getLoop() == 1)
      return emitPhase(StepPhase::Loop);
    if (hasRings())
      return emitPipelinedLoop();
    emitLoopOver({}, [&](ValueRange) {
      if (graph->hasAttr(kBarrierAtHeadAttr))
        emitter.emitBarrier();
      emitPhase(StepPhase::Loop);
      return SmallVector<Value>();
    });
  }

  /// The loop, which carries `initial` and all sums that grow in registers.
  /// \param body  gives what takes the place of the former for the next
  /// iteration.
  void emitLoopOver(ValueRange initial,
                    llvm::function_ref<SmallVector<Value>(ValueRange)> body) {
    ImplicitLocOpBuilder &builder = emitter.builder;
    SmallVector<Value> before(initial);
    for (block::AccumulateOp op : sums->list())
      before.push_back(held.current.at(op.getResult()));
    auto loop = scf::ForOp::create(builder, emitter.getIndex(0),
                                   emitter.getIndex(graph.getLoop()),
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
    // Two iterations exchange registers: of the product that is used, and of
    // that in flight. One would have to move them, a product that is waited for
    // late among them.
    if (!listSteps(kStartsAheadAttr).empty() || !late->empty())
      loop->setAttr("loop_annotation", makeUnrolling(builder, /*count=*/2));
    setSums(loop.getResults());
    emitter.iteration = outside;
  }

  /// Copies of threads are counted in groups, one for each iteration: at the
  /// head of iteration i there are i + stages - 1, and the first i + 1 have to
  /// be there. The barrier makes them everybody's. Boxes complete phases of the
  /// barrier of their place; the parity changes where the ring begins anew.
  void emitPipelinedLoop() {
    SmallVector<Value> initial = listValues(getFirst());
    // For what was written before the loop.
    if (handsBackPlaces())
      emitter.emitBarrier();
    SmallVector<thread::GraphOp> ahead = listSteps(kStartsAheadAttr);
    if (!ahead.empty())
      initial.append(emitFirstProducts(ahead, initial));
    emitLoopOver(initial, [&](ValueRange carried) {
      place = {carried.front(), boxCopies ? carried[1] : Value()};
      SmallVector<Value> next, started;
      if (ahead.empty()) {
        emitWaitAtHead();
      } else {
        next = listValues(emitNextPlace());
        started = emitNextProducts(ahead, carried, next);
      }
      if (graph->hasAttr(kBarrierAtHeadAttr) && !handsBackPlaces())
        emitter.emitBarrier();
      emitPhase(StepPhase::Loop);
      llvm::append_range(next, late->emitAwaitAtEnd(started));
      if (boxCopies)
        emitHandBack();
      return next.empty() ? listValues(emitNextPlace()) : next;
    });
    late->landAll();
  }

  /// Of a product that is waited for late the place is still read.
  void emitHandBack() {
    if (late->empty())
      return boxCopies->emitHandBack(place.number);
    ImplicitLocOpBuilder &builder = emitter.builder;
    Value hasBefore =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::ne,
                              emitter.iteration, emitter.getIndex(0));
    Value before = place.emitNumberBefore(builder, graph.getStages());
    auto guard =
        scf::IfOp::create(builder, hasBefore, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard insertion(builder);
    builder.setInsertionPointToStart(guard.thenBlock());
    boxCopies->emitHandBack(before);
  }

  /// Of the first iteration.
  RingPosition getFirst() {
    return {emitter.getIndex(0), emitI32(emitter.builder, /*value=*/0)};
  }

  RingPosition emitNextPlace() {
    return place.emitNext(emitter.builder, graph.getStages());
  }

  /// What the loop carries of a position: its parity if boxes come.
  SmallVector<Value> listValues(RingPosition position) {
    if (!boxCopies)
      return {position.number};
    return {position.number, position.parity};
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
    selectPlace(place);
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
    boxCopies->emitWait(initial[0], initial[1]);
    return emitAwait(emitter,
                     emitStart(products, emitter.getIndex(0), initial[0]),
                     /*numPending=*/0);
  }

  /// Takes the products that the iteration before has started for this one, and
  /// starts those of the next one. Behind the last iteration they are of what
  /// lies in the next place, which nobody writes to any more, and are for
  /// nothing.
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
    Value isThere =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, following,
                              emitter.getIndex(graph.getLoop()));
    auto guard = scf::IfOp::create(builder, isThere, /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard insertion(builder);
      builder.setInsertionPointToStart(guard.thenBlock());
      boxCopies->emitWait(next[0], next[1]);
    }
    SmallVector<Value> started = emitStart(products, following, next[0]);
    selectPlace(place.number);
    return started;
  }

  void emitWaitAtHead() {
    if (hasThreadCopies())
      emitWaitForCopies(emitter, graph.getStages() - 2);
    if (!boxCopies)
      return;
    if (!handsBackPlaces())
      boxCopies->emitReadFence();
    boxCopies->emitWait(place.number, place.parity);
  }

  bool handsBackPlaces() { return placement.handBack.has_value(); }

  /// Iterations from the one that is computed to the one that is loaded.
  int64_t getNumAhead() {
    return graph.getStages() - placement.handBack.value_or(1);
  }

  /// Loads the tiles of an iteration, all that have a ring, into one place.
  void emitLoadsInto(Value iteration, RingPosition ahead) {
    Value outside = std::exchange(emitter.iteration, iteration);
    selectPlace(ahead.number);
    for (BlockArgument argument : graph.getBody().getArguments())
      if (isRing(argument) && !isBoxed(argument)) {
        unsigned input = argument.getArgNumber();
        emitLoadAhead(emitter, input, context.buffers[input],
                      emitter.getTile(argument));
      }
    if (boxCopies)
      boxCopies->emitByLoadingThread(
          [&] { boxCopies->emitCopies(ahead.number, ahead.parity); });
    emitter.iteration = outside;
  }

  /// A loop of few iterations, which is not unrolled: that would save little,
  /// once, and addresses that are computed ahead take registers.
  void emitFill() {
    if (hasLoadingWarps())
      return;
    ImplicitLocOpBuilder &builder = emitter.builder;
    auto loop = scf::ForOp::create(builder, emitter.getIndex(0),
                                   emitter.getIndex(getNumAhead()),
                                   emitter.getIndex(1));
    loop->setAttr("loop_annotation", makeUnrolling(builder, /*count=*/1));
    OpBuilder::InsertionGuard insertion(builder);
    builder.setInsertionPointToStart(loop.getBody());
    emitLoadsInto(loop.getInductionVar(),
                  {loop.getInductionVar(), emitI32(builder, /*value=*/0)});
    emitCommitOfThreads();
  }

  /// Into the place that the iteration before has used. Behind the last
  /// iterations there is nothing to load, and groups are empty.
  void emitRefill() {
    if (hasLoadingWarps())
      return;
    ImplicitLocOpBuilder &builder = emitter.builder;
    Value ahead = arith::AddIOp::create(builder, emitter.iteration,
                                        emitter.getIndex(getNumAhead()));
    Value isThere =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, ahead,
                              emitter.getIndex(graph.getLoop()));
    RingPosition target =
        place.emitAhead(builder, graph.getStages(), getNumAhead());
    auto guard = scf::IfOp::create(builder, isThere, /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard insertion(builder);
      builder.setInsertionPointToStart(guard.thenBlock());
      emitLoadsInto(ahead, target);
    }
    emitCommitOfThreads();
  }

  void emitCommitOfThreads() {
    if (hasThreadCopies())
      emitCommitCopies(emitter);
  }

  /// Whether threads copy some of the tiles that are loaded ahead.
  bool hasThreadCopies() {
    return llvm::any_of(graph.getBody().getArguments(),
                        [&](BlockArgument argument) {
                          return isRing(argument) && !isBoxed(argument);
                        });
  }

  /// A loop that loads nothing has none, however many stages it has.
  bool hasRings() const {
    return llvm::any_of(steps.getSteps(), [](const BlockStep &step) {
      return step.kind == BlockStep::Kind::Refill;
    });
  }

  TilePlace getPlace(unsigned tile) const {
    return {placement.plan.offsets[tile], placement.forms[tile]};
  }

  bool isBoxed(Value value) const {
    std::optional<unsigned> tile = steps.getTile(value);
    return tile && placement.forms[*tile].isBoxed();
  }

  bool isRing(Value value) const {
    std::optional<unsigned> tile = steps.getTile(value);
    return tile && steps.getNumPlaces(*tile) > 1;
  }

  /// For all values that are held in rings, inputs and what reshapes them.
  void selectPlace(Value place) {
    auto select = [&](ValueRange values) {
      for (Value value : values)
        if (isRing(value))
          emitter.selectPlace(value, getPlace(*steps.getTile(value)), place);
    };
    select(graph.getBody().getArguments());
    for (Operation &op : graph.getBody().front().without_terminator())
      select(op.getResults());
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
      return emitFill();
    case BlockStep::Kind::Refill:
      emitRefill();
      return selectPlace(place.number);
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
    emitCompute(emitter, cast<OperatorOpInterface>(step.op));
  }

  void emitLoadStep(unsigned input) {
    emitLoad(emitter, input, context.buffers[input],
             emitter.getTile(graph.getBody().getArgument(input)));
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
    auto swizzles = llvm::map_to_vector(op.getInputs(), [&](Value value) {
      return isBoxed(value)
                 ? placement.forms[*steps.getTile(value)].swizzleBytes
                 : 0;
    });
    if (llvm::any_of(swizzles, [](int64_t bytes) { return bytes > 0; }))
      op->setAttr(kInputSwizzlesAttr,
                  emitter.builder.getDenseI64ArrayAttr(swizzles));
  }

  SmallVector<Value> getPlaces(ValueRange values) {
    return llvm::map_to_vector(values, [&](Value value) {
      if (bypassesSharedMemory(value))
        return emitPlaceInTensor(value);
      return isHeld(value) ? held.current.at(value) : emitter.getTile(value);
    });
  }

  /// Of an input or an output that has no tile.
  Value emitPlaceInTensor(Value value) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(value.getType()).getShape();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      unsigned input = argument.getArgNumber();
      return emitInputPlace(emitter, input, context.buffers[input], shape);
    }
    unsigned output = value.use_begin()->getOperandNumber();
    return emitOutputPlace(emitter, output,
                           context.buffers[graph.getInputs().size() + output],
                           shape);
  }

  /// The same graph on the places of its tiles.
  void emitThreadGraph(thread::GraphOp op) {
    late->landBefore(op);
    SmallVector<Value> inputs = getPlaces(op.getInputs());
    setSwizzles(op);
    if (!op->hasAttr(kHeldAttr))
      return placeThreadGraph(emitter, op, inputs, getPlaces(op.getResults()));
    Value result = op.getResult(0);
    const HeldTile &tile = held.tiles.at(result);
    auto sum = result.hasOneUse()
                   ? dyn_cast<block::AccumulateOp>(*result.user_begin())
                   : block::AccumulateOp();
    if (!sum || !growsWithParts(sum)) {
      held.current[result] = placeHeldGraph(emitter, op, inputs, tile);
      return sums->emitRunningScale(result);
    }
    Value joined = placeCarriedGraph(emitter, op, inputs, tile,
                                     getCombiner(sum), sums->emitSumSoFar(sum));
    held.current[sum.getResult()] = joined;
    if (op->hasAttr(kWaitsLateAttr))
      joined.getDefiningOp()->setAttr(kInFlightAttr,
                                      emitter.builder.getUnitAttr());
  }

  const BlockSteps &steps;
  const TilePlacement &placement;
  block::GraphOp graph;
  const KernelContext &context;
  BlockEmitter emitter;
  std::optional<BoxCopies> boxCopies;
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
