//===- MBarrierPhases.cpp - How mbarriers go from phase to phase ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MBarrierPhases.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir::mirage::emulator;
using llvm::formatv;

template <typename... Values>
static void misuse(ExecutionState &state, unsigned lane, const char *format,
                   const Values &...values) {
  state.report(FindingKind::MBarrierMisuse, lane,
               [&]() -> std::string { return formatv(format, values...); });
}

MBarrier *mlir::mirage::emulator::findMBarrier(ExecutionState &state,
                                               unsigned lane, Block &owner,
                                               uint32_t address) {
  MBarrier *barrier = owner.mbarriers.find(address);
  if (barrier)
    return barrier;
  if (const MBarrier *near = owner.mbarriers.findOverlap(
          address, uint64_t(address) + MBarriers::bytes))
    misuse(state, lane,
           "expected an mbarrier at shared address {0}, found a "
           "part of the one at {1}",
           address, near->address);
  else
    misuse(state, lane,
           "expected an mbarrier at shared address {0}, where none "
           "was initialised",
           address);
  return nullptr;
}

void mlir::mirage::emulator::leaveWait(Warp &warp, const Block &owner,
                                       MBarrier &barrier, bool acquires) {
  barrier.lastSeen = barrier.phasesBefore + barrier.completed;
  if (acquires)
    return warp.clock.acquire(barrier.released);
  SyncRecord record;
  record.block = owner.number;
  for (const auto &[block, clocks] : barrier.released)
    (block == owner.number ? record.clock.own : record.clock.foreign[block])
        .join(clocks);
  warp.see(std::move(record));
}

/// Whoever waits for the phase that is complete goes on behind its wait.
static void wake(const Block &owner, MBarrier &barrier) {
  for (const MBarrier::Waiter &waiter : barrier.waiters) {
    Warp &warp = *waiter.warp;
    leaveWait(warp, owner, barrier, waiter.acquires);
    for (Split &split : warp.splits)
      if (split.state == Split::State::AtMBarrier &&
          split.mbarrier == barrier.address && split.mask == waiter.splitMask) {
        split.state = Split::State::Runnable;
        ++split.pc;
      }
    if (waiter.resultSlot != noSlot)
      *reinterpret_cast<uint32_t *>(warp.registers + waiter.resultSlot) |=
          waiter.lanes;
  }
  barrier.waiters.clear();
}

/// Begins the next phase if nothing of this one is missing.
static void completeIfDone(ExecutionState &state, unsigned lane, Block &owner,
                           MBarrier &barrier) {
  if (barrier.pending != 0)
    return;
  if (barrier.bytes < 0) {
    misuse(state, lane,
           "the phase of the mbarrier at shared address {0} ends "
           "with {1} bytes more than were announced",
           barrier.address, -barrier.bytes);
    barrier.bytes = 0;
  }
  if (barrier.bytes != 0)
    return;
  barrier.arriving[owner.number].raise(barrier.agent, barrier.phaseClock());
  ++barrier.completed;
  barrier.pending = barrier.expected;
  barrier.released = std::move(barrier.arriving);
  barrier.arriving.clear();
  ++state.worker->counters.mbarrierPhases;
  wake(owner, barrier);
}

void mlir::mirage::emulator::arrive(ExecutionState &state, unsigned lane,
                                    Block &owner, MBarrier &barrier,
                                    uint32_t count, bool isDrop) {
  if (count > barrier.pending) {
    misuse(state, lane,
           "{0} arrivals at the mbarrier at shared address {1}, "
           "which misses {2} of {3} in this phase",
           count, barrier.address, barrier.pending, barrier.expected);
    return;
  }
  barrier.pending -= count;
  if (isDrop)
    barrier.expected -= std::min(count, barrier.expected);
  completeIfDone(state, lane, owner, barrier);
}

void mlir::mirage::emulator::countBytes(ExecutionState &state, unsigned lane,
                                        Block &owner, MBarrier &barrier,
                                        int64_t announced) {
  // While announced bytes are missing the phase does not end, and before them
  // nobody arrives.
  constexpr int64_t most = (1 << 20) - 1; // PTX ISA, "tx-count"
  barrier.bytes += announced;
  if (barrier.bytes > most || barrier.bytes < -most)
    misuse(state, lane,
           "the mbarrier at shared address {0} counts {1} bytes, "
           "expected at most 2^20 - 1 at a time",
           barrier.address, barrier.bytes);
  completeIfDone(state, lane, owner, barrier);
}

void mlir::mirage::emulator::deliverCopies(ExecutionState &state, Block &owner,
                                           MBarrier &barrier) {
  // Counting may begin the next phase; what waits belongs to this one.
  std::vector<BulkCopy> copies = std::move(barrier.copies);
  barrier.copies.clear();
  for (const BulkCopy &copy : copies) {
    copy.carryOut();
    countBytes(state, state.firstLane(), owner, barrier,
               -int64_t(copy.countedBytes));
  }
}

void mlir::mirage::emulator::startCopy(ExecutionState &state, unsigned lane,
                                       BulkCopy copy) {
  Block &owner = *copy.signalled;
  MBarrier *barrier = owner.mbarriers.find(copy.mbarrier);
  if (!barrier)
    return;
  barrier->lastCopied = barrier->phaseClock();
  if (!barrier->waiters.empty() || state.worker->arrivesAtOnce()) {
    copy.carryOut();
    countBytes(state, lane, owner, *barrier, -int64_t(copy.countedBytes));
    return;
  }
  barrier->copies.push_back(std::move(copy));
}
