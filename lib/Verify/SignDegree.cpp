//===- SignDegree.cpp - How well signs hide a difference ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SignDegree.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace mlir::mirage;

namespace {
/// Of an element as a polynomial in signs.
struct Signs {
  unsigned degree = 0;
  unsigned count = 0;     ///< signs that stand in it, at most
  bool isMonomial = true; ///< one product of signs, times what has none
};
} // namespace

static Signs make(unsigned degree, unsigned count, bool isMonomial) {
  count = std::min(count, kManySigns);
  // Each sign stands once, as its square is 1.
  return {std::min(degree, count), count, count == 0 || isMonomial};
}

static Signs add(Signs a, Signs b) {
  return make(std::max(a.degree, b.degree), a.count + b.count, false);
}

static Signs multiply(Signs a, Signs b) {
  return make(a.degree + b.degree, a.count + b.count,
              a.isMonomial && b.isMonomial);
}

/// The inverse of a polynomial may have all signs in one term.
static Signs invert(Signs a) {
  return a.isMonomial ? a : make(a.count, a.count, false);
}

static Signs square(Signs a) {
  return a.isMonomial ? Signs() : make(2 * a.degree, a.count, false);
}

/// Whatever is no sum or product of polynomials may be any function of their
/// signs, and has all of them in one term.
static Signs applyAny(Signs a) { return make(a.count, a.count, false); }

/// √(c·m) of one product m of signs is another one, of a new sign.
static Signs takeRoot(Signs a) {
  unsigned degree = a.isMonomial ? a.degree : a.count;
  return make(1 + degree, a.count + 1, a.isMonomial);
}

static Signs apply(const ScalarNode &node, Signs lhs, Signs rhs) {
  switch (node.function) {
  case ScalarFunction::Mul:
    return node.lhs == node.rhs ? square(lhs) : multiply(lhs, rhs);
  case ScalarFunction::Div:
    return multiply(lhs, invert(rhs));
  case ScalarFunction::Sqrt:
    return takeRoot(lhs);
  case ScalarFunction::Abs:
    return multiply(lhs, make(1, 1, true));
  case ScalarFunction::Exp:
  case ScalarFunction::Log:
  case ScalarFunction::Erf:
    return applyAny(lhs);
  case ScalarFunction::Pow:
    return applyAny(add(lhs, rhs));
  case ScalarFunction::Vanish:
    return lhs;
  default:
    return add(lhs, rhs);
  }
}

static Signs apply(const ScalarDefinition &definition,
                   llvm::ArrayRef<Signs> arguments) {
  return evaluate<Signs>(
      definition, [&](const ScalarNode &node, Signs lhs, Signs rhs) {
        if (node.function == ScalarFunction::Argument)
          return arguments[node.index];
        return getArity(node.function) == 0 ? Signs() : apply(node, lhs, rhs);
      });
}

/// Of elements that are alike, each with signs of its own.
static Signs addAll(Signs of) {
  return of.count == 0 ? of : make(of.degree, kManySigns, false);
}

static Signs reduce(const OperatorInfo &row, Signs operand) {
  Signs reduced =
      addAll(row.definition.empty() ? operand : apply(row.definition, operand));
  return row.finish.empty() ? reduced : apply(row.finish, reduced);
}

static Signs join(llvm::ArrayRef<Signs> operands) {
  Signs all;
  for (Signs operand : operands) {
    all.degree = std::max(all.degree, operand.degree);
    all.count = std::max(all.count, operand.count);
    all.isMonomial &= operand.isMonomial;
  }
  return all;
}

static Signs apply(const Node &operation, llvm::ArrayRef<Signs> operands) {
  const OperatorInfo &row = getOperatorInfo(operation.opcode);
  switch (row.kind) {
  case OperatorKind::Elementwise:
    return apply(row.definition, operands);
  case OperatorKind::Reduction:
    return reduce(row, operands[0]);
  case OperatorKind::Contraction:
    return addAll(multiply(operands[0], operands[1]));
  case OperatorKind::Accumulate: {
    Signs sum =
        reduce(getOperatorInfo(operation.attributes.reduction), operands[0]);
    // By the exponential of differences.
    return operation.isRescaled() ? multiply(sum, applyAny(addAll(operands[1])))
                                  : sum;
  }
  default: // moved
    return join(operands);
  }
}

/// By value, with those of the inputs given.
static llvm::SmallVector<Signs> computeSigns(const Graph &graph,
                                             llvm::ArrayRef<Signs> inputs) {
  llvm::SmallVector<Signs> signs(inputs);
  signs.resize(graph.getNumValues());
  for (const Node &operation : graph.getNodes()) {
    llvm::SmallVector<Signs, 4> operands;
    for (ValueId operand : operation.operands)
      operands.push_back(signs[operand]);
    if (!operation.body) {
      signs[operation.results[0]] = apply(operation, operands);
      continue;
    }
    llvm::SmallVector<Signs> inner = computeSigns(*operation.body, operands);
    for (auto [result, output] :
         llvm::zip_equal(operation.results, operation.body->getOutputs()))
      signs[result] = inner[output];
  }
  return signs;
}

unsigned mlir::mirage::computeSignDegree(const Graph &graph) {
  llvm::SmallVector<Signs> signs = computeSigns(
      graph, llvm::SmallVector<Signs>(graph.getNumInputs(), Signs()));
  unsigned largest = 0;
  for (ValueId output : graph.getOutputs())
    largest = std::max(largest, signs[output].degree);
  return largest;
}

bool mlir::mirage::mayMissPattern(unsigned degree, unsigned numTrials) {
  return degree > 0 && numTrials * std::log2(1 - std::exp2(-double(degree))) >
                           kEnoughTrialsLog2;
}
