//===- MaterializeResults.cpp - A kernel for each result ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/TensorView.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_MATERIALIZERESULTSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

/// Gives every value that is yielded a buffer of its own. A broadcast to the
/// same shape is a copy.
static void materializeResults(kernel::GraphOp graph) {
  Operation *yield = graph.getBody().front().getTerminator();
  OpBuilder builder(yield);
  llvm::DenseSet<Value> written;
  for (OpOperand &operand : yield->getOpOperands()) {
    if (canReturn(operand.get(), getWantedPlaces(operand.get())) &&
        written.insert(findView(operand.get())->root).second)
      continue;
    operand.set(kernel::BroadcastOp::create(
        builder, graph.getLoc(), operand.get().getType(), operand.get()));
  }
}

/// A kernel graph that copies a tensor.
static Value createCopy(OpBuilder &builder, Location location, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value empty = tensor::EmptyOp::create(builder, location, type.getShape(),
                                        type.getElementType());
  auto graph = kernel::GraphOp::create(builder, location, TypeRange(type),
                                       tensor, empty);
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&graph.getBody(), {}, type, location);
  Value copy = kernel::BroadcastOp::create(builder, location, type,
                                           body->getArgument(0));
  kernel::YieldOp::create(builder, location, copy);
  return graph.getResult(0);
}

/// Gives every tensor that is returned a buffer of its own, provided that the
/// function is a program: kernel graphs and nothing else.
static void materializeResults(func::FuncOp function) {
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return;
  Block &body = function.getBody().front();
  if (!llvm::all_of(body.without_terminator(),
                    llvm::IsaPred<kernel::GraphOp, tensor::EmptyOp>))
    return;
  Operation *terminator = body.getTerminator();
  OpBuilder builder(terminator);
  llvm::DenseSet<Value> written;
  for (OpOperand &operand : terminator->getOpOperands()) {
    Value value = operand.get();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    bool hasKernel = value.getDefiningOp<kernel::GraphOp>() != nullptr;
    if (!type || !type.hasStaticShape() ||
        (hasKernel && written.insert(value).second))
      continue;
    operand.set(createCopy(builder, terminator->getLoc(), value));
  }
}

namespace {
struct MaterializeResultsPass
    : mirage::impl::MaterializeResultsPassBase<MaterializeResultsPass> {
  void runOnOperation() override {
    getOperation()->walk(
        [](func::FuncOp function) { materializeResults(function); });
    getOperation()->walk(
        [](kernel::GraphOp graph) { materializeResults(graph); });
  }
};
} // namespace
