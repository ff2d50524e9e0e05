//===- ShadowGranule.h - What is known about 16 bytes of memory -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A granule is 16 bytes: a row of an 8x8 matrix, the widest access of a lane,
// four lanes of 4 bytes. Whoever touches a part of it leaves an entry that says
// which bytes, so that neighbours are never mistaken for one another:
//
//   st.shared.b32 by lanes 4 to 7    one entry, all bytes, lane 4 + byte / 4
//   st.shared.b16 by two warps       two entries of two bytes each
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_SHADOWGRANULE_H
#define MIRAGE_LIB_EMULATOR_SHADOWGRANULE_H

#include "ProxyFences.h"

#include "llvm/ADT/bit.h"

namespace mlir::mirage::emulator {

constexpr unsigned granuleBytes = 16;

/// A set of bytes of a granule, the first in the lowest bit.
using ByteMask = uint16_t;
constexpr ByteMask allBytes = 0xffff;

/// The bytes of granule `index` that lie in [begin, end), which reaches it.
inline ByteMask bytesInGranule(uint64_t index, uint64_t begin, uint64_t end) {
  uint64_t base = index * granuleBytes;
  unsigned first = begin > base ? begin - base : 0;
  unsigned last = std::min<uint64_t>(end - base, granuleBytes);
  return ((1u << last) - 1) & ~((1u << first) - 1);
}

/// An atomic read is a relaxed, acquiring or volatile load; Atomic is
/// everything of this kind that writes.
enum class AccessKind : uint32_t { Read, AtomicRead, Write, Atomic };

inline bool isRead(AccessKind kind) { return kind <= AccessKind::AtomicRead; }
inline bool isAtomic(AccessKind kind) {
  return kind == AccessKind::AtomicRead || kind == AccessKind::Atomic;
}

/// Bytes of a granule that one instruction of one agent accessed.
struct ShadowEntry {
  /// When, and by which lane: byte b is of lane `epoch.lane() + (b >>
  /// laneShift)`, or of what it says in place of a lane.
  Epoch epoch;
  uint32_t pc : 24;
  uint32_t laneShift : 4;
  AccessKind kind : 4;
  ByteMask mask = 0; ///< 0: nothing happened
  uint16_t step = 0; ///< of a warp's clock

  ShadowEntry() : pc(0), laneShift(oneLane), kind(AccessKind::Read) {}

  static constexpr unsigned oneLane = 4; ///< a shift: all bytes are of one

  unsigned laneOf(unsigned byte) const {
    unsigned lane = epoch.lane();
    return lane < 32 ? lane + (byte >> laneShift) : lane;
  }

  /// The lanes that some of these bytes are of; all if they were not kept.
  uint32_t lanesOf(ByteMask bytes) const {
    if (epoch.lane() >= 32)
      return ~0u;
    if (laneShift == oneLane)
      return 1u << epoch.lane();
    uint32_t lanes = 0;
    for (uint32_t rest = bytes; rest; rest &= rest - 1)
      lanes |= 1u << laneOf(llvm::countr_zero(rest));
    return lanes;
  }

  /// True if the same lanes did it at the same time, to whichever bytes.
  bool isOfSame(const ShadowEntry &other) const {
    return epoch == other.epoch && step == other.step &&
           laneShift == other.laneShift;
  }
};

static_assert(sizeof(ShadowEntry) == 16, "four of them are a cache line");

struct ShadowGranule {
  /// The last ones. Entries of writes share no byte, but for atomic updates
  /// that nothing orders.
  ShadowEntry write, read;
  /// Agents that did what `read` says, at the same value of their own clocks
  /// and any step: a bit for each of the 32 whose numbers differ from its
  /// agent's in the lowest five bits alone.
  uint32_t otherReaders = 0;
  uint32_t more = 0; ///< 1 + index of a list of further entries; 0: none
  ByteMask everWritten = 0, everRead = 0, everAtomic = 0;

  /// What the agent of a bit of `otherReaders` did.
  ShadowEntry otherReader(unsigned bit) const {
    ShadowEntry other = read;
    other.epoch = other.epoch.withAgent((read.epoch.agent() & ~31u) + bit);
    other.step = unknownStep;
    return other;
  }
};

/// An access that is judged, to one granule after the other.
struct ShadowAccess {
  ShadowEntry entry; ///< its mask is that of the granule at hand
  const WarpClock *clock = nullptr;
  /// Of an access through the asynchronous proxy, the fences so far, and which
  /// of them it takes: accesses of the generic proxy before it need one.
  const ProxyFences *fences = nullptr;
  uint8_t fenceTarget = 0;

  bool isOrdered(const ShadowEntry &before) const {
    return clock->isOrdered(before.epoch);
  }

  /// Bytes of both that another lane of the same warp accessed, with which this
  /// one has not met since.
  ByteMask unsyncedBytes(const ShadowEntry &before) const {
    if (!isOfSameWarpNow(before))
      return 0;
    ByteMask bytes = 0;
    for (uint32_t rest = before.mask & entry.mask; rest; rest &= rest - 1) {
      unsigned byte = llvm::countr_zero(rest), mine = entry.laneOf(byte);
      if (mine != before.laneOf(byte) || mine == severalLanes)
        bytes |= 1u << byte;
    }
    return bytes;
  }

  /// Whether the access, if it is of the asynchronous proxy, may know of an
  /// earlier one that is ordered before it.
  bool isFenced(const ShadowEntry &before) const {
    return !fences || !isGenericAgent(before.epoch.agent()) ||
           findFence(before);
  }

  /// True if the earlier access is behind this one in every respect. What one
  /// granule was found to be, its neighbours mostly are.
  bool isBehind(const ShadowEntry &before) const {
    if (isOfSameWarpNow(before))
      return before.isOfSame(entry) && entry.epoch.lane() != severalLanes;
    if (uint64_t moment = before.epoch.moment(); moment != lastOrdered) {
      if (!isOrdered(before))
        return false;
      lastOrdered = moment;
    }
    return isFenced(before);
  }

private:
  bool isOfSameWarpNow(const ShadowEntry &before) const {
    return before.epoch.moment() == entry.epoch.moment() &&
           before.step == entry.step && isWarpAgent(entry.epoch.agent());
  }
  bool findFence(const ShadowEntry &before) const;

  /// Moments that are ordered before this access, and lanes whose accesses then
  /// are fenced.
  mutable uint64_t lastOrdered = 0, lastFenced = 0;
  mutable uint32_t lastFencedLanes = 0;
};

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_SHADOWGRANULE_H
