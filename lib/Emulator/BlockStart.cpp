//===- BlockStart.cpp - Makes a block ready to run ------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"
#include "Interpreter.h"
#include "SpecialRegisters.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage::emulator;

using Extents = std::array<uint32_t, 3>;

static void fillSpecials(Block &block, Warp &warp,
                         const LaunchContext &launch) {
  for (const SpecialSlot &special : launch.kernel.specials) {
    if (special.sizeBytes == 0) { // a predicate, the same in all lanes
      uint32_t mask =
          specialValue(special.which, block, warp, 0, launch) ? allLanes : 0;
      std::memcpy(warp.registers + special.slot, &mask, 4);
      continue;
    }
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      uint64_t value = specialValue(special.which, block, warp, lane, launch);
      std::memcpy(warp.registers + special.slot + lane * special.sizeBytes,
                  &value, special.sizeBytes);
    }
  }
}

static void startWarp(Block &block, uint32_t index,
                      const LaunchContext &launch) {
  Warp &warp = block.warps[index];
  uint32_t threads =
      std::min<uint32_t>(warpSize, launch.threadsPerBlock - index * warpSize);
  warp = Warp();
  warp.index = index;
  warp.lanes = threads == warpSize ? allLanes : (1u << threads) - 1;
  size_t fileBytes = launch.registerTemplate.size();
  warp.registers = block.registerFiles.data() + index * fileBytes;
  uintptr_t start = reinterpret_cast<uintptr_t>(block.registerFiles.data());
  warp.registers += llvm::alignTo(start, 64) - start;
  llvm::copy(launch.registerTemplate, warp.registers);
  const size_t before = size_t(index) * warpSize * launch.info.localBytes;
  warp.local = block.localMemory.data() + before;
  warp.localWritten = block.localWritten.data() + before;
  Split split;
  split.mask = warp.lanes;
  warp.splits.push_back(split);
  warp.clock.reset(block.number, index);
  warp.numRegisters = getStartRegisters(launch);
  warp.matrices.registers.resize(launch.kernel.matrixRegisters.names.size());
  fillSpecials(block, warp, launch);
}

static void startBlock(Block &block, const Extents &coordinates,
                       const LaunchContext &launch) {
  const auto &grid = launch.config.grid;
  block.number =
      coordinates[0] +
      uint64_t(grid[0]) * (coordinates[1] + uint64_t(grid[1]) * coordinates[2]);
  block.coordinates = coordinates;
  block.steps = 0;
  block.wasStopped = false;
  block.waitedForEarlierGrids = false;
  block.syncRecords.clear();
  block.arriving.clear();
  block.released.clear();
  block.remoteAccesses.clear();
  block.sharedShadow.clear();
  const uint32_t start = launch.program.sharedStart;
  block.sharedShadow.setDenseBytes(start + launch.sharedBytes);
  block.barriers.fill(Barrier());
  block.mbarriers.clear();
  block.matrixGroups.clear();
  block.shared.resize(llvm::alignTo(start + launch.sharedBytes, 16) + 16);
  for (size_t i = 0; i + 4 <= block.shared.size(); i += 4)
    std::memcpy(&block.shared[i], &undefinedPattern, 4);
  block.sharedRegion = Region();
  block.sharedRegion.base = start;
  block.sharedRegion.sizeBytes = launch.sharedBytes;
  block.sharedRegion.host = block.shared.data() + start;
  block.registerFiles.resize(
      launch.registerTemplate.size() * launch.warpsPerBlock + 64);
  block.localMemory.resize(size_t(launch.warpsPerBlock) * warpSize *
                           launch.info.localBytes);
  for (size_t i = 0; i + 4 <= block.localMemory.size(); i += 4)
    std::memcpy(&block.localMemory[i], &undefinedPattern, 4);
  block.localWritten.assign(block.localMemory.size(), 0);
  block.warps.resize(launch.warpsPerBlock);
  block.liveWarps = launch.warpsPerBlock;
  for (uint32_t index = 0; index < launch.warpsPerBlock; ++index)
    startWarp(block, index, launch);
}

/// Coordinates of a number that counts along x first.
static Extents delinearize(uint64_t number, const Extents &extents) {
  return {uint32_t(number % extents[0]),
          uint32_t(number / extents[0] % extents[1]),
          uint32_t(number / extents[0] / extents[1])};
}

void mlir::mirage::emulator::startCluster(Cluster &cluster, uint64_t number,
                                          const LaunchContext &launch) {
  const Extents &size = launch.config.cluster;
  Extents numClusters;
  for (unsigned axis = 0; axis < 3; ++axis)
    numClusters[axis] = launch.config.grid[axis] / size[axis];
  Extents first = delinearize(number, numClusters);
  cluster.blocks.resize(launch.blocksPerCluster);
  cluster.arrived = cluster.phase = 0;
  cluster.arriving.clear();
  cluster.released.clear();
  for (auto [rank, block] : llvm::enumerate(cluster.blocks)) {
    Extents coordinates = delinearize(rank, size);
    for (unsigned axis = 0; axis < 3; ++axis)
      coordinates[axis] += first[axis] * size[axis];
    startBlock(block, coordinates, launch);
    block.cluster = &cluster;
    block.rank = rank;
  }
}
