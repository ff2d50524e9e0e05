//===- CopyIssue.h - Issues one bulk copy -----------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_COPYISSUE_H
#define MIRAGE_LIB_EMULATOR_COPYISSUE_H

#include "BulkCopy.h"
#include "MemoryAccess.h"

#include "llvm/Support/FormatVariadic.h"

#include <optional>

namespace mlir::mirage::emulator {

/// What the lane that issues a bulk copy needs: finds its places, holds them
/// against the rules, checks them against the shadow, and puts the copy under
/// way.
class CopyIssue {
public:
  CopyIssue(ExecutionState &state, unsigned lane) : state(state), lane(lane) {}

  /// `bytes` of shared memory at an address of `.shared::cluster`, or of the
  /// block alone; none after a report.
  std::optional<MemoryRange> findShared(uint64_t address, uint64_t bytes,
                                        bool mayBeRemote, bool isWritten);
  /// The same of global memory; the address is a generic one.
  std::optional<MemoryRange> findGlobal(uint64_t address, uint64_t bytes,
                                        bool isWritten);
  bool isAligned(uint64_t address, uint64_t alignment, const char *what);

  /// Checks a copy's mbarrier: it must be one, of the block whose memory is
  /// written, and its initialisation known to the asynchronous proxy.
  /// \returns when the copy will count as done; none after a report.
  std::optional<Epoch> findSignal(Block &owner, uint32_t address);

  /// The bytes of a tensor map at a generic address: a parameter, a constant,
  /// or global memory, whose writes take fences of their own; none after a
  /// report.
  std::optional<llvm::ArrayRef<uint8_t>> findTensorMap(uint64_t address);

  /// Adds bytes that the copy moves to the checks and counters.
  void watch(const MemoryRange &range, AccessKind kind, Epoch done);

  /// Puts a copy under way that completes on an mbarrier.
  void start(BulkCopy copy, Block &owner, uint32_t mbarrier, uint64_t bytes);
  /// And one of the lane's open bulk group.
  void startInGroup(BulkCopy copy);
  /// When the copies of the open bulk group have read, and written.
  Epoch readEpoch() const;
  Epoch writeEpoch() const;

  /// The block that a generic or `.shared::cluster` address names, made one
  /// inside of it; null after a report.
  Block *findOwner(uint64_t &address, bool mayBeRemote);

  /// Of a multicast to further blocks: its source has been counted, as device
  /// memory gives it once.
  bool isReadAgain = false;

  template <typename... Values>
  void report(FindingKind kind, const char *format, const Values &...values) {
    state.report(kind, lane, [&]() -> std::string {
      return llvm::formatv(format, values...);
    });
  }

private:
  void watchTensorMap(const MemoryRange &range);
  bool isMapAcquired(const MemoryRange &range) const;

  ExecutionState &state;
  unsigned lane;
};

/// Visits where a copy into shared memory goes: to the block of its address,
/// which must be that of its mbarrier; of a multicast, to the same places of
/// each block in `mask`. `visit(cluster address, block, address of the
/// mbarrier)`.
void forEachDestination(
    CopyIssue &issue, uint64_t address, uint64_t signal, bool mayBeRemote,
    const uint16_t *mask,
    llvm::function_ref<void(uint64_t, Block &, uint32_t)> visit);

/// Waits until all but the youngest `pending` bulk groups of a lane are done,
/// or have read their source.
void waitForBulkGroups(ExecutionState &state, unsigned lane, uint32_t pending,
                       bool onlyReads);
/// Closes the open group of each active lane.
void commitBulkGroups(ExecutionState &state);
/// What is still under way when a warp ends. \returns whether a copy's source
/// may be gone.
bool endBulkGroups(Warp &warp);

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_COPYISSUE_H
