//===- ExpressionTreeTest.cpp - Trees, and forms read back as trees -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LawSupport.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::expression;
using namespace mlir::mirage::test;

namespace {

class ExpressionTreeTest : public testing::Test {
protected:
  ExpressionContext context;
  NameId i = context.addName("i"), k = context.addName("k");
  SymbolId loop = context.addSymbol("l", k);
  IndexRange overK{k, {}};
  Expression x = input(0, {i, k}), y = input(1, {k});

  void expectReadsBack(const Expression &tree) {
    FormId form = toForm(context, tree);
    std::optional<Expression> back = toExpression(context, form);
    ASSERT_TRUE(back) << context.toString(form);
    EXPECT_EQ(toForm(context, *back), form) << toString(context, *back);
  }
};

TEST_F(ExpressionTreeTest, NamesAreFreeOutsideTheirBinders) {
  Expression bound = sum(overK, x);
  EXPECT_TRUE(dependsOn(x, k));
  EXPECT_FALSE(dependsOn(bound, k));
  EXPECT_TRUE(dependsOn(bound, i));
  EXPECT_TRUE(dependsOn(mul(bound, y), k));
  EXPECT_FALSE(dependsOn(function("rms", {x}, false, {k}), k));
  EXPECT_FALSE(dependsOn(max(overK, y), k));
}

TEST_F(ExpressionTreeTest, TreesAreTheSameNodeByNode) {
  EXPECT_TRUE(isSameTree(add(x, y), add(x, y)));
  EXPECT_FALSE(isSameTree(add(x, y), add(y, x)));
  EXPECT_FALSE(isSameTree(sum(overK, x), sum(overK.split(loop), x)));
  EXPECT_EQ(countNodes(add(x, exp(y))), 4u);
}

TEST_F(ExpressionTreeTest, Prints) {
  EXPECT_EQ(toString(context, div(sum(overK.split(loop), mul(x, y)),
                                  sqrt(negate(constant(0.5))))),
            "(sum[k/l]((x0[i, k] * x1[k])) / sqrt(-(0.5)))");
  EXPECT_EQ(toString(context, joinSums(loop, function("rms", {x}, false, {k}))),
            "join[l](rms[k](x0[i, k]))");
}

TEST_F(ExpressionTreeTest, FormsAreReadBack) {
  expectReadsBack(one());
  expectReadsBack(negate(constant(3)));
  expectReadsBack(div(sum(overK, mul(x, y)), sqrt(sum(overK, mul(x, x)))));
  expectReadsBack(joinSums(loop, mul(x, y)));
  expectReadsBack(sum(overK.split(loop), x));
  expectReadsBack(max(overK.split(loop), max(IndexRange{i, {}}, x)));
  expectReadsBack(function("pow", {x, extent({i, k})}));
}

TEST_F(ExpressionTreeTest, SumsOfAProductAreReadApart) {
  expectReadsBack(mul(sum(overK, exp(x)), sum(overK, exp(y))));
  expectReadsBack(mul(sum(overK, div(x, y)), sum(overK.split(loop), y)));
  expectReadsBack(mul(sum(overK, y), y));
}

TEST_F(ExpressionTreeTest, NoTreeReadsTwoLettersOfANameAtOnce) {
  // Roots under two sums are one root of the product of what is under them.
  Expression product =
      mul(sum(overK, sqrt(add(x, y))), sum(overK, sqrt(add(y, one()))));
  EXPECT_FALSE(toExpression(context, toForm(context, product)));
}

TEST(ExpressionTree, RandomFormsAreReadBack) {
  ExpressionContext context;
  RandomExpressions expressions(context, /*seed=*/7, {});
  unsigned numRead = 0, numTrees = 2000;
  for (unsigned round = 0; round < numTrees; ++round) {
    Expression tree = expressions.make(3 + expressions.pick(8));
    FormId form = toForm(context, tree);
    std::optional<Expression> back = toExpression(context, form);
    numRead += back.has_value();
    if (back)
      EXPECT_EQ(toForm(context, *back), form)
          << toString(context, tree) << "\n  " << toString(context, *back);
  }
  EXPECT_GT(numRead, numTrees * 95 / 100);
}

} // namespace
