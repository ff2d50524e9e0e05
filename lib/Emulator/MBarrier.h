//===- MBarrier.h - Barrier objects in shared memory ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An mbarrier (PTX ISA, "Parallel Synchronization and Communication
// Instructions: mbarrier") goes through phases. A phase is complete when as
// many arrivals as it was initialised with have come and all bytes that were
// announced (expect_tx) have been copied (complete_tx); the next begins at
// once. Who waits names a phase by its parity: that of phase n, counted from 0,
// is n mod 2.
//
//   mbarrier.init [b], 1         phase 0 is under way, expects 1 arrival
//   try_wait.parity [b], 1       true: the phase before it is not
//   arrive.expect_tx [b], 128    no arrival is missing, but 128 bytes
//   (a copy of 128 bytes)        phase 0 is complete
//   try_wait.parity [b], 0       true
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_MBARRIER_H
#define MIRAGE_LIB_EMULATOR_MBARRIER_H

#include "BulkCopy.h"
#include "Clocks.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <vector>

namespace mlir::mirage::emulator {

struct Warp;

struct MBarrier {
  uint32_t address = 0; ///< in shared memory of its block
  unsigned agent = 0;   ///< whose clock values are phases
  Epoch initialised;
  /// What must be ordered before a use: the initialisation, or, of what a
  /// fence.mbarrier_init is behind, that agent's own count of it.
  Epoch published;
  uint32_t initPc = 0;
  uint32_t expected = 0, pending = 0; ///< arrivals, of every and of this phase
  int64_t bytes = 0;                  ///< announced and not yet copied
  uint32_t completed = 0;             ///< phases
  /// Of earlier objects at the same place: their phases stay the past.
  uint32_t phasesBefore = 0;
  BlockClocks arriving, released; ///< what arrivals of this phase and the last
                                  ///< one handed out
  std::vector<BulkCopy> copies;   ///< of this phase, not carried out yet
  /// The last phase that copies complete on, as its agent's clock counts; 0:
  /// there was none.
  uint32_t lastCopied = 0;
  /// The last phase that a warp has seen complete, in whatever order that is.
  uint32_t lastSeen = 0;

  struct Waiter {
    Warp *warp;
    uint32_t splitMask; ///< of the split that is parked
    uint32_t lanes;     ///< of it, that wait for this mbarrier
    uint32_t resultSlot;
    bool acquires;
  };
  std::vector<Waiter> waiters; ///< for this phase

  /// The phase under way, as its agent's clock counts.
  uint32_t phaseClock() const { return phasesBefore + completed + 1; }
  /// When what completes on this phase counts as done.
  Epoch phaseEpoch(uint32_t block, unsigned lane) const {
    return Epoch(block, agent, lane, phaseClock());
  }
  bool isComplete(unsigned parity) const { return (completed & 1) != parity; }
};

/// The mbarriers of one block, and which places have been some before.
class MBarriers {
public:
  static constexpr uint32_t bytes = 8; ///< of one

  MBarrier *find(uint32_t address) const;
  /// One that any of these bytes belong to; null if there is none.
  MBarrier *findOverlap(uint64_t begin, uint64_t end) const;
  /// \returns null if there are too many of them.
  MBarrier *init(uint32_t address, uint32_t count, Epoch when, uint32_t pc);
  void invalidate(uint32_t address);
  llvm::ArrayRef<std::unique_ptr<MBarrier>> all() const { return live; }
  void clear();

private:
  struct Past {
    uint32_t address, phases;
  };

  std::vector<std::unique_ptr<MBarrier>> live; ///< by address
  /// By agent: which place it stands for, and how many phases it had there.
  std::vector<Past> past;
};

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_MBARRIER_H
