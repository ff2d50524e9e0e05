//===- UsedFunctions.cpp - Which functions a graph applies ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UsedFunctions.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;

bool mlir::mirage::appliesFunction(const Node &node,
                                   llvm::ArrayRef<ScalarFunction> functions) {
  auto applies = [&](const ScalarDefinition &definition) {
    return llvm::any_of(definition.nodes(), [&](const ScalarNode &node) {
      return llvm::is_contained(functions, node.function);
    });
  };
  const OperatorInfo &row = getOperatorInfo(node.opcode == Opcode::Accumulate
                                                ? node.attributes.reduction
                                                : node.opcode);
  bool joinsByMax =
      row.kind == OperatorKind::Reduction && row.combiner == Combiner::Max;
  return applies(row.definition) || applies(row.finish) ||
         (joinsByMax && llvm::is_contained(functions, ScalarFunction::Max));
}

bool mlir::mirage::usesFunction(const Graph &graph,
                                llvm::ArrayRef<ScalarFunction> functions) {
  return llvm::any_of(graph.getNodes(), [&](const Node &node) {
    return node.body ? usesFunction(*node.body, functions)
                     : appliesFunction(node, functions);
  });
}

void mlir::mirage::forEachLiteral(const Graph &graph,
                                  llvm::function_ref<void(double)> visit) {
  for (const Node &node : graph.getNodes()) {
    if (node.body)
      forEachLiteral(*node.body, visit);
    else if (node.opcode != Opcode::Mask)
      llvm::for_each(node.attributes.scalars, visit);
  }
}
