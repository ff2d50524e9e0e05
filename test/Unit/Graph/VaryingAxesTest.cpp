//===- VaryingAxesTest.cpp - Which blocks hold different values -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/VaryingAxes.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;

/// A grid of 2 by 4 by 1 blocks with one input, as the axes cut it.
static TileGraph makeHeader(llvm::SmallVector<int, 3> gridMap) {
  TileGraph graph;
  graph.grid = {2, 4, 1};
  graph.addInput(TensorSpec{{8, 16}});
  graph.tileInputs = {{gridMap, kReplicated}};
  return graph;
}

static std::string checkMessage(const TileGraph &graph) {
  llvm::Error error = checkOutputJoins(graph);
  return error ? llvm::toString(std::move(error)) : "";
}

TEST(VaryingAxes, TilesDifferAlongTheAxesThatCutThem) {
  EXPECT_EQ(getVaryingAxes(makeHeader({0, kReplicated, 1}), 0), 1);
  EXPECT_EQ(getVaryingAxes(makeHeader({0, 0, kReplicated}), 0), 3);
}

TEST(VaryingAxes, MasksAskForPlacesAndAccumulationsForgetThem) {
  TileGraph header = makeHeader({kReplicated, kReplicated, kReplicated});
  Attributes mask;
  mask.axes = {Axis::Y, Axis::Z, Axis::Loop};
  EXPECT_EQ(inferVaryingAxes(header, Opcode::Mask, mask, {1}), 3);
  Attributes causal;
  causal.columnAxes = {Axis::X};
  EXPECT_EQ(inferVaryingAxes(header, Opcode::CausalMask, causal, {0}), 1);
  Attributes sum;
  sum.axis = Axis::Y;
  EXPECT_EQ(inferVaryingAxes(header, Opcode::Accumulate, sum, {3}), 1);
  sum.axis = Axis::Loop;
  EXPECT_EQ(inferVaryingAxes(header, Opcode::Accumulate, sum, {3}), 3);
}

TEST(VaryingAxes, WhatDiffersIsJoinedOrSummed) {
  TileGraph graph = makeHeader({0, 1, kReplicated});
  TensorSpec tile{{8, 16}};
  Attributes overX;
  overX.axis = Axis::X;
  ValueId exp = graph.add(Opcode::Exp, {0}, tile);
  graph.addOutput(graph.add(Opcode::Accumulate, {exp}, tile, overX));
  graph.tileOutputs = {{{kReplicated, kSummed, kReplicated}}};
  EXPECT_EQ(checkMessage(graph), "");
  graph.tileOutputs = {{{kReplicated, 1, kReplicated}}};
  EXPECT_EQ(checkMessage(graph), "");
  graph.tileOutputs = {{{0, kReplicated, kReplicated}}};
  EXPECT_EQ(checkMessage(graph),
            "result 0: expects a dimension to join along y, or a sum, since "
            "what is yielded differs along it, got neither");
}
