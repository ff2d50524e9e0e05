//===- GiveRowsToWarps.cpp - Rows that warps keep from step to step -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Graph/WarpRows.h"
#include "Mirage/Planning/RegisterBudget.h"
#include "Mirage/Transforms/Passes.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_GIVEROWSTOWARPSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

/// What rows leave is rounded where they are held, before it is brought to
/// shared memory on its way to an output of a smaller type.
/// \param name  of the attribute that says how its step is shared out.
static void roundResult(block::GraphOp graph, Value result, StringRef name) {
  Operation *yield = graph.getBody().front().getTerminator();
  if (!result.hasOneUse() || *result.user_begin() != yield)
    return;
  OpOperand &yielded = *result.use_begin();
  auto output = cast<RankedTensorType>(
      graph->getResult(yielded.getOperandNumber()).getType());
  auto tile = cast<RankedTensorType>(result.getType());
  if (output.getElementTypeBitWidth() >= tile.getElementTypeBitWidth())
    return;
  OpBuilder builder(yield);
  auto rounded = block::CastOp::create(
      builder, result.getLoc(), tile.clone(output.getElementType()), result);
  rounded->setAttr(name, builder.getUnitAttr());
  yielded.set(rounded);
}

static LogicalResult giveRowsToWarps(block::GraphOp graph) {
  // Steps that are decided already are no operators of a tile graph of blocks.
  if (!graph.getBody().getOps<thread::GraphOp>().empty())
    return success();
  FailureOr<TileGraph> steps =
      readTileGraph(cast<TileGraphOpInterface>(graph.getOperation()));
  if (failed(steps))
    return failure();
  WarpRows rows =
      findWarpRows(*steps, RegisterBudget(graph.getThreads()).getForRows());
  graph->removeAttr(kRowRegistersAttr);
  for (Operation &op : graph.getBody().front())
    for (StringRef name : {kWholeRowsAttr, kWholeColumnsAttr})
      op.removeAttr(name);
  if (rows.members.none())
    return success();
  graph->setAttr(
      kRowRegistersAttr,
      Builder(graph.getContext()).getI64IntegerAttr(rows.numRegisters));
  auto ops = graph.getBody().front().without_terminator();
  SmallVector<std::pair<Value, StringRef>> results;
  for (auto [number, op] : llvm::enumerate(ops)) {
    if (!rows.members[number])
      continue;
    StringRef name = rows.columns[number] ? kWholeColumnsAttr : kWholeRowsAttr;
    if (!isa<block::AccumulateOp>(op))
      op.setAttr(name, UnitAttr::get(graph.getContext()));
    results.emplace_back(op.getResult(0), name);
  }
  for (auto [result, name] : results)
    roundResult(graph, result, name);
  return success();
}

namespace {
struct GiveRowsToWarpsPass
    : mirage::impl::GiveRowsToWarpsPassBase<GiveRowsToWarpsPass> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](block::GraphOp graph) {
      return failed(giveRowsToWarps(graph)) ? WalkResult::interrupt()
                                            : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
