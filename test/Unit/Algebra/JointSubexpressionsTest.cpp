//===- JointSubexpressionsTest.cpp - Which pairs may both be used ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is refused, and what must not be. That nothing is refused which the laws
// allow is tested at random (RewritingClosureTest).
//
//===----------------------------------------------------------------------===//

#include "Mirage/Algebra/JointSubexpressions.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;

namespace {

class JointSubexpressionsTest : public testing::Test {
protected:
  bool mayContainBoth(llvm::ArrayRef<FormId> targets, FormId lhs, FormId rhs) {
    SubexpressionTest test(c, targets);
    EXPECT_TRUE(test.contains(lhs) && test.contains(rhs));
    JointSubexpressionTest joint(c, targets);
    bool result = joint.mayContainBoth(lhs, rhs);
    EXPECT_EQ(result, joint.mayContainBoth(rhs, lhs));
    return result;
  }

  ExpressionContext c;
  NameId m = c.addName("m"), k = c.addName("k"), n = c.addName("n");
  FormId x = c.input(0, {m, k}), w = c.input(1, {k, n});
  FormId p = c.input(2, {m, k}), q = c.input(3, {m, k}), r = c.input(4, {m, k});
};

TEST_F(JointSubexpressionsTest, FactorsOfOneTermDoNotOverlap) {
  FormId pq = c.mul(p, q), qr = c.mul(q, r), target = c.mul(pq, r);
  EXPECT_TRUE(mayContainBoth({target}, p, q));
  EXPECT_TRUE(mayContainBoth({target}, pq, r));
  EXPECT_FALSE(mayContainBoth({target}, pq, q));
  EXPECT_FALSE(mayContainBoth({target}, pq, qr));
}

TEST_F(JointSubexpressionsTest, FactorsThatRepeatDoAsOftenAsTheyDo) {
  FormId pq = c.mul(p, q);
  EXPECT_TRUE(mayContainBoth({c.mul(pq, p)}, pq, p));
  EXPECT_FALSE(mayContainBoth({c.mul(pq, p)}, pq, q));
  EXPECT_TRUE(mayContainBoth({c.mul(pq, q)}, pq, q));
}

/// As in LoRA: of x·w + (x·a)·b whoever reads x·a has no use for a·b.
TEST_F(JointSubexpressionsTest, TermsOfASumAreOneOrTheOther) {
  NameId rank = c.addName("r");
  FormId a = c.input(5, {k, rank}), b = c.input(6, {rank, n});
  FormId xw = c.sum(c.mul(x, w), k), xa = c.sum(c.mul(x, a), k);
  FormId ab = c.sum(c.mul(a, b), rank);
  FormId target = c.add(xw, c.sum(c.mul(xa, b), rank));
  EXPECT_FALSE(mayContainBoth({target}, xa, ab));
  EXPECT_FALSE(mayContainBoth({target}, xa, a));
  EXPECT_TRUE(mayContainBoth({target}, xa, b));
  EXPECT_TRUE(mayContainBoth({target}, xa, xw));
  EXPECT_TRUE(mayContainBoth({target}, xa, w));
  EXPECT_TRUE(mayContainBoth({target}, x, xa)); // x·w is left for x
  EXPECT_TRUE(mayContainBoth({target}, w, ab)); // x is what both are times
  EXPECT_TRUE(mayContainBoth({target}, c.add(w, ab), x));
  EXPECT_FALSE(mayContainBoth({target}, c.add(w, ab), w));
}

TEST_F(JointSubexpressionsTest, ProductsOfSums) {
  FormId pq = c.add(p, q);
  EXPECT_TRUE(mayContainBoth({c.mul(pq, r)}, pq, r));
  EXPECT_FALSE(mayContainBoth({c.mul(pq, r)}, pq, p));
  EXPECT_TRUE(mayContainBoth({c.mul(pq, p)}, pq, p));
  EXPECT_TRUE(mayContainBoth({c.mul(pq, pq)}, pq, pq));
}

/// Each exponent that is added is a factor of its own.
TEST_F(JointSubexpressionsTest, Exponentials) {
  FormId both = c.exp(c.add(p, q));
  EXPECT_TRUE(mayContainBoth({both}, c.exp(p), c.exp(q)));
  EXPECT_TRUE(mayContainBoth({both}, p, q));
  EXPECT_TRUE(mayContainBoth({both}, c.exp(p), q)); // of two levels
  EXPECT_FALSE(mayContainBoth({c.mul(both, r)}, both, c.exp(q)));
  EXPECT_FALSE(mayContainBoth({both}, c.add(p, q), q));
}

/// A denominator has what the numerator has not.
TEST_F(JointSubexpressionsTest, SeveralLevels) {
  FormId pq = c.mul(p, q);
  EXPECT_TRUE(mayContainBoth({c.div(pq, c.sqrt(c.mul(pq, r)))}, pq, p));
  EXPECT_FALSE(mayContainBoth({c.div(pq, r)}, pq, p));
  EXPECT_TRUE(mayContainBoth({c.div(x, c.mul(pq, r))}, x, pq));
  EXPECT_FALSE(mayContainBoth({c.div(x, c.mul(pq, r))}, pq, p));
}

/// Whoever finds one function of p·q uses p·q for it, and p for the other.
TEST_F(JointSubexpressionsTest, SeveralPlaces) {
  FormId pq = c.mul(p, q), f = c.function("f", {pq}), g = c.function("g", {pq});
  EXPECT_FALSE(mayContainBoth({f}, pq, p));
  EXPECT_TRUE(mayContainBoth({c.add(f, g)}, pq, p));
  EXPECT_TRUE(mayContainBoth({c.mul(f, f)}, pq, p));
  EXPECT_TRUE(mayContainBoth({c.add(f, f)}, pq, p));
  EXPECT_TRUE(mayContainBoth({f, g}, pq, p));
  EXPECT_TRUE(mayContainBoth({f, pq}, pq, p));
}

/// p·q·f(−p·q) is (−p)·(−q)·f(−p·q), where −p has a use beside −p·q.
TEST_F(JointSubexpressionsTest, Signs) {
  FormId no = c.negate(p), noPq = c.mul(no, q), f = c.function("f", {noPq});
  EXPECT_TRUE(mayContainBoth({c.mul(c.mul(p, q), f)}, no, noPq));
  EXPECT_FALSE(mayContainBoth({c.mul(r, f)}, no, noPq));
}

/// One of two outputs may have a use for what the other has none for.
TEST_F(JointSubexpressionsTest, SeveralTargets) {
  FormId pq = c.mul(p, q), pr = c.mul(p, r);
  EXPECT_TRUE(mayContainBoth({pq, pr}, pq, pr));
  EXPECT_FALSE(mayContainBoth({pq}, pq, p));
  EXPECT_TRUE(mayContainBoth({pq, pr}, pq, p));
  EXPECT_TRUE(mayContainBoth({pq, pq}, pq, p));
}

} // namespace
