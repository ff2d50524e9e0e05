//===- BlockScheduler.h - Runs all blocks of a launch -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_BLOCKSCHEDULER_H
#define MIRAGE_LIB_EMULATOR_BLOCKSCHEDULER_H

#include "State.h"

namespace mlir::mirage::emulator {

/// Runs every block, on one host thread per worker: in any order, or, if blocks
/// can wait for one another, by turns on the first worker, as many at a time as
/// the device holds.
/// \returns true if all blocks ran to their end.
bool runAllBlocks(const LaunchContext &launch, std::deque<Worker> &workers);

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_BLOCKSCHEDULER_H
