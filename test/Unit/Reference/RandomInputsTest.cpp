//===- RandomInputsTest.cpp - Tests of seeded inputs ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Reference/RandomInputs.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir::mirage;

TEST(RandomInputs, MeanDeviationAndRange) {
  TensorSpec type{{1000, 1000}, ElementType::F32};
  std::vector<double> values = decode(makeNormalTensor(type, 0.5, 3, 0));
  double sum = 0, squares = 0, largest = 0;
  for (double value : values) {
    sum += value;
    squares += value * value;
    largest = std::max(largest, std::fabs(value));
  }
  EXPECT_NEAR(sum / 1e6, 0, 0.002);
  EXPECT_NEAR(std::sqrt(squares / 1e6), 0.5, 0.002);
  EXPECT_GT(largest, 0.5 * 3.5);
  EXPECT_LT(largest, 0.5 * 4.9);
}

TEST(RandomInputs, SeedStreamAndThreads) {
  TensorSpec type{{200000}, ElementType::F16};
  HostTensor tensor = makeNormalTensor(type, 1, 7, 1, 1);
  EXPECT_EQ(makeNormalTensor(type, 1, 7, 1, 8).bytes, tensor.bytes);
  EXPECT_NE(makeNormalTensor(type, 1, 8, 1).bytes, tensor.bytes);
  EXPECT_NE(makeNormalTensor(type, 1, 7, 2).bytes, tensor.bytes);
}

TEST(RandomInputs, LargeTensorsStartAsSmallOnes) {
  for (ElementType element :
       {ElementType::F32, ElementType::F16, ElementType::F8E4M3FN}) {
    HostTensor small = makeNormalTensor({{1000}, element}, 0.5, 7, 1);
    HostTensor large = makeNormalTensor({{600000}, element}, 0.5, 7, 1, 2);
    large.bytes.resize(small.bytes.size());
    EXPECT_EQ(large.bytes, small.bytes);
  }
}

TEST(RandomInputs, ElementsAloneAreThoseOfTheWhole) {
  for (ElementType element :
       {ElementType::F32, ElementType::F16, ElementType::F8E4M3FN}) {
    std::vector<double> whole =
        decode(makeNormalTensor({{600000}, element}, 0.5, 7, 1));
    std::vector<double> some(1000);
    for (size_t first : {0, 1234, 599000}) {
      readNormalElements(element, 0.5, 7, 1, first, some);
      EXPECT_EQ(llvm::ArrayRef(some),
                llvm::ArrayRef(whole).slice(first, some.size()));
    }
  }
}

/// The numbers of a seed are a promise: stored results depend on them.
TEST(RandomInputs, KnownBits) {
  HostTensor tensor = makeNormalTensor({{4}, ElementType::F32}, 1, 1, 0);
  std::vector<double> values = decode(tensor);
  EXPECT_EQ(values[0], -0.8441425561904907);
  EXPECT_EQ(values[3], 0.6955533027648926);
}

TEST(RandomInputs, WeightsAreScaledByTheContractedSize) {
  Graph graph;
  TensorSpec f16{{4, 64}, ElementType::F16};
  ValueId x = graph.addInput(f16), w = graph.addInput({{32, 64}, f16.element});
  Attributes swap;
  swap.dims = {1, 0};
  ValueId t = graph.add(Opcode::Transpose, {w}, {{64, 32}, f16.element}, swap);
  graph.addOutput(graph.add(Opcode::Matmul, {x, t}, {{4, 32}, f16.element}));
  EXPECT_EQ(getTypicalDeviation(graph, x), 1);
  EXPECT_EQ(getTypicalDeviation(graph, w), 0.125);
}

/// A µGraph is tried with the numbers that its program is tried with.
TEST(RandomInputs, WeightsOfTilesAreScaledByTheWholeContractedSize) {
  auto tiles = std::make_shared<TileGraph>();
  TensorSpec part{{4, 16}, ElementType::F16}, sum{{4, 8}, ElementType::F32};
  ValueId xt = tiles->addInput(part);
  ValueId wt = tiles->addInput({{8, 16}, ElementType::F16});
  tiles->grid = {4};
  tiles->loop = 4;
  tiles->tileInputs = {{{kReplicated}, 1}, {{0}, 1}};
  Attributes swap;
  swap.dims = {1, 0};
  ValueId t =
      tiles->add(Opcode::Transpose, {wt}, {{16, 8}, ElementType::F16}, swap);
  ValueId p = tiles->add(Opcode::Matmul, {xt, t}, sum);
  tiles->addOutput(tiles->add(Opcode::Accumulate, {p}, sum));
  tiles->tileOutputs = {{{1}}};
  Graph graph;
  ValueId x = graph.addInput({{4, 64}, ElementType::F16});
  ValueId w = graph.addInput({{32, 64}, ElementType::F16});
  graph.addOutput(
      graph.addGraph({x, w}, tiles, {TensorSpec{{4, 32}, ElementType::F16}}));
  ASSERT_EQ(llvm::toString(verify(graph)), "");
  EXPECT_EQ(getTypicalDeviation(graph, x), 1);
  EXPECT_EQ(getTypicalDeviation(graph, w), 0.125);
}
