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
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_MATERIALIZERESULTSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

namespace {
/// Gives every value that is yielded a buffer of its own. A broadcast to the
/// same shape is a copy.
class ResultsMaterializer {
public:
  void run(kernel::GraphOp graph) {
    Operation *yield = graph.getBody().front().getTerminator();
    llvm::DenseSet<Value> passedOn; // to other graphs
    llvm::SmallPtrSet<OpOperand *, 4> kept;
    // A kernel writes its result where that is to lie, and views of it are
    // where this puts them: so the result itself comes first, and lies as the
    // first operand that it is.
    for (bool isView : {false, true})
      for (OpOperand &operand : yield->getOpOperands())
        if (!kept.contains(&operand) && canKeep(operand, isView, passedOn))
          kept.insert(&operand);
    OpBuilder builder(yield);
    for (OpOperand &operand : yield->getOpOperands())
      if (!kept.contains(&operand))
        operand.set(kernel::BroadcastOp::create(
            builder, graph.getLoc(), operand.get().getType(), operand.get()));
  }

private:
  /// Whether a kernel writes it for nobody else, and where it is to lie.
  bool canKeep(OpOperand &operand, bool isView,
               llvm::DenseSet<Value> &passedOn) {
    Value value = operand.get();
    if (!canReturn(value, getWantedPlaces(operand)))
      return false;
    Value root = findView(value)->root;
    auto &roots = isHandedOut(operand) ? written : passedOn;
    return (root != value) == isView && roots.insert(root).second;
  }

  llvm::DenseSet<Value> written; ///< what results of programs are
};
} // namespace

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
    ResultsMaterializer materializer;
    getOperation()->walk(
        [&](kernel::GraphOp graph) { materializer.run(graph); });
  }
};
} // namespace
