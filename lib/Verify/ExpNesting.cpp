//===- ExpNesting.cpp - How deeply exponentials nest ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpNesting.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <array>

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

namespace {
/// How deeply exponentials nest in what an operator computes of operands in
/// which they nest `depth` deep: the larger of `least` and depth + `around`.
struct NestingRule {
  unsigned around = 0, least = 0;
};
} // namespace

static NestingRule findRule(const OperatorInfo &row) {
  auto nestAll = [&](unsigned depth) {
    for (const ScalarDefinition *part : {&row.definition, &row.finish})
      if (!part->empty())
        depth = nest(*part, depth);
    return depth;
  };
  constexpr unsigned kDeep = 1000;
  unsigned deep = nestAll(kDeep);
  return {deep < kDeep ? 0 : deep - kDeep, nestAll(0)};
}

/// By opcode; a search asks for them again and again.
static std::array<NestingRule, kNumOpcodes> tabulateRules() {
  std::array<NestingRule, kNumOpcodes> rules;
  llvm::transform(getOperatorTable(), rules.begin(), findRule);
  return rules;
}

static NestingRule getRule(Opcode opcode) {
  static const std::array<NestingRule, kNumOpcodes> kRules = tabulateRules();
  return kRules[static_cast<unsigned>(opcode)];
}

/// By value, with the nesting of the inputs given.
static llvm::SmallVector<unsigned> nest(const Graph &graph,
                                        llvm::ArrayRef<unsigned> inputs) {
  llvm::SmallVector<unsigned> depths(inputs);
  depths.resize(graph.getNumValues());
  for (const Node &operation : graph.getNodes()) {
    llvm::SmallVector<unsigned, 4> operands;
    for (ValueId operand : operation.operands)
      operands.push_back(depths[operand]);
    if (operation.body) {
      llvm::SmallVector<unsigned> inner = nest(*operation.body, operands);
      for (size_t i = 0; i < operation.results.size(); ++i)
        depths[operation.results[i]] = inner[operation.body->getOutputs()[i]];
      continue;
    }
    if (operation.isRescaled())
      ++operands[1];
    unsigned depth = 0;
    for (unsigned operand : operands)
      depth = std::max(depth, operand);
    NestingRule rule = getRule(operation.opcode == Opcode::Accumulate
                                   ? operation.attributes.reduction
                                   : operation.opcode);
    depths[operation.results[0]] = std::max(rule.least, depth + rule.around);
  }
  return depths;
}

unsigned mlir::mirage::computeExpNesting(const Graph &graph) {
  llvm::SmallVector<unsigned> depths =
      nest(graph, llvm::SmallVector<unsigned>(graph.getNumInputs(), 0));
  unsigned deepest = 0;
  for (ValueId output : graph.getOutputs())
    deepest = std::max(deepest, depths[output]);
  return deepest;
}
