//===- PlaceThreadGraphs.cpp - Steps of warps on placed tiles -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlaceThreadGraphs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::mirage;

/// Items whose numbers have bits.
static DenseI64ArrayAttr roundUp(DenseI64ArrayAttr grid) {
  auto extents = llvm::map_to_vector(grid.asArrayRef(), [](int64_t extent) {
    return int64_t(llvm::PowerOf2Ceil(extent));
  });
  return DenseI64ArrayAttr::get(grid.getContext(), extents);
}

HeldTile::HeldTile(thread::GraphOp graph)
    : type(getHeldType(graph.getResult(0))),
      fragment(cast<RankedTensorType>(getStore(graph).getOperand().getType())),
      grid(roundUp(graph.getGridAttr())),
      omap(cast<DenseI64ArrayAttr>(graph.getOmaps()[0])) {}

static RankedTensorType getWindow(RankedTensorType fragment) {
  return RankedTensorType::get(fragment.getShape(), fragment.getElementType());
}

static thread::GraphOp createGraph(BlockEmitter &emitter, thread::GraphOp from,
                                   ValueRange inputs, TypeRange results,
                                   ValueRange memrefs,
                                   ArrayRef<Attribute> imaps,
                                   ArrayRef<int64_t> fmaps) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  bool isHeldSomewhere =
      !results.empty() ||
      !llvm::all_of(inputs.getTypes(), llvm::IsaPred<MemRefType>);
  DenseI64ArrayAttr grid =
      isHeldSomewhere ? roundUp(from.getGridAttr()) : from.getGridAttr();
  auto placed = thread::GraphOp::create(
      builder, results, inputs, memrefs, grid, from.getThreadsAttr(),
      from.getLoopAttr(), builder.getArrayAttr(imaps),
      builder.getDenseI64ArrayAttr(fmaps), from.getOmapsAttr());
  placed.getBody().takeBody(from.getBody());
  // Operands that are added behind the graph's own are held.
  for (StringRef name : {kInputSwizzlesAttr, kThreadSwizzlesAttr})
    if (auto swizzles = from->getAttrOfType<DenseI64ArrayAttr>(name)) {
      SmallVector<int64_t> byInput(swizzles.asArrayRef());
      byInput.resize(inputs.size());
      placed->setAttr(name, builder.getDenseI64ArrayAttr(byInput));
    }
  return placed;
}

void mlir::mirage::placeThreadGraph(BlockEmitter &emitter,
                                    thread::GraphOp graph, ValueRange inputs,
                                    ValueRange memrefs) {
  createGraph(emitter, graph, inputs, TypeRange(), memrefs,
              graph.getImaps().getValue(), graph.getFmaps());
}

Value mlir::mirage::placeHeldGraph(BlockEmitter &emitter, thread::GraphOp graph,
                                   ValueRange inputs, const HeldTile &result) {
  return createGraph(emitter, graph, inputs, result.type, ValueRange(),
                     graph.getImaps().getValue(), graph.getFmaps())
      .getResult(0);
}

Value mlir::mirage::placeHeldCopy(BlockEmitter &emitter, thread::GraphOp graph,
                                  ValueRange inputs, const HeldTile &result) {
  thread::GraphOp copy = graph.clone();
  Value placed = placeHeldGraph(emitter, copy, inputs, result);
  copy.erase();
  return placed;
}

static Value emitJoin(ImplicitLocOpBuilder &builder, RankedTensorType fragment,
                      Combiner combiner, Value lhs, Value rhs) {
  if (combiner == Combiner::Add)
    return thread::AddOp::create(builder, fragment, lhs, rhs);
  assert(combiner == Combiner::Max && "no other sums are carried");
  return thread::MaximumOp::create(builder, fragment, lhs, rhs);
}

/// Joins what a graph stores with the window of one more operand.
static void joinBefore(thread::GraphOp graph, const HeldTile &tile,
                       Combiner combiner) {
  thread::StoreOp store = getStore(graph);
  BlockArgument window =
      graph.getBody().addArgument(getWindow(tile.fragment), graph.getLoc());
  ImplicitLocOpBuilder builder(store.getLoc(), store);
  Value before = thread::LoadOp::create(builder, tile.fragment, window);
  store.getOperandMutable().assign(
      emitJoin(builder, tile.fragment, combiner, store.getOperand(), before));
}

Value mlir::mirage::placeCarriedGraph(BlockEmitter &emitter,
                                      thread::GraphOp graph, ValueRange inputs,
                                      const HeldTile &result, Combiner combiner,
                                      Value before) {
  joinBefore(graph, result, combiner);
  SmallVector<Value> operands(inputs);
  operands.push_back(before);
  SmallVector<Attribute> imaps(graph.getImaps().getValue());
  imaps.push_back(result.omap);
  SmallVector<int64_t> fmaps(graph.getFmaps());
  fmaps.push_back(kReplicated);
  return createGraph(emitter, graph, operands, result.type, ValueRange(), imaps,
                     fmaps)
      .getResult(0);
}

Value mlir::mirage::emitNeutralTile(BlockEmitter &emitter, const HeldTile &tile,
                                    Combiner combiner) {
  Attribute neutral = emitter.builder.getFloatAttr(tile.type.getElementType(),
                                                   getNeutral(combiner));
  return arith::ConstantOp::create(emitter.builder,
                                   cast<TypedAttr>(DenseElementsAttr::get(
                                       cast<ShapedType>(tile.type), neutral)));
}

namespace {
/// A window that items read of a value that is held.
struct HeldOperand {
  Value value;
  RankedTensorType fragment;
  DenseI64ArrayAttr imap;
};
} // namespace

/// A graph of the items that hold a tile, which reads other values that they
/// hold.
/// \param results, memrefs  where the tile goes, one of the two.
/// \param compute           gives the tile's fragment for those of operands.
static thread::GraphOp
createHeldGraph(BlockEmitter &emitter, const HeldTile &tile, TypeRange results,
                ValueRange memrefs, ArrayRef<HeldOperand> operands,
                llvm::function_ref<Value(ValueRange)> compute) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  SmallVector<Value> values;
  SmallVector<Attribute> imaps;
  SmallVector<Type> windows;
  for (const HeldOperand &operand : operands) {
    values.push_back(operand.value);
    imaps.push_back(operand.imap);
    windows.push_back(getWindow(operand.fragment));
  }
  SmallVector<int64_t> fmaps(operands.size(), kReplicated);
  auto graph = thread::GraphOp::create(
      builder, results, values, memrefs, tile.grid,
      builder.getI64IntegerAttr(1 << kLaneBits), builder.getI64IntegerAttr(1),
      builder.getArrayAttr(imaps), builder.getDenseI64ArrayAttr(fmaps),
      builder.getArrayAttr(tile.omap));
  OpBuilder::InsertionGuard insertion(builder);
  SmallVector<Location> locations(operands.size(), graph.getLoc());
  Block *body = builder.createBlock(&graph.getBody(), {}, windows, locations);
  SmallVector<Value> fragments;
  for (auto [operand, window] : llvm::zip_equal(operands, body->getArguments()))
    fragments.push_back(
        thread::LoadOp::create(builder, operand.fragment, window));
  Value window = thread::StoreOp::create(builder, getWindow(tile.fragment),
                                         compute(fragments));
  thread::YieldOp::create(builder, window);
  return graph;
}

Value mlir::mirage::placeJoin(BlockEmitter &emitter, const HeldTile &tile,
                              Combiner combiner, Value before, Value part) {
  HeldOperand operands[] = {{before, tile.fragment, tile.omap},
                            {part, tile.fragment, tile.omap}};
  return createHeldGraph(emitter, tile, tile.type, {}, operands,
                         [&](ValueRange fragments) {
                           return emitJoin(emitter.builder, tile.fragment,
                                           combiner, fragments[0],
                                           fragments[1]);
                         })
      .getResult(0);
}

/// value · exp(from - to), and 0 where `from` is minus infinity.
static Value emitRescaled(ImplicitLocOpBuilder &builder, Value value,
                          Value from, Value to) {
  Value difference = thread::SubOp::create(builder, from.getType(), from, to);
  Value factor = thread::ExpOp::create(builder, from.getType(), difference);
  Value product =
      thread::MulOp::create(builder, value.getType(), value, factor);
  return thread::VanishOp::create(builder, value.getType(), product, from);
}

Value mlir::mirage::placeRescaledJoin(BlockEmitter &emitter,
                                      const HeldTile &tile,
                                      const StretchedWindow &window,
                                      Maxima maxima, Value before, Value part) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  RankedTensorType fragment =
      thread::getFragmentType(window.fragment, tile.fragment.getElementType());
  DenseI64ArrayAttr imap = builder.getDenseI64ArrayAttr(window.imap);
  HeldOperand operands[] = {{before, tile.fragment, tile.omap},
                            {part, tile.fragment, tile.omap},
                            {maxima.running, fragment, imap},
                            {maxima.own, fragment, imap}};
  return createHeldGraph(
             emitter, tile, tile.type, {}, operands,
             [&](ValueRange values) {
               Value before = values[0], part = values[1];
               Value running = values[2], own = values[3];
               Value larger =
                   thread::MaximumOp::create(builder, fragment, running, own);
               return thread::AddOp::create(
                          builder, tile.fragment,
                          emitRescaled(builder, before, running, larger),
                          emitRescaled(builder, part, own, larger))
                   .getResult();
             })
      .getResult(0);
}

RunningScale mlir::mirage::placeRunningScale(BlockEmitter &emitter,
                                             const HeldTile &tile,
                                             Value running, Value own) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  RankedTensorType fragment = tile.fragment;
  auto place = [&](Value lhs, Value rhs, auto compute) {
    HeldOperand operands[] = {{lhs, fragment, tile.omap},
                              {rhs, fragment, tile.omap}};
    return createHeldGraph(emitter, tile, tile.type, {}, operands,
                           [&](ValueRange values) -> Value {
                             return compute(values[0], values[1]);
                           })
        .getResult(0);
  };
  Value maximum = place(running, own, [&](Value running, Value own) {
    return thread::MaximumOp::create(builder, fragment, running, own);
  });
  Value base = place(maximum, maximum, [&](Value maximum, Value same) {
    return thread::VanishOp::create(builder, fragment, maximum, same);
  });
  Value factor = place(running, base, [&](Value running, Value base) {
    Value difference = thread::SubOp::create(builder, fragment, running, base);
    return thread::ExpOp::create(builder, fragment, difference);
  });
  return {maximum, base, factor};
}

Value mlir::mirage::placeScaled(BlockEmitter &emitter, const HeldTile &tile,
                                const StretchedWindow &window, Value sum,
                                Value factor) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  HeldOperand operands[] = {
      {sum, tile.fragment, tile.omap},
      {factor,
       thread::getFragmentType(window.fragment, tile.fragment.getElementType()),
       builder.getDenseI64ArrayAttr(window.imap)}};
  return createHeldGraph(emitter, tile, tile.type, {}, operands,
                         [&](ValueRange values) -> Value {
                           return thread::MulOp::create(builder, tile.fragment,
                                                        values[0], values[1]);
                         })
      .getResult(0);
}

void mlir::mirage::emitStoreHeld(BlockEmitter &emitter, const HeldTile &tile,
                                 Value value, Value memref) {
  HeldOperand operand{value, tile.fragment, tile.omap};
  createHeldGraph(emitter, tile, TypeRange(), memref, operand,
                  [](ValueRange fragments) { return fragments[0]; });
}
