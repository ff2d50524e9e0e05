//===- SmallerSizesTest.cpp - The same graphs with small dimensions -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Verify/SmallerSizes.h"
#include "Mirage/Verify/VerdictJSON.h"
#include "Programs.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

static std::string getInputs(const Graph &graph) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (ValueId input = 0; input < graph.getNumInputs(); ++input)
    os << graph.getType(input) << ' ';
  return text;
}

static std::pair<Graph, Graph> shrink(const Graph &lhs, const Graph &rhs) {
  auto pair = withSmallerSizes(lhs, rhs);
  if (!pair) {
    ADD_FAILURE() << llvm::toString(pair.takeError());
    return {};
  }
  EXPECT_EQ(getInputs(pair->lhs), getInputs(pair->rhs));
  return {std::move(pair->lhs), std::move(pair->rhs)};
}

TEST(SmallerSizes, LiteralsThatAreReplacedAreNamed) {
  auto scaled = [](double factor) {
    Graph graph;
    Builder b(graph);
    b.output(b.scale(b.input({8, 4096}), factor));
    return graph;
  };
  auto pair = withSmallerSizes(scaled(64), scaled(3));
  ASSERT_TRUE(!!pair) << llvm::toString(pair.takeError());
  std::map<double, double> expected = {{64, 2}}; // the root of 4096, and of 4
  EXPECT_EQ(pair->replaced.literals, expected);
}

/// Four rows, between 0 and a limit.
static Graph clampRows(int64_t columns, double limit) {
  Graph graph;
  Builder b(graph);
  Attributes attributes;
  attributes.scalars = {0, limit};
  b.output(b.op(Opcode::Clamp, {b.input({4, columns})}, attributes));
  return graph;
}

/// Either stands for the size, but graphs that differ in them differ.
TEST(SmallerSizes, LiteralsThatStandForOneSizeStayApart) {
  for (double limit : {4096.0, 4097.0, 4097.001})
    shrink(clampRows(4097, limit), clampRows(4097, limit));
  auto pair =
      withSmallerSizes(clampRows(4097, 4097.001), clampRows(4097, 4097));
  ASSERT_FALSE(!!pair);
  EXPECT_NE(llvm::toString(pair.takeError()).find("would be one, 4"),
            std::string::npos);
}

/// bf16 rounds 4097 to 4096. Where something is picked numbers are what they
/// are.
TEST(SmallerSizes, LiteralsAreNotRoundedWhereThatMayHide) {
  auto pair = withSmallerSizes(clampRows(4097, 4096), clampRows(4097, 4097));
  ASSERT_TRUE(!!pair) << llvm::toString(pair.takeError());
  EXPECT_EQ(pair->replaced.literals.count(4096), 0u);
  EXPECT_EQ(pair->replaced.literals.count(4097), 1u);
  auto scaled = [] {
    Graph graph;
    Builder b(graph);
    b.output(b.scale(b.input({4, 4097}), 4096));
    return graph;
  };
  auto plain = withSmallerSizes(scaled(), scaled());
  ASSERT_TRUE(!!plain) << llvm::toString(plain.takeError());
  EXPECT_EQ(plain->replaced.literals.count(4096), 1u);
}

/// Three numbers of three add up to three times one: what a mask puts in is a
/// number like any other, and stays what it is.
TEST(SmallerSizes, NoSizeIsWhatMasksPutIn) {
  auto masked = [](double value) {
    TileGraph tiles;
    Builder b(tiles);
    tiles.grid = {4};
    ValueId tile = b.input({2, 4096});
    tiles.tileInputs = {{{0}, kReplicated}};
    Attributes mask;
    mask.scalars = {value};
    mask.dims = {1};
    mask.extent = 4096;
    b.output(b.reduce(Opcode::Max, b.op(Opcode::Mask, {tile}, mask), 1));
    tiles.tileOutputs = {{{0}}};
    return wrap(tiles, {{8, 4096}}, {{8, 1}});
  };
  auto hasSize = [](const Graph &graph, int64_t size) {
    return llvm::is_contained(graph.getType(0).shape, size);
  };
  EXPECT_TRUE(hasSize(shrink(masked(0.3), masked(0.3)).first, 3));
  for (double value : {3.0, 1.0 / 3})
    EXPECT_FALSE(hasSize(shrink(masked(value), masked(value)).first, 3));
}

/// f16 rounds a size of 65536 to infinity, which is another limit.
TEST(SmallerSizes, InfinityIsNoSize) {
  auto pair =
      withSmallerSizes(clampRows(65536, INFINITY), clampRows(65536, 65536));
  ASSERT_TRUE(!!pair) << llvm::toString(pair.takeError());
  auto getLimit = [](const Graph &graph) {
    return graph.getNodes()[0].attributes.scalars[1];
  };
  EXPECT_EQ(getLimit(pair->lhs), INFINITY);
  EXPECT_EQ(getLimit(pair->rhs), pair->rhs.getType(0).shape[1]);
  EXPECT_EQ(pair->replaced.literals.count(INFINITY), 0u);
}

TEST(SmallerSizes, EvenCutsStayEven) {
  auto [program, fused] =
      shrink(rmsLinear(8, 4096, 6144), rmsLinearFused(8, 4096, 6144, 64, 32));
  EXPECT_EQ(getInputs(program), "tensor<3x4xf32> tensor<4x6xf32> ");
  const TileGraph &tiles = *fused.getNodes()[0].body;
  EXPECT_EQ(tiles.grid[0], 2);
  EXPECT_EQ(tiles.loop, 2);
  EXPECT_EQ(tiles.getType(0).shape, (Shape{3, 2}));
  EXPECT_EQ(tiles.getType(1).shape, (Shape{2, 3}));
  EXPECT_EQ(tiles.getNodes()[0].attributes.count, 4);
}

/// Heads that one graph splits off are factors in both, and inputs keep their
/// rank.
TEST(SmallerSizes, ProductsOfNamesGetSmaller) {
  Graph plain, split;
  for (Graph *graph : {&plain, &split})
    graph->addInput({{64, 512}, ElementType::F32});
  plain.addOutput(plain.add(Opcode::Exp, {0}, plain.getType(0)));
  TensorSpec heads = {{64, 8, 64}, ElementType::F32};
  ValueId exp =
      split.add(Opcode::Exp, {split.add(Opcode::Reshape, {0}, heads)}, heads);
  split.addOutput(split.add(Opcode::Reshape, {exp}, split.getType(0)));
  auto [lhs, rhs] = shrink(plain, split);
  EXPECT_EQ(getInputs(lhs), "tensor<3x20xf32> ");
  EXPECT_EQ(rhs.getType(rhs.getOutputs()[0]).shape, (Shape{3, 20}));
  EXPECT_FALSE(verify(lhs));
  EXPECT_FALSE(verify(rhs));
}

/// Rows and columns are one dimension of the kernel, of which tiles are cut.
TEST(SmallerSizes, WhatAKernelTakesAsOneIsOne) {
  Graph plain;
  Builder b(plain);
  b.output(b.op(Opcode::Exp, {b.input({400, 401})}));
  TileGraph tiles;
  Builder t(tiles);
  tiles.grid = {157};
  t.output(t.op(Opcode::Exp, {t.input({1024})}));
  tiles.tileInputs = {{{0}, kReplicated}};
  tiles.tileOutputs = {{{0}}};
  Graph flat;
  Builder f(flat);
  ValueId x = f.input({400, 401});
  Graph kernel = wrap(tiles, {{400 * 401}}, {{400 * 401}});
  ValueId joined = flat.add(Opcode::Reshape, {x}, kernel.getType(0));
  ValueId values[] = {joined};
  ValueId result = inlineGraph(kernel, values, flat)[0];
  f.output(flat.add(Opcode::Reshape, {result}, flat.getType(x)));
  auto [lhs, rhs] = shrink(plain, flat);
  EXPECT_EQ(getInputs(lhs), "tensor<1x3xf32> ");
}

TEST(SmallerSizes, PartialTilesStayPartial) {
  auto [program, fused] =
      shrink(rmsLinear(7, 1000, 130), rmsLinearFused(7, 1000, 130, 64, 32));
  const TileGraph &tiles = *fused.getNodes()[0].body;
  EXPECT_LT(program.getType(0).shape[1], tiles.getType(0).shape[1] * 2);
  EXPECT_LT(program.getType(1).shape[1], tiles.getType(1).shape[1] * 2);
}

TEST(SmallerSizes, MasksFollow) {
  auto [program, fused] =
      shrink(attention(8, 100, 64, false), attentionFused(8, 100, 64, 16));
  int64_t keys = program.getType(1).shape[0];
  unsigned masks = 0;
  for (const Node &node : fused.getNodes()[0].body->getNodes())
    if (node.opcode == Opcode::Mask) {
      EXPECT_EQ(node.attributes.extent, keys);
      ++masks;
    }
  EXPECT_GE(masks, 1u);
}

/// Ten different sizes are 4·10⁸ elements. What is summed over keeps its own.
TEST(SmallerSizes, VeryManyDimensionsMayBeAlike) {
  auto build = [] {
    Graph graph;
    Builder b(graph);
    ValueId x = b.input({9, 9, 9, 9, 9, 9, 9, 9, 9, 9});
    b.output(b.reduce(Opcode::Sum, b.op(Opcode::Exp, {x}), 4));
    return graph;
  };
  auto [program, same] = shrink(build(), build());
  const Shape &shape = program.getType(0).shape;
  EXPECT_LE(program.getType(0).getNumElements(), 1 << 14);
  EXPECT_EQ(llvm::count(shape, shape[4]), 1);
}

TEST(SmallerSizes, OffsetsOfMasksFollowOrKeepTheirSigns) {
  auto masked = [](int64_t offset) {
    Graph graph;
    Builder b(graph);
    Attributes attributes;
    attributes.offset = offset;
    b.output(b.op(Opcode::CausalMask, {b.input({24, 129})}, attributes));
    return graph;
  };
  auto getOffset = [](const Graph &graph) {
    return graph.getNodes()[0].attributes.offset;
  };
  auto [none, all] = shrink(masked(0), masked(129 - 24));
  EXPECT_EQ(getOffset(none), 0);
  const Shape &shape = all.getType(0).shape;
  EXPECT_EQ(getOffset(all), shape[1] - shape[0]);
  auto pair = withSmallerSizes(masked(100), masked(0));
  ASSERT_TRUE(!!pair) << llvm::toString(pair.takeError());
  EXPECT_GT(getOffset(pair->lhs), 0);
  EXPECT_EQ(pair->replaced.maskOffsets,
            (std::map<int64_t, int64_t>{{100, getOffset(pair->lhs)}}));
  EXPECT_TRUE(pair->replaced.literals.empty());
  auto [before, same] = shrink(masked(-7), masked(-7));
  EXPECT_EQ(getOffset(before), -1);
  auto [less, more] = shrink(masked(100), masked(101));
  EXPECT_EQ(getOffset(less), 1);
  EXPECT_EQ(getOffset(more), 2);
}

/// A literal that is a size, and an offset as large that is none: the one
/// becomes a size, and the other keeps its sign. Neither says what the other
/// is.
TEST(SmallerSizes, OffsetsAreNoLiterals) {
  auto masked = [](int64_t offset, double factor) {
    Graph graph;
    Builder b(graph);
    Attributes attributes;
    attributes.offset = offset;
    ValueId x = b.scale(b.input({24, 129}), factor);
    b.output(b.op(Opcode::CausalMask, {x}, attributes));
    return graph;
  };
  auto pair = withSmallerSizes(masked(24, 24), masked(24, 24));
  ASSERT_TRUE(!!pair) << llvm::toString(pair.takeError());
  double rows = pair->lhs.getType(0).shape[0];
  EXPECT_EQ(pair->replaced.literals, (std::map<double, double>{{24, rows}}));
  EXPECT_EQ(pair->replaced.maskOffsets, (std::map<int64_t, int64_t>{{24, 1}}));
  EXPECT_EQ(describeReplaced(pair->replaced),
            "4 for the literal 24 and 1 for the mask's offset 24");
}

/// Offsets of one dimension stay different ones; others do not matter.
TEST(SmallerSizes, MasksOfOtherDimensionsAreApart) {
  auto masked = [](Shape second, int64_t offset) {
    Graph graph;
    Builder b(graph);
    ValueId x = b.input({24, 129}), y = b.input(second);
    Attributes attributes;
    attributes.offset = 129 - 24;
    b.output(b.op(Opcode::CausalMask, {x}, attributes));
    attributes.offset = offset;
    b.output(b.op(Opcode::CausalMask, {y}, attributes));
    return graph;
  };
  auto getOffsets = [](const Graph &graph) {
    return std::pair(graph.getNodes()[0].attributes.offset,
                     graph.getNodes()[1].attributes.offset);
  };
  Graph other = masked({32, 64}, 20);
  auto [lhs, rhs] = shrink(other, other);
  const Shape &x = lhs.getType(0).shape;
  EXPECT_EQ(getOffsets(lhs), std::pair(x[1] - x[0], int64_t(1)));
  EXPECT_EQ(getOffsets(rhs), getOffsets(lhs));
  Graph same = masked({24, 129}, 129 - 24 - 1);
  auto [both, again] = shrink(same, same);
  EXPECT_LT(getOffsets(both).second, getOffsets(both).first);
  EXPECT_EQ(getOffsets(again), getOffsets(both));
}

/// Nor is a mask ever one that hides nothing, or what another one does.
TEST(SmallerSizes, MasksStayMasks) {
  auto masked = [](Shape shape, int64_t offset) {
    Graph graph;
    Builder b(graph);
    Attributes attributes;
    attributes.offset = offset;
    ValueId x = b.input(shape);
    b.output(b.op(Opcode::CausalMask, {b.op(Opcode::Exp, {x})}, attributes));
    return graph;
  };
  auto getOffset = [](const Graph &graph) {
    return graph.getNodes()[1].attributes.offset;
  };
  // Many dimensions may be alike, but not those that are masked.
  Shape many = {10, 11, 12, 13, 14, 15, 16, 17};
  auto [first, second] = shrink(masked(many, 5), masked(many, 5));
  int64_t columns = first.getType(0).shape.back();
  EXPECT_LT(getOffset(first), columns - 1);
  EXPECT_LE(first.getType(0).getNumElements(), 1 << 14);
  auto [zero, negative] = shrink(masked({15, 14}, 0), masked({15, 14}, -1));
  EXPECT_EQ(getOffset(zero), 0);
  EXPECT_LT(getOffset(negative), 0);
  // One column to a tile: two here, of which no row has one hidden.
  TileGraph tiles;
  Builder b(tiles);
  tiles.grid = {300};
  ValueId tile = b.input({400, 1});
  tiles.tileInputs = {{{1}, kReplicated}};
  b.output(b.op(Opcode::Exp, {tile}));
  tiles.tileOutputs = {{{1}}};
  auto pair = withSmallerSizes(masked({400, 300}, 5),
                               wrap(tiles, {{400, 300}}, {{400, 300}}));
  ASSERT_FALSE(!!pair);
  EXPECT_EQ(llvm::toString(pair.takeError()),
            "no offsets of causal masks hide what theirs do");
}

/// Tiles of one element are two here, in both dimensions.
TEST(SmallerSizes, LiteralsOfOtherDimensionsAreNotExplainedAway) {
  TileGraph tiles;
  Builder b(tiles);
  tiles.grid = {1024};
  tiles.loop = 2048;
  ValueId x = b.input({1, 1});
  tiles.tileInputs = {{{1}, 0}};
  b.output(b.scale(b.accumulate(x), 1.0 / 1024));
  tiles.tileOutputs = {{{1}}};
  Graph program;
  Builder c(program);
  c.output(c.reduce(Opcode::Mean, c.input({2048, 1024}), 0));
  auto pair =
      withSmallerSizes(program, wrap(tiles, {{2048, 1024}}, {{1, 1024}}));
  ASSERT_FALSE(!!pair);
  EXPECT_EQ(llvm::toString(pair.takeError()),
            "a literal is a function of a dimension of 1024, which would be as "
            "large as one of 2048");
}

TEST(SmallerSizes, WrongCountsAreNotExplainedAway) {
  Graph wrong;
  wrong.addInput(tensor({8, 100}));
  Builder b(wrong);
  Attributes attributes;
  attributes.dims = {1};
  attributes.count = 99;
  b.output(b.op(Opcode::Mean, {0}, attributes));
  auto pair = withSmallerSizes(wrong, wrong);
  ASSERT_FALSE(!!pair);
  EXPECT_EQ(llvm::toString(pair.takeError()),
            "a count of 99 is not the number of elements that are averaged");
}

/// Numbers that stay are literals: the count is what it is at the true size,
/// stated or not, and no size is one of them.
TEST(SmallerSizes, NumbersMayStay) {
  auto mean = [](int64_t count) {
    Graph graph;
    Builder b(graph);
    Attributes attributes;
    attributes.dims = {1};
    attributes.count = count;
    ValueId x = b.scale(b.input({8, 100}), 3);
    b.output(b.op(Opcode::Mean, {x}, attributes));
    return graph;
  };
  auto pair = withSmallerSizes(mean(0), mean(99), SizeNumbers::Stay);
  ASSERT_TRUE(!!pair) << llvm::toString(pair.takeError());
  EXPECT_TRUE(pair->replaced.keepsNumbers);
  EXPECT_EQ(getInputs(pair->lhs), "tensor<4x5xf32> ");
  EXPECT_EQ(pair->lhs.getNodes()[1].attributes.count, 100);
  EXPECT_EQ(pair->rhs.getNodes()[1].attributes.count, 99);
  EXPECT_EQ(pair->rhs.getNodes()[0].attributes.scalars[0], 3);
}

/// Exponentials of 31 rows, a row to an item, and their sum in steps of 4.
static Graph rowsInThreads() {
  auto rows = std::make_shared<TileGraph>(),
       sums = std::make_shared<TileGraph>();
  for (TileGraph *tiles : {rows.get(), sums.get()}) {
    tiles->level = Level::Thread;
    tiles->threads = 32;
  }
  Builder r(*rows), s(*sums);
  rows->grid = {31};
  rows->tileInputs = {{{0}, kReplicated}};
  r.output(r.op(Opcode::Exp, {r.input({1, 6})}));
  rows->tileOutputs = {{{0}}};
  sums->loop = 8;
  sums->tileInputs = {{{}, 0}};
  s.output(s.accumulate(s.input({4, 6}), Opcode::Sum, {0}));
  sums->tileOutputs = {{{}}};
  TileGraph block;
  ValueId x = block.addInput(tensor({31, 6}));
  block.tileInputs = {{{}, kReplicated}};
  ValueId exp = block.addGraph({x}, rows, {tensor({31, 6})});
  block.addOutput(block.addGraph({exp}, sums, {tensor({1, 6})}));
  block.tileOutputs = {{{}}};
  return wrap(block, {{31, 6}}, {{1, 6}});
}

/// One of two rows to an item would leave nothing to cut into steps.
TEST(SmallerSizes, ThreadsTakeAllElements) {
  Graph program;
  Builder b(program);
  b.output(b.reduce(Opcode::Sum, b.op(Opcode::Exp, {b.input({31, 6})}), 0));
  auto [plain, kernel] = shrink(program, rowsInThreads());
  int64_t numRows = plain.getType(0).shape[0];
  const TileGraph &block = *kernel.getNodes()[0].body;
  const TileGraph &rows = *block.getNodes()[0].body;
  const TileGraph &sums = *block.getNodes()[1].body;
  EXPECT_EQ(rows.grid[0], numRows);
  EXPECT_EQ(sums.loop, 2);
  EXPECT_LT(numRows, 2 * sums.getType(0).shape[0]);
}
