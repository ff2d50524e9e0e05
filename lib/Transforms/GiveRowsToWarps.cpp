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
#include "Mirage/Planning/Target.h"
#include "Mirage/Transforms/Passes.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_GIVEROWSTOWARPSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

static LogicalResult giveRowsToWarps(block::GraphOp graph) {
  // Steps that are decided already are no operators of a tile graph of blocks.
  if (!graph.getBody().getOps<thread::GraphOp>().empty())
    return success();
  FailureOr<TileGraph> steps =
      readTileGraph(cast<TileGraphOpInterface>(graph.getOperation()));
  if (failed(steps))
    return failure();
  // All targets have the same registers.
  WarpRows rows =
      findWarpRows(*steps, Target().getRegistersForRows(graph.getThreads()));
  if (rows.members.none())
    return success();
  graph->setAttr(
      kRowRegistersAttr,
      Builder(graph.getContext()).getI64IntegerAttr(rows.numRegisters));
  auto ops = graph.getBody().front().without_terminator();
  for (auto [number, op] : llvm::enumerate(ops))
    if (rows.members[number] && !isa<block::AccumulateOp>(op))
      op.setAttr(kWholeRowsAttr, UnitAttr::get(graph.getContext()));
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
