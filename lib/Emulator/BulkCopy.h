//===- BulkCopy.h - Copies that the copy engine makes -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async.bulk, of plain bytes and of boxes of tensors. A copy is checked when
// it is issued, against all that is ordered before it, and carried out later:
// source and destination belong to it until it is known to be done. It is known
// by the phase of an mbarrier that it completes, or by a bulk group of the
// thread that issued it.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_BULKCOPY_H
#define MIRAGE_LIB_EMULATOR_BULKCOPY_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace mlir::mirage::emulator {

struct Block;

/// How bytes that are copied join what is there; null: they replace it.
using Combine = void (*)(uint8_t *to, const uint8_t *from, uint32_t bytes);

struct BulkCopy {
  struct Piece {
    uint8_t *to;
    const uint8_t *from; ///< null: zeros
    uint32_t bytes;
  };

  llvm::SmallVector<Piece, 1> pieces;
  Combine combine = nullptr;
  /// Of a copy that completes on an mbarrier: whose, where, and how many bytes
  /// are counted there.
  Block *signalled = nullptr;
  uint32_t mbarrier = 0, countedBytes = 0;

  void carryOut() const;
};

/// One copy of a bulk group that has not been waited for.
struct PendingBulkCopy {
  BulkCopy copy;
  uint8_t lane = 0;
  uint32_t group = 0;  ///< of its lane, counted from 1
  uint32_t number = 0; ///< of its warp: its value of the clocks of bulk copies
  bool isDone = false; ///< carried out
  bool isRead = false; ///< has been waited for as far as its source goes
};

/// Bulk groups of a warp's lanes.
struct BulkGroups {
  llvm::SmallVector<PendingBulkCopy, 0> pending;
  llvm::SmallVector<uint32_t, 0> committed; ///< by lane, once there are any
  uint32_t numCommits = 0;                  ///< of any lane
  /// The lane that issued the first copy; none: there was no copy yet.
  std::optional<uint8_t> firstLane;

  bool isOfFirstLane(unsigned lane) const {
    return !firstLane || *firstLane == lane;
  }
};

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_BULKCOPY_H
