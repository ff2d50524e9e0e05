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
#include "PickCount.h"
#include "Programs.h"
#include "SmallProof.h"
#include "UsedFunctions.h"
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
/// \param numMore  how many more dimensions there are.
static Graph hide(llvm::function_ref<V(B &, V y, V z, V w)> formula,
                  unsigned numMore = 0) {
  Graph graph;
  B b(graph);
  V x = b.input({1, 65536}), y = b.input({1, 1}), z = b.input({1, 64}),
    w = b.input({1, 96});
  llvm::SmallVector<V> more;
  for (unsigned i = 0; i < numMore; ++i)
    more.push_back(b.input({1, 101 + i}));
  V low = orLow(b, x, formula(b, y, z, w));
  for (V other : more)
    low = b.op(O::Add, {low, b.scale(b.reduce(O::Sum, other, 1), 0)});
  b.output(low);
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
    EXPECT_NE(others->problem, "") << seed;
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

/// The smallest extent and the largest have one small extent, if there is one
/// between them; but not wherever other sizes are tried.
TEST(OtherSizes, TellExtentsOfThree) {
  auto make = [](int64_t iterations) {
    Graph graph = loops(iterations);
    TileGraph tiles;
    B b(tiles);
    tiles.loop = 96;
    V x = b.input({1, 2});
    tiles.tileInputs = {{{}, 1}};
    b.output(b.accumulate(b.reduce(O::Sum, x, 1)));
    tiles.tileOutputs = {{{}}};
    Graph sum = wrap(tiles, {{1, 192}}, {{1, 1}});
    Graph both;
    llvm::SmallVector<V> operands;
    for (const Graph *part : {&graph, &sum})
      for (V input = 0; input < part->getNumInputs(); ++input)
        operands.push_back(both.addInput(part->getType(input)));
    llvm::ArrayRef<V> all = operands;
    for (V output : inlineGraph(graph, all.drop_back(), both))
      both.addOutput(output);
    for (V output : inlineGraph(sum, all.take_back(), both))
      both.addOutput(output);
    return both;
  };
  expectTold(make(64), make(128));
}

/// (64 − 96)²·y and y: sizes that follow each other differ by 1.
TEST(OtherSizes, TellDifferencesOfManySizes) {
  for (unsigned numMore : {0, 9, 14})
    expectTold(hide(
                   [](B &b, V y, V z, V w) {
                     auto apart = [&](V of) {
                       return b.op(O::Sub, {times(b, of, z), times(b, of, w)});
                     };
                     return apart(apart(y));
                   },
                   numMore),
               hide([](B &b, V y, V, V) { return b.scale(y, 1); }, numMore));
}

/// A quotient that is 0/0 there, in one graph or in both, tells nothing.
TEST(OtherSizes, HaveToSaySomething) {
  auto make = [](bool isSum, bool isDivided) {
    return hide([=](B &b, V y, V z, V w) {
      V apart = b.op(O::Sub, {times(b, y, w), b.scale(y, 3)});
      V f = isSum ? add(b, times(b, y, z), y) : times(b, y, w);
      return isDivided ? b.op(O::Mul, {f, b.op(O::Div, {apart, apart})}) : f;
    });
  };
  expectTold(make(true, true), make(false, false));
  expectTold(make(true, true), make(false, true));
}

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

/// Accumulations that are rescaled pick maxima, too.
TEST(OtherSizes, RescaledSumsPick) {
  TileGraph tiles;
  B b(tiles);
  tiles.loop = 4;
  V x = b.input({1, 2});
  tiles.tileInputs = {{{}, 1}};
  b.output(b.rescaledSum(b.reduce(O::Sum, x, 1), b.reduce(O::Max, x, 1)));
  tiles.tileOutputs = {{{}}};
  Graph graph = wrap(tiles, {{1, 8}}, {{1, 1}});
  EXPECT_TRUE(picksValues(graph));
  EXPECT_EQ(countPicked(graph), 8);
}

/// Two offsets are two, though masks are over different columns.
TEST(OtherSizes, OffsetsStayApart) {
  auto make = [](int64_t offset) {
    Graph graph;
    B b(graph);
    V z = b.input({1, 90}), w = b.input({1, 70});
    Attributes mask;
    mask.offset = 5;
    V first = b.op(O::CausalMask, {z}, mask);
    mask.offset = offset;
    V second = b.op(O::CausalMask, {w}, mask);
    b.output(add(b, b.reduce(O::Max, first, 1), b.reduce(O::Max, second, 1)));
    return graph;
  };
  llvm::Expected<SmallerGraphs> least = withSmallerSizes(make(6), make(6));
  ASSERT_TRUE(bool(least)) << llvm::toString(least.takeError());
  auto getOffset = [&](unsigned node) {
    return least->lhs.getNodes()[node].attributes.offset;
  };
  EXPECT_NE(getOffset(0), getOffset(1));
}

/// Tiles of 64 and of 48, two each, go on behind 90 elements: the zeros there
/// count.
TEST(OtherSizes, TellWidthsOfTiles) {
  auto make = [](int64_t width) {
    auto tiles = std::make_shared<TileGraph>();
    B t(*tiles);
    tiles->loop = 2;
    V y = t.input({1, width}), x = t.input({1, 65536});
    tiles->tileInputs = {{{}, 1}, {{}, kReplicated}};
    t.output(orLow(t, x, t.accumulate(t.op(O::Exp, {y}), O::Sum, {1})));
    tiles->tileOutputs = {{{}}};
    Graph graph;
    V operands[] = {graph.addInput(tensor({1, 90})),
                    graph.addInput(tensor({1, 65536}))};
    graph.addOutput(graph.addGraph(operands, tiles, {tensor({1, 1})}));
    return graph;
  };
  expectTold(make(64), make(48));
}

/// Tiles of 64 have two elements at the least sizes: y as often is y + y, and
/// the largest of eight of these is no more.
TEST(OtherSizes, TellSizesOfTiles) {
  TileGraph tiles;
  B b(tiles);
  tiles.loop = 8;
  V x = b.input({1, 65536}), y = b.input({1, 1}), z = b.input({1, 64});
  tiles.tileInputs = {{{}, kReplicated}, {{}, kReplicated}, {{}, 1}};
  b.output(orLow(b, x, b.accumulate(times(b, y, z), O::Max)));
  tiles.tileOutputs = {{{}}};
  Graph sums = wrap(tiles, {{1, 65536}, {1, 1}, {1, 512}}, {{1, 1}});
  Graph twice;
  B t(twice);
  V all = t.input({1, 65536}), one = t.input({1, 1});
  t.input({1, 512});
  t.output(orLow(t, all, add(t, one, one)));
  expectTold(sums, twice);
}

/// A row in two tiles, the last of which lacks some elements: at other sizes it
/// lacks others.
TEST(OtherSizes, LackOtherElements) {
  TileGraph tiles;
  B b(tiles);
  tiles.loop = 2;
  b.output(b.accumulate(b.reduce(O::Max, b.input({1, 64}), 1), O::Max));
  tiles.tileInputs = {{{}, 1}};
  tiles.tileOutputs = {{{}}};
  Graph graph = wrap(tiles, {{1, 90}}, {{1, 1}});
  auto countMissing = [](const SmallerGraphs &pair) {
    const TileGraph &small = *pair.lhs.getNodes()[0].body;
    return small.loop * small.getType(0).shape[1] -
           pair.lhs.getType(0).shape[1];
  };
  llvm::Expected<SmallerGraphs> least = withSmallerSizes(graph, graph);
  ASSERT_TRUE(bool(least)) << llvm::toString(least.takeError());
  llvm::Expected<std::vector<SmallerGraphs>> others =
      withOtherSizes(graph, graph);
  ASSERT_TRUE(bool(others)) << llvm::toString(others.takeError());
  for (const SmallerGraphs &other : *others)
    EXPECT_NE(countMissing(other), countMissing(*least));
}

static Graph causalInLoop(int64_t rows, int64_t columns, int64_t width) {
  TileGraph tiles;
  B b(tiles);
  tiles.loop = columns / width;
  V x = b.input({rows, width});
  tiles.tileInputs = {{{}, 1}};
  Attributes mask;
  mask.columnAxes = {Axis::Loop};
  V seen = b.op(O::Exp, {b.op(O::CausalMask, {x}, mask)});
  b.output(b.accumulate(seen, O::Sum, {1}));
  tiles.tileOutputs = {{{}}};
  return wrap(tiles, {{rows, columns}}, {{rows, 1}});
}

/// Where a causal mask is over columns that a loop cuts, there are other sizes.
TEST(OtherSizes, AreOfMasksInLoops) {
  llvm::Expected<std::vector<SmallerGraphs>> others =
      withOtherSizes(causalInLoop(64, 96, 8), causalInLoop(64, 96, 8));
  ASSERT_TRUE(bool(others)) << llvm::toString(others.takeError());
  EXPECT_EQ(others->size(), 1u);
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
  EXPECT_EQ(others->problem, "");
  EXPECT_GE(others->trials, 64u);
  EXPECT_FALSE(others->areFew);
}

/// What is proved exactly at the graphs' own sizes needs no others: 10·y and
/// 9·y + y, at sizes that are 9 and 10.
TEST(OtherSizes, AreNoneOfExactProofs) {
  auto make = [](bool isSum) {
    Graph graph;
    B b(graph);
    V x = b.input({1, 512}), y = b.input({1, 1}), z = b.input({1, 9}),
      w = b.input({1, 10});
    V f = isSum ? add(b, times(b, y, z), y) : times(b, y, w);
    b.output(b.op(O::Maximum, {b.reduce(O::Max, x, 1), f}));
    return graph;
  };
  VerifyOptions options;
  options.wantsExactProof = true;
  Verdict verdict = judge(make(true), make(false), options);
  EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
  EXPECT_TRUE(verdict.otherSizes.sizes.empty());
}

/// Where a proof is of smaller sizes, the verdict names the others.
TEST(OtherSizes, AreNamed) {
  Verdict verdict =
      judge(attention(8, 4096, 64, true), attentionFused(8, 4096, 64, 16));
  EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
  EXPECT_EQ(verdict.otherSizes.trials, 64u);
  ASSERT_EQ(verdict.otherSizes.sizes.size(), 1u);
  EXPECT_NE(verdict.otherSizes.sizes[0], verdict.sizes);
  EXPECT_NE(toString(verdict).find("; at " + verdict.otherSizes.sizes[0] +
                                   " 64 trials agree, too"),
            std::string::npos)
      << toString(verdict);
}
