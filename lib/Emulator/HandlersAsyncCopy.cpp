//===- HandlersAsyncCopy.cpp - cp.async -----------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"
#include "MemoryAccess.h"

using namespace mlir::mirage::emulator;

void mlir::mirage::emulator::deliverCopies(
    Warp &warp, uint32_t lanes, const AsyncGroups::Numbers &upToGroup) {
  auto isDue = [&](const PendingCopy &copy) {
    return (lanes >> copy.lane & 1) && copy.group <= upToGroup[copy.lane];
  };
  for (const PendingCopy &copy : warp.copies)
    if (isDue(copy)) {
      if (copy.sourceBytes == 16) {
        std::memcpy(copy.destination, copy.source, 16);
        continue;
      }
      if (copy.sourceBytes)
        std::memcpy(copy.destination, copy.source, copy.sourceBytes);
      std::memset(copy.destination + copy.sourceBytes, 0,
                  copy.sizeBytes - copy.sourceBytes);
    }
  warp.copies.erase(
      std::remove_if(warp.copies.begin(), warp.copies.end(), isDue),
      warp.copies.end());
}

namespace {

void setSources(const MemoryAccess &access,
                std::array<PendingCopy, warpSize> &copies) {
  for (uint32_t rest = access.mask; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    copies[lane].source = access.host(lane);
  }
}

/// cp.async [shared], [global], size[, source size]: copies of each lane, which
/// count as done when the lane's group has been waited for.
Outcome copyAsync(ExecutionState &state, const Instruction &instruction) {
  const uint32_t *slots = instruction.slots;
  Warp &warp = *state.warp;
  unsigned bytes = state.lanes<uint32_t>(slots[2])[state.firstLane()];
  if (bytes != 4 && bytes != 8 && bytes != 16) {
    state.report(FindingKind::Misaligned, state.firstLane(), [&] {
      return "expected a cp.async of 4, 8 or 16 bytes, found " +
             std::to_string(bytes);
    });
    return Outcome::Next;
  }
  if (slots[3] != noSlot)
    for (uint32_t rest = state.active; rest; rest &= rest - 1) {
      unsigned lane = llvm::countr_zero(rest);
      uint32_t size = state.lanes<uint32_t>(slots[3])[lane];
      if (size > bytes) {
        state.report(FindingKind::CopyMisuse, lane, [&] {
          return "expected at most the " + std::to_string(bytes) +
                 " bytes of a cp.async to be copied, found " +
                 std::to_string(size);
        });
        break;
      }
    }
  const unsigned agent = agents::copies + warp.index;
  const uint32_t stretch = warp.asyncGroups.add(
      state.active, warp.clock.known(state.block->number, agent));
  std::array<PendingCopy, warpSize> copies;
  std::array<Epoch, warpSize> epochs;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    copies[lane].group = warp.asyncGroups.openGroup(lane);
    copies[lane].lane = lane;
    copies[lane].sizeBytes = copies[lane].sourceBytes = bytes;
    if (slots[3] != noSlot)
      copies[lane].sourceBytes =
          std::min(state.lanes<uint32_t>(slots[3])[lane], bytes);
    epochs[lane] = Epoch(state.block->number, agent, lane, stretch);
  }
  AccessRequest source;
  source.operand = 1;
  source.slot = slots[1];
  source.space = Space::Global;
  source.bytes = bytes;
  source.kind = AccessKind::Read;
  source.epochs = &epochs;
  // Lanes go together that read as many bytes. What is not copied is not
  // touched, and may lie behind the end of a buffer.
  ExecutionState reading = state;
  uint32_t readable = 0;
  for (uint32_t rest = state.active; rest; rest &= ~reading.active) {
    const unsigned size = copies[llvm::countr_zero(rest)].sourceBytes;
    reading.active = 0;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      if (copies[lane].sourceBytes == size)
        reading.active |= rest & 1u << lane;
    source.touchedBytes = size;
    source.unusedBytes = ((1u << bytes) - 1) & ~((1u << size) - 1);
    readable |= size == 0 ? reading.active
                          : accessMemory(reading, instruction, source,
                                         [&](const MemoryAccess &access) {
                                           setSources(access, copies);
                                         });
  }
  ExecutionState writing = state;
  writing.active = readable;
  AccessRequest destination;
  destination.slot = slots[0];
  destination.space = Space::Shared;
  destination.bytes = bytes;
  destination.kind = AccessKind::Write;
  destination.epochs = &epochs;
  uint32_t served = 0;
  if (readable)
    served = accessMemory(
        writing, instruction, destination, [&](const MemoryAccess &access) {
          for (uint32_t rest = access.mask; rest; rest &= rest - 1) {
            unsigned lane = llvm::countr_zero(rest);
            copies[lane].destination = access.host(lane);
          }
        });
  for (uint32_t rest = served; rest; rest &= rest - 1)
    warp.copies.push_back(copies[llvm::countr_zero(rest)]);
  if (state.worker->launch.config.asyncDelivery == AsyncDelivery::AtOnce) {
    AsyncGroups::Numbers all;
    all.fill(~0u);
    deliverCopies(warp, allLanes, all);
  }
  return Outcome::Next;
}

/// Variables named as addresses are in the space of their operand: neither is a
/// generic address.
Handler selectCopy(const Form &form, Instruction &instruction) {
  instruction.space = spaceOf(form);
  return copyAsync;
}

Outcome commitGroup(ExecutionState &state, const Instruction &) {
  state.warp->asyncGroups.commit(state.active);
  return Outcome::Next;
}

/// All but the youngest `pending` groups of the active lanes are done.
void waitForGroups(ExecutionState &state, uint32_t pending) {
  Warp &warp = *state.warp;
  warp.asyncGroups.wait(state.active, pending);
  deliverCopies(warp, state.active, warp.asyncGroups.waitedGroups());
  warp.clock.raise(state.block->number, agents::copies + warp.index,
                   warp.asyncGroups.findDone());
}

Outcome waitGroup(ExecutionState &state, const Instruction &instruction) {
  waitForGroups(state,
                state.lanes<uint32_t>(instruction.slots[0])[state.firstLane()]);
  return Outcome::Next;
}

/// wait_all also waits for copies that no group holds yet: it closes one.
Outcome waitAll(ExecutionState &state, const Instruction &instruction) {
  commitGroup(state, instruction);
  waitForGroups(state, 0);
  return Outcome::Next;
}

Handler selectWait(const Form &form, Instruction &) {
  if (form.has("commit_group"))
    return commitGroup;
  return form.has("wait_all") ? waitAll : waitGroup;
}

const Row rows[] = {
    {"cp.async.ca|cg.shared|shared::cta.global"
     "[.L2::64B|L2::128B|L2::256B]",
     "m m #b32 ?b32", InstructionClass::AsyncCopy, selectCopy, "sm_80 7.0"},
    {"cp.async.commit_group", "", InstructionClass::AsyncCopy, selectWait,
     "sm_80 7.0"},
    {"cp.async.wait_group", "#b32", InstructionClass::AsyncCopy, selectWait,
     "sm_80 7.0"},
    {"cp.async.wait_all", "", InstructionClass::AsyncCopy, selectWait,
     "sm_80 7.0"},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::asyncCopyRows() { return rows; }
