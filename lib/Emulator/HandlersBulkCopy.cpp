//===- HandlersBulkCopy.cpp - cp.async.bulk, cp.reduce.async.bulk ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BulkReduction.h"
#include "CopyIssue.h"
#include "Handlers.h"

using namespace mlir::mirage::emulator;

namespace {

/// Bits of Instruction::variant.
enum : uint16_t {
  fromGlobal = 1, ///< else from shared memory, to that of another block
  isMulticast = 2,
  onlyOwn = 4,        ///< `.shared::cta` is the destination
  reductionShift = 8, ///< above it: what findReduction says
};

/// The addresses of one operand.
struct Addresses {
  std::array<uint64_t, warpSize> at;
  Addresses(const ExecutionState &state, const Instruction &instruction,
            unsigned operand, unsigned slot) {
    computeAddresses(state, instruction, operand, instruction.slots[slot], at);
  }
};

/// What holds of all copies of plain bytes.
bool checkCopy(CopyIssue &issue, uint64_t to, uint64_t from, uint32_t bytes) {
  if (bytes % 16 == 0)
    return issue.isAligned(to, 16, "the destination") &&
           issue.isAligned(from, 16, "the source");
  issue.report(FindingKind::CopyMisuse,
               "expected a bulk copy of a multiple of 16 bytes, found {0}",
               bytes);
  return false;
}

/// What a copy does at its destination: a reduction updates each element
/// atomically.
AccessKind destinationKind(uint16_t variant) {
  return variant >> reductionShift ? AccessKind::Atomic : AccessKind::Write;
}

BulkCopy makeCopy(const MemoryRange &to, const MemoryRange &from,
                  uint16_t variant) {
  BulkCopy copy;
  copy.combine = getCombine(variant >> reductionShift);
  copy.pieces.push_back({to.host(), from.host(), uint32_t(to.bytes)});
  return copy;
}

/// Into shared memory of this block or another, completing on an mbarrier
/// there. Slots: destination, source, size, mbarrier, then the blocks of a
/// multicast.
class CopyToShared {
public:
  CopyToShared(ExecutionState &state, const Instruction &instruction)
      : state(state), instruction(instruction), to(state, instruction, 0, 0),
        from(state, instruction, 1, 1), signals(state, instruction, 2, 3) {}

  Outcome run() {
    for (uint32_t rest = state.active; rest; rest &= rest - 1)
      copy(llvm::countr_zero(rest));
    noteProgress(state);
    return Outcome::Next;
  }

private:
  void copy(unsigned lane) {
    CopyIssue issue(state, lane);
    uint32_t bytes = state.lanes<uint32_t>(instruction.slots[2])[lane];
    if (!checkCopy(issue, to.at[lane], from.at[lane], bytes))
      return;
    std::optional<MemoryRange> source =
        instruction.variant & fromGlobal
            ? issue.findGlobal(from.at[lane], bytes, false)
            : issue.findShared(from.at[lane], bytes, false, false);
    if (!source)
      return;
    bool mayBeRemote = !(instruction.variant & onlyOwn);
    forEachDestination(issue, to.at[lane], signals.at[lane], mayBeRemote,
                       instruction.variant & isMulticast
                           ? &state.lanes<uint16_t>(instruction.slots[4])[lane]
                           : nullptr,
                       [&](uint64_t address, Block &owner, uint32_t signal) {
                         start(issue, *source, address, owner, signal);
                       });
  }

  void start(CopyIssue &issue, const MemoryRange &source, uint64_t address,
             Block &owner, uint32_t signal) {
    auto destination = issue.findShared(address, source.bytes, true, true);
    if (!destination)
      return;
    std::optional<Epoch> done = issue.findSignal(owner, signal);
    if (!done)
      return;
    issue.watch(source, AccessKind::Read, *done);
    issue.watch(*destination, destinationKind(instruction.variant), *done);
    if (source.owner && source.owner != &owner && state.worker->watchesRaces())
      source.owner->remoteAccesses[{done->block(), done->agent()}] = {
          *done, state.pc, /*isCopy=*/true};
    issue.start(makeCopy(*destination, source, instruction.variant), owner,
                signal, source.bytes);
  }

  ExecutionState &state;
  const Instruction &instruction;
  Addresses to, from, signals;
};

Outcome copyToShared(ExecutionState &state, const Instruction &instruction) {
  return CopyToShared(state, instruction).run();
}

/// Out of shared memory, in a bulk group. Slots: destination, source, size.
Outcome copyToGlobal(ExecutionState &state, const Instruction &instruction) {
  Addresses to(state, instruction, 0, 0), from(state, instruction, 1, 1);
  for (uint32_t rest = state.active; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    CopyIssue issue(state, lane);
    uint32_t bytes = state.lanes<uint32_t>(instruction.slots[2])[lane];
    if (!checkCopy(issue, to.at[lane], from.at[lane], bytes))
      continue;
    auto source = issue.findShared(from.at[lane], bytes, false, false);
    auto destination = issue.findGlobal(to.at[lane], bytes, true);
    if (!source || !destination)
      continue;
    issue.watch(*source, AccessKind::Read, issue.readEpoch());
    issue.watch(*destination, destinationKind(instruction.variant),
                issue.writeEpoch());
    issue.startInGroup(makeCopy(*destination, *source, instruction.variant));
  }
  noteProgress(state);
  return Outcome::Next;
}

Handler selectCopy(const Form &form, Instruction &instruction) {
  instruction.space =
      Space::Shared; // variables in brackets are no generic ones
  const uint16_t reduction = findReduction(form) << reductionShift;
  if (form.has("bulk_group")) {
    instruction.variant = reduction;
    // Blocks that add to one place do so in turn.
    instruction.communicates = reduction != 0;
    return copyToGlobal;
  }
  instruction.variant = reduction |
                        (form.pieces[4] == "global" ? fromGlobal : 0) |
                        (form.has("multicast::cluster") ? isMulticast : 0) |
                        (form.pieces[3] == "shared::cta" ? onlyOwn : 0);
  return copyToShared;
}

/// Bytes that may be fetched: an address that is checked, and no more.
Outcome prefetch(ExecutionState &state, const Instruction &instruction) {
  Addresses from(state, instruction, 0, 0);
  for (uint32_t rest = state.active; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    CopyIssue issue(state, lane);
    uint32_t bytes = state.lanes<uint32_t>(instruction.slots[1])[lane];
    if (checkCopy(issue, 0, from.at[lane], bytes))
      issue.findGlobal(from.at[lane], bytes, false);
  }
  return Outcome::Next;
}
Handler selectPrefetch(const Form &, Instruction &) { return prefetch; }

Outcome commit(ExecutionState &state, const Instruction &) {
  commitBulkGroups(state);
  return Outcome::Next;
}
Outcome wait(ExecutionState &state, const Instruction &instruction) {
  const uint32_t *pending = state.lanes<uint32_t>(instruction.slots[0]);
  for (uint32_t rest = state.active; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    waitForBulkGroups(state, lane, pending[lane], instruction.variant);
  }
  return Outcome::Next;
}
Handler selectGroup(const Form &form, Instruction &instruction) {
  instruction.variant = form.has("read");
  return form.has("commit_group") ? commit : wait;
}

#define MIRAGE_COMPLETES "mbarrier::complete_tx::bytes"
#define MIRAGE_REDUCES                                                         \
  "cp.reduce.async.bulk.global.shared::cta.bulk_group[.L2::cache_hint]"
#define MIRAGE_REDUCES_AT_PEER                                                 \
  "cp.reduce.async.bulk.shared::cluster.shared::cta." MIRAGE_COMPLETES

const Row rows[] = {
    {"cp.async.bulk.shared::cluster|shared::cta.global." MIRAGE_COMPLETES,
     "m m b32 m", InstructionClass::AsyncCopy, selectCopy,
     "sm_90 8.0; shared::cta: any 8.6"},
    {"cp.async.bulk.shared::cluster|shared::cta.global." MIRAGE_COMPLETES
     ".L2::cache_hint",
     "m m b32 m b64", InstructionClass::AsyncCopy, selectCopy,
     "sm_90 8.0; shared::cta: any 8.6"},
    {"cp.async.bulk.shared::cluster.global." MIRAGE_COMPLETES
     ".multicast::cluster[.L2::cache_hint]",
     "m m b32 m b16 ?b64", InstructionClass::AsyncCopy, selectCopy,
     "sm_90 8.0"},
    {"cp.async.bulk.shared::cluster.shared::cta." MIRAGE_COMPLETES, "m m b32 m",
     InstructionClass::AsyncCopy, selectCopy, "sm_90 8.0"},
    {"cp.async.bulk.global.shared::cta.bulk_group[.L2::cache_hint]",
     "m m b32 ?b64", InstructionClass::AsyncCopy, selectCopy, "sm_90 8.0"},
    {MIRAGE_REDUCES ".add.u32|s32|u64|f32|f64", "m m b32 ?b64",
     InstructionClass::AsyncCopy, selectCopy, "sm_90 8.0"},
    {MIRAGE_REDUCES ".add.noftz.f16|bf16", "m m b32 ?b64",
     InstructionClass::AsyncCopy, selectCopy, "sm_90 8.0"},
    {MIRAGE_REDUCES ".min|max.u32|s32|u64|s64|f16|bf16", "m m b32 ?b64",
     InstructionClass::AsyncCopy, selectCopy, "sm_90 8.0"},
    {MIRAGE_REDUCES ".inc|dec.u32", "m m b32 ?b64", InstructionClass::AsyncCopy,
     selectCopy, "sm_90 8.0"},
    {MIRAGE_REDUCES ".and|or|xor.b32|b64", "m m b32 ?b64",
     InstructionClass::AsyncCopy, selectCopy, "sm_90 8.0"},
    {MIRAGE_REDUCES_AT_PEER ".add.u32|s32|u64", "m m b32 m",
     InstructionClass::AsyncCopy, selectCopy, "sm_90 8.0"},
    {MIRAGE_REDUCES_AT_PEER ".min|max.u32|s32", "m m b32 m",
     InstructionClass::AsyncCopy, selectCopy, "sm_90 8.0"},
    {MIRAGE_REDUCES_AT_PEER ".inc|dec.u32", "m m b32 m",
     InstructionClass::AsyncCopy, selectCopy, "sm_90 8.0"},
    {MIRAGE_REDUCES_AT_PEER ".and|or|xor.b32", "m m b32 m",
     InstructionClass::AsyncCopy, selectCopy, "sm_90 8.0"},
    {"cp.async.bulk.prefetch.L2.global[.L2::cache_hint]", "m b32 ?b64",
     InstructionClass::AsyncCopy, selectPrefetch, "sm_90 8.0"},
    {"cp.async.bulk.commit_group", "", InstructionClass::AsyncCopy, selectGroup,
     "sm_90 8.0"},
    {"cp.async.bulk.wait_group[.read]", "#b32", InstructionClass::AsyncCopy,
     selectGroup, "sm_90 8.0"},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::bulkCopyRows() { return rows; }
