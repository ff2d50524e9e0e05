//===- InstancesTest.cpp - Sizes, threads and what they cost --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/CanonicalGraph.h"
#include "Mirage/Graph/TileMemory.h"
#include "Mirage/Search/BlockTime.h"
#include "Mirage/Search/Search.h"
#include "Programs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"
#include <limits>
#include <numeric>
#include <set>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {

Target getH200() { return llvm::cantFail(getTarget("sm_90a")); }

/// One kernel: f16 `x` [m, 4096] times f16 `w` [4096, 6144], n columns for a
/// block and k rows for an iteration, and the root mean square of x.
struct LinearKernel {
  int64_t n, k;
  unsigned threads;
  int64_t stages = 1;
};
constexpr int64_t kRows = 16, kDepth = 4096, kColumns = 6144;

TileGraph build(const LinearKernel &sizes) {
  TileGraph tiles;
  tiles.threads = sizes.threads;
  tiles.grid.push_back(llvm::divideCeil(kColumns, sizes.n));
  tiles.loop = kDepth / sizes.k;
  tiles.stages = sizes.stages;
  ValueId x = tiles.addInput({{kRows, sizes.k}, ElementType::F16});
  ValueId w = tiles.addInput({{sizes.k, sizes.n}, ElementType::F16});
  tiles.tileInputs = {{{kReplicated}, 1}, {{1}, 0}};
  Attributes rms;
  rms.axis = Axis::Loop;
  rms.reduction = Opcode::Rms;
  rms.dims = {1};
  rms.count = kDepth;
  ValueId norm =
      tiles.add(Opcode::Accumulate, {x}, {{kRows, 1}, ElementType::F32}, rms);
  TensorSpec result{{kRows, sizes.n}, ElementType::F32};
  ValueId product = tiles.add(Opcode::Matmul, {x, w}, result);
  Attributes sum;
  sum.axis = Axis::Loop;
  ValueId total = tiles.add(Opcode::Accumulate, {product}, result, sum);
  tiles.addOutput(tiles.add(Opcode::Div, {total, norm}, result));
  tiles.tileOutputs = {{{1}}};
  return tiles;
}

const std::vector<TensorSpec> kLinearOperands = {
    {{kRows, kDepth}, ElementType::F16},
    {{kDepth, kColumns}, ElementType::F16}};
const std::vector<TensorSpec> kLinearResults = {
    {{kRows, kColumns}, ElementType::F16}};

double predict(const LinearKernel &sizes) {
  return AnalyticCostModel(getH200()).estimateKernelUs(
      build(sizes), kLinearOperands, kLinearResults);
}

std::vector<double> rank(const std::vector<double> &values) {
  std::vector<unsigned> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order,
             [&](unsigned a, unsigned b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (auto [position, index] : llvm::enumerate(order))
    ranks[index] = double(position);
  return ranks;
}

/// Spearman's.
double correlateRanks(const std::vector<double> &a,
                      const std::vector<double> &b) {
  double sum = 0, n = a.size();
  std::vector<double> ranksA = rank(a), ranksB = rank(b);
  for (auto [x, y] : llvm::zip_equal(ranksA, ranksB))
    sum += (x - y) * (x - y);
  return 1 - 6 * sum / (n * (n * n - 1));
}

/// Times of an H200, cold L2, in µs (`mirage-run --device=cuda --measure`).
TEST(InstancesTest, PredictionsFollowWhatAnH200Takes) {
  const std::vector<std::pair<LinearKernel, double>> measured = {
      {{48, 64, 128, 1}, 89.37},  {{48, 64, 128, 2}, 52.72},
      {{48, 64, 128, 3}, 45.53},  {{48, 64, 128, 4}, 45.47},
      {{48, 64, 256, 1}, 77.17},  {{48, 64, 256, 2}, 52.64},
      {{48, 64, 256, 3}, 38.48},  {{48, 64, 256, 4}, 37.89},
      {{48, 64, 512, 1}, 75.69},  {{48, 64, 512, 2}, 52.18},
      {{48, 64, 512, 3}, 40.19},  {{48, 64, 512, 4}, 40.18},
      {{48, 128, 128, 1}, 86.28}, {{48, 128, 128, 2}, 38.96},
      {{48, 128, 128, 3}, 38.67}, {{48, 128, 128, 4}, 38.35},
      {{48, 128, 256, 1}, 62.44}, {{48, 128, 256, 2}, 35.01},
      {{48, 128, 256, 3}, 33.13}, {{48, 128, 256, 4}, 32.65},
      {{48, 128, 512, 1}, 52.88}, {{48, 128, 512, 2}, 35.17},
      {{48, 128, 512, 3}, 32.78}, {{48, 128, 512, 4}, 32.54},
      {{48, 256, 128, 1}, 95.59}, {{48, 256, 128, 2}, 39.63},
      {{48, 256, 128, 3}, 40.08}, {{48, 256, 128, 4}, 36.54},
      {{48, 256, 256, 1}, 46.70}, {{48, 256, 256, 2}, 30.38},
      {{48, 256, 256, 3}, 29.58}, {{48, 256, 256, 4}, 29.16},
      {{48, 256, 512, 1}, 44.06}, {{48, 256, 512, 2}, 32.75},
      {{48, 256, 512, 3}, 30.66}, {{48, 256, 512, 4}, 30.21},
      {{64, 64, 128, 1}, 77.20},  {{64, 64, 128, 2}, 49.50},
      {{64, 64, 128, 3}, 41.36},  {{64, 64, 128, 4}, 40.98},
      {{64, 64, 256, 1}, 94.89},  {{64, 64, 256, 2}, 50.02},
      {{64, 64, 256, 3}, 39.70},  {{64, 64, 256, 4}, 40.18},
      {{64, 64, 512, 1}, 73.17},  {{64, 64, 512, 2}, 48.35},
      {{64, 64, 512, 3}, 40.96},  {{64, 64, 512, 4}, 39.99},
      {{64, 128, 128, 1}, 77.09}, {{64, 128, 128, 2}, 33.22},
      {{64, 128, 128, 3}, 32.47}, {{64, 128, 128, 4}, 32.29},
      {{64, 128, 256, 1}, 57.43}, {{64, 128, 256, 2}, 33.32},
      {{64, 128, 256, 3}, 32.90}, {{64, 128, 256, 4}, 32.51},
      {{64, 128, 512, 1}, 50.00}, {{64, 128, 512, 2}, 33.12},
      {{64, 128, 512, 3}, 32.95}, {{64, 128, 512, 4}, 32.88},
      {{64, 256, 128, 1}, 58.35}, {{64, 256, 128, 2}, 32.39},
      {{64, 256, 128, 3}, 31.14}, {{64, 256, 128, 4}, 29.12},
      {{64, 256, 256, 1}, 59.87}, {{64, 256, 256, 2}, 31.20},
      {{64, 256, 256, 3}, 28.45}, {{64, 256, 256, 4}, 28.44},
      {{64, 256, 512, 1}, 38.37}, {{64, 256, 512, 2}, 31.49},
      {{64, 256, 512, 3}, 27.93}, {{64, 256, 512, 4}, 28.54}};
  std::vector<double> predictions, times;
  unsigned numOutside = 0;
  for (const auto &[sizes, us] : measured) {
    predictions.push_back(predict(sizes));
    times.push_back(us);
    numOutside += predictions.back() < us / 2 || predictions.back() > us * 1.5;
  }
  EXPECT_LE(numOutside, 1u);
  EXPECT_GT(correlateRanks(predictions, times), 0.7); // it is 0.75
}

/// Work per thread asks for more of them where there is work, and not where
/// there is none.
TEST(InstancesTest, BlocksHaveThreadsForTheirWork) {
  AnalyticCostModel model(getH200());
  auto choose = [&](int64_t rows, int64_t columns) {
    TileGraph tiles;
    tiles.grid = {132};
    TensorSpec tile{{rows, columns}, ElementType::F16};
    ValueId x = tiles.addInput(tile);
    tiles.tileInputs = {{{0}, kReplicated}};
    tile.element = ElementType::F32;
    tiles.addOutput(tiles.add(Opcode::Exp, {x}, tile));
    tiles.tileOutputs = {{{0}}};
    TensorSpec tensor{{132 * rows, columns}, ElementType::F16};
    return model.chooseBlockSize(tiles, {tensor}, {tensor});
  };
  EXPECT_EQ(choose(1, 64)->threads, 64u);
  EXPECT_EQ(choose(1, 128)->threads, 128u);
  EXPECT_EQ(choose(64, 512)->threads, 512u);
  EXPECT_FALSE(choose(512, 512)); // 768 KiB of tiles
}

/// 128 x 128 sums are 128 registers for each of 128 threads, and 256 for each
/// of 64, which nobody can have.
TEST(InstancesTest, AccumulatorsTakeTheThreadsTheyNeed) {
  TileGraph tiles;
  tiles.grid = {1};
  tiles.loop = 4;
  TensorSpec tile{{128, 128}, ElementType::F16};
  ValueId x = tiles.addInput(tile);
  tiles.tileInputs = {{{kReplicated}, 0}};
  tile.element = ElementType::F32;
  Attributes sum;
  sum.axis = Axis::Loop;
  tiles.addOutput(tiles.add(Opcode::Accumulate, {x}, tile, sum));
  tiles.tileOutputs = {{{kReplicated}}};
  for (auto [threads, isIn] : {std::pair(64u, false), std::pair(128u, true),
                               std::pair(256u, true), std::pair(512u, true)}) {
    tiles.threads = threads;
    EXPECT_EQ(fits(tiles, getH200()), isIn) << threads;
  }
  // At 512 threads a thread has 128 registers, and 64 of them for sums.
  tiles.setType(1, {{128, 288}, ElementType::F32});
  EXPECT_FALSE(fits(tiles, getH200()));
}

/// Of all that fit: no more than are asked for, than iterations, and than there
/// is shared memory for.
TEST(InstancesTest, EveryNumberOfStagesThatFitsIsOffered) {
  for (LinearKernel sizes : {LinearKernel{48, 64, 128},
                             {64, 256, 256},
                             {96, 1024, 128},
                             {64, 2048, 512}})
    for (int64_t asked = 1; asked <= kMaxStages; ++asked) {
      TileGraph tiles = build(sizes);
      auto size = AnalyticCostModel(getH200(), asked)
                      .chooseBlockSize(tiles, kLinearOperands, kLinearResults);
      if (!size) { // not with one stage either
        EXPECT_GT(getSharedBytes(tiles), getH200().sharedBytesPerBlock);
        continue;
      }
      tiles.stages = size->stages;
      tiles.threads = size->threads;
      EXPECT_TRUE(fits(tiles, getH200())) << asked;
      ++tiles.stages;
      EXPECT_TRUE(size->stages == asked || size->stages == tiles.loop ||
                  !fits(tiles, getH200()))
          << asked << " asked for, " << size->stages << " given";
    }
}

/// Of threads and stages, by trying all.
TEST(InstancesTest, ThreadsAndStagesAreThoseThatTakeLeast) {
  AnalyticCostModel model(getH200());
  std::set<unsigned> chosen;
  for (int64_t n : {16, 48, 96})
    for (int64_t k : {16, 64, 256}) {
      TileGraph tiles = build({n, k, 128});
      auto size = model.chooseBlockSize(tiles, kLinearOperands, kLinearResults);
      ASSERT_TRUE(size);
      double leastUs = std::numeric_limits<double>::infinity();
      for (unsigned threads : kBlockSizes)
        for (unsigned stages = 1; stages <= kMostChosenStages; ++stages) {
          TileGraph sized = build({n, k, threads, stages});
          if (fits(sized, getH200()))
            leastUs = std::min(leastUs, predict({n, k, threads, stages}));
        }
      EXPECT_EQ(size->us, leastUs) << n << " x " << k;
      EXPECT_EQ(size->us, predict({n, k, size->threads, size->stages}));
      chosen.insert(size->stages);
    }
  EXPECT_GT(chosen.size(), 1u);
}

/// One block on an SM, little arithmetic: with each further stage less is
/// waited for, down to what loads and arithmetic take.
TEST(InstancesTest, StagesHideWhatLoadsAreWaitedFor) {
  auto predictSums = [](int64_t columns, int64_t stages) {
    TileGraph tiles;
    tiles.grid = {132};
    tiles.loop = 64;
    tiles.stages = stages;
    ValueId x = tiles.addInput({{16, columns}, ElementType::F16});
    tiles.tileInputs = {{{0}, 1}};
    Attributes sum;
    sum.axis = Axis::Loop;
    sum.reduction = Opcode::Sum;
    sum.dims = {1};
    TensorSpec result{{16, 1}, ElementType::F32};
    tiles.addOutput(tiles.add(Opcode::Accumulate, {x}, result, sum));
    tiles.tileOutputs = {{{0}}};
    return AnalyticCostModel(getH200()).estimateKernelUs(
        tiles, {{{132 * 16, 64 * columns}, ElementType::F16}},
        {{{132 * 16, 1}, ElementType::F32}});
  };
  double one = predictSums(64, 1), two = predictSums(64, 2),
         three = predictSums(64, 3);
  EXPECT_LT(two, one);
  EXPECT_LT(three, two);
  EXPECT_NEAR(predictSums(64, 6), predictSums(64, 5), 0.01 * one);
  // The first tiles are waited for, and so is what 64 iterations compute.
  EXPECT_GT(predictSums(64, 6), one / 8);
  // Odd rows of 2 bytes an element are loaded at once, whatever is asked for.
  EXPECT_GE(predictSums(63, 6), predictSums(63, 1));
}

/// The fewer consecutive bytes a tile's rows have, the longer each byte takes,
/// from 128 on down; and yet no larger tile takes less.
TEST(InstancesTest, ShortRowsTakeLongerForEachByte) {
  auto getBytes = [](int64_t columns, int64_t tensorColumns) {
    KernelWork::Load load;
    load.tile = load.largestTile = {{16, columns}, ElementType::F16};
    load.tensor = {{4096, tensorColumns}, ElementType::F16};
    return getLoadBytes(load) / double(load.tile.getSizeBytes());
  };
  for (int64_t columns : {4, 8, 16, 32})
    EXPECT_GT(getBytes(columns, 4096), getBytes(2 * columns, 4096)) << columns;
  EXPECT_EQ(getBytes(64, 4096), 1);
  for (int64_t columns = 1; columns < 128; ++columns)
    EXPECT_LE(double(columns) * getBytes(columns, 4096),
              double(columns + 1) * getBytes(columns + 1, 4096) * (1 + 1e-12))
        << columns;
  // Whole rows of the tensor are one.
  EXPECT_EQ(getBytes(4, 4), 1);
}

/// What is kept differs in operators, maps or inputs: a structure is kept with
/// its cheapest sizes only, and no two kept kernels are alike.
TEST(InstancesTest, CandidatesAreDistinct) {
  for (const Graph &program :
       {rmsNormLinear(8, 512, 768), lora(16, 256, 16, 200),
        attention(2, 40, 300, 32)}) {
    SearchOptions options;
    options.numCandidates = 32;
    SearchResult result = llvm::cantFail(superoptimize(program, options));
    std::set<std::string> structures, kernels;
    for (const Candidate &candidate : result.candidates) {
      EXPECT_TRUE(structures.insert(toString(candidate.structure)).second);
      EXPECT_TRUE(
          kernels.insert(toString(canonicalize(candidate.graph))).second)
          << toString(candidate.graph);
    }
    EXPECT_GT(kernels.size(), 4u);
  }
}

} // namespace
