//===- ExactAlgebraTest.cpp - Laws of canonical forms ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Algebra/ExactAlgebra.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace mlir::mirage;
using namespace mlir::mirage::exact;

namespace {

/// Expressions as formulas.
struct E {
  Algebra *algebra;
  FormId form;

  E with(FormId other) const { return {algebra, other}; }
  E of(double value) const {
    return with(algebra->getConstant(Rational::fromDouble(value)));
  }
  friend E operator+(E x, E y) {
    return x.with(x.algebra->add(x.form, y.form));
  }
  friend E operator*(E x, E y) {
    return x.with(x.algebra->multiply(x.form, y.form));
  }
  friend E operator/(E x, E y) {
    return x.with(x.algebra->divide(x.form, y.form));
  }
  friend E operator-(E x) { return x.of(-1) * x; }
  friend E operator-(E x, E y) { return x + -y; }
  friend E operator+(double c, E x) { return x.of(c) + x; }
  friend E operator-(double c, E x) { return x.of(c) - x; }
  friend E operator*(double c, E x) { return x.of(c) * x; }
  friend E operator/(double c, E x) { return x.of(c) / x; }
};
E exp(E x) { return x.with(x.algebra->exp(x.form)); }
E sqrt(E x) { return x.with(x.algebra->sqrt(x.form)); }
E abs(E x) { return x.with(x.algebra->abs(x.form)); }
E log(E x) { return x.with(x.algebra->log(x.form)); }
E erf(E x) { return x.with(x.algebra->erf(x.form)); }
E pow(E x, E y) { return x.with(x.algebra->pow(x.form, y.form)); }
E max(E x, E y) { return x.with(x.algebra->max({x.form, y.form})); }
E min(E x, E y) { return x.with(x.algebra->min({x.form, y.form})); }
E relu(E x) { return max(x, x.of(0)); }

class ExactAlgebraTest : public testing::Test {
protected:
  E variable(uint32_t index) { return {&algebra, algebra.getVariable(index)}; }
  E constant(double value) {
    return {&algebra, algebra.getConstant(Rational::fromDouble(value))};
  }
  std::string print(E lhs, E rhs) {
    return algebra.toString(lhs.form) + " and " + algebra.toString(rhs.form);
  }
  void expectEqual(E lhs, E rhs) {
    EXPECT_TRUE(algebra.areEqual(lhs.form, rhs.form)) << print(lhs, rhs);
  }
  /// Without looking beyond identities.
  void expectSameForm(E lhs, E rhs) {
    EXPECT_EQ(lhs.form, rhs.form) << print(lhs, rhs);
  }
  void expectNotProved(E lhs, E rhs) {
    EXPECT_FALSE(algebra.areEqual(lhs.form, rhs.form)) << print(lhs, rhs);
    EXPECT_FALSE(algebra.isExhausted());
  }
  void expectUndefined(E x) {
    EXPECT_EQ(x.form, FormId::Undefined) << algebra.toString(x.form);
  }

  Algebra algebra;
  E x = variable(0), y = variable(1), z = variable(2), w = variable(3);
  E zero = constant(0), one = constant(1);
  E infinity = {&algebra, FormId::MinusInfinity};
  E ln2 = {&algebra, algebra.getLn2()};
};

//===----------------------------------------------------------------------===//
// Sums, products, quotients
//===----------------------------------------------------------------------===//

TEST_F(ExactAlgebraTest, SumsAndProductsAreARing) {
  expectSameForm(x + y, y + x);
  expectSameForm((x + y) + z, x + (y + z));
  expectSameForm(x * y, y * x);
  expectSameForm((x * y) * z, x * (y * z));
  expectSameForm(x * (y + z), x * y + x * z);
  expectSameForm(x - x, zero);
  expectSameForm(x + zero, x);
  expectSameForm(one * x, x);
  expectSameForm(zero * x, zero);
  expectSameForm((x + y) * (x + y), x * x + 2 * (x * y) + y * y);
  expectNotProved(x + y, x - y);
  expectNotProved(x * y, x + y);
  expectNotProved(2 * x, x * x);
}

TEST_F(ExactAlgebraTest, ConstantsAreExact) {
  expectSameForm(0.5 * x + 0.5 * x, x);
  expectSameForm(0.1 * x + 0.2 * x, (constant(0.1) + constant(0.2)) * x);
  expectNotProved(0.1 * x + 0.2 * x, 0.3 * x);
  expectNotProved(x + constant(1e300), x);
  expectNotProved(x + constant(5e-324), x);
  expectSameForm(1 / (3 * x) + 2 / (3 * x), 1 / x);
}

TEST_F(ExactAlgebraTest, QuotientsCancel) {
  expectSameForm(x / x, one);
  expectSameForm(x * x / x, x);
  expectSameForm((x * z) / (y * z), x / y);
  expectSameForm((x + y) / (x + y), one);
  expectSameForm((x * x + x * y) / (x + y), x);
  expectSameForm(1 / (1 / (x + y)), x + y);
  expectSameForm((x / y) / z, x / (y * z));
  expectSameForm(x / y + z / y, (x + z) / y);
  expectSameForm(x / (x + y) * (2 * x + 2 * y), 2 * x);
  // What is left without the content is the factor whose inverse that is.
  expectSameForm(1 / (x / (x + y) + y / (x + y)), one);
  expectSameForm(sqrt(x / (x + y) + y / (x + y)), one);
  expectSameForm(1 / (x * z / (x + y) + y * z / (x + y) + w * x / (x + y) +
                      w * y / (x + y)),
                 1 / (z + w));
  expectSameForm(abs(x * z / (x + y) + y * z / (x + y) + x + y),
                 abs(z + x + y));
  expectNotProved(x / y, y / x);
  expectNotProved((x + y) / (x - y), one);
  expectNotProved((x * x + y) / (x + y), x);
}

TEST_F(ExactAlgebraTest, DenominatorsAreMultipliedOut) {
  expectEqual(x / (x + y) + y / (x + y), one);
  expectEqual(1 / x + 1 / y, (x + y) / (x * y));
  expectEqual((x * x - y * y) / (x + y), x - y);
  expectEqual(1 / (1 + 1 / (x + y)), (x + y) / (1 + x + y));
  expectEqual(1 / ((x + y) * (x + z)), (1 / (x + y) - 1 / (x + z)) / (z - y));
  expectNotProved(1 / (x + y), 1 / x + 1 / y);
  expectNotProved(x / (x + y) + y / (x + y), 1 / (x + y));
  expectNotProved((x * x - y * y) / (x + y), x + y);
}

TEST_F(ExactAlgebraTest, DivisionByZeroIsUndefined) {
  expectUndefined(x / zero);
  expectUndefined(x / (y - y));
  expectUndefined(x / (x / (x + y) + y / (x + y) - one) + one);
  EXPECT_FALSE(algebra.areEqual((x / zero).form, (x / zero).form));
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

TEST_F(ExactAlgebraTest, ExponentialsAreAHomomorphism) {
  expectSameForm(exp(x) * exp(y), exp(x + y));
  expectSameForm(exp(zero), one);
  expectSameForm(exp(-x), 1 / exp(x));
  expectSameForm(exp(x) / exp(y), exp(x - y));
  expectSameForm(exp(0.5 * x) * exp(0.5 * x), exp(x));
  expectSameForm(exp(x * (y + z)), exp(x * y) * exp(x * z));
  expectNotProved(exp(x) + exp(y), exp(x + y));
  expectNotProved(exp(2 * x), 2 * exp(x));
  expectNotProved(exp(x * y), exp(x) * exp(y));
}

TEST_F(ExactAlgebraTest, ExponentsOfQuotientsHaveOneForm) {
  expectSameForm(exp((x + y) / (x + y)), exp(one));
  expectSameForm(exp((z - w * (x + y)) / (x + y)), exp(z / (x + y) - w));
  expectSameForm(exp(x / (x + y)) * exp(y / (x + y)), exp(one));
  expectSameForm(exp((z + x * z) / (1 + x)), exp(z));
  expectNotProved(exp(x / (x + y)), exp(y / (x + y)));
}

TEST_F(ExactAlgebraTest, SoftmaxDoesNotDependOnWhatIsSubtracted) {
  E m = max(x, max(y, z));
  E sum = exp(x - m) + exp(y - m) + exp(z - m);
  expectSameForm(exp(x - m) / sum, exp(x) / (exp(x) + exp(y) + exp(z)));
  expectNotProved(exp(x - m) / sum, exp(x) / (exp(x) + exp(y)));
}

TEST_F(ExactAlgebraTest, SigmoidHasTwoSpellings) {
  expectEqual(exp(x) / (1 + exp(x)), 1 / (1 + exp(-x)));
  expectEqual(1 - 1 / (1 + exp(-x)), 1 / (1 + exp(x)));
  expectEqual(1 - 2 / (1 + exp(2 * x)),
              (exp(x) - exp(-x)) / (exp(x) + exp(-x)));
  expectNotProved(exp(x) / (1 + exp(x)), 1 / (1 + exp(x)));
}

TEST_F(ExactAlgebraTest, NestedExponentials) {
  expectSameForm(exp(exp(x)) * exp(-exp(x)), one);
  expectSameForm(exp(exp(x) * exp(y)), exp(exp(x + y)));
  expectSameForm(exp(exp(exp(exp(x + y)))), exp(exp(exp(exp(x) * exp(y)))));
  expectNotProved(exp(exp(x)), exp(x) * exp(x));
}

TEST_F(ExactAlgebraTest, Log2EIsTheInverseOfLn2) {
  expectSameForm(exp(ln2 * (x * (1 / ln2))), exp(x));
  expectNotProved(exp(ln2 * x), exp(x));
}

//===----------------------------------------------------------------------===//
// Roots and absolute values
//===----------------------------------------------------------------------===//

TEST_F(ExactAlgebraTest, RootsSquared) {
  expectSameForm(sqrt(x) * sqrt(x), x);
  expectSameForm(sqrt(x * x), abs(x));
  expectSameForm(sqrt(x * x + 2 * (x * y) + y * y), abs(x + y));
  expectSameForm(sqrt(3 * ((x - 2 * y) * (x - 2 * y))),
                 sqrt(constant(3)) * abs(2 * y - x));
  expectUndefined(sqrt(-((x + y) * (x + y))));
  expectNotProved(sqrt(x * x + x * y + y * y), abs(x + y));
  expectSameForm(1 / sqrt(x), sqrt(x) / x);
  expectSameForm(x / sqrt(x), sqrt(x));
  E sum = x * x + y * y;
  expectSameForm(sqrt(sum) * sqrt(sum), sum);
  expectSameForm(sum / sqrt(sum), sqrt(sum));
  expectSameForm(1 / sqrt(sum) * (1 / sqrt(sum)), 1 / sum);
  expectSameForm(sqrt(1 / sum), 1 / sqrt(sum));
  expectNotProved(sqrt(x * x), x);
  expectNotProved(sqrt(sum), x + y);
  expectNotProved(sqrt(x + y), sqrt(x) + sqrt(y));
}

TEST_F(ExactAlgebraTest, RootsOfProducts) {
  expectSameForm(sqrt(x) * sqrt(y), sqrt(x * y));
  expectSameForm(sqrt(x * y) * sqrt(x * z), abs(x) * sqrt(y * z));
  expectSameForm(sqrt(x * x * y), abs(x) * sqrt(y));
  expectSameForm(sqrt(exp(x) * y), exp(0.5 * x) * sqrt(y));
  expectSameForm(sqrt(4 * x), 2 * sqrt(x));
  expectSameForm(sqrt(constant(2)) * sqrt(constant(3)), sqrt(constant(6)));
  expectSameForm(sqrt(constant(0.25)), constant(0.5));
  expectSameForm(sqrt(2 * x) * sqrt(constant(2)), 2 * sqrt(x));
  expectSameForm(sqrt(-x) * sqrt(-y), sqrt(x * y));
  E p = x * x + 1 * one, q = y * y + 1 * one;
  expectSameForm(sqrt(p * z) * sqrt(q), sqrt(p) * sqrt(q * z));
  expectSameForm(sqrt(z / p), sqrt(z) / sqrt(p));
  expectNotProved(sqrt(x * y) * sqrt(x * z), x * sqrt(y * z));
  expectNotProved(sqrt(2 * x), 2 * sqrt(x));
  expectNotProved(sqrt(-x), sqrt(x));
  expectNotProved(sqrt(-x) * sqrt(-x), x);
}

TEST_F(ExactAlgebraTest, RootsOfRoots) {
  expectSameForm(sqrt(sqrt(x * x * x * x)), abs(x));
  expectSameForm(sqrt(sqrt(exp(x))), exp(0.25 * x));
  E root = sqrt(sqrt(1 + x * x));
  expectSameForm(root * root * root * root, 1 + x * x);
  expectNotProved(root * root, 1 + x * x);
}

TEST_F(ExactAlgebraTest, RootOfMinusASquareIsUndefined) {
  expectUndefined(sqrt(constant(-4)));
  expectUndefined(sqrt(-(x * x)));
  expectSameForm(sqrt(zero), zero);
}

TEST_F(ExactAlgebraTest, AbsoluteValues) {
  expectSameForm(abs(x) * abs(x), x * x);
  expectSameForm(abs(x * y), abs(x) * abs(y));
  expectSameForm(abs(-x), abs(x));
  expectSameForm(abs(-3 * x), 3 * abs(x));
  expectSameForm(abs(exp(x)), exp(x));
  expectSameForm(abs(x * x), x * x);
  expectSameForm(abs(x) / x, x / abs(x));
  expectSameForm(abs(1 / x), 1 / abs(x));
  expectSameForm(abs(x - y), abs(y - x));
  expectSameForm(abs(abs(x)), abs(x));
  expectNotProved(abs(x), x);
  expectNotProved(abs(x + y), abs(x) + abs(y));
  expectNotProved(abs(x) * x, x * x);
}

//===----------------------------------------------------------------------===//
// Moments
//===----------------------------------------------------------------------===//

TEST_F(ExactAlgebraTest, VarianceHasTwoSpellings) {
  E mean = (x + y + z) / constant(3);
  E squares = (x * x + y * y + z * z) / constant(3);
  auto square = [](E e) { return e * e; };
  E variance =
      (square(x - mean) + square(y - mean) + square(z - mean)) / constant(3);
  expectSameForm(squares - mean * mean, variance);
  expectSameForm(sqrt(1e-5 + (squares - mean * mean)), sqrt(1e-5 + variance));
  expectNotProved(squares - mean, variance);
  expectNotProved(squares, variance);
}

//===----------------------------------------------------------------------===//
// Maxima, and functions of which little is known
//===----------------------------------------------------------------------===//

TEST_F(ExactAlgebraTest, MaximaAreALattice) {
  expectSameForm(max(x, y), max(y, x));
  expectSameForm(max(max(x, y), z), max(x, max(y, z)));
  expectSameForm(max(x, x), x);
  expectSameForm(max(x, max(x, y)), max(x, y));
  expectSameForm(min(min(x, y), x), min(x, y));
  expectSameForm(max(constant(2), constant(3)), constant(3));
  expectSameForm(min(constant(2), constant(3)), constant(2));
  expectSameForm(max(max(x, constant(2)), constant(3)), max(x, constant(3)));
  expectSameForm(max(x * (y + z), w), max(w, x * y + x * z));
  expectSameForm(max(x / (x + y) + y / (x + y), z), max(one, z));
  expectSameForm(max(x, min(x, y)), x);
  expectSameForm(min(max(x, y), min(y, z)), min(y, z));
  expectNotProved(max(x, min(y, z)), x);
  expectNotProved(max(x, y), x);
  expectNotProved(max(x, y), min(x, y));
  expectNotProved(relu(x), x);
}

TEST_F(ExactAlgebraTest, WhatIsNotALaw) {
  expectNotProved(relu(2 * x), 2 * relu(x));
  expectNotProved(log(exp(x)), x);
  expectNotProved(log(x * y), log(x) + log(y));
  expectNotProved(max(x + z, y + z), max(x, y) + z);
  expectNotProved(max(x, y) + min(x, y), x + y);
  expectNotProved(erf(-x), -erf(x));
  expectNotProved(pow(x, constant(2)), x * x);
}

TEST_F(ExactAlgebraTest, EqualOperandsHaveEqualFunctions) {
  expectSameForm(log(x * (y + z)), log(x * y + x * z));
  expectSameForm(erf((x * x) / x), erf(x));
  expectSameForm(pow(x + y, z), pow(y + x, z));
  expectNotProved(log(x), log(y));
  expectNotProved(pow(x, y), pow(y, x));
}

//===----------------------------------------------------------------------===//
// Minus infinity
//===----------------------------------------------------------------------===//

TEST_F(ExactAlgebraTest, MinusInfinity) {
  expectSameForm(infinity + x, infinity);
  expectSameForm(exp(infinity), zero);
  expectSameForm(max(infinity, x), x);
  expectSameForm(max(infinity, infinity), infinity);
  expectSameForm(min(infinity, x), infinity);
  expectSameForm(2 * infinity, infinity);
  expectSameForm(ln2 * infinity, infinity);
  expectSameForm(infinity * (3 / ln2), infinity);
  expectUndefined(-2 * infinity);
  expectUndefined(-2 * ln2 * infinity);
  expectUndefined(ln2 * x * infinity);
  expectUndefined(zero * infinity);
  expectUndefined(x * infinity);
  expectUndefined(infinity / x);
  expectUndefined(x / infinity);
  expectUndefined(sqrt(infinity));
  expectUndefined(log(infinity));
  EXPECT_TRUE(algebra.areEqual(infinity.form, infinity.form));
  EXPECT_FALSE(algebra.areEqual(infinity.form, x.form));
}

//===----------------------------------------------------------------------===//
// Conditions and limits
//===----------------------------------------------------------------------===//

TEST_F(ExactAlgebraTest, ConditionsAreOfWhatMayNotBeDefined) {
  auto conditions = [&](auto make) {
    algebra.takeConditions();
    make();
    return algebra.takeConditions();
  };
  EXPECT_TRUE(conditions([&] { x / (1 + exp(x)); }).empty());
  EXPECT_TRUE(conditions([&] { sqrt(1 + x * x); }).empty());
  EXPECT_FALSE(conditions([&] { x / y; }).empty());
  EXPECT_FALSE(conditions([&] { sqrt(x); }).empty());
  EXPECT_FALSE(conditions([&] { log(x); }).empty());
  EXPECT_EQ(conditions([&] { x / (2 * y); }), conditions([&] { z / y; }));
  EXPECT_NE(conditions([&] { x / y; }), conditions([&] { y / x; }));
}

TEST(ExactAlgebraLimits, WorkIsLimited) {
  Limits limits;
  limits.maxWork = 10000;
  Algebra algebra(limits);
  E power = {&algebra, algebra.add(algebra.getVariable(0), FormId::One)};
  for (uint32_t i = 1; i < 40; ++i)
    power =
        power * power.with(algebra.add(algebra.getVariable(i), FormId::One));
  EXPECT_TRUE(algebra.isExhausted());
  EXPECT_EQ(power.form, FormId::Undefined);
  EXPECT_LT(algebra.getWork(), 2 * limits.maxWork);
  EXPECT_FALSE(algebra.areEqual(FormId::One, FormId::One));
}

TEST(ExactAlgebraLimits, NumbersAreLimited) {
  Algebra algebra;
  E number = {&algebra, algebra.getConstant(Rational(3))};
  for (unsigned i = 0; i < 20; ++i)
    number = number * number;
  EXPECT_TRUE(algebra.isExhausted());
  EXPECT_EQ(number.form, FormId::Undefined);
}

/// A sum of quotients over many denominators, which would take 2^n terms to
/// multiply out.
TEST(ExactAlgebraLimits, ComparisonsAreLimited) {
  Limits limits;
  limits.maxWork = 100000;
  Algebra algebra(limits);
  E sum = {&algebra, FormId::Zero};
  for (uint32_t i = 0; i < 40; ++i)
    sum = sum + 1 / sum.with(algebra.add(algebra.getVariable(i), FormId::One));
  EXPECT_FALSE(algebra.isExhausted());
  EXPECT_FALSE(algebra.areEqual(sum.form, FormId::Zero));
  EXPECT_TRUE(algebra.isExhausted());
}

/// Neither a stack nor patience.
TEST(ExactAlgebraLimits, PowersOfFactorsAreLimited) {
  Algebra algebra;
  E x = {&algebra, algebra.getVariable(0)};
  E quotient = 1 / (1 + x);
  for (unsigned i = 0; i < 19; ++i)
    quotient = quotient * quotient;
  EXPECT_FALSE(algebra.isExhausted());
  EXPECT_EQ((1 / quotient).form, FormId::Undefined);
  EXPECT_TRUE(algebra.isExhausted());
}

TEST(ExactAlgebraLimits, ExponentsAreLimited) {
  Algebra algebra;
  E x = {&algebra, algebra.getVariable(0)};
  for (unsigned i = 0; i < 100; ++i)
    x = x * x;
  EXPECT_FALSE(algebra.isExhausted());
  EXPECT_EQ(sqrt(x).form, FormId::Undefined);
}

/// Each is the root of the last, plus one.
TEST(ExactAlgebraLimits, NestingIsNoMatterOfTheStack) {
  Algebra algebra;
  E x = {&algebra, algebra.getVariable(0)};
  for (unsigned i = 0; i < 5000; ++i)
    x = sqrt(1 + x * x);
  x = x * x;
  EXPECT_TRUE(algebra.isExhausted() || x.form != FormId::Undefined);
  Algebra other;
  x = {&other, other.getVariable(0)};
  for (unsigned i = 0; i < 5000; ++i)
    x = 1 / (1 + exp(x));
  EXPECT_TRUE(other.isExhausted() || other.areEqual(x.form, x.form));
}

//===----------------------------------------------------------------------===//
// Rational numbers
//===----------------------------------------------------------------------===//

TEST(RationalTest, ArithmeticIsExact) {
  Rational third = Rational(3).getInverse();
  EXPECT_EQ(third + third + third, Rational(1));
  EXPECT_EQ(third * Rational(-6), Rational(-2));
  EXPECT_EQ(Rational::fromDouble(-0.375),
            Rational(llvm::DynamicAPInt(-3), llvm::DynamicAPInt(8)));
  EXPECT_EQ(Rational::fromDouble(0x1p100) * Rational::fromDouble(0x1p-100),
            Rational(1));
  EXPECT_EQ(Rational::fromDouble(5e-324).getNumerator(), 1);
  EXPECT_TRUE(Rational(-1) < third && third < Rational(1));
  EXPECT_EQ(toString(Rational(-2) * third), "-2/3");
  EXPECT_EQ(Rational(7).getInteger(), 7);
  EXPECT_FALSE(third.getInteger());
  EXPECT_FALSE(Rational::fromDouble(0x1p70).getInteger());
}

TEST(RationalTest, HashesOfEqualNumbersAreEqual) {
  Rational large = Rational::fromDouble(0x1p80);
  Rational one = large * large.getInverse();
  EXPECT_EQ(one, Rational(1));
  EXPECT_EQ(one.getHash(), Rational(1).getHash());
  EXPECT_TRUE(large.fits(81));
  EXPECT_FALSE(large.fits(80));
}

TEST(RationalTest, RootsAreRoundedDown) {
  for (int64_t i : {0, 1, 2, 3, 4, 8, 9, 99, 100, 101})
    EXPECT_EQ(int64_t(takeFloorOfRoot(llvm::DynamicAPInt(i))),
              int64_t(std::sqrt(double(i))));
  llvm::DynamicAPInt large = Rational::fromDouble(0x1.fffp90).getNumerator();
  EXPECT_EQ(takeFloorOfRoot(large * large), large);
  EXPECT_EQ(takeFloorOfRoot(large * large - 1), large - 1);
}

} // namespace
