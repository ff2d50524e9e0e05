//===- LargeGraphsTest.cpp - Verdicts on what is not written out ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JudgeGraphs.h"
#include "Programs.h"
#include "gtest/gtest.h"
#include <optional>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

TEST(LargeGraphs, AreTestedAtTheirSize) {
  VerifyOptions options;
  options.maxTerms = 1000;
  Verdict verdict =
      judge(rmsLinear(8, 100, 70), rmsLinearFused(8, 100, 70, 16, 32), options);
  EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
  EXPECT_TRUE(verdict.isLarge);
  EXPECT_LE(verdict.bound.provedLog2, -64) << verdict.reason;
  EXPECT_EQ(verdict.sizes, "3x4, 4x5");
  verdict = judge(attention(8, 40, 16, false), attentionFused(8, 40, 16, 12),
                  options);
  EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
  // Averaged over 99 of 100.
  Graph fused = rmsLinearFused(8, 100, 70, 16, 32);
  const TileGraph &right = *fused.getNodes()[0].body;
  auto tiles = std::make_shared<TileGraph>();
  Builder b(*tiles);
  tiles->grid = right.grid;
  tiles->loop = right.loop;
  tiles->tileInputs = right.tileInputs;
  tiles->tileOutputs = right.tileOutputs;
  ValueId x = b.input({8, 16}), w = b.input({16, 32});
  ValueId rms = b.accumulate(x, Opcode::Rms, {1}, 99);
  b.output(
      b.op(Opcode::Div, {b.accumulate(b.op(Opcode::Matmul, {x, w})), rms}));
  Graph mutant;
  mutant.addInput(tensor({8, 100}));
  mutant.addInput(tensor({100, 70}));
  mutant.addOutput(mutant.addGraph({0, 1}, tiles, {tensor({8, 70})}));
  verdict = judge(rmsLinear(8, 100, 70), mutant, options);
  EXPECT_EQ(verdict.kind, Verdict::Unknown);
  EXPECT_TRUE(verdict.disagreement.has_value());
}

/// Of what does not fit some elements are tried.
TEST(LargeGraphs, TooLargeForMemoryAreSampled) {
  int64_t size = int64_t(1) << 18; // 2^36 elements
  Graph safe = softmax(size, size, true), plain = softmax(size, size, false);
  VerifyOptions options;
  options.sampleWork = 1; // few rows take long enough
  Verdict verdict = judge(safe, plain, options);
  EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
  EXPECT_TRUE(verdict.ownSizes.isSampled());
}

/// Nothing is allocated where one element takes too much; smaller sizes are
/// judged.
TEST(LargeGraphs, ElementsTooLargeForMemoryAreUnknown) {
  auto make = [](bool isSwapped) {
    Graph graph;
    Builder b(graph);
    int64_t size = int64_t(1) << 20;
    ValueId x = b.input({size, size}), y = b.input({size, size});
    ValueId product =
        isSwapped ? b.op(Opcode::Mul, {y, x}) : b.op(Opcode::Mul, {x, y});
    b.output(b.reduce(Opcode::Sum, b.reduce(Opcode::Sum, product, 0), 1));
    return graph;
  };
  Verdict verdict = judge(make(false), make(true));
  EXPECT_EQ(verdict.kind, Verdict::Unknown);
  EXPECT_NE(verdict.reason.find("GiB"), std::string::npos) << verdict.reason;
  EXPECT_NE(verdict.reason.find("at smaller sizes: equal"), std::string::npos)
      << verdict.reason;
  EXPECT_EQ(verdict.bound.provedLog2, 0);
}

/// The limit is on both graphs, blocks of tiles included.
TEST(LargeGraphs, MemoryIsBoundedByTheLargerGraph) {
  Graph program = softmax(64, 50, false), fused = softmaxFused(64, 50, 4);
  double bytes = estimateTrialBytes(program, fused);
  EXPECT_GE(bytes, estimateTrialBytes(program, program));
  EXPECT_EQ(bytes, estimateTrialBytes(fused, program));
  // Every element of exp(x) at least, in four bytes.
  EXPECT_GE(estimateTrialBytes(program, program), 64 * 50 * 4);
  VerifyOptions options;
  options.maxBytes = bytes;
  EXPECT_EQ(judge(program, fused, options).kind, Verdict::Equal);
  EXPECT_FALSE(judge(program, fused, options).ownSizes.isSampled());
  options.maxBytes = bytes - 1;
  EXPECT_TRUE(judge(program, fused, options).ownSizes.isSampled());
  EXPECT_LE(getMaxTrialBytes(options), options.maxBytes);
}

/// Every element of a row is fed by all exponentials of the row: few terms in
/// all, but too many element by element.
TEST(LargeGraphs, ElementsThatShareTheirTermsCountEach) {
  Verdict verdict = judge(softmax(7, 1000, true), softmax(7, 1000, false));
  EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
  EXPECT_TRUE(verdict.isLarge);
  EXPECT_LE(verdict.bound.provedLog2, -64) << verdict.reason;
}

TEST(LargeGraphs, CancelledTrialsAreUnknown) {
  VerifyOptions options;
  options.maxTerms = 1000;
  options.isCancelled = [] { return true; };
  Verdict verdict =
      judge(rmsLinear(8, 100, 70), rmsLinearFused(8, 100, 70, 16, 32), options);
  EXPECT_EQ(verdict.kind, Verdict::Unknown);
  EXPECT_TRUE(verdict.isCancelled);
  EXPECT_TRUE(verdict.isLarge);
  // One trial at its own size agrees; smaller sizes are not asked.
  unsigned numAsked = 0;
  options.isCancelled = [&] { return ++numAsked > 1; };
  verdict = judge(softmax(40, 50, true), softmax(40, 50, false), options);
  EXPECT_EQ(verdict.kind, Verdict::Unknown);
  EXPECT_TRUE(verdict.isCancelled) << verdict.reason;
}

TEST(LargeGraphs, SizesInLiterals) {
  // A mean written as a sum times 1/4096, against rms.
  auto program = [](bool literal) {
    Graph graph;
    Builder b(graph);
    ValueId x = b.input({8, 4096});
    ValueId square = b.op(Opcode::Square, {x});
    ValueId mean = literal
                       ? b.scale(b.reduce(Opcode::Sum, square, 1), 1.0 / 4096)
                       : b.reduce(Opcode::Mean, square, 1);
    b.output(b.op(Opcode::Div, {x, b.op(Opcode::Sqrt, {mean})}));
    return graph;
  };
  VerifyOptions options;
  options.maxTerms = 1000;
  Verdict verdict = judge(program(true), program(false), options);
  EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
  EXPECT_LE(verdict.bound.provedLog2, -64) << verdict.reason;
  EXPECT_EQ(verdict.sizes, "3x4");
  std::map<double, double> expected = {{1.0 / 4096, 0.25}};
  EXPECT_EQ(verdict.replaced.literals, expected);
}

/// Rows of 100 in blocks of 25, each with its mean and its largest number.
static Graph meansOfBlocks(std::optional<double> divisor) {
  TileGraph tiles;
  Builder b(tiles);
  tiles.grid = {4};
  tiles.loop = 5;
  ValueId x = b.input({8, 5});
  tiles.tileInputs = {{{1}, 1}};
  Attributes attributes;
  attributes.scalars = {divisor.value_or(1)};
  ValueId mean =
      divisor ? b.op(Opcode::Unscale,
                     {b.accumulate(b.reduce(Opcode::Sum, x, 1))}, attributes)
              : b.accumulate(x, Opcode::Mean, {1});
  ValueId most = b.accumulate(b.reduce(Opcode::Max, x, 1), Opcode::Max);
  b.output(b.op(Opcode::Add, {mean, most}));
  tiles.tileOutputs = {{{1}}};
  return wrap(tiles, {{8, 100}}, {{8, 4}});
}

/// What a block averages is no size of the program, and is a product of small
/// sizes only if it is what it was.
TEST(LargeGraphs, CountsThatAreNoSizes) {
  VerifyOptions options;
  options.maxTerms = 500;
  Verdict verdict = judge(meansOfBlocks({}), meansOfBlocks(25), options);
  EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
  EXPECT_TRUE(verdict.isLarge);
  EXPECT_LT(verdict.bound.provedLog2, 0) << verdict.reason;
  EXPECT_TRUE(verdict.replaced.keepsNumbers);
  verdict = judge(meansOfBlocks({}), meansOfBlocks(24), options);
  EXPECT_EQ(verdict.kind, Verdict::Unknown);
}

/// The larger of 1000 numbers and what is in question, which a trial of these
/// sees in one case of 1000.
static Graph hidden(llvm::function_ref<ValueId(Graph &, ValueId)> make) {
  Graph graph;
  Builder b(graph);
  ValueId many = b.input({1, 1000}), y = b.input({1, 1});
  b.output(
      b.op(Opcode::Maximum, {b.reduce(Opcode::Max, many, 1), make(graph, y)}));
  return graph;
}

/// Of 64 equal numbers the sum is three times one at a small size of 3.
TEST(LargeGraphs, LiteralsThatAreSmallSizes) {
  auto sum = [](Graph &graph, ValueId y) {
    ValueId row = graph.add(Opcode::Broadcast, {y}, tensor({1, 64}));
    return Builder(graph).reduce(Opcode::Sum, row, 1);
  };
  VerifyOptions options;
  options.maxTerms = 100;
  for (double factor : {2.0, 3.0, 4.0, 5.0, 6.0}) {
    Verdict verdict = judge(hidden(sum), hidden([&](Graph &graph, ValueId y) {
                              return Builder(graph).scale(y, factor);
                            }),
                            options);
    EXPECT_NE(verdict.kind, Verdict::Equal) << factor << " " << verdict.sizes;
  }
}
