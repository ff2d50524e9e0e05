//===- ComponentSlice.cpp - What one component is asked for ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComponentSlice.h"
#include "UsedFunctions.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;

ComponentSlice::ComponentSlice(const Graph &graph, Kind kind) : kind(kind) {
  llvm::BitVector isNeeded(graph.getNumValues());
  if (hasOutputs())
    for (ValueId output : graph.getOutputs())
      isNeeded.set(output);
  collect(graph, isNeeded);
}

void ComponentSlice::collect(const Graph &graph, llvm::BitVector &isNeeded) {
  auto isAsked = [&](ValueId result) { return isNeeded[result]; };
  auto insert = [&](const Node &operation) {
    operations.insert(&operation);
    for (ValueId result : operation.results)
      isNeeded.set(result);
  };
  for (const Node &operation : llvm::reverse(graph.getNodes())) {
    if (const TileGraph *body = operation.body.get()) {
      isWhole |= !bodies.insert(body).second;
      llvm::BitVector isNeededInside(body->getNumValues());
      for (auto [output, result] :
           llvm::zip_equal(body->getOutputs(), operation.results))
        if (isAsked(result))
          isNeededInside.set(output);
      collect(*body, isNeededInside);
      if (isNeededInside.none())
        continue;
      insert(operation);
      // An input that is an output is read whoever asks for it.
      for (ValueId output : body->getOutputs())
        if (body->isInput(output))
          isNeededInside.set(output);
      for (auto [input, operand] : llvm::enumerate(operation.operands))
        if (isNeededInside[input])
          isNeeded.set(operand);
      continue;
    }
    // What a variance is of is computed twice, in all components or none.
    bool takesExponentials = operation.isRescaled() ||
                             operation.getNumCarried() > 1 ||
                             appliesFunction(operation, {ScalarFunction::Exp});
    bool isRead = llvm::any_of(operation.results, isAsked);
    if (!takesExponentials && !isRead)
      continue;
    if (!isRead)
      unread.insert(&operation);
    insert(operation);
    if (readsOperands(operation))
      for (ValueId operand : operation.operands)
        isNeeded.set(operand);
  }
}
