//===- SplitBeforeLoop.cpp - What a loop waits for, as a kernel -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitBeforeLoop.h"
#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Graph/JoinsAhead.h"
#include "Mirage/Graph/VaryingAxes.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage;

namespace {
class BeforeLoopSplitter {
public:
  /// \param tiles  what `graph` is, operation by operation.
  BeforeLoopSplitter(block::GraphOp graph, const TileGraph &tiles,
                     const JoinsAhead &split)
      : graph(graph), builder(graph), tiles(tiles),
        varying(computeVaryingAxes(tiles)), split(split) {
    for (Value argument : graph.getBody().getArguments())
      values.push_back(argument);
    for (Operation &op : graph.getBody().front().without_terminator())
      llvm::append_range(values, op.getResults());
    assert(values.size() == tiles.getNumValues() &&
           "there is a node for each op");
  }

  void run() {
    block::GraphOp ahead = buildAhead();
    block::GraphOp withLoop = buildWithLoop(ahead);
    graph->replaceAllUsesWith(withLoop);
    graph->erase();
  }

private:
  unsigned getRank() const { return tiles.grid.size(); }

  /// The axes along which blocks that join ahead differ, or are joined.
  AxisSet findAxesAhead() const {
    AxisSet axes = 0;
    for (unsigned number : split.ahead.set_bits()) {
      const Node &node = tiles.getNodes()[number];
      for (ValueId value :
           llvm::concat<const ValueId>(node.operands, node.results))
        axes |= varying[value];
      if (joinsBlocks(node))
        axes |= toAxisSet(node.attributes.axis);
    }
    return axes;
  }

  /// A joined value in device memory: a tile for each block along the axes
  /// along which they differ.
  RankedTensorType getStoredType(ValueId value, bool isTile) const {
    auto tile = cast<RankedTensorType>(values[value].getType());
    SmallVector<int64_t> shape;
    for (auto [axis, extent] : llvm::enumerate(tiles.grid))
      shape.push_back(!isTile && (varying[value] >> axis & 1) ? extent : 1);
    llvm::append_range(shape, tile.getShape());
    return RankedTensorType::get(shape, tile.getElementType());
  }
  Attribute getStoredMap(ValueId value) {
    SmallVector<int64_t> map;
    for (unsigned axis = 0; axis < getRank(); ++axis)
      map.push_back(varying[value] >> axis & 1 ? int64_t(axis) : kReplicated);
    return builder.getDenseI64ArrayAttr(map);
  }

  SmallVector<Operation *> getOps(const llvm::BitVector &numbers) {
    SmallVector<Operation *> ops;
    for (auto [number, op] :
         llvm::enumerate(graph.getBody().front().without_terminator()))
      if (numbers[number])
        ops.push_back(&op);
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

  static void addTiles(Block &body, const Inputs &inputs, IRMapping &mapping) {
    for (BlockArgument tile : inputs.tiles)
      mapping.map(tile, body.addArgument(tile.getType(), tile.getLoc()));
  }

  /// Blocks along axes along which none differs are one.
  block::GraphOp buildAhead() {
    SmallVector<Operation *> ops = getOps(split.ahead);
    Inputs inputs = collectInputs(ops);
    auto types = llvm::map_to_vector(split.joined, [&](ValueId value) -> Type {
      return getStoredType(value, /*isTile=*/false);
    });
    auto omaps = llvm::map_to_vector(
        split.joined, [&](ValueId value) { return getStoredMap(value); });
    AxisSet axes = findAxesAhead();
    SmallVector<int64_t> grid(tiles.grid.begin(), tiles.grid.end());
    for (auto [axis, extent] : llvm::enumerate(grid))
      extent = axes >> axis & 1 ? extent : 1;
    bool isWhole = llvm::equal(grid, tiles.grid);
    IntegerAttr one = builder.getI64IntegerAttr(1);
    auto ahead = block::GraphOp::create(
        builder, graph.getLoc(), types, inputs.operands,
        builder.getDenseI64ArrayAttr(grid),
        isWhole ? graph.getClusterAttr() : nullptr, graph.getThreadsAttr(), one,
        one, builder.getArrayAttr(inputs.imaps),
        builder.getDenseI64ArrayAttr(inputs.fmaps),
        builder.getArrayAttr(omaps));
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&ahead.getBody());
    IRMapping mapping;
    addTiles(*body, inputs, mapping);
    for (Operation *op : ops)
      builder.clone(*op, mapping);
    auto stored =
        llvm::map_to_vector(split.joined, [&](ValueId value) -> Value {
          return block::ReshapeOp::create(builder, values[value].getLoc(),
                                          getStoredType(value, /*isTile=*/true),
                                          mapping.lookup(values[value]));
        });
    block::YieldOp::create(builder, graph.getLoc(), stored);
    return ahead;
  }

  block::GraphOp buildWithLoop(block::GraphOp ahead) {
    SmallVector<Operation *> ops = getOps(split.withLoop);
    ops.push_back(graph.getBody().front().getTerminator());
    Inputs inputs = collectInputs(ops);
    for (auto [value, stored] :
         llvm::zip_equal(split.joined, ahead.getResults())) {
      inputs.operands.push_back(stored);
      inputs.imaps.push_back(getStoredMap(value));
      inputs.fmaps.push_back(kReplicated);
    }
    auto withLoop = block::GraphOp::create(
        builder, graph.getLoc(), graph->getResultTypes(), inputs.operands,
        graph.getGridAttr(), graph.getClusterAttr(), graph.getThreadsAttr(),
        graph.getLoopAttr(), graph.getStagesAttr(),
        builder.getArrayAttr(inputs.imaps),
        builder.getDenseI64ArrayAttr(inputs.fmaps), graph.getOmapsAttr());
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&withLoop.getBody());
    IRMapping mapping;
    addTiles(*body, inputs, mapping);
    for (ValueId number : split.joined) {
      Value value = values[number];
      Value tile = body->addArgument(getStoredType(number, /*isTile=*/true),
                                     value.getLoc());
      mapping.map(value, block::ReshapeOp::create(builder, value.getLoc(),
                                                  value.getType(), tile));
    }
    for (Operation *op : ops)
      builder.clone(*op, mapping);
    return withLoop;
  }

  block::GraphOp graph;
  OpBuilder builder;
  const TileGraph &tiles;
  SmallVector<AxisSet> varying; ///< by value
  const JoinsAhead &split;
  SmallVector<Value> values; ///< by ValueId
};
} // namespace

bool mlir::mirage::splitBeforeLoop(block::GraphOp graph,
                                   const TileGraph &tiles) {
  JoinsAhead split = findJoinsAhead(tiles);
  if (split.joined.empty())
    return false;
  BeforeLoopSplitter(graph, tiles, split).run();
  return true;
}
