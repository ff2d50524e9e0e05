//===- LawSupport.h - Laws applied to trees, for tests ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_ALGEBRA_LAWSUPPORT_H
#define MIRAGE_TEST_UNIT_ALGEBRA_LAWSUPPORT_H

#include "Mirage/Algebra/ExpressionLaws.h"
#include <array>
#include <random>

namespace mlir::mirage::test {

/// What the variables of a law stand for.
struct LawBinding {
  std::array<Expression, 3> variables;
  std::array<std::optional<IndexRange>, 2> ranges;
  std::array<std::optional<SymbolId>, 2> symbols;
};

/// A law's side with its variables replaced; all of them must be bound.
Expression instantiate(const Expression &pattern, const LawBinding &binding);
/// Binds variables so that the pattern is the expression; false if it never is.
bool match(const Expression &pattern, const Expression &expression,
           LawBinding &binding);
/// Whether the conditions of the law hold.
bool holds(const ExpressionLaw &law, const LawBinding &binding);
/// Inputs, names and symbols for the variables of a law that depend on as much
/// as the conditions of the law allow; with `breaksConditions`, on more.
LawBinding bindToInputs(const ExpressionContext &context,
                        const ExpressionLaw &law,
                        bool breaksConditions = false);

/// The names i and j, each split by two symbols, and random expressions on
/// inputs that have some of them.
class RandomExpressions {
public:
  struct Shape {
    /// Inputs depend on names; without, sums are sizes as in the paper.
    bool hasNames = true;
    bool hasSigns = true;
    bool hasFunctions = true; ///< maxima too, if there are names
  };

  RandomExpressions(ExpressionContext &context, unsigned seed, Shape shape);

  /// About `size` operators and leaves.
  Expression make(unsigned size);
  /// The expression with one of the laws applied somewhere in it, one way or
  /// the other, or as it is where none fits; at most `maxNodes` long.
  Expression rewrite(const Expression &expression,
                     llvm::ArrayRef<const ExpressionLaw *> laws,
                     unsigned maxNodes);
  unsigned pick(unsigned count) { return random() % count; }

private:
  Expression makeLeaf();
  Expression makeOverName(Expression operand, unsigned size);
  std::vector<Expression> rewriteRoot(const Expression &expression,
                                      const ExpressionLaw &law);
  std::optional<Expression> applyLaw(const ExpressionLaw &law,
                                     const Expression &from,
                                     const Expression &to,
                                     const Expression &expression);
  bool bindSymbol(LawBinding &binding);

  ExpressionContext &context;
  Shape shape;
  std::vector<NameId> names;
  std::vector<std::vector<NameId>> inputs;
  std::mt19937 random;
};

/// Whether the form is a maximum times −1, or divided by it: the one thing that
/// the laws find in max over i and j of x, as max over i of −(−(max over j of
/// x)), and the subexpression test does not (docs/Expressions.md, limits).
bool isSignedMaximum(const ExpressionContext &context, FormId form);

/// All subterms, the whole first.
std::vector<Expression> listSubterms(const Expression &expression);

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_ALGEBRA_LAWSUPPORT_H
