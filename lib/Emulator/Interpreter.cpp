//===- Interpreter.cpp - Runs the warps of a block ------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

#include "Divergence.h"
#include "Handlers.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::mirage::emulator;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// The start of a block
//===----------------------------------------------------------------------===//

/// The value of a special register in one lane.
static uint64_t specialValue(SpecialRegister which, const Block &block,
                             const Warp &warp, unsigned lane,
                             const LaunchContext &launch) {
  using R = SpecialRegister;
  const auto &shape = launch.config.block;
  const auto &grid = launch.config.grid;
  uint32_t thread = warp.index * warpSize + lane;
  switch (which) {
  case R::TidX:
    return thread % shape[0];
  case R::TidY:
    return thread / shape[0] % shape[1];
  case R::TidZ:
    return thread / shape[0] / shape[1];
  case R::NtidX:
    return shape[0];
  case R::NtidY:
    return shape[1];
  case R::NtidZ:
    return shape[2];
  case R::ClusterIdX:
  case R::CtaidX:
    return block.coordinates[0];
  case R::ClusterIdY:
  case R::CtaidY:
    return block.coordinates[1];
  case R::ClusterIdZ:
  case R::CtaidZ:
    return block.coordinates[2];
  case R::NumClusterX:
  case R::NctaidX:
    return grid[0];
  case R::NumClusterY:
  case R::NctaidY:
    return grid[1];
  case R::NumClusterZ:
  case R::NctaidZ:
    return grid[2];
  case R::LaneId:
    return lane;
  case R::WarpId:
    return warp.index;
  case R::NumWarps:
    return launch.warpsPerBlock;
  case R::SmId:
    return block.number % launch.config.numSMs;
  case R::NumSms:
    return launch.config.numSMs;
  case R::LaneMaskEq:
    return 1u << lane;
  case R::LaneMaskLt:
    return (1u << lane) - 1;
  case R::LaneMaskLe:
    return (2ull << lane) - 1;
  case R::LaneMaskGe:
    return uint32_t(~0u << lane);
  case R::LaneMaskGt:
    return uint32_t(~((2ull << lane) - 1));
  case R::ClusterNctaidX:
  case R::ClusterNctaidY:
  case R::ClusterNctaidZ:
  case R::ClusterNctarank:
    return 1;
  case R::DynamicSharedSize:
    return launch.config.dynamicSharedBytes;
  case R::TotalSharedSize:
    return launch.sharedBytes;
  default:
    return 0;
  }
}

static void fillSpecials(Block &block, Warp &warp,
                         const LaunchContext &launch) {
  for (const SpecialSlot &special : launch.kernel.specials)
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      uint64_t value = specialValue(special.which, block, warp, lane, launch);
      std::memcpy(warp.registers + special.slot + lane * special.sizeBytes,
                  &value, special.sizeBytes);
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
  std::memcpy(warp.registers, launch.registerTemplate.data(), fileBytes);
  warp.local = block.localMemory.data() +
               size_t(index) * warpSize * launch.info.localBytes;
  Split split;
  split.mask = warp.lanes;
  warp.splits.push_back(split);
  warp.clock.reset(block.number, index);
  fillSpecials(block, warp, launch);
}

void mlir::mirage::emulator::startBlock(Block &block, uint64_t number,
                                        const LaunchContext &launch) {
  const auto &grid = launch.config.grid;
  block.number = number;
  block.coordinates = {uint32_t(number % grid[0]),
                       uint32_t(number / grid[0] % grid[1]),
                       uint32_t(number / grid[0] / grid[1])};
  block.steps = 0;
  block.wasStopped = false;
  block.syncRecords.clear();
  block.sharedShadow.clear();
  block.sharedShadow.setDenseWords(launch.sharedBytes / 4 + 1);
  block.barriers.fill(Barrier());
  block.shared.resize(llvm::alignTo(launch.sharedBytes, 16) + 16);
  for (size_t i = 0; i + 4 <= block.shared.size(); i += 4)
    std::memcpy(&block.shared[i], &undefinedPattern, 4);
  block.sharedRegion = Region();
  block.sharedRegion.sizeBytes = launch.sharedBytes;
  block.sharedRegion.host = block.shared.data();
  block.registerFiles.resize(
      launch.registerTemplate.size() * launch.warpsPerBlock + 64);
  block.localMemory.resize(size_t(launch.warpsPerBlock) * warpSize *
                           launch.info.localBytes);
  for (size_t i = 0; i + 4 <= block.localMemory.size(); i += 4)
    std::memcpy(&block.localMemory[i], &undefinedPattern, 4);
  block.warps.resize(launch.warpsPerBlock);
  block.liveWarps = launch.warpsPerBlock;
  for (uint32_t index = 0; index < launch.warpsPerBlock; ++index)
    startWarp(block, index, launch);
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

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
    counters.threadInstructions += llvm::popcount(state.active);
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

void endWarp(Block &block, Warp &warp, Worker &worker) {
  --block.liveWarps;
  if (warp.copies.empty())
    return;
  ExecutionState state;
  state.warp = &warp;
  state.block = &block;
  state.worker = &worker;
  state.pc = noPc;
  state.report(FindingKind::UnwaitedCopy, warp.copies.front().lane, [] {
    return std::string("a thread ended with a cp.async that it never waited "
                       "for");
  });
  warp.copies.clear();
}

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

} // namespace

static void stop(Block &block) {
  block.wasStopped = true;
  block.liveWarps = 0;
  for (Warp &warp : block.warps)
    warp.splits.clear();
}

BlockTurn mlir::mirage::emulator::runBlock(Block &block, Worker &worker,
                                           uint64_t turnLimit) {
  uint64_t stepLimit = worker.launch.config.stepLimitPerBlock;
  constexpr uint64_t turnOfWarp = 4096;
  uint64_t start = block.steps;
  while (block.liveWarps > 0) {
    uint64_t before = block.steps;
    for (Warp &warp : block.warps) {
      if (warp.hasEnded())
        continue;
      if (!runWarp(block, warp, worker, turnOfWarp)) {
        stop(block);
        return {BlockState::Ended, true};
      }
      if (warp.hasEnded())
        endWarp(block, warp, worker);
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
            return formatv("the block was stopped after {0} warp instructions",
                           block.steps)
                .str();
          });
      stop(block);
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

//===----------------------------------------------------------------------===//
// Deadlock
//===----------------------------------------------------------------------===//

static std::string describeWait(const Block &block, const Warp &warp,
                                const Split &split) {
  switch (split.state) {
  case Split::State::AtBarrier: {
    const Barrier &barrier = block.barriers[split.barrier];
    return formatv("warp {0} waits at barrier {1}, where {2} of {3} threads "
                   "have arrived",
                   warp.index, split.barrier, barrier.arrived,
                   barrier.expected);
  }
  case Split::State::AtWarpSync:
    return formatv("lanes {0:x} of warp {1} wait for others of their warp",
                   split.waitingLanes, warp.index);
  case Split::State::Polling:
    return formatv("warp {0} polls memory that nobody changes", warp.index);
  case Split::State::Runnable:
    break;
  }
  return formatv("warp {0} could run", warp.index);
}

void mlir::mirage::emulator::reportDeadlock(Block &block, Worker &worker) {
  constexpr unsigned mostShown = 8;
  std::string message = "no thread of the block can go on";
  llvm::raw_string_ostream os(message);
  const Warp *first = nullptr;
  unsigned shown = 0;
  for (const Warp &warp : block.warps)
    for (const Split &split : warp.splits) {
      if (!first)
        first = &warp;
      if (shown++ < mostShown)
        os << "; " << describeWait(block, warp, split);
    }
  if (shown > mostShown)
    os << "; and " << shown - mostShown << " more";
  unsigned ended = 0;
  for (const Warp &warp : block.warps)
    ended += warp.hasEnded();
  if (ended)
    os << "; " << ended << " warps have ended";
  const Split *split = first ? &first->splits.front() : nullptr;
  // The instruction that waits is the one before the pc to go on from.
  uint32_t pc = !split ? noPc
                : split->state == Split::State::AtWarpSync || split->pc == 0
                    ? split->pc
                    : split->pc - 1;
  worker.findings.add(
      FindingKind::Deadlock, pc, noPc, block.number, first ? first->index : 0,
      split ? llvm::countr_zero(split->mask) : 0, [&] { return message; });
  stop(block);
}
