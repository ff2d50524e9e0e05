//===- GlobalCheck.h - Global memory at the end of a launch -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_GLOBALCHECK_H
#define MIRAGE_LIB_EMULATOR_GLOBALCHECK_H

#include "State.h"

namespace mlir::mirage::emulator {

/// Adds what a shadow knows of global memory to a list of intervals: bytes that
/// `block` has read, written, or updated atomically, with an instruction for
/// each.
void collectIntervals(const Shadow &shadow, uint64_t block,
                      std::vector<GlobalInterval> &intervals);

/// Reports bytes that two blocks touched and at least one wrote: blocks that do
/// not communicate are not ordered. Sorts the intervals.
void checkBlocksAgainstEachOther(const LaunchContext &launch,
                                 std::vector<GlobalInterval> &intervals,
                                 FindingSet &findings);

/// Reports outputs with bytes that no block wrote, nor a launch before, and
/// gaps of buffers with bytes that one did.
void checkOutputsWritten(const LaunchContext &launch,
                         const std::vector<GlobalInterval> &intervals,
                         FindingSet &findings);

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_GLOBALCHECK_H
