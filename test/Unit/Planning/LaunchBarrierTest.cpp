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
  EXPECT_EQ(getResidentBlocks({256, 0, /*rowRegisters=*/64}, h200), 2);
  EXPECT_EQ(getResidentBlocks({256, 0, /*rowRegisters=*/65}, h200), 1);
  h200.registersPerSM *= 8;
  EXPECT_EQ(getResidentBlocks({512, 0}, h200), 4); // threads
}

TEST(LaunchBarrier, OccupancySaysWhatLimits) {
  Target h200 = get("sm_90a");
  auto limit = [&](BlockResources block, int64_t registers) {
    Occupancy occupancy = getOccupancy(block, registers, h200);
    return (getOccupancyLimitName(occupancy.limit) + " " +
            llvm::Twine(occupancy.blocks))
        .str();
  };
  EXPECT_EQ(limit({64, 113 * 1024}, 32), "shared memory 2");
  EXPECT_EQ(limit({512, 0}, 32), "threads 4");
  EXPECT_EQ(limit({32, 0}, 32), "blocks 32");
  EXPECT_EQ(limit({512, 0}, 64), "registers 2");
  EXPECT_EQ(limit({512, 227 * 1024 + 1}, 64), "shared memory 0");
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

//===----------------------------------------------------------------------===//
// Kernels that join parts
//===----------------------------------------------------------------------===//

/// A GPU of which one SM reads 1000 bytes in 1 µs.
static Target getSlow(llvm::StringRef name = "sm_90a") {
  Target target = get(name);
  target.loadBytesPerUsSM = 1000;
  return target;
}

/// Two blocks, 16 parts of 32 µs each. Whole, they go on from clusters of 16,
/// and so do 16 pieces; all others have a launch of their own.
TEST(JoiningKernel, PiecesReadLessBehindALaunch) {
  JoiningKernel kernel{2, 16, 32000};
  Target h200 = getSlow();
  auto get = [&](int64_t pieces) { return getJoiningUs(kernel, pieces, h200); };
  double launch = h200.nextLaunchUs, cluster = h200.clusterBarrierUs;
  EXPECT_DOUBLE_EQ(get(1), cluster + 16 * 32);
  EXPECT_DOUBLE_EQ(get(2), launch + 8 * 32);
  EXPECT_DOUBLE_EQ(get(8), launch + 2 * 32);
  EXPECT_DOUBLE_EQ(get(16), cluster + 32);
  EXPECT_DOUBLE_EQ(get(32), launch + 16);
  EXPECT_DOUBLE_EQ(get(64), launch + 8);
}

/// 66 pieces of each of two blocks are one for each SM, and more are two.
TEST(JoiningKernel, BlocksThatSMsTakeInTurn) {
  Target h200 = getSlow();
  double launch = h200.nextLaunchUs;
  EXPECT_DOUBLE_EQ(getJoiningUs({2, 3, 66000}, 66, h200), launch + 3);
  EXPECT_DOUBLE_EQ(getJoiningUs({2, 3, 67000}, 67, h200), launch + 2 * 3);
  EXPECT_DOUBLE_EQ(getJoiningUs({133, 300, 1000}, 1, h200), launch + 2 * 300);
}

/// 256 blocks are too many for clusters, and 512 for a count of arrivals. As
/// many pieces as parts have no cluster then, and none on sm_80.
TEST(JoiningKernel, WhatStandsBeforeIt) {
  auto get = [](int64_t numBlocks, int64_t pieces, const Target &target) {
    return getJoiningUs({numBlocks, 16, 1000}, pieces, target);
  };
  Target h200 = getSlow(), a100 = getSlow("sm_80");
  EXPECT_DOUBLE_EQ(get(7, 1, h200), h200.clusterBarrierUs + 16);
  EXPECT_DOUBLE_EQ(get(8, 1, h200), h200.lastArrivalUs + 16);
  EXPECT_DOUBLE_EQ(get(16, 1, h200), h200.lastArrivalUs + 16);
  EXPECT_DOUBLE_EQ(get(32, 1, h200), h200.nextLaunchUs + 16);
  EXPECT_DOUBLE_EQ(get(7, 16, h200), h200.clusterBarrierUs + 1);
  EXPECT_DOUBLE_EQ(get(8, 16, h200), h200.nextLaunchUs + 1);
  EXPECT_DOUBLE_EQ(get(2, 1, a100), a100.lastArrivalUs + 16);
  EXPECT_DOUBLE_EQ(get(2, 16, a100), a100.nextLaunchUs + 1);
}

/// Where reading takes long, as many pieces as SMs have place for, up to what
/// there are.
TEST(JoiningKernel, AsManyPiecesAsPay) {
  Target h200 = getSlow();
  EXPECT_EQ(chooseJoinPieces({2, 16, 32000}, 512, h200), 64);
  EXPECT_EQ(chooseJoinPieces({2, 16, 32000}, 8, h200), 8);
  EXPECT_EQ(chooseJoinPieces({2, 16, 32000}, 1, h200), 1);
  EXPECT_EQ(chooseJoinPieces({1, 16, 32000}, 512, h200), 128);
  EXPECT_EQ(chooseJoinPieces({33, 16, 32000}, 512, h200), 4);
  // Two waves of half as much.
  EXPECT_EQ(chooseJoinPieces({132, 16, 32000}, 512, h200), 1);
  // Four pieces read half of that in two waves.
  EXPECT_EQ(chooseJoinPieces({50, 16, 32000}, 8, h200), 2);
}

/// 16 pieces take 1 µs to read, 32 half of it; but what these wait for takes
/// .55 µs more. A quarter is worth it, and so is the half where all have
/// launches.
TEST(JoiningKernel, PiecesThatAreAClusterComeFirst) {
  Target h200 = getSlow();
  EXPECT_EQ(chooseJoinPieces({1, 16, 1000}, 16, h200), 16);
  EXPECT_EQ(chooseJoinPieces({1, 16, 1000}, 32, h200), 16);
  EXPECT_EQ(chooseJoinPieces({1, 16, 1000}, 64, h200), 64);
  EXPECT_EQ(chooseJoinPieces({1, 16, 1000}, 16, getSlow("sm_80")), 16);
  EXPECT_EQ(chooseJoinPieces({1, 16, 1000}, 32, getSlow("sm_80")), 32);
}

/// Whole tiles that go on at once, for what pieces would save less than their
/// launch takes more: .55 µs behind clusters, .15 behind arrivals that are
/// counted.
TEST(JoiningKernel, FewBytesStayTogether) {
  Target h200 = getSlow();
  EXPECT_EQ(chooseJoinPieces({1, 8, 137}, 2, h200), 1);
  EXPECT_EQ(chooseJoinPieces({1, 8, 138}, 2, h200), 2);
  EXPECT_EQ(chooseJoinPieces({16, 16, 18}, 2, h200), 1);
  EXPECT_EQ(chooseJoinPieces({16, 16, 19}, 2, h200), 2);
}
