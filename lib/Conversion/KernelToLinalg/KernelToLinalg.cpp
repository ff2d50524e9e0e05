//===- KernelToLinalg.cpp - Export of kernel graphs -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Conversion/KernelToLinalg.h"
#include "ExportArithmetic.h"
#include "ExportMovement.h"
#include "Mirage/Conversion/Passes.h"
#include "Mirage/Dialect/Operator/ExpandComposed.h"
#include "StructuredOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_CONVERTMIRAGEKERNELTOLINALGPASS
#include "Mirage/Conversion/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

FailureOr<Value> mlir::mirage::exportOperator(OpBuilder &builder,
                                              OperatorOpInterface op) {
  switch (getOperatorInfo(op.getTableOpcode()).kind) {
  case OperatorKind::Elementwise:
    if (auto constant = dyn_cast<kernel::ConstantOp>(op.getOperation()))
      return writeFill(builder, op.getLoc(), constant.getType(),
                       constant.getValue().convertToDouble());
    return exportElementwise(builder, op);
  case OperatorKind::Reduction:
    return exportReduction(builder, op);
  case OperatorKind::Contraction:
    return exportMatmul(builder, op);
  case OperatorKind::Movement:
    return exportMovement(builder, op);
  case OperatorKind::Composed:
  case OperatorKind::Copy:
  case OperatorKind::Accumulate:
  case OperatorKind::Graph:
    break;
  }
  llvm_unreachable("the kernel level has no copies, no accumulations and no "
                   "rows that are graphs; composed operators are expanded");
}

static LogicalResult checkOps(kernel::GraphOp graph) {
  for (Operation &op : graph.getBody().front().without_terminator()) {
    if (isa<OperatorOpInterface>(op))
      continue;
    InFlightDiagnostic diagnostic =
        op.emitError() << "expects operators of the table, got '"
                       << op.getName()
                       << "': a superoptimized graph is compiled, not exported";
    diagnostic.attachNote(graph.getLoc()) << "in this graph";
    return diagnostic;
  }
  return success();
}

static LogicalResult exportOperators(RewriterBase &rewriter, Block &body) {
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    rewriter.setInsertionPoint(&op);
    FailureOr<Value> result =
        exportOperator(rewriter, cast<OperatorOpInterface>(op));
    if (failed(result))
      return failure();
    rewriter.replaceOp(&op, *result);
  }
  return success();
}

LogicalResult mlir::mirage::convertKernelToLinalg(RewriterBase &rewriter,
                                                  kernel::GraphOp graph) {
  Block &body = graph.getBody().front();
  if (graph.isOnBuffers())
    return graph.emitError("expects a kernel graph on tensors, got one that is "
                           "bufferized");
  if (failed(checkOps(graph)))
    return failure();
  for (OperatorOpInterface op : findComposed(graph))
    expandComposed(rewriter, op);
  if (failed(exportOperators(rewriter, body)))
    return failure();
  Operation *yield = graph.getYield();
  rewriter.inlineBlockBefore(&body, graph, graph.getInputs());
  SmallVector<Value> results(yield->getOperands());
  rewriter.eraseOp(yield);
  rewriter.replaceOp(graph, results);
  return success();
}

namespace {
struct ConvertMirageKernelToLinalgPass
    : mirage::impl::ConvertMirageKernelToLinalgPassBase<
          ConvertMirageKernelToLinalgPass> {
  void runOnOperation() override {
    SmallVector<kernel::GraphOp> graphs;
    getOperation()->walk(
        [&](kernel::GraphOp graph) { graphs.push_back(graph); });
    IRRewriter rewriter(&getContext());
    for (kernel::GraphOp graph : graphs)
      if (failed(convertKernelToLinalg(rewriter, graph)))
        return signalPassFailure();
  }
};
} // namespace
