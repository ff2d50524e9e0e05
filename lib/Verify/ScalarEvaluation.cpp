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

namespace {
/// One walk over a definition, node by node, for all elements at once.
class DefinitionWalk {
public:
  using Source = Arithmetic::Source;

  DefinitionWalk(Arithmetic &arithmetic, WordArena &arena,
                 llvm::ArrayRef<const uint32_t *> arguments,
                 llvm::ArrayRef<double> parameters, double size, size_t count)
      : arithmetic(arithmetic), arena(arena), arguments(arguments),
        parameters(parameters), size(size), count(count) {}

  /// As far as there are exponentials.
  void runExponentials(const ScalarDefinition &definition) {
    llvm::ArrayRef<ScalarNode> nodes = definition.nodes();
    while (!nodes.empty() && nodes.back().function != ScalarFunction::Exp)
      nodes = nodes.drop_back();
    evaluateAll(nodes);
  }

  void run(const ScalarDefinition &definition, uint32_t *result) {
    evaluateAll(definition.nodes().drop_back());
    operands.push_back(evaluate(definition.nodes().back(), result));
    // A definition that is a leaf: the operand or a constant as it is.
    if (operands.back().source.data != result)
      copy(operands.back().source, result);
  }

private:
  void evaluateAll(llvm::ArrayRef<ScalarNode> nodes) {
    for (const ScalarNode &node : nodes)
      operands.push_back(evaluate(node, nullptr));
  }

  struct Operand {
    Source source;
    double constant = std::nan(""); ///< the value, if it is a rational one
    bool isPositive = false;        ///< a constant that is
  };

  /// \param target  where a result goes; anywhere if null.
  Operand evaluate(const ScalarNode &node, uint32_t *target) {
    switch (node.function) {
    case ScalarFunction::Argument:
      return {{arguments[node.index]}};
    case ScalarFunction::Parameter:
      return addConstant(parameters[node.index]);
    case ScalarFunction::Constant:
      return addConstant(node.value);
    case ScalarFunction::Size:
      return addConstant(size);
    case ScalarFunction::Ln2: {
      uint32_t *data = arena.allocate(Arithmetic::kConstantWords);
      arithmetic.ln2(data);
      return {{data, /*repeats=*/true}, std::nan(""), /*isPositive=*/true};
    }
    default:
      if (const Operand *other = findUnbounded(node))
        return *other;
      return {{apply(node, target ? target : arena.allocate(count))}};
    }
  }

  /// The other operand of a minimum with plus infinity, which it is: a clamp
  /// without an upper limit. Plus infinity itself is no value of an arithmetic.
  const Operand *findUnbounded(const ScalarNode &node) const {
    if (node.function != ScalarFunction::Min)
      return nullptr;
    const Operand &lhs = operands[node.lhs], &rhs = operands[node.rhs];
    if (rhs.constant == HUGE_VAL)
      return &lhs;
    return lhs.constant == HUGE_VAL ? &rhs : nullptr;
  }

  Operand addConstant(double value) {
    uint32_t *data = arena.allocate(Arithmetic::kConstantWords);
    arithmetic.constant(data, value);
    return {{data, /*repeats=*/true}, value, value > 0};
  }

  uint32_t *apply(const ScalarNode &node, uint32_t *target) {
    const Operand &lhs = operands[node.lhs];
    bool isBinary = getArity(node.function) == 2;
    const Operand &rhs = isBinary ? operands[node.rhs] : lhs;
    if (node.function == ScalarFunction::Mul && lhs.isPositive)
      arithmetic.scale(target, rhs.source, lhs.source, count);
    else if (node.function == ScalarFunction::Mul && rhs.isPositive)
      arithmetic.scale(target, lhs.source, rhs.source, count);
    else
      arithmetic.apply(node.function, target, lhs.source, rhs.source, count);
    return target;
  }

  void copy(const Source &source, uint32_t *result) {
    if (!source.repeats) {
      std::memcpy(result, source.data, count * sizeof(uint32_t));
      return;
    }
    unsigned words = arithmetic.getWords();
    for (size_t i = 0; i < count; i += words)
      std::memcpy(result + i, source.data, words * sizeof(uint32_t));
  }

  Arithmetic &arithmetic;
  WordArena &arena;
  llvm::ArrayRef<const uint32_t *> arguments;
  llvm::ArrayRef<double> parameters;
  double size;
  size_t count;                           ///< words
  llvm::SmallVector<Operand, 8> operands; ///< by node
};
} // namespace

void GraphEvaluator::applyDefinition(const ScalarDefinition &definition,
                                     llvm::ArrayRef<const uint32_t *> arguments,
                                     llvm::ArrayRef<double> parameters,
                                     double size, uint32_t *result,
                                     size_t count) {
  for (size_t first = 0; first < count; first += kBlockWords) {
    llvm::SmallVector<const uint32_t *, 2> starts;
    for (const uint32_t *argument : arguments)
      starts.push_back(argument ? argument + first : nullptr);
    WordArena::Mark mark = arena.mark();
    DefinitionWalk walk(arithmetic, arena, starts, parameters, size,
                        std::min(kBlockWords, count - first));
    if (result)
      walk.run(definition, result + first);
    else
      walk.runExponentials(definition);
    arena.release(mark);
  }
}
