//===- ProvedClaimsTest.cpp - Nothing is proved of what differs -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pairs that differ, and that trials find hard to tell apart: by the draws that
// count, by what maxima pick or signs fall, by figures that overflow. Whatever
// the seed, none may be equal.
//
//===----------------------------------------------------------------------===//

#include "DoubleArithmetic.h"
#include "JudgeGraphs.h"
#include "LinearForms.h"
#include "Programs.h"
#include "TermDegree.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;
using O = Opcode;
using V = ValueId;
using B = Builder;

static VerifyOptions withSeed(unsigned seed) {
  VerifyOptions options;
  options.seed = deriveSeed(Seed{}, "test", seed);
  return options;
}

/// Two inputs of two elements, two outputs.
static Graph over(llvm::function_ref<std::pair<V, V>(B &, V, V)> formula) {
  Graph graph;
  B b(graph);
  V x = b.input({2}), y = b.input({2});
  auto [first, second] = formula(b, x, y);
  b.output(first);
  b.output(second);
  return graph;
}

/// √(−(max(x, y) − y)²), which exists where y is picked alone.
static V rootOfPicked(B &b, V x, V y) {
  V apart = b.op(O::Sub, {b.op(O::Maximum, {x, y}), y});
  return b.op(O::Sqrt, {b.scale(b.op(O::Mul, {apart, apart}), -1)});
}

/// A second output has draws made anew until y is picked.
TEST(ProvedClaims, NotWhereDrawsThatCountPickOneThing) {
  Graph lhs = over([](B &b, V x, V y) {
    return std::pair(b.op(O::Maximum, {x, y}), rootOfPicked(b, x, y));
  });
  Graph rhs =
      over([](B &b, V x, V y) { return std::pair(y, rootOfPicked(b, x, y)); });
  for (unsigned seed = 0; seed < 8; ++seed)
    EXPECT_NE(judge(lhs, rhs, withSeed(seed)).kind, Verdict::Equal) << seed;
}

/// The same of points inside exponents.
TEST(ProvedClaims, NotWherePointsThatCountPickOneThing) {
  Graph lhs = over([](B &b, V x, V y) {
    return std::pair(b.op(O::Exp, {b.op(O::Maximum, {x, y})}),
                     b.op(O::Exp, {rootOfPicked(b, x, y)}));
  });
  Graph rhs = over([](B &b, V x, V y) {
    return std::pair(b.op(O::Exp, {y}), b.op(O::Exp, {rootOfPicked(b, x, y)}));
  });
  for (unsigned seed = 0; seed < 16; ++seed) {
    VerifyOptions options = withSeed(seed);
    options.errorBoundBits = 16;
    EXPECT_NE(judge(lhs, rhs, options).kind, Verdict::Equal) << seed;
  }
}

/// The product of (|x_i| ± x_i) over 16 elements, or of exp(max(x_i, y_i)) −
/// exp(y_i) over 8, is zero in all patterns but one; so is twice that.
TEST(ProvedClaims, NotWhereOnePatternOfManyTells) {
  auto product = [](unsigned count, bool ofExponentials, double factor) {
    Graph graph;
    B b(graph);
    V all = 0;
    std::vector<V> inputs;
    for (unsigned i = 0; i < 2 * count; ++i)
      inputs.push_back(b.input({1}));
    for (unsigned i = 0; i < count; ++i) {
      V x = inputs[i], y = inputs[count + i];
      V next = ofExponentials
                   ? b.op(O::Sub, {b.op(O::Exp, {b.op(O::Maximum, {x, y})}),
                                   b.op(O::Exp, {y})})
                   : b.op(i % 2 ? O::Sub : O::Add, {b.op(O::Abs, {x}), x});
      all = i == 0 ? next : b.op(O::Mul, {all, next});
    }
    b.output(b.scale(all, factor));
    return graph;
  };
  for (unsigned seed = 0; seed < 4; ++seed) {
    for (bool ofExponentials : {false, true}) {
      unsigned count = ofExponentials ? 8 : 16;
      EXPECT_NE(judge(product(count, ofExponentials, 1),
                      product(count, ofExponentials, 2), withSeed(seed))
                    .kind,
                Verdict::Equal)
          << seed << ofExponentials;
    }
  }
}

/// Towers are drawn anew until a root of constants exists, which is where one
/// order of these comes up.
TEST(ProvedClaims, NotWhereTowersThatCountPickOneThing) {
  auto make = [](double factor) {
    return over([factor](B &b, V x, V y) {
      auto constant = [&](double value) {
        Attributes attributes;
        attributes.scalars = {value};
        return b.op(O::Offset, {b.scale(x, 0)}, attributes);
      };
      V two = constant(2), three = constant(3), five = constant(5);
      V apart = b.op(O::Mul,
                     {b.op(O::Sub, {b.op(O::Maximum, {two, three}), two}),
                      b.op(O::Sub, {b.op(O::Maximum, {three, five}), three})});
      V root = b.op(O::Sqrt, {b.scale(b.op(O::Mul, {apart, apart}), -1)});
      return std::pair(b.scale(b.op(O::Mul, {apart, x}), factor),
                       b.op(O::Add, {root, y}));
    });
  };
  for (unsigned seed = 0; seed < 8; ++seed) {
    VerifyOptions options = withSeed(seed);
    options.errorBoundBits = 16;
    EXPECT_NE(judge(make(7), make(11), options).kind, Verdict::Equal) << seed;
  }
}

/// Roots of roots do not make a pattern more frequent, nor do exponents.
TEST(ProvedClaims, NotWhereFunctionsHideThePattern) {
  auto make = [](unsigned numRoots, bool isExponent, double factor) {
    Graph graph;
    B b(graph);
    std::vector<V> inputs;
    for (unsigned i = 0; i < 17; ++i)
      inputs.push_back(b.input({1}));
    V all = 0;
    for (unsigned i = 0; i < 16; ++i) {
      V next =
          b.op(i % 2 ? O::Sub : O::Add, {b.op(O::Abs, {inputs[i]}), inputs[i]});
      all = i == 0 ? next : b.op(O::Mul, {all, next});
    }
    all = b.scale(all, factor);
    if (isExponent) {
      all = b.op(O::Exp, {all});
    } else {
      all = b.op(O::Add, {all, b.op(O::Exp, {inputs[16]})});
      for (unsigned i = 0; i < numRoots; ++i)
        all = b.op(O::Sqrt, {all});
    }
    b.output(all);
    return graph;
  };
  for (unsigned seed = 0; seed < 3; ++seed) {
    EXPECT_NE(judge(make(0, true, 1), make(0, true, 2), withSeed(seed)).kind,
              Verdict::Equal);
    EXPECT_NE(judge(make(4, false, 1), make(4, false, 2), withSeed(seed)).kind,
              Verdict::Equal);
  }
}

/// √x·√x is x where both are defined, though the other output has √x as well.
TEST(ProvedClaims, OfRootsThatAnotherOutputTakes) {
  Graph lhs = over([](B &b, V x, V) {
    V root = b.op(O::Sqrt, {x});
    return std::pair(b.op(O::Mul, {root, root}), root);
  });
  Graph rhs = over([](B &b, V x, V) {
    return std::pair(b.scale(x, 1), b.op(O::Sqrt, {x}));
  });
  Verdict verdict = judge(lhs, rhs);
  EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
  EXPECT_TRUE(verdict.whereBothDefined);
}

/// x + 0·log(−exp x), x·√(−1 − exp x)/√(−1 − exp x) and x/(x − x) are no
/// numbers.
TEST(ProvedClaims, NotWhereNothingIsDefined) {
  auto only = [](llvm::function_ref<V(B &, V)> formula) {
    Graph graph;
    B b(graph);
    b.output(formula(b, b.input({2})));
    return graph;
  };
  auto minusExp = [](B &b, V x) { return b.scale(b.op(O::Exp, {x}), -1); };
  Graph plain = only([](B &b, V x) { return b.scale(x, 1); });
  Graph ofLog = only([&](B &b, V x) {
    return b.op(O::Add, {x, b.scale(b.op(O::Log, {minusExp(b, x)}), 0)});
  });
  Graph ofRoot = only([&](B &b, V x) {
    Attributes attributes;
    attributes.scalars = {-1};
    V root = b.op(O::Sqrt, {b.op(O::Offset, {minusExp(b, x)}, attributes)});
    return b.op(O::Div, {b.op(O::Mul, {x, root}), root});
  });
  for (const Graph *graph : {&ofLog, &ofRoot}) {
    Verdict verdict = judge(*graph, plain);
    EXPECT_EQ(verdict.kind, Verdict::Unknown);
    EXPECT_TRUE(llvm::StringRef(verdict.reason)
                    .starts_with("no float64 input that was tried has a number "
                                 "for element 0 of output 0 in both graphs"))
        << verdict.reason;
  }
  // In pieces as well: x − x is one value of both.
  Graph ofZero =
      only([](B &b, V x) { return b.op(O::Div, {x, b.op(O::Sub, {x, x})}); });
  Graph ofZeros = only([](B &b, V x) {
    V zero = b.op(O::Sub, {x, x});
    return b.op(O::Div, {b.op(O::Mul, {x, x}), b.op(O::Mul, {zero, x})});
  });
  EXPECT_EQ(judge(ofZero, ofZeros).kind, Verdict::Unknown);
}

/// What one graph alone takes the logarithm of has to be said.
TEST(ProvedClaims, OfLogarithmsThatOneGraphTakes) {
  Graph lhs = over([](B &b, V x, V y) {
    V log = b.op(O::Log, {y});
    return std::pair(b.op(O::Sub, {b.op(O::Add, {x, log}), log}), y);
  });
  Graph rhs = over([](B &b, V x, V y) { return std::pair(b.scale(x, 1), y); });
  Verdict verdict = judge(lhs, rhs);
  EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
  EXPECT_TRUE(verdict.whereBothDefined);
}

/// exp(N·x) has the degree N, and none where N is no number of 64 bits.
TEST(ProvedClaims, PowersThatOverflowAreNone) {
  TermTable table;
  TermId x = table.getInput(0), y = table.getInput(1);
  auto scale = [&](TermId of, std::initializer_list<double> factors) {
    for (double factor : factors)
      of = table.mul(of, table.getConstant(factor));
    return of;
  };
  auto first = [&](TermId pick) { return table.getOperands(pick)[0]; };
  LinearForms forms(table);
  TermId small[] = {scale(x, {3}), x, y};
  std::optional<ExponentBasis> basis = forms.findBasis(small, first);
  ASSERT_TRUE(basis);
  EXPECT_EQ(basis->basis.size(), 2u);
  TermId large[] = {scale(x, {3}), table.div(x, table.getConstant(5)),
                    scale(x, {8388607, 8388607, 16383})};
  EXPECT_FALSE(forms.findBasis(large, first));
  TermId fine[] = {x, table.div(x, table.getConstant(1048573)),
                   table.div(x, table.getConstant(1048571))};
  EXPECT_FALSE(forms.findBasis(fine, first)) << "a divisor of 40 bits";
}

/// a/b − c/d is (a·d − b·c)/(b·d).
TEST(ProvedClaims, ArgumentsOfRandomFunctionsAreFractions) {
  TermTable table;
  auto power = [&](TermId x) {
    for (unsigned i = 0; i < 3; ++i)
      x = table.mul(x, x);
    return x;
  };
  TermId above = table.apply(TermKind::Log, power(table.getInput(0)));
  TermId below = table.apply(
      TermKind::Log, table.div(table.getConstant(1), power(table.getInput(1))));
  std::vector<TermId> terms(table.size());
  for (TermId term = 0; term < terms.size(); ++term)
    terms[term] = term;
  llvm::erase_if(terms, [&](TermId term) {
    return table[term].kind == TermKind::MinusInfinity ||
           table[term].kind == TermKind::Undefined;
  });
  DegreeOfDifference degree = computeDegree(table, above, below, terms, {}, {});
  EXPECT_EQ(degree.argument, 16);
  EXPECT_EQ(degree.denominator, 8) << "of the argument";
}

/// The chance that a root of a high degree exists may be anything, as far as
/// theorems go.
TEST(ProvedClaims, ConditionsOfHighDegreeProveNothing) {
  auto sum = [](unsigned squarings, bool isSplit) {
    Graph graph;
    B b(graph);
    V x = b.input({2}), y = b.input({2});
    V power = x;
    for (unsigned i = 0; i < squarings; ++i)
      power = b.op(O::Mul, {power, power});
    Attributes attributes;
    attributes.scalars = {3};
    V root = b.op(O::Sqrt,
                  {b.op(O::Offset, {b.op(O::Mul, {power, y})}, attributes)});
    b.output(isSplit ? b.op(O::Add,
                            {b.op(O::Mul, {root, x}), b.op(O::Mul, {root, y})})
                     : b.op(O::Mul, {root, b.op(O::Add, {x, y})}));
    return graph;
  };
  for (unsigned squarings : {2, 14}) {
    llvm::Expected<Verdict> verdict = verifyAtOwnSizes(
        sum(squarings, true), sum(squarings, false), VerifyOptions());
    ASSERT_TRUE(bool(verdict));
    EXPECT_EQ(verdict->kind, Verdict::Equal) << verdict->reason;
    EXPECT_EQ(verdict->bound.provedLog2 <= -64, squarings == 2)
        << verdict->bound.provedLog2;
    EXPECT_EQ(verdict->bound.provedLog2 == 0, squarings == 14)
        << verdict->bound.provedLog2;
  }
}
