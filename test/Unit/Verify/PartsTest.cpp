//===- PartsTest.cpp - Verdicts on slices, concats and causal masks ------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JudgeGraphs.h"
#include "Mirage/Graph/ComposedOperators.h"
#include "Mirage/Graph/DefaultTileGraph.h"
#include "Mirage/Verify/SmallerSizes.h"
#include "Mirage/Verify/Verify.h"
#include "Programs.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

static ValueId slice(Graph &graph, ValueId operand, Shape offsets,
                     Shape strides, Shape shape) {
  Attributes attributes;
  attributes.offsets = offsets;
  attributes.strides = strides;
  return graph.add(Opcode::Slice, {operand}, tensor(shape), attributes);
}

static ValueId concat(Graph &graph, llvm::ArrayRef<ValueId> operands,
                      int64_t dim) {
  Attributes attributes;
  attributes.dims = {dim};
  return Builder(graph).op(Opcode::Concat, operands, attributes);
}

/// [a, b] · w = [a · w; b · w], or only a part of it.
static Graph matmulOfConcat(bool first, int64_t begin = 2) {
  Graph graph;
  Builder builder(graph);
  ValueId a = builder.input({2, 4}), b = builder.input({3, 4}),
          w = builder.input({4, 3});
  if (first) {
    ValueId product = builder.op(Opcode::Matmul, {concat(graph, {a, b}, 0), w});
    graph.addOutput(slice(graph, product, {begin, 0}, {1, 1}, {3, 3}));
  } else {
    graph.addOutput(builder.op(Opcode::Matmul, {b, w}));
  }
  return graph;
}

TEST(VerifyParts, SliceOfAProductWithAConcat) {
  EXPECT_EQ(judge(matmulOfConcat(true), matmulOfConcat(false)).kind,
            Verdict::Equal);
  EXPECT_NE(judge(matmulOfConcat(true, 1), matmulOfConcat(false)).kind,
            Verdict::Equal);
}

/// Every second element from the first, and from the second, are all.
TEST(VerifyParts, StridesInterleave) {
  auto build = [](int64_t stride) {
    Graph graph;
    Builder builder(graph);
    ValueId x = builder.input({3, 6});
    ValueId even = slice(graph, x, {0, 0}, {1, stride}, {3, 3});
    ValueId odd = slice(graph, x, {0, 1}, {1, 2}, {3, 3});
    ValueId sums[] = {builder.reduce(Opcode::Sum, even, 1),
                      builder.reduce(Opcode::Sum, odd, 1)};
    graph.addOutput(builder.op(Opcode::Add, sums));
    return graph;
  };
  Graph sum;
  Builder builder(sum);
  sum.addOutput(builder.reduce(Opcode::Sum, builder.input({3, 6}), 1));
  EXPECT_EQ(judge(build(2), sum).kind, Verdict::Equal);
  EXPECT_NE(judge(build(1), sum).kind, Verdict::Equal);
}

/// Masked scores, exponentials, their sum.
static Graph causalWeights(Shape shape, int64_t offset) {
  Graph graph;
  Builder builder(graph);
  Attributes attributes;
  attributes.offset = offset;
  ValueId masked =
      builder.op(Opcode::CausalMask, {builder.input(shape)}, attributes);
  ValueId power = builder.op(Opcode::Exp, {masked});
  graph.addOutput(builder.reduce(Opcode::Sum, power, shape.size() - 1));
  return graph;
}

/// The same in one kernel: rows over the grid, columns over the loop.
static Graph causalWeightsTiled(Shape shape, int64_t offset, bool rightWay) {
  TileGraph tiles;
  tiles.grid = {ceilDiv(shape[0], 2)};
  tiles.loop = ceilDiv(shape[1], 2);
  Builder builder(tiles);
  ValueId x = builder.input({2, 2});
  tiles.tileInputs = {{{0}, 1}};
  Attributes attributes;
  attributes.offset = offset;
  attributes.axes = {rightWay ? Axis::X : Axis::Loop};
  attributes.columnAxes = {rightWay ? Axis::Loop : Axis::X};
  ValueId masked = builder.op(Opcode::CausalMask, {x}, attributes);
  ValueId power = builder.op(Opcode::Exp, {masked});
  tiles.addOutput(builder.accumulate(power, Opcode::Sum, {1}));
  tiles.tileOutputs = {{{0}}};
  TensorSpec input = tensor(shape);
  Graph graph;
  ValueId operand = graph.addInput(input);
  graph.addOutput(graph.addGraph({operand},
                                 std::make_shared<TileGraph>(llvm::cantFail(
                                     maskPartialTiles(tiles, {input}))),
                                 {tensor({shape[0], 1})}));
  return graph;
}

TEST(VerifyParts, CausalMasksOfTiles) {
  for (int64_t offset : {0, 1, 2}) {
    EXPECT_EQ(judge(causalWeights({4, 5}, offset),
                    causalWeightsTiled({4, 5}, offset, true))
                  .kind,
              Verdict::Equal);
    EXPECT_NE(judge(causalWeights({4, 5}, offset),
                    causalWeightsTiled({4, 5}, offset + 1, true))
                  .kind,
              Verdict::Equal);
    EXPECT_NE(judge(causalWeights({4, 5}, offset),
                    causalWeightsTiled({4, 5}, offset, false))
                  .kind,
              Verdict::Equal);
  }
}

/// An offset that is how many more columns than rows there are stays that.
TEST(VerifyParts, CausalMasksAtSmallerSizes) {
  auto pair = withSmallerSizes(causalWeights({300, 500}, 200),
                               causalWeightsTiled({300, 500}, 200, true));
  ASSERT_TRUE(static_cast<bool>(pair)) << llvm::toString(pair.takeError());
  const Shape &shape = pair->lhs.getType(0).shape;
  EXPECT_EQ(pair->lhs.getNodes()[0].attributes.offset, shape[1] - shape[0]);
  EXPECT_EQ(judge(pair->lhs, pair->rhs).kind, Verdict::Equal);
  // Of another offset its sign stays, and differences between two do.
  auto other = withSmallerSizes(causalWeights({300, 500}, 17),
                                causalWeightsTiled({300, 500}, 17, true));
  ASSERT_TRUE(static_cast<bool>(other)) << llvm::toString(other.takeError());
  EXPECT_EQ(other->lhs.getNodes()[0].attributes.offset, 1);
  EXPECT_EQ(judge(other->lhs, other->rhs).kind, Verdict::Equal);
  auto two = withSmallerSizes(causalWeights({300, 500}, 17),
                              causalWeightsTiled({300, 500}, 18, true));
  ASSERT_TRUE(static_cast<bool>(two)) << llvm::toString(two.takeError());
  EXPECT_NE(judge(two->lhs, two->rhs).kind, Verdict::Equal);
}

/// What a part is taken of keeps its size, all else shrinks.
TEST(VerifyParts, SlicesAtSmallerSizes) {
  auto build = [] {
    Graph graph;
    Builder builder(graph);
    ValueId x = builder.input({300, 20});
    graph.addOutput(slice(graph, x, {0, 6}, {1, 2}, {300, 7}));
    return graph;
  };
  auto pair = withSmallerSizes(build(), build());
  ASSERT_TRUE(static_cast<bool>(pair)) << llvm::toString(pair.takeError());
  EXPECT_LT(pair->lhs.getType(0).shape[0], 10);
  EXPECT_EQ(pair->lhs.getType(0).shape[1], 20);
  EXPECT_EQ(pair->lhs.getType(1).shape[1], 7);
}

/// The maximum that a softmax subtracts is arbitrary.
TEST(VerifyParts, SoftmaxIsStabilised) {
  Graph composed;
  Attributes dims;
  dims.dims = {1};
  composed.addOutput(composed.add(Opcode::Softmax,
                                  {composed.addInput(tensor({3, 4}))},
                                  tensor({3, 4}), dims));
  EXPECT_EQ(judge(composed, softmax(3, 4, false)).kind, Verdict::Equal);
  EXPECT_EQ(judge(composed, softmax(3, 4, true)).kind, Verdict::Equal);
}
