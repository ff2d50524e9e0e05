//===- VerifyTest.cpp - Verdicts on pairs of graphs -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Verify/Verify.h"
#include "DoubleArithmetic.h"
#include "JudgeGraphs.h"
#include "Mirage/Graph/DefaultTileGraph.h"
#include "Programs.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

/// Equal, and proved to 2^-64.
static void expectProved(const Graph &lhs, const Graph &rhs) {
  Verdict verdict = judge(lhs, rhs);
  EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
  EXPECT_LE(verdict.bound.provedLog2, -64);
  EXPECT_LE(verdict.bound.conjecturedLog2, verdict.bound.provedLog2);
  std::printf("  proved 2^%.1f, conjectured 2^%.1f, %u trials, %u towers\n",
              verdict.bound.provedLog2, verdict.bound.conjecturedLog2,
              verdict.bound.trials, verdict.bound.towers);
}

TEST(Verify, FusedPrograms) {
  for (const FusedProgram &program : listFusedPrograms()) {
    SCOPED_TRACE(program.name);
    expectProved(program.plain, program.fused);
  }
}
TEST(Verify, RootsInsideExponents) {
  expectProved(qkNorm(2, 3, 2), qkNormLate(2, 3, 2));
}

//===----------------------------------------------------------------------===//
// Laws, and what fields cannot decide
//===----------------------------------------------------------------------===//

namespace {
/// A graph over two inputs of three elements.
Graph over(llvm::function_ref<ValueId(Builder &, ValueId, ValueId)> formula) {
  Graph graph;
  Builder b(graph);
  ValueId x = b.input({3}), y = b.input({3});
  b.output(formula(b, x, y));
  return graph;
}
Verdict
judgeFormulas(llvm::function_ref<ValueId(Builder &, ValueId, ValueId)> lhs,
              llvm::function_ref<ValueId(Builder &, ValueId, ValueId)> rhs) {
  VerifyOptions options;
  options.findWitness = test::findWitness;
  options.maxTowers = 64;
  return judge(over(lhs), over(rhs), options);
}
using V = ValueId;
using B = Builder;
using O = Opcode;
} // namespace

TEST(Verify, LawsThatHold) {
  auto expectEqual = [](auto lhs, auto rhs) {
    Verdict verdict = judgeFormulas(lhs, rhs);
    EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
  };
  expectEqual(
      [](B &b, V x, V y) { return b.op(O::Exp, {b.op(O::Add, {x, y})}); },
      [](B &b, V x, V y) {
        return b.op(O::Mul, {b.op(O::Exp, {x}), b.op(O::Exp, {y})});
      });
  expectEqual([](B &b, V x, V) { return b.op(O::Exp, {x}); },
              [](B &b, V x, V) {
                return b.op(O::Exp2, {b.scale(x, 1.44269504088896340736f)});
              });
  expectEqual([](B &b, V x, V) { return b.op(O::Sqrt, {b.op(O::Exp, {x})}); },
              [](B &b, V x, V) { return b.op(O::Exp, {b.scale(x, 0.5)}); });
  expectEqual(
      [](B &b, V x, V) { return b.op(O::Sqrt, {b.op(O::Square, {x})}); },
      [](B &b, V x, V) { return b.op(O::Abs, {x}); });
  expectEqual(
      [](B &b, V x, V y) {
        return b.op(O::Sqrt,
                    {b.op(O::Mul, {b.op(O::Square, {x}), b.op(O::Exp, {y})})});
      },
      [](B &b, V x, V y) {
        return b.op(O::Mul,
                    {b.op(O::Abs, {x}), b.op(O::Sqrt, {b.op(O::Exp, {y})})});
      });
  expectEqual(
      [](B &b, V x, V) { return b.op(O::Rsqrt, {x}); },
      [](B &b, V x, V) { return b.op(O::Div, {b.op(O::Sqrt, {x}), x}); });
  // Three exponentials, one in the other.
  auto tower = [](B &b, V x) {
    return b.op(O::Exp, {b.op(O::Exp, {b.op(O::Exp, {x})})});
  };
  expectEqual([&](B &b, V x, V) { return tower(b, b.op(O::Add, {x, x})); },
              [&](B &b, V x, V) { return tower(b, b.scale(x, 2)); });
  expectEqual(
      [](B &b, V x, V y) {
        return b.op(O::Add,
                    {b.op(O::Maximum, {x, y}), b.op(O::Minimum, {x, y})});
      },
      [](B &b, V x, V y) { return b.op(O::Add, {x, y}); });
}

TEST(Verify, SquareOfRootIsEqualWhereBothAreDefined) {
  Verdict verdict = judgeFormulas(
      [](B &b, V x, V) { return b.op(O::Square, {b.op(O::Sqrt, {x})}); },
      [](B &, V x, V) { return x; });
  EXPECT_EQ(verdict.kind, Verdict::Equal);
  EXPECT_TRUE(verdict.whereBothDefined);
  EXPECT_FALSE(judge(rmsLinear(2, 3, 2), rmsLinear(2, 3, 2)).whereBothDefined);
}

TEST(Verify, DifferentHasAWitness) {
  auto expectDifferent = [](auto lhs, auto rhs) {
    Verdict verdict = judgeFormulas(lhs, rhs);
    EXPECT_EQ(verdict.kind, Verdict::Different) << verdict.reason;
    EXPECT_TRUE(verdict.witness.has_value());
  };
  auto root = [](B &b, V x) { return b.op(O::Sqrt, {b.op(O::Square, {x})}); };
  expectDifferent([&](B &b, V x, V) { return root(b, x); },
                  [](B &, V x, V) { return x; });
  expectDifferent([&](B &b, V x, V) { return root(b, b.op(O::Relu, {x})); },
                  [&](B &b, V x, V) { return root(b, x); });
  expectDifferent([](B &b, V x, V) { return b.op(O::Relu, {x}); },
                  [](B &, V x, V) { return x; });
  expectDifferent([](B &b, V x, V) { return b.scale(x, 0.1); },
                  [](B &b, V x, V) { return b.scale(x, 0.1 + 0x1p-20); });
}

TEST(Verify, WhatNeedsALawThatFieldsLackIsUnknown) {
  auto expectUnknown = [](auto lhs, auto rhs, llvm::StringRef reason) {
    Verdict verdict = judgeFormulas(lhs, rhs);
    EXPECT_EQ(verdict.kind, Verdict::Unknown) << verdict.reason;
    EXPECT_TRUE(llvm::StringRef(verdict.reason).contains(reason))
        << verdict.reason;
  };
  expectUnknown([](B &b, V x, V) { return b.op(O::Relu, {b.scale(x, 2)}); },
                [](B &b, V x, V) { return b.scale(b.op(O::Relu, {x}), 2); },
                "needs a law");
  expectUnknown([](B &b, V x, V) { return b.op(O::Log, {b.op(O::Exp, {x})}); },
                [](B &, V x, V) { return x; }, "needs a law");
  expectUnknown([](B &b, V x,
                   V y) { return b.op(O::Add, {b.op(O::Maximum, {x, y}), y}); },
                [](B &b, V x, V y) {
                  return b.op(O::Maximum,
                              {b.op(O::Add, {x, y}), b.op(O::Add, {y, y})});
                },
                "needs a law");
  expectUnknown(
      [](B &b, V x, V) {
        V r = b.op(O::Relu, {x});
        return b.op(O::Div, {b.op(O::Mul, {x, r}), r});
      },
      [](B &, V x, V) { return x; },
      "undefined in one graph alone, by a zero denominator");
  auto deep = [](B &b, V x, V) {
    for (int i = 0; i < 4; ++i)
      x = b.op(O::Exp, {x});
    return x;
  };
  expectUnknown(
      deep,
      [&](B &b, V x, V) {
        return b.op(O::Neg, {b.op(O::Neg, {deep(b, x, x)})});
      },
      "at most 3 nested exponentials, got 4");
}

/// The roots of all rows, which have y in common, exist at once in one trial of
/// 2^64.
TEST(Verify, WhatHasNoTrialsMayBeProvedBySymbols) {
  auto make = [](bool takesRoots, double scale) {
    Graph graph;
    B b(graph);
    V x = b.input({64, 3}), y = b.input({1, 1});
    V squares = b.op(O::Add, {b.reduce(O::Sum, b.op(O::Square, {x}), 1),
                              b.op(O::Square, {y})});
    if (takesRoots)
      squares = b.op(O::Square, {b.op(O::Sqrt, {squares})});
    b.output(b.reduce(O::Sum, b.scale(squares, scale), 0));
    return graph;
  };
  Verdict verdict = judge(make(false, 3), make(true, 3));
  EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
  EXPECT_TRUE(verdict.meetsBound());
  EXPECT_FALSE(verdict.whereBothDefined); // no square is negative
  EXPECT_TRUE(verdict.hasFreeFunctions);
  EXPECT_NE(judge(make(false, 3), make(true, 2)).kind, Verdict::Equal);
}

TEST(Verify, WhatNoFieldFollowsEqualsItself) {
  auto deep = [](B &b, V x, V) {
    for (int i = 0; i < 4; ++i)
      x = b.op(O::Exp, {x});
    return x;
  };
  Verdict verdict = judgeFormulas(deep, deep);
  EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
  EXPECT_TRUE(verdict.isSameGraph);
  EXPECT_TRUE(verdict.meetsBound());
}

//===----------------------------------------------------------------------===//
// What a tower decides for all its trials
//===----------------------------------------------------------------------===//

namespace {
/// Constants of three elements: 0·x + value.
V constantOf(B &b, V x, double value) {
  Attributes attributes;
  attributes.scalars = {value};
  return b.op(O::Offset, {b.scale(x, 0)}, attributes);
}
V shift(B &b, V x, double value) {
  Attributes attributes;
  attributes.scalars = {value};
  return b.op(O::Offset, {x}, attributes);
}
} // namespace

/// Over some primes all trials agree on pairs that differ; nothing is proved by
/// that, whatever the prime.
static void
expectFalseAcceptsWithoutProof(llvm::function_ref<V(B &, V, V)> lhs,
                               llvm::function_ref<V(B &, V, V)> rhs) {
  unsigned numAccepts = 0;
  for (uint32_t prime : {1073741827u, 1073741831u, 1073741839u, 1073741843u,
                         1073741891u, 1073741939u, 1073742223u, 1073742343u}) {
    VerifyOptions options;
    options.primes = {prime};
    options.maxTowers = 8;
    options.errorBoundBits = 4;
    Verdict verdict = judge(over(lhs), over(rhs), options);
    if (verdict.kind != Verdict::Equal)
      continue;
    ++numAccepts;
    EXPECT_EQ(verdict.bound.provedLog2, 0) << prime;
    EXPECT_TRUE(llvm::StringRef(verdict.whyWeaker)
                    .contains("were not seen to be independent"))
        << verdict.whyWeaker;
  }
  EXPECT_GT(numAccepts, 0u);
}

TEST(Verify, SignsThatATowerFixesProveNothing) {
  // χ(2x) = χ(2)·χ(x), and χ(2) is the tower's.
  expectFalseAcceptsWithoutProof(
      [](B &b, V x, V) { return b.op(O::Abs, {b.scale(x, 2)}); },
      [](B &b, V x, V) { return b.scale(b.op(O::Abs, {x}), -2); });
  // sqrt(2·sqrt 2 + 3) = sqrt 2 + 1, in half of the towers up to its sign.
  expectFalseAcceptsWithoutProof(
      [](B &b, V x, V) {
        V root = b.op(O::Sqrt, {constantOf(b, x, 2)});
        return b.op(O::Sqrt, {shift(b, b.scale(root, 2), 3)});
      },
      [](B &b, V x, V) {
        V root = b.op(O::Sqrt, {constantOf(b, x, 2)});
        return b.scale(shift(b, root, 1), -1);
      });
  // A product that is 2 times a square, of three.
  expectFalseAcceptsWithoutProof(
      [](B &b, V x, V y) {
        return b.op(O::Abs, {b.scale(b.op(O::Mul, {x, y}), 2)});
      },
      [](B &b, V x, V y) {
        V product = b.op(O::Mul, {b.op(O::Abs, {x}), b.op(O::Abs, {y})});
        return b.scale(product, -2);
      });
}

/// That sqrt(2x) exists makes χ(x) what χ(2) is.
TEST(Verify, SignsMustBeFreeOfOtherElementsRoots) {
  auto graph = [](bool takesAbs) {
    Graph graph;
    Builder b(graph);
    V x = b.input({1});
    b.output(takesAbs ? b.op(O::Abs, {x}) : b.scale(x, -1));
    b.output(b.op(O::Sqrt, {b.scale(x, 2)}));
    return graph;
  };
  VerifyOptions options;
  options.primes = {1073741827}; // of which 2 is no square
  options.maxTowers = 8;
  Verdict verdict = judge(graph(true), graph(false), options);
  EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
  EXPECT_EQ(verdict.bound.provedLog2, 0);
}

/// exp(q·x) = 1 over a tower of p and q. A pattern in which relu picks zero
/// proves that up to its own chance; one in which it picks x, nothing.
TEST(Verify, PicksInExponentsProveWhatTheWorstOfThemProves) {
  auto graph = [](double factor) {
    return over([factor](B &b, V x, V) {
      return b.op(O::Exp, {b.scale(b.op(O::Relu, {x}), factor)});
    });
  };
  VerifyOptions options;
  options.primes = {1073742623, 536871311};
  options.maxTowers = 256;
  Verdict verdict = judge(graph(1), graph(536871312), options);
  EXPECT_FALSE(verdict.disagreement);
  EXPECT_EQ(verdict.kind, Verdict::Unknown);
  EXPECT_EQ(verdict.bound.provedLog2, 0);
}

TEST(Verify, FreeSignsAreProved) {
  expectProved(
      over([](B &b, V x, V y) {
        V sum = b.op(O::Add, {b.op(O::Abs, {x}), b.op(O::Abs, {y})});
        return b.op(O::Square, {sum});
      }),
      over([](B &b, V x, V y) {
        V left = b.op(O::Abs, {x}), right = b.op(O::Abs, {y});
        V squares = b.op(O::Add, {b.op(O::Square, {x}), b.op(O::Square, {y})});
        return b.op(O::Add, {squares, b.scale(b.op(O::Mul, {left, right}), 2)});
      }));
}

TEST(Verify, ClampWithoutUpperLimitIsAValue) {
  auto clamp = [](double low, double factor) {
    return over([=](B &b, V x, V) {
      Attributes attributes;
      attributes.scalars = {low, HUGE_VAL};
      return b.scale(b.op(O::Clamp, {x}, attributes), factor);
    });
  };
  expectProved(clamp(-1, 2), clamp(-1, 2));
  VerifyOptions options;
  options.findWitness = test::findWitness;
  EXPECT_EQ(judge(clamp(-1, 2), clamp(-1, 3), options).kind,
            Verdict::Different);
  EXPECT_EQ(judge(clamp(-1, 2), clamp(1, 2), options).kind, Verdict::Different);
}

/// As exp(-inf): ln 2 and log2 e, by which it is defined, are positive.
TEST(Verify, PowersOfTwoOfMinusInfinityAreZero) {
  auto masked = [](bool scalesFirst, int64_t offset, bool byLog2E) {
    Graph graph;
    Builder b(graph);
    Attributes mask;
    mask.offset = offset;
    double factor = byLog2E ? 1.0 / M_LN2 : 0.5;
    V x = b.input({3, 4});
    V scaled = scalesFirst ? b.op(O::CausalMask, {b.scale(x, factor)}, mask)
                           : b.scale(b.op(O::CausalMask, {x}, mask), factor);
    b.output(b.op(O::Exp2, {scaled}));
    return graph;
  };
  for (bool byLog2E : {false, true}) {
    expectProved(masked(true, 0, byLog2E), masked(false, 0, byLog2E));
    // Where no trial counts, pieces without masks may.
    EXPECT_EQ(judge(masked(true, 0, byLog2E), masked(false, 0, byLog2E)).pieces,
              0u);
    EXPECT_NE(judge(masked(true, 0, byLog2E), masked(false, 1, byLog2E)).kind,
              Verdict::Equal);
  }
}

/// A kernel of one block, over an input of 2x5. \param compute  given the
/// block's operations, the input and a mask that shows three columns and puts
/// `value` in the place of the others.
static Graph
overMasked(double value,
           llvm::function_ref<V(B &, V, const Attributes &)> compute) {
  TileGraph tiles;
  Builder b(tiles);
  V x = b.input({2, 5});
  tiles.tileInputs = {{{}, kReplicated}};
  Attributes mask;
  mask.dims = {1};
  mask.extent = 3;
  mask.scalars = {value};
  b.output(compute(b, x, mask));
  tiles.tileOutputs = {{{}}};
  return wrap(tiles, {{2, 5}}, {{2, 5}});
}

TEST(Verify, MinusInfinityIsAValue) {
  // A masked softmax over tiles that reach beyond the row: exp(-inf) is 0.
  auto normalize = [](B &b, V e) {
    return b.op(O::Div, {e, b.reduce(O::Sum, e, 1)});
  };
  expectProved(overMasked(-HUGE_VAL,
                          [&](B &b, V x, const Attributes &mask) {
                            V masked = b.op(O::Mask, {b.scale(x, 3)}, mask);
                            return normalize(
                                b, b.op(O::Exp, {b.scale(masked, 0.5)}));
                          }),
               overMasked(0, [&](B &b, V x, const Attributes &mask) {
                 V e = b.op(O::Exp, {b.scale(x, 1.5)});
                 return normalize(b, b.op(O::Mask, {e}, mask));
               }));
}

/// What masks put in stands for ln 2 as literals do, and is as little another
/// rounding of it.
TEST(Verify, RoundingsThatMasksPutInAreNotTakenAsOne) {
  auto masked = [](double value) {
    return overMasked(value, [](B &b, V x, const Attributes &mask) {
      return b.op(O::Mask, {x}, mask);
    });
  };
  expectProved(masked(M_LN2), masked(M_LN2));
  EXPECT_EQ(judge(masked(M_LN2), masked(float(M_LN2))).kind, Verdict::Unknown);
}

TEST(Verify, InterfacesMustMatch) {
  auto message = [](const Graph &lhs, const Graph &rhs) {
    llvm::Expected<Verdict> verdict = verifyEqual(lhs, rhs, {});
    return verdict ? std::string() : llvm::toString(verdict.takeError());
  };
  EXPECT_EQ(message(rmsLinear(2, 3, 4), rmsLinear(2, 5, 4)),
            "expects input 0 to have one shape in both graphs, got [2, 3] and "
            "[2, 5]");
  EXPECT_EQ(message(rmsLinear(2, 3, 4), gatedMlp(2, 3, 4)),
            "expects graphs with as many inputs, got 2 and 3");
}

TEST(Verify, DefaultBlockGraphs) {
  Graph program = gatedMlp(3, 70, 33);
  Graph lowered;
  std::vector<ValueId> values;
  for (unsigned i = 0; i < program.getNumInputs(); ++i)
    lowered.addInput(program.getType(i));
  for (const Node &operation : program.getNodes()) {
    llvm::Expected<TileGraph> tiles =
        buildDefaultTileGraph(program, operation, 227 * 1024);
    ASSERT_TRUE(!!tiles) << llvm::toString(tiles.takeError());
    lowered.addGraph(operation.operands,
                     std::make_shared<TileGraph>(std::move(*tiles)),
                     program.getTypes(operation.results));
  }
  lowered.addOutput(program.getOutputs()[0]);
  expectProved(program, lowered);
}

/// Float64 numbers with their errors take more than field elements do.
TEST(Verify, WitnessesThatDoNotFitAreNotLookedFor) {
  Graph program = over([](B &b, V x, V y) { return b.op(O::Mul, {x, y}); });
  Graph other = over([](B &b, V x, V y) { return b.op(O::Add, {x, y}); });
  VerifyOptions options;
  options.findWitness = test::findWitness;
  EXPECT_EQ(judge(program, other, options).kind, Verdict::Different);
  options.maxBytes = estimateTrialBytes(program, other);
  Verdict verdict = judge(program, other, options);
  EXPECT_EQ(verdict.kind, Verdict::Unknown);
  EXPECT_TRUE(verdict.disagreement.has_value());
  EXPECT_NE(verdict.reason.find("no float64 input was tried, which may take"),
            std::string::npos)
      << verdict.reason;
}

TEST(Verify, WorkEndsTheTrials) {
  VerifyOptions options;
  options.errorBoundBits = 100000;
  options.maxWork = 1;
  options.minTowers = 60;
  Verdict verdict = judge(softmaxOfProducts(2, 3, true),
                          softmaxOfProducts(2, 3, false), options);
  EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
  EXPECT_EQ(verdict.bound.towers, options.minTowers);
  EXPECT_TRUE(llvm::StringRef(verdict.whyWeaker)
                  .ends_with("; more trials would take too long"))
      << verdict.whyWeaker;
}

TEST(Verify, CancelledTrialsAreUnknown) {
  unsigned numAsked = 0;
  VerifyOptions options;
  options.isCancelled = [&] { return ++numAsked > 2; };
  Verdict verdict = judge(softmaxOfProducts(2, 3, true),
                          softmaxOfProducts(2, 3, false), options);
  EXPECT_EQ(verdict.kind, Verdict::Unknown);
  EXPECT_TRUE(verdict.isCancelled);
  EXPECT_EQ(numAsked, 3u);
  EXPECT_EQ(verdict.bound.provedLog2, 0);
  // What had its trials is not.
  numAsked = 0;
  options.minTowers = 20;
  options.isCancelled = [&] { return ++numAsked > options.minTowers; };
  options.errorBoundBits = 1;
  verdict = judge(softmaxOfProducts(2, 3, true), softmaxOfProducts(2, 3, false),
                  options);
  EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
  EXPECT_FALSE(verdict.isCancelled);
  EXPECT_EQ(numAsked, options.minTowers);
}

/// A maximum over m values inside the exponents leaves 1 - 1/m! of a batch, as
/// whatever else is of the order of 2^-25; that batches end where they are
/// enough costs 1 + 17/m!.
TEST(Verify, MaximaInExponentsBoundEveryBatch) {
  Verdict verdict =
      judge(softmaxOfProducts(2, 4, true), softmaxOfProducts(2, 4, false));
  EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
  EXPECT_TRUE(verdict.meetsBound());
  EXPECT_NEAR(verdict.bound.provedLog2,
              verdict.bound.towers * std::log2(1 - 1.0 / 24) +
                  std::log2(1 + 17.0 / 24),
              1e-3);
  EXPECT_EQ(verdict.bound.provedLog2, verdict.bound.conjecturedLog2);
}

TEST(Verify, WeakBoundsSayWhy) {
  VerifyOptions options;
  options.maxTowers = 60;
  Verdict verdict = judge(softmaxOfProducts(2, 3, true),
                          softmaxOfProducts(2, 3, false), options);
  EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
  EXPECT_FALSE(verdict.meetsBound());
  EXPECT_LT(verdict.bound.provedLog2, -10);
  EXPECT_TRUE(llvm::StringRef(verdict.whyWeaker)
                  .contains("over 3 values inside an exponent picks but once"))
      << verdict.whyWeaker;
  EXPECT_TRUE(llvm::StringRef(verdict.whyWeaker)
                  .ends_with("; no more trials were allowed"))
      << verdict.whyWeaker;
}

/// One batch in 24 picks what a difference may need: that 40 agree is no proof,
/// but for who asks for a bit.
TEST(Verify, NextToNothingIsNotProved) {
  VerifyOptions options;
  options.maxTowers = 40;
  Verdict verdict = judge(softmaxOfProducts(2, 4, true),
                          softmaxOfProducts(2, 4, false), options);
  EXPECT_EQ(verdict.kind, Verdict::Unknown);
  EXPECT_TRUE(llvm::StringRef(verdict.reason)
                  .contains("over 4 values inside an exponent picks but once"))
      << verdict.reason;
  options.errorBoundBits = 1;
  verdict = judge(softmaxOfProducts(2, 4, true), softmaxOfProducts(2, 4, false),
                  options);
  EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
  EXPECT_TRUE(verdict.meetsBound());
}

TEST(Verify, SameSeedSameVerdict) {
  Verdict a =
      judge(softmaxOfProducts(2, 3, true), softmaxOfProducts(2, 3, false));
  Verdict b =
      judge(softmaxOfProducts(2, 3, true), softmaxOfProducts(2, 3, false));
  EXPECT_EQ(a.bound.provedLog2, b.bound.provedLog2);
  EXPECT_EQ(a.bound.trials, b.bound.trials);
}
