//===- SampleTest.cpp - Some elements are those of the whole --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sample.h"
#include "../TestSizes.h"
#include "Comparison.h"
#include "ExamplePrograms.h"
#include "ExpNesting.h"
#include "GraphEvaluator.h"
#include "Mirage/Graph/ComposedOperators.h"
#include "Programs.h"
#include "RandomGraphs.h"
#include "TileCopies.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

namespace {
//===----------------------------------------------------------------------===//
// Sets of indices
//===----------------------------------------------------------------------===//

std::vector<int64_t> list(const IndexSet &set) {
  std::vector<int64_t> indices;
  for (int64_t place = 0; place < set.size(); ++place)
    indices.push_back(set[place]);
  return indices;
}

TEST(IndexSet, RangesThatOverlap) {
  IndexSet set = IndexSet::fromRanges({{7, 9}, {0, 2}, {1, 4}, {5, 5}, {4, 5}});
  EXPECT_EQ(list(set), (std::vector<int64_t>{0, 1, 2, 3, 4, 7, 8}));
  EXPECT_EQ(set.runs().size(), 2u);
  EXPECT_FALSE(set.isAll(9));
  EXPECT_TRUE(IndexSet::join(set, IndexSet::fromIndices({5, 6})).isAll(9));
  EXPECT_TRUE(IndexSet().empty());
  EXPECT_EQ(IndexSet::fromRanges({{3, 3}}), IndexSet());
}

TEST(IndexSet, PlacesCountWhatIsBelow) {
  IndexSet set = IndexSet::fromIndices({9, 2, 3, 7, 3});
  const int64_t places[] = {0, 0, 0, 1, 2, 2, 2, 2, 3, 3, 4, 4};
  for (int64_t index = 0; index < 12; ++index)
    EXPECT_EQ(set.findPlace(index), places[index]) << index;
}

TEST(Sample, ReshapesGoInGroups) {
  auto describe = [](llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to) {
    std::vector<std::array<unsigned, 4>> groups;
    for (ReshapeGroup group : groupReshape(from, to))
      groups.push_back(
          {group.fromBegin, group.fromEnd, group.toBegin, group.toEnd});
    return groups;
  };
  using Groups = std::vector<std::array<unsigned, 4>>;
  EXPECT_EQ(describe({6, 4, 5}, {24, 5}), (Groups{{0, 2, 0, 1}, {2, 3, 1, 2}}));
  EXPECT_EQ(describe({4, 6}, {2, 12}), (Groups{{0, 2, 0, 2}}));
  EXPECT_EQ(describe({7}, {7, 1}), (Groups{{0, 1, 0, 1}, {1, 1, 1, 2}}));
}

//===----------------------------------------------------------------------===//
// Elements of a sample
//===----------------------------------------------------------------------===//

/// One index, some, a run, or all of them.
IndexSet drawSet(int64_t size, RandomStream &random) {
  int64_t first = random.uniform(size);
  switch (random.uniform(4)) {
  case 0:
    return IndexSet::fromIndices({first});
  case 1:
    return IndexSet::fromRanges({{first, size}});
  case 2:
    return IndexSet::all(size);
  default:
    std::vector<int64_t> indices = {first};
    for (int64_t index = 0; index < size; ++index)
      if (random.uniform(3) == 0)
        indices.push_back(index);
    return IndexSet::fromIndices(indices);
  }
}

std::vector<Region> drawOutputs(const Graph &graph, RandomStream &random) {
  std::vector<Region> outputs;
  for (ValueId output : graph.getOutputs()) {
    Region &region = outputs.emplace_back();
    for (int64_t size : graph.getType(output).shape)
      region.push_back(drawSet(size, random));
  }
  return outputs;
}

std::vector<uint32_t> pick(const std::vector<uint32_t> &elements,
                           llvm::ArrayRef<int64_t> shape,
                           const Region &region) {
  Strides strides = getRowMajorStrides(shape);
  std::vector<uint32_t> picked;
  forEachIndex(getShape(region), [&](llvm::ArrayRef<int64_t> places) {
    int64_t index = 0;
    for (auto [dim, place] : llvm::enumerate(places))
      index += region[dim][place] * strides[dim];
    picked.push_back(elements[index]);
  });
  return picked;
}

/// One trial of a graph, which may be made of samples of it, too.
class Trial {
public:
  Trial(const Graph &composed, const Seed &seed)
      : graph(expandComposed(composed)) {
    unsigned height = 1 + computeExpNesting(graph);
    RandomStream random(seed);
    batch.emplace(FieldTower::draw(height, random), /*words=*/1, seed);
    for (unsigned component = 0; component < height; ++component)
      inputs.emplace_back(deriveSeed(seed, "component", component),
                          batch->tower[component].getPrime());
    whole = evaluateInFields(graph, *batch, inputs, /*roots=*/true);
  }

  /// \returns the share of the whole's work that was done.
  double expectSame(llvm::ArrayRef<Region> outputs) const {
    Sample sample = findSample(graph, outputs);
    Outputs some =
        evaluateInFields(graph, *batch, inputs, /*roots=*/true, &sample);
    for (auto [number, output] : llvm::enumerate(graph.getOutputs()))
      EXPECT_EQ(some[number], pick(whole[number], graph.getType(output).shape,
                                   outputs[number]))
          << toString(graph);
    return countWork(graph, sample) / countWork(graph);
  }

  const Graph graph;

private:
  std::optional<FieldBatch> batch;
  std::vector<DrawnInputs> inputs;
  Outputs whole;
};

/// \returns the least share of the work that a sample took.
double expectSameElements(const Graph &graph, unsigned numSamples = 20) {
  static unsigned number = 0;
  Seed seed = deriveSeed(hashToSeed("sample"), "graph", number++);
  Trial trial(graph, seed);
  RandomStream random(deriveSeed(seed, "outputs", 0));
  double least = 1;
  for (unsigned i = 0; i < numSamples; ++i)
    least = std::min(least, trial.expectSame(drawOutputs(trial.graph, random)));
  return least;
}

TEST(Sample, OfPrograms) {
  EXPECT_LT(expectSameElements(rmsLinear(5, 30, 40)), 0.2);
  EXPECT_LT(expectSameElements(gatedMlp(7, 30, 40)), 0.2);
  EXPECT_LT(expectSameElements(softmax(20, 9, /*safe=*/true)), 0.2);
  EXPECT_LT(expectSameElements(attention(30, 20, 9, /*safe=*/true)), 0.2);
  expectSameElements(lora(5, 30, 40, 7));
  expectSameElements(qkNorm(5, 9, 4));
  expectSameElements(qkNormLate(5, 9, 4));
}

TEST(Sample, OfKernels) {
  EXPECT_LT(expectSameElements(rmsLinearFused(5, 30, 41, 7, 4)), 0.2);
  EXPECT_LT(expectSameElements(gatedMlpFused(3, 20, 50, 6, 8)), 0.2);
  EXPECT_LT(expectSameElements(softmaxFused(70, 9, 8)), 0.2);
  expectSameElements(loraFused(5, 30, 40, 7, 16, 12));
  expectSameElements(attentionFused(5, 30, 9, 4, 2));
  expectSameElements(attentionOnline(5, 30, 9, 4, 3));
}

/// Small enough for many blocks.
constexpr DefaultTileSizes kTiles = {64, 16};

TEST(Sample, OfExamples) {
  for (const ExamplePair &pair : readExamplePairs()) {
    SCOPED_TRACE(pair.name);
    expectSameElements(pair.program);
    expectSameElements(pair.example);
  }
}

TEST(Sample, OfBenchmarks) {
  unsigned numBenchmarks = 0, numBlocks = 0;
  for (const ExamplePair &pair : readBenchmarks()) {
    SCOPED_TRACE(pair.name);
    ++numBenchmarks;
    expectSameElements(pair.program);
    if (std::optional<Graph> tiled = makeTiled(pair.program, kTiles)) {
      expectSameElements(*tiled);
      numBlocks += countBlocks(*tiled);
    }
  }
  EXPECT_GE(numBenchmarks, 15u);
  EXPECT_GT(numBlocks, 5 * numBenchmarks);
}

TEST(Sample, OfRandomPrograms) {
  RandomStream random(hashToSeed("random programs"));
  unsigned numPrograms = isFullSize() ? 10000 : 400, numBlocks = 0;
  for (unsigned i = 0; i < numPrograms; ++i) {
    Graph program = makeRandomProgram(random, /*scale=*/1 + i % 5);
    expectSameElements(program, /*numSamples=*/4);
    std::optional<Graph> tiled = makeTiled(program, kTiles);
    if (!tiled)
      continue;
    expectSameElements(*tiled, /*numSamples=*/4);
    numBlocks += countBlocks(*tiled);
  }
  EXPECT_GT(numBlocks, 5 * numPrograms);
}

//===----------------------------------------------------------------------===//
// What indices do where they count
//===----------------------------------------------------------------------===//

TEST(Sample, ThroughMovements) {
  Graph graph;
  Builder b(graph);
  ValueId x = b.input({6, 8, 5}), y = b.input({6, 3, 5});
  ValueId row = b.input({1, 7, 1});
  Attributes attributes;
  attributes.dims = {1};
  ValueId joined = b.op(Opcode::Concat, {x, y, x}, attributes);
  attributes.dims = {2, 0, 1};
  ValueId turned = b.op(Opcode::Transpose, {joined}, attributes); // 5x6x19
  attributes = {};
  attributes.offsets = {1, 0, 2};
  attributes.strides = {2, 1, 3};
  Shape sliced = {2, 6, 5};
  graph.addOutput(
      graph.add(Opcode::Slice, {turned}, tensor(sliced), attributes));
  for (const Shape &shape :
       {Shape{30, 19}, Shape{5, 114}, Shape{10, 3, 19}, Shape{570},
        Shape{1, 5, 2, 3, 19, 1}, Shape{19, 30}, Shape{5, 6, 19}})
    graph.addOutput(graph.add(Opcode::Reshape, {turned}, tensor(shape)));
  graph.addOutput(graph.add(Opcode::Broadcast, {row}, tensor({4, 7, 3})));
  graph.addOutput(x);
  llvm::cantFail(verify(graph));
  expectSameElements(graph, 200);
}

/// One factor of a product is shared by all of a batch, or the factors are one
/// value of which either reads another part.
TEST(Sample, ThroughProducts) {
  Graph graph;
  Builder b(graph);
  ValueId x = b.input({4, 9, 9}), w = b.input({9, 6}), v = b.input({1, 9, 3});
  b.output(b.op(Opcode::Matmul, {x, w}));
  b.output(b.op(Opcode::Matmul, {x, v}));
  b.output(b.op(Opcode::Matmul, {x, x}));
  llvm::cantFail(verify(graph));
  expectSameElements(graph, 100);
}

TEST(Sample, CausalMasksCountTrueRowsAndColumns) {
  for (int64_t offset : {-3, 0, 4}) {
    Graph graph;
    Builder b(graph);
    ValueId x = b.input({2, 12, 15}), v = b.input({2, 15, 3});
    Attributes attributes;
    attributes.offset = offset;
    ValueId masked = b.op(Opcode::CausalMask, {x}, attributes);
    ValueId e = b.op(Opcode::Exp, {masked});
    b.output(b.op(Opcode::Matmul, {e, v}));
    b.output(masked);
    llvm::cantFail(verify(graph));
    expectSameElements(graph, 50);
  }
}

/// The same in blocks: which rows and columns a tile has depends on its place.
TEST(Sample, CausalMasksInBlocks) {
  TileGraph tiles;
  Builder b(tiles);
  tiles.grid = {2, 4};
  tiles.loop = 4;
  ValueId q = b.input({1, 3, 5}), k = b.input({1, 5, 4}),
          v = b.input({1, 4, 5});
  tiles.tileInputs = {
      {{0, 1}, kReplicated}, {{0, kReplicated}, 2}, {{0, kReplicated}, 1}};
  Attributes attributes;
  attributes.axes = {Axis::Y};
  attributes.columnAxes = {Axis::Loop};
  ValueId s =
      b.op(Opcode::CausalMask, {b.op(Opcode::Matmul, {q, k})}, attributes);
  ValueId e = b.op(Opcode::Exp, {s});
  b.output(b.accumulate(b.op(Opcode::Matmul, {e, v})));
  tiles.tileOutputs = {{{0, 1}}};
  Graph graph = wrap(tiles, {{2, 11, 5}, {2, 5, 14}, {2, 14, 5}}, {{2, 11, 5}});
  llvm::cantFail(verify(graph));
  EXPECT_LT(expectSameElements(graph, 100), 0.2);
}

/// Two axes cut one dimension, blocks along another add up, and one result is
/// there once for all blocks along an axis.
TEST(Sample, MapsOfSeveralAxes) {
  TileGraph tiles;
  Builder b(tiles);
  tiles.grid = {3, 2, 4};
  tiles.loop = 2;
  ValueId x = b.input({2, 2}), w = b.input({2, 3});
  tiles.tileInputs = {{{0, 1, 0}, 1}, {{kReplicated, 0, kReplicated}, 0}};
  ValueId product = b.accumulate(b.op(Opcode::Matmul, {x, w}));
  b.output(product);
  b.output(b.accumulate(product, Opcode::Sum, {}, 0, Axis::Y));
  b.output(b.accumulate(w, Opcode::Sum, {0}));
  tiles.tileOutputs = {{{0, kSummed, 0}},
                       {{0, kReplicated, 0}},
                       {{kReplicated, 0, kReplicated}}};
  Graph graph = wrap(tiles, {{23, 8}, {8, 3}}, {{23, 3}, {23, 3}, {2, 3}});
  llvm::cantFail(verify(graph));
  EXPECT_LT(expectSameElements(graph, 300), 0.3);
}

/// An element that is a sum over blocks takes all of these.
TEST(Sample, BlocksThatAddUp) {
  TileGraph tiles;
  Builder b(tiles);
  tiles.grid = {4, 5};
  ValueId x = b.input({3, 2}), w = b.input({2, 6});
  tiles.tileInputs = {{{0, 1}}, {{kReplicated, 0}}};
  b.output(b.op(Opcode::Matmul, {x, w}));
  tiles.tileOutputs = {{{0, kSummed}}};
  Graph graph = wrap(tiles, {{11, 10}, {10, 6}}, {{11, 6}});
  llvm::cantFail(verify(graph));
  EXPECT_LT(expectSameElements(graph, 50), 0.3);
}

/// One kernel writes what the next one reads in other tiles.
TEST(Sample, OneKernelAfterAnother) {
  auto scaleRows = [](int64_t tile) {
    TileGraph tiles;
    Builder b(tiles);
    tiles.grid = {ceilDiv(40, tile)};
    ValueId x = b.input({tile, 3});
    tiles.tileInputs = {{{0}, kReplicated}};
    b.output(b.op(Opcode::Mul, {x, b.reduce(Opcode::Sum, x, 1)}));
    tiles.tileOutputs = {{{0}}};
    return std::make_shared<TileGraph>(
        llvm::cantFail(maskPartialTiles(tiles, {tensor({40, 3})})));
  };
  Graph graph;
  ValueId x = graph.addInput(tensor({40, 3}));
  ValueId y = graph.addGraph({x}, scaleRows(7), {tensor({40, 3})});
  ValueId z = graph.addGraph({y}, scaleRows(6), {tensor({40, 3})});
  graph.addOutput(z);
  graph.addOutput(y);
  llvm::cantFail(verify(graph));
  EXPECT_LT(expectSameElements(graph, 100), 0.5);
}

/// What nobody asks for is not evaluated, and what is large is not held.
TEST(Sample, FewElementsTakeLittle) {
  Graph graph = expandComposed(attention(4096, 4096, 16, /*safe=*/true));
  Region region = {IndexSet::fromIndices({0, 63, 4095}), IndexSet::all(16)};
  Sample sample = findSample(graph, {region});
  EXPECT_LT(countWork(graph, sample), countWork(graph) / 1000);
  RandomStream random(hashToSeed("little"));
  FieldBatch batch(FieldTower::draw(2, random), /*words=*/1,
                   hashToSeed("little"));
  FieldArithmetic arithmetic(batch, 1, {});
  GraphEvaluator evaluator(arithmetic);
  evaluator.evaluate(
      graph, DrawnInputs(hashToSeed("x"), batch.tower[1].getPrime()), &sample);
  EXPECT_LT(evaluator.getPeakWords(), size_t(1) << 19);
}

/// An element of a sample has the number that it has in the whole.
TEST(Comparison, PlacesOfSampledElements) {
  Graph graph = gatedMlp(5, 3, 7);
  Region region = {IndexSet::fromIndices({1, 4}),
                   IndexSet::fromIndices({0, 6})};
  Comparison comparison(graph, {region});
  EXPECT_EQ(comparison.getNumElements(), 4u);
  const int64_t places[] = {7, 13, 28, 34};
  for (size_t element = 0; element < 4; ++element)
    EXPECT_EQ(comparison.getPlace(element),
              (std::pair<unsigned, int64_t>(0, places[element])));
}
} // namespace
