//===- RegisterPlacement.h - What warps hold in registers -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one step of a block hands on to others goes through shared memory, or
// stays in the registers of the warps that computed it, of which there are few.
// Each value that may stay saves the bytes that would be written and read, and
// takes registers for as long as it is needed. Time is counted in steps:
//
//     step            0     1     2     3
//     a [0, 3), 32    ------------------          saves 3 KiB
//     b [1, 2), 64          ------                saves 8 KiB
//     c [1, 4), 16          ------------------    saves 1 KiB
//
//   of 96 registers   a and b, or b and c, or a and c: the first two save most
//
// Beside what is held stands what it is loaded and stored by: both together
// have a limit of their own.
//
// Some values can only be held if others are: lanes have to hold what rescales
// a sum where they hold the sum.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_PLANNING_REGISTERPLACEMENT_H
#define MIRAGE_PLANNING_REGISTERPLACEMENT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <limits>

namespace mlir::mirage {

/// A value that may be held: from step `begin` on, before `end`.
struct HeldCandidate {
  int64_t registers = 0; ///< of a thread, of 32 bits
  unsigned begin = 0, end = 0;
  int64_t savedBytes = 0; ///< of shared memory's traffic, of a block
  /// Beside it, for where its parts lie in device or shared memory: one for all
  /// that are held at a time, as many as that takes which takes most.
  int64_t placeRegisters = 0;
};

/// Registers of a thread that candidates may take at any time, 0 or more.
struct HeldRegisters {
  int64_t tiles;
  /// Of these, and what stands beside them.
  int64_t all = std::numeric_limits<int64_t>::max();
};

class RegisterPlacementProblem {
public:
  explicit RegisterPlacementProblem(HeldRegisters most) : most(most) {}

  unsigned add(HeldCandidate candidate) {
    candidates.push_back(candidate);
    return candidates.size() - 1;
  }
  llvm::ArrayRef<HeldCandidate> getCandidates() const { return candidates; }
  HeldRegisters getMost() const { return most; }
  /// What these take at the time when they take most.
  HeldRegisters countRegisters(const llvm::BitVector &held) const;
  bool fits(const llvm::BitVector &held) const;
  int64_t countSavedBytes(const llvm::BitVector &held) const;

private:
  HeldRegisters most;
  llvm::SmallVector<HeldCandidate> candidates;
};

struct RegisterPlacement {
  llvm::BitVector held; ///< by candidate
  HeldRegisters registers{0, 0};
  bool isOptimal = false; ///< proved to save most
};

/// Takes candidates out of a set until what is left can be held together. Of a
/// larger set no less may be left.
using SettleHeld = llvm::function_ref<void(llvm::BitVector &held)>;

/// Finds the candidates that save most, by branch and bound, up to a fixed
/// number of steps; of those that save the same the first ones.
RegisterPlacement placeInRegisters(const RegisterPlacementProblem &problem,
                                   SettleHeld settle);

/// Fails unless there are at all times the registers that a placement takes, as
/// many as it says.
llvm::Error verify(const RegisterPlacementProblem &problem,
                   const RegisterPlacement &placement);

} // namespace mlir::mirage

#endif // MIRAGE_PLANNING_REGISTERPLACEMENT_H
