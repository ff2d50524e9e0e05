//===- ScalarEvaluation.cpp - Applies definitions with an arithmetic ------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphEvaluator.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <cstring>

using namespace mlir::mirage;

void GraphEvaluator::applyDefinition(const ScalarDefinition &definition,
                                     llvm::ArrayRef<const uint32_t *> arguments,
                                     llvm::ArrayRef<double> parameters,
                                     double size, uint32_t *result,
                                     size_t count) {
  using Source = Arithmetic::Source;
  WordArena::Mark mark = arena.mark();
  llvm::SmallVector<Source, 8> sources;
  llvm::SmallVector<double, 8> constants; ///< NaN where a node is none
  auto addConstant = [&](double value) {
    uint32_t *data = arena.allocate(Arithmetic::kConstantWords);
    arithmetic.constant(data, value);
    constants.push_back(value);
    sources.push_back({data, /*repeats=*/true});
  };
  for (auto [number, node] : llvm::enumerate(definition.nodes())) {
    switch (node.function) {
    case ScalarFunction::Parameter:
      addConstant(parameters[node.index]);
      continue;
    case ScalarFunction::Constant:
      addConstant(node.value);
      continue;
    case ScalarFunction::Size:
      addConstant(size);
      continue;
    default:
      break;
    }
    constants.push_back(std::nan(""));
    if (node.function == ScalarFunction::Argument) {
      sources.push_back({arguments[node.index]});
      continue;
    }
    if (node.function == ScalarFunction::Ln2) {
      uint32_t *data = arena.allocate(Arithmetic::kConstantWords);
      arithmetic.ln2(data);
      sources.push_back({data, /*repeats=*/true});
      continue;
    }
    bool isLast = number + 1 == definition.nodes().size();
    uint32_t *target = isLast ? result : arena.allocate(count);
    Source lhs = sources[node.lhs];
    bool isBinary = getArity(node.function) == 2;
    Source rhs = isBinary ? sources[node.rhs] : lhs;
    if (node.function == ScalarFunction::Mul && constants[node.lhs] > 0)
      arithmetic.scale(target, rhs, lhs, count);
    else if (node.function == ScalarFunction::Mul && constants[node.rhs] > 0)
      arithmetic.scale(target, lhs, rhs, count);
    else
      arithmetic.apply(node.function, target, lhs, rhs, count);
    sources.push_back({target});
  }
  // A definition that is a leaf: the operand or a constant as it is.
  const Source &last = sources.back();
  if (last.data != result)
    for (size_t i = 0; i < count; i += words)
      std::memcpy(result + i, last.data + (last.repeats ? 0 : i),
                  words * sizeof(uint32_t));
  arena.release(mark);
}
