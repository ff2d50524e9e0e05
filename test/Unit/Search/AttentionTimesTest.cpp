//===- AttentionTimesTest.cpp - Attention on rows that warps keep ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/WarpRows.h"
#include "Mirage/Search/BlockTime.h"
#include "Mirage/Search/CostModel.h"
#include "Mirage/Search/KernelWork.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>

using namespace mlir::mirage;
using namespace mlir::mirage::search;

namespace {
/// What keeps the exponentials small: nothing, some factor of rows where blocks
/// are joined, or the maxima of rows so far.
enum class Scales { None, Joined, Running };

/// One block graph of exp(Q · K) · V over its row sums; tiles of so many rows
/// and keys, keys split over so many blocks, which are joined along an axis; or
/// values cut into so many columns, each of which has blocks of its own.
struct Attention {
  int64_t rows, keys, heads, rowTiles, splits, loop;
  unsigned threads;
  int64_t stages, depth;
  int64_t columns = 0; ///< 0: all

  std::vector<TensorSpec> getOperands() const {
    int64_t allKeys = keys * splits * loop;
    return {{{heads, rows * rowTiles, depth}, ElementType::F16},
            {{heads, depth, allKeys}, ElementType::F16},
            {{heads, allKeys, depth}, ElementType::F16}};
  }
  std::vector<TensorSpec> getResults() const { return {getOperands()[0]}; }
};

TileGraph build(const Attention &sizes, Scales scales = Scales::None) {
  auto [rows, keys, heads, rowTiles, splits, loop, threads, stages, depth,
        cut] = sizes;
  int64_t columns = cut > 0 ? cut : depth;
  auto f16 = [](Shape shape) { return TensorSpec{shape, ElementType::F16}; };
  auto f32 = [](Shape shape) { return TensorSpec{shape, ElementType::F32}; };
  TileGraph tiles;
  tiles.grid = {heads, rowTiles, splits * depth / columns};
  tiles.loop = loop;
  tiles.threads = threads;
  tiles.stages = stages;
  ValueId q = tiles.addInput(f16({1, rows, depth}));
  ValueId k = tiles.addInput(f16({1, depth, keys}));
  ValueId v = tiles.addInput(f16({1, keys, columns}));
  tiles.tileInputs = {{{0, 1, kReplicated}, kReplicated},
                      {{0, kReplicated, cut > 0 ? kReplicated : 2}, 2},
                      {{0, kReplicated, cut > 0 ? 2 : 1}, 1}};
  Attributes overLoop, ofRows, overGrid;
  overLoop.axis = Axis::Loop;
  ofRows = overLoop;
  ofRows.dims = {2};
  overGrid.axis = Axis::Z;
  ValueId scores = tiles.add(Opcode::Matmul, {q, k}, f32({1, rows, keys}));
  llvm::SmallVector<ValueId, 1> maxima;
  if (scales == Scales::Running) {
    Attributes columns;
    columns.dims = {2};
    maxima = {tiles.add(Opcode::Max, {scores}, f32({1, rows, 1}), columns)};
    scores = tiles.add(Opcode::Sub, {scores, maxima[0]}, f32({1, rows, keys}));
  }
  auto withMaxima = [&](ValueId part) {
    llvm::SmallVector<ValueId, 2> operands = {part};
    operands.append(maxima);
    return operands;
  };
  ValueId p = tiles.add(Opcode::Exp, {scores}, f32({1, rows, keys}));
  ValueId h = tiles.add(Opcode::Cast, {p}, f16({1, rows, keys}));
  ValueId part = tiles.add(Opcode::Matmul, {h, v}, f32({1, rows, columns}));
  ValueId sum = tiles.add(Opcode::Accumulate, withMaxima(part),
                          f32({1, rows, columns}), overLoop);
  ValueId total =
      tiles.add(Opcode::Accumulate, withMaxima(h), f32({1, rows, 1}), ofRows);
  if (splits > 1) {
    llvm::SmallVector<ValueId, 2> sums = {sum}, totals = {total};
    if (scales == Scales::Joined) {
      sums.push_back(total); // any factor of rows
      totals.push_back(total);
    }
    sum =
        tiles.add(Opcode::Accumulate, sums, f32({1, rows, columns}), overGrid);
    total = tiles.add(Opcode::Accumulate, totals, f32({1, rows, 1}), overGrid);
  }
  tiles.addOutput(
      tiles.add(Opcode::Div, {sum, total}, f32({1, rows, columns})));
  tiles.tileOutputs = {{{0, 1, cut > 0 ? 2 : kReplicated}}};
  return tiles;
}

/// Of an H200, in µs.
double predictUs(const Attention &sizes, Scales scales = Scales::None) {
  AnalyticCostModel model(llvm::cantFail(getTarget("sm_90a")));
  return model.estimateKernelUs(build(sizes, scales), sizes.getOperands(),
                                sizes.getResults());
}
} // namespace

/// Times of an H200, cold L2, in µs (`mirage-run --device=cuda --measure`).
TEST(AttentionTimes, PredictionsFollowWhatAnH200Takes) {
  const std::vector<std::pair<Attention, double>> measured = {
      {{64, 128, 2, 64, 1, 2, 128, 2, 64}, 4.84},
      {{64, 64, 2, 64, 1, 4, 128, 2, 64}, 5.30},
      {{64, 64, 2, 32, 1, 8, 128, 4, 64}, 5.95},
      {{128, 64, 16, 8, 1, 16, 256, 5, 64}, 13.35},
      {{128, 64, 16, 8, 1, 16, 256, 3, 64}, 15.19},
      {{64, 128, 8, 16, 1, 16, 128, 3, 64}, 15.89},
      {{128, 64, 8, 16, 1, 16, 256, 3, 128}, 19.61},
      {{64, 128, 2, 16, 1, 32, 128, 2, 64}, 27.73},
      {{64, 32, 16, 16, 1, 64, 128, 3, 64}, 36.26},
      {{64, 64, 2, 16, 1, 64, 128, 4, 64}, 26.38},
      {{64, 64, 16, 16, 1, 32, 128, 2, 128}, 38.01},
      {{16, 32, 16, 32, 1, 64, 32, 2, 64}, 41.80},
      {{32, 64, 16, 16, 1, 64, 64, 2, 64}, 47.00},
      {{128, 64, 2, 16, 1, 64, 256, 4, 64}, 46.40},
      {{128, 32, 16, 16, 1, 64, 256, 3, 64}, 49.90},
      {{64, 64, 16, 16, 1, 64, 128, 2, 64}, 51.30},
      {{256, 32, 16, 8, 1, 64, 512, 3, 64}, 42.63},
      {{64, 32, 16, 16, 1, 64, 128, 2, 128}, 53.86},
      {{64, 32, 2, 16, 1, 128, 128, 3, 64}, 47.20},
      {{128, 32, 16, 16, 1, 64, 256, 2, 128}, 89.60},
      {{128, 64, 32, 32, 1, 64, 256, 3, 64}, 307.06},
      {{64, 128, 32, 64, 1, 32, 128, 2, 64}, 326.42},
      {{128, 128, 32, 32, 1, 32, 256, 4, 64}, 328.32},
      {{128, 128, 32, 32, 1, 32, 256, 3, 64}, 328.46},
      {{64, 64, 32, 64, 1, 64, 128, 4, 64}, 341.93},
      {{64, 128, 32, 64, 1, 32, 128, 3, 64}, 343.06},
      {{64, 64, 32, 64, 1, 64, 128, 3, 64}, 356.58},
      {{128, 64, 32, 32, 1, 64, 256, 6, 128}, 474.61},
      {{128, 64, 32, 32, 1, 64, 256, 5, 128}, 476.86},
      {{128, 64, 32, 32, 1, 64, 256, 2, 128}, 515.44},
      {{128, 64, 32, 32, 1, 64, 256, 3, 128}, 510.58},
      {{128, 64, 32, 32, 1, 64, 256, 4, 128}, 518.54},
      {{64, 64, 32, 64, 1, 64, 128, 2, 128}, 616.50},
      {{128, 32, 32, 32, 1, 128, 256, 4, 128}, 672.98},
      {{64, 32, 32, 64, 1, 128, 128, 4, 128}, 776.62},
      {{64, 64, 32, 64, 1, 64, 128, 3, 128}, 787.34},
      {{64, 128, 2, 4, 16, 2, 128, 2, 64}, 6.32},
      {{64, 64, 2, 4, 32, 2, 128, 2, 64}, 6.91},
      {{64, 64, 2, 4, 16, 4, 128, 4, 64}, 6.65},
      {{64, 64, 2, 4, 16, 4, 128, 2, 64}, 6.79},
      {{64, 128, 2, 4, 32, 1, 128, 1, 64}, 7.31},
      {{128, 64, 2, 2, 32, 2, 256, 2, 64}, 7.14},
      {{64, 32, 2, 4, 32, 4, 128, 3, 64}, 7.57},
      {{128, 128, 2, 2, 16, 2, 256, 2, 64}, 8.14},
      {{128, 64, 2, 2, 16, 4, 256, 3, 64}, 7.96},
      {{128, 64, 2, 2, 16, 4, 256, 4, 64}, 7.99},
      {{64, 128, 2, 4, 8, 4, 128, 2, 64}, 7.21},
      {{32, 64, 2, 8, 8, 8, 64, 4, 64}, 8.40},
      {{64, 64, 2, 4, 8, 8, 128, 4, 64}, 7.03},
      {{64, 256, 2, 4, 16, 1, 128, 1, 64}, 12.74},
      {{64, 128, 16, 4, 4, 8, 128, 3, 64}, 15.94},
      {{128, 128, 16, 2, 4, 8, 256, 3, 64}, 16.19},
      {{64, 64, 16, 4, 4, 16, 128, 3, 64}, 17.37},
      {{64, 128, 16, 4, 2, 16, 128, 4, 64}, 15.88},
      {{64, 64, 16, 4, 2, 32, 128, 3, 64}, 20.09}};
  double squares = 0;
  for (const auto &[sizes, us] : measured) {
    double error = std::log(predictUs(sizes) / us);
    squares += error * error;
  }
  EXPECT_LT(std::sqrt(squares / double(measured.size())), 0.25);
}

/// Sums of which each iteration corrects all elements: tiles of many keys have
/// fewer. Times of an H200, cold L2, in µs.
TEST(AttentionTimes, RescaledSumsAskForMoreKeys) {
  const std::vector<std::pair<Attention, double>> measured = {
      {{128, 32, 32, 16, 1, 64, 256, 2, 64}, 124.02},
      {{128, 64, 32, 16, 1, 32, 256, 2, 64}, 96.97},
      {{128, 128, 32, 16, 1, 16, 256, 2, 64}, 100.34},
      {{64, 32, 32, 32, 1, 64, 128, 2, 64}, 127.46},
      {{64, 64, 32, 32, 1, 32, 128, 2, 64}, 101.89},
      {{64, 128, 32, 32, 1, 16, 128, 2, 64}, 96.44}};
  auto chosen = std::min_element(measured.begin(), measured.end(),
                                 [](const auto &a, const auto &b) {
                                   return predictUs(a.first, Scales::Running) <
                                          predictUs(b.first, Scales::Running);
                                 });
  EXPECT_LT(chosen->second, 1.05 * 96.44);
}

/// Parts of sums that are rescaled are joined one after the other, and so are
/// those of which a block has more than 64 KiB: a piece of 64 parts has here.
TEST(AttentionTimes, PartsThatALoopJoinsTakeTurns) {
  AnalyticCostModel model(llvm::cantFail(getTarget("sm_90a")));
  auto getJoinUs = [&](int64_t splits, Scales scales) {
    Attention sizes{64, 128, 2, 4, splits, 2, 128, 2, 64};
    TileGraph tiles = build(sizes, scales);
    return model.predictKernel(tiles, sizes.getOperands(), sizes.getResults())
        .joinUs;
  };
  double atOnceUs = getJoinUs(16, Scales::None),
         inTurnUs = getJoinUs(16, Scales::Joined);
  EXPECT_GT(inTurnUs - atOnceUs, 16 * 0.15);
  EXPECT_LT(inTurnUs - atOnceUs, 16 * 0.3);
  EXPECT_LT(getJoinUs(32, Scales::None) - atOnceUs, 16 * 0.1);
  EXPECT_GT(getJoinUs(64, Scales::None) - atOnceUs, 64 * 0.15);
}

/// Four warps that multiply together take less than half of what four take that
/// do not; which they do with rings that the copy engine fills, of a GPU that
/// has it, in whole warpgroups: 128 matrix tiles here, of rows that warps keep.
TEST(AttentionTimes, WarpgroupsTakeLess) {
  auto getComputeClocks = [](const char *target, unsigned threads,
                             int64_t stages) {
    Attention sizes{64, 32, 2, 16, 1, 16, threads, stages, 64};
    KernelWork work =
        getWork(build(sizes), sizes.getOperands(), sizes.getResults());
    EXPECT_GT(work.rowRegisters, 0);
    Target gpu = llvm::cantFail(getTarget(target));
    return BlockWork(work, gpu).getTime({threads, stages}).iteration.computeUs *
           gpu.clockMHz;
  };
  double together = getComputeClocks("sm_90a", 128, 3);
  EXPECT_GT(getComputeClocks("sm_90a", 128, 1), together + 128);
  EXPECT_GT(getComputeClocks("sm_90a", 64, 3), together + 128);
  EXPECT_GT(getComputeClocks("sm_80", 128, 3), together + 128);
}

/// Values cut into columns of 16 are 1 to 2 % faster than into columns of 8 on
/// an H200, and than all 64 in one block.
TEST(AttentionTimes, RowsOfHalfASectorTakeLonger) {
  for (int64_t loop : {4, 16}) {
    auto getUs = [&](int64_t columns) {
      return predictUs({32, 128, 2, 2, 1, loop, 64, 3, 64, columns});
    };
    EXPECT_LT(getUs(16), getUs(8));
    EXPECT_LT(getUs(16), getUs(64));
  }
}

/// What all blocks compute at the least is no more than they take, with the
/// best of all shapes.
TEST(AttentionTimes, TotalsBoundWhatBlocksTake) {
  Attention sizes{64, 32, 2, 16, 1, 16, 128, 3, 64};
  KernelWork work =
      getWork(build(sizes), sizes.getOperands(), sizes.getResults());
  for (KernelWork::Operation &operation : work.operations)
    operation.total = (operation.isOnTensorCores ? operation.matrixTiles
                                                 : double(operation.elements)) *
                      double(work.numBlocks) *
                      double(operation.isInLoop ? work.loop : 1);
  Target gpu = llvm::cantFail(getTarget("sm_90a"));
  BlockTime time = BlockWork(work, gpu).getTime({128, 3});
  double us =
      double(work.numBlocks) *
      (time.outside.computeUs + double(work.loop) * time.iteration.computeUs);
  EXPECT_LE(getTotalComputeUs(work, gpu), us * (1 + 1e-12));
}

/// Sums that warps keep, 64 x 64 and 64 of rows in f32, are nowhere in shared
/// memory, nor is what they keep of an iteration; behind the loop quotients
/// are.
TEST(AttentionTimes, RowsTakeSharedMemoryBehindTheLoop) {
  auto getWorkOf = [](unsigned threads) {
    Attention sizes{64, 32, 2, 16, 1, 16, threads, 2, 64};
    return getWork(build(sizes), sizes.getOperands(), sizes.getResults());
  };
  // 128 threads keep rows, and 512 cannot share 64.
  KernelWork kept = getWorkOf(128), apart = getWorkOf(512);
  int64_t q = 64 * 144, k = 64 * 80, v = 32 * 144; // with padded rows
  EXPECT_EQ(kept.sharedBytes.inLoop, q + k + v);
  int64_t sums = 64 * 64 * 4 + 64 * 4;
  EXPECT_EQ(kept.sharedBytes.behindLoop, q + 64 * 64 * 4);
  EXPECT_EQ(apart.rowRegisters, 0);
  EXPECT_GT(apart.sharedBytes.inLoop, kept.sharedBytes.inLoop + sums);
}

/// 128 rows of 128 columns in 256 threads: 64 registers of a thread for the
/// sums and 64 for scores are more than half of what it has; 64 keys leave 32.
TEST(AttentionTimes, RowsTakeRegisters) {
  auto count = [](int64_t keys, unsigned threads) {
    Attention sizes{128, keys, 2, 16, 1, 16, threads, 2, 128};
    return getWork(build(sizes), sizes.getOperands(), sizes.getResults())
        .rowRegisters;
  };
  EXPECT_GE(count(64, 256), 64 + 32);
  EXPECT_EQ(count(128, 256), 0);
}

/// 64 keys take 32 registers of a thread, and 34 the sums: an SM has place for
/// one block of 256 threads, and twice as many blocks take twice as long. With
/// 32 keys two blocks share an SM and what they wait for.
TEST(AttentionTimes, BlocksWithManyRegistersHaveAnSMEach) {
  Target target = llvm::cantFail(getTarget("sm_90a"));
  auto getRatio = [&](int64_t keys) {
    auto getUs = [&](int64_t rowTiles) {
      return predictUs({128, keys, 2, rowTiles, 1, 1024 / keys, 256, 1, 64}) -
             target.launchUs;
    };
    return getUs(target.numSMs) / getUs(target.numSMs / 2);
  };
  EXPECT_NEAR(getRatio(64), 2, 0.01);
  EXPECT_LT(getRatio(32), 1.6);
}
