//===- SplitGridJoins.cpp - Joins of blocks as kernels of their own -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cuts a block graph in two where blocks are joined along an axis
// (GridJoinCut.h). The first graph, of *parts*, writes what its blocks hold to
// device memory; the second, which is *joined*, has a block for each of these
// again, whose loop walks those along the axis. Tiles are reduced before they
// are joined, and only element by element then. Where blocks hold nothing but
// tiles of inputs, there is no first one.
//
//===----------------------------------------------------------------------===//

#include "GridJoinCut.h"
#include "Mirage/Analysis/LaunchSequence.h"
#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Dialect/Block/IR/ReductionParts.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Dialect/Operator/DeadOps.h"
#include "Mirage/Graph/TileMemory.h"
#include "Mirage/Transforms/Passes.h"
#include "SplitBeforeLoop.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

#define DEBUG_TYPE "mirage-split-grid-joins"

namespace mlir::mirage {
#define GEN_PASS_DEF_SPLITGRIDJOINSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

static RankedTensorType lift(Value value, ArrayRef<int64_t> leading) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(leading);
  llvm::append_range(shape, type.getShape());
  return RankedTensorType::get(shape, type.getElementType());
}

/// What a block has of a value that is stored for all.
static RankedTensorType liftTile(const GridJoinCut &cut, Value value) {
  return lift(value, SmallVector<int64_t>(cut.getGraph().getGrid().size(), 1));
}

/// A tile without its leading dimensions.
static Value lower(OpBuilder &builder, Value tile, Value like) {
  return block::ReshapeOp::create(builder, tile.getLoc(), like.getType(), tile);
}

//===----------------------------------------------------------------------===//
// The graph of parts
//===----------------------------------------------------------------------===//

static void fillParts(OpBuilder &builder, const GridJoinCut &cut,
                      ArrayRef<Carried> written, block::GraphOp parts) {
  OpBuilder::InsertionGuard guard(builder);
  block::GraphOp graph = cut.getGraph();
  Block *body = builder.createBlock(&parts.getBody());
  IRMapping mapping;
  for (BlockArgument argument : graph.getBody().getArguments())
    mapping.map(argument,
                body->addArgument(argument.getType(), argument.getLoc()));
  for (Operation &op : graph.getBody().front())
    if (!cut.isLate(&op))
      builder.clone(op, mapping);
  SmallVector<Value> tiles;
  for (const Carried &entry : written)
    tiles.push_back(block::ReshapeOp::create(builder, entry.value.getLoc(),
                                             liftTile(cut, entry.value),
                                             mapping.lookup(entry.value)));
  block::YieldOp::create(builder, graph.getLoc(), tiles);
}

static block::GraphOp buildParts(OpBuilder &builder, const GridJoinCut &cut,
                                 const CarriedStorage &storage) {
  block::GraphOp graph = cut.getGraph();
  ArrayRef<Carried> written = storage.getWritten();
  auto types = llvm::map_to_vector(written, [&](const Carried &entry) -> Type {
    return lift(entry.value, storage.getLeading(entry));
  });
  auto omaps =
      llvm::map_to_vector(written, [&](const Carried &entry) -> Attribute {
        return builder.getDenseI64ArrayAttr(storage.getOwnMap(entry));
      });
  auto parts = block::GraphOp::create(
      builder, graph.getLoc(), types, graph.getInputs(), graph.getGridAttr(),
      graph.getClusterAttr(), graph.getThreadsAttr(), graph.getLoopAttr(),
      graph.getStagesAttr(), graph.getImapsAttr(), graph.getFmapsAttr(),
      builder.getArrayAttr(omaps));
  // It may join the parts of blocks itself.
  if (graph->hasAttr(kJoinsPartsAttr))
    parts->setAttr(kJoinsPartsAttr, builder.getUnitAttr());
  fillParts(builder, cut, written, parts);
  return parts;
}

//===----------------------------------------------------------------------===//
// The joined graph
//===----------------------------------------------------------------------===//

/// Whether a late op is another one for each block along an axis.
static bool differsAlong(Operation *op, unsigned along) {
  auto row = dyn_cast<OperatorOpInterface>(op);
  if (!row)
    return false;
  Opcode opcode = row.getTableOpcode();
  Attributes attributes = readOperatorAttributes(op);
  Axis axis = static_cast<Axis>(along);
  return asksForPlace(opcode, attributes, axis) ||
         (joinsBlocks(opcode, attributes) && attributes.axis == axis);
}

/// Whether blocks along the axis still differ: else one of them is enough.
static bool needsAxis(const GridJoinCut &cut, const CarriedStorage &storage) {
  block::GraphOp graph = cut.getGraph();
  unsigned axis = cut.getAxis();
  auto names = [&](Attribute map) {
    return cast<DenseI64ArrayAttr>(map).asArrayRef()[axis] != kReplicated;
  };
  auto isCut = [&](Value tile) {
    return getImap(graph, cast<BlockArgument>(tile))[axis] != kReplicated;
  };
  auto isOwn = [&](const Carried &entry) {
    return !entry.isJoined && !storage.isShared(entry, axis);
  };
  auto differs = [&](Operation &op) {
    return cut.isLate(&op) && !cut.isJoin(&op) && differsAlong(&op, axis);
  };
  return llvm::any_of(graph.getOmaps(), names) ||
         llvm::any_of(cut.getReadAgain(), isCut) ||
         llvm::any_of(cut.getCarried(), isOwn) ||
         llvm::any_of(graph.getBody().front(), differs);
}

namespace {
/// What the joined graph reads, and along which dimensions.
struct JoinedInputs {
  SmallVector<Value> operands;
  SmallVector<Attribute> imaps;
  SmallVector<int64_t> fmaps;

  /// \param parts  in device memory, of what is written.
  JoinedInputs(const GridJoinCut &cut, const CarriedStorage &storage,
               ValueRange parts) {
    block::GraphOp graph = cut.getGraph();
    Builder builder(graph.getContext());
    auto getNumber = [](Value tile) {
      return cast<BlockArgument>(tile).getArgNumber();
    };
    for (const Carried &entry : cut.getCarried()) {
      SmallVector<int64_t> imap = storage.getStoredMap(entry);
      fmaps.push_back(entry.isJoined
                          ? std::exchange(imap[cut.getAxis()], kReplicated)
                          : kReplicated);
      operands.push_back(entry.isInput
                             ? graph.getInputs()[getNumber(entry.value)]
                             : parts[storage.findWritten(entry)]);
      imaps.push_back(builder.getDenseI64ArrayAttr(imap));
    }
    for (Value tile : cut.getReadAgain()) {
      operands.push_back(graph.getInputs()[getNumber(tile)]);
      imaps.push_back(graph.getImaps()[getNumber(tile)]);
      fmaps.push_back(kReplicated);
    }
  }
};
} // namespace

/// Of the tiles that are read for an iteration of the join.
static int64_t countPartBytes(const GridJoinCut &cut) {
  int64_t bytes = 0;
  for (const Carried &entry : cut.getCarried())
    if (entry.isJoined)
      bytes += convertTensor(entry.value.getType()).getSizeBytes();
  return bytes;
}

static void joinParts(OpBuilder &builder, block::AccumulateOp op,
                      const IRMapping &parts, IRMapping &own) {
  Value rescale;
  if (op.getRescale())
    rescale = parts.lookup(op.getRescale());
  Value joined = block::AccumulateOp::create(
      builder, op.getLoc(), parts.lookup(op.getOperand()), rescale,
      AxisKind::Loop, op.getReduction(), /*dims=*/nullptr, op.getCountAttr());
  own.map(op.getResult(), joined.getType() == op.getType()
                              ? joined
                              : lower(builder, joined, op.getResult()));
}

static void fillJoined(OpBuilder &builder, const GridJoinCut &cut,
                       block::GraphOp joined) {
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&joined.getBody());
  IRMapping own, parts; ///< by value of the graph: tiles, tiles to be joined
  for (const Carried &entry : cut.getCarried()) {
    Value tile = body->addArgument(entry.isInput ? entry.value.getType()
                                                 : liftTile(cut, entry.value),
                                   entry.value.getLoc());
    if (entry.isJoined)
      parts.map(entry.value, tile);
    else
      own.map(entry.value, lower(builder, tile, entry.value));
  }
  for (Value tile : cut.getReadAgain())
    own.map(tile, body->addArgument(tile.getType(), tile.getLoc()));
  for (Operation &op : cut.getGraph().getBody().front()) {
    if (!cut.isLate(&op))
      continue;
    if (cut.isJoin(&op))
      joinParts(builder, cast<block::AccumulateOp>(op), parts, own);
    else
      builder.clone(op, own);
  }
}

/// \param parts  in device memory, of what is written.
static block::GraphOp buildJoined(OpBuilder &builder, const GridJoinCut &cut,
                                  const CarriedStorage &storage,
                                  ValueRange parts) {
  block::GraphOp graph = cut.getGraph();
  JoinedInputs inputs(cut, storage, parts);
  SmallVector<int64_t> grid(graph.getGrid());
  if (!needsAxis(cut, storage))
    grid[cut.getAxis()] = 1;
  unsigned stages = getJoinStages(cut.getExtent(), countPartBytes(cut));
  auto joined = block::GraphOp::create(
      builder, graph.getLoc(), graph->getResultTypes(), inputs.operands,
      builder.getDenseI64ArrayAttr(grid), /*cluster=*/nullptr,
      graph.getThreadsAttr(), builder.getI64IntegerAttr(cut.getExtent()),
      builder.getI64IntegerAttr(stages), builder.getArrayAttr(inputs.imaps),
      builder.getDenseI64ArrayAttr(inputs.fmaps), graph.getOmapsAttr());
  joined->setAttr(kJoinsPartsAttr, builder.getUnitAttr());
  fillJoined(builder, cut, joined);
  return joined;
}

static void splitAtJoin(const GridJoinCut &cut) {
  block::GraphOp graph = cut.getGraph();
  OpBuilder builder(graph);
  CarriedStorage storage(cut);
  ValueRange parts;
  if (!storage.getWritten().empty())
    parts = buildParts(builder, cut, storage).getResults();
  else if (graph.getCluster())
    remark::missed(graph.getLoc(),
                   remark::RemarkOpts::name("Cluster").category(DEBUG_TYPE))
        << "the cluster is dropped: its blocks would have nothing to do but "
           "to leave tiles of inputs, which one reads instead";
  block::GraphOp joined = buildJoined(builder, cut, storage, parts);
  graph->replaceAllUsesWith(joined);
  graph->erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void eraseDeadOps(block::GraphOp graph) {
  Block &body = graph.getBody().front();
  DenseSet<Operation *> isDead = findDeadOps(body);
  SmallVector<Operation *> dead;
  for (Operation &op : body)
    if (isDead.contains(&op))
      dead.push_back(&op);
  for (Operation *op : llvm::reverse(dead))
    op->erase();
}

static block::AccumulateOp findJoin(Operation *root) {
  block::AccumulateOp found;
  root->walk([&](block::AccumulateOp op) {
    if (!joinsBlocks(op) || !isa<block::GraphOp>(op->getParentOp()))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

namespace {
struct SplitGridJoinsPass
    : mirage::impl::SplitGridJoinsPassBase<SplitGridJoinsPass> {
  void runOnOperation() override {
    // What only dead ops read is joined for nobody.
    getOperation()->walk([](block::GraphOp graph) { eraseDeadOps(graph); });
    // Blocks leave what their tiles are reduced to.
    getOperation()->walk([](block::AccumulateOp op) {
      if (joinsBlocks(op))
        block::reduceBeforeJoining(op);
    });
    // A second kernel may join blocks along another axis, or once more.
    while (block::AccumulateOp join = findJoin(getOperation())) {
      auto graph = cast<block::GraphOp>(join->getParentOp());
      FailureOr<TileGraph> tiles = readTileGraph(graph);
      if (failed(tiles))
        return signalPassFailure();
      if (!splitBeforeLoop(graph, *tiles))
        splitAtJoin(GridJoinCut(graph, join, *tiles));
    }
  }
};
} // namespace
