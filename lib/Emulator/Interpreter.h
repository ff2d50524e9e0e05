//===- Interpreter.h - Runs the warps of a block ----------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_INTERPRETER_H
#define MIRAGE_LIB_EMULATOR_INTERPRETER_H

#include "State.h"

namespace mlir::mirage::emulator {

/// Makes the blocks of a cluster ready to run from their start; one alone where
/// the launch has no clusters. A cluster can be used again and again.
/// \param number  of the cluster, counted along x first.
void startCluster(Cluster &cluster, uint64_t number,
                  const LaunchContext &launch);

enum class BlockState : uint8_t {
  Ended,   ///< all threads have ended, or the block was stopped
  Running, ///< it used up its turn
  Waiting, ///< nothing in it can go on
};

struct BlockTurn {
  BlockState state = BlockState::Ended;
  bool madeProgress = false; ///< executed at least one instruction
};

/// Runs the block for a while: until all its warps have ended or wait, or, if
/// `turnLimit` is not zero, about so many warp instructions.
BlockTurn runBlock(Block &block, Worker &worker, uint64_t turnLimit);

/// When nothing can go on: lets lanes that wait for others of their warp at the
/// end of a branch go on without them, for those may wait for what the lanes do
/// next.
/// \returns false if there were none: a deadlock.
bool releaseLanes(Block &block);

/// Ends all warps of a block that cannot go on.
void stopBlock(Block &block);

/// Reports why a block cannot go on: what each of its warps waits for. Ends it.
void reportDeadlock(Block &block, Worker &worker);

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_INTERPRETER_H
