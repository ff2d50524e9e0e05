//===- PhasesTest.cpp - When values of a tile graph are known -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/Phases.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;

static Attributes over(Axis axis) {
  Attributes attributes;
  attributes.axis = axis;
  return attributes;
}

/// exp(y) · (sum over the loop of x²) + the sum over x of blocks of y.
static TileGraph makeGraph() {
  TileGraph graph;
  graph.grid = {4};
  graph.loop = 8;
  TensorSpec tile{{8, 16}};
  ValueId x = graph.addInput(tile), y = graph.addInput(tile);
  graph.tileInputs = {{{kReplicated}, 1}, {{1}, kReplicated}};
  ValueId square = graph.add(Opcode::Square, {x}, tile);
  ValueId sum = graph.add(Opcode::Accumulate, {square}, tile, over(Axis::Loop));
  ValueId exp = graph.add(Opcode::Exp, {y}, tile);
  ValueId blocks = graph.add(Opcode::Accumulate, {y}, tile, over(Axis::X));
  ValueId product = graph.add(Opcode::Mul, {exp, sum}, tile);
  graph.addOutput(graph.add(Opcode::Add, {product, blocks}, tile));
  graph.tileOutputs = {{{1}}};
  return graph;
}

TEST(Phases, ValuesAreKnownWhenTheirOperandsAre) {
  EXPECT_EQ(computePhases(makeGraph()),
            (llvm::SmallVector<Phase>{
                Phase::Loop, Phase::Invariant, Phase::Loop, Phase::After,
                Phase::Invariant, Phase::Joined, Phase::After, Phase::After}));
}

TEST(Phases, AnAccumulationOverTheLoopRunsInIt) {
  EXPECT_EQ(computeExecutionPhases(makeGraph()),
            (llvm::SmallVector<Phase>{Phase::Loop, Phase::Loop,
                                      Phase::Invariant, Phase::AfterGrid,
                                      Phase::After, Phase::AfterGrid}));
}

/// x · (the sum over x of blocks of y), added up by the loop, and the maximum
/// over x of blocks of y, for nobody before the loop has ended.
static TileGraph makeJoinBeforeLoop() {
  TileGraph graph;
  graph.grid = {4};
  graph.loop = 2;
  TensorSpec tile{{8, 4}};
  ValueId x = graph.addInput(tile, "x"), y = graph.addInput(tile, "y");
  graph.tileInputs = {{{kReplicated}, 0}, {{0}, kReplicated}};
  ValueId joined = graph.add(Opcode::Accumulate, {y}, tile, over(Axis::X));
  ValueId root = graph.add(Opcode::Sqrt, {joined}, tile);
  Attributes largest = over(Axis::X);
  largest.reduction = Opcode::Max;
  ValueId late = graph.add(Opcode::Accumulate, {y}, tile, largest);
  ValueId product = graph.add(Opcode::Mul, {x, root}, tile);
  ValueId sum =
      graph.add(Opcode::Accumulate, {product}, tile, over(Axis::Loop));
  ValueId both = graph.add(Opcode::Add, {sum, late}, tile);
  graph.add(Opcode::Add, {both, joined}, tile);
  return graph;
}

TEST(Phases, WhatTheLoopDoesNotChangeCanBeJoinedBeforeIt) {
  EXPECT_EQ(
      computePhases(makeJoinBeforeLoop()),
      (llvm::SmallVector<Phase>{Phase::Loop, Phase::Invariant, Phase::Joined,
                                Phase::Joined, Phase::Joined, Phase::Loop,
                                Phase::After, Phase::After, Phase::After}));
}

TEST(Phases, IsJoinedBeforeTheLoopIfTheLoopReadsIt) {
  EXPECT_EQ(computeExecutionPhases(makeJoinBeforeLoop()),
            (llvm::SmallVector<Phase>{
                Phase::Joined, Phase::Joined, Phase::AfterGrid, Phase::Loop,
                Phase::Loop, Phase::AfterGrid, Phase::AfterGrid}));
}

TEST(Phases, OnlyTheLoopIsJoinedByIterations) {
  EXPECT_TRUE(joinsIterations(Opcode::Accumulate, over(Axis::Loop)));
  EXPECT_FALSE(joinsIterations(Opcode::Accumulate, over(Axis::X)));
  EXPECT_FALSE(joinsIterations(Opcode::Sum, over(Axis::Loop)));
}

TEST(Phases, OnlyAGridAxisIsJoinedByBlocks) {
  EXPECT_TRUE(joinsBlocks(Opcode::Accumulate, over(Axis::Y)));
  EXPECT_FALSE(joinsBlocks(Opcode::Accumulate, over(Axis::Loop)));
  EXPECT_FALSE(joinsBlocks(Opcode::Sum, over(Axis::Y)));
}

TEST(Phases, WhatMeetsWhat) {
  TileGraph header = makeGraph();
  auto check = [&](Opcode opcode, Axis axis, llvm::ArrayRef<Phase> operands) {
    return llvm::toString(
        checkInTileGraph(opcode, over(axis), operands,
                         {TensorSpec{{8, 4}}, TensorSpec{{8, 4}}}, header));
  };
  EXPECT_EQ(check(Opcode::Add, Axis::Loop, {Phase::After, Phase::AfterGrid}),
            "");
  EXPECT_EQ(
      check(Opcode::Add, Axis::Loop, {Phase::Invariant, Phase::AfterGrid}), "");
  EXPECT_EQ(check(Opcode::Add, Axis::Loop, {Phase::Loop, Phase::AfterGrid}),
            "expects operands of one phase, got operand 0 of the loop and "
            "operand 1 from after it; an accumulate over the loop leads from "
            "one to the other");
  EXPECT_EQ(check(Opcode::Accumulate, Axis::X, {Phase::AfterGrid}), "");
  EXPECT_EQ(check(Opcode::Accumulate, Axis::X, {Phase::Invariant}), "");
  EXPECT_EQ(check(Opcode::Mul, Axis::Loop, {Phase::Loop, Phase::Joined}), "");
  EXPECT_EQ(check(Opcode::Accumulate, Axis::Loop, {Phase::Joined}),
            "expects a value of the loop to accumulate over it, got operand 0 "
            "that the loop does not change");
  EXPECT_EQ(check(Opcode::Accumulate, Axis::X, {Phase::After, Phase::Loop}),
            "expects no value of the loop to accumulate over x, got "
            "operand 1 of the loop");
  EXPECT_EQ(check(Opcode::Accumulate, Axis::Loop, {Phase::Loop, Phase::After}),
            "expects a value of the loop to accumulate over it, got operand 1 "
            "from after it");
}
