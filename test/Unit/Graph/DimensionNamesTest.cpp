//===- DimensionNamesTest.cpp - Which dimensions are the same -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/DimensionNames.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;

namespace {

TensorSpec tensor(Shape shape) { return {std::move(shape), ElementType::F32}; }

/// mean over rows of exp(X[2, 5, 7]·W[7, 3] + b[3]), keys transposed on the
/// way.
Graph makeProgram() {
  Graph graph;
  ValueId x = graph.addInput(tensor({2, 5, 7}), "x");
  ValueId w = graph.addInput(tensor({3, 7}), "w");
  ValueId b = graph.addInput(tensor({1, 3}), "b");
  Attributes swap;
  swap.dims = {1, 0};
  ValueId t = graph.add(Opcode::Transpose, {w}, tensor({7, 3}), swap);
  ValueId m = graph.add(Opcode::Matmul, {x, t}, tensor({2, 5, 3}));
  ValueId s = graph.add(Opcode::Add, {m, b}, tensor({2, 5, 3}));
  Attributes mean;
  mean.dims = {1};
  mean.count = 5;
  graph.addOutput(graph.add(Opcode::Mean, {s}, tensor({2, 1, 3}), mean));
  return graph;
}

TEST(DimensionNames, WhatIsWalkedTogetherHasOneName) {
  DimensionNames names = llvm::cantFail(nameDimensions(makeProgram()));
  // In the order of the values: batch, rows, columns of X, rows of W.
  EXPECT_EQ(names.extents, (llvm::SmallVector<int64_t>{2, 5, 7, 3}));
  EXPECT_EQ(names.ofValues[0], (DimensionList{0, 1, 2}));
  EXPECT_EQ(names.ofValues[1], (DimensionList{3, 2}));
  EXPECT_EQ(names.ofValues[2], (DimensionList{kNoName, 3}));
  EXPECT_EQ(names.ofValues[3], (DimensionList{2, 3}));
  EXPECT_EQ(names.ofValues[5], (DimensionList{0, 1, 3}));
  EXPECT_EQ(names.ofValues[6], (DimensionList{0, kNoName, 3}));
}

TEST(DimensionNames, OtherSizesKeepTheProgram) {
  Graph graph = makeProgram();
  DimensionNames names = llvm::cantFail(nameDimensions(graph));
  Graph other = resize(graph, names, {4, 6, 8, 9});
  EXPECT_FALSE(verify(other));
  EXPECT_EQ(other.getType(0).shape, (Shape{4, 6, 8}));
  EXPECT_EQ(other.getType(1).shape, (Shape{9, 8}));
  EXPECT_EQ(other.getType(2).shape, (Shape{1, 9}));
  EXPECT_EQ(other.getType(other.getOutputs()[0]).shape, (Shape{4, 1, 9}));
  EXPECT_EQ(other.getNodes().back().attributes.count, 6);
  EXPECT_EQ(other.getInputName(1), "w");
  EXPECT_EQ(toString(resize(other, names, names.extents)), toString(graph));
}

TEST(DimensionNames, SizesOfOneComeAndGo) {
  Graph graph;
  ValueId x = graph.addInput(tensor({1, 8, 1, 6}), "x");
  graph.addOutput(graph.add(Opcode::Reshape, {x}, tensor({8, 6, 1})));
  DimensionNames names = llvm::cantFail(nameDimensions(graph));
  EXPECT_EQ(names.ofValues[0], (DimensionList{kNoName, 0, kNoName, 1}));
  EXPECT_EQ(names.ofValues[1], (DimensionList{0, 1, kNoName}));
}

TEST(DimensionNames, SplitDimensionsHaveNoName) {
  Graph graph;
  ValueId x = graph.addInput(tensor({8, 6}), "x");
  graph.addOutput(graph.add(Opcode::Reshape, {x}, tensor({8, 2, 3})));
  auto names = nameDimensions(graph);
  ASSERT_FALSE(!!names);
  EXPECT_EQ(llvm::toString(names.takeError()),
            "operation 0 (reshape): expects a reshape that neither splits nor "
            "joins dimensions");
}

TEST(DimensionNames, MasksSeeAsMuchAtOtherSizes) {
  std::pair<int64_t, int64_t> there = {4, 10}, here = {3, 5};
  EXPECT_EQ(resizeCausalOffset(0, there, here), 0);
  EXPECT_EQ(resizeCausalOffset(6, there, here), 2);
  EXPECT_EQ(resizeCausalOffset(6, there, {5, 3}), 0);
  EXPECT_EQ(resizeCausalOffset(4, there, here), 1);
  EXPECT_EQ(resizeCausalOffset(-4, there, here), -1);
  EXPECT_EQ(resizeCausalOffset(4, there, there), 4);
  Graph graph;
  ValueId x = graph.addInput(tensor({4, 10}), "x");
  Attributes mask;
  mask.offset = 6;
  graph.addOutput(graph.add(Opcode::CausalMask, {x}, tensor({4, 10}), mask));
  DimensionNames names = llvm::cantFail(nameDimensions(graph));
  EXPECT_EQ(resize(graph, names, {3, 5}).getNodes()[0].attributes.offset, 2);
}

/// The rows of a matrix times its transpose are two dimensions of the product.
TEST(DimensionNames, OneTensorMayHaveANameTwice) {
  Graph graph;
  ValueId x = graph.addInput(tensor({8, 6}), "x");
  Attributes swap;
  swap.dims = {1, 0};
  ValueId t = graph.add(Opcode::Transpose, {x}, tensor({6, 8}), swap);
  graph.addOutput(graph.add(Opcode::Matmul, {x, t}, tensor({8, 8})));
  DimensionNames names = llvm::cantFail(nameDimensions(graph));
  EXPECT_EQ(names.ofValues[2], (DimensionList{0, 0}));
}

/// The mean over one of them divides by its size, though the other stays.
TEST(DimensionNames, AReducedNameMayStayElsewhere) {
  Graph graph;
  ValueId x = graph.addInput(tensor({8, 6}), "x");
  Attributes swap, mean;
  swap.dims = {1, 0};
  mean.dims = {1};
  mean.count = 8;
  ValueId t = graph.add(Opcode::Transpose, {x}, tensor({6, 8}), swap);
  ValueId m = graph.add(Opcode::Matmul, {x, t}, tensor({8, 8}));
  graph.addOutput(graph.add(Opcode::Mean, {m}, tensor({8, 1}), mean));
  DimensionNames names = llvm::cantFail(nameDimensions(graph));
  Graph other = resize(graph, names, {5, 6});
  EXPECT_EQ(other.getNodes().back().attributes.count, 5);
}

} // namespace
