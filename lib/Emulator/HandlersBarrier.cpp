//===- HandlersBarrier.cpp - bar and barrier ------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir::mirage::emulator;
using llvm::formatv;

namespace {

/// What a barrier does with predicates.
enum Reduction : int { NoReduction, And, Or, Popc };

/// The last thread has come: everybody's clock is handed to everybody that
/// waits, and they go on.
void complete(ExecutionState &state, Barrier &barrier) {
  for (const Barrier::Waiter &waiter : barrier.waiters) {
    Warp &warp = state.block->warps[waiter.warp];
    warp.clock.vector.join(barrier.clock);
    for (Split &split : warp.splits)
      if (split.state == Split::State::AtBarrier &&
          &state.block->barriers[split.barrier] == &barrier)
        split.state = Split::State::Runnable;
    if (!waiter.isReduction)
      continue;
    ExecutionState other = state;
    other.registers = warp.registers;
    other.active = waiter.mask;
    if (barrier.reduction == Popc) {
      uint32_t *result = other.lanes<uint32_t>(waiter.resultSlot);
      for (uint32_t rest = waiter.mask; rest; rest &= rest - 1)
        result[llvm::countr_zero(rest)] = barrier.votesCount;
    } else {
      bool vote = barrier.reduction == And ? barrier.votesAnd : barrier.votesOr;
      setPredicate(other, waiter.resultSlot, vote ? allLanes : 0);
    }
  }
  ++state.worker->counters.barriers;
  barrier = Barrier();
}

bool misuse(const ExecutionState &state, const std::string &message) {
  state.report(FindingKind::BarrierMisuse, state.firstLane(),
               [&] { return message; });
  return false;
}

bool checkArrival(const ExecutionState &state, unsigned id, uint32_t count,
                  int reduction, const Barrier &barrier) {
  if (id >= 16)
    return misuse(state, formatv("expected a barrier below 16, found {0}", id));
  if (count % warpSize != 0)
    return misuse(state, formatv("expected a number of threads that is a "
                                 "multiple of 32, found {0}",
                                 count));
  uint32_t warps = state.block->warps.size();
  if (count > warps * warpSize)
    return misuse(state, formatv("barrier {0} expects {1} threads, the block "
                                 "has {2}",
                                 id, count, warps * warpSize));
  if (barrier.arrived != 0 && barrier.expected != count)
    return misuse(state, formatv("barrier {0} expects {1} threads here and {2} "
                                 "at an earlier arrival",
                                 id, count, barrier.expected));
  if (barrier.arrived != 0 && barrier.reduction != reduction)
    return misuse(state, formatv("barrier {0} has another bar.red, or none, at "
                                 "an earlier arrival",
                                 id));
  return true;
}

} // namespace

Outcome mlir::mirage::emulator::arriveAtBarrier(ExecutionState &state,
                                                const Instruction &instruction,
                                                unsigned id, uint32_t count,
                                                bool waits, int reduction,
                                                uint32_t resultSlot,
                                                uint32_t votes) {
  Block &block = *state.block;
  Warp &warp = *state.warp;
  if (count == 0)
    count = block.warps.size() * warpSize;
  if (!checkArrival(state, id, count, reduction, block.barriers[id % 16]))
    return Outcome::Stopped;
  Barrier &barrier = block.barriers[id];
  barrier.expected = count;
  barrier.reduction = reduction;
  // A warp that is not full counts as if it were.
  uint32_t present = state.active;
  if (!(barrier.arrivedWarps >> warp.index & 1))
    present |= ~warp.lanes;
  barrier.arrivedWarps |= 1u << warp.index;
  barrier.arrived += llvm::popcount(present);
  barrier.votesAnd &= (votes & state.active) == state.active;
  barrier.votesOr |= (votes & state.active) != 0;
  barrier.votesCount += llvm::popcount(votes & state.active);
  barrier.clock.join(warp.clock.vector);
  warp.clock.tick();
  if (barrier.arrived > barrier.expected) {
    misuse(state, formatv("barrier {0} expects {1} threads, and more have "
                          "arrived",
                          id, barrier.expected));
    return Outcome::Stopped;
  }
  state.currentSplit().pc = state.pc + 1;
  if (waits) {
    // Usually one split; several if the interpreter had parted them.
    for (Split &split : warp.splits)
      if (split.mask & state.active) {
        split.state = Split::State::AtBarrier;
        split.barrier = id;
      }
    barrier.waiters.push_back(
        {warp.index, state.active, resultSlot, reduction != NoReduction});
  }
  bool isComplete = barrier.arrived == barrier.expected;
  if (isComplete)
    complete(state, barrier);
  if (!waits)
    return Outcome::Jumped;
  return isComplete ? Outcome::Jumped : Outcome::Parked;
}

namespace {

/// Bits of Instruction::variant of bar.sync and bar.arrive.
enum : uint16_t { isAligned = 1, isArrive = 2 };

uint32_t uniformValue(const ExecutionState &state, uint32_t slot) {
  return slot == noSlot ? 0 : state.lanes<uint32_t>(slot)[state.firstLane()];
}

Outcome synchronize(ExecutionState &state, const Instruction &instruction) {
  Outcome outcome = Outcome::Next;
  if ((instruction.variant & isAligned) &&
      !requireWholeWarp(state, "an aligned barrier", outcome))
    return outcome;
  uint32_t id = uniformValue(state, instruction.slots[0]);
  uint32_t count = uniformValue(state, instruction.slots[1]);
  bool waits = !(instruction.variant & isArrive);
  return arriveAtBarrier(state, instruction, id, count, waits, NoReduction,
                         noSlot, 0);
}

/// `bar.sync` means `barrier.sync.aligned`.
Handler selectSync(const Form &form, Instruction &instruction) {
  if (form.mnemonic() == "bar" || form.has("aligned"))
    instruction.variant |= isAligned;
  if (form.has("arrive"))
    instruction.variant |= isArrive;
  return synchronize;
}

/// bar.red d, a, p, for the whole block
Outcome reduce(ExecutionState &state, const Instruction &instruction) {
  Outcome outcome = Outcome::Next;
  if (!requireWholeWarp(state, "an aligned barrier", outcome))
    return outcome;
  const uint32_t *slots = instruction.slots;
  bool isCounted = instruction.numSlots == 4;
  uint32_t votes = state.predicate(slots[isCounted ? 3 : 2]);
  uint32_t count = isCounted ? uniformValue(state, slots[2]) : 0;
  return arriveAtBarrier(state, instruction, uniformValue(state, slots[1]),
                         count, true, instruction.variant, slots[0], votes);
}

Handler selectReduce(const Form &form, Instruction &instruction) {
  instruction.variant = form.has("and") ? And : form.has("or") ? Or : Popc;
  return reduce;
}

const Row rows[] = {
    {"bar[.cta].sync", "b32 ?b32", InstructionClass::Barrier, selectSync,
     "cta: any 7.8"},
    {"barrier[.cta].sync[.aligned]", "b32 ?b32", InstructionClass::Barrier,
     selectSync, "any 6.0; cta: any 7.8"},
    {"bar[.cta].arrive", "b32 b32", InstructionClass::Barrier, selectSync,
     "cta: any 7.8"},
    {"barrier[.cta].arrive[.aligned]", "b32 b32", InstructionClass::Barrier,
     selectSync, "any 6.0; cta: any 7.8"},
    {"bar|barrier[.cta].red.and|or[.aligned].pred", "=pred b32 pred",
     InstructionClass::Barrier, selectReduce, "barrier: any 6.0; cta: any 7.8"},
    {"bar|barrier[.cta].red.popc[.aligned].u32", "=b32 b32 pred",
     InstructionClass::Barrier, selectReduce, "barrier: any 6.0; cta: any 7.8"},
    // With a number of threads.
    {"bar%counted|barrier%counted[.cta].red.and|or[.aligned].pred",
     "=pred b32 b32 pred", InstructionClass::Barrier, selectReduce,
     "barrier%counted: any 6.0; cta: any 7.8"},
    {"bar%counted|barrier%counted[.cta].red.popc[.aligned].u32",
     "=b32 b32 b32 pred", InstructionClass::Barrier, selectReduce,
     "barrier%counted: any 6.0; cta: any 7.8"},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::barrierRows() { return rows; }
