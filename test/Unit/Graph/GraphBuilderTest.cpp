//===- GraphBuilderTest.cpp -----------------------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/GraphBuilder.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;

static std::string getMessage(llvm::Expected<ValueId> value) {
  return value ? "" : llvm::toString(value.takeError());
}

static TensorSpec getType(Graph &graph, llvm::Expected<ValueId> value) {
  if (value)
    return graph.getType(*value);
  ADD_FAILURE() << llvm::toString(value.takeError());
  return {};
}

TEST(GraphBuilder, TypesThatHoldBoth) {
  using E = ElementType;
  EXPECT_EQ(joinElements(E::F16, E::F16), E::F16);
  EXPECT_EQ(joinElements(E::BF16, E::BF16), E::BF16);
  EXPECT_EQ(joinElements(E::F16, E::BF16), E::F32);
  EXPECT_EQ(joinElements(E::F32, E::BF16), E::F32);
  EXPECT_EQ(joinElements(E::F8E5M2, E::BF16), E::BF16);
  EXPECT_EQ(joinElements(E::F16, E::F8E4M3FN), E::F16);
  EXPECT_EQ(joinElements(E::F8E5M2, E::F8E5M2), E::F16);
}

TEST(GraphBuilder, TypesOfResults) {
  Graph graph;
  GraphBuilder builder(graph);
  ValueId x = *builder.addInput({{8, 64}, ElementType::F8E4M3FN}, "x");
  ValueId w = *builder.addInput({{64, 32}, ElementType::BF16}, "w");
  EXPECT_EQ(getType(graph, builder.add(Opcode::Matmul, {x, w}, {})),
            (TensorSpec{{8, 32}, ElementType::BF16}));
  Attributes transposed;
  transposed.dims = {1, 0};
  EXPECT_EQ(getType(graph, builder.add(Opcode::Transpose, x, transposed)),
            (TensorSpec{{64, 8}, ElementType::F8E4M3FN}));
  EXPECT_EQ(getType(graph, builder.add(Opcode::Exp, x, {})),
            (TensorSpec{{8, 64}, ElementType::F16}));
  EXPECT_EQ(
      getType(graph, builder.add(Opcode::Exp, x, {}, {{}, ElementType::F32})),
      (TensorSpec{{8, 64}, ElementType::F32}));
  Attributes one;
  one.scalars = {1};
  EXPECT_EQ(getType(graph, builder.add(Opcode::Constant, {}, one, {{3, 4}})),
            (TensorSpec{{3, 4}, ElementType::F32}));
  EXPECT_EQ(getType(graph, builder.add(Opcode::Reshape, w, {}, {{32, 64}})),
            (TensorSpec{{32, 64}, ElementType::BF16}));
}

TEST(GraphBuilder, MistakesLeaveTheGraphAsItWas) {
  Graph graph;
  GraphBuilder builder(graph);
  ValueId x = *builder.addInput({{8, 64}, ElementType::F16}, "x");
  EXPECT_EQ(getMessage(builder.add(Opcode::Add, {x, 3}, {})),
            "expects one of 1 values, got %3");
  EXPECT_EQ(getMessage(builder.add(Opcode::Cast, x, {})),
            "expects the element type of its result, got none");
  EXPECT_EQ(getMessage(builder.add(Opcode::Exp, x, {}, {{8, 32}})),
            "expects a result of shape [8, 64], got [8, 32]");
  EXPECT_EQ(getMessage(builder.add(Opcode::Reshape, x, {},
                                   {{8, 64}, ElementType::F32})),
            "expects a result of its operand's element type, f16, got f32; a "
            "cast rounds");
  EXPECT_EQ(getMessage(builder.add(Opcode::Graph, x, {})),
            "expects an operator, got a nested graph");
  EXPECT_EQ(getMessage(builder.addInput({{}, ElementType::F16}, "y")),
            "expects a rank of at least 1, got 0");
  EXPECT_EQ(llvm::toString(builder.addOutput(1)),
            "expects one of 1 values, got %1");
  EXPECT_EQ(graph.getNumValues(), 1u);
  EXPECT_TRUE(graph.getNodes().empty());
  EXPECT_TRUE(graph.getOutputs().empty());
}

TEST(GraphBuilder, InputsMayComeLate) {
  Graph graph;
  GraphBuilder builder(graph);
  ValueId x = *builder.addInput({{8, 64}, ElementType::F16}, "x");
  ValueId exp = *builder.add(Opcode::Exp, x, {});
  ValueId sum = *builder.add(Opcode::Add, {x, exp}, {});
  llvm::cantFail(builder.addOutput(sum));
  ValueId y = *builder.addInput({{64, 2}, ElementType::BF16}, "y");
  EXPECT_EQ(y, 1u);
  EXPECT_EQ(graph.getOutputs()[0], sum + 1);
  EXPECT_EQ(graph.getInputName(1), "y");
  EXPECT_EQ(graph.getType(y).shape, (Shape{64, 2}));
  EXPECT_EQ(graph.getType(exp + 1).shape, (Shape{8, 64}));
  ASSERT_EQ(graph.getNodes().size(), 2u);
  EXPECT_EQ(graph.getNodes()[1].operands,
            (llvm::SmallVector<ValueId, 2>{x, exp + 1}));
  EXPECT_EQ(graph.getDefinition(sum + 1), &graph.getNodes()[1]);
  EXPECT_EQ(graph.getDefinition(y), nullptr);
  EXPECT_EQ(llvm::toString(verify(graph)), "");
}

/// 100 columns of 3 blocks and 4 iterations: tiles of 9.
TEST(GraphBuilder, TilesAreRoundedUp) {
  TileGraph tiles;
  tiles.grid = {3};
  tiles.loop = 4;
  GraphBuilder builder(tiles);
  TensorSpec tensor{{8, 100}, ElementType::F16};
  EXPECT_EQ(getType(tiles, builder.addInput(tensor, {1}, 1)),
            (TensorSpec{{8, 9}, ElementType::F16}));
  EXPECT_EQ(getType(tiles, builder.addInput(tensor, {kReplicated}, 0)),
            (TensorSpec{{2, 100}, ElementType::F16}));
  EXPECT_EQ(getMessage(builder.addInput(tensor, {kSummed}, 0)),
            "expects a map to dimensions below 2, got -2");
  EXPECT_EQ(getMessage(builder.addInput(tensor, {1}, 2)),
            "expects a map to dimensions below 2, got 2");
  EXPECT_EQ(getMessage(builder.addInput(tensor, {}, 1)),
            "expects a map for each of 1 grid axes, got 0");
  EXPECT_EQ(tiles.tileInputs.size(), 2u);
}

static std::shared_ptr<TileGraph> makeSum(llvm::SmallVector<int, 3> gridMap) {
  auto tiles = std::make_shared<TileGraph>();
  tiles->grid = {4};
  tiles->loop = 2;
  GraphBuilder builder(*tiles);
  ValueId x =
      *builder.addInput({{10, 64}, ElementType::F16}, {0}, /*loopMap=*/1);
  ValueId exp = *builder.add(Opcode::Exp, x, {});
  Attributes sum;
  sum.dims = {1};
  ValueId result = *builder.add(Opcode::Accumulate, exp, sum);
  llvm::cantFail(builder.addOutput(result, gridMap));
  return tiles;
}

/// Blocks hold 3 of 10 rows each: 12 with what reaches beyond.
TEST(GraphBuilder, KernelsJoinTheirTiles) {
  Graph graph;
  GraphBuilder builder(graph);
  ValueId x = *builder.addInput({{10, 64}, ElementType::F16}, "x");
  TensorSpec rows{{10, 1}, ElementType::F32};
  EXPECT_EQ(getType(graph, builder.addKernel(x, makeSum({0}), {})),
            (TensorSpec{{12, 1}, ElementType::F16}));
  EXPECT_EQ(getType(graph, builder.addKernel(x, makeSum({0}), rows)), rows);
  EXPECT_EQ(getMessage(builder.addKernel({x, x}, makeSum({0}), rows)),
            "expects an operand for each of 1 tiles, got 2");
  EXPECT_NE(getMessage(builder.addKernel(x, makeSum({kReplicated}), rows)), "");
  EXPECT_EQ(graph.getNodes().size(), 2u);
}

TEST(GraphBuilder, PhasesDoNotMeet) {
  TileGraph tiles;
  tiles.loop = 2;
  GraphBuilder builder(tiles);
  ValueId x = *builder.addInput({{8, 64}, ElementType::F16}, {}, 1);
  ValueId sum = *builder.add(Opcode::Accumulate, x, {});
  EXPECT_NE(getMessage(builder.add(Opcode::Add, {x, sum}, {}))
                .find("expects operands of one phase"),
            std::string::npos);
  EXPECT_EQ(llvm::toString(builder.addOutput(x, {})),
            "expects an output from after the loop, got a value of the loop");
  EXPECT_EQ(llvm::toString(builder.addOutput(sum, {})), "");
}
