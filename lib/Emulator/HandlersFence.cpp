//===- HandlersFence.cpp - Fences, releases, acquires, polling ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"
#include "MemoryAccess.h"

#include "llvm/ADT/Hashing.h"

using namespace mlir::mirage::emulator;
using llvm::ArrayRef;

//===----------------------------------------------------------------------===//
// Releases and acquires through an address
//===----------------------------------------------------------------------===//

/// Records of shared memory belong to the block, of global memory to the
/// launch.
static std::map<uint64_t, SyncRecord> *recordsOf(ExecutionState &state,
                                                 const MemoryAccess &access) {
  if (!state.worker->watchesRaces())
    return nullptr;
  if (access.owner)
    return &access.owner->syncRecords;
  return access.space == Space::Global ? &state.worker->globalSyncRecords
                                       : nullptr;
}

static SyncRecord snapshot(ExecutionState &state, bool blockScope) {
  return {uint32_t(state.block->number), blockScope, state.warp->clock.vector};
}

void mlir::mirage::emulator::synchronizeRead(ExecutionState &state,
                                             const MemoryAccess &access,
                                             unsigned lane, MemoryOrder order) {
  auto *records = recordsOf(state, access);
  if (!records)
    return;
  auto found = records->find(access.address[lane]);
  if (found == records->end())
    return;
  SyncRecord record = found->second;
  record.blockScope |= order.blockScope;
  if (order.acquires())
    state.warp->clock.acquire(record);
  else
    state.warp->see(std::move(record)); // for a fence that follows
}

void mlir::mirage::emulator::synchronizeWrite(ExecutionState &state,
                                              const MemoryAccess &access,
                                              unsigned lane, MemoryOrder order,
                                              bool isReadModifyWrite) {
  auto *records = recordsOf(state, access);
  if (!records)
    return;
  uint64_t address = access.address[lane];
  const SyncRecord *fence = state.warp->released.get();
  if (!order.releases() && !fence) {
    // A plain relaxed store ends what was released there; an atomic goes on.
    if (!isReadModifyWrite)
      records->erase(address);
    return;
  }
  SyncRecord mine =
      order.releases() ? snapshot(state, order.blockScope) : *fence;
  if (!order.releases())
    mine.blockScope |= order.blockScope;
  auto [entry, isNew] = records->try_emplace(address, mine);
  if (isNew)
    return;
  if (!isReadModifyWrite) {
    entry->second = mine;
    return;
  }
  // A release sequence: whoever acquires this also acquires what was there.
  SyncRecord &record = entry->second;
  if (record.block == mine.block) {
    record.clock.join(mine.clock);
    record.blockScope &= mine.blockScope;
    return;
  }
  if (!record.blockScope) {
    mine.clock.foreign[record.block].join(record.clock.own);
    for (const auto &[block, clocks] : record.clock.foreign)
      if (block != mine.block)
        mine.clock.foreign[block].join(clocks);
      else
        mine.clock.own.join(clocks);
  }
  record = std::move(mine);
}

//===----------------------------------------------------------------------===//
// Polling
//===----------------------------------------------------------------------===//

uint64_t mlir::mirage::emulator::hashPlaces(unsigned bytes,
                                            ArrayRef<const uint8_t *> places) {
  uint64_t hash = 0xcbf29ce484222325ull; // FNV-1a
  for (const uint8_t *place : places)
    for (unsigned i = 0; i < bytes; ++i)
      hash = (hash ^ place[i]) * 0x100000001b3ull;
  return hash;
}

Outcome mlir::mirage::emulator::notePolling(ExecutionState &state,
                                            unsigned bytes, uint64_t hash,
                                            ArrayRef<const uint8_t *> places) {
  constexpr unsigned turnsBeforeWaiting = 16;
  Split &split = state.currentSplit();
  if (split.pollPc != state.pc || split.pollHash != hash) {
    split.pollPc = state.pc;
    split.pollHash = hash;
    split.pollCount = 0;
  }
  if (++split.pollCount < turnsBeforeWaiting || places.empty())
    return Outcome::Next;
  split.pollCount = 0;
  split.pollBytes = bytes;
  split.polled.assign(places.begin(), places.end());
  split.state = Split::State::Polling;
  split.pc = state.pc + 1; // it has read; the loop comes back by itself
  return Outcome::Parked;
}

void mlir::mirage::emulator::noteProgress(ExecutionState &state) {
  Split &split = state.currentSplit();
  split.pollCount = 0;
  split.pollPc = noPc;
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

/// What this warp has seen so far goes out with its next relaxed write, and
/// what its relaxed reads have met comes in.
void mlir::mirage::emulator::executeFence(ExecutionState &state,
                                          MemoryOrder order) {
  Warp &warp = *state.warp;
  if (order.acquires()) {
    for (SyncRecord &record : warp.seen) {
      record.blockScope |= order.blockScope;
      warp.clock.acquire(record);
    }
    warp.seen.clear();
  }
  if (order.releases()) {
    warp.released =
        std::make_unique<SyncRecord>(snapshot(state, order.blockScope));
    warp.clock.tick();
  }
}

namespace {

Outcome fence(ExecutionState &state, const Instruction &instruction) {
  if (state.worker->watchesRaces())
    executeFence(state, MemoryOrder::unpack(instruction.variant));
  return Outcome::Next;
}

Handler selectFence(const Form &form, Instruction &instruction) {
  MemoryOrder order = orderOf(form);
  if (order.ordering == Ordering::Weak) // membar
    order.ordering = Ordering::AcqRel;
  instruction.variant = order.pack();
  return fence;
}

const Row rows[] = {
    {"fence.acquire|release|acq_rel|sc.cta|cluster|gpu|sys", "",
     InstructionClass::Fence, selectFence, "sm_70 6.0"},
    // Of operations on some shared memory alone; taken for all.
    {"fence.acquire.sync_restrict::shared::cluster.cluster", "",
     InstructionClass::Fence, selectFence, "sm_90 8.6"},
    {"fence.release.sync_restrict::shared::cta.cluster", "",
     InstructionClass::Fence, selectFence, "sm_90 8.6"},
    {"membar.cta|gl|sys", "", InstructionClass::Fence, selectFence},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::fenceRows() { return rows; }
