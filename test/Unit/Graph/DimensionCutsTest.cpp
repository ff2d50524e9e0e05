//===- DimensionCutsTest.cpp - Where slices and concats cut dimensions ----===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/DimensionCuts.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;

namespace {

TensorSpec tensor(Shape shape) { return {std::move(shape), ElementType::F32}; }

ValueId addSlice(Graph &graph, ValueId value, int64_t offset, int64_t size,
                 int64_t stride = 1) {
  Attributes attributes;
  attributes.offsets = {offset};
  attributes.strides = {stride};
  return graph.add(Opcode::Slice, {value}, tensor({size}), attributes);
}

std::string getError(const Graph &graph) {
  auto cuts = cutDimensions(graph);
  return cuts ? "" : llvm::toString(cuts.takeError());
}

TEST(DimensionCuts, PartsCutWhatIsWalkedWithThem) {
  Graph graph;
  ValueId x = graph.addInput(tensor({10}), "x");
  ValueId y = graph.addInput(tensor({10}), "y");
  ValueId sum = graph.add(Opcode::Add, {x, y}, tensor({10}));
  ValueId middle = addSlice(graph, sum, 3, 5);
  ValueId first = addSlice(graph, x, 0, 6);
  graph.addOutput(middle);
  graph.addOutput(first);
  DimensionCuts cuts = llvm::cantFail(cutDimensions(graph));
  EXPECT_TRUE(cuts.hasAny());
  EXPECT_EQ(cuts.ofValues[y][0], (CutList{0, 3, 6, 8}));
  EXPECT_EQ(cuts.ofValues[middle][0], (CutList{0, 3}));
  EXPECT_EQ(cuts.ofValues[first][0], (CutList{0, 3}));
}

TEST(DimensionCuts, OperandsOfAConcatArePieces) {
  Graph graph;
  ValueId x = graph.addInput(tensor({4}), "x");
  ValueId y = graph.addInput(tensor({3}), "y");
  Attributes along;
  along.dims = {0};
  graph.addOutput(graph.add(Opcode::Concat, {x, y, x}, tensor({11}), along));
  DimensionCuts cuts = llvm::cantFail(cutDimensions(graph));
  EXPECT_EQ(cuts.ofValues[2][0], (CutList{0, 4, 7}));
  EXPECT_EQ(cuts.ofValues[x][0], (CutList{0}));
}

TEST(DimensionCuts, WholeDimensionsAreNotCut) {
  Graph graph;
  ValueId x = graph.addInput(tensor({4}), "x");
  graph.addOutput(addSlice(graph, x, 0, 4));
  EXPECT_FALSE(llvm::cantFail(cutDimensions(graph)).hasAny());
}

TEST(DimensionCuts, StridesAreAnError) {
  Graph graph;
  ValueId x = graph.addInput(tensor({8}), "x");
  graph.addOutput(addSlice(graph, x, 0, 4, 2));
  EXPECT_EQ(getError(graph), "operation 0 (slice): expects neighbouring "
                             "elements, got stride 2");
}

/// Differences of neighbours: every element is a piece.
TEST(DimensionCuts, TooManyPiecesAreAnError) {
  Graph graph;
  ValueId x = graph.addInput(tensor({100}), "x");
  ValueId left = addSlice(graph, x, 0, 99), right = addSlice(graph, x, 1, 99);
  graph.addOutput(graph.add(Opcode::Sub, {right, left}, tensor({99})));
  EXPECT_EQ(getError(graph),
            "operation 1 (slice): expects dimensions that slices and concats "
            "cut into at most 8 pieces, got more of one of 100");
}

} // namespace
