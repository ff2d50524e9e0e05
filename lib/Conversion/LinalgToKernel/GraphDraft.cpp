//===- GraphDraft.cpp - A graph that is being built -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphDraft.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage;

GraphDraft::GraphDraft(Operation *op) : builder(op->getContext()), op(op) {
  builder.setInsertionPointToStart(&region.emplaceBlock());
}

GraphDraft::~GraphDraft() {
  // Uses point backwards only.
  while (!region.empty() && !region.front().empty())
    region.front().back().erase();
}

Value GraphDraft::getInput(Value outer) {
  auto [found, isNew] = arguments.try_emplace(outer);
  if (isNew) {
    found->second = region.addArgument(outer.getType(), outer.getLoc());
    inputs.push_back(outer);
  }
  return found->second;
}

kernel::GraphOp GraphDraft::replaceOp(RewriterBase &rewriter,
                                      ValueRange results) {
  Location location = op->getLoc();
  kernel::YieldOp::create(builder, location, results);
  rewriter.setInsertionPoint(op);
  SmallVector<Value> inits =
      llvm::map_to_vector(op->getResultTypes(), [&](Type type) -> Value {
        auto tensor = cast<RankedTensorType>(type);
        return tensor::EmptyOp::create(rewriter, location, tensor.getShape(),
                                       tensor.getElementType());
      });
  auto graph = kernel::GraphOp::create(rewriter, location, op->getResultTypes(),
                                       inputs, inits);
  graph.getBody().takeBody(region);
  rewriter.replaceOp(op, graph.getResults());
  return graph;
}
