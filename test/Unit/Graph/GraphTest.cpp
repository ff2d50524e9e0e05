//===- GraphTest.cpp - Tests of what well-formed µGraphs are --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/Work.h"
#include "TileGraphs.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

TEST(Graph, AWellFormedTileGraphVerifies) {
  EXPECT_EQ(verifyMessage(program({8, 4096}, {4096, 6144},
                                  fusedRmsLinear(8, 4096, 64, 64, 32, 192))),
            "");
  // Nothing divides.
  EXPECT_EQ(verifyMessage(program({7, 1000}, {1000, 130},
                                  fusedRmsLinear(7, 1000, 64, 16, 32, 5))),
            "");
}

TEST(Graph, TilesMustCover) {
  EXPECT_EQ(
      verifyMessage(program({8, 4096}, {4096, 6144},
                            fusedRmsLinear(8, 4096, 64, 63, 32, 192))),
      "operation 0 (graph): operand 0: expects tiles that cover dimension "
      "1 of size 4096, got tiles that cover 4032");
  EXPECT_EQ(
      verifyMessage(program({9, 4096}, {4096, 6144},
                            fusedRmsLinear(8, 4096, 64, 64, 32, 192))),
      "operation 0 (graph): operand 0: expects tiles that cover dimension "
      "0 of size 9, got tiles that cover 8");
}

TEST(Graph, PhasesMustNotMeet) {
  auto tiles = fusedRmsLinear(8, 4096, 64, 64, 32, 192);
  tiles->add(Opcode::Div, {3, 2}, f32({8, 32}));
  EXPECT_EQ(verifyMessage(program({8, 4096}, {4096, 6144}, tiles)),
            "operation 0 (graph): operation 4 (div): expects operands of one "
            "phase, got operand 0 of the loop and operand 1 from after it; an "
            "accumulate over the loop leads from one to the other");
}

/// One kernel on 8x64 with a grid of 2 and one operation before its output.
static std::string verifyTileOperation(int64_t loop, Opcode opcode,
                                       Attributes attributes,
                                       bool isAfterLoop = false) {
  auto tiles = std::make_shared<TileGraph>();
  tiles->grid = {2};
  tiles->loop = loop;
  ValueId x = tiles->addInput(f32({4, 64}));
  tiles->tileInputs = {{{0}, kReplicated}};
  tiles->tileOutputs = {{{0}}};
  if (isAfterLoop) {
    Attributes alongLoop;
    alongLoop.dims = {1};
    alongLoop.axes = {Axis::Loop};
    alongLoop.extent = 64;
    alongLoop.scalars = {0.0};
    x = tiles->add(Opcode::Mask, {x}, f32({4, 64}), alongLoop);
    x = tiles->add(Opcode::Accumulate, {x}, f32({4, 64}));
  }
  x = tiles->add(opcode, {x}, f32({4, 64}), attributes);
  tiles->addOutput(x);
  Graph graph;
  ValueId input = graph.addInput(f32({8, 64}));
  graph.addOutput(graph.addGraph({input}, tiles, {f32({8, 64})}));
  return verifyMessage(graph);
}

TEST(Graph, OnlyValuesOfTheLoopAccumulateOverIt) {
  EXPECT_EQ(verifyTileOperation(4, Opcode::Accumulate, {}),
            "operation 0 (graph): operation 0 (accumulate): expects a value of "
            "the loop to accumulate over it, got operand 0 that the loop does "
            "not change");
  EXPECT_EQ(verifyTileOperation(1, Opcode::Accumulate, {}), "");
  EXPECT_EQ(verifyTileOperation(4, Opcode::Accumulate, {}, true),
            "operation 0 (graph): operation 2 (accumulate): expects a value of "
            "the loop to accumulate over it, got operand 0 from after it");
}

static Attributes mask(llvm::ArrayRef<Axis> axes) {
  Attributes attributes;
  attributes.dims = {1};
  attributes.axes.assign(axes.begin(), axes.end());
  attributes.extent = 64;
  attributes.scalars = {0.0};
  return attributes;
}

TEST(Graph, AMaskAlongTheLoopIsOfTheLoop) {
  EXPECT_EQ(verifyTileOperation(4, Opcode::Mask, mask({Axis::Loop})),
            "operation 0 (graph): expects outputs from after the loop, got %1 "
            "of the loop");
  EXPECT_EQ(verifyTileOperation(4, Opcode::Mask, mask({Axis::X}), true), "");
  EXPECT_EQ(verifyTileOperation(4, Opcode::Mask, mask({Axis::Loop}), true),
            "operation 0 (graph): operation 2 (mask): expects a value of the "
            "loop to mask along it, got operand 0 from after it");
}

TEST(Graph, AxesMustExist) {
  EXPECT_EQ(verifyTileOperation(1, Opcode::Mask, mask({Axis::Y})),
            "operation 0 (graph): operation 0 (mask): expects the loop or one "
            "of the graph's 1 grid axes, got y");
  EXPECT_EQ(verifyTileOperation(1, Opcode::Mask, mask({Axis::Loop, Axis::X})),
            "operation 0 (graph): operation 0 (mask): expects axes in the "
            "order x, y, z, loop, got x after loop");
  Attributes overZ;
  overZ.axis = Axis::Z;
  EXPECT_EQ(verifyTileOperation(1, Opcode::Accumulate, overZ),
            "operation 0 (graph): operation 0 (accumulate): expects the loop "
            "or one of the graph's 1 grid axes, got z");
}

TEST(Graph, ClustersDivideTheGrid) {
  auto message = [](llvm::SmallVector<int64_t, 3> cluster) {
    std::shared_ptr<TileGraph> tiles = onlineSum(100, 9);
    tiles->cluster = cluster;
    return verifyMessage(onlineSumProgram(tiles));
  };
  EXPECT_EQ(message({2, 2}), "");
  EXPECT_EQ(message({1, 3}), "operation 0 (graph): expects a cluster that "
                             "divides the 4 blocks along y, got 3");
  EXPECT_EQ(message({1}), "operation 0 (graph): expects a cluster with an "
                          "extent for each of 2 grid axes, got 1");
}

TEST(Graph, StagesAreOfUseToTheLoop) {
  auto message = [](int64_t loop, int64_t stages) {
    std::shared_ptr<TileGraph> tiles = onlineSum(100, 9);
    tiles->loop = loop;
    tiles->stages = stages;
    return verifyMessage(onlineSumProgram(tiles));
  };
  EXPECT_EQ(message(3, 3), "");
  EXPECT_EQ(message(20, 16), "");
  EXPECT_EQ(message(3, 4),
            "operation 0 (graph): expects no more stages than the loop's "
            "iterations, 3, got 4");
  EXPECT_EQ(message(20, 17),
            "operation 0 (graph): expects 1 to 16 stages, got 17");
  EXPECT_EQ(message(3, 0),
            "operation 0 (graph): expects 1 to 16 stages, got 0");
}

/// What IR's own attributes keep out, and a graph in JSON does not.
TEST(Graph, AttributesAreChecked) {
  auto message = [](Opcode opcode, Attributes attributes) {
    auto tiles = std::make_shared<TileGraph>();
    tiles->tileInputs = {{{}, kReplicated}};
    tiles->tileOutputs = {{{}}};
    ValueId x = tiles->addInput(f32({8, 64}));
    tiles->addOutput(tiles->add(opcode, {x}, f32({8, 64}), attributes));
    Graph graph;
    graph.addInput(f32({8, 64}));
    graph.addOutput(graph.addGraph({0}, tiles, {f32({8, 64})}));
    return verifyMessage(graph);
  };
  EXPECT_EQ(message(Opcode::Accumulate, accumulate(Opcode::Exp)),
            "operation 0 (graph): operation 0 (accumulate): expects a "
            "reduction to accumulate with, got exp");
  Attributes factor;
  factor.scalars = {NAN};
  EXPECT_EQ(message(Opcode::Scale, factor),
            "operation 0 (graph): operation 0 (scale): expects a number as "
            "factor, got NaN");
}

TEST(Graph, ItemsHaveNoClustersAndNoStages) {
  auto items = std::make_shared<TileGraph>();
  auto tiles = std::make_shared<TileGraph>();
  items->level = Level::Thread;
  items->threads = 32;
  items->grid = {2};
  items->cluster = {2};
  items->tileInputs = {{{kReplicated}, kReplicated}};
  items->tileOutputs = {{{kReplicated}}};
  items->addOutput(items->addInput(f32({8, 64})));
  tiles->tileInputs = {{{}, kReplicated}};
  tiles->tileOutputs = {{{}}};
  tiles->addInput(f32({8, 64}));
  tiles->addOutput(tiles->addGraph({0}, items, {f32({8, 64})}));
  Graph graph;
  graph.addInput(f32({8, 64}));
  graph.addOutput(graph.addGraph({0}, tiles, {f32({8, 64})}));
  EXPECT_EQ(verifyMessage(graph),
            "operation 0 (graph): operation 0 (graph): expects clusters of "
            "blocks, got one in a thread graph");
  items->cluster.clear();
  items->stages = 2;
  EXPECT_EQ(verifyMessage(graph),
            "operation 0 (graph): operation 0 (graph): expects stages of a "
            "block's loop, got 2 in a thread graph");
}

TEST(Graph, LevelsHoldTheirOwnOperators) {
  Graph graph;
  ValueId x = graph.addInput(f32({8, 64}));
  graph.addOutput(graph.add(Opcode::Accumulate, {x}, f32({8, 64})));
  EXPECT_EQ(verifyMessage(graph),
            "operation 0 (accumulate): expects operators of the kernel level, "
            "got accumulate, which exists from the block to the thread level "
            "only");
}

TEST(Graph, BlockGraphsDoNotNest) {
  auto makeCopy = [] {
    auto tiles = std::make_shared<TileGraph>();
    tiles->addInput(f32({8, 64}));
    tiles->tileInputs = {{{}, kReplicated}};
    tiles->tileOutputs = {{{}}};
    return tiles;
  };
  auto inner = makeCopy(), outer = makeCopy();
  inner->addOutput(0);
  outer->addOutput(outer->addGraph({0}, inner, {f32({8, 64})}));
  Graph graph;
  graph.addInput(f32({8, 64}));
  graph.addOutput(graph.addGraph({0}, outer, {f32({8, 64})}));
  EXPECT_EQ(verifyMessage(graph),
            "operation 0 (graph): operation 0 (graph): expects a thread graph "
            "in a block graph, got a block graph");
  inner->level = Level::Thread;
  EXPECT_EQ(verifyMessage(graph), "");
}

TEST(Graph, OnlyCastsRoundInTileGraphs) {
  auto message = [](Opcode opcode, bool isKernel) {
    Graph graph;
    ValueId x = graph.addInput(f16({8, 64}));
    auto tiles = std::make_shared<TileGraph>();
    ValueId tile = tiles->addInput(f16({8, 64}));
    tiles->tileInputs = {{{}, kReplicated}};
    tiles->tileOutputs = {{{}}};
    tiles->addOutput(tiles->add(opcode, {tile}, f32({8, 64})));
    graph.addOutput(isKernel ? graph.add(opcode, {x}, f32({8, 64}))
                             : graph.addGraph({x}, tiles, {f32({8, 64})}));
    return verifyMessage(graph);
  };
  EXPECT_EQ(message(Opcode::Reshape, true),
            "operation 0 (reshape): expects a result of its operand's element "
            "type, f16, got f32; a cast rounds");
  EXPECT_EQ(message(Opcode::Broadcast, true), "");
  EXPECT_EQ(message(Opcode::Broadcast, false),
            "operation 0 (graph): operation 0 (broadcast): expects a result of "
            "its operand's element type, f16, got f32; a cast rounds");
  EXPECT_EQ(message(Opcode::Cast, false), "");
}

TEST(Graph, CountsDoNotOverflow) {
  auto message = [](int64_t extent, int64_t tile) {
    auto tiles = std::make_shared<TileGraph>();
    tiles->grid = {extent, 4};
    tiles->tileInputs = {{{0, kReplicated}, kReplicated}};
    tiles->tileOutputs = {{{0, kReplicated}}};
    tiles->addOutput(tiles->addInput(f32({tile})));
    Graph graph;
    graph.addInput(f32({8}));
    graph.addOutput(graph.addGraph({0}, tiles, {f32({8})}));
    return verifyMessage(graph);
  };
  EXPECT_EQ(message(2, 4), "");
  EXPECT_EQ(message(int64_t(1) << 62, 4),
            "operation 0 (graph): expects a grid of at most 2^40 blocks, got "
            "more");
  EXPECT_EQ(message(int64_t(1) << 38, int64_t(1) << 38),
            "operation 0 (graph): operand 0: expects tiles that cover "
            "dimension 0 of size 8, got tiles that cover more than 2^40");
  Graph graph;
  graph.addOutput(graph.addInput(f32({int64_t(1) << 32, int64_t(1) << 32})));
  EXPECT_EQ(verifyMessage(graph),
            "input 0: expects at most 2^40 elements, got more");
}

TEST(Graph, WorkIsThatOfAllBlocksAndIterations) {
  Graph product;
  ValueId x = product.addInput(f16({8, 4096}));
  ValueId w = product.addInput(f16({4096, 6144}));
  product.addOutput(product.add(Opcode::Matmul, {x, w}, f16({8, 6144})));
  EXPECT_EQ(countFlops(product), 2.0 * 8 * 4096 * 6144);

  // Beside the product, each tile is added up, and the quotient is taken.
  double tile = 8 * 64 + 2 * 8 * 64 * 32 + 8 * 32 + 8 * 32;
  EXPECT_EQ(countFlops(program({8, 4096}, {4096, 6144},
                               fusedRmsLinear(8, 4096, 64, 64, 32, 192))),
            tile * 192 * 64);
}
