//===- MBarrierPhases.h - How mbarriers go from phase to phase --*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_MBARRIERPHASES_H
#define MIRAGE_LIB_EMULATOR_MBARRIERPHASES_H

#include "State.h"

namespace mlir::mirage::emulator {

/// The mbarrier at an address of a block's shared memory, or null after a
/// report that says what lies there.
MBarrier *findMBarrier(ExecutionState &state, unsigned lane, Block &owner,
                       uint32_t address);

/// A warp has waited, with success, for the phase of a block's mbarrier that
/// was complete last. A wait that does not acquire leaves that to the next
/// fence.
void leaveWait(Warp &warp, const Block &owner, MBarrier &barrier,
               bool acquires);

/// Counts arrivals of one lane, and completes the phase if they were the last.
/// \param isDrop  the mbarrier expects so many fewer from the next phase on.
void arrive(ExecutionState &state, unsigned lane, Block &owner,
            MBarrier &barrier, uint32_t count, bool isDrop);

/// Announces bytes (or, negative, counts bytes that have been copied), and
/// completes the phase if nothing is missing any more.
void countBytes(ExecutionState &state, unsigned lane, Block &owner,
                MBarrier &barrier, int64_t announced);

/// Puts a copy under way that counts its bytes at `copy.mbarrier` of
/// `copy.signalled`; when it arrives says LaunchConfig::asyncDelivery.
void startCopy(ExecutionState &state, unsigned lane, BulkCopy copy);

/// Carries out the copies of the phase under way.
void deliverCopies(ExecutionState &state, Block &owner, MBarrier &barrier);

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_MBARRIERPHASES_H
