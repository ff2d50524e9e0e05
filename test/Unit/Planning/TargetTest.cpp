//===- TargetTest.cpp - What GPUs can do ----------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Planning/Target.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;

static Target get(llvm::StringRef name) {
  return llvm::cantFail(getTarget(name));
}

/// Flops per second of all SMs, as data sheets state them.
static double getTensorTFlops(const Target &target) {
  return target.tensorFlopsPerUsSM * double(target.numSMs) * 1e-6;
}

TEST(Target, EveryNameHasFiguresThatBelongTogether) {
  for (llvm::StringRef name : getTargetNames()) {
    Target target = get(name);
    SCOPED_TRACE(target.name);
    EXPECT_EQ(target.name, name);
    EXPECT_FALSE(target.gpu.empty());
    EXPECT_EQ(target.sharedBytesPerBlock + 1024, target.sharedBytesPerSM);
    EXPECT_EQ(target.threadsPerSM % 512, 0);
    EXPECT_GT(target.numSMs, 0);
    // Nearer memory is faster.
    EXPECT_LT(target.memoryBytesPerUs, target.cacheBytesPerUs);
    EXPECT_LT(target.loadBytesPerUsSM, target.sharedBytesPerUsSM);
    EXPECT_GT(target.cacheBytes, target.sharedBytesPerSM);
  }
}

TEST(Target, RatesMultiplyToPublishedTotals) {
  EXPECT_NEAR(getTensorTFlops(get("sm_80")), 312, 1);
  EXPECT_NEAR(getTensorTFlops(get("sm_86")), 154.8, 0.1);
  EXPECT_NEAR(getTensorTFlops(get("sm_87")), 42.6, 0.1);
  EXPECT_NEAR(getTensorTFlops(get("sm_89")), 364.2, 0.1);
  EXPECT_NEAR(getTensorTFlops(get("sm_120")), 209.5, 0.1);
  EXPECT_NEAR(getTensorTFlops(get("sm_121")), 125, 2);
}

TEST(Target, LimitsFollowFromTheInstructionSet) {
  for (const char *name : {"sm_90", "sm_90a", "sm_100a", "sm_103f"})
    EXPECT_EQ(get(name).sharedBytesPerBlock, 227 * 1024) << name;
  for (const char *name : {"sm_86", "sm_89", "sm_120a", "sm_121"})
    EXPECT_EQ(get(name).sharedBytesPerBlock, 99 * 1024) << name;
  EXPECT_EQ(get("sm_80").sharedBytesPerBlock, 163 * 1024);
  EXPECT_EQ(get("sm_90a").getRegistersPerThread(128), 255);
  EXPECT_EQ(get("sm_90a").getRegistersPerThread(512), 128);
  EXPECT_EQ(get("sm_90a").getRegistersPerThread(1024), 64);
}

/// As ptxas says where it spills: of 288 threads it gives each 168, though
/// 65536 would be 227 for each.
TEST(Target, WarpsGetRegistersByFoursAndEights) {
  EXPECT_EQ(get("sm_80").getRegistersPerThread(288), 168);
  EXPECT_EQ(get("sm_80").getRegistersPerThread(384), 168);
  EXPECT_EQ(get("sm_80").getRegistersPerThread(480), 128);
  EXPECT_EQ(get("sm_80").getRegistersPerThread(640), 96);
  EXPECT_EQ(get("sm_80").getRegistersPerThread(768), 80);
  EXPECT_EQ(get("sm_80").getRegistersPerThread(896), 72);
}

TEST(Target, InstructionsOfSomeSetsOnly) {
  for (const char *name : {"sm_90a", "sm_100a", "sm_103f", "sm_121a"})
    EXPECT_TRUE(get(name).hasRegisterShares) << name;
  for (const char *name : {"sm_80", "sm_90", "sm_100", "sm_120"})
    EXPECT_FALSE(get(name).hasRegisterShares) << name;
  for (llvm::StringRef name : getTargetNames())
    EXPECT_EQ(get(name).hasWarpgroupProducts, name == "sm_90a") << name.str();
}

TEST(Target, SMsThatClustersFill) {
  Target h200 = get("sm_90a");
  EXPECT_EQ(h200.getClusteredSMs(1), 132);
  EXPECT_EQ(h200.getClusteredSMs(2), 132);
  EXPECT_EQ(h200.getClusteredSMs(3), 120);
  EXPECT_EQ(h200.getClusteredSMs(8), 120);
  EXPECT_EQ(h200.getClusteredSMs(16), 112);
  EXPECT_EQ(h200.getClusteredSMs(17), 0);
  for (llvm::StringRef name : getTargetNames()) {
    Target target = get(name);
    for (int64_t blocks = 2; blocks <= 16; ++blocks) {
      int64_t SMs = target.getClusteredSMs(blocks);
      EXPECT_EQ(SMs > 0, blocks <= target.blocksPerCluster)
          << target.name << " " << blocks;
      EXPECT_LE(SMs, target.getClusteredSMs(blocks - 1))
          << target.name << " " << blocks;
    }
  }
}

TEST(Target, OthersAreErrorsThatListTheKnown) {
  for (const char *name : {"sm_12", "sm_90x", "90a", ""}) {
    llvm::Expected<Target> target = getTarget(name);
    ASSERT_FALSE(target);
    std::string message = llvm::toString(target.takeError());
    EXPECT_TRUE(llvm::StringRef(message).starts_with(
        "expects one of the targets sm_80, sm_86, "))
        << message;
    EXPECT_TRUE(llvm::StringRef(message).ends_with(", sm_121f, got '" +
                                                   std::string(name) + "'"))
        << message;
  }
}
