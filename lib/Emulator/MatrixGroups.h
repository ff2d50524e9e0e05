//===- MatrixGroups.h - wgmma while it goes on ------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The four warps of a warpgroup issue a wgmma one by one and go on; it starts
// when the last one has, and its results are there when they wait for its group
// (PTX ISA 9.7.15). Until then its accumulators belong to it:
//
//   wgmma.fence            registers written before may be used from here on
//   wgmma A                takes the accumulators out of the registers, which
//                          hold NaNs from now on
//   wgmma B                on the same ones: goes on with them
//   wgmma.commit_group     A and B are group 1
//   wgmma.wait_group 0     multiplies, and puts the accumulators back
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_MATRIXGROUPS_H
#define MIRAGE_LIB_EMULATOR_MATRIXGROUPS_H

#include "Clocks.h"
#include "MatrixProduct.h"

#include <deque>
#include <vector>

namespace mlir::mirage::emulator {

struct Block;
struct Instruction;
struct Warp;

constexpr unsigned warpsPerGroup = 4;

/// What is known of a register that wgmma uses (by its number in
/// MatrixRegisters). Operations are counted from 1 in each warp.
struct MatrixRegister {
  uint32_t usedBy = 0; ///< the last operation that does
  uint32_t pc = 0;     ///< where that stands
  /// 1 + the number of fences before it was last touched otherwise: at the
  /// start there was none.
  uint32_t touched = 1;
  int32_t accumulator = -1; ///< it is a part of; -1: of a left operand
};

/// 16 rows of an accumulator: one warp's. Out of its registers, as long as
/// `isLive`.
struct MatrixAccumulator {
  std::vector<float> values; ///< row by row; of s32, their bits
  const std::vector<uint32_t> *numbers = nullptr; ///< of the registers
  const uint32_t *slots = nullptr;                ///< of the same
  MatrixShape shape;
  uint32_t lastUse = 0;
  bool isLive = false;
  bool isStored = false; ///< the registers hold it already
};

/// A warp's side.
struct WarpMatrices {
  std::vector<MatrixRegister> registers;
  std::vector<MatrixAccumulator> accumulators; ///< live ones and spare ones
  uint32_t issued = 0, waited = 0;             ///< operations
  uint32_t fences = 0;
  uint32_t groupsBefore = 0; ///< closed groups that are not listed any more
  std::deque<uint32_t> groupEnds; ///< `issued` when each closed

  bool isPending(const MatrixRegister &entry) const {
    return entry.usedBy > waited;
  }
  /// The group that is open.
  uint32_t openGroup() const { return groupsBefore + groupEnds.size() + 1; }
};

/// One wgmma of a warpgroup.
struct MatrixOperation {
  const Instruction *instruction = nullptr;
  uint32_t pc = 0;
  MatrixProduct product;
  llvm::SmallVector<uint32_t, 0> pieces; ///< of both operands
  uint32_t issuedBy = 0;                 ///< a bit per warp of the group
  uint32_t group = 0;                    ///< of the first warp's count
  WarpClock clock;                       ///< what all that have issued it know
  int32_t accumulators[warpsPerGroup] = {-1, -1, -1, -1};

  bool isComplete() const { return issuedBy == (1u << warpsPerGroup) - 1; }
};

/// A warpgroup's: operations that are not carried out, in their order.
class MatrixGroup {
public:
  /// The operation with this number, which is the next one of some warp.
  MatrixOperation &at(uint32_t number) {
    if (number - numDone > operations.size())
      operations.emplace_back();
    return operations[number - numDone - 1];
  }
  /// Whether all operations up to this one are issued by all warps.
  bool isComplete(uint32_t number) const {
    return number <= numDone || (number - numDone <= operations.size() &&
                                 operations[number - numDone - 1].isComplete());
  }
  /// The first one that some warp has not issued; null if there is none.
  const MatrixOperation *findIncomplete() const {
    for (const MatrixOperation &operation : operations)
      if (!operation.isComplete())
        return &operation;
    return nullptr;
  }

  size_t countQueued() const { return operations.size(); }

  /// Multiplies for all operations up to this one.
  void carryOut(Block &block, unsigned firstWarp, uint32_t number);

  /// Warps that have to wait, and how far.
  struct Waiter {
    Warp *warp;
    uint32_t mask, upTo, groups;
  };
  std::vector<Waiter> waiters;

private:
  std::deque<MatrixOperation> operations;
  uint32_t numDone = 0;
  MatrixTiles tiles; ///< of the one that is carried out
};

/// Out of the registers, and back.
void loadAccumulator(uint8_t *registers, MatrixAccumulator &accumulator);
void storeAccumulator(uint8_t *registers, MatrixAccumulator &accumulator);

/// Puts back all accumulators that no operation behind `waited` uses.
void storeFinished(Warp &warp);
/// Puts back all whose operations are carried out, and keeps them.
void storeEarly(Warp &warp, uint32_t upTo);

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_MATRIXGROUPS_H
