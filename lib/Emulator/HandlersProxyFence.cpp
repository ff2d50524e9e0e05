//===- HandlersProxyFence.cpp - fence.proxy and fence.mbarrier_init -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"
#include "MemoryAccess.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage::emulator;

namespace {

/// Variant: what is fenced, as FenceTarget's bits.
Outcome fence(ExecutionState &state, const Instruction &instruction) {
  if (!state.worker->watchesRaces())
    return Outcome::Next;
  Warp &warp = *state.warp;
  uint32_t copies =
      warp.clock.known(state.block->number, agents::copies + warp.index);
  uint32_t number = state.worker->proxyFences.add(
      state.block->number, warp.index, state.active, warp.lanes,
      warp.clock.clock(), copies, instruction.variant);
  warp.clock.raiseFences(warp.index, number);
  warp.clock.tick(); // it covers nothing that comes behind it
  return Outcome::Next;
}

Handler selectProxy(const Form &form, Instruction &instruction) {
  if (form.has("alias"))
    instruction.variant = 0;
  else if (form.has("global"))
    instruction.variant = fencesGlobal;
  else if (form.has("shared::cta") || form.has("shared::cluster"))
    instruction.variant = fencesShared;
  else
    instruction.variant = fencesShared | fencesGlobal;
  return fence;
}

/// From now on the initialisation of an mbarrier counts as the init agent's
/// doing, which others may hear of alone.
void publish(ExecutionState &state, MBarrier &barrier, Epoch when) {
  barrier.published = when;
  const uint64_t begin = barrier.address;
  ShadowAccess access;
  access.laneSets = &state.worker->laneSets;
  access.clock = &state.warp->clock;
  ShadowEntry init(AccessKind::Write, barrier.initPc, /*step=*/0);
  init.epoch = when;
  init.setMask(
      bytesInGranule(begin / granuleBytes, begin, begin + MBarriers::bytes));
  state.block->sharedShadow.record(begin / granuleBytes, access, init);
}

/// A release at the scope of the cluster of what the active lanes initialised,
/// and nothing else: with the next relaxed write, or arrival at a barrier.
Outcome fenceInit(ExecutionState &state, const Instruction &instruction) {
  if (!state.worker->watchesRaces())
    return Outcome::Next;
  Warp &warp = *state.warp;
  const unsigned agent = agents::inits + warp.index;
  const Epoch now = warp.clock.epoch(0).withAgent(agent);
  warp.clock.raise(now.block(), agent, now.clock());
  for (const std::unique_ptr<MBarrier> &barrier :
       state.block->mbarriers.all()) {
    Epoch by = barrier->published;
    if (by.isOfAgent(warp.clock.epoch(0)) && (state.active >> by.lane() & 1))
      publish(state, *barrier, now.withLane(by.lane()));
  }
  fence(state, instruction);
  // What an earlier fence releases stays; one of the block's scope would have
  // to be kept apart, and goes on to the cluster.
  if (!warp.released)
    warp.released = std::make_unique<SyncRecord>();
  SyncRecord &record = *warp.released;
  record.block = now.block();
  record.blockScope = false;
  record.clock.own.raise(agent, now.clock());
  record.clock.own.raiseFences(warp.index,
                               warp.clock.countFences(now.block(), warp.index));
  return Outcome::Next;
}
Handler selectInit(const Form &, Instruction &instruction) {
  instruction.variant = fencesMBarrierInit;
  return fenceInit;
}

/// Notes that the active lanes acquire tensor maps as they are now. Slots:
/// address, 128.
void acquireMaps(ExecutionState &state, const Instruction &instruction) {
  std::array<uint64_t, warpSize> maps;
  computeAddresses(state, instruction, 0, instruction.slots[0], maps);
  Warp &warp = *state.warp;
  warp.clock.tick(); // what it did before is earlier than the fence
  for (uint32_t rest = state.active; rest; rest &= rest - 1) {
    uint64_t address = maps[llvm::countr_zero(rest)];
    auto known = llvm::find_if(warp.acquiredMaps, [&](const AcquiredMap &map) {
      return map.address == address;
    });
    if (known == warp.acquiredMaps.end())
      warp.acquiredMaps.push_back({address, warp.clock});
    else
      known->clock = warp.clock;
  }
  warp.clock.tick(); // what the warp writes next is not acquired
}

/// Of tensor maps in global memory: a release is a fence like the others, an
/// acquire names the map. Variant: the memory order.
Outcome fenceMaps(ExecutionState &state, const Instruction &instruction) {
  if (!state.worker->watchesRaces())
    return Outcome::Next;
  MemoryOrder order = MemoryOrder::unpack(instruction.variant);
  if (order.releases()) {
    Instruction released = instruction;
    released.variant = fencesTensorMap;
    fence(state, released);
  }
  executeFence(state, order);
  if (order.acquires())
    acquireMaps(state, instruction);
  return Outcome::Next;
}
Handler selectMaps(const Form &form, Instruction &instruction) {
  instruction.space = Space::Generic;
  instruction.variant = orderOf(form).pack();
  return fenceMaps;
}

const Row rows[] = {
    {"fence.proxy.alias", "", InstructionClass::Fence, selectProxy,
     "sm_70 7.5"},
    {"fence.proxy.async[.global|shared::cta|shared::cluster]", "",
     InstructionClass::Fence, selectProxy, "sm_90 8.0"},
    {"fence.proxy.tensormap::generic.release.cta|cluster|gpu|sys", "",
     InstructionClass::Fence, selectMaps, "sm_90 8.3"},
    {"fence.proxy.tensormap::generic.acquire.cta|cluster|gpu|sys", "m b32",
     InstructionClass::Fence, selectMaps, "sm_90 8.3"},
    {"fence.mbarrier_init.release.cluster", "", InstructionClass::Fence,
     selectInit, "sm_90 8.0"},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::proxyFenceRows() { return rows; }
