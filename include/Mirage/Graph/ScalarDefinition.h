//===- ScalarDefinition.h - What an elementwise operator means --*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each elementwise operator is *defined* once, as a term over a dozen primitive
// functions. Everything that gives the operator a meaning walks that term with
// its own meaning of the primitives: the float64 reference with doubles, the
// verifier with field elements, the pruner with abstract expressions, code
// generation with instructions. So these cannot disagree, and a new operator
// needs no code in any of them. Example:
//
//   silu(x) = x / (1 + exp(-1 * x))
//
//   nodes:  0: Argument 0     3: Exp 2         5: Add 4, 3
//           1: Constant -1    4: Constant 1    6: Div 0, 5      <- the result
//           2: Mul 1, 0
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_SCALARDEFINITION_H
#define MIRAGE_GRAPH_SCALARDEFINITION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/ErrorHandling.h"
#include <cmath>
#include <cstdint>

namespace mlir::mirage {

/// The primitive functions. Subtraction and negation are written with the
/// constant -1, and powers with integer or half exponents by Mul, Sqrt and Div,
/// so that equal things have equal terms. What each means over a finite field:
/// docs/Verification.md.
enum class ScalarFunction : uint8_t {
  Argument,  ///< the operand with number `index`
  Parameter, ///< the operation's scalar attribute with number `index`
  Constant,  ///< `value`, an exact rational given by its bits
  Ln2,       ///< the natural logarithm of 2, a symbol and no rational
  Size,      ///< the number of elements that a reduction ran over
  Add,
  Mul,
  Div,
  Max,
  Min,
  Exp,
  Sqrt,
  Abs,
  Log,
  Erf,
  Pow,
  Vanish, ///< the first operand, but 0 where the second is minus infinity
};

/// Number of operands that a primitive takes: 0 (leaves), 1 or 2.
unsigned getArity(ScalarFunction function);

/// What `ScalarFunction::Ln2` stands for, in doubles.
inline constexpr double kLn2 = 0.693147180559945309417;

/// Calls `use` with the meaning of a primitive in doubles, a function of two
/// doubles; a unary one ignores the second. What is applied to a whole row thus
/// decides once which primitive it is. NaN as an operand is NaN as the result,
/// of Max and Min as well.
template <typename Use>
decltype(auto) withDoubleMeaning(ScalarFunction function, Use &&use) {
  switch (function) {
  case ScalarFunction::Add:
    return use([](double x, double y) { return x + y; });
  case ScalarFunction::Mul:
    return use([](double x, double y) { return x * y; });
  case ScalarFunction::Div:
    return use([](double x, double y) { return x / y; });
  case ScalarFunction::Max:
    return use(
        [](double x, double y) { return std::isnan(x) || x > y ? x : y; });
  case ScalarFunction::Min:
    return use(
        [](double x, double y) { return std::isnan(x) || x < y ? x : y; });
  case ScalarFunction::Exp:
    return use([](double x, double) { return std::exp(x); });
  case ScalarFunction::Sqrt:
    return use([](double x, double) { return std::sqrt(x); });
  case ScalarFunction::Abs:
    return use([](double x, double) { return std::fabs(x); });
  case ScalarFunction::Log:
    return use([](double x, double) { return std::log(x); });
  case ScalarFunction::Erf:
    return use([](double x, double) { return std::erf(x); });
  case ScalarFunction::Pow:
    return use([](double x, double y) { return std::pow(x, y); });
  case ScalarFunction::Vanish:
    return use([](double x, double y) { return y == -INFINITY ? 0 : x; });
  case ScalarFunction::Argument:
  case ScalarFunction::Parameter:
  case ScalarFunction::Constant:
  case ScalarFunction::Ln2:
  case ScalarFunction::Size:
    break;
  }
  llvm_unreachable("leaves have no operands; the caller gives their values");
}

inline double applyDouble(ScalarFunction function, double lhs, double rhs) {
  return withDoubleMeaning(
      function, [&](auto meaning) -> double { return meaning(lhs, rhs); });
}

struct ScalarNode {
  ScalarFunction function = ScalarFunction::Argument;
  uint8_t index = 0;        ///< of Argument and Parameter
  uint8_t lhs = 0, rhs = 0; ///< nodes that stand earlier in the list
  double value = 0;         ///< of Constant
};

/// A term as a list of nodes in which operands stand before their users; the
/// last node is the result. Equal subterms are one node.
class ScalarDefinition {
public:
  llvm::ArrayRef<ScalarNode> nodes() const { return list; }
  bool empty() const { return list.empty(); }
  /// Whether it is an operand as it is.
  bool isArgument() const {
    return list.size() == 1 && list[0].function == ScalarFunction::Argument;
  }

  /// Adds a node, or returns the equal one that is there. \returns its number.
  uint8_t add(ScalarNode node);

  /// Primitive arithmetic per element, leaves not counted.
  unsigned countArithmetic() const;
  /// How many of these need the special-function unit of a GPU (exp, sqrt,
  /// div, log, erf, pow).
  unsigned countSpecial() const;

private:
  llvm::SmallVector<ScalarNode, 4> list;
};

/// Walks a definition with a given meaning of the primitives, one call a node:
/// \code
///   double y = evaluate<double>(definition, [&](const ScalarNode &node,
///                                               double lhs, double rhs)
///                                               {...});
/// \endcode
/// `lhs` and `rhs` are default-constructed where the primitive takes fewer.
template <typename T, typename Meaning>
T evaluate(const ScalarDefinition &definition, Meaning &&meaning) {
  llvm::SmallVector<T, 8> results;
  for (const ScalarNode &node : definition.nodes()) {
    unsigned arity = getArity(node.function);
    results.push_back(meaning(node, arity > 0 ? results[node.lhs] : T(),
                              arity > 1 ? results[node.rhs] : T()));
  }
  return results.back();
}

/// The meaning in double precision.
double evaluateDouble(const ScalarDefinition &definition,
                      llvm::ArrayRef<double> arguments,
                      llvm::ArrayRef<double> parameters, double size = 1);

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_SCALARDEFINITION_H
