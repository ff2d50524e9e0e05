//===- LaunchBarrierTest.cpp - Which kernels share a launch ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Planning/LaunchBarrier.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using Barriers = llvm::SmallVector<LaunchBarrier, 3>;

constexpr auto Launch = LaunchBarrier::Launch,
               Last = LaunchBarrier::LastArrival,
               Cluster = LaunchBarrier::Cluster;

static Target get(llvm::StringRef name) {
  return llvm::cantFail(getTarget(name));
}

/// Blocks that all go on when they are joined.
static GridJoin keep(int64_t numBlocks, int64_t numJoined) {
  return {numBlocks, numJoined, /*keepsBlocks=*/true, /*hasSameThreads=*/true};
}
/// Of which one goes on.
static GridJoin join(int64_t numBlocks, int64_t numJoined) {
  return {numBlocks, numJoined, /*keepsBlocks=*/false, /*hasSameThreads=*/true};
}

static Barriers choose(llvm::ArrayRef<GridJoin> chain,
                       llvm::StringRef target = "sm_90a") {
  return chooseLaunchBarriers(chain, get(target));
}

TEST(LaunchBarrier, NamesAreRead) {
  for (LaunchBarrier barrier : {Launch, Last, Cluster})
    EXPECT_EQ(parseLaunchBarrier(getLaunchBarrierName(barrier)), barrier);
  EXPECT_EQ(parseLaunchBarrier("warp"), std::nullopt);
}

/// Each limit in turn: shared memory, threads, blocks, registers.
TEST(LaunchBarrier, ResidentBlocks) {
  Target h200 = get("sm_90a");
  EXPECT_EQ(getResidentBlocks({64, 227 * 1024}, h200), 1);
  EXPECT_EQ(getResidentBlocks({64, 227 * 1024 + 1}, h200), 0);
  EXPECT_EQ(getResidentBlocks({64, 113 * 1024}, h200), 2);
  EXPECT_EQ(getResidentBlocks({64, 113 * 1024 + 1}, h200), 1);
  EXPECT_EQ(getResidentBlocks({512, 0}, h200), 2); // registers
  EXPECT_EQ(getResidentBlocks({64, 0}, h200), 16); // registers
  EXPECT_EQ(getResidentBlocks({32, 0}, h200), 32); // blocks
  h200.registersPerSM *= 8;
  EXPECT_EQ(getResidentBlocks({512, 0}, h200), 4); // threads
}

/// Clusters where each of their blocks has an SM.
TEST(LaunchBarrier, ClustersOnSMsOfTheirOwn) {
  EXPECT_EQ(choose(join(132, 2)), Barriers{Cluster});
  EXPECT_EQ(choose(join(120, 4)), Barriers{Cluster});
  EXPECT_EQ(choose(keep(120, 8)), Barriers{Cluster});
  EXPECT_EQ(choose(keep(112, 16)), Barriers{Cluster});
  EXPECT_EQ(choose(join(134, 2)), Barriers{Last});
}

/// 128 blocks have an SM each, and in clusters of 4 there are 120 SMs.
TEST(LaunchBarrier, BlocksThatClustersHaveNoPlaceFor) {
  EXPECT_EQ(choose(join(128, 4)), Barriers{Last});
  EXPECT_EQ(choose(join(128, 16)), Barriers{Last});
  EXPECT_EQ(choose(join(132, 3)), Barriers{Last}); // taken for 4
  EXPECT_EQ(choose(join(64, 32)), Barriers{Last});
}

TEST(LaunchBarrier, MoreArrivalsThanAreCounted) {
  EXPECT_EQ(choose(join(264, 8)), Barriers{Last});
  EXPECT_EQ(choose(join(272, 8)), Barriers{Launch});
}

TEST(LaunchBarrier, BlocksThatAllGoOn) {
  EXPECT_EQ(choose(keep(128, 4)), Barriers{Launch});
  EXPECT_EQ(choose(keep(64, 32)), Barriers{Launch});
}

TEST(LaunchBarrier, OtherThreads) {
  GridJoin other = join(64, 4);
  other.hasSameThreads = false;
  EXPECT_EQ(choose(other), Barriers{Launch});
}

TEST(LaunchBarrier, TargetsWithoutClusters) {
  EXPECT_EQ(choose(join(96, 2), "sm_80"), Barriers{Last});
  EXPECT_EQ(choose(keep(96, 2), "sm_80"), Barriers{Launch});
  EXPECT_EQ(choose(keep(96, 2), "sm_120"), Barriers{Cluster});
  EXPECT_EQ(choose(keep(96, 16), "sm_120"), Barriers{Launch});
}

/// Kernels of one launch have clusters between two of them, or count arrivals
/// between all.
TEST(LaunchBarrier, Chains) {
  EXPECT_EQ(choose({}), Barriers());
  EXPECT_EQ(choose({join(128, 2), join(64, 2)}), (Barriers{Launch, Cluster}));
  EXPECT_EQ(choose({join(128, 32), join(4, 4)}), (Barriers{Launch, Cluster}));
  EXPECT_EQ(choose({join(128, 4), join(128, 32)}), (Barriers{Last, Last}));
  EXPECT_EQ(choose({keep(128, 2), join(128, 32)}), (Barriers{Cluster, Launch}));
  EXPECT_EQ(choose({keep(128, 4), join(128, 2)}), (Barriers{Launch, Cluster}));
  EXPECT_EQ(choose({keep(64, 2), keep(64, 2), keep(64, 2)}),
            (Barriers{Cluster, Launch, Cluster}));
  // Any number of kernels may follow one another.
  std::vector<GridJoin> many(1000, join(128, 32));
  EXPECT_EQ(choose(many), Barriers(1000, Last));
  many.assign(1000, keep(64, 2));
  Barriers barriers = choose(many);
  for (size_t i = 0; i < 1000; i += 2)
    EXPECT_NE(barriers[i] == Cluster, barriers[i + 1] == Cluster) << i;
}

TEST(LaunchBarrier, BoundsAreOfWhatTheTargetHas) {
  for (llvm::StringRef name : getTargetNames()) {
    Target target = get(name);
    double least = getLeastLaunchBarrierUs(target);
    for (LaunchBarrier barrier : {Launch, Last})
      EXPECT_LE(least, getLaunchBarrierUs(barrier, target)) << name.str();
    EXPECT_EQ(least == target.clusterBarrierUs, target.blocksPerCluster > 1)
        << name.str();
  }
}
