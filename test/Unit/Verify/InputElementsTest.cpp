//===- InputElementsTest.cpp - Inputs that are read part by part ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InputElements.h"
#include "Comparison.h"
#include "ExpNesting.h"
#include "GraphEvaluator.h"
#include "Mirage/Graph/ComposedOperators.h"
#include "Programs.h"
#include "gtest/gtest.h"
#include <cmath>
#include <set>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

namespace {
const Seed kSeed = hashToSeed("inputs");

std::vector<uint32_t> read(const InputElements &inputs, unsigned input,
                           size_t first, size_t count) {
  std::vector<uint32_t> elements(count);
  inputs.read(input, first, elements);
  return elements;
}

TEST(InputElements, AnyPartIsThatOfTheWhole) {
  constexpr size_t kRun = InputElements::kRun, kCount = 3 * kRun + 100;
  DrawnInputs inputs(kSeed, /*prime=*/1009);
  std::vector<uint32_t> whole = read(inputs, 1, 0, kCount);
  for (auto [first, count] : {std::pair<size_t, size_t>{0, 1},
                              {5, 90},
                              {kRun, kRun},
                              {kRun - 1, 2},
                              {kRun + 7, 2 * kRun},
                              {3 * kRun, 100},
                              {kCount - 1, 1},
                              {9, 0}})
    EXPECT_EQ(read(inputs, 1, first, count),
              std::vector<uint32_t>(whole.begin() + first,
                                    whole.begin() + first + count));
  EXPECT_NE(read(inputs, 0, 0, kCount), whole);
  EXPECT_NE(read(DrawnInputs(hashToSeed("others"), 1009), 1, 0, kCount), whole);
}

/// All elements of the field are there, about as often; no run is another.
TEST(InputElements, ElementsAreUniform) {
  constexpr size_t kRun = InputElements::kRun, kRuns = 64, kPrime = 13;
  DrawnInputs inputs(kSeed, kPrime);
  std::vector<size_t> counts(kPrime);
  std::set<std::vector<uint32_t>> runs;
  for (size_t run = 0; run < kRuns; ++run) {
    std::vector<uint32_t> elements = read(inputs, 0, run * kRun, kRun);
    for (uint32_t element : elements) {
      ASSERT_LT(element, kPrime);
      ++counts[element];
    }
    runs.insert(std::move(elements));
  }
  EXPECT_EQ(runs.size(), kRuns);
  // Five standard deviations.
  double expected = double(kRun * kRuns) / kPrime;
  for (size_t count : counts)
    EXPECT_NEAR(double(count), expected, 5 * std::sqrt(expected));
}

/// What is read part by part comes to what is evaluated of all elements.
void expectSameOutputs(const Graph &composed) {
  Graph graph = expandComposed(composed);
  unsigned height = 1 + computeExpNesting(graph);
  RandomStream random(kSeed);
  FieldBatch batch(FieldTower::draw(height, random), /*words=*/1, kSeed);
  std::vector<DrawnInputs> drawn;
  std::vector<std::vector<uint32_t>> stored(height);
  for (unsigned component = 0; component < height; ++component) {
    drawn.emplace_back(deriveSeed(kSeed, "component", component),
                       batch.tower[component].getPrime());
    for (unsigned input = 0; input < graph.getNumInputs(); ++input)
      llvm::append_range(
          stored[component],
          read(drawn.back(), input, 0, graph.getType(input).getNumElements()));
  }
  Outputs parts = evaluateInFields(graph, batch, drawn,
                                   /*multiplicativeRoots=*/false);
  EXPECT_EQ(parts, evaluateInFields(graph, batch, stored, height));
  std::set<uint32_t> values(parts[0].begin(), parts[0].end());
  EXPECT_GT(values.size(), parts[0].size() / 4);
}

TEST(InputElements, OperatorsOneByOne) {
  expectSameOutputs(gatedMlp(3, 700, 500));
  expectSameOutputs(rmsLinear(5, 300, 1000));
  expectSameOutputs(attention(50, 300, 20, /*safe=*/true));
  expectSameOutputs(lora(5, 100, 3000, 7));
  // The left factor is the large one, or both are one input, or an output.
  Graph left, square, same;
  Builder l(left), s(square), o(same);
  ValueId a = l.input({3000, 200}), b = l.input({200, 7});
  l.output(l.op(Opcode::Matmul, {a, b}));
  expectSameOutputs(left);
  ValueId x = s.input({300, 300});
  s.output(s.op(Opcode::Matmul, {x, x}));
  expectSameOutputs(square);
  ValueId y = o.input({100, 100});
  o.output(y);
  o.output(o.op(Opcode::Exp, {y}));
  expectSameOutputs(same);
}

/// A batch, of which one factor is shared by all.
TEST(InputElements, ProductsOfBatches) {
  for (int64_t batch : {1, 4}) {
    Graph graph;
    Builder b(graph);
    ValueId x = b.input({4, 9, 300}), w = b.input({batch, 300, 200});
    b.output(b.op(Opcode::Matmul, {x, w}));
    expectSameOutputs(graph);
  }
}

TEST(InputElements, KernelsTileByTile) {
  expectSameOutputs(rmsLinearFused(5, 300, 1000, 64, 96));
  expectSameOutputs(rmsLinearFused(5, 4096, 70, 48, 32));
  expectSameOutputs(gatedMlpFused(3, 700, 500, 32, 64));
  expectSameOutputs(softmaxFused(70, 3000, 8));
  expectSameOutputs(loraFused(5, 100, 3000, 7, 16, 512));
  expectSameOutputs(attentionFused(50, 300, 20, 16, 2));
  expectSameOutputs(attentionOnline(50, 300, 20, 16, 3));
}

/// A loop along the rows of an input meets each of them in every iteration.
TEST(InputElements, ALoopAlongRows) {
  TileGraph tiles;
  Builder b(tiles);
  tiles.grid = {2};
  tiles.loop = 40;
  ValueId x = b.input({100, 128});
  tiles.tileInputs = {{{0}, 1}};
  b.output(b.accumulate(x, Opcode::Sum, {1}));
  tiles.tileOutputs = {{{0}}};
  expectSameOutputs(wrap(tiles, {{200, 5000}}, {{200, 1}}));
}

/// Where the last tile leaves the input it is zero, and not what the iteration
/// before had there.
TEST(InputElements, PartialTilesAreZeroBeyondTheInput) {
  TileGraph tiles;
  Builder b(tiles);
  tiles.grid = {3};
  tiles.loop = 5;
  ValueId x = b.input({64, 100});
  tiles.tileInputs = {{{1}, 0}};
  b.output(b.accumulate(x, Opcode::Sum, {0}));
  tiles.tileOutputs = {{{1}}};
  expectSameOutputs(wrap(tiles, {{300, 256}}, {{1, 256}}));
}

/// An evaluation holds a small part of the weights, be it operator by operator
/// or tile by tile, and gives back what it has used.
TEST(InputElements, LargeInputsAreNotHeld) {
  constexpr size_t kWeights = 2048 * 1024;
  auto getPeakWords = [](const Graph &composed) {
    Graph graph = expandComposed(composed);
    RandomStream random(kSeed);
    FieldBatch batch(FieldTower::draw(1, random), /*words=*/1, kSeed);
    FieldArithmetic arithmetic(batch, 0, {});
    GraphEvaluator evaluator(arithmetic);
    evaluator.evaluate(graph, DrawnInputs(kSeed, batch.tower[0].getPrime()));
    return evaluator.getPeakWords();
  };
  EXPECT_LT(getPeakWords(rmsLinear(8, 2048, 1024)), kWeights / 2);
  EXPECT_LT(getPeakWords(gatedMlp(8, 2048, 1024)), kWeights / 2);
  EXPECT_LT(getPeakWords(gatedMlpFused(8, 2048, 1024, 64, 64)), kWeights / 2);
  // Ten values of one size, of which two or three are there at a time.
  Graph chain;
  Builder b(chain);
  ValueId x = b.input({2048, 1024});
  for (unsigned i = 0; i < 10; ++i)
    x = b.scale(x, 2);
  b.output(x);
  EXPECT_LT(getPeakWords(chain), 5 * kWeights / 2);
}
} // namespace
