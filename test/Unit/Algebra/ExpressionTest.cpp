//===- ExpressionTest.cpp - The laws of abstract expressions --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One test per law by name, in both roles: as an equality of forms, and as a
// way for something to be a subexpression.
//
//===----------------------------------------------------------------------===//

#include "../TestSizes.h"
#include "LawSupport.h"
#include "Mirage/Algebra/Subexpression.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <map>

using namespace mlir::mirage;

namespace {

class ExpressionTest : public testing::Test {
protected:
  ExpressionContext c;
  NameId m = c.addName("m"), n = c.addName("n"), k = c.addName("k");
  SymbolId loop = c.addSymbol("l", k), grid = c.addSymbol("g", k);
  FormId x = c.input(0, {m, k}), y = c.input(1, {m, k}), z = c.input(2, {m, k});
  FormId w = c.input(3, {k, n}), r = c.input(4, {m});

  bool contains(FormId target, FormId part, SubexpressionOptions options = {}) {
    return SubexpressionTest(c, {target}, options).contains(part);
  }
};

TEST_F(ExpressionTest, AdditionCommutesAndAssociates) {
  EXPECT_EQ(c.add(c.add(x, y), z), c.add(z, c.add(y, x)));
  EXPECT_NE(c.add(x, x), x);
  EXPECT_NE(c.add(x, x), c.sum(x, k));
}

TEST_F(ExpressionTest, MultiplicationCommutesAndAssociates) {
  EXPECT_EQ(c.mul(c.mul(x, y), z), c.mul(z, c.mul(y, x)));
}

TEST_F(ExpressionTest, MultiplicationDistributes) {
  EXPECT_EQ(c.mul(x, c.add(y, z)), c.add(c.mul(x, y), c.mul(x, z)));
}

TEST_F(ExpressionTest, FractionsWithEqualDenominatorAdd) {
  EXPECT_EQ(c.add(c.div(x, z), c.div(y, z)), c.div(c.add(x, y), z));
}

TEST_F(ExpressionTest, FactorMovesIntoFraction) {
  EXPECT_EQ(c.mul(x, c.div(y, z)), c.div(c.mul(x, y), z));
}

TEST_F(ExpressionTest, FractionOfFraction) {
  EXPECT_EQ(c.div(c.div(x, y), z), c.div(x, c.mul(y, z)));
  EXPECT_NE(c.div(x, c.div(y, z)), c.div(c.mul(x, z), y));
}

TEST_F(ExpressionTest, OneIsNeutral) {
  EXPECT_EQ(c.mul(c.one(), x), x);
  EXPECT_EQ(c.div(x, c.one()), x);
  EXPECT_EQ(c.mul(x, c.div(c.one(), y)), c.div(x, y));
  EXPECT_EQ(c.constant(1), c.one());
}

TEST_F(ExpressionTest, SumsMergeInAnyOrder) {
  FormId t = c.mul(x, w);
  EXPECT_EQ(c.sum(c.sum(t, k), n), c.sum(c.sum(t, n), k));
  EXPECT_NE(c.sum(t, k), c.sum(t, n));
}

TEST_F(ExpressionTest, SumDistributesOverAddition) {
  EXPECT_EQ(c.sum(c.add(x, y), k), c.add(c.sum(x, k), c.sum(y, k)));
}

TEST_F(ExpressionTest, IndependentFactorLeavesSum) {
  EXPECT_EQ(c.sum(c.mul(x, r), k), c.mul(c.sum(x, k), r));
  EXPECT_EQ(c.sum(c.div(x, r), k), c.div(c.sum(x, k), r));
}

TEST_F(ExpressionTest, DependentFactorStaysUnderSum) {
  EXPECT_NE(c.sum(c.mul(x, w), k), c.mul(c.sum(x, k), w));
  EXPECT_NE(c.sum(c.mul(x, y), k), c.mul(c.sum(x, k), c.sum(y, k)));
}

TEST_F(ExpressionTest, ExponentialsMerge) {
  EXPECT_EQ(c.mul(c.exp(x), c.exp(y)), c.exp(c.add(x, y)));
}

TEST_F(ExpressionTest, SquareRootsMerge) {
  EXPECT_EQ(c.mul(c.sqrt(x), c.sqrt(y)), c.sqrt(c.mul(x, y)));
  EXPECT_NE(c.mul(c.sqrt(x), c.sqrt(x)), x);
}

TEST_F(ExpressionTest, MaximaMerge) {
  FormId t = c.mul(x, w);
  EXPECT_EQ(c.max(c.max(t, k), n), c.max(c.max(t, n), k));
  EXPECT_NE(c.max(t, k), c.max(t, n));
}

TEST_F(ExpressionTest, SignsMultiply) {
  EXPECT_EQ(c.negate(c.negate(x)), x);
  EXPECT_EQ(c.mul(c.negate(x), c.negate(y)), c.mul(x, y));
  EXPECT_EQ(c.mul(c.constant(-2), x), c.negate(c.mul(c.constant(2), x)));
  EXPECT_NE(c.negate(x), x);
}

TEST_F(ExpressionTest, NothingCancels) {
  EXPECT_NE(c.div(c.mul(x, y), y), x);
  EXPECT_NE(c.add(x, c.negate(x)), c.add(y, c.negate(y)));
}

TEST_F(ExpressionTest, PartsOfASumJoin) {
  SymbolPowers part = {{loop, -1}, {grid, -1}};
  FormId partial = c.sum(c.mul(x, w), k, part);
  FormId whole = c.sum(c.mul(x, w), k);
  EXPECT_NE(partial, whole);
  EXPECT_EQ(c.multiplySymbol(c.multiplySymbol(partial, loop), grid), whole);
}

TEST_F(ExpressionTest, PartsOfAMaximumJoin) {
  FormId partial = c.max(x, k, {{loop, -1}});
  EXPECT_EQ(c.joinMax(partial, loop), c.max(x, k));
  EXPECT_FALSE(c.joinMax(c.mul(r, partial), loop));
}

TEST_F(ExpressionTest, BoundLettersDoNotMeet) {
  // (Σ_k x·y)² has two sums over k; Σ_k (x·y)² has one.
  FormId s = c.sum(c.mul(x, y), k);
  FormId square = c.mul(s, s);
  EXPECT_NE(square, c.sum(c.mul(c.mul(x, y), c.mul(x, y)), k));
  EXPECT_NE(square, c.mul(c.sum(c.mul(x, x), k), c.sum(c.mul(y, y), k)));
  EXPECT_EQ(c.mul(c.sum(x, k), c.sum(y, k)), c.mul(c.sum(y, k), c.sum(x, k)));
}

TEST_F(ExpressionTest, ScopesDoNotDependOnHowAFormWasBuilt) {
  // y[m,k] / Σ_k x[m,k], then summed over k: two scopes of one name.
  FormId below = c.sum(c.exp(x), k);
  FormId one = c.sum(c.div(y, below), k);
  FormId other = c.div(c.sum(y, k), below);
  EXPECT_EQ(one, other);
  EXPECT_EQ(c.mul(one, r), c.div(c.sum(c.mul(y, r), k), below));
}

TEST_F(ExpressionTest, SharedPartsAreRenamedOnce) {
  // Written out, 2^60 occurrences of x.
  auto nest = [&](FormId form) {
    for (unsigned level = 0; level < 60; ++level)
      form = c.add(c.function("f", {form}), c.function("g", {form}));
    return form;
  };
  FormId inside = c.function("rms", {nest(x)}, false, {k});
  EXPECT_NE(inside, nest(c.function("rms", {x}, false, {k})));
  EXPECT_EQ(c.get(inside).freeLetters.size(), c.get(x).freeLetters.size() - 1);
}

TEST_F(ExpressionTest, SharedPartsAreMultipliedOnce) {
  // 1 / (1 / (... / y) ...) squared: denominators meet on each level.
  FormId form = y;
  for (unsigned level = 0; level < 20; ++level)
    form = c.div(c.add(x, c.one()), c.add(form, form));
  EXPECT_EQ(c.mul(form, c.mul(form, form)), c.mul(c.mul(form, form), form));
}

TEST_F(ExpressionTest, FunctionsCompareByArguments) {
  EXPECT_EQ(c.function("silu", {c.add(x, y)}),
            c.function("silu", {c.add(y, x)}));
  EXPECT_NE(c.function("silu", {x}), c.function("silu", {y}));
  EXPECT_NE(c.function("silu", {x}), c.function("gelu", {x}));
  EXPECT_EQ(c.function("maximum", {x, y}, true),
            c.function("maximum", {y, x}, true));
  EXPECT_NE(c.function("pow", {x, y}), c.function("pow", {y, x}));
  EXPECT_NE(c.function("rms", {x}, false, {k}),
            c.function("rms", {x}, false, {m}));
}

TEST_F(ExpressionTest, PrintsByContent) {
  FormId t = c.div(c.sum(c.mul(w, x), k), c.sqrt(c.sum(c.mul(x, x), k)));
  EXPECT_EQ(c.toString(t),
            "sum[k''] x0[m,k''] x3[k'',n] / (sqrt(sum[k'] x0[m,k'] x0[m,k']))");
  EXPECT_EQ(c.toString(c.add(c.constant(0.5), c.negate(x))), "-x0[m,k] + 0.5");
  EXPECT_EQ(c.toString(c.sum(x, k, {{loop, -1}})), "sum[k'/l] x0[m,k']");
}

TEST_F(ExpressionTest, DifferentFormsHaveDifferentTexts) {
  EXPECT_EQ(c.toString(c.add(x, x)), "2*x0[m,k]");
  EXPECT_EQ(c.toString(c.mul(c.constant(2), x)), "2 x0[m,k]");
  EXPECT_EQ(c.toString(c.constant(0.1)), "0.1");
  EXPECT_NE(c.toString(c.constant(0.1)), c.toString(c.constant(0.1f)));
  // One letter is free, and the other is not.
  EXPECT_NE(c.toString(c.mul(z, c.sum(c.mul(x, y), k))),
            c.toString(c.mul(y, c.sum(c.mul(x, z), k))));
}

/// Two contexts, which give their forms numbers in different orders, have as
/// many forms as texts, and the same ones.
TEST(ExpressionTextTest, TextsAreEqualWhereFormsAre) {
  ExpressionContext context, other;
  test::RandomExpressions expressions(context, /*seed=*/1, {});
  test::RandomExpressions(other, /*seed=*/1, {}); // the same names
  std::vector<Expression> terms;
  while (terms.size() < (test::isFullSize() ? 200000 : 20000))
    llvm::append_range(
        terms, test::listSubterms(expressions.make(3 + expressions.pick(6))));
  std::map<std::string, FormId> formOfText;
  std::map<FormId, std::string> textOfForm;
  for (const Expression &term : terms) {
    FormId form = toForm(context, term);
    std::string text = context.toString(form);
    EXPECT_EQ(formOfText.try_emplace(text, form).first->second, form) << text;
    EXPECT_EQ(textOfForm.try_emplace(form, text).first->second, text);
  }
  for (const Expression &term : llvm::reverse(terms))
    EXPECT_EQ(other.toString(toForm(other, term)),
              textOfForm[toForm(context, term)]);
  EXPECT_GT(formOfText.size(), terms.size() / 20);
}

//===----------------------------------------------------------------------===//
// Subexpressions
//===----------------------------------------------------------------------===//

TEST_F(ExpressionTest, PartsOfSumsProductsAndFractions) {
  EXPECT_TRUE(contains(c.add(x, y), x));
  EXPECT_TRUE(contains(c.mul(x, y), x));
  EXPECT_TRUE(contains(c.div(x, y), x));
  EXPECT_TRUE(contains(c.div(x, y), y));
  EXPECT_TRUE(contains(c.sum(x, k), x));
  EXPECT_TRUE(contains(c.exp(x), x));
  EXPECT_TRUE(contains(c.sqrt(x), x));
  EXPECT_TRUE(contains(c.max(x, k), x));
  EXPECT_TRUE(contains(c.function("silu", {x}), x));
  EXPECT_TRUE(contains(x, x));
  EXPECT_FALSE(contains(x, y));
  EXPECT_FALSE(contains(x, c.mul(x, x)));
  EXPECT_FALSE(contains(c.add(x, y), c.mul(x, y)));
}

TEST_F(ExpressionTest, PartsReachedThroughALaw) {
  EXPECT_TRUE(contains(c.mul(x, c.add(y, z)), c.mul(x, y)));
  EXPECT_TRUE(contains(c.add(c.mul(x, y), c.mul(x, z)), c.add(y, z)));
  EXPECT_TRUE(contains(c.div(x, c.mul(y, z)), c.div(x, y)));
  EXPECT_TRUE(contains(c.div(c.div(x, y), z), c.mul(y, z)));
  EXPECT_TRUE(contains(c.exp(c.add(x, y)), c.exp(x)));
  EXPECT_TRUE(contains(c.sqrt(c.mul(x, y)), c.sqrt(y)));
  EXPECT_TRUE(contains(c.div(r, c.sqrt(c.mul(x, y))), c.div(r, c.sqrt(x))));
  EXPECT_TRUE(contains(c.sum(c.div(x, r), k), c.sum(x, k)));
}

TEST_F(ExpressionTest, IndexRule) {
  FormId target = c.sum(c.mul(x, w), k);
  EXPECT_TRUE(contains(target, c.mul(x, w)));
  EXPECT_TRUE(contains(target, c.sum(c.mul(x, w), k, {{loop, -1}})));
  EXPECT_FALSE(contains(target, c.sum(x, k)));
  EXPECT_FALSE(contains(target, c.sum(c.mul(x, w), n)));
}

TEST_F(ExpressionTest, OnlyPartsOfSumsAreParts) {
  FormId target = c.sum(c.mul(x, w), k);
  EXPECT_FALSE(contains(target, c.multiplySymbol(target, loop)));
  EXPECT_FALSE(contains(x, c.sum(x, k, {{loop, -1}})));
}

TEST_F(ExpressionTest, ScopesOfADenominator) {
  // Softmax over n of s[m,n], times v, divided by q[n]: the denominator of the
  // softmax sums over its own n.
  FormId e = c.exp(c.input(5, {m, n})), q = c.input(6, {n});
  FormId total = c.sum(e, n);
  FormId target = c.div(c.div(e, total), q);
  EXPECT_TRUE(contains(target, total));
  EXPECT_TRUE(contains(target, c.div(e, total)));
  EXPECT_TRUE(contains(target, c.div(e, q)));
  EXPECT_FALSE(contains(target, c.sum(c.div(e, q), n)));
}

TEST_F(ExpressionTest, SquareOfASum) {
  FormId s = c.sum(c.mul(x, y), k);
  EXPECT_TRUE(contains(c.mul(s, s), s));
  EXPECT_FALSE(contains(c.mul(s, s), c.sum(c.mul(x, x), k)));
  EXPECT_FALSE(
      contains(c.mul(s, s), c.mul(x, x)) &&
      contains(c.mul(s, s), c.sum(c.mul(c.mul(x, x), c.mul(y, y)), k)));
}

TEST_F(ExpressionTest, DenominatorsAreDividedExactly) {
  FormId product = c.mul(c.add(x, y), c.add(y, z));
  FormId target = c.div(r, product);
  EXPECT_TRUE(contains(target, c.div(r, c.add(x, y))));
  EXPECT_TRUE(contains(target, c.div(r, c.add(y, z))));
  EXPECT_FALSE(contains(target, c.div(r, c.add(x, z))));
}

TEST_F(ExpressionTest, LettersOfAQuotientAreKeptApart) {
  // e depends on a letter that the candidate's own sum must not take.
  FormId e = c.exp(c.input(5, {n})), v = c.input(6, {m, n});
  FormId part = c.sum(c.add(c.constant(2), v), n);
  FormId inner = c.function("rms", {c.mul(e, part)}, false, {n});
  EXPECT_TRUE(contains(c.mul(c.sum(inner, m), v), part));
}

TEST_F(ExpressionTest, ADenominatorsSumDoesNotTakeOuterLetters) {
  // Σ_k (x / Σ_k y·z): the y of x/y would be under the outer sum.
  FormId target = c.sum(c.div(x, c.sum(c.mul(y, z), k)), k);
  EXPECT_TRUE(contains(target, c.div(x, c.sum(c.mul(y, z), k))));
  EXPECT_FALSE(contains(target, c.div(x, y)));
}

TEST_F(ExpressionTest, MinusOneDividesOne) {
  SubexpressionOptions complete;
  complete.strictSigns = false;
  EXPECT_TRUE(contains(x, c.div(x, c.minusOne()), complete));
  EXPECT_FALSE(contains(x, c.div(x, c.minusOne())));
  EXPECT_FALSE(contains(x, c.div(x, c.negate(y)), complete));
}

TEST_F(ExpressionTest, SignsAreStrictUnlessAsked) {
  FormId difference = c.add(x, c.negate(y));
  FormId swapped = c.add(y, c.negate(x));
  SubexpressionOptions complete;
  complete.strictSigns = false;
  EXPECT_TRUE(contains(difference, c.negate(y)));
  EXPECT_FALSE(contains(difference, swapped));
  EXPECT_TRUE(contains(difference, swapped, complete));
}

TEST_F(ExpressionTest, MaximumOverTwoNames) {
  FormId t = c.mul(x, w);
  FormId target = c.div(t, c.max(c.max(t, k), n));
  EXPECT_TRUE(contains(target, c.max(t, k)));
  EXPECT_TRUE(contains(target, c.max(t, k, {{loop, -1}})));
  EXPECT_FALSE(contains(target, c.max(x, k)));
}

} // namespace
