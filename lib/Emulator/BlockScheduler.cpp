//===- BlockScheduler.cpp - Runs all blocks of a launch -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockScheduler.h"

#include "GlobalCheck.h"
#include "Interpreter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <atomic>
#include <thread>

using namespace mlir::mirage::emulator;
using llvm::formatv;

namespace {

bool releaseAll(Cluster &cluster) {
  bool any = false;
  for (Block &block : cluster.blocks)
    any |= releaseLanes(block);
  return any;
}

void reportAll(Cluster &cluster, Worker &worker) {
  for (Block &block : cluster.blocks)
    if (block.liveWarps > 0)
      reportDeadlock(block, worker);
}

/// Gives each block a turn. \returns false if none made progress.
bool runRound(Cluster &cluster, Worker &worker, uint64_t turnLimit) {
  bool any = false;
  for (Block &block : cluster.blocks)
    if (block.liveWarps > 0)
      any |= runBlock(block, worker, turnLimit).madeProgress;
  return any;
}

bool wasStopped(const Cluster &cluster) {
  return llvm::any_of(cluster.blocks,
                      [](const Block &block) { return block.wasStopped; });
}

/// Clusters that cannot talk, of one block or several: any order will do, so
/// workers take the next one.
class IndependentClusters {
public:
  IndependentClusters(const LaunchContext &launch, std::deque<Worker> &workers)
      : launch(launch), workers(workers) {}

  bool run() {
    std::vector<std::thread> threads;
    for (size_t i = 1; i < workers.size(); ++i)
      threads.emplace_back([this, i] { runSome(workers[i]); });
    runSome(workers[0]);
    for (std::thread &thread : threads)
      thread.join();
    return allCompleted;
  }

private:
  void runSome(Worker &worker) {
    Cluster cluster;
    for (;;) {
      uint64_t number = next.fetch_add(1);
      if (number >= launch.numBlocks / launch.blocksPerCluster)
        return;
      startCluster(cluster, number, launch);
      worker.random.seed(launch.config.scheduleSeed + number);
      while (!cluster.hasEnded() && !worker.endsLaunch)
        if (!runRound(cluster, worker, /*turnLimit=*/0) && !releaseAll(cluster))
          reportAll(cluster, worker);
      if (wasStopped(cluster))
        allCompleted = false;
      collectIntervals(worker.globalShadow, cluster.getNumber(),
                       worker.intervals);
      worker.globalShadow.clear();
      worker.globalSyncRecords.clear();
      worker.proxyFences.clear();
      worker.laneSets.clear();
      if (worker.endsLaunch)
        next = launch.numBlocks;
    }
  }

  const LaunchContext &launch;
  std::deque<Worker> &workers;
  std::atomic<uint64_t> next{0};
  std::atomic<bool> allCompleted{true};
};

/// Blocks that wait for one another: as many as the device holds take turns on
/// one thread, in a fixed order; the next cluster starts when one has ended.
class CommunicatingClusters {
public:
  CommunicatingClusters(const LaunchContext &launch, Worker &worker)
      : launch(launch), worker(worker),
        numClusters(launch.numBlocks / launch.blocksPerCluster) {}

  bool run() {
    uint64_t limit = std::min(numClusters, residentLimit());
    while (numStarted < limit)
      startNext();
    while (!resident.empty() && !worker.endsLaunch)
      if (!runAll() && !releaseResident())
        reportResident();
    allCompleted &= !worker.endsLaunch;
    collectIntervals(worker.globalShadow, 0, worker.intervals);
    return allCompleted;
  }

private:
  static constexpr uint64_t turn = 8192;

  /// By threads, shared memory and the number of blocks an SM takes. That some
  /// SMs have too few neighbours for a whole cluster is left out.
  uint64_t residentLimit() const {
    uint64_t perSM = std::min<uint64_t>(32, 2048 / (launch.warpsPerBlock * 32));
    uint64_t shared = launch.sharedBytes + 1024; // what the system keeps
    uint64_t sharedPerSM =
        getSharedMemoryLimits(launch.program.target).bytesPerSM;
    perSM = std::max<uint64_t>(1, std::min(perSM, sharedPerSM / shared));
    return std::max<uint64_t>(1, perSM * launch.config.numSMs /
                                     launch.blocksPerCluster);
  }

  void startNext() {
    resident.push_back(std::make_unique<Cluster>());
    startCluster(*resident.back(), numStarted++, launch);
  }

  /// \returns false if no block made progress.
  bool runAll() {
    bool any = false;
    size_t numEnded = 0;
    for (std::unique_ptr<Cluster> &cluster : resident) {
      any |= runRound(*cluster, worker, turn);
      if (!cluster->hasEnded())
        continue;
      allCompleted &= !wasStopped(*cluster);
      cluster.reset();
      ++numEnded;
    }
    llvm::erase(resident, nullptr);
    for (; numEnded > 0 && numStarted < numClusters; --numEnded) {
      startNext();
      any = true;
    }
    return any || resident.empty();
  }

  bool releaseResident() {
    bool any = false;
    for (std::unique_ptr<Cluster> &cluster : resident)
      any |= releaseAll(*cluster);
    return any;
  }

  void reportResident() {
    uint64_t blocks = resident.size() * launch.blocksPerCluster,
             notStarted =
                 launch.numBlocks - numStarted * launch.blocksPerCluster;
    if (notStarted)
      worker.findings.add(
          FindingKind::Deadlock, noPc, noPc, resident.front()->getNumber(), 0,
          0, [&] {
            return formatv(
                       "{0} blocks fill the device and wait; {1} of the grid "
                       "were not started",
                       blocks, notStarted)
                .str();
          });
    for (std::unique_ptr<Cluster> &cluster : resident)
      reportAll(*cluster, worker);
    resident.clear();
    allCompleted = false;
  }

  const LaunchContext &launch;
  Worker &worker;
  const uint64_t numClusters;
  std::vector<std::unique_ptr<Cluster>> resident;
  uint64_t numStarted = 0;
  bool allCompleted = true;
};

} // namespace

bool mlir::mirage::emulator::runAllBlocks(const LaunchContext &launch,
                                          std::deque<Worker> &workers) {
  if (launch.kernel.communicates)
    return CommunicatingClusters(launch, workers.front()).run();
  return IndependentClusters(launch, workers).run();
}
