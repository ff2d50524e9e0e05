//===- HandlersRegisters.cpp - setmaxnreg ---------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has as many registers as its threads had when it started. A warp may
// give some up, or take more, for which it waits until they are free (PTX ISA
// 9.7.19.5, setmaxnreg). All warps of a warpgroup do so together.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir::mirage::emulator;
using llvm::formatv;

/// A register is counted in each of a warp's lanes.
constexpr uint32_t registersOfSM = 65536, mostOfThread = 256;

uint32_t
mlir::mirage::emulator::getStartRegisters(const LaunchContext &launch) {
  if (launch.info.maxRegisters)
    return launch.info.maxRegisters;
  // Blocks that an SM is to hold have equal shares.
  uint64_t threads = uint64_t(launch.warpsPerBlock) * warpSize *
                     std::max(launch.info.minBlocks, 1u);
  return std::min<uint64_t>(registersOfSM / threads / 8 * 8, mostOfThread);
}

static unsigned findGroupStart(const Warp &warp) {
  return warp.index / warpsPerGroup * warpsPerGroup;
}

static void report(ExecutionState &state, llvm::StringRef message,
                   uint32_t otherPc = noPc) {
  state.report(
      FindingKind::RegisterMisuse, 0, [&] { return message.str(); }, otherPc);
}

void mlir::mirage::emulator::checkRegisterChanges(ExecutionState &state) {
  std::vector<Warp> &warps = state.block->warps;
  unsigned first = findGroupStart(*state.warp);
  if (first + warpsPerGroup > warps.size())
    return;
  const Warp *most = state.warp, *least = state.warp;
  for (const Warp &other : llvm::ArrayRef(warps).slice(first, warpsPerGroup)) {
    if (other.registerChanges.size() > most->registerChanges.size())
      most = &other;
    if (other.hasEnded() &&
        other.registerChanges.size() < least->registerChanges.size())
      least = &other;
  }
  size_t count = least->registerChanges.size();
  if (most->registerChanges.size() > count)
    report(state,
           formatv("expected setmaxnreg in all warps of a warpgroup, and warp "
                   "{0} has ended without it",
                   least->index)
               .str(),
           most->registerChanges[count]);
}

namespace {

enum : uint16_t { increases = 1 };

class Change {
public:
  Change(ExecutionState &state, bool isIncrease)
      : state(state), warp(*state.warp), isIncrease(isIncrease) {}

  /// \returns false after a report.
  bool check(uint32_t count) const {
    if (count % 8 != 0 || count < 24 || count > mostOfThread)
      return fail(formatv("expected setmaxnreg to a multiple of 8 from 24 to "
                          "{0}, found {1}",
                          mostOfThread, count));
    if (isIncrease ? count < warp.numRegisters : count > warp.numRegisters)
      return fail(formatv("expected setmaxnreg.{0} to at {1} the {2} registers "
                          "that a thread has, found {3}",
                          isIncrease ? "inc" : "dec",
                          isIncrease ? "least" : "most", warp.numRegisters,
                          count));
    if (findGroupStart(warp) + warpsPerGroup > state.block->warps.size())
      return fail(formatv("expected setmaxnreg in a warpgroup of four warps, "
                          "found a block of {0} threads",
                          state.worker->launch.threadsPerBlock));
    checkGroup();
    return true;
  }

  /// Whether the block has so many.
  bool fits(uint32_t count) const {
    const LaunchContext &launch = state.worker->launch;
    uint32_t total = getStartRegisters(launch) * launch.warpsPerBlock;
    uint32_t used = count;
    for (const Warp &other : state.block->warps)
      used += &other == &warp ? 0 : other.numRegisters;
    return used <= total;
  }

  void apply(uint32_t count) {
    warp.numRegisters = count;
    warp.registerChanges.push_back(state.pc);
    for (Warp &other : state.block->warps)
      for (Split &split : other.splits)
        if (split.state == Split::State::AtRegisters)
          split.state = Split::State::Runnable; // looks again
  }

private:
  bool fail(const std::string &message) const {
    report(state, message);
    return false;
  }

  void checkGroup() const {
    size_t number = warp.registerChanges.size();
    for (unsigned i = 0; i < warpsPerGroup; ++i) {
      const Warp &other = state.block->warps[findGroupStart(warp) + i];
      bool differs = other.registerChanges.size() > number &&
                     other.registerChanges[number] != state.pc;
      if (differs)
        return report(state,
                      "expected one setmaxnreg in all warps of a warpgroup, "
                      "and an earlier warp has executed another",
                      other.registerChanges[number]);
    }
  }

  ExecutionState &state;
  Warp &warp;
  bool isIncrease;
};

Outcome change(ExecutionState &state, const Instruction &instruction) {
  Outcome outcome = Outcome::Next;
  if (!requireWholeWarp(state, "setmaxnreg", outcome))
    return outcome;
  // A count that no warp may ask for is not waited for.
  Change change(state, instruction.variant == increases);
  uint32_t count = state.lanes<uint32_t>(instruction.slots[0])[0];
  if (!change.check(count))
    return outcome;
  if (instruction.variant == increases && !change.fits(count)) {
    state.currentSplit().state = Split::State::AtRegisters;
    return Outcome::Parked;
  }
  change.apply(count);
  return outcome;
}

Handler selectChange(const Form &form, Instruction &instruction) {
  instruction.variant = form.has("inc") ? increases : 0;
  return change;
}

const Row rows[] = {
    {"setmaxnreg.inc|dec.sync.aligned.u32", "#b32", InstructionClass::Barrier,
     selectChange, "sm_90a+ 8.0"},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::registerRows() { return rows; }
