//===- AccumulationTest.cpp - Joined blocks and rescaled sums -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DoubleArithmetic.h"
#include "Mirage/Verify/Verify.h"
#include "Programs.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

static Verdict judge(const Graph &lhs, const Graph &rhs,
                     unsigned maxTowers = 2048) {
  VerifyOptions options;
  options.maxTowers = maxTowers;
  options.findWitness = test::findWitness;
  llvm::Expected<Verdict> verdict = verifyEqual(lhs, rhs, options);
  if (verdict)
    return *verdict;
  ADD_FAILURE() << llvm::toString(verdict.takeError());
  return {};
}

static void expectEqual(const Graph &lhs, const Graph &rhs,
                        unsigned maxTowers = 2048) {
  Verdict verdict = judge(lhs, rhs, maxTowers);
  EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
  ExactProof proof = proveEqual(lhs, rhs);
  EXPECT_EQ(proof.outcome, ExactProof::Proved) << proof.reason;
  std::printf("  proved 2^%.1f, conjectured 2^%.1f, %u trials, %u towers\n",
              verdict.bound.provedLog2, verdict.bound.conjecturedLog2,
              verdict.bound.trials, verdict.bound.towers);
}

TEST(Accumulation, OnlineSoftmaxIsSoftmax) {
  expectEqual(attention(2, 4, 3, false), attentionOnline(2, 4, 3, 2));
  expectEqual(attention(2, 4, 3, true), attentionOnline(2, 4, 3, 2));
  // Three tiles, the last one partial; and blocks that share the keys. Maxima
  // of so many keys inside of exponents leave little to be proved by more
  // trials.
  constexpr unsigned kTowers = 64;
  expectEqual(attention(2, 5, 3, false), attentionOnline(2, 5, 3, 2), kTowers);
  expectEqual(attention(2, 8, 3, false), attentionOnline(2, 8, 3, 2, 2),
              kTowers);
  expectEqual(attention(2, 7, 3, false), attentionOnline(2, 7, 3, 2, 2),
              kTowers);
}

namespace {
enum Mistake { None, NotRescaled, RescaledByAnother, RescaledTwice, OtherSum };
} // namespace

/// The denominator of a softmax over four columns, in two iterations.
static Graph makeDenominator(Mistake mistake) {
  TileGraph tiles;
  Builder b(tiles);
  tiles.loop = 2;
  ValueId x = b.input({2, 2});
  tiles.tileInputs = {{{}, 1}};
  ValueId m = b.reduce(Opcode::Max, x, 1);
  ValueId e = b.op(Opcode::Exp, {b.op(Opcode::Sub, {x, m})});
  if (mistake == RescaledTwice)
    e = b.op(Opcode::Mul, {e, b.op(Opcode::Exp, {m})});
  ValueId by = mistake == RescaledByAnother ? b.scale(m, 2) : m;
  ValueId sum = mistake == NotRescaled ? b.accumulate(e, Opcode::Sum, {1})
                                       : b.rescaledSum(e, by, {1});
  // Relative to the largest of all, which makes it independent of it.
  ValueId largest = b.op(Opcode::Exp, {b.accumulate(m, Opcode::Max)});
  if (mistake == OtherSum)
    largest = b.op(Opcode::Exp, {b.accumulate(m, Opcode::Sum)});
  b.output(b.op(Opcode::Mul, {sum, largest}));
  tiles.tileOutputs = {{{}}};
  return wrap(tiles, {{2, 4}}, {{2, 1}});
}

TEST(Accumulation, MistakesInRescalingAreDifferent) {
  Graph program;
  Builder b(program);
  ValueId x = b.input({2, 4});
  b.output(b.reduce(Opcode::Sum, b.op(Opcode::Exp, {x}), 1));
  expectEqual(program, makeDenominator(None));
  for (Mistake mistake :
       {NotRescaled, RescaledByAnother, RescaledTwice, OtherSum})
    EXPECT_EQ(judge(program, makeDenominator(mistake)).kind, Verdict::Different)
        << mistake;
}

/// Two iterations over a row of which the mask leaves `extent` elements, so
/// that the second tile may be masked whole.
static Graph makeMasked(int64_t extent) {
  TileGraph tiles;
  Builder b(tiles);
  tiles.loop = 2;
  ValueId x = b.input({2, 2});
  tiles.tileInputs = {{{}, 1}};
  Attributes mask;
  mask.dims = {1};
  mask.axes = {Axis::Loop};
  mask.extent = extent;
  mask.scalars = {-HUGE_VAL};
  ValueId s = b.op(Opcode::Mask, {x}, mask);
  ValueId m = b.reduce(Opcode::Max, s, 1);
  ValueId e = b.op(Opcode::Exp, {b.op(Opcode::Sub, {s, m})});
  ValueId top = b.rescaledSum(b.op(Opcode::Mul, {e, x}), m, {1});
  b.output(b.op(Opcode::Div, {top, b.rescaledSum(e, m, {1})}));
  tiles.tileOutputs = {{{}}};
  return wrap(tiles, {{2, 4}}, {{2, 1}});
}

/// The same with plain exponentials, masked by zeros.
static Graph makeMaskedPlainly(int64_t extent) {
  TileGraph tiles;
  Builder b(tiles);
  ValueId x = b.input({2, 4});
  tiles.tileInputs = {{{}, kReplicated}};
  Attributes mask;
  mask.dims = {1};
  mask.extent = extent;
  mask.scalars = {0.0};
  ValueId e = b.op(Opcode::Mask, {b.op(Opcode::Exp, {x})}, mask);
  ValueId top = b.reduce(Opcode::Sum, b.op(Opcode::Mul, {e, x}), 1);
  b.output(b.op(Opcode::Div, {top, b.reduce(Opcode::Sum, e, 1)}));
  tiles.tileOutputs = {{{}}};
  return wrap(tiles, {{2, 4}}, {{2, 1}});
}

/// A tile that is masked whole has no maximum but minus infinity, and what is
/// computed relative to that has no value: it adds nothing all the same.
TEST(Accumulation, TilesThatAreMaskedWholeAddNothing) {
  for (int64_t extent : {2, 3, 4})
    expectEqual(makeMaskedPlainly(extent), makeMasked(extent));
  EXPECT_EQ(judge(makeMaskedPlainly(3), makeMasked(2)).kind,
            Verdict::Different);
}

/// X / rms(X) where blocks share a row, and then that again.
static Graph makeSharedRows(bool isShared) {
  TileGraph tiles;
  Builder b(tiles);
  int64_t width = isShared ? 2 : 4;
  tiles.grid = {2, 2};
  ValueId x = b.input({1, width});
  tiles.tileInputs = {{{0, isShared ? 1 : kReplicated}, kReplicated}};
  for (int round = 0; round < 2; ++round) {
    ValueId rms = isShared ? b.accumulate(x, Opcode::Rms, {1}, 0, Axis::Y)
                           : b.reduce(Opcode::Rms, x, 1);
    x = b.op(Opcode::Add, {b.op(Opcode::Div, {x, rms}), x});
  }
  b.output(x);
  tiles.tileOutputs = {{{0, isShared ? 1 : kReplicated}}};
  return wrap(tiles, {{2, 4}}, {{2, 4}});
}

TEST(Accumulation, BlocksJoinAgainAfterTheyHaveJoined) {
  expectEqual(makeSharedRows(false), makeSharedRows(true));
}

namespace {
/// How a variance may go wrong.
enum class Moment {
  Right,
  OfSquares,
  OfExponentials,
  OfNestedExponentials,
  OneTileLess,
  Mean
};
} // namespace

/// The variance of rows of `width` elements in tiles of 2.
static Graph makeVariance(int64_t width, Moment moment) {
  TileGraph tiles;
  Builder b(tiles);
  tiles.loop = (width + 1) / 2;
  ValueId x = b.input({2, 2});
  tiles.tileInputs = {{{}, 1}};
  if (moment == Moment::OfSquares)
    x = b.op(Opcode::Square, {x});
  if (moment == Moment::OfExponentials ||
      moment == Moment::OfNestedExponentials)
    x = b.op(Opcode::Exp, {x});
  if (moment == Moment::OfNestedExponentials)
    x = b.op(Opcode::Exp, {b.scale(x, 0.5)});
  if (moment == Moment::OneTileLess) {
    Attributes mask;
    mask.dims = {1};
    mask.axes = {Axis::Loop};
    mask.extent = width - 2;
    mask.scalars = {-HUGE_VAL};
    x = b.op(Opcode::Mask, {x}, mask);
  }
  Opcode reduction = moment == Moment::Mean ? Opcode::Mean : Opcode::Variance;
  b.output(b.accumulate(x, reduction, {1}));
  tiles.tileOutputs = {{{}}};
  return wrap(tiles, {{2, width}}, {{2, 1}});
}

static Graph spelledVariance(int64_t width, unsigned numExponentials = 0) {
  Graph program;
  Builder b(program);
  ValueId x = b.input({2, width});
  for (unsigned i = 0; i < numExponentials; ++i)
    x = b.op(Opcode::Exp, {i == 0 ? x : b.scale(x, 0.5)});
  ValueId centred = b.op(Opcode::Sub, {x, b.reduce(Opcode::Mean, x, 1)});
  b.output(b.reduce(Opcode::Mean, b.op(Opcode::Square, {centred}), 1));
  return program;
}

/// Whole tiles, and a last one of one element, which is masked.
TEST(Accumulation, VariancesOverTheLoop) {
  for (int64_t width : {4, 6, 7})
    expectEqual(spelledVariance(width), makeVariance(width, Moment::Right));
  for (Moment moment : {Moment::OfSquares, Moment::OneTileLess, Moment::Mean})
    EXPECT_EQ(judge(spelledVariance(6), makeVariance(6, moment)).kind,
              Verdict::Different)
        << int(moment);
}

/// What a variance is of is evaluated twice, exponentials as well.
TEST(Accumulation, VariancesOfExponentials) {
  Graph kernel = makeVariance(6, Moment::OfExponentials);
  expectEqual(spelledVariance(6, /*numExponentials=*/1), kernel);
  EXPECT_EQ(judge(spelledVariance(6), kernel).kind, Verdict::Different);
}

/// A component that leaves an exponent's argument out evaluates the exponential
/// in it twice all the same.
TEST(Accumulation, VariancesOfNestedExponentials) {
  Graph kernel = makeVariance(6, Moment::OfNestedExponentials);
  expectEqual(spelledVariance(6, /*numExponentials=*/2), kernel);
  EXPECT_EQ(judge(spelledVariance(6, /*numExponentials=*/1), kernel).kind,
            Verdict::Different);
}
