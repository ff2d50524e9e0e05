//===- BlockToThread.cpp - Block graphs as steps of warps -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Conversion/Passes.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Graph/TileMemory.h"
#include "StepBuilders.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_CONVERTBLOCKTOTHREADPASS
#include "Mirage/Conversion/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

/// Whether it is no step of its own (Mirage/Graph/TileMemory.h).
static bool isLoadedByProducts(block::TransposeOp op,
                               const DenseMap<Value, Phase> &phases) {
  auto getShape = [](Value tile) {
    return cast<RankedTensorType>(tile.getType()).getShape();
  };
  SmallVector<TileReader> readers;
  for (Operation *user : op->getUsers()) {
    if (auto row = dyn_cast<OperatorOpInterface>(user))
      readers.push_back({row.getTableOpcode(), getExecutionPhase(user, phases),
                         getShape(user->getResult(0))});
    else
      readers.push_back({Opcode::Graph, phases.lookup(op.getResult()), {}});
  }
  return isLoadedTransposed(op.getDims(), getExecutionPhase(op, phases),
                            getShape(op.getResult()), readers);
}

/// Each of several such products gets a transpose of its own, which is part of
/// its step.
static void giveTransposesToProducts(IRRewriter &rewriter,
                                     block::GraphOp graph) {
  DenseMap<Value, Phase> phases =
      computePhases(cast<TileGraphOpInterface>(graph.getOperation()));
  for (auto op : llvm::make_early_inc_range(
           graph.getBody().getOps<block::TransposeOp>())) {
    if (!isLoadedByProducts(op, phases))
      continue;
    llvm::SmallSetVector<Operation *, 2> users(op->user_begin(),
                                               op->user_end());
    rewriter.setInsertionPointAfter(op);
    for (Operation *user : users) {
      if (user == users.front())
        continue;
      Operation *own = rewriter.clone(*op);
      rewriter.modifyOpInPlace(user, [&] {
        user->replaceUsesOfWith(op.getResult(), own->getResult(0));
      });
    }
  }
}

/// Roots in the order in which they stand: what a later one reads is a tile by
/// then. Fused operations have no users left in the end.
static void convertBlockGraph(IRRewriter &rewriter, block::GraphOp graph) {
  giveTransposesToProducts(rewriter, graph);
  splitProducts(rewriter, graph);
  splitReductions(rewriter, graph);
  StepFusion fusion(graph);
  StepContext context(rewriter, fusion, graph);
  SmallVector<Operation *> fused;
  Block &body = graph.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    if (!getStepKind(&op))
      continue;
    if (fusion.isFused(&op)) {
      fused.push_back(&op);
      continue;
    }
    rewriter.setInsertionPoint(&op);
    if (Value tile = buildStep(context, &op))
      rewriter.replaceOp(&op, tile);
  }
  for (Operation *op : llvm::reverse(fused))
    if (op->use_empty())
      rewriter.eraseOp(op);
}

namespace {
struct ConvertBlockToThreadPass
    : mirage::impl::ConvertBlockToThreadPassBase<ConvertBlockToThreadPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk(
        [&](block::GraphOp graph) { convertBlockGraph(rewriter, graph); });
  }
};
} // namespace
