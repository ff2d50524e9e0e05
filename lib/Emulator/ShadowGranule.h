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

#include "LaneSets.h"
#include "ProxyFences.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/Compiler.h"

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

/// Bytes of a granule that one instruction of one agent accessed, or several at
/// one time. Two words,
/// which are passed in registers: fields written one by one and read together
/// would wait for memory.
class ShadowEntry {
public:
  ShadowEntry() = default;
  ShadowEntry(const ShadowEntry &) = default;
  /// Word by word, too: a copy of memory at once would make the compiler put
  /// what is in registers there first.
  ShadowEntry &operator=(const ShadowEntry &other) {
    epoch = other.epoch;
    what = other.what;
    return *this;
  }
  ShadowEntry(AccessKind kind, uint32_t pc, uint16_t step)
      : what(uint64_t(kind) << kindAt | uint64_t(pc) << pcAt |
             uint64_t(step) << stepAt) {
    setLaneShift(oneLane);
  }

  /// When, and by which lane: byte b is of lane `epoch.lane() + (b >>
  /// laneShift)`, or of what it says in place of a lane.
  Epoch epoch;

  ByteMask mask() const { return what & maskBits; } ///< 0: nothing happened
  uint16_t step() const { return what >> stepAt; }  ///< of a warp's clock
  uint32_t pc() const { return what >> pcAt & maxPc; }
  unsigned laneShift() const { return what >> shiftAt & maxShift; }
  /// Of `someLanes`, which, in place of a shift.
  unsigned laneSet() const { return what >> shiftAt & maxShift; }
  /// Whether several instructions did it, of which `pc` is the last.
  bool isOfSeveralPcs() const { return what >> severalPcsAt & 1; }
  AccessKind kind() const { return static_cast<AccessKind>(what >> kindAt); }

  void setMask(ByteMask mask) { what = (what & ~maskBits) | mask; }
  void setStep(uint16_t step) {
    what = (what & ~stepBits) | uint64_t(step) << stepAt;
  }
  void setLaneShift(unsigned shift) {
    what = (what & ~shiftBits) | uint64_t(shift) << shiftAt;
  }
  /// All bytes are of these lanes.
  void setLanes(uint32_t lanes, LaneSets &sets) {
    const unsigned code = codeOfLanes(lanes);
    epoch = epoch.withLane(code);
    setLaneShift(code == someLanes ? sets.add(lanes) : oneLane);
  }
  /// What an earlier instruction did at the same time counts as done by this
  /// one, which reports then name.
  void addEarlier(ShadowEntry before) {
    const uint64_t isOther = ((what ^ before.what) & pcBits) != 0;
    what |= (before.what & (maskBits | severalPcsBit)) | isOther
                                                             << severalPcsAt;
  }
  void forgetPc() { what |= pcBits; }
  bool hasPc() const { return (what & pcBits) != pcBits; }

  static constexpr unsigned oneLane = 4; ///< a shift: all bytes are of one
  static constexpr uint32_t maxPc = (1u << 23) - 1; ///< which none has

  unsigned laneOf(unsigned byte) const {
    unsigned lane = epoch.lane();
    return lane < 32 ? lane + (byte >> laneShift()) : lane;
  }

  bool isOfSeveralLanes() const { return epoch.lane() >= 32; }

  /// The lanes that some of these bytes are of; none if they were not kept.
  uint32_t lanesOf(ByteMask bytes, const LaneSets &sets) const {
    if (epoch.lane() == severalLanes)
      return ~0u;
    if (isOfSeveralLanes())
      return epoch.lane() == someLanes
                 ? sets.get(laneSet())
                 : (2u << (epoch.lane() - firstLanes)) - 1;
    if (laneShift() == oneLane)
      return 1u << epoch.lane();
    uint32_t lanes = 0;
    for (uint32_t rest = bytes; rest; rest &= rest - 1)
      lanes |= 1u << laneOf(llvm::countr_zero(rest));
    return lanes;
  }

  /// True if the same lanes did it at the same time, to whichever bytes.
  bool isOfSame(ShadowEntry other) const {
    return epoch == other.epoch &&
           ((what ^ other.what) & (stepBits | shiftBits)) == 0;
  }

  /// True if the same lanes of agents that differ in the lowest five bits of
  /// their numbers at most did it to the same bytes, at one value of their
  /// clocks and any step.
  bool isAlike(ShadowEntry other) const {
    return epoch.isAlike(other.epoch) &&
           ((what ^ other.what) & (maskBits | shiftBits)) == 0;
  }

private:
  static constexpr unsigned stepAt = 16, pcAt = 32, severalPcsAt = 55,
                            shiftAt = 56, kindAt = 62;
  static constexpr uint64_t maskBits = 0xffff,
                            stepBits = uint64_t(0xffff) << stepAt,
                            pcBits = uint64_t(maxPc) << pcAt,
                            severalPcsBit = uint64_t(1) << severalPcsAt,
                            maxShift = (1u << LaneSets::numBits) - 1,
                            shiftBits = maxShift << shiftAt;
  static_assert(shiftAt + LaneSets::numBits == kindAt);
  uint64_t what = 0;
};

struct ShadowGranule {
  /// The last ones. Entries of writes share no byte, but with atomic updates.
  ShadowEntry write, read;
  /// Agents that did what `read` says, at the same value of their own clocks
  /// and any step: a bit for each of the 32 whose numbers differ from its
  /// agent's in the lowest five bits alone.
  uint32_t otherReaders = 0;
  uint32_t more = 0; ///< 1 + index of a list of further entries; 0: none
  ByteMask everWritten = 0, everRead = 0, everAtomic = 0;

  /// What the agent of a bit of `otherReaders` did, by which instruction is not
  /// known.
  ShadowEntry otherReader(unsigned bit) const {
    ShadowEntry other = read;
    other.epoch = other.epoch.withAgent((read.epoch.agent() & ~31u) + bit);
    other.setStep(unknownStep);
    other.forgetPc();
    return other;
  }
};

/// Who accesses granules, one after the other: what is the same for all.
struct ShadowAccess {
  const WarpClock *clock = nullptr;
  /// Of an access through the asynchronous proxy, the fences so far, and which
  /// of them it takes: accesses of the generic proxy before it need one.
  const ProxyFences *fences = nullptr;
  uint8_t fenceTarget = 0;
  /// Those that entries name.
  LaneSets *laneSets = nullptr;
  /// Reads of the generic proxy are kept until their own lanes have read again:
  /// a fence of others, which a write through the asynchronous proxy needs,
  /// says nothing of them.
  bool keepsReaders = false;

  bool isOrdered(ShadowEntry before) const {
    return clock->isOrdered(before.epoch);
  }

  /// Whether `mine`, if it is of the asynchronous proxy, may know of an earlier
  /// access that is ordered before it.
  bool isFenced(ShadowEntry before, ShadowEntry mine) const {
    return !fences || !isGenericAgent(before.epoch.agent()) ||
           findFence(before, mine);
  }

  /// True if the earlier access is behind `mine` in every respect. What one
  /// granule was found to be, its neighbours mostly are.
  LLVM_ATTRIBUTE_ALWAYS_INLINE bool isBehind(ShadowEntry before,
                                             ShadowEntry mine) const {
    const uint64_t moment = before.epoch.moment();
    uint64_t &last = lastOrdered[emulator::isRead(before.kind())];
    if (moment != last) {
      if (moment == mine.epoch.moment())
        return isBehindNow(before, mine);
      if (!isOrdered(before))
        return false;
      last = moment;
    }
    return isFenced(before, mine);
  }

  /// True if whatever must be ordered after the earlier read, and fenced, must
  /// be so after `mine`, which is a read as well.
  bool standsFor(ShadowEntry before, ShadowEntry mine) const {
    if (!isBehind(before, mine))
      return false;
    return fences || !keepsReaders || !isGenericAgent(before.epoch.agent()) ||
           isOfItsLanes(before, mine);
  }
  /// True if it is of the same agent, of lanes that are known and all among
  /// those of `mine`.
  bool isOfItsLanes(ShadowEntry before, ShadowEntry mine) const {
    const uint32_t lanes = lanesOf(before);
    return before.epoch.isOfAgent(mine.epoch) && lanes != 0 &&
           (lanes & ~lanesOf(mine)) == 0;
  }
  uint32_t lanesOf(ShadowEntry entry) const {
    return entry.lanesOf(entry.mask(), *laneSets);
  }

  /// Of an earlier access that is not fenced, the bytes that both are of and
  /// whose own lanes have executed no fence; all where lanes share them.
  ByteMask findUnfencedBytes(ShadowEntry before, ShadowEntry mine) const {
    ByteMask bytes = 0;
    for (uint32_t rest = before.mask() & mine.mask(); rest; rest &= rest - 1) {
      unsigned byte = llvm::countr_zero(rest), lane = before.laneOf(byte);
      if (lane >= 32 || (lastFencedLanes >> lane & 1) == 0)
        bytes |= 1u << byte;
    }
    return bytes;
  }

  /// Bytes of both that another lane of the same warp accessed, with which this
  /// one has not met since.
  static ByteMask findUnsyncedBytes(ShadowEntry before, ShadowEntry mine) {
    if (!isOfSameWarpNow(before, mine))
      return 0;
    ByteMask bytes = 0;
    for (uint32_t rest = before.mask() & mine.mask(); rest; rest &= rest - 1) {
      unsigned byte = llvm::countr_zero(rest), lane = mine.laneOf(byte);
      if (lane != before.laneOf(byte) || mine.isOfSeveralLanes())
        bytes |= 1u << byte;
    }
    return bytes;
  }

private:
  static bool isOfSameWarpNow(ShadowEntry before, ShadowEntry mine) {
    return before.epoch.moment() == mine.epoch.moment() &&
           before.step() == mine.step() && isWarpAgent(mine.epoch.agent());
  }
  /// The same of two accesses at one moment.
  bool isBehindNow(ShadowEntry before, ShadowEntry mine) const {
    if (isOfSameWarpNow(before, mine))
      return before.isOfSame(mine) && !mine.isOfSeveralLanes();
    return isOrdered(before) && isFenced(before, mine);
  }
  bool findFence(ShadowEntry before, ShadowEntry mine) const;

  /// Moments, of writes and of reads, that are ordered before this access; and
  /// one at which the accesses of some lanes are fenced.
  mutable uint64_t lastOrdered[2] = {0, 0}, lastFenced = 0;
  mutable uint32_t lastFencedLanes = 0;
};

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_SHADOWGRANULE_H
