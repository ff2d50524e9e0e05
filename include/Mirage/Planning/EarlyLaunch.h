//===- EarlyLaunch.h - A launch beside the one before it --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks of a launch may begin once all of the launch before have begun (PTX
// ISA, "griddepcontrol.launch_dependents"), where these leave room or have
// ended: they get ready, and wait. What it takes to launch is behind them when
// the others are done.
//
// The GPU puts a block where most is free. Blocks that begin early so come
// together on the SMs that the launch before has left alone, as many as fit,
// and are on them still when all others have nothing more to do:
//
//   132 SMs, 128 blocks before, then 256:   4 SMs have 4 of them, others fewer
//
// A launch that asks for more shared memory than it uses has no more blocks on
// an SM than its even share. Measured on an H200, cold L2, µs: launches that
// begin when those before have left, as soon as these have begun, and then with
// such a limit:
//
//   gqa_bs1 6.10, 5.93, 5.80          attention_output 7.40, 7.44, 7.10
//   gqa_bs8 14.88, 14.90, 14.32       mlp_block 13.98, 13.43 (one fits)
//   mha_bs1 12.79, 12.40, 12.34       qkv_qknorm_attention 14.42, 13.65, 13.58
//   qknorm_gqa_bs1 7.95, 7.74, 7.59   qknorm_gqa_bs8 19.95, 19.75, 19.29
//   safe_attention 6.93, 7.02, 6.60
//
// It is not for all: of lora_llama's 598 blocks, behind 16, 580 go to the 116
// SMs that are free, and it takes 63.8 instead of 61.0. Two products of 2048 x
// 4096 x 4096 in 2048 blocks each, of which few fit at a time, take 419 instead
// of 411: blocks that read the same begin at other times.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_PLANNING_EARLYLAUNCH_H
#define MIRAGE_PLANNING_EARLYLAUNCH_H

#include "Mirage/Planning/LaunchBarrier.h"

#include <optional>

namespace mlir::mirage {

/// The blocks of a launch: at least one.
struct LaunchedBlocks {
  int64_t number = 1;
  BlockResources block;      ///< of at least one thread
  int64_t clusterBlocks = 1; ///< that start together
};

/// How a launch begins beside the one before it.
struct EarlyLaunch {
  /// Dynamic shared memory that each block asks for, in bytes, so that an SM
  /// holds no more of them than their even share; 0: it need not ask for more
  /// than it uses.
  int64_t requestedBytes = 0;
};

/// \param before  the launch before, which lets it begin.
/// \returns none where not all blocks of the launch fit at a time, where no
/// block can have as much shared memory as leaves room for the even share, or
/// where blocks would come together all the same: SMs that the launch before
/// leaves alone (all of them, if it takes several waves: the last may be small)
/// take so many that others lack more than 1/32 of all blocks.
std::optional<EarlyLaunch> planEarlyLaunch(const LaunchedBlocks &before,
                                           const LaunchedBlocks &launch,
                                           const Target &target);

} // namespace mlir::mirage

#endif // MIRAGE_PLANNING_EARLYLAUNCH_H
