//===- ExpandComposed.cpp - Norms and softmax as what they are ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Operator/ExpandComposed.h"
#include "Mirage/Graph/ComposedOperators.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage;

static Graph readDefinition(OperatorOpInterface op) {
  return llvm::cantFail(
      defineComposed(
          op.getTableOpcode(), readOperatorAttributes(op),
          llvm::map_to_vector(op->getOperandTypes(),
                              [](Type type) { return convertTensor(type); }),
          convertTensor(op->getResult(0).getType())),
      "a verified op has a definition");
}

void mlir::mirage::expandComposed(RewriterBase &rewriter,
                                  OperatorOpInterface op) {
  Graph definition = readDefinition(op);
  rewriter.setInsertionPoint(op);
  SmallVector<Value> values(op->getOperands());
  for (const Node &node : definition.getNodes()) {
    // The dialects spell each row of the operator table alike.
    OperationState state(op.getLoc(), (op->getName().getDialectNamespace() +
                                       "." + getOperatorInfo(node.opcode).name)
                                          .str());
    for (ValueId operand : node.operands)
      state.addOperands(values[operand]);
    state.addTypes(convertTensor(rewriter.getContext(),
                                 definition.getType(node.results[0])));
    state.addAttributes(writeOperatorAttributes(rewriter.getContext(),
                                                node.opcode, node.attributes));
    values.push_back(rewriter.create(state)->getResult(0));
  }
  rewriter.replaceOp(op, values[definition.getOutputs()[0]]);
}

SmallVector<OperatorOpInterface> mlir::mirage::findComposed(Operation *op) {
  SmallVector<OperatorOpInterface> composed;
  op->walk([&](OperatorOpInterface nested) {
    if (isComposed(nested.getTableOpcode()))
      composed.push_back(nested);
  });
  return composed;
}
