//===- ExpNesting.cpp - How deeply exponentials nest ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpNesting.h"
#include <algorithm>

using namespace mlir::mirage;

/// Adds what a definition nests to the deepest of its arguments.
static unsigned nest(const ScalarDefinition &definition, unsigned argument) {
  return evaluate<unsigned>(
      definition, [&](const ScalarNode &node, unsigned lhs, unsigned rhs) {
        if (node.function == ScalarFunction::Argument)
          return argument;
        return std::max(lhs, rhs) + (node.function == ScalarFunction::Exp);
      });
}

/// By value, with the nesting of the inputs given.
static std::vector<unsigned> nest(const Graph &graph,
                                  llvm::ArrayRef<unsigned> inputs) {
  std::vector<unsigned> depths(inputs.begin(), inputs.end());
  depths.resize(graph.getNumValues());
  for (const Node &operation : graph.getNodes()) {
    llvm::SmallVector<unsigned> operands;
    for (ValueId operand : operation.operands)
      operands.push_back(depths[operand]);
    if (operation.body) {
      std::vector<unsigned> inner = nest(*operation.body, operands);
      for (size_t i = 0; i < operation.results.size(); ++i)
        depths[operation.results[i]] = inner[operation.body->getOutputs()[i]];
      continue;
    }
    if (operation.isRescaled())
      ++operands[1];
    unsigned depth = 0;
    for (unsigned operand : operands)
      depth = std::max(depth, operand);
    Opcode opcode = operation.opcode == Opcode::Accumulate
                        ? operation.attributes.reduction
                        : operation.opcode;
    const OperatorInfo &info = getOperatorInfo(opcode);
    for (const ScalarDefinition *part : {&info.definition, &info.finish})
      if (!part->empty())
        depth = nest(*part, depth);
    depths[operation.results[0]] = depth;
  }
  return depths;
}

unsigned mlir::mirage::computeExpNesting(const Graph &graph) {
  std::vector<unsigned> depths =
      nest(graph, std::vector<unsigned>(graph.getNumInputs(), 0));
  unsigned deepest = 0;
  for (ValueId output : graph.getOutputs())
    deepest = std::max(deepest, depths[output]);
  return deepest;
}
