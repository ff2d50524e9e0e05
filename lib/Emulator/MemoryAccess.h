//===- MemoryAccess.h - From lane addresses to host memory ------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_MEMORYACCESS_H
#define MIRAGE_LIB_EMULATOR_MEMORYACCESS_H

#include "State.h"

namespace mlir::mirage::emulator {

/// A part of one warp's access: lanes whose addresses lie in one region, all in
/// bounds and aligned.
struct MemoryAccess {
  uint32_t mask = 0;
  unsigned bytes = 0; ///< per lane
  Space space = Space::Generic;
  const Region *region = nullptr;
  Block *owner = nullptr;                 ///< of shared memory, whose it is
  std::array<uint64_t, warpSize> address; ///< in its space; of lanes in mask
  /// Where address 0 would be on the host, and how far apart the lanes' are, in
  /// local memory, of which each has its own.
  uintptr_t hostStart = 0;
  uint64_t hostStride = 0;
  /// Lane i accesses the bytes right behind those of lane i - 1; all are there.
  bool isContiguous = false;
  /// Of lanes that name one address, the first; and those of them that have
  /// followers.
  uint32_t firstLanes = 0, repeatedLanes = 0;

  uint8_t *host(unsigned lane) const {
    return reinterpret_cast<uint8_t *>(hostStart + lane * hostStride +
                                       address[lane]);
  }
};

/// What an instruction does with its memory operand.
struct AccessRequest {
  unsigned operand = 0; ///< which memory operand
  uint32_t slot = 0;    ///< of its base
  Space space = Space::Generic;
  unsigned bytes = 0;     ///< per lane
  unsigned alignment = 0; ///< 0: the same as bytes
  /// Only the first so many of them are touched; 0: all.
  unsigned touchedBytes = 0;
  /// A bit per byte: it is fetched and not used, so that it may be anything.
  uint32_t unusedBytes = 0;
  AccessKind kind = AccessKind::Read;
  /// An update, whose result depends on what was there.
  bool readsOld = false;
  /// The access counts as done at another time than the warp's own clock says,
  /// for copies that go on by themselves; null: by the warp.
  const std::array<Epoch, warpSize> *epochs = nullptr;
  bool isWatched = true; ///< false: checks bounds and nothing else
  /// What is accessed are mbarriers: whose bytes others may not touch.
  bool isMBarrier = false;
  /// Lanes name rows of 8x8 matrices, which go through the banks eight at a
  /// time.
  bool isRowWise = false;

  unsigned extent() const { return touchedBytes ? touchedBytes : bytes; }
};

/// Adds the displacement to the base of each lane.
void computeAddresses(const ExecutionState &state,
                      const Instruction &instruction, unsigned operand,
                      uint32_t slot, std::array<uint64_t, warpSize> &addresses);

/// Finds host memory for the active lanes, reports what is out of bounds or
/// misaligned (those lanes are left out), counts traffic, and checks for races
/// and for reads of bytes that nobody wrote.
/// \param use  called once for each region touched, nearly always once.
/// \returns the lanes that could be served.
uint32_t accessMemory(ExecutionState &state, const Instruction &instruction,
                      const AccessRequest &request,
                      llvm::function_ref<void(const MemoryAccess &)> use);

/// The block whose shared memory an address of `.shared::cluster` names, and
/// the address inside it. \returns null if the cluster has no such block.
Block *findSharedOwner(const Block &from, uint64_t &address);

/// Before memory of another block is touched: reports if nobody has made sure
/// that it has started, or if it has ended. \returns false if it has ended.
bool checkPeer(ExecutionState &state, unsigned lane, const Block &owner);

/// The region of global memory that an address lies in; null if in none.
const Region *findGlobalRegion(const LaunchContext &launch, uint64_t address);

/// How messages say what shared memory a block has.
std::string describeShared(const Block &owner);

/// How messages call a region of global memory.
std::string describeBuffer(const LaunchContext &launch, const Region &region);

/// Checks an access against the shadow and writes it down there.
void watchAccess(ExecutionState &state, const AccessRequest &request,
                 const MemoryAccess &access);

/// Consecutive bytes that something asynchronous accesses: shared memory of a
/// block, or a part of a region of global memory.
struct MemoryRange {
  Block *owner = nullptr;         ///< of shared memory; null: global memory
  const Region *region = nullptr; ///< the owner's, or the buffer's
  uint64_t begin = 0, bytes = 0;  ///< in its space

  uint8_t *host() const { return region->host + (begin - region->base); }
};

/// Who accesses a range, and how. The access is made now, as far as its order
/// after others goes, by the lane that issues it; it counts as done at `epoch`.
struct RangeAccess {
  Epoch epoch;
  AccessKind kind = AccessKind::Read;
  /// Which fences make accesses of the generic proxy known; 0: those of shared
  /// or of global memory, whichever it is.
  uint8_t fenceTarget = 0;
  /// Of who issues it; null: the warp's.
  const WarpClock *clock = nullptr;
};

/// The same for an access through the asynchronous proxy.
void watchRange(ExecutionState &state, unsigned lane, const MemoryRange &range,
                const RangeAccess &access);

/// The same of many pieces of a block's shared memory, `bytes` each.
void watchPieces(ExecutionState &state, unsigned lane, Block &owner,
                 llvm::ArrayRef<uint32_t> addresses, unsigned bytes,
                 const RangeAccess &access);

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_MEMORYACCESS_H
