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

/// The dimension of the result that each of an operand's is, or -1.
static SmallVector<int> getResultDims(Opcode opcode,
                                      const Attributes &attributes,
                                      Value operand, unsigned rank) {
  if (opcode != Opcode::Transpose)
    return getBroadcastDims(getTile(operand).getShape(), rank);
  SmallVector<int> dims(rank);
  for (auto [to, from] : llvm::enumerate(attributes.dims))
    dims[from] = to;
  return dims;
}

Value mlir::mirage::buildElementwiseStep(RewriterBase &rewriter, Operation *op,
                                         unsigned numWarps) {
  RankedTensorType result = getTile(op->getResult(0));
  LinearLayout layout = chooseElementwiseLayout(result.getShape(), numWarps);
  WorkSplit split(result.getShape(), layout.getShape(), /*loopDim=*/-1);
  if (!split.isShareable())
    return {};
  Opcode opcode = cast<OperatorOpInterface>(op).getTableOpcode();
  Attributes attributes = readOperatorAttributes(op);
  ThreadGraphBuilder graph(rewriter, op->getLoc(), split);
  SmallVector<Value> fragments;
  for (Value operand : op->getOperands()) {
    SmallVector<int> dims =
        getResultDims(opcode, attributes, operand, result.getRank());
    fragments.push_back(graph.addOperand(operand, dims, layout.project(dims)));
  }
  Value fragment = graph.addRow(opcode, fragments, attributes, layout,
                                result.getElementType());
  auto all = llvm::to_vector(llvm::seq<int>(result.getRank()));
  return graph.finish(fragment, all, result);
}
