//===- SolverAgreementTest.cpp - Normal forms against a solver ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random pairs, asked of the normal form and of a solver that has the laws as
// axioms and knows no normal form. What the solver proves, the normal form must
// say as well; what a rewriting closure contains, too. The solver says no to
// nothing, so that a yes of the normal form alone proves nothing either way.
//
//===----------------------------------------------------------------------===//

#include "../TestSizes.h"
#include "LawSupport.h"
#include "Mirage/Algebra/Subexpression.h"
#include "Mirage/AlgebraZ3/ExpressionProver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <chrono>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

namespace {

struct Tally {
  unsigned pairs = 0;
  unsigned ours = 0;          ///< yes by the normal form
  unsigned solver = 0;        ///< yes by the solver
  unsigned disagreements = 0; ///< yes by the solver alone, or no against ours
  unsigned fromClosure = 0;   ///< pairs that are true by construction
  unsigned missedClosure = 0; ///< no by the normal form among these
};

struct Mode {
  const char *name;
  bool hasNames; ///< with the index rule, or sums that are sizes
  unsigned seed;
};

class SolverAgreementTest : public testing::TestWithParam<Mode> {
protected:
  static constexpr unsigned kMaxTotal = 12, kMaxNodes = 16;

  SolverAgreementTest() {
    complete.strictSigns = false;
    complete.sizeOnlyQuotients = true;
    limits.indexRule = GetParam().hasNames;
    for (const ExpressionLaw &law : getExpressionLaws())
      laws.push_back(&law);
  }

  static RandomExpressions::Shape getShape() {
    RandomExpressions::Shape shape;
    shape.hasNames = GetParam().hasNames;
    return shape;
  }

  Expression walk(Expression expression, unsigned numSteps) {
    for (unsigned step = 0; step < numSteps; ++step)
      expression = expressions.rewrite(expression, laws, kMaxNodes);
    return expression;
  }
  Expression pickSubterm(const Expression &whole) {
    std::vector<Expression> subterms = listSubterms(whole);
    return subterms[expressions.pick(subterms.size())];
  }
  /// Often no part, and one that shares much with parts.
  Expression makeNearMiss(const Expression &whole) {
    Expression part = pickSubterm(whole), other = expressions.make(1);
    switch (expressions.pick(4)) {
    case 0:
      return expression::mul(part, other);
    case 1:
      return expression::add(part, other);
    case 2:
      return expression::div(part, pickSubterm(whole));
    default:
      return expression::sum({NameId(expressions.pick(2)), {}}, part);
    }
  }

  void record(bool isOurs, ProverAnswer answer, bool isTrue,
              const Expression &lhs, const char *relation,
              const Expression &rhs) {
    ++tally.pairs;
    tally.ours += isOurs;
    tally.solver += answer == ProverAnswer::Yes;
    tally.fromClosure += isTrue;
    bool disagrees = answer == (isOurs ? ProverAnswer::No : ProverAnswer::Yes);
    tally.disagreements += disagrees;
    tally.missedClosure += isTrue && !isOurs;
    if (isFullSize() && isOurs && !isTrue && answer != ProverAnswer::Yes)
      llvm::outs() << "by forms alone: " << toString(context, lhs) << " "
                   << relation << " " << toString(context, rhs) << "\n";
    EXPECT_FALSE(disagrees || (isTrue && !isOurs))
        << toString(context, lhs) << "\n"
        << relation << "\n"
        << toString(context, rhs);
  }

  void askWhetherContained(SubexpressionTest &test, const Expression &part,
                           const Expression &whole, bool isTrue) {
    FormId form = toForm(context, part);
    bool isUnit = form == context.one() || form == context.minusOne();
    if (isUnit || isSignedMaximum(context, form))
      return; // 1 is a part of everything
    ExpressionProver prover(context, limits);
    record(test.contains(form), prover.isSubexpression(part, {whole}), isTrue,
           part, "as a part of", whole);
  }
  void askWhetherEqual(const Expression &lhs, const Expression &rhs,
                       bool isTrue) {
    ExpressionProver prover(context, limits);
    record(toForm(context, lhs) == toForm(context, rhs),
           prover.isEqual(lhs, rhs), isTrue, lhs, "equal to", rhs);
  }

  void askAbout(const Expression &whole) {
    SubexpressionTest test(context, {toForm(context, whole)}, complete);
    for (unsigned steps : {2, 5, 12}) {
      Expression equal = walk(whole, steps);
      askWhetherContained(test, pickSubterm(equal), whole, /*isTrue=*/true);
    }
    askWhetherContained(test, expressions.make(2 + expressions.pick(2)), whole,
                        false);
    askWhetherContained(test, makeNearMiss(whole), whole, false);
    askWhetherContained(test, makeNearMiss(walk(whole, 4)), whole, false);
    askWhetherEqual(walk(whole, 4), whole, true);
    askWhetherEqual(makeNearMiss(whole), whole, false);
  }

  ExpressionContext context;
  RandomExpressions expressions{context, GetParam().seed, getShape()};
  SubexpressionOptions complete;
  ProverOptions limits;
  std::vector<const ExpressionLaw *> laws;
  Tally tally;
};

TEST_P(SolverAgreementTest, WhatIsProvedIsFoundByForm) {
  const unsigned numPairs = isFullSize() ? 6000 : 200;
  auto start = std::chrono::steady_clock::now();
  while (tally.pairs < numPairs) {
    Expression whole = expressions.make(3 + expressions.pick(5));
    if (context.get(toForm(context, whole)).total <= kMaxTotal)
      askAbout(whole);
  }
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  llvm::outs() << GetParam().name << ": " << tally.pairs << " pairs, "
               << tally.solver << " yes by the solver, " << tally.ours
               << " yes by normal forms, " << tally.disagreements
               << " disagreements; " << tally.fromClosure
               << " from closures, of which " << tally.missedClosure
               << " missed; " << llvm::format("%.1f s\n", time.count());
  EXPECT_GT(tally.solver, numPairs / 4) << "the solver gives up too often";
  EXPECT_LT(tally.ours, tally.pairs * 9 / 10) << "too few pairs are false";
}

INSTANTIATE_TEST_SUITE_P(Modes, SolverAgreementTest,
                         testing::Values(Mode{"Names", true, 1},
                                         Mode{"Sizes", false, 2}),
                         [](const testing::TestParamInfo<Mode> &info) {
                           return std::string(info.param.name);
                         });

} // namespace
