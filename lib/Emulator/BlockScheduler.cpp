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

/// Blocks that cannot talk: any order will do, so workers take the next one.
class IndependentBlocks {
public:
  IndependentBlocks(const LaunchContext &launch, std::deque<Worker> &workers)
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
    Block block;
    for (;;) {
      uint64_t number = next.fetch_add(1);
      if (number >= launch.numBlocks)
        return;
      startBlock(block, number, launch);
      while (runBlock(block, worker, /*turnLimit=*/0).state ==
             BlockState::Waiting)
        if (!releaseLanes(block))
          reportDeadlock(block, worker);
      if (block.wasStopped)
        allCompleted = false;
      collectIntervals(worker.globalShadow, number, worker.intervals);
      worker.globalShadow.clear();
      worker.globalSyncRecords.clear();
    }
  }

  const LaunchContext &launch;
  std::deque<Worker> &workers;
  std::atomic<uint64_t> next{0};
  std::atomic<bool> allCompleted{true};
};

/// Blocks that wait for one another: as many as the device holds take turns on
/// one thread, in a fixed order; the next one starts when one has ended.
class CommunicatingBlocks {
public:
  CommunicatingBlocks(const LaunchContext &launch, Worker &worker)
      : launch(launch), worker(worker) {}

  bool run() {
    uint64_t limit = std::min(launch.numBlocks, residentLimit());
    while (numStarted < limit)
      startNext();
    while (!resident.empty())
      if (!runRound() && !releaseAll())
        reportAll();
    collectIntervals(worker.globalShadow, 0, worker.intervals);
    return allCompleted;
  }

private:
  static constexpr uint64_t turn = 8192;

  /// By threads, shared memory and the number of blocks an SM takes.
  uint64_t residentLimit() const {
    const LaunchConfig &config = launch.config;
    uint64_t perSM = std::min<uint64_t>(32, 2048 / (launch.warpsPerBlock * 32));
    uint64_t shared = launch.sharedBytes + 1024; // what the system keeps
    perSM = std::max<uint64_t>(
        1, std::min(perSM, config.sharedBytesPerSM / shared));
    return perSM * config.numSMs;
  }

  void startNext() {
    resident.push_back(std::make_unique<Block>());
    startBlock(*resident.back(), numStarted++, launch);
  }

  /// \returns false if no block made progress.
  bool runRound() {
    bool any = false;
    size_t numEnded = 0;
    for (std::unique_ptr<Block> &block : resident) {
      BlockTurn result = runBlock(*block, worker, turn);
      any |= result.madeProgress;
      if (result.state != BlockState::Ended)
        continue;
      allCompleted &= !block->wasStopped;
      block.reset();
      ++numEnded;
    }
    llvm::erase(resident, nullptr);
    for (; numEnded > 0 && numStarted < launch.numBlocks; --numEnded) {
      startNext();
      any = true;
    }
    return any || resident.empty();
  }

  bool releaseAll() {
    bool any = false;
    for (std::unique_ptr<Block> &block : resident)
      any |= releaseLanes(*block);
    return any;
  }

  void reportAll() {
    uint64_t notStarted = launch.numBlocks - numStarted;
    if (notStarted)
      worker.findings.add(
          FindingKind::Deadlock, noPc, noPc, resident.front()->number, 0, 0,
          [&] {
            return formatv(
                       "{0} blocks fill the device and wait; {1} of the grid "
                       "were not started",
                       resident.size(), notStarted)
                .str();
          });
    for (std::unique_ptr<Block> &block : resident)
      reportDeadlock(*block, worker);
    resident.clear();
    allCompleted = false;
  }

  const LaunchContext &launch;
  Worker &worker;
  std::vector<std::unique_ptr<Block>> resident;
  uint64_t numStarted = 0;
  bool allCompleted = true;
};

} // namespace

bool mlir::mirage::emulator::runAllBlocks(const LaunchContext &launch,
                                          std::deque<Worker> &workers) {
  if (launch.kernel.communicates)
    return CommunicatingBlocks(launch, workers.front()).run();
  return IndependentBlocks(launch, workers).run();
}
