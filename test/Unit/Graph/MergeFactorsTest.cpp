//===- MergeFactorsTest.cpp - Dimensions that no operation tells apart ----===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/DimensionFactors.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;

namespace {

TensorSpec tensor(Shape shape) { return {std::move(shape), ElementType::F32}; }

Attributes withDims(llvm::SmallVector<int64_t, 4> dims) {
  Attributes attributes;
  attributes.dims.assign(dims.begin(), dims.end());
  return attributes;
}

/// The shapes of all values, split and merged; the graph has to be one.
std::vector<Shape> merge(const Graph &graph,
                         MergedFactors which = MergedFactors::All) {
  DimensionFactors factors =
      mergeFactors(graph, llvm::cantFail(factorDimensions(graph)), which);
  llvm::Expected<Graph> split = splitDimensions(graph, factors);
  if (split)
    EXPECT_FALSE(verify(*split));
  else
    llvm::consumeError(split.takeError());
  std::vector<Shape> shapes;
  for (ValueId value = 0; value < graph.getNumValues(); ++value)
    shapes.push_back(factors.getShape(value));
  return shapes;
}

std::vector<Shape> getShapes(const Graph &graph) {
  std::vector<Shape> shapes;
  for (ValueId value = 0; value < graph.getNumValues(); ++value)
    shapes.push_back(graph.getType(value).shape);
  return shapes;
}

/// exp x of x[2, 3, 5], for tests to add to.
Graph exponentials() {
  Graph graph;
  ValueId x = graph.addInput(tensor({2, 3, 5}), "x");
  graph.addOutput(graph.add(Opcode::Exp, {x}, tensor({2, 3, 5})));
  return graph;
}

TEST(MergeFactors, ElementwiseIsFlat) {
  Graph graph = exponentials();
  EXPECT_EQ(merge(graph), (std::vector<Shape>{{1, 1, 30}, {1, 1, 30}}));
  EXPECT_EQ(merge(graph, MergedFactors::Whole), getShapes(graph));
}

TEST(MergeFactors, BatchesOfOneWeightAreRows) {
  Graph graph;
  ValueId x = graph.addInput(tensor({2, 16, 64}), "x");
  ValueId w = graph.addInput(tensor({64, 8}), "w");
  graph.addOutput(graph.add(Opcode::Matmul, {x, w}, tensor({2, 16, 8})));
  EXPECT_EQ(merge(graph),
            (std::vector<Shape>{{1, 32, 64}, {64, 8}, {1, 32, 8}}));
}

TEST(MergeFactors, BatchesOfTwoWeightsAreNone) {
  Graph graph;
  ValueId x = graph.addInput(tensor({2, 16, 64}), "x");
  ValueId w = graph.addInput(tensor({2, 64, 8}), "w");
  graph.addOutput(graph.add(Opcode::Matmul, {x, w}, tensor({2, 16, 8})));
  EXPECT_EQ(merge(graph), getShapes(graph));
}

/// What is summed over is one dimension with its neighbour if that is, too.
TEST(MergeFactors, SumsTellDimensionsApart) {
  Graph graph = exponentials();
  graph.addOutput(
      graph.add(Opcode::Sum, {0}, tensor({1, 1, 5}), withDims({0, 1})));
  EXPECT_EQ(merge(graph),
            (std::vector<Shape>{{1, 6, 5}, {1, 6, 5}, {1, 1, 5}}));
  graph.addOutput(
      graph.add(Opcode::Sum, {0}, tensor({2, 1, 5}), withDims({1})));
  EXPECT_EQ(merge(graph), getShapes(graph));
}

/// What is transposed together stays together.
TEST(MergeFactors, TransposesTellDimensionsApart) {
  Graph graph = exponentials();
  graph.addOutput(graph.add(Opcode::Transpose, {0}, tensor({5, 2, 3}),
                            withDims({2, 0, 1})));
  EXPECT_EQ(merge(graph),
            (std::vector<Shape>{{1, 6, 5}, {1, 6, 5}, {5, 1, 6}}));
  graph.addOutput(graph.add(Opcode::Transpose, {0}, tensor({3, 2, 5}),
                            withDims({1, 0, 2})));
  EXPECT_EQ(merge(graph), getShapes(graph));
}

TEST(MergeFactors, WhatIsBroadcastTellsDimensionsApart) {
  Graph graph;
  ValueId x = graph.addInput(tensor({2, 3, 5}), "x");
  ValueId y = graph.addInput(tensor({3, 5}), "y");
  graph.addOutput(graph.add(Opcode::Mul, {x, y}, tensor({2, 3, 5})));
  EXPECT_EQ(merge(graph),
            (std::vector<Shape>{{2, 1, 15}, {1, 15}, {2, 1, 15}}));
}

/// A mask counts rows and columns, and takes what is ahead of these as it is.
TEST(MergeFactors, BatchesOfMaskedMatricesAreOneDimension) {
  Graph graph;
  ValueId x = graph.addInput(tensor({2, 3, 5, 7}), "x");
  graph.addOutput(graph.add(Opcode::CausalMask, {x}, graph.getType(x)));
  Shape merged = {1, 6, 5, 7};
  EXPECT_EQ(merge(graph), (std::vector<Shape>{merged, merged}));
}

/// Rows and columns that a mask counts, and what a slice takes a part of.
TEST(MergeFactors, MasksAndSlicesKeepDimensions) {
  Graph masked = exponentials();
  masked.addOutput(masked.add(Opcode::CausalMask, {0}, tensor({2, 3, 5})));
  EXPECT_EQ(merge(masked), getShapes(masked));
  Graph sliced = exponentials();
  Attributes part;
  part.offsets = {0, 1, 0};
  part.strides = {1, 1, 1};
  sliced.addOutput(sliced.add(Opcode::Slice, {0}, tensor({2, 2, 5}), part));
  EXPECT_EQ(merge(sliced), getShapes(sliced));
}

TEST(MergeFactors, NothingGetsTooLarge) {
  Graph graph;
  ValueId x = graph.addInput(tensor({1 << 8, 1 << 12, 1 << 20}), "x");
  graph.addOutput(graph.add(Opcode::Exp, {x}, graph.getType(x)));
  Shape both = {1, 1 << 20, 1 << 20};
  EXPECT_EQ(merge(graph), (std::vector<Shape>{both, both}));
}

TEST(MergeFactors, UnreadInputsKeepTheirShapes) {
  Graph graph;
  ValueId x = graph.addInput(tensor({2, 3}), "x");
  graph.addInput(tensor({5, 7}), "y");
  graph.addOutput(graph.add(Opcode::Exp, {x}, tensor({2, 3})));
  EXPECT_EQ(merge(graph), (std::vector<Shape>{{1, 6}, {5, 7}, {1, 6}}));
}

/// A dimension of a kernel that is several of another operation. Those of the
/// kernel's that are several stay that.
TEST(MergeFactors, KernelsTakeDimensionsWhole) {
  auto tiles = std::make_shared<TileGraph>();
  tiles->grid = {3};
  ValueId tile = tiles->addInput(tensor({2, 5}));
  tiles->tileInputs = {{{1}, kReplicated}};
  tiles->addOutput(tiles->add(Opcode::Exp, {tile}, tensor({2, 5})));
  tiles->tileOutputs = {{{1}}};
  Graph graph = exponentials();
  ValueId flat = graph.add(Opcode::Reshape, {0}, tensor({2, 15}));
  graph.addOutput(graph.addGraph({flat}, tiles, {tensor({2, 15})}));
  for (MergedFactors which : {MergedFactors::Whole, MergedFactors::All})
    EXPECT_EQ(merge(graph, which),
              (std::vector<Shape>{{2, 1, 15}, {2, 1, 15}, {2, 15}, {2, 15}}));
}

} // namespace
