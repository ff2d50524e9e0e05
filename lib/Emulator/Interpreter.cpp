//===- Interpreter.cpp - Runs the warps of a block ------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

#include "CopyIssue.h"
#include "Divergence.h"
#include "Handlers.h"
#include "LoopWatch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir::mirage::emulator;
using llvm::formatv;

namespace {

/// Runs one split for a while.
class SplitRunner {
public:
  SplitRunner(Block &block, Warp &warp, Worker &worker)
      : block(block), warp(warp), worker(worker),
        code(worker.launch.kernel.code.data()) {
    state.registers = warp.registers;
    state.warp = &warp;
    state.block = &block;
    state.worker = &worker;
  }

  /// \returns false if the block was stopped.
  bool run(uint32_t index, uint64_t limit);

private:
  uint32_t guarded(const Instruction &instruction, uint32_t mask) const {
    if (instruction.guard == noSlot)
      return mask;
    uint32_t holds = state.predicate(instruction.guard);
    return mask & (instruction.guardNegated ? ~holds : holds);
  }
  void count(const Instruction &instruction) {
    Counters &counters = worker.counters;
    ++counters
          .instructions[static_cast<unsigned>(instruction.instructionClass)];
    counters.threadInstructions +=
        state.active == allLanes ? warpSize : llvm::popcount(state.active);
  }

  Block &block;
  Warp &warp;
  Worker &worker;
  const Instruction *code;
  ExecutionState state;
};

bool SplitRunner::run(uint32_t index, uint64_t limit) {
  uint64_t numSplits = warp.splits.size();
  for (uint64_t step = 0; step < limit; ++step) {
    // Branches move splits around: look again each time.
    Split &split = warp.splits[index];
    if (split.pc == split.reconvergence) {
      arriveAtJoin(warp, index);
      return true;
    }
    state.split = index;
    state.pc = split.pc;
    const Instruction &instruction = code[split.pc];
    state.active = guarded(instruction, split.mask);
    if (state.active == 0) {
      ++split.pc;
      continue;
    }
    ++warp.steps;
    ++block.steps;
    count(instruction);
    switch (instruction.handler(state, instruction)) {
    case Outcome::Next:
      ++warp.splits[index].pc;
      break;
    case Outcome::Jumped:
      if (warp.splits.size() != numSplits)
        return true; // parted: let the scheduler choose
      break;
    case Outcome::Parked:
      return true;
    case Outcome::Stopped:
      return false;
    }
  }
  return true;
}

/// Wakes a split whose polled place has changed.
bool isRunnable(Split &split) {
  if (split.state == Split::State::Polling &&
      hashPlaces(split.pollBytes, split.polled) != split.pollHash) {
    split.state = Split::State::Runnable;
    split.pollCount = 0;
  }
  return split.state == Split::State::Runnable;
}

/// What still goes on when a warp, or the last one of its block, ends.
class WarpEnd {
public:
  WarpEnd(Block &block, Warp &warp, Worker &worker) : block(block), warp(warp) {
    state.warp = &warp;
    state.block = &block;
    state.worker = &worker;
    state.pc = noPc;
    state.active = warp.lanes;
  }

  void run() {
    if (!warp.copies.empty())
      state.report(FindingKind::UnwaitedCopy, warp.copies.front().lane, [] {
        return std::string("a thread ended with a cp.async that it never "
                           "waited for");
      });
    warp.copies.clear();
    if (warp.matrices.issued > warp.matrices.waited)
      state.report(FindingKind::UnwaitedCopy, 0, [] {
        return std::string("a warp ended with a wgmma that it never waited "
                           "for");
      });
    if (!warp.bulk.pending.empty())
      endBulkCopies();
    checkRegisterChanges(state);
    // What one of its warps knows has happened before the block ends.
    for (auto it = block.remoteAccesses.begin();
         it != block.remoteAccesses.end();)
      it = warp.clock.isOrdered(it->second.epoch)
               ? block.remoteAccesses.erase(it)
               : std::next(it);
    if (--block.liveWarps == 0)
      endBlock();
  }

private:
  void endBulkCopies() {
    unsigned lane = warp.bulk.pending.front().lane;
    if (endBulkGroups(warp))
      state.report(FindingKind::CopyMisuse, lane, [] {
        return std::string("a thread ended with a bulk copy whose source in "
                           "shared memory may not have been read: expected "
                           "cp.async.bulk.wait_group.read");
      });
  }

  void reportRemoteAccess(const Block::RemoteAccess &access) {
    FindingKind kind =
        access.isCopy ? FindingKind::CopyMisuse : FindingKind::ClusterMisuse;
    state.report(
        kind, 0,
        [&]() -> std::string {
          const Epoch &epoch = access.epoch;
          if (access.isCopy)
            return formatv("the block may end before a bulk copy has read its "
                           "shared memory, which completes on an mbarrier of "
                           "block number {0}: expected to hear of that phase "
                           "before",
                           epoch.block());
          return formatv("the block may end before warp {0} of block number "
                         "{1} accesses its shared memory: expected a barrier "
                         "of the cluster between",
                         epoch.agent(), epoch.block());
        },
        access.pc);
  }

  /// Shared memory may be another block's next.
  void endBlock() {
    for (const auto &entry : block.remoteAccesses)
      reportRemoteAccess(entry.second);
    for (const auto &barrier : block.mbarriers.all())
      if (barrier->lastSeen < barrier->lastCopied)
        state.report(FindingKind::CopyMisuse, 0, [&] {
          return formatv("the block ended before a warp had seen that copies "
                         "are done which complete on the mbarrier at shared "
                         "address {0}",
                         barrier->address)
              .str();
        });
  }

  Block &block;
  Warp &warp;
  ExecutionState state;
};

/// Runs the splits of a warp in turn until all wait or the turn is over.
/// \returns false if the block was stopped.
bool runWarp(Block &block, Warp &warp, Worker &worker, uint64_t limit) {
  constexpr uint64_t turnOfSplit = 1000;
  SplitRunner runner(block, warp, worker);
  uint64_t end = warp.steps + limit;
  while (!warp.hasEnded() && warp.steps < end) {
    size_t count = warp.splits.size(), tried = 0;
    for (; tried < count; ++tried) {
      warp.nextSplit %= count;
      if (isRunnable(warp.splits[warp.nextSplit]))
        break;
      ++warp.nextSplit;
    }
    if (tried == count)
      return true;
    bool isAlone = count == 1;
    if (!runner.run(warp.nextSplit, isAlone ? limit : turnOfSplit))
      return false;
    ++warp.nextSplit; // whatever ended its turn, the others come first now
  }
  return true;
}

void reportEndlessLoop(const Block &block, const Warp &warp, Worker &worker) {
  worker.findings.add(
      FindingKind::EndlessLoop, warp.splits[0].pc, noPc, block.number,
      warp.index, llvm::countr_zero(warp.splits[0].mask), [&] {
        return formatv("the warp goes round for ever: it is here with the same "
                       "in all registers as {0} steps before, and has met "
                       "nobody since",
                       warp.steps - warp.earlier->steps)
            .str();
      });
}

/// A turn of a warp, and a look at whether it goes round for ever. Where it
/// may, the next steps are watched one by one: most loops are short.
/// \returns false if the block was stopped.
bool takeTurn(Block &block, Warp &warp, Worker &worker, uint64_t turn) {
  constexpr unsigned stepsWatched = 1024;
  size_t registerBytes = worker.launch.kernel.registerFileBytes;
  uint64_t meetings = countMeetings(worker.counters);
  auto isAlone = [&] { return meetings == countMeetings(worker.counters); };
  if (!runWarp(block, warp, worker, turn))
    return false;
  if (warp.hasEnded())
    return true;
  LoopSign sign = lookForLoop(warp, registerBytes, isAlone());
  if (sign == LoopSign::Remembered)
    for (unsigned step = 0; step < stepsWatched; ++step) {
      if (!runWarp(block, warp, worker, /*limit=*/1))
        return false;
      if (warp.hasEnded() || !isAlone())
        return true;
      if (comesBack(warp)) {
        sign = LoopSign::Loop;
        break;
      }
    }
  if (sign != LoopSign::Loop)
    return true;
  reportEndlessLoop(block, warp, worker);
  return false;
}

} // namespace

void mlir::mirage::emulator::stopBlock(Block &block) {
  block.wasStopped = true;
  block.liveWarps = 0;
  for (Warp &warp : block.warps) {
    warp.splits.clear();
    warp.exited = warp.lanes;
  }
}

bool Cluster::hasEnded() const {
  return llvm::all_of(blocks,
                      [](const Block &block) { return block.liveWarps == 0; });
}

uint32_t Cluster::countThreads() const {
  uint32_t threads = 0;
  for (const Block &block : blocks)
    for (const Warp &warp : block.warps)
      threads += llvm::popcount(warp.alive());
  return threads;
}

BlockTurn mlir::mirage::emulator::runBlock(Block &block, Worker &worker,
                                           uint64_t turnLimit) {
  uint64_t stepLimit = worker.launch.config.stepLimitPerBlock;
  constexpr uint64_t turnOfWarp = 4096;
  uint64_t start = block.steps;
  const bool isRandom = worker.launch.config.scheduleSeed != 0;
  llvm::SmallVector<uint32_t, 32> order =
      llvm::to_vector_of<uint32_t, 32>(llvm::seq<uint32_t>(block.warps.size()));
  while (block.liveWarps > 0) {
    uint64_t before = block.steps;
    if (isRandom)
      std::shuffle(order.begin(), order.end(), worker.random);
    for (uint32_t index : order) {
      Warp &warp = block.warps[index];
      if (warp.hasEnded())
        continue;
      uint64_t turn = isRandom ? 1 + worker.random() % 64 : turnOfWarp;
      if (!takeTurn(block, warp, worker, turn)) {
        stopBlock(block);
        return {BlockState::Ended, true};
      }
      if (warp.hasEnded())
        WarpEnd(block, warp, worker).run();
    }
    bool madeProgress = block.steps != before;
    if (block.steps > stepLimit) {
      const Warp *running = nullptr;
      for (const Warp &warp : block.warps)
        if (!running && !warp.hasEnded())
          running = &warp;
      worker.findings.add(
          FindingKind::StepLimit, running ? running->splits[0].pc : noPc, noPc,
          block.number, running ? running->index : 0, 0, [&] {
            return formatv("the block was stopped after {0} warp instructions; "
                           "--step-limit says how many it may execute, which "
                           "was {1}",
                           block.steps, stepLimit)
                .str();
          });
      worker.endsLaunch = true;
      stopBlock(block);
      return {BlockState::Ended, true};
    }
    if (!madeProgress && block.liveWarps)
      return {BlockState::Waiting, block.steps != start};
    if (turnLimit && block.steps - start >= turnLimit && block.liveWarps)
      return {BlockState::Running, true};
  }
  return {BlockState::Ended, block.steps != start};
}

bool mlir::mirage::emulator::releaseLanes(Block &block) {
  bool any = false;
  for (Warp &warp : block.warps)
    any |= releaseEarly(warp);
  return any;
}
