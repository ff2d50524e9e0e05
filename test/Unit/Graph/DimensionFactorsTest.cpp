//===- DimensionFactorsTest.cpp - What reshapes make of dimensions --------===//
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

ValueId addSlice(Graph &graph, ValueId value, Shape offsets, Shape shape,
                 int64_t stride = 1) {
  Attributes attributes;
  attributes.offsets.assign(offsets.begin(), offsets.end());
  attributes.strides.assign(offsets.size(), 1);
  attributes.strides[0] = stride;
  return graph.add(Opcode::Slice, {value}, tensor(shape), attributes);
}

std::string getError(const Graph &graph) {
  auto factors = factorDimensions(graph);
  return factors ? "" : llvm::toString(factors.takeError());
}

/// A head of keys for four heads of queries: what is repeated splits what it
/// meets, and nothing else.
TEST(DimensionFactors, RepeatedHeadsSplitTheOthers) {
  Graph graph;
  ValueId q = graph.addInput(tensor({8, 5, 3}), "q");
  ValueId k = graph.addInput(tensor({2, 7, 3}), "k");
  ValueId split = graph.add(Opcode::Reshape, {k}, tensor({2, 1, 7, 3}));
  ValueId often = graph.add(Opcode::Broadcast, {split}, tensor({2, 4, 7, 3}));
  ValueId all = graph.add(Opcode::Reshape, {often}, tensor({8, 7, 3}));
  Attributes swap;
  swap.dims = {0, 2, 1};
  ValueId t = graph.add(Opcode::Transpose, {all}, tensor({8, 3, 7}), swap);
  graph.addOutput(graph.add(Opcode::Matmul, {q, t}, tensor({8, 5, 7})));
  DimensionFactors factors = llvm::cantFail(factorDimensions(graph));
  EXPECT_EQ(factors.getShape(q), (Shape{2, 4, 5, 3}));
  EXPECT_EQ(factors.getShape(k), (Shape{2, 7, 3}));
  EXPECT_EQ(factors.getShape(split), (Shape{2, 1, 7, 3}));
  EXPECT_EQ(factors.getShape(graph.getOutputs()[0]), (Shape{2, 4, 5, 7}));
  EXPECT_EQ(factors.ofValues[q][0], (FactorList{2, 4}));
}

TEST(DimensionFactors, RefinementsOfOneDimensionMeet) {
  Graph graph;
  ValueId x = graph.addInput(tensor({24}), "x");
  graph.addOutput(graph.add(Opcode::Reshape, {x}, tensor({2, 12})));
  graph.addOutput(graph.add(Opcode::Reshape, {x}, tensor({4, 6})));
  DimensionFactors factors = llvm::cantFail(factorDimensions(graph));
  EXPECT_EQ(factors.ofValues[0][0], (FactorList{2, 2, 6}));
  EXPECT_EQ(factors.ofValues[1][1], (FactorList{2, 6}));
  EXPECT_EQ(factors.ofValues[2][0], (FactorList{2, 2}));
}

TEST(DimensionFactors, SizesOfOneHaveOneFactor) {
  Graph graph;
  ValueId x = graph.addInput(tensor({1, 6, 1}), "x");
  graph.addOutput(graph.add(Opcode::Reshape, {x}, tensor({2, 1, 3})));
  DimensionFactors factors = llvm::cantFail(factorDimensions(graph));
  EXPECT_EQ(factors.getShape(0), (Shape{1, 2, 3, 1}));
  EXPECT_EQ(factors.getShape(1), (Shape{2, 1, 3}));
}

/// Queries, keys and values of 2 heads in one matrix.
TEST(DimensionFactors, WholePartsAreSlicedAndJoined) {
  Graph graph;
  ValueId x = graph.addInput(tensor({24}), "x");
  ValueId q = addSlice(graph, x, {8}, {8});
  graph.addOutput(graph.add(Opcode::Reshape, {q}, tensor({2, 4})));
  Attributes along;
  along.dims = {0};
  ValueId joined = graph.add(Opcode::Concat, {q, x}, tensor({32}), along);
  graph.addOutput(joined);
  DimensionFactors factors = llvm::cantFail(factorDimensions(graph));
  EXPECT_EQ(factors.ofValues[x][0], (FactorList{6, 4}));
  EXPECT_EQ(factors.ofValues[joined][0], (FactorList{8, 4}));
}

TEST(DimensionFactors, NoCommonFactorsIsAnError) {
  Graph graph;
  ValueId x = graph.addInput(tensor({4, 3}), "x");
  graph.addOutput(graph.add(Opcode::Reshape, {x}, tensor({6, 2})));
  EXPECT_EQ(getError(graph),
            "operation 0 (reshape): expects a reshape of dimensions with "
            "common factors, got [4, 3] and [6, 2]");
}

TEST(DimensionFactors, TwoWaysToSplitAreAnError) {
  Graph graph;
  ValueId x = graph.addInput(tensor({6}), "x");
  graph.addOutput(graph.add(Opcode::Reshape, {x}, tensor({2, 3})));
  graph.addOutput(graph.add(Opcode::Reshape, {x}, tensor({3, 2})));
  EXPECT_EQ(getError(graph),
            "operation 1 (reshape): expects reshapes that split a dimension "
            "of 6 in ways that refine each other, got parts of 3 and of 2");
}

TEST(DimensionFactors, ASliceThroughAFactorIsAnError) {
  Graph graph;
  ValueId x = graph.addInput(tensor({8}), "x");
  graph.addOutput(graph.add(Opcode::Reshape, {x}, tensor({2, 4})));
  graph.addOutput(addSlice(graph, x, {2}, {4}));
  EXPECT_EQ(getError(graph),
            "operation 1 (slice): expects whole parts of 4, got 4 elements "
            "from 2 on with stride 1");
}

} // namespace
