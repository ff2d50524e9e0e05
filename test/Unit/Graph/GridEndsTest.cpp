//===- GridEndsTest.cpp - Tests of grids that are too long ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/GridEnds.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;

/// Blocks that yield 4 elements of 30, side by side along x: 8 do.
static TileGraph makeGraph(int64_t numBlocks) {
  TileGraph graph;
  graph.grid = {numBlocks};
  ValueId tile = graph.addInput(TensorSpec{{4}});
  graph.tileInputs = {{{0}, kReplicated}};
  graph.addOutput(tile);
  graph.tileOutputs = {{{0}}};
  return graph;
}

static std::string check(const TileGraph &graph, int64_t size = 30) {
  TensorSpec tensor{{size}};
  llvm::Error error = verify(graph, {tensor}, {tensor});
  return error ? llvm::toString(std::move(error)) : "";
}

TEST(GridEnds, EachBlockWritesSomething) {
  EXPECT_EQ(check(makeGraph(8)), "");
  EXPECT_EQ(check(makeGraph(9)),
            "expects at most 8 blocks along x, behind which none writes a "
            "result, got 9");
}

TEST(GridEnds, ClustersAreWhole) {
  TileGraph graph = makeGraph(9);
  graph.cluster = {3};
  EXPECT_EQ(check(graph), "");
  graph.grid = {12};
  EXPECT_EQ(check(graph), "expects at most 9 blocks along x, behind which none "
                          "writes a result, got 12");
}

/// Both axes are as long as they have to be, whatever they come to.
TEST(GridEnds, TwoAxesCoverADimension) {
  TileGraph graph = makeGraph(3);
  graph.grid = {3, 3};
  graph.tileInputs = {{{0, 0}, kReplicated}};
  graph.tileOutputs = {{{0, 0}}};
  EXPECT_EQ(check(graph), "");
  EXPECT_EQ(check(graph, 24), "expects at most 2 blocks along x, behind which "
                              "none writes a result, got 3");
  graph.grid = {1, 9};
  EXPECT_EQ(check(graph), "expects at most 8 blocks along y, behind which none "
                          "writes a result, got 9");
}

TEST(GridEnds, BlocksThatOthersHearOfAreOfUse) {
  TileGraph joined = makeGraph(9);
  Attributes overX;
  overX.axis = Axis::X;
  ValueId sum = joined.add(Opcode::Accumulate, {0}, TensorSpec{{4}}, overX);
  joined.clearOutputs();
  joined.addOutput(sum);
  EXPECT_EQ(check(joined), "");
  TileGraph summed = makeGraph(9);
  summed.addOutput(0);
  summed.tileOutputs.push_back({{kSummed}});
  TensorSpec tensor{{30}}, tile{{4}};
  EXPECT_FALSE(verify(summed, {tensor}, {tensor, tile}));
}

/// Fragments have sizes that are powers of two.
TEST(GridEnds, ItemsOfWarpsMayHaveNothing) {
  TileGraph graph = makeGraph(9);
  graph.level = Level::Thread;
  graph.threads = 32;
  EXPECT_FALSE(checkGridEnds(graph, {TensorSpec{{30}}}));
}
