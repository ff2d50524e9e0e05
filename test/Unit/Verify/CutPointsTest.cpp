//===- CutPointsTest.cpp - Two graphs, cut where they agree ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CutPoints.h"
#include "Mirage/Graph/ComposedOperators.h"
#include "Mirage/Verify/VerdictJSON.h"
#include "Mirage/Verify/Verify.h"
#include "Programs.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

static constexpr int64_t kRows = 4, kColumns = 6;

/// Linear layers one after the other, each with a norm before.
/// \param getLayer  by number.
static Graph chain(unsigned numLayers,
                   llvm::function_ref<Graph(unsigned)> getLayer) {
  Graph graph;
  Builder b(graph);
  ValueId x = b.input({kRows, kColumns});
  llvm::SmallVector<ValueId> weights;
  for (unsigned layer = 0; layer < numLayers; ++layer)
    weights.push_back(b.input({kColumns, kColumns}));
  for (unsigned layer = 0; layer < numLayers; ++layer)
    x = inlineGraph(getLayer(layer), {x, weights[layer]}, graph)[0];
  b.output(x);
  return expandComposed(graph);
}

static Graph makeProgram(unsigned numLayers) {
  return chain(numLayers,
               [](unsigned) { return rmsLinear(kRows, kColumns, kColumns); });
}

/// \param transposed  the layer whose weights are transposed, if any.
static Graph makeResult(unsigned numLayers, unsigned transposed = ~0u) {
  return chain(numLayers, [&](unsigned layer) {
    Graph fused = rmsLinearFused(kRows, kColumns, kColumns, 3, 2);
    Graph graph;
    Builder b(graph);
    ValueId x = b.input({kRows, kColumns}), w = b.input({kColumns, kColumns});
    if (layer == transposed)
      w = b.transpose(w);
    b.output(inlineGraph(fused, {x, w}, graph)[0]);
    return graph;
  });
}

/// The roots of 8 layers of 4 rows exist at once in one trial of 2^32.
TEST(CutPoints, ProveWhatHasNoTrialsAsAWhole) {
  VerifyOptions options;
  Graph program = makeProgram(8), result = makeResult(8);
  Verdict verdict = llvm::cantFail(verifyEqual(program, result, options));
  EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
  EXPECT_TRUE(verdict.meetsBound()) << toString(verdict);
  EXPECT_EQ(verdict.pieces, 8u) << toString(verdict);
  EXPECT_GT(verdict.bound.trials, 0u);
}

/// Whenever it happens: pieces that were cancelled might have proved it.
TEST(CutPoints, WhatIsCancelledSaysSo) {
  Graph program = makeProgram(8), result = makeResult(8);
  VerifyOptions options;
  unsigned numAsked = 0, numAllowed = ~0u;
  options.isCancelled = [&] { return ++numAsked > numAllowed; };
  llvm::cantFail(verifyEqual(program, result, options));
  unsigned numAskedAtAll = numAsked;
  ASSERT_GT(numAskedAtAll, 8u);
  for (numAllowed = 0; numAllowed < numAskedAtAll; ++numAllowed) {
    numAsked = 0;
    Verdict verdict = llvm::cantFail(verifyEqual(program, result, options));
    EXPECT_TRUE(verdict.isCancelled || verdict.meetsBound()) << numAllowed;
    EXPECT_EQ(verdict.isCancelled, verdict.kind == Verdict::Unknown)
        << numAllowed << ": " << verdict.reason;
  }
}

TEST(CutPoints, AreOfNoUseForWhatDiffers) {
  for (unsigned wrong : {0u, 2u, 4u}) {
    Verdict verdict =
        llvm::cantFail(verifyEqual(makeProgram(5), makeResult(5, wrong), {}));
    EXPECT_NE(verdict.kind, Verdict::Equal) << wrong;
    EXPECT_EQ(verdict.pieces, 0u);
  }
}

/// Each piece reads the one before and the weights, and nothing else.
TEST(CutPoints, PiecesReadCutPoints) {
  unsigned numPieces = 0;
  auto areEqual = [&](const Graph &lhs, const Graph &rhs) {
    EXPECT_FALSE(bool(verify(lhs)) || bool(verify(rhs)));
    EXPECT_EQ(lhs.getNumInputs(), 2u);
    EXPECT_EQ(rhs.getNumInputs(), 2u);
    EXPECT_EQ(rhs.getNodes().size(), 1u);
    ++numPieces;
    return true;
  };
  EXPECT_TRUE(proveInPieces(makeProgram(3), makeResult(3), {}, 1e9, areEqual));
  EXPECT_EQ(numPieces, 3u);
}

/// What is denied is part of the pieces that follow; with nothing left to cut
/// at, the whole is not asked about.
TEST(CutPoints, WhatIsDeniedIsNone) {
  unsigned numPieces = 0;
  size_t numInputs = 0;
  auto deniesFirst = [&](const Graph &lhs, const Graph &) {
    numInputs = std::max<size_t>(numInputs, lhs.getNumInputs());
    return ++numPieces > 1;
  };
  EXPECT_TRUE(
      proveInPieces(makeProgram(3), makeResult(3), {}, 1e9, deniesFirst));
  EXPECT_EQ(numInputs, 3u);
  numPieces = 0;
  auto deniesAll = [&](const Graph &, const Graph &) {
    ++numPieces;
    return false;
  };
  EXPECT_FALSE(
      proveInPieces(makeProgram(3), makeResult(3), {}, 1e9, deniesAll));
  EXPECT_EQ(numPieces, 2u);
}

/// A program may compute one value twice, and of the other's value something
/// that it is itself.
TEST(CutPoints, OneGraphMayHaveAValueTwice) {
  auto build = [](bool isTwice) {
    Graph graph;
    Builder b(graph);
    ValueId x = b.input({kRows, kColumns});
    ValueId square = b.op(Opcode::Square, {x});
    ValueId other = isTwice ? b.op(Opcode::Mul, {x, x}) : square;
    ValueId sum = b.op(Opcode::Add, {square, b.op(Opcode::Exp, {other})});
    b.output(b.op(Opcode::Sqrt, {isTwice ? b.scale(sum, 1) : sum}));
    return graph;
  };
  auto areEqual = [](const Graph &lhs, const Graph &rhs) {
    return llvm::cantFail(verifyEqual(lhs, rhs, {})).kind == Verdict::Equal;
  };
  for (bool isTwice : {false, true})
    EXPECT_TRUE(
        proveInPieces(build(isTwice), build(!isTwice), {}, 1e9, areEqual));
}

TEST(CutPoints, OneOperationHasNone) {
  auto areEqual = [](const Graph &, const Graph &) {
    ADD_FAILURE() << "the whole is no piece";
    return true;
  };
  Graph graph;
  Builder b(graph);
  b.output(b.op(Opcode::Exp, {b.input({kRows, kColumns})}));
  EXPECT_FALSE(proveInPieces(graph, graph, {}, 1e9, areEqual));
}
