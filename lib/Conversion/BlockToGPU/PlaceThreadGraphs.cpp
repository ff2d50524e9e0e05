//===- PlaceThreadGraphs.cpp - Steps of warps on placed tiles -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlaceThreadGraphs.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::mirage;

static thread::StoreOp getStore(thread::GraphOp graph) {
  return graph.getBody()
      .front()
      .getTerminator()
      ->getOperand(0)
      .getDefiningOp<thread::StoreOp>();
}

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

/// Joins what a graph stores with the window of one more operand.
static void joinBefore(thread::GraphOp graph, const HeldTile &tile,
                       Combiner combiner) {
  thread::StoreOp store = getStore(graph);
  BlockArgument window =
      graph.getBody().addArgument(getWindow(tile.fragment), graph.getLoc());
  ImplicitLocOpBuilder builder(store.getLoc(), store);
  Value before = thread::LoadOp::create(builder, tile.fragment, window);
  Value part = store.getOperand();
  Value joined =
      combiner == Combiner::Add
          ? thread::AddOp::create(builder, tile.fragment, part, before)
                .getResult()
          : thread::MaximumOp::create(builder, tile.fragment, part, before)
                .getResult();
  store.getOperandMutable().assign(joined);
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

void mlir::mirage::emitStoreHeld(BlockEmitter &emitter, const HeldTile &tile,
                                 Value value, Value memref) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto graph = thread::GraphOp::create(
      builder, TypeRange(), value, memref, tile.grid,
      builder.getI64IntegerAttr(1 << kLaneBits), builder.getI64IntegerAttr(1),
      builder.getArrayAttr(tile.omap),
      builder.getDenseI64ArrayAttr(kReplicated),
      builder.getArrayAttr(tile.omap));
  OpBuilder::InsertionGuard insertion(builder);
  Block *body = builder.createBlock(&graph.getBody(), {},
                                    getWindow(tile.fragment), graph.getLoc());
  Value fragment =
      thread::LoadOp::create(builder, tile.fragment, body->getArgument(0));
  Value window =
      thread::StoreOp::create(builder, getWindow(tile.fragment), fragment);
  thread::YieldOp::create(builder, window);
}
