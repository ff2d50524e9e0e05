//===- ExponentSlice.cpp - What exponentials are computed from ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExponentSlice.h"
#include "UsedFunctions.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;

ExponentSlice::ExponentSlice(const Graph &graph) {
  llvm::BitVector isNeeded(graph.getNumValues());
  collect(graph, isNeeded);
}

void ExponentSlice::collect(const Graph &graph, llvm::BitVector &isNeeded) {
  for (const Node &operation : llvm::reverse(graph.getNodes())) {
    auto isAsked = [&](ValueId result) { return isNeeded[result]; };
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
      operations.insert(&operation);
      for (auto [input, operand] : llvm::enumerate(operation.operands))
        if (isNeededInside[input])
          isNeeded.set(operand);
      continue;
    }
    if (!llvm::any_of(operation.results, isAsked) && !operation.isRescaled() &&
        !appliesFunction(operation, {ScalarFunction::Exp}))
      continue;
    operations.insert(&operation);
    for (ValueId operand : operation.operands)
      isNeeded.set(operand);
  }
}
