//===- HandlersMBarrier.cpp - mbarrier ------------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations on mbarriers are of the generic proxy and atomic among themselves;
// init and inval are not, and race with all others that nothing orders.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"
#include "MBarrierPhases.h"
#include "MemoryAccess.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir::mirage::emulator;
using llvm::formatv;

namespace {

/// Bits of Instruction::variant.
enum : uint16_t {
  isRelaxed = 1,
  isBlockScope = 2, ///< `.cta` is written
  isDrop = 4,
  isExpect = 8, ///< the second operand are bytes
  isTest = 16,  ///< test_wait, which does not suspend
  isParity = 32,
  mayNotComplete = 64, ///< .noComplete: it must not be the last
  hasOwnCount = 128,   ///< cp.async.mbarrier.arrive without .noinc
};

/// Which mbarriers an instruction is about, and what it does with them.
struct MBarrierOperand {
  uint32_t slot = 0; ///< of the address
  AccessKind kind = AccessKind::Atomic;
  bool mayBeRemote = false; ///< of another block of the cluster
};

/// Says why there can be no mbarrier for this instruction. \returns false after
/// a report.
bool checkPlace(const ExecutionState &state, const MemoryAccess &access,
                bool mayBeRemote) {
  const char *found = !access.owner ? "an address of another space"
                      : mayBeRemote || access.owner == state.block
                          ? nullptr
                          : "one of another block of the cluster";
  if (!found)
    return true;
  state.report(FindingKind::MBarrierMisuse, llvm::countr_zero(access.mask),
               [&]() -> std::string {
                 return formatv("expected an mbarrier in shared memory{0}, "
                                "found {1}",
                                mayBeRemote ? "" : " of the block", found);
               });
  return false;
}

/// Visits the lanes whose mbarriers can be accessed: `visit(lane, block,
/// address)`.
template <typename Visitor>
void forEachLane(ExecutionState &state, const Instruction &instruction,
                 const MBarrierOperand &operand, Visitor visit) {
  AccessRequest request;
  request.slot = operand.slot;
  request.space = instruction.space;
  request.bytes = MBarriers::bytes;
  request.kind = operand.kind;
  request.isMBarrier = true;
  accessMemory(state, instruction, request, [&](const MemoryAccess &access) {
    if (!checkPlace(state, access, operand.mayBeRemote))
      return;
    for (uint32_t rest = access.mask; rest; rest &= rest - 1) {
      unsigned lane = llvm::countr_zero(rest);
      visit(lane, *access.owner, uint32_t(access.address[lane]));
    }
  });
}

Outcome init(ExecutionState &state, const Instruction &instruction) {
  const uint32_t *counts = state.lanes<uint32_t>(instruction.slots[1]);
  constexpr uint32_t most = (1 << 20) - 1;
  auto report = [&](unsigned lane, std::string message) {
    state.report(FindingKind::MBarrierMisuse, lane,
                 [&] { return std::move(message); });
  };
  bool isTooMany = false;
  forEachLane(
      state, instruction, {instruction.slots[0], AccessKind::Write},
      [&](unsigned lane, Block &owner, uint32_t address) {
        if (const MBarrier *other = owner.mbarriers.findOverlap(
                address, uint64_t(address) + MBarriers::bytes))
          return report(lane, formatv("the mbarrier at shared address {0} is "
                                      "initialised again, and was not made "
                                      "invalid (mbarrier.inval)",
                                      other->address));
        if (counts[lane] == 0 || counts[lane] > most)
          return report(lane, formatv("expected 1 to 2^20 - 1 arrivals, found "
                                      "{0}",
                                      counts[lane]));
        isTooMany |= !owner.mbarriers.init(
            address, counts[lane], state.warp->clock.epoch(lane), state.pc);
      });
  if (isTooMany)
    return state.refuse(formatv("mbarriers at more than {0} places of a block",
                                agents::maxMBarriers));
  noteProgress(state);
  return Outcome::Next;
}

/// What goes on at an mbarrier and would be lost with it; empty: nothing. That
/// copies are done is only known to who has seen their phase complete.
std::string describeUse(const ExecutionState &state, const Block &owner,
                        const MBarrier &barrier) {
  if (!barrier.waiters.empty())
    return formatv("while warp {0} waits for it",
                   barrier.waiters.front().warp->index);
  if (barrier.bytes != 0)
    return formatv("while {0} bytes are missing in its phase", barrier.bytes);
  if (state.worker->watchesRaces() &&
      barrier.lastCopied > state.warp->clock.known(owner.number, barrier.agent))
    return "by a warp that does not know that the phase of a copy to it is "
           "complete";
  return "";
}

Outcome invalidate(ExecutionState &state, const Instruction &instruction) {
  forEachLane(state, instruction, {instruction.slots[0], AccessKind::Write},
              [&](unsigned lane, Block &owner, uint32_t address) {
                MBarrier *barrier = findMBarrier(state, lane, owner, address);
                if (!barrier)
                  return;
                std::string use = describeUse(state, owner, *barrier);
                if (!use.empty())
                  state.report(FindingKind::MBarrierMisuse, lane, [&] {
                    return formatv("the mbarrier at shared address {0} is made "
                                   "invalid {1}",
                                   address, use)
                        .str();
                  });
                deliverCopies(state, owner, *barrier);
                owner.mbarriers.invalidate(address);
              });
  return Outcome::Next;
}
Handler selectLife(const Form &form, Instruction &instruction) {
  instruction.space = spaceOf(form);
  return form.has("init") ? init : invalidate;
}

uint16_t variantOf(const Form &form) {
  return (form.has("relaxed") ? isRelaxed : 0) |
         (form.has("cta") ? isBlockScope : 0) |
         (form.has("arrive_drop") ? isDrop : 0) |
         (form.has("expect_tx") ? isExpect : 0) |
         (form.has("test_wait") ? isTest : 0) |
         (form.has("parity") ? isParity : 0) |
         (form.has("noComplete") ? mayNotComplete : 0);
}

/// What an arrival hands out: all that the warp knows, if it releases and its
/// scope reaches the block whose mbarrier it is; else what a fence before did.
void release(ExecutionState &state, uint16_t variant, const Block &owner,
             MBarrier &barrier) {
  if (!state.worker->watchesRaces())
    return;
  Warp &warp = *state.warp;
  bool reaches = !(variant & isBlockScope) || &owner == state.block;
  if (reaches && !(variant & isRelaxed))
    warp.clock.hand(barrier.arriving);
  else if (warp.released &&
           (&owner == state.block || !warp.released->blockScope))
    warp.released->addTo(barrier.arriving);
}

/// The state that arrive returns and test_wait takes: the phase, in the upper
/// half, and what is pending.
uint64_t stateOf(const MBarrier &barrier) {
  return uint64_t(barrier.completed) << 32 | barrier.pending;
}

/// Slots: result (a state, or nobody's), address, then a count or bytes.
Outcome arriveAt(ExecutionState &state, const Instruction &instruction) {
  const uint32_t *slots = instruction.slots;
  const uint16_t variant = instruction.variant;
  uint64_t *results = state.lanes<uint64_t>(slots[0]);
  const uint32_t *operands =
      slots[2] == noSlot ? nullptr : state.lanes<uint32_t>(slots[2]);
  // All lanes' clocks are the warp's: it is handed out first, and grows after.
  const bool mayBeRemote = !(variant & mayNotComplete);
  forEachLane(state, instruction, {slots[1], AccessKind::Atomic, mayBeRemote},
              [&](unsigned lane, Block &owner, uint32_t address) {
                MBarrier *barrier = findMBarrier(state, lane, owner, address);
                if (!barrier)
                  return;
                results[lane] = stateOf(*barrier);
                release(state, variant, owner, *barrier);
                uint32_t count = operands ? operands[lane] : 1;
                if (variant & isExpect) {
                  countBytes(state, lane, owner, *barrier, count);
                  count = 1;
                }
                if ((variant & mayNotComplete) && count == barrier->pending)
                  state.report(FindingKind::MBarrierMisuse, lane, [&] {
                    return formatv("an arrival with .noComplete completes the "
                                   "phase of the mbarrier at shared address "
                                   "{0}",
                                   barrier->address)
                        .str();
                  });
                arrive(state, lane, owner, *barrier, count, variant & isDrop);
              });
  state.warp->clock.tick();
  noteProgress(state);
  return Outcome::Next;
}
Handler selectArrive(const Form &form, Instruction &instruction) {
  instruction.space = spaceOf(form);
  instruction.variant = variantOf(form);
  return arriveAt;
}

/// cp.async.mbarrier.arrive: an arrival that comes once the lane's copies so
/// far have. They are delivered now, which is as good a time as any. Without
/// .noinc it adds to the phase the arrival that it makes.
Outcome arriveAfterCopies(ExecutionState &state,
                          const Instruction &instruction) {
  Warp &warp = *state.warp;
  AsyncGroups::Numbers all;
  all.fill(~0u);
  deliverCopies(warp, state.active, all);
  const uint32_t done = warp.asyncGroups.tell(state.active);
  forEachLane(state, instruction, {instruction.slots[0]},
              [&](unsigned lane, Block &owner, uint32_t address) {
                MBarrier *barrier = findMBarrier(state, lane, owner, address);
                if (!barrier)
                  return;
                barrier->arriving[state.block->number].raise(
                    agents::copies + warp.index, done);
                if (!(instruction.variant & hasOwnCount))
                  arrive(state, lane, owner, *barrier, 1, /*isDrop=*/false);
              });
  noteProgress(state);
  return Outcome::Next;
}
Handler selectAfterCopies(const Form &form, Instruction &instruction) {
  instruction.space = spaceOf(form);
  instruction.variant = form.has("noinc") ? 0 : hasOwnCount;
  return arriveAfterCopies;
}

Outcome changeBytes(ExecutionState &state, const Instruction &instruction) {
  const uint32_t *bytes = state.lanes<uint32_t>(instruction.slots[1]);
  bool announces = instruction.variant & isExpect;
  forEachLane(
      state, instruction,
      {instruction.slots[0], AccessKind::Atomic, /*mayBeRemote=*/true},
      [&](unsigned lane, Block &owner, uint32_t address) {
        if (MBarrier *barrier = findMBarrier(state, lane, owner, address))
          countBytes(state, lane, owner, *barrier,
                     announces ? int64_t(bytes[lane]) : -int64_t(bytes[lane]));
      });
  noteProgress(state);
  return Outcome::Next;
}
Handler selectBytes(const Form &form, Instruction &instruction) {
  instruction.space = spaceOf(form);
  instruction.variant = variantOf(form);
  return changeBytes;
}

/// Waits of one instruction.
class Wait {
public:
  Wait(ExecutionState &state, const Instruction &instruction)
      : state(state), instruction(instruction) {}

  Outcome run() {
    forEachLane(
        state, instruction, {instruction.slots[1], AccessKind::AtomicRead},
        [&](unsigned lane, Block &owner, uint32_t address) {
          if (MBarrier *barrier = findMBarrier(state, lane, owner, address))
            look(lane, owner, *barrier);
        });
    setPredicate(state, instruction.slots[0], complete);
    if (complete == 0 && !barrier)
      return Outcome::Stopped; // a loop around it would never end
    bool mayWait = !(instruction.variant & isTest) || pollsInVain();
    if (complete != 0 || !mayWait)
      return Outcome::Next;
    return park();
  }

private:
  /// The parity of the phase that a lane waits for.
  unsigned parityFor(unsigned lane) const {
    uint32_t slot = instruction.slots[2];
    if (instruction.variant & isParity)
      return state.lanes<uint32_t>(slot)[lane] & 1;
    return state.lanes<uint64_t>(slot)[lane] >> 32 & 1;
  }

  void look(unsigned lane, Block &owner, MBarrier &candidate) {
    unsigned parity = parityFor(lane);
    checkLap(lane, owner, candidate, parity);
    if (!candidate.isComplete(parity) && !candidate.copies.empty())
      deliverCopies(state, owner, candidate);
    if (candidate.isComplete(parity)) {
      complete |= 1u << lane;
      if (left != &candidate) // once for all lanes
        leaveWait(*state.warp, owner, candidate,
                  !(instruction.variant & isRelaxed));
      left = &candidate;
    } else if (!barrier) {
      barrier = &candidate;
      waiting = 1u << lane;
    } else if (barrier == &candidate) {
      waiting |= 1u << lane;
    }
  }

  /// A parity says which of two phases: who falls behind by more takes one for
  /// another.
  void checkLap(unsigned lane, const Block &owner, const MBarrier &candidate,
                unsigned parity) {
    uint32_t known = state.warp->clock.known(owner.number, candidate.agent);
    uint32_t seen =
        known > candidate.phasesBefore ? known - candidate.phasesBefore : 0;
    if (seen == 0 || (seen & 1) != parity || candidate.completed < seen + 2)
      return;
    state.report(FindingKind::MBarrierMisuse, lane, [&]() -> std::string {
      return formatv("waits for phase {0} of the mbarrier at shared address "
                     "{1}, which has completed {2} phases: the parity "
                     "names another one",
                     seen, candidate.address, candidate.completed);
    });
  }

  /// A loop around test_wait comes back in vain.
  bool pollsInVain() {
    constexpr unsigned turnsBeforeWaiting = 16;
    Split &split = state.currentSplit();
    if (split.pollPc != state.pc) {
      split.pollPc = state.pc;
      split.pollCount = 0;
    }
    return ++split.pollCount >= turnsBeforeWaiting;
  }

  Outcome park() {
    Split &split = state.currentSplit();
    split.pollCount = 0;
    split.state = Split::State::AtMBarrier;
    split.mbarrier = barrier->address;
    barrier->waiters.push_back({state.warp, split.mask, waiting,
                                instruction.slots[0],
                                !(instruction.variant & isRelaxed)});
    return Outcome::Parked;
  }

  ExecutionState &state;
  const Instruction &instruction;
  uint32_t complete = 0, waiting = 0;
  MBarrier *barrier = nullptr;    ///< the first that is waited for
  const MBarrier *left = nullptr; ///< the last whose phase was complete
};

Outcome wait(ExecutionState &state, const Instruction &instruction) {
  ++state.worker->counters.mbarrierWaits;
  return Wait(state, instruction).run();
}
Handler selectWait(const Form &form, Instruction &instruction) {
  instruction.space = spaceOf(form);
  instruction.variant = variantOf(form);
  return wait;
}

Outcome countPending(ExecutionState &state, const Instruction &instruction) {
  uint32_t *result = state.lanes<uint32_t>(instruction.slots[0]);
  const uint64_t *states = state.lanes<uint64_t>(instruction.slots[1]);
  for (uint32_t rest = state.active; rest; rest &= rest - 1)
    result[llvm::countr_zero(rest)] = uint32_t(states[llvm::countr_zero(rest)]);
  return Outcome::Next;
}
Handler selectPending(const Form &, Instruction &) { return countPending; }

#define MIRAGE_ANY_SHARED "[.shared|shared::cta|shared::cluster]"
#define MIRAGE_OWN_SHARED "[.shared|shared::cta]"

const Row rows[] = {
    {"mbarrier.init" MIRAGE_OWN_SHARED ".b64", "m b32",
     InstructionClass::Barrier, selectLife, "sm_80 7.0"},
    {"mbarrier.inval" MIRAGE_OWN_SHARED ".b64", "m", InstructionClass::Barrier,
     selectLife, "sm_80 7.0"},
    {"mbarrier.arrive|arrive_drop[.release|relaxed]"
     "[.cta|cluster]" MIRAGE_ANY_SHARED ".b64",
     "=b64 m ?b32", InstructionClass::Barrier, selectArrive,
     "sm_80 7.0; release|relaxed|cta|cluster: any 8.0; relaxed: sm_90 8.6"},
    {"mbarrier.arrive|arrive_drop.expect_tx[.release|relaxed]"
     "[.cta|cluster]" MIRAGE_ANY_SHARED ".b64",
     "=b64 m b32", InstructionClass::Barrier, selectArrive,
     "sm_90 8.0; relaxed: any 8.6"},
    {"mbarrier.arrive|arrive_drop.noComplete[.release][.cta]" MIRAGE_OWN_SHARED
     ".b64",
     "=b64 m b32", InstructionClass::Barrier, selectArrive,
     "sm_80 7.0; release|cta: any 8.0"},
    {"mbarrier.expect_tx|complete_tx[.relaxed][.cta|cluster]" MIRAGE_ANY_SHARED
     ".b64",
     "m b32", InstructionClass::Barrier, selectBytes, "sm_90 8.0"},
    {"mbarrier.test_wait|try_wait.parity[.acquire|relaxed][.cta|"
     "cluster]" MIRAGE_OWN_SHARED ".b64",
     "=pred m b32 ?b32", InstructionClass::Barrier, selectWait,
     "sm_80 7.1; try_wait: sm_90 7.8; acquire|relaxed|cta|cluster: any 8.0; "
     "relaxed: sm_90 8.6"},
    {"mbarrier.test_wait|try_wait[.acquire|relaxed][.cta|"
     "cluster]" MIRAGE_OWN_SHARED ".b64",
     "=pred m b64 ?b32", InstructionClass::Barrier, selectWait,
     "sm_80 7.0; try_wait: sm_90 7.8; acquire|relaxed|cta|cluster: any 8.0; "
     "relaxed: sm_90 8.6"},
    {"cp.async.mbarrier.arrive[.noinc]" MIRAGE_OWN_SHARED ".b64", "m",
     InstructionClass::AsyncCopy, selectAfterCopies, "sm_80 7.0"},
    {"mbarrier.pending_count.b64", "=b32 b64", InstructionClass::Barrier,
     selectPending, "sm_80 7.0"},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::mbarrierRows() { return rows; }
