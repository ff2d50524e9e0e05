//===- FreeFunctionsTest.cpp - Functions as symbols -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../TestSizes.h"
#include "FreeFunctionArithmetic.h"
#include "FreeFunctionProof.h"
#include "GraphEvaluator.h"
#include "JudgeGraphs.h"
#include "Mirage/Graph/ComposedOperators.h"
#include "Mirage/Verify/VerdictJSON.h"
#include "NearMisses.h"
#include "Programs.h"
#include "RandomGraphs.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

namespace {
/// One trial of two formulas over the same inputs, which are vectors.
class Trial {
public:
  using Fields = FreeFunctionArithmetic::Fields;

  Trial(const Graph &lhs, const Graph &rhs, const Seed &seed = {},
        std::optional<Fields> fields = std::nullopt)
      : arithmetic(fields ? FreeFunctionArithmetic(seed, 1 << 20, *fields)
                          : FreeFunctionArithmetic(seed, 1 << 20)) {
    std::vector<std::vector<uint32_t>> inputs;
    llvm::SmallVector<const uint32_t *> starts;
    for (unsigned input = 0; input < lhs.getNumInputs(); ++input) {
      inputs.emplace_back(lhs.getType(input).getNumElements());
      for (uint32_t &element : inputs.back())
        element = arithmetic.makeInput();
      starts.push_back(inputs.back().data());
    }
    auto left = GraphEvaluator(arithmetic).evaluate(lhs, starts);
    auto right = GraphEvaluator(arithmetic).evaluate(rhs, starts);
    for (auto [x, y] : llvm::zip_equal(left, right))
      for (auto [a, b] : llvm::zip_equal(x, y))
        agrees &= arithmetic.areSame(a, b);
  }

  bool agrees = true;
  FreeFunctionArithmetic arithmetic;
};

using Formula = llvm::function_ref<ValueId(Builder &, llvm::ArrayRef<ValueId>)>;
} // namespace

/// Of three tensors of some elements.
static Graph make(Formula formula, Shape shape = {2}) {
  Graph graph;
  Builder b(graph);
  llvm::SmallVector<ValueId> inputs;
  for (unsigned input = 0; input < 3; ++input)
    inputs.push_back(b.input(shape));
  b.output(formula(b, inputs));
  return graph;
}

static bool agree(Formula lhs, Formula rhs) {
  return Trial(make(lhs), make(rhs)).agrees;
}

#define FORMULA(expression)                                                    \
  [&](Builder &b, llvm::ArrayRef<ValueId> in) -> ValueId {                     \
    [[maybe_unused]] ValueId x = in[0], y = in[1], z = in[2];                  \
    return expression;                                                         \
  }

TEST(FreeFunctions, MaximaAreOfSets) {
  auto max = [](Builder &b, ValueId x, ValueId y) {
    return b.op(Opcode::Maximum, {x, y});
  };
  auto min = [](Builder &b, ValueId x, ValueId y) {
    return b.op(Opcode::Minimum, {x, y});
  };
  EXPECT_TRUE(agree(FORMULA(max(b, x, max(b, y, z))),
                    FORMULA(max(b, max(b, z, x), max(b, y, x)))));
  EXPECT_TRUE(agree(FORMULA(max(b, x, x)), FORMULA(x)));
  EXPECT_FALSE(agree(FORMULA(max(b, x, max(b, y, z))), FORMULA(max(b, x, y))));
  EXPECT_FALSE(agree(FORMULA(max(b, x, y)), FORMULA(min(b, x, y))));
  // Absorption is a law that is not asked for.
  EXPECT_FALSE(agree(FORMULA(max(b, x, min(b, x, y))), FORMULA(x)));
}

TEST(FreeFunctions, ExponentialsAreOfSums) {
  auto exp = [](Builder &b, ValueId x) { return b.op(Opcode::Exp, {x}); };
  auto add = [](Builder &b, ValueId x, ValueId y) {
    return b.op(Opcode::Add, {x, y});
  };
  auto sub = [](Builder &b, ValueId x, ValueId y) {
    return b.op(Opcode::Sub, {x, y});
  };
  auto mul = [](Builder &b, ValueId x, ValueId y) {
    return b.op(Opcode::Mul, {x, y});
  };
  auto div = [](Builder &b, ValueId x, ValueId y) {
    return b.op(Opcode::Div, {x, y});
  };
  EXPECT_TRUE(agree(FORMULA(exp(b, sub(b, x, y))),
                    FORMULA(div(b, exp(b, x), exp(b, y)))));
  EXPECT_TRUE(agree(FORMULA(exp(b, b.scale(sub(b, x, add(b, y, z)), 0.3))),
                    FORMULA(mul(b, exp(b, b.scale(sub(b, x, z), 0.3)),
                                exp(b, b.scale(y, -0.3))))));
  EXPECT_TRUE(agree(FORMULA(exp(b, sub(b, x, x))),
                    FORMULA(div(b, exp(b, y), exp(b, y)))));
  EXPECT_FALSE(agree(FORMULA(exp(b, sub(b, x, y))),
                     FORMULA(div(b, exp(b, y), exp(b, x)))));
  EXPECT_FALSE(agree(FORMULA(exp(b, mul(b, x, y))),
                     FORMULA(mul(b, exp(b, x), exp(b, y)))));
}

TEST(FreeFunctions, RootsExistAndSquaresUndoThem) {
  auto root = [](Builder &b, ValueId x) { return b.op(Opcode::Sqrt, {x}); };
  auto square = [](Builder &b, ValueId x) { return b.op(Opcode::Square, {x}); };
  EXPECT_TRUE(agree(FORMULA(square(b, b.scale(root(b, x), 3))),
                    FORMULA(b.scale(x, 9))));
  EXPECT_FALSE(agree(FORMULA(root(b, square(b, x))), FORMULA(x)));
  EXPECT_FALSE(agree(FORMULA(root(b, x)), FORMULA(root(b, y))));
}

TEST(FreeFunctions, WhatHasToBeInRangeIsKept) {
  auto conditionsOf = [](Formula formula) {
    Graph graph = make(formula, {1});
    return Trial(graph, graph).arithmetic.hasConditions();
  };
  auto root = [](Builder &b, ValueId x) { return b.op(Opcode::Sqrt, {x}); };
  auto square = [](Builder &b, ValueId x) { return b.op(Opcode::Square, {x}); };
  EXPECT_TRUE(conditionsOf(FORMULA(root(b, x))));
  EXPECT_FALSE(conditionsOf(FORMULA(root(b, square(b, x)))));
  EXPECT_TRUE(conditionsOf(FORMULA(b.op(Opcode::Div, {x, y}))));
  EXPECT_TRUE(conditionsOf(FORMULA(b.op(Opcode::Div, {x, square(b, y)}))));
  EXPECT_FALSE(
      conditionsOf(FORMULA(b.op(Opcode::Div, {x, b.op(Opcode::Exp, {y})}))));
}

/// Both have the same logarithms, but not where: x + (log x - log x) is
/// undefined elsewhere than x + (log t - log t), t the transpose of x.
TEST(FreeFunctions, WhereThingsAreInRangeIsNotTheSame) {
  auto add = [](bool isTransposed) {
    return make(
        [=](Builder &b, llvm::ArrayRef<ValueId> in) {
          ValueId of = in[0];
          if (isTransposed)
            of = b.transpose(of);
          ValueId log = b.op(Opcode::Log, {of});
          return b.op(Opcode::Add, {in[0], b.op(Opcode::Sub, {log, log})});
        },
        {2, 2});
  };
  Verdict verdict;
  verdict.lacksTrials = true;
  addFreeFunctions(add(false), add(true), {}, verdict);
  EXPECT_EQ(verdict.kind, Verdict::Equal) << toString(verdict);
  EXPECT_TRUE(verdict.whereBothDefined);
}

/// Degrees that overflow say nothing: 1/x squared again and again.
TEST(FreeFunctions, DegreesThatOverflowProveNothing) {
  Graph graph = make(
      [](Builder &b, llvm::ArrayRef<ValueId> in) {
        ValueId exp = b.op(Opcode::Exp, {in[0]});
        ValueId power = b.op(Opcode::Div, {in[0], exp});
        for (unsigned i = 0; i < 1100; ++i)
          power = b.op(Opcode::Square, {power});
        return b.op(Opcode::Add, {power, in[0]});
      },
      {1});
  EXPECT_EQ(Trial(graph, graph).arithmetic.getErrorLog2(), 0);
}

/// Each exponent is twice the one before, as two parts of it: there are more
/// and more factors, which come to an end.
TEST(FreeFunctions, ExponentialsComeToAnEnd) {
  Graph graph = make(
      [](Builder &b, llvm::ArrayRef<ValueId> in) {
        ValueId sum = in[0];
        for (unsigned i = 0; i < 40; ++i)
          sum = b.op(Opcode::Add,
                     {b.scale(sum, 0.3 + i), b.scale(sum, 0.7 + 2 * i)});
        return b.op(Opcode::Exp, {sum});
      },
      {1});
  EXPECT_TRUE(Trial(graph, graph).arithmetic.hasOverflowed());
}

/// Softmax of rows, joined tile by tile: which maximum is subtracted where is
/// no matter, and what no fresh maximum could show is shown.
TEST(FreeFunctions, ProveWhatMaximaHide) {
  auto largest = [](llvm::ArrayRef<int64_t> order) {
    return make(
        [&](Builder &b, llvm::ArrayRef<ValueId> in) {
          ValueId all = in[order[0]];
          for (int64_t next : order.drop_front())
            all = b.op(Opcode::Maximum, {all, in[next]});
          ValueId most = b.reduce(Opcode::Max, all, 1);
          return b.op(Opcode::Mul, {most, b.op(Opcode::Exp, {most})});
        },
        {3, 40});
  };
  Graph lhs = largest({0, 1, 2}), rhs = largest({2, 1, 0, 1});
  Verdict verdict;
  verdict.lacksTrials = true;
  addFreeFunctions(lhs, rhs, {}, verdict);
  EXPECT_EQ(verdict.kind, Verdict::Equal) << toString(verdict);
  EXPECT_TRUE(verdict.hasFreeFunctions && verdict.meetsBound());
  EXPECT_EQ(verdict.sizes, "3x40, 3x40, 3x40");
  EXPECT_FALSE(verdict.whereBothDefined);

  verdict = {};
  verdict.lacksTrials = true;
  addFreeFunctions(lhs, largest({0, 1}), {}, verdict);
  EXPECT_EQ(verdict.kind, Verdict::Unknown);
}

/// -x² - 1 has no root among numbers, so that there is nothing to be equal.
TEST(FreeFunctions, WhatIsNowhereDefinedIsNotEqual) {
  auto formula = [](bool isTwice) {
    return make([&](Builder &b, llvm::ArrayRef<ValueId> in) {
      Attributes one;
      one.scalars = {-1};
      ValueId square = b.scale(b.op(Opcode::Square, {in[0]}), -1);
      ValueId radicand = b.op(Opcode::Offset, {square}, one);
      ValueId root = b.op(Opcode::Sqrt, {radicand});
      return b.op(Opcode::Maximum,
                  {root, isTwice ? b.op(Opcode::Maximum, {root, root}) : root});
    });
  };
  Verdict verdict;
  verdict.lacksTrials = true;
  addFreeFunctions(formula(false), formula(true), {}, verdict);
  EXPECT_EQ(verdict.kind, Verdict::Unknown);
}

static const DrawNearMiss kKinds[] = {
    drawFormula,     drawPatternFormula,   drawNestedFormula,
    drawTinyProgram, drawRespelledProgram, drawTiledProgram,
    drawKernel};

/// Graphs that differ in float64 never agree, whatever the seed is.
TEST(FreeFunctions, NearMissesAreToldApart) {
  unsigned numPairs = isFullSize() ? 5000 : 300;
  for (auto [kind, draw] : llvm::enumerate(kKinds)) {
    RandomStream random(deriveSeed(Seed{}, "near misses", kind));
    for (unsigned number = 0; number < numPairs;) {
      std::optional<NearMiss> miss = draw(random);
      if (!miss)
        continue;
      Verdict verdict;
      verdict.lacksTrials = true;
      VerifyOptions options;
      options.seed = deriveSeed(Seed{}, "seed", number++);
      addFreeFunctions(miss->program, miss->mutant, options, verdict);
      EXPECT_EQ(verdict.kind, Verdict::Unknown)
          << toString(verdict) << "\n"
          << toString(miss->program) << toString(miss->mutant);
    }
  }
}

/// Over primes so small that values are equal by accident now and then.
TEST(FreeFunctions, FalseAgreementsStayUnderTheBound) {
  unsigned numPairs = isFullSize() ? 4000 : 400, kTrials = 64;
  FreeFunctionArithmetic::Fields fields = {WidePrimeField(43),
                                           WidePrimeField(47)};
  double allowed = 0;
  unsigned agreed = 0, claimed = 0;
  RandomStream random(hashToSeed("small primes"));
  for (unsigned number = 0; number < numPairs;) {
    std::optional<NearMiss> miss = drawPatternFormula(random);
    if (!miss)
      continue;
    Seed seed = deriveSeed(Seed{}, "pair", number++);
    unsigned agreedOfPair = 0;
    double allowedOfPair = 0;
    for (unsigned trial = 0; trial < kTrials; ++trial) {
      Trial made(miss->program, miss->mutant, deriveSeed(seed, "trial", trial),
                 fields);
      double bound = std::exp2(made.arithmetic.getErrorLog2());
      if (bound == 1)
        continue;
      allowedOfPair += bound;
      agreedOfPair += made.agrees;
    }
    // A difference that vanishes modulo a prime is not one of its inputs'.
    if (agreedOfPair == kTrials)
      continue;
    claimed += allowedOfPair > 0;
    allowed += allowedOfPair;
    agreed += agreedOfPair;
  }
  std::printf("  %u pairs, %u agreed, the bound allows %.0f\n", claimed, agreed,
              allowed);
  EXPECT_GT(claimed, numPairs / 4);
  EXPECT_LE(agreed, allowed);
}

/// Programs cut into tiles are the same whatever functions are.
TEST(FreeFunctions, ProveTiledPrograms) {
  unsigned numPairs = isFullSize() ? 1000 : 100, numProved = 0, numTried = 0;
  RandomStream random(hashToSeed("tiled programs"));
  while (numTried < numPairs) {
    Graph program = makeRandomProgram(random);
    std::optional<Graph> tiled = makeTiled(program);
    if (!tiled)
      continue;
    ++numTried;
    Verdict verdict;
    addFreeFunctions(expandComposed(program), expandComposed(*tiled), {},
                     verdict);
    numProved += verdict.kind == Verdict::Equal;
  }
  std::printf("  %u of %u proved\n", numProved, numTried);
  EXPECT_GE(numProved, numTried * 9 / 10);
}
