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
#include "ComputeTiles.h"
#include "LaunchBarriers.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Graph/TileMemory.h"
#include "MoveTiles.h"
#include "PlaceThreadGraphs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace mlir;
using namespace mlir::mirage;

/// What a loop carries, down to LLVM, that is to stay one.
static LLVM::LoopAnnotationAttr makeNoUnrolling(Builder &builder) {
  auto unroll = LLVM::LoopUnrollAttr::get(
      builder.getContext(), /*disable=*/builder.getBoolAttr(true),
      /*count=*/{}, /*runtimeDisable=*/{}, /*full=*/{}, /*followupUnrolled=*/{},
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
    addBoxCopies();
    for (auto op : graph.getBody().getOps<thread::GraphOp>())
      if (op->hasAttr(kHeldAttr))
        heldTiles.try_emplace(op.getResult(0), op);
    for (auto op : graph.getBody().getOps<block::AccumulateOp>()) {
      if (!isCarriedSum(op.getResult()))
        continue;
      carried.push_back(op);
      const HeldTile &parts = heldTiles.at(op.getOperand());
      if (Value scale = op.getRescale())
        scaleWindows.try_emplace(
            op, *thread::getFragmentLayout(parts.fragment), parts.omap,
            cast<RankedTensorType>(scale.getType()).getShape());
    }
  }

  void run() {
    emitter.emitPrologue(context.coordinates);
    addTiles();
    padTiles();
    if (boxCopies)
      boxCopies->emitInit();
    // Nothing before touches device memory.
    if (context.waitsForLaunch)
      emitWaitForLaunch(emitter.builder);
    emitPhase(StepPhase::Before);
    if (graph->hasAttr(kBarrierAtEntryAttr))
      emitter.emitBarrier();
    emitLoop();
    if (graph->hasAttr(kBarrierAtExitAttr))
      emitter.emitBarrier();
    if (boxCopies && !context.isLast)
      boxCopies->emitInvalidate();
    emitPhase(StepPhase::After);
  }

private:
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
                        handsBackPlaces());
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

  /// LLVM joins reads of neighbours, and completes the last of them to a whole
  /// access that begins in the tile: what it reads beyond, nothing uses. It
  /// stays in the tile's place, whose alignment is larger, and should be as
  /// well defined as the tile.
  void padTiles() {
    constexpr int64_t kMaxAccessBytes = 16;
    // Tiles that share a place share what lies behind it.
    std::set<int64_t> beyond;
    for (auto [tile, value] : llvm::enumerate(steps.getTiles())) {
      auto [offset, form] = getPlace(tile);
      int64_t bytes = BlockSteps::getPlaceBytes(value, form.rowPadding);
      int64_t stride = BlockSteps::getPlaceStride(value, form);
      int64_t numPlaces = steps.getNumPlaces(tile);
      for (int64_t place = 0; place < numPlaces; ++place) {
        int64_t end = offset + place * stride + bytes;
        for (int64_t byte :
             llvm::seq(end, int64_t(llvm::alignTo(end, kMaxAccessBytes))))
          beyond.insert(byte);
      }
    }
    for (auto byte = beyond.begin(); byte != beyond.end();) {
      int64_t begin = *byte, count = 0;
      while (byte != beyond.end() && *byte == begin + count &&
             count < kMaxAccessBytes) {
        ++byte;
        ++count;
      }
      emitter.emitZeros(begin, count);
    }
    if (!beyond.empty())
      emitter.emitBarrier();
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
    for (block::AccumulateOp op : carried)
      before.push_back(held.at(op.getResult()));
    auto loop = scf::ForOp::create(builder, emitter.getIndex(0),
                                   emitter.getIndex(graph.getLoop()),
                                   emitter.getIndex(1), before);
    auto setSums = [&](ValueRange values) {
      for (auto [op, sum] :
           llvm::zip_equal(carried, values.drop_front(initial.size())))
        held[op.getResult()] = sum;
    };
    Value outside = std::exchange(emitter.iteration, loop.getInductionVar());
    {
      OpBuilder::InsertionGuard insertion(builder);
      builder.setInsertionPointToStart(loop.getBody());
      setSums(loop.getRegionIterArgs());
      SmallVector<Value> next =
          body(loop.getRegionIterArgs().take_front(initial.size()));
      for (block::AccumulateOp op : carried)
        next.push_back(held.at(op.getResult()));
      if (!next.empty())
        scf::YieldOp::create(builder, next);
    }
    setSums(loop.getResults());
    emitter.iteration = outside;
  }

  /// Copies of threads are counted in groups, one for each iteration: at the
  /// head of iteration i there are i + stages - 1, and the first i + 1 have to
  /// be there. The barrier makes them everybody's. Boxes complete phases of the
  /// barrier of their place; the parity changes where the ring begins anew.
  void emitPipelinedLoop() {
    ImplicitLocOpBuilder &builder = emitter.builder;
    Value first = emitter.getIndex(0);
    SmallVector<Value> initial = {first};
    if (boxCopies)
      initial.push_back(emitI32(builder, /*value=*/0));
    // For what was written before the loop.
    if (handsBackPlaces())
      emitter.emitBarrier();
    emitLoopOver(initial, [&](ValueRange carried) {
      place = carried.front();
      emitWaitAtHead(carried);
      if (graph->hasAttr(kBarrierAtHeadAttr) && !handsBackPlaces())
        emitter.emitBarrier();
      emitPhase(StepPhase::Loop);
      if (boxCopies)
        boxCopies->emitHandBack(place);
      int64_t last = graph.getStages() - 1;
      SmallVector<Value> next = {emitWrapped(last, first, /*step=*/1)};
      if (boxCopies) {
        Value other = arith::XOrIOp::create(builder, carried.back(),
                                            emitI32(builder, /*value=*/1));
        next.push_back(arith::SelectOp::create(builder, isPlace(last), other,
                                               carried.back()));
      }
      return next;
    });
  }

  /// \param carried  the place, and the parity of its phase if boxes come.
  void emitWaitAtHead(ValueRange carried) {
    if (hasThreadCopies())
      emitWaitForCopies(emitter, graph.getStages() - 2);
    if (!boxCopies)
      return;
    if (!handsBackPlaces())
      boxCopies->emitReadFence();
    boxCopies->emitWait(carried.front(), carried.back());
  }

  bool handsBackPlaces() { return placement.handBack.has_value(); }

  /// Iterations from the one that is computed to the one that is loaded.
  int64_t getNumAhead() {
    return graph.getStages() - placement.handBack.value_or(1);
  }

  /// An i1: the place of the present iteration is this one of the rings.
  Value isPlace(int64_t number) {
    return arith::CmpIOp::create(emitter.builder, arith::CmpIPredicate::eq,
                                 place, emitter.getIndex(number));
  }

  /// place + step, but `wrapped` where the place is `last`.
  Value emitWrapped(int64_t last, Value wrapped, int64_t step) {
    ImplicitLocOpBuilder &builder = emitter.builder;
    Value isLast = isPlace(last);
    Value next = arith::AddIOp::create(builder, place, emitter.getIndex(step));
    return arith::SelectOp::create(builder, isLast, wrapped, next);
  }

  /// The place of the iteration that is loaded: of one that is behind.
  Value emitPlaceAhead() {
    ImplicitLocOpBuilder &builder = emitter.builder;
    int64_t stages = graph.getStages();
    if (getNumAhead() == stages - 1)
      return emitWrapped(0, emitter.getIndex(stages - 1), /*step=*/-1);
    Value sum =
        arith::AddIOp::create(builder, place, emitter.getIndex(getNumAhead()));
    return arith::RemUIOp::create(builder, sum, emitter.getIndex(stages));
  }

  /// Loads the tiles of an iteration, all that have a ring, into one place.
  void emitLoadsInto(Value iteration, Value place) {
    Value outside = std::exchange(emitter.iteration, iteration);
    selectPlace(place);
    for (BlockArgument argument : graph.getBody().getArguments())
      if (isRing(argument) && !isBoxed(argument)) {
        unsigned input = argument.getArgNumber();
        emitLoadAhead(emitter, input, context.buffers[input],
                      emitter.getTile(argument));
      }
    if (boxCopies)
      boxCopies->emitCopies(place);
    emitter.iteration = outside;
  }

  /// A loop of few iterations, which is not unrolled: that would save little,
  /// once, and addresses that are computed ahead take registers.
  void emitFill() {
    ImplicitLocOpBuilder &builder = emitter.builder;
    auto loop = scf::ForOp::create(builder, emitter.getIndex(0),
                                   emitter.getIndex(getNumAhead()),
                                   emitter.getIndex(1));
    loop->setAttr("loop_annotation", makeNoUnrolling(builder));
    OpBuilder::InsertionGuard insertion(builder);
    builder.setInsertionPointToStart(loop.getBody());
    emitLoadsInto(loop.getInductionVar(), loop.getInductionVar());
    emitCommitOfThreads();
  }

  /// Into the place that the iteration before has used. Behind the last
  /// iterations there is nothing to load, and groups are empty.
  void emitRefill() {
    ImplicitLocOpBuilder &builder = emitter.builder;
    Value ahead = arith::AddIOp::create(builder, emitter.iteration,
                                        emitter.getIndex(getNumAhead()));
    Value isThere =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, ahead,
                              emitter.getIndex(graph.getLoop()));
    Value before = emitPlaceAhead();
    auto guard = scf::IfOp::create(builder, isThere, /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard insertion(builder);
      builder.setInsertionPointToStart(guard.thenBlock());
      emitLoadsInto(ahead, before);
    }
    emitCommitOfThreads();
    selectPlace(place);
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
      return emitRefill();
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
      emitStore(emitter, output, context.buffers[numInputs + output],
                emitter.getTile(tile));
  }

  static Combiner getCombiner(block::AccumulateOp op) {
    return getOperatorInfo(readOperatorAttributes(op).reduction).combiner;
  }

  void emitInitStep(block::AccumulateOp op) {
    if (!isCarriedSum(op.getResult()))
      return emitInit(emitter, op);
    held[op.getResult()] = emitNeutralTile(
        emitter, heldTiles.at(op.getOperand()), getCombiner(op));
  }

  /// What a value, or a sum, is now: a memref, or a tensor in registers.
  Value getCurrent(Value value) {
    return isHeld(value) || isCarriedSum(value) ? held.at(value)
                                                : emitter.getTile(value);
  }

  /// A sum that grows with its parts has grown when its part was computed.
  void emitUpdateStep(block::AccumulateOp op) {
    if (!isCarriedSum(op.getResult()))
      return emitUpdate(emitter, op);
    if (growsWithParts(op))
      return;
    const HeldTile &tile = heldTiles.at(op.getOperand());
    Value part = held.at(op.getOperand());
    Value before = held.at(op.getResult());
    if (!op.getRescale()) {
      held[op.getResult()] =
          placeJoin(emitter, tile, getCombiner(op), before, part);
      return;
    }
    Maxima maxima{getCurrent(findRunningMaximum(op).getResult()),
                  getCurrent(op.getRescale())};
    held[op.getResult()] = placeRescaledJoin(emitter, tile, scaleWindows.at(op),
                                             maxima, before, part);
  }

  void emitFinishStep(block::AccumulateOp op) {
    if (!isCarriedSum(op.getResult()))
      return emitFinish(emitter, op);
    emitStoreHeld(emitter, heldTiles.at(op.getOperand()),
                  held.at(op.getResult()), emitter.getTile(op.getResult()));
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

  /// The same graph on the places of its tiles.
  void emitThreadGraph(thread::GraphOp op) {
    auto getPlaces = [&](ValueRange values) {
      return llvm::map_to_vector(values, [&](Value value) {
        return isHeld(value) ? held.at(value) : emitter.getTile(value);
      });
    };
    SmallVector<Value> inputs = getPlaces(op.getInputs());
    setSwizzles(op);
    if (!op->hasAttr(kHeldAttr))
      return placeThreadGraph(emitter, op, inputs, getPlaces(op.getResults()));
    Value result = op.getResult(0);
    const HeldTile &tile = heldTiles.at(result);
    auto sum = result.hasOneUse()
                   ? dyn_cast<block::AccumulateOp>(*result.user_begin())
                   : block::AccumulateOp();
    if (!sum || !growsWithParts(sum)) {
      held[result] = placeHeldGraph(emitter, op, inputs, tile);
      return;
    }
    Value &sumSoFar = held[sum.getResult()];
    sumSoFar = placeCarriedGraph(emitter, op, inputs, tile, getCombiner(sum),
                                 sumSoFar);
  }

  const BlockSteps &steps;
  const TilePlacement &placement;
  block::GraphOp graph;
  const KernelContext &context;
  BlockEmitter emitter;
  std::optional<BoxCopies> boxCopies;
  Value place; ///< in the rings, of the iteration that is computed
  DenseMap<Value, HeldTile> heldTiles;      ///< by result of a thread graph
  SmallVector<block::AccumulateOp> carried; ///< sums that grow in registers
  DenseMap<Operation *, StretchedWindow> scaleWindows; ///< by rescaled sum
  DenseMap<Value, Value> held; ///< what registers hold now
};
} // namespace

void mlir::mirage::emitSchedule(ImplicitLocOpBuilder builder,
                                const BlockSteps &steps,
                                const TilePlacement &placement,
                                const KernelContext &context) {
  ScheduleEmitter(builder, steps, placement, context).run();
}
