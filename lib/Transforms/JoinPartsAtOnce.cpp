//===- JoinPartsAtOnce.cpp - Joins without a loop -------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/LaunchSequence.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Graph/TileMemory.h"
#include "Mirage/Transforms/Passes.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_JOINPARTSATONCEPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

static RankedTensorType getType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

namespace {
/// Makes one tile of all parts that a graph's loop walks through, and a
/// reduction of each accumulation.
class PartsJoiner {
public:
  explicit PartsJoiner(block::GraphOp graph) : graph(graph) {}

  void run() {
    if (!canJoin())
      return;
    for (BlockArgument tile : listParts())
      for (Operation *user : llvm::make_early_inc_range(tile.getUsers()))
        reduce(cast<block::AccumulateOp>(user), getLoopDim(tile));
    for (BlockArgument tile : listParts())
      tile.setType(getWhole(tile));
    Builder builder(graph.getContext());
    graph.setFmapsAttr(builder.getDenseI64ArrayAttr(
        SmallVector<int64_t>(graph.getFmaps().size(), kReplicated)));
    graph.setLoop(1);
    graph.setStages(1);
  }

private:
  int64_t getLoopDim(BlockArgument tile) {
    return graph.getFmaps()[tile.getArgNumber()];
  }

  SmallVector<BlockArgument> listParts() {
    return llvm::filter_to_vector(
        graph.getBody().getArguments(),
        [&](BlockArgument tile) { return getLoopDim(tile) != kReplicated; });
  }

  /// A tile of all parts.
  RankedTensorType getWhole(BlockArgument tile) {
    SmallVector<int64_t> shape(getType(tile).getShape());
    shape[getLoopDim(tile)] *= graph.getLoop();
    return getType(tile).clone(shape);
  }

  static bool canReduce(Operation *op) {
    auto accumulate = dyn_cast<block::AccumulateOp>(op);
    return accumulate && accumulate.getAxis() == AxisKind::Loop &&
           canJoinAtOnce(readOperatorAttributes(op),
                         accumulate.getRescale() != nullptr);
  }

  bool isOfParts(Operation *op) {
    if (!canReduce(op))
      return false;
    auto tile =
        dyn_cast<BlockArgument>(cast<block::AccumulateOp>(op).getOperand());
    return tile && getLoopDim(tile) != kReplicated;
  }

  /// Whether all that the loop does is to join parts, one in each iteration,
  /// which have place together.
  bool canJoin() {
    if (!graph->hasAttr(kJoinsPartsAttr) || graph.getLoop() == 1)
      return false;
    DenseMap<Value, Phase> phases =
        computePhases(cast<TileGraphOpInterface>(graph.getOperation()));
    for (Operation &op : graph.getBody().front().without_terminator())
      if (getExecutionPhase(&op, phases) == Phase::Loop && !isOfParts(&op))
        return false;
    int64_t bytes = 0;
    for (BlockArgument tile : listParts()) {
      bytes += convertTensor(getWhole(tile)).getSizeBytes();
      if (getType(tile).getShape()[getLoopDim(tile)] != 1 ||
          !llvm::all_of(tile.getUsers(), canReduce))
        return false;
    }
    return bytes <= kMostBytesJoinedAtOnce;
  }

  void reduce(block::AccumulateOp op, int64_t loopDim) {
    OpBuilder builder(op);
    SmallVector<int64_t> dims{loopDim};
    // A part may be reduced along the loop's dimension already, which is one.
    for (int64_t dim : op.getDims().value_or(ArrayRef<int64_t>()))
      if (dim != loopDim)
        dims.push_back(dim);
    llvm::sort(dims);
    auto attribute = builder.getDenseI64ArrayAttr(dims);
    auto create = [&](auto kind) -> Value {
      using Op = decltype(kind);
      return Op::create(builder, op.getLoc(), op.getResult().getType(),
                        op.getOperand(), attribute, /*count=*/IntegerAttr());
    };
    op.getResult().replaceAllUsesWith(op.getReduction() == ReductionKind::Max
                                          ? create(block::MaxOp())
                                          : create(block::SumOp()));
    op.erase();
  }

  block::GraphOp graph;
};

struct JoinPartsAtOncePass
    : mirage::impl::JoinPartsAtOncePassBase<JoinPartsAtOncePass> {
  void runOnOperation() override {
    getOperation()->walk(
        [](block::GraphOp graph) { PartsJoiner(graph).run(); });
  }
};
} // namespace
