//===- ExactProofTest.cpp - Proofs by canonical forms ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Verify/ExactProof.h"
#include "DoubleArithmetic.h"
#include "Mirage/Graph/DefaultTileGraph.h"
#include "Mirage/Verify/VerdictJSON.h"
#include "Mutants.h"
#include "Programs.h"
#include "gtest/gtest.h"
#include <chrono>
#include <random>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

namespace {

ExactProof prove(const Graph &lhs, const Graph &rhs) {
  for (const Graph *graph : {&lhs, &rhs})
    if (llvm::Error error = verify(*graph))
      ADD_FAILURE() << llvm::toString(std::move(error)) << toString(*graph);
  auto start = std::chrono::steady_clock::now();
  ExactProof proof = proveEqual(lhs, rhs);
  double ms = std::chrono::duration<double, std::milli>(
                  std::chrono::steady_clock::now() - start)
                  .count();
  std::printf("  %s: %zu operations on terms, %.1f ms\n", proof.sizes.c_str(),
              proof.work, ms);
  return proof;
}

void expectProved(const Graph &lhs, const Graph &rhs) {
  ExactProof proof = prove(lhs, rhs);
  EXPECT_EQ(proof.outcome, ExactProof::Proved) << proof.reason;
  EXPECT_FALSE(proof.whereBothDefined);
}

void expectOpen(const Graph &lhs, const Graph &rhs) {
  ExactProof proof = prove(lhs, rhs);
  EXPECT_EQ(proof.outcome, ExactProof::Open) << proof.reason;
  EXPECT_FALSE(proof.reason.empty());
}

//===----------------------------------------------------------------------===//
// Fused kernels against programs as a user writes them
//===----------------------------------------------------------------------===//

TEST(ExactProof, FusedPrograms) {
  for (const FusedProgram &program : listFusedPrograms()) {
    SCOPED_TRACE(program.name);
    expectProved(program.plain, program.fused);
  }
}
TEST(ExactProof, OnlineSoftmax) {
  expectProved(attention(2, 6, 3, true), attentionOnline(2, 6, 3, 2));
  expectProved(attention(2, 7, 3, false), attentionOnline(2, 7, 3, 2));
  expectProved(attention(2, 9, 3, true), attentionOnline(2, 9, 3, 2, 2));
}
TEST(ExactProof, RootsInsideExponents) {
  expectProved(qkNorm(2, 3, 2), qkNormLate(2, 3, 2));
  expectProved(qkNorm(3, 16, 2), qkNormLate(3, 16, 2));
}

//===----------------------------------------------------------------------===//
// Graphs that are almost equal
//===----------------------------------------------------------------------===//

using V = ValueId;
using B = Builder;
using O = Opcode;

Graph over(llvm::function_ref<V(B &, V, V)> formula) {
  Graph graph;
  Builder b(graph);
  V x = b.input({3}), y = b.input({3});
  b.output(formula(b, x, y));
  return graph;
}

TEST(ExactProof, WhatIsNotALawIsOpen) {
  expectOpen(over([](B &b, V x, V) { return b.op(O::Relu, {b.scale(x, 2)}); }),
             over([](B &b, V x, V) { return b.scale(b.op(O::Relu, {x}), 2); }));
  expectOpen(
      over([](B &b, V x, V) { return b.op(O::Log, {b.op(O::Exp, {x})}); }),
      over([](B &b, V x, V) { return b.scale(x, 1); }));
  expectOpen(
      over([](B &b, V x, V) { return b.op(O::Sqrt, {b.op(O::Square, {x})}); }),
      over([](B &b, V x, V) { return b.scale(x, 1); }));
}

TEST(ExactProof, WhatIsDifferentIsOpen) {
  expectOpen(attention(2, 6, 3, false), qkNorm(2, 6, 3));
  // A rescaled sum whose parts are relative to another maximum.
  for (bool isRescaled : {true, false}) {
    TileGraph tiles;
    Builder b(tiles);
    tiles.loop = 2;
    V x = b.input({2, 2});
    tiles.tileInputs = {{{}, 1}};
    V m = b.reduce(O::Max, x, 1);
    V e = b.op(O::Exp, {b.op(O::Sub, {x, m})});
    V sum =
        isRescaled ? b.rescaledSum(e, m, {1}) : b.accumulate(e, O::Sum, {1});
    V largest = b.accumulate(m, O::Max);
    b.output(b.op(O::Mul, {sum, b.op(O::Exp, {largest})}));
    tiles.tileOutputs = {{{}}};
    Graph fused = wrap(tiles, {{2, 4}}, {{2, 1}});
    Graph plain;
    Builder p(plain);
    V e0 = p.op(O::Exp, {p.input({2, 4})});
    p.output(p.reduce(O::Sum, e0, 1));
    isRescaled ? expectProved(plain, fused) : expectOpen(plain, fused);
  }
}

TEST(ExactProof, OtherRangesAreSaid) {
  auto quotient = [](B &b, V x, V y) {
    return b.op(O::Div, {b.op(O::Mul, {x, y}), y});
  };
  auto same = [](B &b, V x, V) { return b.scale(x, 1); };
  ExactProof proof = prove(over(quotient), over(same));
  EXPECT_EQ(proof.outcome, ExactProof::Proved);
  EXPECT_TRUE(proof.whereBothDefined);
  auto positive = [](B &b, V x, V y) {
    V e = b.op(O::Exp, {y});
    return b.op(O::Div, {b.op(O::Mul, {x, e}), e});
  };
  expectProved(over(positive), over(same));
}

TEST(ExactProof, NowhereDefinedIsOpen) {
  auto zero = [](B &b, V x, V y) {
    return b.op(O::Div, {y, b.op(O::Sub, {x, x})});
  };
  ExactProof proof = prove(over(zero), over(zero));
  EXPECT_EQ(proof.outcome, ExactProof::Open);
  EXPECT_NE(proof.reason.find("nowhere defined"), std::string::npos);
}

/// A denominator that is zero by a law that the algebra does not have.
TEST(ExactProof, HiddenZeroDenominatorsAreOpen) {
  auto quotient = [](double factor) {
    return over([=](B &b, V x, V y) {
      V zero = b.op(O::Sub, {b.op(O::Relu, {b.scale(x, 2)}),
                             b.scale(b.op(O::Relu, {x}), 2)});
      return b.op(O::Div, {b.scale(y, factor), b.scale(zero, factor)});
    });
  };
  ExactProof proof = prove(quotient(1), quotient(3));
  EXPECT_EQ(proof.outcome, ExactProof::Open);
  EXPECT_NE(proof.reason.find("no float64 input"), std::string::npos)
      << proof.reason;
}

/// Roots of one sign or the other, and of differences.
TEST(ExactProof, RangesAreFound) {
  for (double sign : {1.0, -1.0}) {
    auto root = [=](bool isSplit) {
      return over([=](B &b, V x, V y) {
        V left = b.scale(x, sign), right = b.scale(y, -sign);
        return isSplit ? b.op(O::Mul,
                              {b.op(O::Sqrt, {left}), b.op(O::Sqrt, {right})})
                       : b.op(O::Sqrt, {b.op(O::Mul, {right, left})});
      });
    };
    ExactProof proof = prove(root(true), root(false));
    EXPECT_EQ(proof.outcome, ExactProof::Proved) << proof.reason;
    EXPECT_TRUE(proof.whereBothDefined);
  }
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

TEST(ExactProof, LimitsAreKept) {
  exact::Limits limits;
  limits.maxWork = 1000;
  Graph lhs = gatedMlp(2, 6, 4), rhs = gatedMlpFused(2, 6, 4, 2, 2);
  ExactProof proof = proveEqual(lhs, rhs, limits);
  EXPECT_EQ(proof.outcome, ExactProof::TooLarge);
  EXPECT_NE(proof.reason.find("1000"), std::string::npos) << proof.reason;
  Graph huge = gatedMlp(4096, 4096, 14336);
  EXPECT_EQ(proveEqual(huge, huge).outcome, ExactProof::TooLarge);
}

TEST(ExactProof, LargeGraphsAreProvedAtSmallerSizes) {
  Graph lhs = gatedMlp(64, 4096, 512),
        rhs = gatedMlpFused(64, 4096, 512, 64, 64);
  ExactProof proof = proveEqualAtSmallerSizes(lhs, rhs);
  EXPECT_EQ(proof.outcome, ExactProof::Proved) << proof.reason;
  VerifyOptions options;
  options.wantsExactProof = true;
  Verdict verdict = llvm::cantFail(verifyEqual(lhs, rhs, options));
  EXPECT_EQ(verdict.kind, Verdict::Equal);
  ASSERT_TRUE(verdict.exactProof);
  EXPECT_EQ(verdict.exactProof->sizes, proof.sizes);
}

//===----------------------------------------------------------------------===//
// Verdicts
//===----------------------------------------------------------------------===//

Verdict judgeExactly(const Graph &lhs, const Graph &rhs) {
  VerifyOptions options;
  options.findWitness = test::findWitness;
  options.wantsExactProof = true;
  return llvm::cantFail(verifyEqual(lhs, rhs, options));
}

TEST(ExactVerdict, WithoutAProofTrialsDoNotCount) {
  // It holds in every order, and is none of the algebra's laws.
  auto lhs = over([](B &b, V x, V y) {
    return b.op(O::Add, {b.op(O::Maximum, {x, y}), b.op(O::Minimum, {x, y})});
  });
  auto rhs = over([](B &b, V x, V y) { return b.op(O::Add, {x, y}); });
  VerifyOptions options;
  EXPECT_EQ(llvm::cantFail(verifyEqual(lhs, rhs, options)).kind,
            Verdict::Equal);
  Verdict verdict = judgeExactly(lhs, rhs);
  EXPECT_EQ(verdict.kind, Verdict::Unknown);
  EXPECT_NE(verdict.reason.find("trials alone: equal"), std::string::npos)
      << verdict.reason;
}

TEST(ExactVerdict, AProofAtTheirOwnSizesNeedsNoTrials) {
  // No field says that √4 is 2.
  auto lhs = over([](B &b, V x, V) { return b.op(O::Sqrt, {b.scale(x, 4)}); });
  auto rhs = over([](B &b, V x, V) { return b.scale(b.op(O::Sqrt, {x}), 2); });
  VerifyOptions options;
  EXPECT_EQ(llvm::cantFail(verifyEqual(lhs, rhs, options)).kind,
            Verdict::Unknown);
  Verdict verdict = judgeExactly(lhs, rhs);
  EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
  EXPECT_FALSE(verdict.meetsBound());
  EXPECT_NE(toString(verdict).find("proved exactly at 3, 3"), std::string::npos)
      << toString(verdict);
}

/// A softmax without its denominator.
Graph exponentials() {
  Graph graph;
  Builder b(graph);
  b.output(b.op(O::Exp, {b.input({3, 3})}));
  return graph;
}

TEST(ExactVerdict, DifferentHasAWitness) {
  Verdict verdict = judgeExactly(lora(2, 6, 4, 3), loraFused(2, 6, 4, 3, 2, 2));
  EXPECT_EQ(verdict.kind, Verdict::Equal);
  verdict = judgeExactly(softmax(3, 3, false), exponentials());
  EXPECT_EQ(verdict.kind, Verdict::Different);
  EXPECT_TRUE(verdict.witness);
  EXPECT_EQ(verdict.exactProof->outcome, ExactProof::Open);
}

} // namespace
