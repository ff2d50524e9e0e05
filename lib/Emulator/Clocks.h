//===- Clocks.h - Happens-before between warps and blocks -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_CLOCKS_H
#define MIRAGE_LIB_EMULATOR_CLOCKS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <map>

namespace mlir::mirage::emulator {

/// Whoever accesses memory in a block, by number. A warp is one agent. What
/// goes on by itself once a warp has started it are others: a copy or a wgmma
/// counts as done when the group is waited for, or the phase of the mbarrier,
/// that it completes. Their "clocks" are the numbers of groups and phases, from
/// 1 on: who has waited for phase n of an mbarrier has the value n for its
/// agent, and so everything of that phase and those before is ordered before
/// what it does.
namespace agents {
constexpr unsigned copies = 32;   ///< cp.async of warp w, by its groups
constexpr unsigned matrices = 64; ///< wgmma of warpgroup g, by its groups
/// What bulk copies of warp w read, and what they write, by bulk groups: those
/// of the lane that was the first to issue one, and, `otherLanes` further,
/// those of all others.
constexpr unsigned bulkReads = 72;
constexpr unsigned bulkWrites = 136;
constexpr unsigned otherLanes = 32;
constexpr unsigned grids = 200; ///< earlier ones: 1 once waited for
/// The mbarriers that warp w has initialised, up to its own clock at a
/// fence.mbarrier_init.
constexpr unsigned inits = 224;
constexpr unsigned mbarriers = 256; ///< copies that complete on mbarrier b
constexpr unsigned end = 1024;
constexpr unsigned maxMBarriers = end - mbarriers;
} // namespace agents

constexpr bool isWarpAgent(unsigned agent) { return agent < agents::copies; }
constexpr bool isInitAgent(unsigned agent) {
  return agent >= agents::inits && agent < agents::mbarriers;
}
/// True for agents whose accesses are of the generic proxy: warps, and
/// cp.async, which is no bulk copy (PTX ISA, "Proxies" in chapter 8).
constexpr bool isGenericAgent(unsigned agent) {
  return agent < agents::matrices || isInitAgent(agent);
}
/// The warp that an agent of the generic proxy belongs to.
constexpr unsigned warpOfAgent(unsigned agent) { return agent & 31; }

/// In place of the lane of an epoch: several lanes did it, to the same bytes.
/// All of the warp, some (LaneSets.h), or `firstLanes + n`: 0 to n.
constexpr unsigned severalLanes = 63, someLanes = 62, firstLanes = 32;

/// What stands for several of the lanes of a set.
inline unsigned codeOfLanes(uint32_t lanes) {
  if (lanes == ~0u)
    return severalLanes;
  bool areFirst = lanes != 0 && (lanes & (lanes + 1)) == 0 && lanes >> 30 == 0;
  return areFirst ? firstLanes + 31 - __builtin_clz(lanes) : someLanes;
}

/// A step of a warp's clock that none has.
constexpr uint16_t unknownStep = UINT16_MAX;

/// When an access happened: which block and agent, and that agent's clock (from
/// 1 on; an epoch of 0 is "never"). FastTrack's epochs (Flanagan and Freund,
/// PLDI 2009), with the lane kept for races inside of a warp.
class Epoch {
public:
  Epoch() = default;
  Epoch(uint32_t block, unsigned agent, unsigned lane, uint32_t clock)
      : bits(uint64_t(block) << 40 | uint64_t(agent) << 30 |
             uint64_t(lane) << 24 | (clock & maxClock)) {}

  /// The same by another lane.
  Epoch withLane(unsigned lane) const {
    Epoch other;
    other.bits = (bits & ~(uint64_t(0x3f) << 24)) | uint64_t(lane) << 24;
    return other;
  }

  bool happened() const { return bits != 0; }
  uint32_t block() const { return bits >> 40; }
  unsigned agent() const { return (bits >> 30) & 0x3ff; }
  unsigned lane() const { return (bits >> 24) & 0x3f; }
  uint32_t clock() const { return bits & maxClock; }
  /// All but the lane, for comparison with others.
  uint64_t moment() const { return bits & ~(uint64_t(0x3f) << 24); }
  /// The same of another agent of the block.
  Epoch withAgent(unsigned agent) const {
    Epoch other;
    other.bits = (bits & ~agentBits(0x3ff)) | agentBits(agent);
    return other;
  }
  /// True if it is of the same agent, at any time.
  bool isOfAgent(Epoch other) const {
    return block() == other.block() && agent() == other.agent();
  }
  /// True if the two differ in the lowest five bits of their agents at most.
  bool isAlike(Epoch other) const {
    return ((bits ^ other.bits) & ~agentBits(31)) == 0;
  }
  bool operator==(const Epoch &other) const { return bits == other.bits; }

  static constexpr uint32_t maxClock = (1u << 24) - 1;

private:
  static constexpr uint64_t agentBits(uint64_t agent) { return agent << 30; }

  uint64_t bits = 0;
};

/// What is known of the agents of one block: for each, up to which of its clock
/// values everything happened before. Agents that nobody has heard of have
/// none.
class AgentClocks {
public:
  AgentClocks() : clocks(agents::matrices, 0) {}

  uint32_t operator[](unsigned agent) const {
    return agent < clocks.size() ? clocks[agent] : 0;
  }
  /// Everything of the agent up to this clock value happened before.
  void raise(unsigned agent, uint32_t clock) {
    if (agent >= clocks.size())
      clocks.resize(agent + 1, 0);
    clocks[agent] = std::max(clocks[agent], clock);
  }

  /// How many proxy fences of a warp are known to have been executed before: of
  /// what it did in front of them, the asynchronous proxy may know.
  uint32_t getFences(unsigned warp) const {
    return warp < fences.size() ? fences[warp] : 0;
  }
  void raiseFences(unsigned warp, uint32_t number) {
    if (warp >= fences.size())
      fences.resize(warp + 1, 0);
    fences[warp] = std::max(fences[warp], number);
  }

  void join(const AgentClocks &other) {
    joinInto(clocks, other.clocks);
    joinInto(fences, other.fences);
  }

  /// Keeps what both know.
  void meet(const AgentClocks &other) {
    for (unsigned agent = 0; agent < clocks.size(); ++agent)
      clocks[agent] = std::min(clocks[agent], other[agent]);
    for (unsigned warp = 0; warp < fences.size(); ++warp)
      fences[warp] = std::min(fences[warp], other.getFences(warp));
  }

private:
  template <typename Vector>
  static void joinInto(Vector &to, const Vector &from) {
    if (from.size() > to.size())
      to.resize(from.size(), 0);
    uint32_t *result = to.data();
    const uint32_t *source = from.data();
    for (size_t i = 0, count = from.size(); i < count; ++i)
      result[i] = std::max(result[i], source[i]);
  }

  llvm::SmallVector<uint32_t, agents::matrices> clocks;
  llvm::SmallVector<uint32_t, 0> fences; ///< by warp
};

/// A vector clock. Agents of other blocks appear only once something was
/// acquired from them.
struct VectorClock {
  AgentClocks own;
  std::map<uint32_t, AgentClocks> foreign; ///< by block number

  void join(const VectorClock &other) {
    own.join(other.own);
    for (const auto &[block, clocks] : other.foreign)
      foreign[block].join(clocks);
  }

  /// Keeps what both know.
  void meet(const VectorClock &other) {
    own.meet(other.own);
    for (auto it = foreign.begin(); it != foreign.end();) {
      auto known = other.foreign.find(it->first);
      if (known == other.foreign.end()) {
        it = foreign.erase(it);
        continue;
      }
      (it++)->second.meet(known->second);
    }
  }
};

/// What happened before in each of several blocks, by their numbers.
using BlockClocks = std::map<uint32_t, AgentClocks>;

/// What a release left at an address, for whoever acquires it.
struct SyncRecord {
  uint32_t block = 0;      ///< whose `clock.own` it is
  bool blockScope = false; ///< only the same block may use it
  VectorClock clock;

  void addTo(BlockClocks &clocks) const {
    clocks[block].join(clock.own);
    for (const auto &[other, known] : clock.foreign)
      clocks[other].join(known);
  }
};

/// The clocks of one warp.
class WarpClock {
public:
  void reset(uint32_t blockNumber, unsigned warpIndex) {
    vector = VectorClock();
    block = blockNumber;
    warp = warpIndex;
    vector.own.raise(warp, 1);
    isDirty = false;
    numMeetings = 0;
  }

  uint32_t clock() const { return vector.own[warp]; }
  /// How often lanes of the warp have met since the clock ticked: what other
  /// warps need not know, whose clocks so stay alike where they do the same.
  uint16_t step() const { return numMeetings; }
  Epoch epoch(unsigned lane) const { return {block, warp, lane, clock()}; }

  /// True if what happened then is ordered before what this warp does now.
  bool isOrdered(Epoch epoch) const {
    const AgentClocks *known = find(epoch.block());
    return known && epoch.clock() <= (*known)[epoch.agent()];
  }

  /// Up to which clock value of an agent everything happened before.
  uint32_t known(uint32_t ofBlock, unsigned agent) const {
    const AgentClocks *clocks = find(ofBlock);
    return clocks ? (*clocks)[agent] : 0;
  }

  /// Whether an agent that each block has one of is known from any of them.
  bool isKnownOfAny(unsigned agent) const {
    return vector.own[agent] != 0 ||
           std::any_of(
               vector.foreign.begin(), vector.foreign.end(),
               [&](const auto &entry) { return entry.second[agent] != 0; });
  }

  /// Whether anything was acquired from this block, or it is the warp's own.
  bool hasHeardOf(uint32_t number) const { return find(number) != nullptr; }

  /// How many proxy fences of a warp are ordered before what this one does now.
  uint32_t countFences(uint32_t ofBlock, unsigned ofWarp) const {
    const AgentClocks *known = find(ofBlock);
    return known ? known->getFences(ofWarp) : 0;
  }

  /// After the clock was handed out: later accesses are not covered by it.
  void tick() {
    if (clock() < Epoch::maxClock)
      vector.own.raise(warp, clock() + 1);
    isDirty = false;
    numMeetings = 0;
  }
  /// Lanes of the warp have met: what one of them did is before what others do.
  void meetLanes() {
    if (!isDirty)
      return;
    if (numMeetings + 1 == unknownStep)
      return tick();
    ++numMeetings;
    isDirty = false;
  }
  void noteAccess() { isDirty = true; }

  void acquire(const SyncRecord &record) {
    if (record.block == block) {
      vector.join(record.clock);
      return;
    }
    if (record.blockScope)
      return;
    vector.foreign[record.block].join(record.clock.own);
    for (const auto &[other, clocks] : record.clock.foreign)
      at(other).join(clocks);
  }

  /// Hands out all that the warp knows. What it does next, before a tick, would
  /// be covered.
  void hand(BlockClocks &clocks) const {
    clocks[block].join(vector.own);
    for (const auto &[other, known] : vector.foreign)
      clocks[other].join(known);
  }
  void release(BlockClocks &clocks) {
    hand(clocks);
    tick();
  }
  void acquire(const BlockClocks &clocks) {
    for (const auto &[other, known] : clocks)
      at(other).join(known);
  }

  /// What an agent of this block or another did up to `clock` happened before.
  void raise(uint32_t ofBlock, unsigned agent, uint32_t clock) {
    at(ofBlock).raise(agent, clock);
  }
  void raiseFences(unsigned ofWarp, uint32_t number) {
    vector.own.raiseFences(ofWarp, number);
  }

  /// The clock of several warps of a block that do something together: it knows
  /// what all of them know. Starts with this warp.
  WarpClock startGroup() const {
    WarpClock clock = *this;
    clock.warp = agents::end;
    return clock;
  }
  void addToGroup(const WarpClock &other) { vector.meet(other.vector); }

  VectorClock vector;

private:
  const AgentClocks *find(uint32_t number) const {
    if (number == block)
      return &vector.own;
    auto found = vector.foreign.find(number);
    return found == vector.foreign.end() ? nullptr : &found->second;
  }
  AgentClocks &at(uint32_t number) {
    return number == block ? vector.own : vector.foreign[number];
  }

  uint32_t block = 0;
  unsigned warp = 0;
  bool isDirty = false;
  uint16_t numMeetings = 0;
};

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_CLOCKS_H
