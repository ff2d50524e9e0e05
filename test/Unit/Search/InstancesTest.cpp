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
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {

Target getH200() { return llvm::cantFail(getTarget("sm_90a")); }

/// One kernel: f16 `x` [m, 4096] times f16 `w` [4096, columns], n columns for a
/// block and k rows for an iteration, and the root mean square of x; or times
/// two such, one gating the other.
struct LinearKernel {
  int64_t n, k;
  unsigned threads;
  int64_t stages = 1;
  bool isGated = false;

  int64_t getRows() const { return isGated ? 8 : 16; }
  int64_t getColumns() const { return isGated ? 4096 : 6144; }
  std::vector<TensorSpec> getOperands() const {
    TensorSpec weights{{kDepth, getColumns()}, ElementType::F16};
    std::vector<TensorSpec> operands(isGated ? 3 : 2, weights);
    operands[0].shape = {getRows(), kDepth};
    return operands;
  }
  std::vector<TensorSpec> getResults() const {
    return {{{getRows(), getColumns()}, ElementType::F16}};
  }

  static constexpr int64_t kDepth = 4096;
};

TileGraph build(const LinearKernel &sizes) {
  int64_t rows = sizes.getRows();
  TileGraph tiles;
  tiles.threads = sizes.threads;
  tiles.grid.push_back(llvm::divideCeil(sizes.getColumns(), sizes.n));
  tiles.loop = LinearKernel::kDepth / sizes.k;
  tiles.stages = sizes.stages;
  ValueId x = tiles.addInput({{rows, sizes.k}, ElementType::F16});
  tiles.tileInputs = {{{kReplicated}, 1}};
  std::vector<ValueId> weights;
  for (unsigned number = 0; number < (sizes.isGated ? 2 : 1); ++number) {
    weights.push_back(tiles.addInput({{sizes.k, sizes.n}, ElementType::F16}));
    tiles.tileInputs.push_back({{1}, 0});
  }
  TensorSpec result{{rows, sizes.n}, ElementType::F32};
  Attributes sum;
  sum.axis = Axis::Loop;
  auto addProduct = [&](ValueId w) {
    ValueId product = tiles.add(Opcode::Matmul, {x, w}, result);
    return tiles.add(Opcode::Accumulate, {product}, result, sum);
  };
  if (sizes.isGated) {
    ValueId gate = tiles.add(Opcode::Silu, {addProduct(weights[0])}, result);
    ValueId gated = addProduct(weights[1]);
    tiles.addOutput(tiles.add(Opcode::Mul, {gate, gated}, result));
  } else {
    Attributes rms = sum;
    rms.reduction = Opcode::Rms;
    rms.dims = {1};
    rms.count = LinearKernel::kDepth;
    ValueId norm =
        tiles.add(Opcode::Accumulate, {x}, {{rows, 1}, ElementType::F32}, rms);
    tiles.addOutput(
        tiles.add(Opcode::Div, {addProduct(weights[0]), norm}, result));
  }
  tiles.tileOutputs = {{{1}}};
  return tiles;
}

double predict(const LinearKernel &sizes, const Target &target = getH200()) {
  return AnalyticCostModel(target).estimateKernelUs(
      build(sizes), sizes.getOperands(), sizes.getResults());
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

/// Which is as an H200 is, but that its memory gives less (3.35 TB/s for 4.8 in
/// the data sheets).
Target getH100() {
  Target target = getH200();
  target.memoryBytesPerUs *= 3.35 / 4.8;
  return target;
}

/// Times of an H100, cold L2, in µs (`mirage-run --device=cuda --measure`).
TEST(InstancesTest, PredictionsFollowWhatAnH100Takes) {
  const std::vector<std::pair<LinearKernel, double>> measured = {
      {{48, 64, 128, 1}, 60.56},        {{48, 64, 128, 2}, 51.39},
      {{48, 64, 128, 3}, 32.04},        {{48, 64, 128, 4}, 27.63},
      {{48, 64, 256, 1}, 65.28},        {{48, 64, 256, 2}, 51.88},
      {{48, 64, 256, 3}, 32.57},        {{48, 64, 256, 4}, 31.34},
      {{48, 64, 512, 1}, 67.87},        {{48, 64, 512, 2}, 50.37},
      {{48, 64, 512, 3}, 35.92},        {{48, 64, 512, 4}, 35.82},
      {{48, 128, 128, 1}, 44.29},       {{48, 128, 128, 2}, 35.76},
      {{48, 128, 128, 3}, 26.73},       {{48, 128, 128, 4}, 26.02},
      {{48, 128, 256, 1}, 45.09},       {{48, 128, 256, 2}, 35.25},
      {{48, 128, 256, 3}, 26.89},       {{48, 128, 256, 4}, 26.55},
      {{48, 128, 512, 1}, 45.18},       {{48, 128, 512, 2}, 35.71},
      {{48, 128, 512, 3}, 27.74},       {{48, 128, 512, 4}, 27.49},
      {{48, 256, 128, 1}, 44.74},       {{48, 256, 128, 2}, 35.32},
      {{48, 256, 128, 3}, 28.79},       {{48, 256, 128, 4}, 30.71},
      {{48, 256, 256, 1}, 37.83},       {{48, 256, 256, 2}, 30.25},
      {{48, 256, 256, 3}, 26.74},       {{48, 256, 256, 4}, 26.98},
      {{48, 256, 512, 1}, 36.77},       {{48, 256, 512, 2}, 30.50},
      {{48, 256, 512, 3}, 26.75},       {{48, 256, 512, 4}, 27.11},
      {{64, 64, 128, 1}, 52.15},        {{64, 64, 128, 2}, 48.52},
      {{64, 64, 128, 3}, 29.51},        {{64, 64, 128, 4}, 24.97},
      {{64, 64, 256, 1}, 58.16},        {{64, 64, 256, 2}, 47.65},
      {{64, 64, 256, 3}, 29.79},        {{64, 64, 256, 4}, 26.43},
      {{64, 64, 512, 1}, 60.44},        {{64, 64, 512, 2}, 47.51},
      {{64, 64, 512, 3}, 29.99},        {{64, 64, 512, 4}, 28.95},
      {{64, 128, 128, 1}, 38.85},       {{64, 128, 128, 2}, 33.75},
      {{64, 128, 128, 3}, 23.53},       {{64, 128, 128, 4}, 23.10},
      {{64, 128, 256, 1}, 39.94},       {{64, 128, 256, 2}, 33.54},
      {{64, 128, 256, 3}, 23.48},       {{64, 128, 256, 4}, 23.41},
      {{64, 128, 512, 1}, 41.27},       {{64, 128, 512, 2}, 33.36},
      {{64, 128, 512, 3}, 24.59},       {{64, 128, 512, 4}, 23.94},
      {{64, 256, 128, 1}, 35.24},       {{64, 256, 128, 2}, 29.36},
      {{64, 256, 128, 3}, 23.97},       {{64, 256, 128, 4}, 24.32},
      {{64, 256, 256, 1}, 33.43},       {{64, 256, 256, 2}, 28.64},
      {{64, 256, 256, 3}, 24.19},       {{64, 256, 256, 4}, 25.13},
      {{64, 256, 512, 1}, 33.59},       {{64, 256, 512, 2}, 27.85},
      {{64, 256, 512, 3}, 24.25},       {{64, 256, 512, 4}, 25.49},
      {{16, 64, 128, 1, true}, 58.22},  {{16, 64, 128, 2, true}, 54.30},
      {{16, 64, 128, 3, true}, 40.68},  {{16, 64, 256, 1, true}, 57.98},
      {{16, 64, 256, 2, true}, 54.61},  {{16, 64, 256, 3, true}, 40.66},
      {{16, 64, 512, 1, true}, 73.46},  {{16, 64, 512, 2, true}, 55.96},
      {{16, 64, 512, 3, true}, 41.79},  {{16, 128, 128, 1, true}, 41.72},
      {{16, 128, 128, 2, true}, 41.81}, {{16, 128, 128, 3, true}, 36.78},
      {{16, 128, 256, 1, true}, 41.78}, {{16, 128, 256, 2, true}, 41.13},
      {{16, 128, 256, 3, true}, 35.57}, {{16, 128, 512, 1, true}, 41.55},
      {{16, 128, 512, 2, true}, 40.87}, {{16, 128, 512, 3, true}, 35.57},
      {{16, 256, 128, 1, true}, 32.74}, {{16, 256, 128, 2, true}, 36.34},
      {{16, 256, 128, 3, true}, 34.00}, {{16, 256, 256, 1, true}, 32.83},
      {{16, 256, 256, 2, true}, 36.18}, {{16, 256, 256, 3, true}, 33.28},
      {{16, 256, 512, 1, true}, 32.46}, {{16, 256, 512, 2, true}, 35.94},
      {{16, 256, 512, 3, true}, 33.49}, {{32, 64, 128, 1, true}, 59.57},
      {{32, 64, 128, 2, true}, 52.02},  {{32, 64, 128, 3, true}, 33.84},
      {{32, 64, 256, 1, true}, 58.64},  {{32, 64, 256, 2, true}, 51.94},
      {{32, 64, 256, 3, true}, 33.93},  {{32, 64, 512, 1, true}, 59.62},
      {{32, 64, 512, 2, true}, 53.22},  {{32, 64, 512, 3, true}, 34.60},
      {{32, 128, 128, 1, true}, 45.21}, {{32, 128, 128, 2, true}, 37.74},
      {{32, 128, 128, 3, true}, 28.62}, {{32, 128, 256, 1, true}, 44.48},
      {{32, 128, 256, 2, true}, 38.23}, {{32, 128, 256, 3, true}, 28.65},
      {{32, 128, 512, 1, true}, 43.30}, {{32, 128, 512, 2, true}, 38.56},
      {{32, 128, 512, 3, true}, 28.81}, {{32, 256, 128, 1, true}, 38.32},
      {{32, 256, 128, 2, true}, 32.70}, {{32, 256, 128, 3, true}, 27.79},
      {{32, 256, 256, 1, true}, 37.71}, {{32, 256, 256, 2, true}, 35.12},
      {{32, 256, 256, 3, true}, 28.22}, {{32, 256, 512, 1, true}, 37.78},
      {{32, 256, 512, 2, true}, 32.54}, {{32, 256, 512, 3, true}, 28.62},
      {{64, 64, 128, 1, true}, 60.18},  {{64, 64, 128, 2, true}, 54.66},
      {{64, 64, 128, 3, true}, 33.34},  {{64, 64, 256, 1, true}, 60.63},
      {{64, 64, 256, 2, true}, 54.34},  {{64, 64, 256, 3, true}, 33.67},
      {{64, 64, 512, 1, true}, 60.22},  {{64, 64, 512, 2, true}, 54.46},
      {{64, 64, 512, 3, true}, 33.89},  {{64, 128, 128, 1, true}, 47.40},
      {{64, 128, 128, 2, true}, 42.04}, {{64, 128, 128, 3, true}, 27.21},
      {{64, 128, 256, 1, true}, 47.37}, {{64, 128, 256, 2, true}, 43.66},
      {{64, 128, 256, 3, true}, 27.49}, {{64, 128, 512, 1, true}, 46.42},
      {{64, 128, 512, 2, true}, 41.03}, {{64, 128, 512, 3, true}, 30.90},
      {{64, 256, 128, 1, true}, 41.02}, {{64, 256, 128, 2, true}, 35.37},
      {{64, 256, 256, 1, true}, 40.63}, {{64, 256, 256, 2, true}, 34.99},
      {{64, 256, 512, 1, true}, 39.04}, {{64, 256, 512, 2, true}, 35.59}};
  std::vector<double> predictions, times;
  double squares = 0;
  unsigned numOutside = 0;
  for (const auto &[sizes, us] : measured) {
    predictions.push_back(predict(sizes, getH100()));
    times.push_back(us);
    double error = std::log(predictions.back() / us);
    squares += error * error;
    numOutside += predictions.back() < us / 2 || predictions.back() > us * 1.5;
  }
  EXPECT_LE(numOutside, 1u);
  EXPECT_LT(std::sqrt(squares / double(measured.size())), 0.18);
  EXPECT_GT(correlateRanks(predictions, times), 0.85);
}

/// With two stages the next tiles come when the ones before are there, latency
/// and all, so that memory does not work all the time: measured on an H200.
TEST(InstancesTest, TilesOfTwoStagesComeOneAfterTheOther) {
  LinearKernel twoStages{32, 512, 512, 2, /*isGated=*/true},
      threeStages{32, 256, 512, 3, /*isGated=*/true};
  EXPECT_NEAR(predict(twoStages), 25.2, 2);
  EXPECT_NEAR(predict(threeStages), 19.2, 2);
  EXPECT_GT(predict({48, 512, 512, 2}), predict({48, 256, 512, 3}));
}

/// Rows of 64 elements, normalised: 2.3 us on an H200 in 2048 blocks, 2.0 in
/// 1024 and in 128 larger ones.
TEST(InstancesTest, ManySmallBlocksTakeLongToStart) {
  AnalyticCostModel model(llvm::cantFail(getTarget("sm_90a")));
  auto getUs = [&](int64_t rows, unsigned threads) {
    TileGraph tiles;
    tiles.grid = {2, 4096 / rows};
    tiles.threads = threads;
    TensorSpec tile{{1, rows, 64}, ElementType::F16},
        tensor{{2, 4096, 64}, ElementType::F16};
    ValueId x = tiles.addInput(tile);
    tiles.tileInputs = {{{0, 1}, kReplicated}};
    Attributes ofRows;
    ofRows.dims = {2};
    ValueId sum =
        tiles.add(Opcode::Sum, {x}, {{1, rows, 1}, ElementType::F32}, ofRows);
    tiles.addOutput(
        tiles.add(Opcode::Div, {x, sum}, {{1, rows, 64}, ElementType::F32}));
    tiles.tileOutputs = {{{0, 1}}};
    return model.predictKernel(tiles, tensor, tensor).getUs();
  };
  EXPECT_GT(getUs(4, 64), getUs(8, 64));
  EXPECT_GT(getUs(4, 64), getUs(64, 512));
}

/// A sum over the loop takes nothing where one operation alone reads what warps
/// compute for it; of what is loaded, read twice or reduced as well it is a
/// step.
TEST(InstancesTest, SumsGrowInRegistersWhereNobodyElseReadsTheParts) {
  TileGraph tiles;
  tiles.grid = {1};
  tiles.loop = 4;
  TensorSpec tile{{16, 16}, ElementType::F16}, sum{{16, 16}, ElementType::F32};
  ValueId x = tiles.addInput(tile);
  tiles.tileInputs = {{{kReplicated}, 0}};
  Attributes overLoop;
  overLoop.axis = Axis::Loop;
  Attributes ofRows = overLoop;
  ofRows.dims = {1};
  Attributes mean = overLoop;
  mean.reduction = Opcode::Mean;
  auto add = [&](ValueId part, const Attributes &attributes) {
    TensorSpec type = sum;
    if (!attributes.dims.empty())
      type.shape[1] = 1;
    tiles.addOutput(tiles.add(Opcode::Accumulate, {part}, type, attributes));
    tiles.tileOutputs.push_back({{kReplicated}});
    return growsInRegisters(tiles, tiles.getNodes().back());
  };
  auto compute = [&] { return tiles.add(Opcode::Exp, {x}, sum); };
  EXPECT_TRUE(add(compute(), overLoop));
  EXPECT_TRUE(add(tiles.add(Opcode::Matmul, {x, x}, sum), overLoop));
  EXPECT_FALSE(add(x, overLoop));
  EXPECT_FALSE(add(compute(), ofRows));
  EXPECT_FALSE(add(compute(), mean));
  ValueId twice = compute();
  EXPECT_TRUE(add(twice, overLoop));
  EXPECT_FALSE(add(twice, overLoop));
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
      auto size =
          AnalyticCostModel(getH200(), asked)
              .chooseBlockSize(tiles, sizes.getOperands(), sizes.getResults());
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
      LinearKernel sizes{n, k, 128};
      auto size = model.chooseBlockSize(build(sizes), sizes.getOperands(),
                                        sizes.getResults());
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
  EXPECT_NEAR(predictSums(64, 9), predictSums(64, 8), 0.01 * one);
  // The first tiles are waited for, and so is what 64 iterations compute.
  EXPECT_GT(predictSums(64, 9), one / 8);
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
