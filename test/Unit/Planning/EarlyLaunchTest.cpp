//===- EarlyLaunchTest.cpp - A launch beside the one before it ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Planning/EarlyLaunch.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;

static Target getH200() { return llvm::cantFail(getTarget("sm_90a")); }

static LaunchedBlocks blocks(int64_t number, int64_t threads = 64,
                             int64_t sharedBytes = 128,
                             int64_t clusterBlocks = 1) {
  return {number, {threads, sharedBytes, 0}, clusterBlocks};
}

/// Bytes that blocks ask for; -1 where they begin no earlier.
static int64_t plan(LaunchedBlocks before, LaunchedBlocks launch) {
  std::optional<EarlyLaunch> early = planEarlyLaunch(before, launch, getH200());
  return early ? early->requestedBytes : -1;
}
static int64_t plan(int64_t blocksBefore, int64_t numBlocks, int64_t threads,
                    int64_t sharedBytes) {
  return plan(blocks(blocksBefore), blocks(numBlocks, threads, sharedBytes));
}

static int64_t countOnSM(int64_t threads, int64_t sharedBytes) {
  return getResidentBlocks({threads, sharedBytes, 0}, getH200());
}

TEST(EarlyLaunch, AsksForAsMuchAsLeavesRoomForTheShareAlone) {
  // 256 blocks on 132 SMs.
  int64_t bytes = plan(128, 256, 512, 9088);
  EXPECT_EQ(countOnSM(512, bytes), 2);
  EXPECT_EQ(countOnSM(256, bytes), 2);
  EXPECT_GT(countOnSM(256, bytes - 128), 2);
  for (int64_t numBlocks : {1, 64, 131, 132, 133, 264, 265, 500, 1000, 2112}) {
    bytes = plan(132, numBlocks, 64, 128);
    ASSERT_GT(bytes, 0) << numBlocks;
    EXPECT_EQ(countOnSM(64, bytes), llvm::divideCeil(numBlocks, 132))
        << numBlocks;
  }
}

TEST(EarlyLaunch, BlocksThatAreLargeEnoughAskForNothing) {
  EXPECT_EQ(plan(176, 64, 512, 180608), 0);
  int64_t enough = plan(132, 256, 64, 128);
  EXPECT_EQ(plan(132, 256, 64, enough), 0);
  EXPECT_EQ(plan(132, 256, 64, enough - 128), enough);
}

TEST(EarlyLaunch, BlocksThatComeTogetherWait) {
  // 116 SMs are free and take 5 each; 18 are left where 64 should be.
  EXPECT_EQ(plan(16, 598, 128, 43264), -1);
  // Beside 112 blocks 20 are free, and take 100: 498 are left for 112.
  EXPECT_GE(plan(112, 598, 128, 43264), 0);
  // 0 or 1 of an SM is even, wherever they are.
  EXPECT_GE(plan(64, 64, 64, 49280), 0);
  EXPECT_GE(plan(1, 132, 64, 49280), 0);
  // 131 SMs take 2 of 140, and one has nothing.
  EXPECT_EQ(plan(1, 140, 64, 49280), -1);
}

TEST(EarlyLaunch, BlocksThatDoNotAllFitWait) {
  int64_t all = countOnSM(128, 43264) * 132;
  EXPECT_EQ(plan(132, all, 128, 43264), 0);
  EXPECT_EQ(plan(132, all + 1, 128, 43264), -1);
  EXPECT_EQ(plan(132, 1, 128, 300000), -1);
}

/// The next begin with the last of them, whatever it leaves alone.
TEST(EarlyLaunch, BehindSeveralWavesAllSMsMayBeFree) {
  const LaunchedBlocks waves = blocks(133, 512, 200000);
  // 2 of each SM are all that there are: 140 on 70 SMs.
  EXPECT_EQ(plan(waves, blocks(140)), -1);
  EXPECT_GT(plan(blocks(132, 512, 200000), blocks(140)), 0);
  // One of each SM, and two of nearly all, are as they should be.
  EXPECT_GT(plan(waves, blocks(128)), 0);
  EXPECT_GT(plan(waves, blocks(262)), 0);
}

/// 120 SMs have place for clusters of 4.
TEST(EarlyLaunch, ClustersHaveFewerSMs) {
  int64_t alone = plan(blocks(132), blocks(128));
  EXPECT_EQ(countOnSM(64, alone), 1);
  int64_t inClusters = plan(blocks(132), blocks(128, 64, 128, 4));
  EXPECT_EQ(countOnSM(64, inClusters), 2);
  EXPECT_EQ(plan(blocks(132), blocks(128, 512, 180000, 4)), -1);
  EXPECT_EQ(plan(blocks(132), blocks(120, 512, 180000, 4)), 0);
}
