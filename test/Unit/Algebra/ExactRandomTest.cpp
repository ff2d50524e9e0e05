//===- ExactRandomTest.cpp - Canonical forms against float64 --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random expressions over a few variables and constants. Of all pairs, those
// that the algebra proves equal have equal numbers in float64; and an
// expression that is spelled anew by laws is proved equal to the first.
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

enum class Op { Variable, Constant, Add, Mul, Div, Exp, Sqrt, Abs, Max, Min };

struct Tree;
using TreePtr = std::shared_ptr<const Tree>;
struct Tree {
  Op op;
  double value = 0; ///< or the variable's number
  TreePtr lhs = {}, rhs = {};
};

TreePtr make(Op op, TreePtr lhs, TreePtr rhs = {}) {
  return std::make_shared<const Tree>(Tree{op, 0, lhs, rhs});
}
TreePtr constant(double value) {
  return std::make_shared<const Tree>(Tree{Op::Constant, value});
}
TreePtr negate(TreePtr x) { return make(Op::Mul, constant(-1), x); }

std::string print(const TreePtr &tree) {
  static const char *const kNames[] = {"x",   "",     "add", "mul", "div",
                                       "exp", "sqrt", "abs", "max", "min"};
  std::string name = kNames[static_cast<int>(tree->op)];
  if (!tree->lhs)
    return name + std::to_string(tree->value).substr(0, 4);
  return name + "(" + print(tree->lhs) +
         (tree->rhs ? ", " + print(tree->rhs) : "") + ")";
}

FormId toForm(Algebra &algebra, const TreePtr &tree) {
  FormId x = tree->lhs ? toForm(algebra, tree->lhs) : FormId::Zero;
  FormId y = tree->rhs ? toForm(algebra, tree->rhs) : FormId::Zero;
  switch (tree->op) {
  case Op::Variable:
    return algebra.getVariable(static_cast<uint32_t>(tree->value));
  case Op::Constant:
    return algebra.getConstant(Rational::fromDouble(tree->value));
  case Op::Add:
    return algebra.add(x, y);
  case Op::Mul:
    return algebra.multiply(x, y);
  case Op::Div:
    return algebra.divide(x, y);
  case Op::Exp:
    return algebra.exp(x);
  case Op::Sqrt:
    return algebra.sqrt(x);
  case Op::Abs:
    return algebra.abs(x);
  case Op::Max:
    return algebra.max({x, y});
  case Op::Min:
    return algebra.min({x, y});
  }
  return FormId::Undefined;
}

using Point = std::vector<double>;

/// A number with a bound on its error, as far as it is known to exist.
struct Number {
  double value, error;
};

Number finish(double value, double error) {
  if (!std::isfinite(value) || !(std::fabs(value) < 1e60) || !(error < 1e60))
    return {std::nan(""), 0};
  return {value, 2 * error + 1e-15 * std::fabs(value) + 1e-60};
}

Number evaluate(const TreePtr &tree, const Point &point) {
  Number x = tree->lhs ? evaluate(tree->lhs, point) : Number{0, 0};
  Number y = tree->rhs ? evaluate(tree->rhs, point) : Number{0, 0};
  if (std::isnan(x.value) || std::isnan(y.value))
    return {std::nan(""), 0};
  bool isLess = x.value < y.value;
  switch (tree->op) {
  case Op::Variable:
    return {point[static_cast<size_t>(tree->value)], 0};
  case Op::Constant:
    return {tree->value, 0};
  case Op::Add:
    return finish(x.value + y.value, x.error + y.error);
  case Op::Mul:
    return finish(x.value * y.value, std::fabs(x.value) * y.error +
                                         std::fabs(y.value) * x.error +
                                         x.error * y.error);
  case Op::Div: {
    double least = std::fabs(y.value) - y.error;
    if (!(least > 0))
      return {std::nan(""), 0};
    double quotient = x.value / y.value;
    return finish(quotient, (x.error + std::fabs(quotient) * y.error) / least);
  }
  case Op::Exp: {
    double value = std::exp(x.value);
    return finish(value, value * std::expm1(x.error));
  }
  case Op::Sqrt:
    if (!(x.value - x.error > 0))
      return {std::nan(""), 0};
    return finish(std::sqrt(x.value), x.error / std::sqrt(x.value));
  case Op::Abs:
    return {std::fabs(x.value), x.error};
  case Op::Max:
    return {isLess ? y.value : x.value, std::max(x.error, y.error)};
  case Op::Min:
    return {isLess ? x.value : y.value, std::max(x.error, y.error)};
  }
  return {std::nan(""), 0};
}

constexpr unsigned kNumVariables = 2;

std::vector<Point> makePoints() {
  std::mt19937_64 random(17);
  std::uniform_real_distribution<double> positive(0.1, 2), any(-2, 2);
  std::vector<Point> points;
  for (unsigned i = 0; i < 16; ++i) {
    Point point;
    for (unsigned v = 0; v < kNumVariables; ++v)
      point.push_back(i % 4 == 0 ? positive(random) : any(random));
    points.push_back(point);
  }
  return points;
}

/// A point where both numbers exist and differ by more than their errors.
const Point *findContradiction(const TreePtr &lhs, const TreePtr &rhs,
                               const std::vector<Point> &points) {
  for (const Point &point : points) {
    Number x = evaluate(lhs, point), y = evaluate(rhs, point);
    if (!std::isnan(x.value) && !std::isnan(y.value) &&
        std::fabs(x.value - y.value) > 2 * (x.error + y.error))
      return &point;
  }
  return nullptr;
}

bool holdsRoots(const TreePtr &tree) {
  return tree && (tree->op == Op::Sqrt || tree->op == Op::Abs ||
                  holdsRoots(tree->lhs) || holdsRoots(tree->rhs));
}

class Generator {
public:
  /// \param numOps  how many of the operators are drawn from, from Add on.
  explicit Generator(uint64_t seed, unsigned numOps = 8)
      : random(seed), numOps(numOps) {}

  TreePtr make(unsigned size) {
    if (size == 0)
      return makeLeaf();
    auto op = static_cast<Op>(2 + draw(numOps));
    bool isUnary = op == Op::Exp || op == Op::Sqrt || op == Op::Abs;
    if (isUnary)
      return ::make(op, make(size - 1));
    unsigned left = draw(size);
    return ::make(op, make(left), make(size - 1 - left));
  }

  /// The same by other laws at every place.
  TreePtr respell(const TreePtr &tree) {
    if (!tree->lhs)
      return respellLeaf(tree);
    TreePtr x = respell(tree->lhs);
    TreePtr y = tree->rhs ? respell(tree->rhs) : nullptr;
    switch (tree->op) {
    case Op::Add:
      return respellSum(x, y);
    case Op::Mul:
      return respellProduct(x, y);
    case Op::Div:
      return respellQuotient(x, y);
    case Op::Exp:
      return respellExp(x);
    case Op::Sqrt:
      return respellRoot(x);
    case Op::Abs:
      // That (x + √y)² is a square is not seen.
      return draw(2) || holdsRoots(x) ? ::make(Op::Abs, negate(x))
                                      : ::make(Op::Sqrt, ::make(Op::Mul, x, x));
    case Op::Max:
    case Op::Min:
      return draw(2) ? ::make(tree->op, y, x)
                     : ::make(tree->op, x, ::make(tree->op, y, x));
    default:
      return tree;
    }
  }

  /// With a law that does not hold at one place.
  TreePtr mistake(const TreePtr &tree) {
    if (!tree->lhs)
      return tree;
    TreePtr x = tree->lhs, y = tree->rhs;
    if (draw(2)) {
      bool isLeft = !y || draw(2);
      return ::make(tree->op, isLeft ? mistake(x) : x, isLeft ? y : mistake(y));
    }
    switch (tree->op) {
    case Op::Exp:
      return x->op == Op::Add ? ::make(Op::Add, ::make(Op::Exp, x->lhs),
                                       ::make(Op::Exp, x->rhs))
                              : ::make(Op::Exp, negate(x));
    case Op::Sqrt: // √(x·x) = x, √(-x) = √x
      return x->op == Op::Mul && draw(2) ? x->lhs : ::make(Op::Sqrt, negate(x));
    case Op::Abs:
      return draw(2) ? x : ::make(Op::Sqrt, x);
    case Op::Div:
      return ::make(Op::Div, y, x);
    case Op::Max:
      return ::make(Op::Min, x, y);
    default:
      return ::make(tree->op, x, negate(y));
    }
  }

private:
  static TreePtr subtract(TreePtr x, TreePtr y) {
    return ::make(Op::Add, x, negate(y));
  }
  unsigned draw(unsigned count) { return random() % count; }

  TreePtr makeLeaf() {
    constexpr double kConstants[] = {1, 2, -1, 0.5, 3, 0.1};
    if (draw(3) == 0)
      return constant(kConstants[draw(std::size(kConstants))]);
    return std::make_shared<const Tree>(
        Tree{Op::Variable, double(draw(kNumVariables))});
  }

  TreePtr respellLeaf(const TreePtr &tree) {
    switch (draw(4)) {
    case 0: { // (x·e)/e
      TreePtr e = ::make(Op::Add, constant(1), ::make(Op::Exp, tree));
      return ::make(Op::Div, ::make(Op::Mul, tree, e), e);
    }
    case 1: // (x - 3) + 3
      return ::make(Op::Add, ::make(Op::Add, tree, constant(-3)), constant(3));
    default:
      return tree;
    }
  }
  TreePtr respellSum(TreePtr x, TreePtr y) {
    switch (draw(3)) {
    case 0:
      return ::make(Op::Add, y, x);
    case 1:
      return subtract(x, negate(y));
    default: { // x·e/(e + 1) + x/(e + 1) + y
      TreePtr e = ::make(Op::Exp, y);
      TreePtr sum = ::make(Op::Add, e, constant(1));
      TreePtr part = ::make(Op::Div, ::make(Op::Mul, x, e), sum);
      return ::make(Op::Add, ::make(Op::Add, part, ::make(Op::Div, x, sum)), y);
    }
    }
  }
  TreePtr respellQuotient(TreePtr x, TreePtr y) {
    if (x->op == Op::Add && draw(2))
      return ::make(Op::Add, ::make(Op::Div, x->lhs, y),
                    ::make(Op::Div, x->rhs, y));
    return draw(2) ? ::make(Op::Mul, ::make(Op::Div, constant(1), y), x)
                   : ::make(Op::Div, negate(x), negate(y));
  }
  TreePtr respellProduct(TreePtr x, TreePtr y) {
    if (x->op == Op::Add && draw(2))
      return ::make(Op::Add, ::make(Op::Mul, x->lhs, y),
                    ::make(Op::Mul, x->rhs, y));
    return draw(2) ? ::make(Op::Mul, y, x)
                   : ::make(Op::Mul, negate(x), negate(y));
  }
  TreePtr respellExp(TreePtr x) {
    if (x->op == Op::Add)
      return ::make(Op::Mul, ::make(Op::Exp, x->lhs), ::make(Op::Exp, x->rhs));
    if (draw(2))
      return ::make(Op::Div, constant(1), ::make(Op::Exp, negate(x)));
    TreePtr half = ::make(Op::Exp, ::make(Op::Mul, constant(0.5), x));
    return ::make(Op::Mul, half, half);
  }
  TreePtr respellRoot(TreePtr x) {
    TreePtr root = ::make(Op::Sqrt, x);
    if (draw(2))
      return ::make(Op::Div, x, root);
    return ::make(Op::Mul, constant(0.5),
                  ::make(Op::Sqrt, ::make(Op::Mul, constant(4), x)));
  }

  std::mt19937_64 random;
  unsigned numOps;
};

struct PairCounts {
  unsigned numPairs = 0, numEqual = 0;
};

/// All pairs of random expressions, small ones, so that many are equal by
/// chance.
void comparePool(uint64_t seed, unsigned numOps,
                 const std::vector<Point> &points, PairCounts &counts) {
  constexpr unsigned kPoolSize = 120;
  Generator generator(seed, numOps);
  Algebra algebra;
  std::vector<std::pair<TreePtr, FormId>> pool;
  for (unsigned i = 0; i < kPoolSize; ++i) {
    TreePtr tree = generator.make(1 + i % 5);
    pool.push_back({tree, toForm(algebra, tree)});
  }
  for (unsigned i = 0; i < kPoolSize; ++i)
    for (unsigned j = 0; j < i; ++j) {
      auto &[lhs, left] = pool[i];
      auto &[rhs, right] = pool[j];
      ++counts.numPairs;
      if (!algebra.areEqual(left, right))
        continue;
      ++counts.numEqual;
      EXPECT_FALSE(findContradiction(lhs, rhs, points))
          << print(lhs) << " and " << print(rhs) << ", both "
          << algebra.toString(left);
    }
  EXPECT_FALSE(algebra.isExhausted());
}

TEST(ExactRandomTest, WhatIsProvedEqualHasEqualNumbers) {
  std::vector<Point> points = makePoints();
  PairCounts counts;
  for (unsigned seed = 0; seed < 40; ++seed)
    for (unsigned numOps : {3, 4, 6, 8}) // no functions, exp, roots, all
      comparePool(seed, numOps, points, counts);
  EXPECT_GT(counts.numEqual, 2000u);
  std::printf("  %u pairs, %u proved equal\n", counts.numPairs,
              counts.numEqual);
}

/// Right laws and wrong ones, of which some hold for some operands.
TEST(ExactRandomTest, WrongSpellingsAreNotProvedEqual) {
  std::vector<Point> points = makePoints();
  unsigned numProved = 0, numWrong = 0;
  for (unsigned seed = 0; seed < 4000; ++seed) {
    Generator generator(5000 + seed);
    TreePtr tree = generator.make(1 + seed % 6);
    TreePtr other = generator.respell(generator.mistake(tree));
    bool isWrong = findContradiction(tree, other, points);
    Algebra algebra;
    bool isProved =
        algebra.areEqual(toForm(algebra, tree), toForm(algebra, other));
    EXPECT_FALSE(isWrong && isProved) << print(tree) << " and " << print(other);
    numProved += isProved;
    numWrong += isWrong;
  }
  EXPECT_GT(numWrong, 1000u);
  std::printf("  %u wrong, %u proved equal\n", numWrong, numProved);
}

TEST(ExactRandomTest, OtherSpellingsAreProvedEqual) {
  constexpr unsigned kNumPairs = 2000;
  std::vector<Point> points = makePoints();
  unsigned numProved = 0, numUndefined = 0, numOfOtherForm = 0;
  for (unsigned seed = 0; seed < kNumPairs; ++seed) {
    Generator generator(1000 + seed);
    TreePtr tree = generator.make(1 + seed % 6),
            other = generator.respell(tree);
    ASSERT_FALSE(findContradiction(tree, other, points))
        << print(tree) << " and " << print(other);
    Algebra algebra;
    FormId lhs = toForm(algebra, tree), rhs = toForm(algebra, other);
    if (lhs == FormId::Undefined || rhs == FormId::Undefined) {
      ++numUndefined;
      continue;
    }
    bool isProved = algebra.areEqual(lhs, rhs);
    numProved += isProved;
    numOfOtherForm += lhs != rhs;
    EXPECT_TRUE(isProved) << print(tree) << " and " << print(other) << ": "
                          << algebra.toString(lhs) << " and "
                          << algebra.toString(rhs);
  }
  EXPECT_LT(numUndefined, 50u);
  // Some only once denominators are multiplied out.
  EXPECT_GT(numOfOtherForm, 50u);
  std::printf("  %u proved, %u of two forms, %u nowhere defined\n", numProved,
              numOfOtherForm, numUndefined);
}

} // namespace
