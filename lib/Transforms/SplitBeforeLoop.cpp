//===- SplitBeforeLoop.cpp - What a loop waits for, as a kernel -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitBeforeLoop.h"
#include "Mirage/Graph/VaryingAxes.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage;

namespace {
class BeforeLoopSplitter {
public:
  explicit BeforeLoopSplitter(block::GraphOp graph)
      : graph(graph), builder(graph),
        phases(computeExecutionPhases(
            cast<TileGraphOpInterface>(graph.getOperation()))),
        varying(computeVaryingAxes(
            cast<TileGraphOpInterface>(graph.getOperation()))) {
    Operation *yield = graph.getBody().front().getTerminator();
    restOps = collectOps(yield->getOperands(), /*isRest=*/true);
    restOps.push_back(yield);
    for (Operation *op : restOps)
      for (Value operand : op->getOperands())
        if (isJoin(operand.getDefiningOp()))
          joined.insert(operand);
  }

  bool hasJoined() const { return !joined.empty(); }

  void run() {
    block::GraphOp before = buildBefore();
    block::GraphOp rest = buildRest(before);
    graph->replaceAllUsesWith(rest);
    graph->erase();
  }

private:
  /// Whether an op joins blocks before the loop.
  bool isJoin(Operation *op) const {
    auto accumulate = dyn_cast_or_null<block::AccumulateOp>(op);
    return accumulate && accumulate.getAxis() != AxisKind::Loop &&
           phases.lookup(op) == Phase::Joined;
  }

  /// The axes along which blocks have other tiles of a value.
  bool variesAlong(Value value, unsigned axis) const {
    return varying.lookup(value) >> axis & 1;
  }

  /// A joined value in device memory: a tile for each block along the axes
  /// along which they differ.
  RankedTensorType getStoredType(Value value, bool isTile) const {
    auto tile = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape;
    for (auto [axis, extent] : llvm::enumerate(block::GraphOp(graph).getGrid()))
      shape.push_back(!isTile && variesAlong(value, axis) ? extent : 1);
    llvm::append_range(shape, tile.getShape());
    return RankedTensorType::get(shape, tile.getElementType());
  }
  Attribute getStoredMap(Value value) {
    SmallVector<int64_t> map;
    for (unsigned axis = 0; axis < graph.getGrid().size(); ++axis)
      map.push_back(variesAlong(value, axis) ? int64_t(axis) : kReplicated);
    return builder.getDenseI64ArrayAttr(map);
  }

  /// The ops that some values are computed by, in their order; in the rest, of
  /// what has been joined.
  SmallVector<Operation *> collectOps(ValueRange values, bool isRest) const {
    DenseSet<Value> isRead(values.begin(), values.end());
    SmallVector<Operation *> ops;
    for (Operation &op :
         llvm::reverse(block::GraphOp(graph).getBody().front())) {
      bool isNeeded = llvm::any_of(op.getResults(), [&](Value result) {
        return isRead.contains(result);
      });
      if (!isNeeded || (isRest && isJoin(&op)))
        continue;
      ops.push_back(&op);
      isRead.insert(op.operand_begin(), op.operand_end());
    }
    std::reverse(ops.begin(), ops.end());
    return ops;
  }

  /// Of the graph's operands, those that ops read.
  struct Inputs {
    SmallVector<BlockArgument> tiles;
    SmallVector<Value> operands;
    SmallVector<Attribute> imaps;
    SmallVector<int64_t> fmaps;
  };
  Inputs collectInputs(ArrayRef<Operation *> ops) {
    DenseSet<Value> isRead;
    for (Operation *op : ops)
      isRead.insert(op->operand_begin(), op->operand_end());
    Inputs inputs;
    for (BlockArgument tile : graph.getBody().getArguments()) {
      if (!isRead.contains(tile))
        continue;
      unsigned number = tile.getArgNumber();
      inputs.tiles.push_back(tile);
      inputs.operands.push_back(graph.getInputs()[number]);
      inputs.imaps.push_back(graph.getImaps()[number]);
      inputs.fmaps.push_back(graph.getFmaps()[number]);
    }
    return inputs;
  }

  block::GraphOp buildGraph(TypeRange results, const Inputs &inputs,
                            IntegerAttr loop, IntegerAttr stages,
                            ArrayAttr omaps) {
    return block::GraphOp::create(
        builder, graph.getLoc(), results, inputs.operands, graph.getGridAttr(),
        graph.getClusterAttr(), graph.getThreadsAttr(), loop, stages,
        builder.getArrayAttr(inputs.imaps),
        builder.getDenseI64ArrayAttr(inputs.fmaps), omaps);
  }

  static void addTiles(Block &body, const Inputs &inputs, IRMapping &mapping) {
    for (BlockArgument tile : inputs.tiles)
      mapping.map(tile, body.addArgument(tile.getType(), tile.getLoc()));
  }

  block::GraphOp buildBefore() {
    SmallVector<Value> values(joined.begin(), joined.end());
    SmallVector<Operation *> ops = collectOps(values, /*isRest=*/false);
    Inputs inputs = collectInputs(ops);
    auto types = llvm::map_to_vector(values, [&](Value value) -> Type {
      return getStoredType(value, /*isTile=*/false);
    });
    auto omaps = llvm::map_to_vector(
        values, [&](Value value) { return getStoredMap(value); });
    block::GraphOp before =
        buildGraph(types, inputs, builder.getI64IntegerAttr(1),
                   builder.getI64IntegerAttr(1), builder.getArrayAttr(omaps));
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&before.getBody());
    IRMapping mapping;
    addTiles(*body, inputs, mapping);
    for (Operation *op : ops)
      builder.clone(*op, mapping);
    auto tiles = llvm::map_to_vector(values, [&](Value value) -> Value {
      return block::ReshapeOp::create(builder, value.getLoc(),
                                      getStoredType(value, /*isTile=*/true),
                                      mapping.lookup(value));
    });
    block::YieldOp::create(builder, graph.getLoc(), tiles);
    return before;
  }

  block::GraphOp buildRest(block::GraphOp before) {
    Inputs inputs = collectInputs(restOps);
    for (auto [value, stored] : llvm::zip_equal(joined, before.getResults())) {
      inputs.operands.push_back(stored);
      inputs.imaps.push_back(getStoredMap(value));
      inputs.fmaps.push_back(kReplicated);
    }
    block::GraphOp rest =
        buildGraph(graph->getResultTypes(), inputs, graph.getLoopAttr(),
                   graph.getStagesAttr(), graph.getOmapsAttr());
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&rest.getBody());
    IRMapping mapping;
    addTiles(*body, inputs, mapping);
    for (Value value : joined) {
      Value tile = body->addArgument(getStoredType(value, /*isTile=*/true),
                                     value.getLoc());
      mapping.map(value, block::ReshapeOp::create(builder, value.getLoc(),
                                                  value.getType(), tile));
    }
    for (Operation *op : restOps)
      builder.clone(*op, mapping);
    return rest;
  }

  block::GraphOp graph;
  OpBuilder builder;
  DenseMap<Operation *, Phase> phases;
  DenseMap<Value, AxisSet> varying;
  SmallVector<Operation *> restOps; ///< of the second graph
  SetVector<Value> joined;          ///< before the loop, for these
};
} // namespace

bool mlir::mirage::splitBeforeLoop(block::GraphOp graph) {
  BeforeLoopSplitter splitter(graph);
  if (!splitter.hasJoined())
    return false;
  splitter.run();
  return true;
}
