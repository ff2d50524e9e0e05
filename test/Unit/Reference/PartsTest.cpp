//===- PartsTest.cpp - Slices, concats, causal masks, constants ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/DefaultTileGraph.h"
#include "Mirage/Reference/Reference.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir::mirage;

static TensorSpec f32(Shape shape) { return {shape, ElementType::F32}; }

/// 0, 1, 2, ...
static HostTensor count(Shape shape) {
  std::vector<double> values(f32(shape).getNumElements());
  for (auto [i, value] : llvm::enumerate(values))
    value = i;
  return encode(f32(shape), values);
}

static std::vector<double> evaluate(const Graph &graph,
                                    llvm::ArrayRef<HostTensor> inputs) {
  auto outputs = evaluateReference(graph, inputs, {2, true});
  EXPECT_TRUE(static_cast<bool>(outputs))
      << (outputs ? "" : llvm::toString(outputs.takeError()));
  return outputs->front().values;
}

TEST(Parts, SlicesOfAnyOffsetAndStride) {
  for (int64_t offset : {0, 1, 4})
    for (int64_t stride : {1, 2, 5}) {
      int64_t size = (12 - offset + stride - 1) / stride;
      Graph graph;
      ValueId x = graph.addInput(f32({3, 12, 5}));
      Attributes attributes;
      attributes.offsets = {1, offset, 0};
      attributes.strides = {1, stride, 2};
      graph.addOutput(
          graph.add(Opcode::Slice, {x}, f32({2, size, 3}), attributes));
      std::vector<double> found = evaluate(graph, count({3, 12, 5}));
      for (int64_t i = 0; i < 2 * size * 3; ++i)
        ASSERT_EQ(found[i], (1 + i / 3 / size) * 60 +
                                (offset + i / 3 % size * stride) * 5 +
                                i % 3 * 2);
    }
}

TEST(Parts, ConcatsAlongAnyDimension) {
  for (int64_t dim : {0, 1, 2}) {
    Shape shapes[] = {{2, 3, 4}, {2, 3, 4}, {2, 3, 4}}, result = {2, 3, 4};
    shapes[1][dim] = 1;
    shapes[2][dim] = 5;
    result[dim] += 6;
    Graph graph;
    llvm::SmallVector<ValueId> operands;
    std::vector<HostTensor> inputs;
    for (const Shape &shape : shapes) {
      operands.push_back(graph.addInput(f32(shape)));
      inputs.push_back(count(shape));
    }
    Attributes attributes;
    attributes.dims = {dim};
    graph.addOutput(
        graph.add(Opcode::Concat, operands, f32(result), attributes));
    std::vector<double> found = evaluate(graph, inputs);
    for (int64_t i = 0, e = found.size(); i < e; ++i) {
      Shape at = {i / (result[1] * result[2]), i / result[2] % result[1],
                  i % result[2]};
      unsigned part = 0;
      for (; at[dim] >= shapes[part][dim]; ++part)
        at[dim] -= shapes[part][dim];
      ASSERT_EQ(found[i],
                (at[0] * shapes[part][1] + at[1]) * shapes[part][2] + at[2]);
    }
  }
}

static Graph makeCausalMask(Shape shape, int64_t offset) {
  Graph graph;
  Attributes attributes;
  attributes.offset = offset;
  ValueId x = graph.addInput(f32(shape));
  graph.addOutput(graph.add(Opcode::CausalMask, {x}, f32(shape), attributes));
  return graph;
}

TEST(Parts, CausalMasksWithAnyOffset) {
  for (int64_t offset : {-9, -2, 0, 1, 3, 9}) {
    std::vector<double> found =
        evaluate(makeCausalMask({2, 4, 6}, offset), count({2, 4, 6}));
    for (int64_t i = 0; i < 48; ++i)
      ASSERT_EQ(found[i], i % 6 <= i / 6 % 4 + offset ? double(i) : -INFINITY);
  }
}

/// Tiles of a causal mask know where they lie; rows are cut, columns too.
TEST(Parts, CausalMaskTileByTile) {
  Graph program = makeCausalMask({3, 70, 130}, 7);
  llvm::Expected<TileGraph> tiles =
      buildDefaultTileGraph(program, program.getNodes()[0], 4 << 10);
  ASSERT_TRUE(static_cast<bool>(tiles)) << llvm::toString(tiles.takeError());
  const Attributes &cut = tiles->getNodes()[0].attributes;
  EXPECT_FALSE(cut.axes.empty());
  EXPECT_FALSE(cut.columnAxes.empty());
  Graph kernel;
  kernel.addOutput(kernel.addGraph({kernel.addInput(f32({3, 70, 130}))},
                                   std::make_shared<TileGraph>(*tiles),
                                   {f32({3, 70, 130})}));
  HostTensor input = count({3, 70, 130});
  EXPECT_EQ(evaluate(kernel, input), evaluate(program, input));
}

TEST(Parts, ConstantsAreTheSameEverywhere) {
  for (double value : {0.25, -HUGE_VAL}) {
    Graph graph;
    Attributes attributes;
    attributes.scalars = {value};
    graph.addOutput(graph.add(Opcode::Constant, {}, f32({3, 5}), attributes));
    EXPECT_EQ(evaluate(graph, {}), std::vector<double>(15, value));
    llvm::Expected<TileGraph> tiles =
        buildDefaultTileGraph(graph, graph.getNodes()[0], 4 << 10);
    ASSERT_TRUE(static_cast<bool>(tiles)) << llvm::toString(tiles.takeError());
    EXPECT_EQ(tiles->getNumInputs(), 0u);
  }
}
