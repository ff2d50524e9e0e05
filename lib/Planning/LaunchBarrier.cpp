//===- LaunchBarrier.cpp - Kernels that share a launch --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Planning/LaunchBarrier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <array>
#include <limits>
#include <vector>

using namespace mlir::mirage;
using llvm::ArrayRef;
using llvm::SmallVector;

static constexpr LaunchBarrier kBarriers[] = {
    LaunchBarrier::Launch, LaunchBarrier::LastArrival, LaunchBarrier::Cluster};

llvm::StringRef mlir::mirage::getLaunchBarrierName(LaunchBarrier barrier) {
  switch (barrier) {
  case LaunchBarrier::Launch:
    return "launch";
  case LaunchBarrier::LastArrival:
    return "last_arrival";
  case LaunchBarrier::Cluster:
    return "cluster";
  }
  llvm_unreachable("all barriers are handled");
}

std::optional<LaunchBarrier>
mlir::mirage::parseLaunchBarrier(llvm::StringRef name) {
  for (LaunchBarrier barrier : kBarriers)
    if (getLaunchBarrierName(barrier) == name)
      return barrier;
  return std::nullopt;
}

llvm::StringRef mlir::mirage::getOccupancyLimitName(OccupancyLimit limit) {
  switch (limit) {
  case OccupancyLimit::SharedMemory:
    return "shared memory";
  case OccupancyLimit::Threads:
    return "threads";
  case OccupancyLimit::Blocks:
    return "blocks";
  case OccupancyLimit::Registers:
    return "registers";
  }
  llvm_unreachable("all limits are handled");
}

Occupancy mlir::mirage::getOccupancy(BlockResources block,
                                     int64_t registersPerThread,
                                     const Target &target) {
  const Occupancy limits[] = {
      {target.sharedBytesPerSM / (block.sharedBytes + kSystemSharedBytes),
       OccupancyLimit::SharedMemory},
      {target.threadsPerSM / block.threads, OccupancyLimit::Threads},
      {target.blocksPerSM, OccupancyLimit::Blocks},
      {target.registersPerSM / (registersPerThread * block.threads),
       OccupancyLimit::Registers}};
  return *llvm::min_element(limits, [](Occupancy lhs, Occupancy rhs) {
    return lhs.blocks < rhs.blocks;
  });
}

int64_t mlir::mirage::getResidentBlocks(BlockResources block,
                                        const Target &target) {
  return getOccupancy(block, block.getRegisters(), target).blocks;
}

/// Whether the blocks that are joined can be a cluster, and each has an SM to
/// itself. Where SMs have several, some get more of them because others have no
/// place for a cluster: split-K of an RMSNorm and a linear layer, 384 blocks,
/// took 27.1 µs on an H200 in clusters of 8, 22.7 with two launches.
static bool fitsClusters(const GridJoin &join, const Target &target) {
  return join.numBlocks <= target.getClusteredSMs(join.numJoined);
}

/// Whether arrivals do not queue up. On an H200 counting them took 0.1 to 0.3
/// µs less than a launch for up to 256 blocks, and 0.3 to 1.0 more for 384 and
/// 512.
static bool canCountArrivals(const GridJoin &join, const Target &target) {
  constexpr int64_t kMostBlocksPerSM = 2;
  return !join.keepsBlocks &&
         join.numBlocks <= kMostBlocksPerSM * target.numSMs;
}

static bool canHave(const GridJoin &join, LaunchBarrier barrier,
                    const Target &target) {
  switch (barrier) {
  case LaunchBarrier::Launch:
    return true;
  case LaunchBarrier::LastArrival:
    return join.hasSameThreads && canCountArrivals(join, target);
  case LaunchBarrier::Cluster:
    return join.hasSameThreads && fitsClusters(join, target);
  }
  llvm_unreachable("all barriers are handled");
}

bool mlir::mirage::canFollow(LaunchBarrier before, LaunchBarrier barrier) {
  return before == LaunchBarrier::Launch || barrier == LaunchBarrier::Launch ||
         (before != LaunchBarrier::Cluster &&
          barrier != LaunchBarrier::Cluster);
}

/// Backwards, from what the rest of the chain takes behind each barrier.
SmallVector<LaunchBarrier, 3>
mlir::mirage::chooseLaunchBarriers(ArrayRef<GridJoin> chain,
                                   const Target &target) {
  struct Choice {
    double us = std::numeric_limits<double>::infinity();
    LaunchBarrier next = LaunchBarrier::Launch;
  };
  /// By join, and by the barrier before it.
  using Choices = std::array<Choice, std::size(kBarriers)>;
  auto at = [](LaunchBarrier barrier) { return static_cast<size_t>(barrier); };
  std::vector<Choices> choices(chain.size() + 1);
  for (Choice &choice : choices.back())
    choice.us = 0;
  for (size_t join = chain.size(); join-- > 0;)
    for (LaunchBarrier before : kBarriers)
      for (LaunchBarrier barrier : kBarriers) {
        if (!canFollow(before, barrier) ||
            !canHave(chain[join], barrier, target))
          continue;
        double us = getLaunchBarrierUs(barrier, target) +
                    choices[join + 1][at(barrier)].us;
        Choice &choice = choices[join][at(before)];
        if (us < choice.us)
          choice = {us, barrier};
      }
  SmallVector<LaunchBarrier, 3> best;
  for (size_t join = 0; join < chain.size(); ++join)
    best.push_back(
        choices[join][at(join ? best.back() : LaunchBarrier::Launch)].next);
  return best;
}

double mlir::mirage::getLaunchBarrierUs(LaunchBarrier barrier,
                                        const Target &target) {
  switch (barrier) {
  case LaunchBarrier::Launch:
    return target.nextLaunchUs;
  case LaunchBarrier::LastArrival:
    return target.lastArrivalUs;
  case LaunchBarrier::Cluster:
    return target.clusterBarrierUs;
  }
  llvm_unreachable("all barriers are handled");
}

double mlir::mirage::getLeastLaunchBarrierUs(const Target &target) {
  double us = std::min(target.nextLaunchUs, target.lastArrivalUs);
  return target.blocksPerCluster > 1 ? std::min(us, target.clusterBarrierUs)
                                     : us;
}

double mlir::mirage::getJoiningUs(const JoiningKernel &kernel, int64_t pieces,
                                  const Target &target) {
  GridJoin join{kernel.numBlocks * kernel.numJoined, kernel.numJoined,
                /*keepsBlocks=*/pieces > 1};
  bool isAlone = pieces > 1 && pieces != kernel.numJoined;
  LaunchBarrier barrier = isAlone ? LaunchBarrier::Launch
                                  : chooseLaunchBarriers(join, target).front();
  int64_t waves = llvm::divideCeil(kernel.numBlocks * pieces, target.numSMs);
  double bytes = double(kernel.partBytes) / double(pieces) + kernel.wholeBytes;
  return getLaunchBarrierUs(barrier, target) +
         double(waves) * double(kernel.numJoined) * bytes /
             target.loadBytesPerUsSM;
}

int64_t mlir::mirage::chooseJoinPieces(const JoiningKernel &kernel,
                                       int64_t most, const Target &target) {
  int64_t best = 1;
  most = std::min(most, target.numSMs / kernel.numBlocks);
  for (int64_t pieces = 2; pieces <= most; pieces *= 2)
    if (getJoiningUs(kernel, pieces, target) <
        getJoiningUs(kernel, best, target))
      best = pieces;
  return best;
}
