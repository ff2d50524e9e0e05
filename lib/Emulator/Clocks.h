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

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <map>

namespace mlir::mirage::emulator {

/// Whoever accesses memory in a block: warp w is agent w, what warp w copies
/// with cp.async is agent 32 + w. More asynchronous agents go behind these.
constexpr unsigned numAgents = 64;
constexpr unsigned copyAgent(unsigned warp) { return 32 + warp; }

/// Lanes of an epoch that are no lane: several lanes did it, or bytes of one
/// word belong to lanes that were not kept apart.
constexpr unsigned severalLanes = 62, unknownLane = 63;

/// When an access happened: which block and agent, and that agent's clock (from
/// 1 on; an epoch of 0 is "never"). FastTrack's epochs (Flanagan and Freund,
/// PLDI 2009), with the lane kept for races inside of a warp.
class Epoch {
public:
  Epoch() = default;
  Epoch(uint32_t block, unsigned agent, unsigned lane, uint32_t clock)
      : bits(uint64_t(block) << 40 | uint64_t(agent) << 32 |
             uint64_t(lane) << 26 | (clock & maxClock)) {}

  /// The same by another lane.
  Epoch withLane(unsigned lane) const {
    Epoch other;
    other.bits = (bits & ~(uint64_t(0x3f) << 26)) | uint64_t(lane) << 26;
    return other;
  }

  bool happened() const { return bits != 0; }
  uint32_t block() const { return bits >> 40; }
  unsigned agent() const { return (bits >> 32) & 0xff; }
  unsigned lane() const { return (bits >> 26) & 0x3f; }
  uint32_t clock() const { return bits & maxClock; }
  bool operator==(const Epoch &other) const { return bits == other.bits; }

  static constexpr uint32_t maxClock = (1u << 26) - 1;

private:
  uint64_t bits = 0;
};

using AgentClocks = std::array<uint32_t, numAgents>;

/// A vector clock: for each agent, up to which of its clock values everything
/// happened before. Agents of other blocks appear only once something was
/// acquired from them.
struct VectorClock {
  AgentClocks own = {};
  std::map<uint32_t, AgentClocks> foreign; ///< by block number

  void join(const VectorClock &other) {
    joinAgents(own, other.own);
    for (const auto &[block, clocks] : other.foreign)
      joinAgents(foreign[block], clocks);
  }

  static void joinAgents(AgentClocks &to, const AgentClocks &from) {
    for (unsigned agent = 0; agent < numAgents; ++agent)
      to[agent] = std::max(to[agent], from[agent]);
  }
};

/// What a release left at an address, for whoever acquires it.
struct SyncRecord {
  uint32_t block = 0;      ///< whose `clock.own` it is
  bool blockScope = false; ///< only the same block may use it
  VectorClock clock;
};

/// What happened before in each of several blocks, by their numbers.
using BlockClocks = std::map<uint32_t, AgentClocks>;

/// The clocks of one warp.
class WarpClock {
public:
  void reset(uint32_t blockNumber, unsigned warpIndex) {
    vector = VectorClock();
    block = blockNumber;
    warp = warpIndex;
    vector.own[warp] = 1;
    isDirty = false;
  }

  uint32_t clock() const { return vector.own[warp]; }
  Epoch epoch(unsigned lane) const { return {block, warp, lane, clock()}; }

  /// True if what happened then is ordered before what this warp does now.
  bool isOrdered(Epoch epoch) const {
    if (epoch.block() == block)
      return epoch.clock() <= vector.own[epoch.agent()];
    auto found = vector.foreign.find(epoch.block());
    return found != vector.foreign.end() &&
           epoch.clock() <= found->second[epoch.agent()];
  }

  /// True if another lane of this warp did it and the lanes have not met since.
  bool isUnsyncedLane(Epoch epoch, unsigned lane) const {
    return epoch.block() == block && epoch.agent() == warp &&
           epoch.clock() == clock() && epoch.lane() != unknownLane &&
           lane != unknownLane &&
           (epoch.lane() != lane || lane == severalLanes);
  }

  /// After the clock was handed out: later accesses are not covered by it.
  void tick() {
    if (clock() < Epoch::maxClock)
      ++vector.own[warp];
    isDirty = false;
  }
  /// Lanes of the warp have met: what one of them did is before what others do.
  void meetLanes() {
    if (isDirty)
      tick();
  }
  void noteAccess() { isDirty = true; }

  void acquire(const SyncRecord &record) {
    if (record.block == block) {
      vector.join(record.clock);
      return;
    }
    if (record.blockScope)
      return;
    VectorClock::joinAgents(vector.foreign[record.block], record.clock.own);
    for (const auto &[other, clocks] : record.clock.foreign) {
      if (other == block)
        continue; // this block's own past, known already or none of its
                  // business
      VectorClock::joinAgents(vector.foreign[other], clocks);
    }
  }

  /// Hands out all that the warp knows.
  void release(BlockClocks &clocks) {
    VectorClock::joinAgents(clocks[block], vector.own);
    for (const auto &[other, known] : vector.foreign)
      VectorClock::joinAgents(clocks[other], known);
    tick();
  }
  void acquire(const BlockClocks &clocks) {
    for (const auto &[other, known] : clocks)
      VectorClock::joinAgents(
          other == block ? vector.own : vector.foreign[other], known);
  }

  VectorClock vector;

private:
  uint32_t block = 0;
  unsigned warp = 0;
  bool isDirty = false;
};

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_CLOCKS_H
