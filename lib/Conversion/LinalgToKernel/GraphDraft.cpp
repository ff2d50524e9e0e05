//===- GraphDraft.cpp - A graph that is being built -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphDraft.h"
#include "FindConstant.h"
#include "Mirage/Dialect/Operator/OperatorInterface.h"
#include "Mirage/Dialect/Operator/ScalarTensors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage;

std::optional<std::string> mlir::mirage::explainUnsupported(Type type) {
  return explainUnsupportedTensor(getTypeInGraph(type));
}

GraphDraft::GraphDraft(Operation *op) : builder(op->getContext()), op(op) {
  builder.setInsertionPointToStart(&region.emplaceBlock());
}

GraphDraft::~GraphDraft() {
  // Uses point backwards only.
  while (!region.empty() && !region.front().empty())
    region.front().back().erase();
}

Value GraphDraft::getInput(Value outer) {
  outer = skipScalarReshapes(outer);
  auto [found, isNew] = arguments.try_emplace(outer);
  if (isNew) {
    found->second =
        region.addArgument(getTypeInGraph(outer.getType()), outer.getLoc());
    inputs.push_back(outer);
  }
  return found->second;
}

kernel::GraphOp GraphDraft::createGraph(RewriterBase &rewriter,
                                        ValueRange yielded) {
  Location location = op->getLoc();
  kernel::YieldOp::create(builder, location, yielded);
  SmallVector<Value> inits =
      llvm::map_to_vector(yielded.getTypes(), [&](Type type) -> Value {
        auto tensor = cast<RankedTensorType>(type);
        return tensor::EmptyOp::create(rewriter, location, tensor.getShape(),
                                       tensor.getElementType());
      });
  for (Value &input : inputs)
    input = expandScalar(rewriter, location, input);
  auto graph = kernel::GraphOp::create(rewriter, location, yielded.getTypes(),
                                       inputs, inits);
  graph.getBody().takeBody(region);
  return graph;
}

static Value createConstant(OpBuilder &builder, Location location,
                            RankedTensorType type, double number) {
  auto element = cast<FloatType>(type.getElementType());
  return arith::ConstantOp::create(
      builder, location,
      DenseElementsAttr::get(type, roundTo(number, element)));
}

/// A graph's result as what takes the place of `old`.
static Value toTypeOf(OpResult old, Value result, OpBuilder &builder) {
  if (!isScalarTensor(old.getType()))
    return result;
  return collapseScalar(builder, old.getLoc(), result);
}

kernel::GraphOp GraphDraft::replaceOp(RewriterBase &rewriter,
                                      ArrayRef<ResultValue> results) {
  rewriter.setInsertionPoint(op);
  SmallVector<Value> yielded;
  for (const ResultValue &result : results)
    if (auto *value = std::get_if<Value>(&result))
      yielded.push_back(*value);
  kernel::GraphOp graph;
  if (!yielded.empty())
    graph = createGraph(rewriter, yielded);
  unsigned next = 0;
  for (auto [old, result] : llvm::zip_equal(op->getResults(), results)) {
    if (std::holds_alternative<Value>(result))
      rewriter.replaceAllUsesWith(
          old, toTypeOf(old, graph.getResult(next++), rewriter));
    else if (auto *number = std::get_if<double>(&result))
      rewriter.replaceAllUsesWith(
          old, createConstant(rewriter, op->getLoc(),
                              cast<RankedTensorType>(old.getType()), *number));
  }
  rewriter.eraseOp(op);
  return graph;
}
