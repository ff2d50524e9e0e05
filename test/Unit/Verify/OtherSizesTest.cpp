//===- OtherSizesTest.cpp - What one set of small sizes makes equal -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pairs that differ at their own sizes, and not at the smallest; what differs
// is hidden from trials and float64 inputs below the largest of 65536 elements.
//
//===----------------------------------------------------------------------===//

#include "JudgeGraphs.h"
#include "Mirage/Verify/VerdictJSON.h"
#include "Programs.h"
#include "SmallProof.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;
using O = Opcode;
using V = ValueId;
using B = Builder;

/// The largest of 65536 elements x, or −10⁶·(f(z)² + 100).
static V orLow(B &b, V x, V f) {
  Attributes hundred;
  hundred.scalars = {100};
  V low = b.scale(b.op(O::Offset, {b.op(O::Square, {f})}, hundred), -1e6);
  return b.op(O::Maximum, {b.reduce(O::Max, x, 1), low});
}

/// That of x, y, z with 64 and w with 96 elements.
static Graph hide(llvm::function_ref<V(B &, V y, V z, V w)> formula) {
  Graph graph;
  B b(graph);
  V x = b.input({1, 65536}), y = b.input({1, 1}), z = b.input({1, 64}),
    w = b.input({1, 96});
  b.output(orLow(b, x, formula(b, y, z, w)));
  return graph;
}

/// y as often as there are elements along a dimension.
static V times(B &b, V y, V like) {
  return b.reduce(O::Sum, b.op(O::Add, {y, b.scale(like, 0)}), 1);
}

static V add(B &b, V x, V y) { return b.op(O::Add, {x, y}); }

static void expectTold(const Graph &lhs, const Graph &rhs) {
  llvm::Expected<SmallerGraphs> least = withSmallerSizes(lhs, rhs);
  ASSERT_TRUE(bool(least)) << llvm::toString(least.takeError());
  EXPECT_EQ(judge(least->lhs, least->rhs).kind, Verdict::Equal)
      << "the smallest sizes tell them apart";
  for (unsigned seed = 0; seed < 4; ++seed) {
    VerifyOptions options;
    options.seed = deriveSeed(Seed{}, "test", seed);
    EXPECT_NE(judge(lhs, rhs, options).kind, Verdict::Equal) << seed;
    llvm::Expected<OtherSizeTrials> others =
        tryOtherSizes(lhs, rhs, SizeNumbers::Follow, options);
    ASSERT_TRUE(bool(others));
    EXPECT_NE(others->disagreement, "") << seed << ": " << others->sizes;
  }
}

/// 64·y + y and 96·y, which are 4·y at sizes of 3 and 4.
TEST(OtherSizes, TellSumsOfSizes) {
  expectTold(hide([](B &b, V y, V z, V) { return add(b, times(b, y, z), y); }),
             hide([](B &b, V y, V, V w) { return times(b, y, w); }));
}

/// 64·y and y + y + y + y.
TEST(OtherSizes, TellSizesFromNumbers) {
  expectTold(hide([](B &b, V y, V z, V) { return times(b, y, z); }),
             hide([](B &b, V y, V, V) {
               V two = add(b, y, y);
               return add(b, two, two);
             }));
}

/// 64·96·y and 20·y.
TEST(OtherSizes, TellProductsFromNumbers) {
  expectTold(
      hide([](B &b, V y, V z, V w) { return times(b, times(b, y, z), w); }),
      hide([](B &b, V y, V, V) { return b.scale(y, 20); }));
}

/// A kernel that adds its tile up as often as it loops.
static Graph loops(int64_t iterations) {
  constexpr int64_t kColumns = 8192;
  TileGraph tiles;
  B b(tiles);
  tiles.loop = iterations;
  V x = b.input({1, 65536}), y = b.input({1, 1}),
    z = b.input({1, kColumns / iterations});
  tiles.tileInputs = {{{}, kReplicated}, {{}, kReplicated}, {{}, 1}};
  V ofTile = b.reduce(O::Max, add(b, y, b.scale(z, 0)), 1);
  b.output(orLow(b, x, b.accumulate(ofTile)));
  tiles.tileOutputs = {{{}}};
  return wrap(tiles, {{1, 65536}, {1, 1}, {1, kColumns}}, {{1, 1}});
}

TEST(OtherSizes, TellExtents) { expectTold(loops(64), loops(128)); }

/// Partial tiles are filled with zeros, whose exponentials count: 38 are 1 at
/// the smallest sizes.
TEST(OtherSizes, TellWhatPartialTilesLack) {
  auto tiles = std::make_shared<TileGraph>();
  B t(*tiles);
  tiles->loop = 2;
  V y = t.input({1, 64}), x = t.input({1, 65536});
  tiles->tileInputs = {{{}, 1}, {{}, kReplicated}};
  t.output(orLow(t, x, t.accumulate(t.op(O::Exp, {y}), O::Sum, {1})));
  tiles->tileOutputs = {{{}}};
  Graph unmasked;
  V operands[] = {unmasked.addInput(tensor({1, 90})),
                  unmasked.addInput(tensor({1, 65536}))};
  unmasked.addOutput(unmasked.addGraph(operands, tiles, {tensor({1, 1})}));
  Graph plain;
  B b(plain);
  V z = b.input({1, 90}), all = b.input({1, 65536});
  Attributes one;
  one.scalars = {1};
  V sum = b.reduce(O::Sum, b.op(O::Exp, {z}), 1);
  b.output(orLow(b, all, b.op(O::Offset, {sum}, one)));
  expectTold(unmasked, plain);
}

/// Six columns of the row are seen, and two at the smallest sizes.
TEST(OtherSizes, TellOffsetsOfMasks) {
  auto make = [](bool isMasked) {
    Graph graph;
    B b(graph);
    V z = b.input({1, 90}), x = b.input({1, 65536}), y = b.input({1, 1});
    Attributes mask;
    mask.offset = 5;
    V seen = b.op(O::CausalMask, {b.scale(z, 0)}, mask);
    V count = b.reduce(O::Sum, b.op(O::Exp, {seen}), 1);
    b.output(orLow(b, x, isMasked ? b.op(O::Mul, {y, count}) : b.scale(y, 2)));
    return graph;
  };
  expectTold(make(true), make(false));
}

/// The product of |x_i| ± x_i over eight inputs is zero in all patterns of
/// signs but one.
TEST(OtherSizes, TellWhatSignsHide) {
  auto make = [](bool isSum) {
    Graph graph;
    B b(graph);
    V z = b.input({1, 64}), w = b.input({1, 96}), y = b.input({1, 1});
    V many = b.input({1, 65536}), signs = b.input({8, 1});
    V product = isSum ? add(b, times(b, y, z), y) : times(b, y, w);
    for (int64_t i = 0; i < 8; ++i) {
      Attributes row;
      row.offsets = {i, 0};
      row.strides = {1, 1};
      V x = b.slice(signs, {1, 1}, row);
      V both = b.op(i % 2 ? O::Sub : O::Add, {b.op(O::Abs, {x}), x});
      product = b.op(O::Mul, {product, both});
    }
    V zero = b.scale(b.reduce(O::Sum, many, 1), 0);
    b.output(add(b, product, zero));
    return graph;
  };
  expectTold(make(true), make(false));
}

/// What is equal at all sizes stays so, and the verdict names those that were
/// tried.
TEST(OtherSizes, AgreeOnWhatIsEqual) {
  auto [lhs, rhs] = std::pair(
      hide([](B &b, V y, V z, V) { return times(b, b.scale(y, 3), z); }),
      hide([](B &b, V y, V z, V) { return b.scale(times(b, y, z), 3); }));
  llvm::Expected<OtherSizeTrials> others =
      tryOtherSizes(lhs, rhs, SizeNumbers::Follow, VerifyOptions());
  ASSERT_TRUE(bool(others));
  EXPECT_EQ(others->disagreement, "");
  EXPECT_EQ(others->trials, 64u);
}

/// Where a proof is of smaller sizes, the verdict names the others.
TEST(OtherSizes, AreNamed) {
  Verdict verdict =
      judge(attention(8, 4096, 64, true), attentionFused(8, 4096, 64, 16));
  EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
  EXPECT_EQ(verdict.otherSizes.trials, 64u);
  EXPECT_NE(verdict.otherSizes.sizes, verdict.sizes);
  EXPECT_NE(toString(verdict).find("; at " + verdict.otherSizes.sizes +
                                   " 64 trials agree, too"),
            std::string::npos)
      << toString(verdict);
}
