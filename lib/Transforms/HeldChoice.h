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
#include "llvm/ADT/SmallPtrSet.h"

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
  /// those that read them which have their items as shares; anew, if it did
  /// before. \returns the registers of a thread that are taken where most is
  /// held.
  HeldRegisters decide(HeldRegisters most);

private:
  /// What a choice of deals comes to.
  struct Outcome {
    llvm::BitVector held; ///< by step
    HeldRegisters registers{0, 0};
    int64_t savedBytes = 0;
  };

  unsigned getPosition(Operation *op) const { return positions.lookup(op); }
  int64_t countTimes(Operation *op) const;
  HeldCandidate describe(thread::GraphOp step) const;
  void forgetShares();
  void chooseDeals(int64_t mostRegisters);
  void setHeld(const llvm::BitVector &held);
  void dropWhatCannot(llvm::BitVector &held);
  bool keepsOthers() const;
  Outcome place(HeldRegisters most);
  Outcome tryCommonShares(HeldRegisters most, Outcome best);

  block::GraphOp graph;
  DenseMap<Value, Phase> phases;
  DenseMap<Operation *, unsigned> positions; ///< in the body
  SmallVector<thread::GraphOp> steps;
  int64_t registersOfPlace = 0;
  llvm::SmallPtrSet<Operation *, 4> sharedBefore; ///< not by this choice
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_TRANSFORMS_HELDCHOICE_H
