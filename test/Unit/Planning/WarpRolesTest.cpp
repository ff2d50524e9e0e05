//===- WarpRolesTest.cpp - Warps that load --------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Planning/WarpRoles.h"
#include "llvm/Support/Error.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;

static LoadingWarps choose(int64_t threads, int64_t rowRegisters = 64,
                           int64_t numBlocks = 132,
                           int64_t sharedBytes = 64 * 1024,
                           llvm::StringRef target = "sm_90a") {
  BlockResources block;
  block.threads = threads;
  block.sharedBytes = sharedBytes;
  block.rowRegisters = rowRegisters;
  return chooseLoadingWarps(block, numBlocks,
                            llvm::cantFail(getTarget(target)));
}

static std::string explain(LoadingWarps warps, int64_t threads,
                           int64_t residentBlocks = 1) {
  return llvm::toString(verify(warps, threads, residentBlocks));
}

static LoadingWarps share(int64_t number, int64_t ofLoading,
                          int64_t ofComputing) {
  return {number, RegisterShares{ofLoading, ofComputing}};
}

TEST(WarpRoles, OneWarpBesideAWarpgroup) {
  LoadingWarps warps = choose(128);
  EXPECT_EQ(warps.number, 1);
  EXPECT_FALSE(warps.shares);
}

/// Where it has registers that the others cannot have.
TEST(WarpRoles, OneWarpBesidePartsOfWarpgroups) {
  for (int64_t threads : {32, 96, 160, 352, 992}) {
    LoadingWarps warps = choose(threads);
    EXPECT_EQ(warps.number, 1) << threads;
    EXPECT_FALSE(warps.shares) << threads;
    EXPECT_EQ(explain(warps, threads), "") << threads;
  }
}

TEST(WarpRoles, AWarpgroupBesideMoreLeavesRegisters) {
  for (int64_t threads : {256, 384, 512, 640, 768, 896}) {
    LoadingWarps warps = choose(threads, /*rowRegisters=*/32);
    ASSERT_EQ(warps.number, 4) << threads;
    ASSERT_TRUE(warps.shares) << threads;
    EXPECT_EQ(explain(warps, threads), "") << threads;
    // As many as there are: eight more each would be too many.
    warps.shares->ofComputing += 8;
    EXPECT_NE(explain(warps, threads), "") << threads;
  }
  EXPECT_EQ(choose(256).shares->ofComputing, 232);
  EXPECT_EQ(choose(512).shares->ofComputing, 104);
}

TEST(WarpRoles, NoneWhereTheyWouldTakeWhatOthersNeed) {
  EXPECT_EQ(choose(1024).number, 0);                     // threads
  EXPECT_EQ(choose(512, /*rowRegisters=*/80).number, 0); // registers
}

/// Sums have 104 registers of each of 512 threads then, and 48 beside them.
TEST(WarpRoles, NoneWhereSumsWouldSpill) {
  auto choose = [](int64_t sumRegisters) {
    BlockResources block;
    block.threads = 512;
    block.sumRegisters = sumRegisters;
    return chooseLoadingWarps(block, /*numBlocks=*/132,
                              llvm::cantFail(getTarget("sm_90a")))
        .number;
  };
  EXPECT_EQ(choose(56), 4);
  EXPECT_EQ(choose(57), 0);
}

/// Without setmaxnreg only warps that leave registers to the others, and none
/// without a copy engine.
TEST(WarpRoles, TargetsThatCannotShareRegisters) {
  auto choose = [](int64_t threads, llvm::StringRef target) {
    return ::choose(threads, 64, 132, 64 * 1024, target).number;
  };
  EXPECT_EQ(choose(256, "sm_90"), 0);
  EXPECT_EQ(choose(128, "sm_90"), 1);
  EXPECT_EQ(choose(128, "sm_80"), 0);
}

/// What keeps two blocks of 256 threads from sharing an SM is how many there
/// are, registers or shared memory, if anything does.
TEST(WarpRoles, NoneWhereBlocksShareSMs) {
  EXPECT_EQ(choose(256, /*rowRegisters=*/82, /*numBlocks=*/133).number, 0);
  EXPECT_EQ(choose(256, 82, 132).number, 4);
  EXPECT_EQ(choose(256, 98, 133).number, 4);
  EXPECT_EQ(choose(256, 82, 133, /*sharedBytes=*/120 * 1024).number, 4);
}

TEST(WarpRoles, WhatIsStatedHasToBePossible) {
  EXPECT_EQ(explain({}, 256), "");
  EXPECT_EQ(explain({3, std::nullopt}, 96), "");
  EXPECT_EQ(explain({5, std::nullopt}, 256),
            "expects at most 4 warps that load, got 5");
  EXPECT_EQ(explain({4, std::nullopt}, 1024),
            "expects at most 1024 threads with those that load, got 1152");
  EXPECT_EQ(explain(share(1, 40, 232), 256),
            "expects registers to change hands between warpgroups of four "
            "warps, got 1 warps that load and 8 that compute");
  EXPECT_EQ(explain(share(4, 40, 200), 192),
            "expects registers to change hands between warpgroups of four "
            "warps, got 4 warps that load and 6 that compute");
  EXPECT_EQ(explain(share(4, 20, 232), 256),
            "expects shares of registers that are multiples of 8 from 24 to "
            "256, got 20");
  EXPECT_EQ(explain(share(4, 176, 176), 256),
            "expects threads that load to have at most the 168 registers that "
            "384 threads start with, and those that compute at least as many, "
            "got 176 and 176");
  // 640 threads start with 96 each: a kernel that asks for more waits for ever.
  EXPECT_EQ(explain(share(4, 24, 120), 512),
            "expects at most the 61440 registers that 640 threads start with, "
            "got shares of 64512 in all");
}

// Blocks that share an SM start with a part of its registers, and wait for ever
// for what one of them alone would have.
TEST(WarpRoles, BlocksOfAnSMShareItsRegisters) {
  EXPECT_EQ(explain(share(4, 40, 232), 256), "");
  EXPECT_EQ(explain(share(4, 40, 232), 256, /*residentBlocks=*/2),
            "expects at most the 30720 registers that 384 threads of each of 2 "
            "blocks start with, got shares of 64512 in all");
  EXPECT_EQ(explain(share(4, 40, 96), 256, 2), "");
  EXPECT_EQ(explain(share(4, 88, 96), 256, 2),
            "expects threads that load to have at most the 80 registers that "
            "384 threads of each of 2 blocks start with, and those that "
            "compute at least as many, got 88 and 96");
  EXPECT_EQ(explain({4, std::nullopt}, 256, 2), "");
}
