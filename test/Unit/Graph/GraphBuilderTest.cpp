//===- GraphBuilderTest.cpp -----------------------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/GraphBuilder.h"
#include "gtest/gtest.h"
#include <cmath>

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
  ResultRequest whole{rows.shape, rows.element};
  EXPECT_EQ(getType(graph, builder.addKernel(x, makeSum({0}), {})),
            (TensorSpec{{12, 1}, ElementType::F16}));
  EXPECT_EQ(getType(graph, builder.addKernel(x, makeSum({0}), whole)), rows);
  EXPECT_EQ(getType(graph, builder.addKernel(x, makeSum({0}),
                                             ResultRequest{rows.shape, {}})),
            (TensorSpec{{10, 1}, ElementType::F16}));
  EXPECT_EQ(
      getType(graph, builder.addKernel(x, makeSum({0}),
                                       ResultRequest{{}, ElementType::BF16})),
      (TensorSpec{{12, 1}, ElementType::BF16}));
  EXPECT_EQ(getMessage(builder.addKernel({x, x}, makeSum({0}), whole)),
            "expects an operand for each of 1 tiles, got 2");
  EXPECT_NE(getMessage(builder.addKernel(x, makeSum({kReplicated}), whole)),
            "");
  EXPECT_EQ(graph.getNodes().size(), 4u);
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

static std::string listOperators(const Graph &graph) {
  std::string list;
  for (const Node &node : graph.getNodes())
    list += getOperatorInfo(node.opcode).name.str() + " ";
  return list;
}

/// Between the steps of an operator with a number nothing is rounded.
TEST(GraphBuilder, OperatorsWithNumbers) {
  using O = Opcode;
  auto check = [](O opcode, double number, bool isNumberFirst) {
    Graph graph;
    GraphBuilder builder(graph);
    ValueId x = *builder.addInput({{8, 64}, ElementType::F16}, "x");
    llvm::Expected<ValueId> result =
        builder.addWithNumber(opcode, x, number, isNumberFirst);
    if (!result)
      return llvm::toString(result.takeError());
    EXPECT_EQ(graph.getType(*result), (TensorSpec{{8, 64}, ElementType::F16}));
    for (const Node &node : graph.getNodes())
      if (node.results[0] != *result)
        EXPECT_EQ(graph.getType(node.results[0]).element, ElementType::F32);
    llvm::cantFail(builder.addOutput(*result));
    EXPECT_EQ(llvm::toString(verify(graph)), "");
    return listOperators(graph);
  };
  EXPECT_EQ(check(O::Add, 1, true), "offset ");
  EXPECT_EQ(check(O::Sub, 1, false), "offset ");
  EXPECT_EQ(check(O::Sub, 1, true), "neg offset ");
  EXPECT_EQ(check(O::Mul, 3, false), "scale ");
  EXPECT_EQ(check(O::Div, 4, false), "scale ");
  EXPECT_EQ(check(O::Div, 10, false), "unscale ");
  EXPECT_EQ(check(O::Div, 1, true), "reciprocal ");
  EXPECT_EQ(check(O::Div, 3, true), "reciprocal scale ");
  EXPECT_EQ(check(O::Maximum, 0, false), "relu ");
  EXPECT_EQ(check(O::Maximum, 1, true), "clamp ");
  EXPECT_EQ(check(O::Minimum, 1, true), "clamp ");
  EXPECT_EQ(check(O::Pow, 0, false), "constant ");
  EXPECT_EQ(check(O::Pow, 1, false), "scale ");
  EXPECT_EQ(check(O::Pow, 5, false), "square square mul ");
  EXPECT_EQ(check(O::Pow, 0.5, false), "sqrt ");
  EXPECT_EQ(check(O::Pow, -0.5, false), "rsqrt ");
  EXPECT_EQ(check(O::Pow, -2.5, false), "sqrt square mul reciprocal ");
  EXPECT_EQ(check(O::Pow, 0.3, false), "constant pow ");
  EXPECT_EQ(check(O::Pow, 2, true), "exp2 ");
  EXPECT_EQ(check(O::Pow, 10, true), "scale exp ");
  EXPECT_EQ(check(O::Pow, 65, false),
            "expects an exponent from -64 to 64, got 65");
  EXPECT_EQ(check(O::Pow, 0, true),
            "expects powers of a constant above 0, got powers of 0");
  EXPECT_EQ(check(O::Div, 0, false),
            "expects a divisor that has a reciprocal in f32, got 0");
  EXPECT_EQ(check(O::Add, std::nan(""), false),
            "expects constants that are numbers, got NaN");
  EXPECT_EQ(check(O::Matmul, 2, false),
            "expects add, sub, mul, div, maximum, minimum or pow of a tensor "
            "and a number, got matmul");
}

/// What a composed operator does to padding is seen in its steps.
TEST(GraphBuilder, ComposedOperatorsOfTilesAreTheirSteps) {
  TileGraph tiles;
  GraphBuilder builder(tiles);
  ValueId x = *builder.addInput({{8, 64}, ElementType::F16}, {}, kReplicated);
  Attributes norm;
  norm.dims = {1};
  norm.scalars = {0};
  EXPECT_EQ(getType(tiles, builder.add(Opcode::RmsNorm, x, norm)),
            (TensorSpec{{8, 64}, ElementType::F32}));
  EXPECT_EQ(listOperators(tiles), "square mean sqrt div ");
  EXPECT_EQ(getType(tiles, builder.add(Opcode::Repeat, x, {}, {{16, 64}})),
            (TensorSpec{{16, 64}, ElementType::F16}));
  norm.scalars = {-1};
  unsigned before = tiles.getNumValues();
  EXPECT_EQ(getMessage(builder.add(Opcode::RmsNorm, x, norm)),
            "expects an epsilon of at least 0, got -1.000000");
  EXPECT_EQ(tiles.getNumValues(), before);
}

TEST(GraphBuilder, TilesOfDifferentTypesAreJoinedInF32) {
  TileGraph tiles;
  tiles.loop = 2;
  GraphBuilder builder(tiles);
  ValueId x = *builder.addInput({{8, 64}, ElementType::F16}, {}, 1);
  ValueId y = *builder.addInput({{8, 64}, ElementType::BF16}, {}, 1);
  ValueId sum = *builder.add(Opcode::Accumulate, x, {});
  Attributes rows;
  rows.dims = {0};
  EXPECT_EQ(getType(tiles, builder.add(Opcode::Concat, {x, x}, rows)),
            (TensorSpec{{16, 32}, ElementType::F16}));
  EXPECT_EQ(getType(tiles, builder.add(Opcode::Concat, {x, y}, rows)),
            (TensorSpec{{16, 32}, ElementType::F32}));
  // A call that fails leaves no cast behind.
  unsigned before = tiles.getNumValues();
  EXPECT_NE(getMessage(builder.add(Opcode::Concat, {x, sum}, rows)), "");
  EXPECT_EQ(tiles.getNumValues(), before);
  Graph graph;
  GraphBuilder program(graph);
  ValueId a = *program.addInput({{8, 64}, ElementType::F16}, "a");
  ValueId b = *program.addInput({{8, 64}, ElementType::F32}, "b");
  EXPECT_EQ(getType(graph, program.add(Opcode::Concat, {a, b}, rows)),
            (TensorSpec{{16, 64}, ElementType::F32}));
}

TEST(GraphBuilder, SumsToFewerElements) {
  for (bool isTile : {false, true}) {
    Graph graph;
    TileGraph tiles;
    GraphBuilder builder = isTile ? GraphBuilder(tiles) : GraphBuilder(graph);
    Graph &whole = isTile ? tiles : graph;
    TensorSpec type{{8, 256}, ElementType::F16};
    ValueId x = isTile ? *builder.addInput(type, {}, kReplicated)
                       : *builder.addInput(type, "x");
    EXPECT_EQ(
        getType(whole, builder.addSumTo(x, 1, 64)),
        (TensorSpec{{8, 64}, isTile ? ElementType::F32 : ElementType::F16}));
    EXPECT_EQ(*builder.addSumTo(x, 1, 256), x);
    EXPECT_EQ(getMessage(builder.addSumTo(x, 1, 7)),
              "expects a size that divides dimension 1 of [8, 256], got 7");
    EXPECT_EQ(getMessage(builder.addSumTo(x, 2, 1)),
              "expects a dimension below 2, got 2");
  }

  // Over the iterations as well; what fails leaves no accumulation behind.
  TileGraph tiles;
  tiles.loop = 4;
  GraphBuilder builder(tiles);
  ValueId x = *builder.addInput({{8, 256}, ElementType::F16}, {}, 1);
  EXPECT_EQ(getMessage(builder.addSumTo(x, 1, 7, /*isAccumulated=*/true)),
            "expects a size that divides dimension 1 of [8, 64], got 7");
  EXPECT_EQ(tiles.getNumValues(), 1u);
  EXPECT_EQ(getType(tiles, builder.addSumTo(x, 1, 16, /*isAccumulated=*/true)),
            (TensorSpec{{8, 16}, ElementType::F32}));
  EXPECT_EQ(listOperators(tiles), "accumulate reshape sum reshape ");
}
