//===- SplitGridJoins.cpp - Joins of blocks as kernels of their own -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVectorExtras.h"

#define DEBUG_TYPE "mirage-split-grid-joins"

namespace mlir::mirage {
#define GEN_PASS_DEF_SPLITGRIDJOINSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

static bool joinsBlocks(Operation *op) {
  auto accumulate = dyn_cast<block::AccumulateOp>(op);
  return accumulate && accumulate.getAxis() != AxisKind::Loop;
}

namespace {
/// What the second kernel reads for a value of the first.
struct Carried {
  Value value;
  /// Part by part in its loop, or the block's own alone.
  bool isJoined;
  /// An input whose tiles along the axis the loop walks through as they are:
  /// no block has to leave them.
  bool isInput;
};

/// Cuts one block graph in two where blocks are joined along an axis. The first
/// graph writes what its blocks hold to device memory, [grid][tile]; the second
/// has a block for each of these again, whose loop walks those along the axis.
/// Tiles are reduced before they are joined, and only element by element then.
/// Where blocks hold nothing but tiles of inputs, there is no first one.
class GridJoinSplitter {
public:
  /// \param join   the first accumulation over a grid axis.
  /// \param tiles  what `graph` is.
  GridJoinSplitter(block::GraphOp graph, block::AccumulateOp join,
                   const TileGraph &tiles)
      : graph(graph), builder(graph), axis(join.getAxis()),
        varying(computeVaryingAxes(
            cast<TileGraphOpInterface>(graph.getOperation()))) {
    for (auto [op, phase] :
         llvm::zip_equal(graph.getBody().front().without_terminator(),
                         computeExecutionPhases(tiles)))
      phases[&op] = phase;
    for (Operation &op : graph.getBody().front())
      if (isLate(&op))
        collect(&op);
  }

  void run() {
    SmallVector<Carried> written = getWritten();
    ValueRange parts;
    if (!written.empty())
      parts = buildParts(written).getResults();
    else if (graph.getCluster())
      remark::missed(graph.getLoc(),
                     remark::RemarkOpts::name("Cluster").category(DEBUG_TYPE))
          << "the cluster is dropped: its blocks would have nothing to do but "
             "to leave tiles of inputs, which one reads instead";
    block::GraphOp joined = buildJoined(written, parts);
    graph->replaceAllUsesWith(joined);
    graph->erase();
  }

private:
  unsigned getRank() const { return block::GraphOp(graph).getGrid().size(); }
  unsigned getAxis() const { return static_cast<unsigned>(axis); }
  int64_t getExtent() { return graph.getGrid()[getAxis()]; }

  /// Whether an op belongs to the second kernel.
  bool isLate(Operation *op) const {
    return op->hasTrait<OpTrait::IsTerminator>() ||
           phases.lookup(op) == Phase::AfterGrid;
  }
  bool isLate(Value value) const {
    Operation *op = value.getDefiningOp();
    return op && isLate(op);
  }

  /// Whether a late op is what the second kernel's loop does.
  bool isJoin(Operation *op) const {
    return joinsBlocks(op) && cast<block::AccumulateOp>(op).getAxis() == axis &&
           llvm::none_of(op->getOperands(),
                         [&](Value operand) { return isLate(operand); });
  }

  /// Inputs are read again; what was computed is written and read.
  void collect(Operation *op) {
    for (Value operand : op->getOperands()) {
      if (isLate(operand))
        continue;
      if (isa<BlockArgument>(operand) && !isJoin(op))
        readAgain.insert(operand);
      else
        carry(operand, isJoin(op));
    }
  }

  void carry(Value value, bool isJoined) {
    bool isKnown = llvm::any_of(carried, [&](const Carried &entry) {
      return entry.value == value && entry.isJoined == isJoined;
    });
    if (!isKnown)
      carried.push_back(
          {value, isJoined, /*isInput=*/isJoined && canWalk(value)});
  }

  /// Whether the tiles that blocks along the axis have of an input are those
  /// that a loop would have of it. Sums and what they are relative to have one
  /// form, which is that of parts.
  bool canWalk(Value value) {
    auto tile = dyn_cast<BlockArgument>(value);
    if (!tile || graph.getFmaps()[tile.getArgNumber()] != kReplicated ||
        llvm::any_of(tile.getUsers(), isRescaled))
      return false;
    int64_t dim = getImap(tile)[getAxis()];
    return dim != kReplicated &&
           !llvm::is_contained(getImap(tile).drop_front(getAxis() + 1), dim);
  }

  static bool isRescaled(Operation *op) {
    auto accumulate = dyn_cast<block::AccumulateOp>(op);
    return accumulate && accumulate.getRescale();
  }

  ArrayRef<int64_t> getImap(BlockArgument tile) {
    return cast<DenseI64ArrayAttr>(graph.getImaps()[tile.getArgNumber()])
        .asArrayRef();
  }

  /// Whether some result must not differ along an axis.
  bool isReplicated(unsigned along) {
    return llvm::any_of(graph.getOmaps(), [&](Attribute map) {
      return cast<DenseI64ArrayAttr>(map).asArrayRef()[along] == kReplicated;
    });
  }

  /// Whether all blocks along some axis have the same of a value: then one of
  /// them writes it, and all read that. Along the axis that is split, only of
  /// what is carried along; and where somebody joins it as well, so that all of
  /// them write it anyway, or along other axes, only where some result must not
  /// differ: what blocks write for themselves may be read in the launch that
  /// writes it.
  bool isShared(const Carried &entry, unsigned along) {
    if (varying.lookup(entry.value) >> along & 1)
      return false;
    if (isReplicated(along))
      return along != getAxis() || !entry.isJoined;
    return along == getAxis() && llvm::none_of(carried, [&](const Carried &c) {
             return c.value == entry.value && c.isJoined;
           });
  }

  RankedTensorType lift(Value value, ArrayRef<int64_t> leading) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(leading);
    llvm::append_range(shape, type.getShape());
    return RankedTensorType::get(shape, type.getElementType());
  }
  RankedTensorType liftTile(Value value) {
    return lift(value, SmallVector<int64_t>(getRank(), 1));
  }

  /// Every axis along a dimension of its own, but those of what is shared.
  SmallVector<int64_t> getOwnMap(const Carried &entry) {
    SmallVector<int64_t> map =
        llvm::to_vector(llvm::seq<int64_t>(0, getRank()));
    for (auto [along, dim] : llvm::enumerate(map))
      if (isShared(entry, along))
        dim = kReplicated;
    return map;
  }
  /// How a carried value lies in device memory.
  SmallVector<int64_t> getStoredMap(const Carried &entry) {
    return entry.isInput
               ? llvm::to_vector(getImap(cast<BlockArgument>(entry.value)))
               : getOwnMap(entry);
  }
  SmallVector<int64_t> getLeading(const Carried &entry) {
    SmallVector<int64_t> leading(graph.getGrid());
    for (auto [along, extent] : llvm::enumerate(leading))
      if (isShared(entry, along))
        extent = 1;
    return leading;
  }

  /// What the first kernel writes: values, each once, or once for all blocks
  /// along the axis and once for each.
  SmallVector<Carried> getWritten() {
    SmallVector<Carried> written;
    for (const Carried &entry : carried)
      if (!entry.isInput && findWritten(written, entry) == written.size())
        written.push_back(entry);
    return written;
  }
  size_t findWritten(ArrayRef<Carried> written, const Carried &entry) {
    return llvm::find_if(written,
                         [&](const Carried &other) {
                           return other.value == entry.value &&
                                  getOwnMap(other) == getOwnMap(entry);
                         }) -
           written.begin();
  }

  block::GraphOp buildParts(ArrayRef<Carried> written) {
    SmallVector<Type> types =
        llvm::map_to_vector(written, [&](const Carried &entry) -> Type {
          return lift(entry.value, getLeading(entry));
        });
    SmallVector<Attribute> omaps =
        llvm::map_to_vector(written, [&](const Carried &entry) -> Attribute {
          return builder.getDenseI64ArrayAttr(getOwnMap(entry));
        });
    auto parts = block::GraphOp::create(
        builder, graph.getLoc(), types, graph.getInputs(), graph.getGridAttr(),
        graph.getClusterAttr(), graph.getThreadsAttr(), graph.getLoopAttr(),
        graph.getStagesAttr(), graph.getImapsAttr(), graph.getFmapsAttr(),
        builder.getArrayAttr(omaps));
    // It may join the parts of blocks itself.
    if (graph->hasAttr(kJoinsPartsAttr))
      parts->setAttr(kJoinsPartsAttr, builder.getUnitAttr());
    fillParts(parts, written);
    return parts;
  }

  void fillParts(block::GraphOp parts, ArrayRef<Carried> written) {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&parts.getBody());
    IRMapping mapping;
    for (BlockArgument argument : graph.getBody().getArguments())
      mapping.map(argument,
                  body->addArgument(argument.getType(), argument.getLoc()));
    for (Operation &op : graph.getBody().front())
      if (!isLate(&op))
        builder.clone(op, mapping);
    SmallVector<Value> tiles;
    for (const Carried &entry : written)
      tiles.push_back(block::ReshapeOp::create(builder, entry.value.getLoc(),
                                               liftTile(entry.value),
                                               mapping.lookup(entry.value)));
    block::YieldOp::create(builder, graph.getLoc(), tiles);
  }

  /// Whether blocks along the axis still differ: else one of them is enough.
  bool needsAxis() {
    auto names = [&](Attribute map) {
      return cast<DenseI64ArrayAttr>(map).asArrayRef()[getAxis()] !=
             kReplicated;
    };
    auto differs = [&](Operation &op) {
      auto row = dyn_cast<OperatorOpInterface>(op);
      if (!row || !isLate(&op) || isJoin(&op))
        return false;
      Opcode opcode = row.getTableOpcode();
      Attributes attributes = readOperatorAttributes(&op);
      Axis own = static_cast<Axis>(getAxis());
      return asksForPlace(opcode, attributes, own) ||
             (mirage::joinsBlocks(opcode, attributes) &&
              attributes.axis == own);
    };
    return llvm::any_of(graph.getOmaps(), names) ||
           llvm::any_of(readAgain,
                        [&](Value tile) {
                          return getImap(cast<BlockArgument>(
                                     tile))[getAxis()] != kReplicated;
                        }) ||
           llvm::any_of(carried,
                        [&](const Carried &entry) {
                          return !entry.isJoined && !isShared(entry, getAxis());
                        }) ||
           llvm::any_of(graph.getBody().front(), differs);
  }

  /// \param parts  in device memory, of what is written.
  block::GraphOp buildJoined(ArrayRef<Carried> written, ValueRange parts) {
    SmallVector<Value> operands;
    SmallVector<Attribute> imaps;
    SmallVector<int64_t> fmaps;
    int64_t partBytes = 0;
    for (const Carried &entry : carried) {
      SmallVector<int64_t> imap = getStoredMap(entry);
      fmaps.push_back(entry.isJoined
                          ? std::exchange(imap[getAxis()], kReplicated)
                          : kReplicated);
      if (entry.isJoined)
        partBytes += convertTensor(entry.value.getType()).getSizeBytes();
      operands.push_back(
          entry.isInput ? graph.getInputs()[cast<BlockArgument>(entry.value)
                                                .getArgNumber()]
                        : parts[findWritten(written, entry)]);
      imaps.push_back(builder.getDenseI64ArrayAttr(imap));
    }
    for (Value tile : readAgain) {
      unsigned number = cast<BlockArgument>(tile).getArgNumber();
      operands.push_back(graph.getInputs()[number]);
      imaps.push_back(graph.getImaps()[number]);
      fmaps.push_back(kReplicated);
    }
    SmallVector<int64_t> grid(graph.getGrid());
    if (!needsAxis())
      grid[getAxis()] = 1;
    unsigned stages = getJoinStages(getExtent(), partBytes);
    auto joined = block::GraphOp::create(
        builder, graph.getLoc(), graph->getResultTypes(), operands,
        builder.getDenseI64ArrayAttr(grid), /*cluster=*/nullptr,
        graph.getThreadsAttr(), builder.getI64IntegerAttr(getExtent()),
        builder.getI64IntegerAttr(stages), builder.getArrayAttr(imaps),
        builder.getDenseI64ArrayAttr(fmaps), graph.getOmapsAttr());
    joined->setAttr(kJoinsPartsAttr, builder.getUnitAttr());
    fillJoined(joined);
    return joined;
  }

  void fillJoined(block::GraphOp joined) {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&joined.getBody());
    IRMapping own, parts; ///< by value of the graph: tiles, tiles to be joined
    for (const Carried &entry : carried) {
      Value tile = body->addArgument(entry.isInput ? entry.value.getType()
                                                   : liftTile(entry.value),
                                     entry.value.getLoc());
      if (entry.isJoined)
        parts.map(entry.value, tile);
      else
        own.map(entry.value, lower(tile, entry.value));
    }
    for (Value tile : readAgain)
      own.map(tile, body->addArgument(tile.getType(), tile.getLoc()));
    for (Operation &op : graph.getBody().front()) {
      if (!isLate(&op))
        continue;
      if (isJoin(&op))
        joinParts(cast<block::AccumulateOp>(op), parts, own);
      else
        builder.clone(op, own);
    }
  }

  /// A tile without its leading dimensions.
  Value lower(Value tile, Value like) {
    return block::ReshapeOp::create(builder, tile.getLoc(), like.getType(),
                                    tile);
  }

  void joinParts(block::AccumulateOp op, const IRMapping &parts,
                 IRMapping &own) {
    Value rescale;
    if (op.getRescale())
      rescale = parts.lookup(op.getRescale());
    Value joined = block::AccumulateOp::create(
        builder, op.getLoc(), parts.lookup(op.getOperand()), rescale,
        AxisKind::Loop, op.getReduction(), /*dims=*/nullptr, op.getCountAttr());
    own.map(op.getResult(), joined.getType() == op.getType()
                                ? joined
                                : lower(joined, op.getResult()));
  }

  block::GraphOp graph;
  OpBuilder builder;
  AxisKind axis;
  DenseMap<Operation *, Phase> phases;
  DenseMap<Value, AxisSet> varying;
  SetVector<Value> readAgain;
  llvm::SmallVector<Carried> carried;
};

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
    while (block::AccumulateOp join = findJoin()) {
      auto graph = cast<block::GraphOp>(join->getParentOp());
      FailureOr<TileGraph> tiles = readTileGraph(graph);
      if (failed(tiles))
        return signalPassFailure();
      if (!splitBeforeLoop(graph, *tiles))
        GridJoinSplitter(graph, join, *tiles).run();
    }
  }

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

  block::AccumulateOp findJoin() {
    block::AccumulateOp found;
    getOperation()->walk([&](block::AccumulateOp op) {
      if (!joinsBlocks(op) || !isa<block::GraphOp>(op->getParentOp()))
        return WalkResult::advance();
      found = op;
      return WalkResult::interrupt();
    });
    return found;
  }
};
} // namespace
