//===- LoopWatch.h - Warps that go round for ever ---------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_LOOPWATCH_H
#define MIRAGE_LIB_EMULATOR_LOOPWATCH_H

#include "State.h"

namespace mlir::mirage::emulator {

/// How many instructions of a worker have met anybody else: memory, or a
/// barrier.
uint64_t countMeetings(const Counters &counters);

/// What the way of a warp says about whether it ends.
enum class LoopSign : uint8_t {
  None,
  Remembered, ///< what it is like now is what it may come back to
  Loop,       ///< it has come back, and will go on like that for ever
};

/// Looks at a warp after its turn, every 4096 of its steps: whether it is where
/// it was at a look before, with the same in all registers, and has executed
/// nothing in between but arithmetic and branches.
///
/// Which look to compare with is Brent's choice ("An Improved Monte Carlo
/// Factorization Algorithm", BIT 1980): the last whose number is a power of 2,
/// from the 16th on.
/// \param isAlone  nothing in the turn met anybody else.
LoopSign lookForLoop(Warp &warp, size_t registerBytes, bool isAlone);

/// Whether a warp is as lookForLoop remembers it.
bool comesBack(const Warp &warp);

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_LOOPWATCH_H
