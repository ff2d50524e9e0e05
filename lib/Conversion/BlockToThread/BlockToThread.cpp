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
#include "StepBuilders.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_CONVERTBLOCKTOTHREADPASS
#include "Mirage/Conversion/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

using StepBuilder = Value (*)(RewriterBase &, Operation *, unsigned);

/// None for what the conversion of blocks carries out itself: an accumulate
/// belongs to the loop, masks depend on the coordinates of the block, a reshape
/// is another view of the same bytes, and warps have no parts and no constants.
static StepBuilder getStepBuilder(Opcode opcode) {
  if (!getOperatorInfo(opcode).existsAt(Level::Thread))
    return nullptr;
  switch (getOperatorInfo(opcode).kind) {
  case OperatorKind::Elementwise:
    return buildElementwiseStep;
  case OperatorKind::Reduction:
    return buildReductionStep;
  case OperatorKind::Contraction:
    return buildMatmulStep;
  case OperatorKind::Movement:
    if (opcode == Opcode::Transpose || opcode == Opcode::Broadcast ||
        opcode == Opcode::Cast)
      return buildElementwiseStep;
    return nullptr;
  case OperatorKind::Copy:
  case OperatorKind::Accumulate:
  case OperatorKind::Composed:
  case OperatorKind::Graph:
    return nullptr;
  }
  return nullptr;
}

static void convertBlockGraph(IRRewriter &rewriter, block::GraphOp graph) {
  unsigned numWarps = graph.getThreads() / 32;
  Block &body = graph.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    auto row = dyn_cast<OperatorOpInterface>(op);
    StepBuilder build = row ? getStepBuilder(row.getTableOpcode()) : nullptr;
    if (!build)
      continue;
    rewriter.setInsertionPoint(&op);
    if (Value tile = build(rewriter, &op, numWarps))
      rewriter.replaceOp(&op, tile);
  }
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
