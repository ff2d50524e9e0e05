//===- HeldChoice.h - Which results of steps warps hold ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_TRANSFORMS_HELDCHOICE_H
#define MIRAGE_LIB_TRANSFORMS_HELDCHOICE_H

#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Planning/RegisterPlacement.h"

namespace mlir::mirage {

/// Decides which results of a block's steps stay in registers
/// (Mirage/Planning/RegisterPlacement.h): of those that may
/// (Mirage/Analysis/HeldTiles.h) the ones that save most of shared memory's
/// traffic.
class HeldChoice {
public:
  explicit HeldChoice(block::GraphOp graph);

  /// Has the result of a step take part. If the loop adds it up, what is
  /// carried is the sum.
  void add(thread::GraphOp step);
  /// Says on the steps that were added which of them are held, and on these and
  /// those that read them which have their items as shares.
  /// \param mostRegisters  of a thread.
  /// \returns how many are needed where most is held.
  int64_t decide(int64_t mostRegisters);

private:
  /// What a choice of deals comes to.
  struct Outcome {
    llvm::BitVector held; ///< by step
    int64_t numRegisters = 0;
    int64_t savedBytes = 0;
  };

  unsigned getPosition(Operation *op) const { return positions.lookup(op); }
  int64_t countTimes(Operation *op) const;
  HeldCandidate describe(thread::GraphOp step) const;
  void chooseDeals(int64_t mostRegisters);
  void setHeld(const llvm::BitVector &held);
  void dropWhatCannot(llvm::BitVector &held);
  bool keepsOthers() const;
  Outcome place(int64_t mostRegisters);
  Outcome tryCommonShares(int64_t mostRegisters, Outcome best);

  block::GraphOp graph;
  DenseMap<Value, Phase> phases;
  DenseMap<Operation *, unsigned> positions; ///< in the body
  SmallVector<thread::GraphOp> steps;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_TRANSFORMS_HELDCHOICE_H
