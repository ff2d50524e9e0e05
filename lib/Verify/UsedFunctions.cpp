//===- UsedFunctions.cpp - Which functions a graph applies ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UsedFunctions.h"
#include "llvm/ADT/STLExtras.h"
#include <array>

using namespace mlir::mirage;

/// Of primitive functions, a bit for each.
using FunctionSet = uint32_t;
static FunctionSet toSet(ScalarFunction function) {
  return FunctionSet(1) << static_cast<unsigned>(function);
}

static FunctionSet findFunctions(const OperatorInfo &row) {
  FunctionSet functions = 0;
  for (const ScalarDefinition *definition : {&row.definition, &row.finish})
    for (const ScalarNode &node : definition->nodes())
      functions |= toSet(node.function);
  if (row.kind == OperatorKind::Reduction && row.combiner == Combiner::Max)
    functions |= toSet(ScalarFunction::Max);
  return functions;
}

/// By opcode; a search asks for them again and again.
static std::array<FunctionSet, kNumOpcodes> tabulateFunctions() {
  std::array<FunctionSet, kNumOpcodes> functions;
  llvm::transform(getOperatorTable(), functions.begin(), findFunctions);
  return functions;
}

bool mlir::mirage::appliesFunction(const Node &node,
                                   llvm::ArrayRef<ScalarFunction> functions) {
  static const std::array<FunctionSet, kNumOpcodes> kFunctions =
      tabulateFunctions();
  // By running maxima of what the second operand is.
  if (node.isRescaled() && llvm::is_contained(functions, ScalarFunction::Max))
    return true;
  Opcode opcode = node.opcode == Opcode::Accumulate ? node.attributes.reduction
                                                    : node.opcode;
  return llvm::any_of(functions, [&](ScalarFunction function) {
    return kFunctions[static_cast<unsigned>(opcode)] & toSet(function);
  });
}

bool mlir::mirage::usesFunction(const Graph &graph,
                                llvm::ArrayRef<ScalarFunction> functions) {
  return llvm::any_of(graph.getNodes(), [&](const Node &node) {
    return node.body ? usesFunction(*node.body, functions)
                     : appliesFunction(node, functions);
  });
}
