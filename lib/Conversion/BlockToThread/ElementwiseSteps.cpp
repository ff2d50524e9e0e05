//===- ElementwiseSteps.cpp - Elementwise and transposing steps -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Layout/FragmentRules.h"
#include "Mirage/Layout/WorkFragments.h"
#include "StepBuilders.h"
#include "ThreadGraphBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::mirage;

static RankedTensorType getTile(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static LogicalResult checkAxes(Operation *op, const WorkSplit &split) {
  if (split.getAxes().size() <= 3)
    return success();
  return op->emitOpError()
         << "expects a tile that is cut along at most 3 dimensions to share it "
            "among warps, got "
         << split.getAxes().size() << " for " << op->getResult(0).getType();
}

FailureOr<Value> mlir::mirage::buildElementwiseStep(RewriterBase &rewriter,
                                                    Operation *op,
                                                    unsigned numWarps) {
  RankedTensorType result = getTile(op->getResult(0));
  LinearLayout layout = chooseElementwiseLayout(result.getShape(), numWarps);
  WorkSplit split(result.getShape(), layout.getShape(), /*loopDim=*/-1);
  if (failed(checkAxes(op, split)))
    return failure();
  ThreadGraphBuilder graph(rewriter, op->getLoc(), split);
  SmallVector<Value> fragments;
  for (Value operand : op->getOperands()) {
    SmallVector<int> dims =
        getBroadcastDims(getTile(operand).getShape(), result.getRank());
    fragments.push_back(graph.addOperand(operand, dims, layout.project(dims)));
  }
  Opcode opcode = cast<OperatorOpInterface>(op).getTableOpcode();
  Value fragment = graph.addRow(opcode, fragments, readOperatorAttributes(op),
                                layout, result.getElementType());
  auto all = llvm::to_vector(llvm::seq<int>(result.getRank()));
  return graph.finish(fragment, all, result);
}

FailureOr<Value> mlir::mirage::buildTransposeStep(RewriterBase &rewriter,
                                                  Operation *op,
                                                  unsigned numWarps) {
  RankedTensorType result = getTile(op->getResult(0));
  LinearLayout layout = chooseElementwiseLayout(result.getShape(), numWarps);
  WorkSplit split(result.getShape(), layout.getShape(), /*loopDim=*/-1);
  if (failed(checkAxes(op, split)))
    return failure();
  ThreadGraphBuilder graph(rewriter, op->getLoc(), split);
  Attributes attributes = readOperatorAttributes(op);
  SmallVector<int> dims(result.getRank());
  for (auto [to, from] : llvm::enumerate(attributes.dims))
    dims[from] = to;
  Value fragment = graph.addRow(
      Opcode::Transpose,
      graph.addOperand(op->getOperand(0), dims, layout.project(dims)),
      attributes, layout, result.getElementType());
  auto all = llvm::to_vector(llvm::seq<int>(result.getRank()));
  return graph.finish(fragment, all, result);
}
