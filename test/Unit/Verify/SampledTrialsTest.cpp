//===- SampledTrialsTest.cpp - Verdicts on graphs that are sampled --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/ComposedOperators.h"
#include "Mirage/Verify/RoundedEvaluation.h"
#include "Mirage/Verify/VerdictJSON.h"
#include "Mirage/Verify/Verify.h"
#include "Programs.h"
#include "SampleChoice.h"
#include "llvm/ADT/Sequence.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

namespace {
const Seed kSeed = hashToSeed("sampled trials");

bool contains(const IndexSet &set, int64_t index) {
  return set.findPlace(index) < set.findPlace(index + 1);
}

//===----------------------------------------------------------------------===//
// Which elements
//===----------------------------------------------------------------------===//

TEST(SampleChoice, TilesOfTilesAreTiles) {
  Graph graph = rmsLinearFused(5, 300, 1000, 64, 96);
  TileSizes sizes;
  sizes.add(graph);
  EXPECT_EQ(sizes.get(1000), std::set<int64_t>({96}));
  EXPECT_EQ(sizes.get(300), std::set<int64_t>({64}));
  EXPECT_EQ(sizes.get(5), std::set<int64_t>());
  sizes.add(gatedMlpFused(5, 96, 1000, 32, 250));
  EXPECT_EQ(sizes.get(1000), std::set<int64_t>({32, 96, 250}));
}

TEST(SampleChoice, BothSidesOfEdges) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    RandomStream random(deriveSeed(kSeed, "edges", seed));
    IndexSet indices = drawIndices(4090, {16, 64, 128}, 3, random);
    // The first window has tiles of all sizes, and so has the last one, which
    // is partial.
    for (int64_t index : {0, 15, 16, 63, 64, 111, 112, 127, 3968, 3983, 3984,
                          4031, 4032, 4079, 4080, 4089})
      EXPECT_TRUE(contains(indices, index)) << index;
    EXPECT_LT(indices.size(), 100);
    EXPECT_EQ(drawIndices(3, {}, 3, random), IndexSet::all(3));
    EXPECT_EQ(drawIndices(4090, {64}, 0, random),
              IndexSet::fromIndices({4089}));
    IndexSet uncut = drawIndices(1 << 20, {}, 3, random);
    EXPECT_TRUE(contains(uncut, 0) && contains(uncut, (1 << 20) - 1));
    EXPECT_GT(uncut.size(), 20);
  }
}

TEST(SampleChoice, LimitsHold) {
  Graph program = expandComposed(attention(3000, 2000, 16, /*safe=*/false));
  Graph fused = attentionFused(3000, 2000, 16, 64);
  double whole = std::max(countWork(program), countWork(fused));
  auto draw = [&](SampleLimits limits) {
    return drawSample(program, program, /*height=*/2, kSeed, limits);
  };
  std::optional<TrialSample> many = draw({whole / 10, whole, 1e9});
  std::optional<TrialSample> few = draw({whole / 100, whole, 1e9});
  ASSERT_TRUE(many && few);
  EXPECT_LE(many->work, whole / 10);
  EXPECT_LE(few->work, whole / 100);
  EXPECT_LT(getShape(few->outputs[0])[0], getShape(many->outputs[0])[0]);
  // One element takes a row, all keys and a column of the values.
  std::optional<TrialSample> ends = draw({1, whole, 1e9});
  std::optional<TrialSample> one = draw({1, 2, 1e9});
  ASSERT_TRUE(ends && one);
  EXPECT_TRUE(contains(ends->outputs[0][0], 0));
  EXPECT_TRUE(contains(ends->outputs[0][0], 2999));
  EXPECT_EQ(getShape(one->outputs[0]), Shape({1, 1}));
  EXPECT_GT(one->work, 2000 * 17);
  EXPECT_FALSE(draw({whole, whole, 2000 * 16 * 4}));
  EXPECT_FALSE(draw({1, 1, 2000 * 16 * 4}));
}

//===----------------------------------------------------------------------===//
// Verdicts
//===----------------------------------------------------------------------===//

/// Of samples of so much work; nothing is written out.
VerifyOptions sampling(double multiplyAdds) {
  VerifyOptions options;
  options.seed = kSeed;
  options.maxTerms = 1000;
  options.maxWholeWork = options.sampleWork = multiplyAdds;
  return options;
}

Verdict judge(const Graph &lhs, const Graph &rhs,
              const VerifyOptions &options) {
  return llvm::cantFail(verifyEqual(lhs, rhs, options));
}
Verdict judgeOwnSizes(const Graph &lhs, const Graph &rhs,
                      const VerifyOptions &options) {
  return llvm::cantFail(verifyAtOwnSizes(lhs, rhs, options));
}

TEST(SampledTrials, AgreementAddsNothingToTheBound) {
  Graph program = gatedMlp(70, 300, 1000);
  Graph fused = gatedMlpFused(70, 300, 1000, 64, 96);
  Verdict whole = judge(program, fused, {});
  Verdict sampled = judge(program, fused, sampling(1e6));
  for (const Verdict *verdict : {&whole, &sampled}) {
    EXPECT_EQ(verdict->kind, Verdict::Equal) << verdict->reason;
    EXPECT_TRUE(verdict->isLarge);
    EXPECT_EQ(verdict->ownSizes.trials, 1u);
    EXPECT_EQ(verdict->bound.provedLog2, whole.bound.provedLog2);
    EXPECT_EQ(verdict->sizes, whole.sizes);
  }
  EXPECT_FALSE(whole.ownSizes.isSampled());
  ASSERT_EQ(sampled.ownSizes.samples.size(), 1u);
  const SampledShape &shape = sampled.ownSizes.samples[0];
  EXPECT_EQ(shape.whole, Shape({70, 1000}));
  EXPECT_LT(shape.tried[1], 200);
  std::string text = toString(sampled);
  EXPECT_NE(text.find("; at its own sizes 1 trial agrees on a sample, " +
                      std::to_string(shape.tried[0]) + " of 70 x " +
                      std::to_string(shape.tried[1]) + " of 1000 elements"),
            std::string::npos)
      << text;
  EXPECT_NE(toString(whole).find("; at its own sizes 1 trial agrees"),
            std::string::npos);
  EXPECT_EQ(toString(whole).find("sample"), std::string::npos);
}

/// What does not fit the memory is sampled without being asked for.
TEST(SampledTrials, WhatDoesNotFitIsSampled) {
  Graph program = gatedMlp(70, 300, 1000);
  Graph fused = gatedMlpFused(70, 300, 1000, 64, 96);
  VerifyOptions options;
  options.maxBytes = 16 << 20;
  ASSERT_GT(estimateTrialBytes(program, fused), options.maxBytes);
  Verdict verdict = judge(program, fused, options);
  EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
  EXPECT_TRUE(verdict.ownSizes.isSampled());
  EXPECT_LE(verdict.bound.provedLog2, -64);
}

TEST(SampledTrials, WhatTakesTooMuchHasNone) {
  Graph program = gatedMlp(70, 300, 1000);
  Graph fused = gatedMlpFused(70, 300, 1000, 64, 96);
  VerifyOptions options = sampling(1);
  options.maxSampleWork = 100;
  Verdict verdict = judge(program, fused, options);
  EXPECT_EQ(verdict.kind, Verdict::Unknown);
  EXPECT_TRUE(verdict.isTooLarge);
  EXPECT_EQ(verdict.ownSizes.trials, 0u);
  EXPECT_FALSE(verdict.ownSizes.isSampled());
  EXPECT_NE(verdict.reason.find("at smaller sizes: equal"), std::string::npos)
      << verdict.reason;
}

/// Smaller sizes are too large to be written out, too.
/// \param picks  the larger of each element and 0.
/// \param how    the first factor is applied: Scale or Unscale.
Graph scaledProduct(double first, double second, bool picks = false,
                    Opcode how = Opcode::Scale) {
  Graph graph;
  Builder b(graph);
  ValueId x = b.input({512, 256}), y = b.input({256, 512});
  Attributes factor;
  factor.scalars = {first};
  ValueId product = b.op(Opcode::Matmul, {b.op(how, {x}, factor), y});
  ValueId split = graph.add(Opcode::Reshape, {product}, tensor({8, 64, 512}));
  ValueId scaled = b.scale(split, second);
  b.output(picks ? b.op(Opcode::Relu, {scaled}) : scaled);
  return graph;
}

TEST(SampledTrials, SamplesAloneAreNotEqual) {
  Graph lhs = scaledProduct(2, 3), rhs = scaledProduct(3, 2);
  EXPECT_EQ(judge(lhs, rhs, {}).kind, Verdict::Equal);
  Verdict verdict = judge(lhs, rhs, sampling(1e6));
  EXPECT_EQ(verdict.kind, Verdict::Unknown) << toString(verdict);
  EXPECT_EQ(verdict.reason.find(
                "trials of a sample at its own sizes agree, but at smaller"),
            0u)
      << verdict.reason;
  EXPECT_EQ(judgeOwnSizes(lhs, rhs, sampling(1e6)).kind, Verdict::Equal);
  EXPECT_TRUE(
      judge(lhs, scaledProduct(3, 3), sampling(1e6)).disagreement.has_value());
}

//===----------------------------------------------------------------------===//
// Mistakes
//===----------------------------------------------------------------------===//

using Change = llvm::function_ref<ValueId(Builder &, ValueId)>;

/// The last tile is partial.
constexpr int64_t kRows = 3000, kTile = 64;

/// A kernel that multiplies rows of 40 by 3, in tiles.
Graph scaleRows(int64_t rows, Change change) {
  TileGraph tiles;
  Builder b(tiles);
  tiles.grid = {ceilDiv(rows, kTile)};
  ValueId x = b.input({kTile, 40});
  tiles.tileInputs = {{{0}}};
  b.output(change(b, b.scale(x, 3)));
  tiles.tileOutputs = {{{0}}};
  return wrap(tiles, {{rows, 40}}, {{rows, 40}});
}

ValueId mask(Builder &b, ValueId x, int64_t extent) {
  Attributes attributes;
  attributes.dims = {0};
  attributes.axes = {Axis::X};
  attributes.extent = extent;
  attributes.scalars = {0};
  return b.op(Opcode::Mask, {x}, attributes);
}

/// All samples of some seeds have the mistake, and the first element in which
/// it is seen is a wrong one.
void expectFound(int64_t rows, Change change,
                 llvm::function_ref<bool(int64_t row)> isWrong) {
  Graph right = scaleRows(rows, [](Builder &, ValueId x) { return x; });
  Graph wrong = scaleRows(rows, change);
  llvm::cantFail(verify(wrong));
  for (unsigned seed = 0; seed < 20; ++seed) {
    VerifyOptions options = sampling(2e4);
    options.seed = deriveSeed(kSeed, "mistake", seed);
    EXPECT_EQ(judgeOwnSizes(right, right, options).kind, Verdict::Equal);
    Verdict verdict = judgeOwnSizes(right, wrong, options);
    EXPECT_TRUE(verdict.ownSizes.isSampled());
    ASSERT_TRUE(verdict.disagreement) << toString(verdict);
    EXPECT_TRUE(isWrong(verdict.disagreement->element / 40));
    EXPECT_EQ(verdict.kind, Verdict::Unknown) << "no float64 input was tried";
  }
}

TEST(SampledTrials, TheLastRowOfEachTile) {
  expectFound(
      47 * kTile, // slices take whole tiles
      [](Builder &b, ValueId x) {
        Attributes rest, last, join;
        rest.offsets = {0, 0};
        last.offsets = {kTile - 1, 0};
        rest.strides = last.strides = {1, 1};
        join.dims = {0};
        ValueId most = b.slice(x, {kTile - 1, 40}, rest);
        ValueId wrong = b.scale(b.slice(x, {1, 40}, last), 2);
        return b.op(Opcode::Concat, {most, wrong}, join);
      },
      [](int64_t row) { return row % kTile == kTile - 1; });
}

/// The mask hides the last row of the last tile.
TEST(SampledTrials, TheLastRowOfAll) {
  expectFound(
      kRows, [](Builder &b, ValueId x) { return mask(b, x, kRows - 1); },
      [](int64_t row) { return row == kRows - 1; });
}

TEST(SampledTrials, TheFirstRowOfAll) {
  expectFound(
      kRows,
      [](Builder &b, ValueId x) {
        return b.op(Opcode::Sub, {x, mask(b, x, 1)});
      },
      [](int64_t row) { return row == 0; });
}

TEST(SampledTrials, TheFirstTile) {
  expectFound(
      kRows,
      [](Builder &b, ValueId x) {
        return b.op(Opcode::Sub, {x, mask(b, x, kTile)});
      },
      [](int64_t row) { return row < kTile; });
}

/// Witnesses are looked for where the sample differs, and nowhere else.
TEST(SampledTrials, WitnessesAreOfElements) {
  Graph right = scaleRows(kRows, [](Builder &, ValueId x) { return x; });
  Graph wrong = scaleRows(
      kRows, [](Builder &b, ValueId x) { return mask(b, x, kRows - 1); });
  VerifyOptions options = sampling(2e4);
  options.findWitness = [](const Graph &, const Graph &) {
    ADD_FAILURE() << "as a whole, graphs are too large";
    return std::nullopt;
  };
  options.findWitnessAt = [](const Graph &lhs, const Graph &rhs,
                             unsigned output,
                             llvm::ArrayRef<int64_t> elements) {
    std::vector<std::vector<double>> inputs = {
        std::vector<double>(kRows * 40, 7)};
    EXPECT_EQ(elements.size(), 1u);
    RoundedNumber left = evaluateRounded(lhs, inputs, output, elements)[0];
    RoundedNumber right = evaluateRounded(rhs, inputs, output, elements)[0];
    EXPECT_EQ(left.value, 21);
    EXPECT_EQ(right.value, 0);
    return Witness{1, output, elements[0], left.value, right.value};
  };
  Verdict verdict = judge(right, wrong, options);
  EXPECT_EQ(verdict.kind, Verdict::Different) << verdict.reason;
  ASSERT_TRUE(verdict.witness);
  EXPECT_EQ(verdict.witness->element / 40, kRows - 1);
}

/// The larger of a row's largest element and a limit, which a trial seldom
/// picks and a float64 input mostly does.
Graph limitRows(int64_t rows, double limit) {
  Graph graph;
  Builder b(graph);
  ValueId largest = b.reduce(Opcode::Max, b.input({rows, 1024}), 1);
  Attributes attributes;
  attributes.scalars = {limit, INFINITY};
  b.output(b.op(Opcode::Clamp, {largest}, attributes));
  return graph;
}

/// Nothing is proved where all samples agree: a float64 input is tried as a
/// whole where that takes little, and else at elements like those of trials.
TEST(SampledTrials, WhereNothingIsProvedWitnessesAreLookedFor) {
  constexpr int64_t kFewRows = 64, kManyRows = 5000;
  VerifyOptions options = sampling(2e4);
  unsigned numWholes = 0;
  std::vector<int64_t> tried;
  options.findWitness = [&](const Graph &, const Graph &) {
    ++numWholes;
    return Witness{1, 0, 3, 1024, 1024.25};
  };
  options.findWitnessAt = [&](const Graph &, const Graph &, unsigned output,
                              llvm::ArrayRef<int64_t> elements) {
    llvm::append_range(tried, elements);
    return Witness{1, output, elements.back(), 1024, 1024.25};
  };
  for (int64_t rows : {kFewRows, kManyRows}) {
    Verdict verdict =
        judge(limitRows(rows, 1024), limitRows(rows, 1024.25), options);
    EXPECT_EQ(verdict.kind, Verdict::Different) << verdict.reason;
    EXPECT_TRUE(verdict.ownSizes.isSampled());
    EXPECT_FALSE(verdict.disagreement);
    EXPECT_EQ(verdict.witness.has_value(), true);
  }
  EXPECT_EQ(numWholes, 1u);
  ASSERT_FALSE(tried.empty());
  EXPECT_LT(tried.size(), 1000u);
  EXPECT_EQ(tried.front(), 0);
  EXPECT_EQ(tried.back(), kManyRows - 1);
  // Without one it is unknown, and says that none was tried.
  Verdict verdict = judge(limitRows(kManyRows, 1024),
                          limitRows(kManyRows, 1024.25), sampling(2e4));
  EXPECT_EQ(verdict.kind, Verdict::Unknown);
  EXPECT_NE(verdict.reason.find("no float64 input was tried"),
            std::string::npos)
      << verdict.reason;
}

//===----------------------------------------------------------------------===//
// Exact proofs
//===----------------------------------------------------------------------===//

/// A proof at smaller sizes counts where trials at the graphs' own agree, of a
/// sample as of all elements; the verdict says what was proved and what tried.
TEST(SampledTrials, ExactProofsCount) {
  for (bool isSampled : {true, false})
    for (bool picks : {true, false}) {
      Graph lhs = scaledProduct(256, 2, picks, Opcode::Unscale),
            rhs = scaledProduct(2, 1.0 / 256, picks),
            wrong = scaledProduct(2, 1.0 / 256 * (1 + 0x1p-21), picks);
      VerifyOptions options = sampling(isSampled ? 1e6 : 1e12);
      Verdict verdict = judge(lhs, rhs, options);
      EXPECT_EQ(verdict.kind,
                isSampled || picks ? Verdict::Unknown : Verdict::Equal);
      options.wantsExactProof = true;
      verdict = judge(lhs, rhs, options);
      EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
      EXPECT_EQ(verdict.ownSizes.isSampled(), isSampled);
      std::string text = toString(verdict);
      EXPECT_NE(text.find("; proved exactly at "), std::string::npos) << text;
      EXPECT_NE(text.find(isSampled
                              ? "; at its own sizes 1 trial agrees on a sample"
                              : "; at its own sizes 1 trial agrees"),
                std::string::npos)
          << text;
      // At smaller sizes what is 2^-21 more than 1/256 is one over 256's.
      verdict = judge(lhs, wrong, options);
      EXPECT_EQ(verdict.exactProof->outcome, ExactProof::Proved);
      EXPECT_EQ(verdict.kind, Verdict::Unknown) << toString(verdict);
    }
}

TEST(RoundedEvaluation, SomeElementsAreThoseOfTheWhole) {
  Graph graph = attention(5, 7, 3, /*safe=*/true);
  graph.addOutput(0);
  std::vector<std::vector<double>> inputs;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input) {
    inputs.emplace_back();
    for (int64_t i = 0; i < graph.getType(input).getNumElements(); ++i)
      inputs.back().push_back(std::sin(double(i + 10 * input)));
  }
  auto whole = evaluateRounded(graph, inputs);
  // One alone, and as they are listed; 0, 5 and 13 are in three rows and
  // columns.
  for (unsigned output : {0u, 1u})
    for (const std::vector<int64_t> &elements :
         {std::vector<int64_t>{6}, {13, 0, 5, 0}}) {
      auto some = evaluateRounded(graph, inputs, output, elements);
      ASSERT_EQ(some.size(), elements.size());
      for (auto [element, number] : llvm::zip_equal(elements, some)) {
        EXPECT_EQ(number.value, whole[output][element].value);
        EXPECT_EQ(number.error, whole[output][element].error);
      }
    }
}

TEST(SampledTrials, CancelledOnesSayNothing) {
  VerifyOptions options = sampling(1e6);
  options.isCancelled = [] { return true; };
  Verdict verdict =
      judgeOwnSizes(gatedMlp(70, 300, 1000), gatedMlp(70, 300, 1000), options);
  EXPECT_EQ(verdict.kind, Verdict::Unknown);
  EXPECT_TRUE(verdict.isCancelled);
  EXPECT_EQ(verdict.ownSizes.trials, 0u);
}

/// Of two parts the sum is sampled if one is.
TEST(SampledTrials, PartsAreJoined) {
  Verdict whole, part;
  whole.kind = part.kind = Verdict::Equal;
  whole.ownSizes.trials = 3;
  part.ownSizes = {1, {{{4}, {4096}}}};
  for (const Verdict &sum : {join(whole, part), join(part, whole)}) {
    EXPECT_TRUE(sum.ownSizes.isSampled());
    EXPECT_EQ(sum.ownSizes.trials, 1u);
  }
  EXPECT_FALSE(join(whole, whole).ownSizes.isSampled());
}
} // namespace
