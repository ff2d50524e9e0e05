//===- LawsTest.cpp - Each law by its name --------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables of ExpressionLaws.h, asked of the normal form and of the solver: a
// law that either lacks has a test by its name that fails.
//
//===----------------------------------------------------------------------===//

#include "LawSupport.h"
#include "Mirage/Algebra/Subexpression.h"
#include "Mirage/AlgebraZ3/ExpressionProver.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir::mirage;
using namespace mlir::mirage::expression;
using namespace mlir::mirage::test;

namespace {

/// What is asked, and who answers.
class Deciders {
public:
  Deciders() {
    for (const char *text : {"i", "j"}) {
      NameId name = context.addName(text);
      context.addSymbol(std::string("l") + text, name);
      context.addSymbol(std::string("g") + text, name);
    }
    complete.strictSigns = false;
    complete.sizeOnlyQuotients = true;
  }

  bool formsAreEqual(const Expression &lhs, const Expression &rhs) {
    return toForm(context, lhs) == toForm(context, rhs);
  }
  bool solverSaysEqual(const Expression &lhs, const Expression &rhs) const {
    return ExpressionProver(context, limits).isEqual(lhs, rhs) ==
           ProverAnswer::Yes;
  }
  bool formContains(const Expression &whole, const Expression &part) {
    SubexpressionTest test(context, {toForm(context, whole)}, complete);
    return test.contains(toForm(context, part));
  }
  bool solverSaysContains(const Expression &whole,
                          const Expression &part) const {
    return ExpressionProver(context, limits).isSubexpression(part, {whole}) ==
           ProverAnswer::Yes;
  }

  ExpressionContext context;
  SubexpressionOptions complete;
  ProverOptions limits;
};

template <typename Named>
std::string getTestName(const testing::TestParamInfo<Named> &info) {
  return info.param.name.str();
}

//===----------------------------------------------------------------------===//
// Equalities
//===----------------------------------------------------------------------===//

class LawTest : public testing::TestWithParam<ExpressionLaw> {
protected:
  Deciders deciders;
  Expression getSide(const Expression &side, bool breaksConditions = false) {
    return instantiate(
        side, bindToInputs(deciders.context, GetParam(), breaksConditions));
  }
};

TEST_P(LawTest, HoldsForNormalForms) {
  EXPECT_TRUE(
      deciders.formsAreEqual(getSide(GetParam().lhs), getSide(GetParam().rhs)));
}

TEST_P(LawTest, HoldsForTheSolver) {
  EXPECT_TRUE(deciders.solverSaysEqual(getSide(GetParam().lhs),
                                       getSide(GetParam().rhs)));
}

class LawOfNamesTest : public LawTest {};

TEST_P(LawOfNamesTest, NeedsItsConditions) {
  Expression lhs = getSide(GetParam().lhs, /*breaksConditions=*/true);
  Expression rhs = getSide(GetParam().rhs, /*breaksConditions=*/true);
  EXPECT_FALSE(deciders.formsAreEqual(lhs, rhs));
  EXPECT_FALSE(deciders.solverSaysEqual(lhs, rhs));
  ProverOptions paper = deciders.limits;
  paper.indexRule = false;
  EXPECT_EQ(ExpressionProver(deciders.context, paper).isEqual(lhs, rhs),
            ProverAnswer::Yes)
      << "sums of the paper have no names";
}

INSTANTIATE_TEST_SUITE_P(Laws, LawTest,
                         testing::ValuesIn(getExpressionLaws().begin(),
                                           getExpressionLaws().end()),
                         getTestName<ExpressionLaw>);

std::vector<ExpressionLaw> getLawsOfNames() {
  std::vector<ExpressionLaw> laws;
  for (const ExpressionLaw &law : getExpressionLaws())
    if (!law.independent.empty())
      laws.push_back(law);
  return laws;
}

INSTANTIATE_TEST_SUITE_P(Laws, LawOfNamesTest,
                         testing::ValuesIn(getLawsOfNames()),
                         getTestName<ExpressionLaw>);

//===----------------------------------------------------------------------===//
// Subexpressions
//===----------------------------------------------------------------------===//

class RuleTest : public testing::TestWithParam<SubexpressionRule> {
protected:
  Deciders deciders;
  Expression part = instantiate(GetParam().part, bind());
  Expression whole = instantiate(GetParam().whole, bind());
  /// x is in −x, and −x in −(−x) = x.
  bool isOneWay = GetParam().whole->kind != ExpressionKind::Negate;

  LawBinding bind() const {
    LawBinding binding = bindToInputs(deciders.context, {});
    if (GetParam().whole->kind == ExpressionKind::JoinMaxima)
      binding.variables[0] = max(binding.ranges[0]->split(*binding.symbols[0]),
                                 binding.variables[0]);
    return binding;
  }
};

TEST_P(RuleTest, HoldsForNormalForms) {
  EXPECT_TRUE(deciders.formContains(whole, part));
  EXPECT_EQ(deciders.formContains(part, whole), !isOneWay);
}

TEST_P(RuleTest, HoldsForTheSolver) {
  EXPECT_TRUE(deciders.solverSaysContains(whole, part));
  EXPECT_EQ(deciders.solverSaysContains(part, whole), !isOneWay);
}

INSTANTIATE_TEST_SUITE_P(Rules, RuleTest,
                         testing::ValuesIn(getSubexpressionRules().begin(),
                                           getSubexpressionRules().end()),
                         getTestName<SubexpressionRule>);

/// Wholes and parts that take several steps, or a law and a step, and pairs
/// that no number of steps joins.
struct Composition {
  llvm::StringRef name;
  Expression part, whole;
  bool isContained;
};

std::vector<Composition> makeCompositions() {
  NameId i = 0, j = 1;
  IndexRange overI{i, {}}, overJ{j, {}}, partOfI = overI.split(0);
  Expression x = input(0, {i, j}), y = input(1, {i, j}), z = input(2, {i, j}),
             r = input(3, {j}), w = input(4, {i});
  Expression product = sum(overI, mul(x, y));
  return {
      {"Reflexive", x, x, true},
      {"Transitive", x, exp(add(mul(x, y), z)), true},
      {"ModuloLaws", mul(x, y), mul(x, add(y, z)), true},
      {"FactorOfAllTerms", add(y, z), add(mul(x, y), mul(x, z)), true},
      {"FactorOfDenominator", mul(y, z), div(div(x, y), z), true},
      {"PartOfRoot", sqrt(y), sqrt(mul(x, y)), true},
      {"PartOfExponent", exp(x), exp(add(x, y)), true},
      {"PartOfSum", sum(partOfI, mul(x, y)), product, true},
      {"PartOfMaximum", max(partOfI, x), max(overI, max(overJ, x)), true},
      {"InnerMaximum", max(overI, x), max(overI, max(overJ, x)), true},
      {"SwappedDifference", add(y, negate(x)), add(x, negate(y)), true},
      {"ScopesOfDenominator", sum(overJ, exp(x)),
       div(div(exp(x), sum(overJ, exp(x))), r), true},
      {"IndexRule", sum(overI, x), product, false},
      {"IndexRuleOfDenominator", sum(overI, x), sum(overI, div(x, w)), false},
      {"NoSumWhereNoneIs", sum(overI, x), x, false},
      {"NoPartWhereNoSumIs", sum(partOfI, x), x, false},
      {"NoCancellation", x, div(mul(y, z), mul(y, z)), false},
      {"NotMoreThanThereIs", mul(x, x), x, false},
      {"TermsAreNoFactors", mul(x, y), add(x, y), false},
      {"RootsStay", mul(sqrt(x), sqrt(x)), x, false},
      {"OtherFunction", exp(x), sqrt(x), false},
  };
}

class CompositionTest : public testing::TestWithParam<Composition> {};

TEST_P(CompositionTest, IsDecidedByNormalForms) {
  Deciders deciders;
  EXPECT_EQ(deciders.formContains(GetParam().whole, GetParam().part),
            GetParam().isContained);
}

TEST_P(CompositionTest, IsDecidedByTheSolver) {
  Deciders deciders;
  EXPECT_EQ(deciders.solverSaysContains(GetParam().whole, GetParam().part),
            GetParam().isContained);
}

INSTANTIATE_TEST_SUITE_P(Compositions, CompositionTest,
                         testing::ValuesIn(makeCompositions()),
                         getTestName<Composition>);

} // namespace
