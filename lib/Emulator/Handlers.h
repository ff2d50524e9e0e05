//===- Handlers.h - What files of handlers share ----------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_HANDLERS_H
#define MIRAGE_LIB_EMULATOR_HANDLERS_H

#include "OpcodeTable.h"
#include "State.h"

namespace mlir::mirage::emulator {

struct MemoryAccess;

/// The state space among the pieces of an opcode; generic if none is named.
Space spaceOf(const Form &form);

/// `.relaxed`, `.acquire`, ... and its scope, as they stand in an opcode.
enum class Ordering : uint8_t { Weak, Relaxed, Acquire, Release, AcqRel };
struct MemoryOrder {
  Ordering ordering = Ordering::Weak;
  bool blockScope = false; ///< `.cta`

  bool acquires() const {
    return ordering == Ordering::Acquire || ordering == Ordering::AcqRel;
  }
  bool releases() const {
    return ordering == Ordering::Release || ordering == Ordering::AcqRel;
  }
  /// Packed into Instruction::variant.
  uint16_t pack() const { return uint16_t(ordering) | blockScope << 3; }
  static MemoryOrder unpack(uint16_t variant) {
    return {static_cast<Ordering>(variant & 7), (variant & 8) != 0};
  }
  static constexpr unsigned numBits = 4;
};
MemoryOrder orderOf(const Form &form);

/// A branch of a loop that no way leads out of.
Outcome branchWithoutEnd(ExecutionState &state, const Instruction &instruction);

/// mov from %clock, %clock64, %globaltimer.
Outcome readClock(ExecutionState &state, const Instruction &instruction);

/// What an ordered read or write means for happens-before (chapter 8 of the PTX
/// ISA): a release leaves the warp's clock at the address, an acquire joins
/// what lies there.
void synchronizeRead(ExecutionState &state, const MemoryAccess &access,
                     unsigned lane, MemoryOrder order);
void synchronizeWrite(ExecutionState &state, const MemoryAccess &access,
                      unsigned lane, MemoryOrder order, bool isReadModifyWrite);

/// fence.acquire, .release or .acq_rel.
void executeFence(ExecutionState &state, MemoryOrder order);

/// Called after a load or an atomic that a loop may repeat until somebody else
/// changes memory. After some turns in which nothing changed the split waits.
/// \param hash of the values seen; \param places  where they were read.
Outcome notePolling(ExecutionState &state, unsigned bytes, uint64_t hash,
                    llvm::ArrayRef<const uint8_t *> places);
/// The warp did something that others can see: it is not merely polling.
void noteProgress(ExecutionState &state);
uint64_t hashPlaces(unsigned bytes, llvm::ArrayRef<const uint8_t *> places);

/// Delivers the copies of these lanes up to their group number.
void deliverCopies(Warp &warp, uint32_t lanes,
                   const AsyncGroups::Numbers &upToGroup);

/// For a `.sync` operation: true if all lanes of `members` stand here; they are
/// then active. Otherwise the split is parked, or the call reports a mask that
/// cannot be met and goes on without the missing lanes.
bool gatherLanes(ExecutionState &state, uint32_t members, Outcome &outcome);

/// For an `.aligned` operation: true if the whole warp is here. Otherwise
/// reports that lanes are elsewhere and sets the outcome to Stopped; or, if the
/// interpreter itself had parted them, parks the split until they come.
bool requireWholeWarp(ExecutionState &state, const char *what,
                      Outcome &outcome);

/// Registers of a thread at the start of a block: as many as `.maxnreg` says,
/// or as a block of this size can have.
uint32_t getStartRegisters(const LaunchContext &launch);
/// When a warp ends (HandlersRegisters.cpp): reports a setmaxnreg that others
/// of its warpgroup have executed and it has not.
void checkRegisterChanges(ExecutionState &state);

/// One warp issues a wgmma.mma_async (MatrixIssue.cpp): checks operands and
/// registers, and takes the accumulators. The last of its warpgroup starts it.
/// \returns false after a report of what leaves nothing to go on with.
bool issueProduct(ExecutionState &state, const Instruction &instruction,
                  MatrixGroup &group);
inline unsigned firstWarpOf(const ExecutionState &state) {
  return state.warp->index / warpsPerGroup * warpsPerGroup;
}

/// Whether it is a wgmma.mma_async, whose first `vectorSize` slots are the
/// accumulators; and how many slots of the left operand's fragments follow.
bool isWarpgroupProduct(const Instruction &instruction);
unsigned countFragments(const Instruction &instruction);

// How a warp's splits change (Divergence.cpp).
void branchLanes(ExecutionState &state, uint32_t takenLanes, uint32_t takenPc,
                 uint32_t reconvergence);
void exitLanes(ExecutionState &state, uint32_t lanes);

/// Lets all that wait at the barrier of a cluster go on if all threads that
/// have not ended have arrived.
void completeClusterBarrier(Cluster &cluster);
/// Lanes end, and are no longer among those that a cluster's barrier is of.
void leaveClusterBarrier(Cluster &cluster, Warp &warp, uint32_t lanes);
/// Where warps of a block wait for one another (HandlersBarrier.cpp). `count`
/// 0: all.
Outcome arriveAtBarrier(ExecutionState &state, const Instruction &instruction,
                        unsigned barrier, uint32_t count, bool waits,
                        int reduction, uint32_t resultSlot, uint32_t votes);

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_HANDLERS_H
