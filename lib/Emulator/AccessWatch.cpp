//===- AccessWatch.cpp - Checks accesses against the shadow ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EarlierWrites.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir::mirage::emulator;
using llvm::formatv;

namespace {

/// Judges accesses of one instruction to granules of one memory, reports what
/// is wrong with them, and writes them down.
class GranuleWatcher {
public:
  /// \param reads  what was there matters, and earlier launches have not
  /// written
  ///                all of it. Bytes of shared memory start undefined, and
  ///                those of some buffers.
  GranuleWatcher(ExecutionState &state, const Region &region, Block *owner,
                 Shadow &shadow, bool reads)
      : state(state), region(region), owner(owner), shadow(shadow),
        mustBeDefined(reads && state.worker->watchesAll() &&
                      (owner || region.startsUndefined)) {}

  /// Granules from `first` on, one after the other: the lanes of each are
  /// `lanesApart` behind those of the one before. Lanes of one instruction that
  /// access the same bytes are one visit: no lane is taken for an earlier
  /// access of another. \param lane  for reports, where `mine` names none.
  void watch(uint64_t first, unsigned count, const ShadowAccess &access,
             ShadowEntry mine, unsigned lanesApart, unsigned lane) {
    const Epoch start = mine.epoch;
    for (unsigned i = 0;; ++i) {
      mine.epoch = start.withLane(start.lane() + i * lanesApart);
      i += tryAll(first + i, count - i, access, mine, lanesApart);
      if (i == count)
        return;
      mine.epoch = start.withLane(start.lane() + i * lanesApart);
      watchClosely(first + i, access, mine, lane);
    }
  }
  void watch(uint64_t index, const ShadowAccess &access, ShadowEntry mine,
             unsigned lane) {
    if (mine.kind() == AccessKind::Read &&
        shadow.tryRead(index, access, mine, mustBeDefined))
      return;
    if (mine.kind() == AccessKind::Write &&
        shadow.tryWrite(index, access, mine))
      return;
    watchClosely(index, access, mine, lane);
  }

private:
  unsigned tryAll(uint64_t first, unsigned count, const ShadowAccess &access,
                  ShadowEntry mine, unsigned lanesApart) {
    if (mine.kind() == AccessKind::Read)
      return shadow.tryReads(first, count, access, mine, lanesApart,
                             mustBeDefined);
    if (mine.kind() == AccessKind::Write)
      return shadow.tryWrites(first, count, access, mine, lanesApart);
    return 0;
  }

  LLVM_ATTRIBUTE_NOINLINE void watchClosely(uint64_t index,
                                            const ShadowAccess &access,
                                            ShadowEntry mine, unsigned lane) {
    if (mustBeDefined)
      checkDefined(index, mine, lane);
    check(index, access, mine, lane);
    shadow.record(index, access, mine);
  }

  void checkDefined(uint64_t index, ShadowEntry entry, unsigned lane) {
    ByteMask missing = shadow.unwritten(index) & entry.mask();
    if (missing && !region.written.empty())
      missing &= ~findWrittenBefore(region, index);
    if (!missing)
      return;
    state.report(FindingKind::UninitializedRead, laneOf(entry, missing, lane),
                 [&]() -> std::string {
                   return formatv("read of {0}, which nobody has written",
                                  describePlace(index, missing));
                 });
  }

  void check(uint64_t index, const ShadowAccess &access, ShadowEntry mine,
             unsigned lane) {
    ShadowVerdict verdict = shadow.check(index, access, mine);
    if (verdict.kind == ShadowVerdict::Kind::None)
      return;
    state.report(
        findingKind(verdict.kind), laneOf(mine, verdict.bytes, lane),
        [&] { return describe(index, access, mine, verdict); },
        verdict.other.hasPc() ? verdict.other.pc() : noPc);
  }

  FindingKind findingKind(ShadowVerdict::Kind verdict) const {
    if (verdict == ShadowVerdict::Kind::IntraWarp)
      return FindingKind::IntraWarpRace;
    if (verdict == ShadowVerdict::Kind::Unfenced)
      return FindingKind::MissingProxyFence;
    return owner ? FindingKind::SharedRace : FindingKind::GlobalRace;
  }

  /// The lane that accessed the first of some bytes; `lane` if several did.
  static unsigned laneOf(ShadowEntry entry, ByteMask bytes, unsigned lane) {
    unsigned first = entry.laneOf(llvm::countr_zero(bytes));
    return first < warpSize ? first : lane;
  }

  std::string describePlace(uint64_t index, ByteMask bytes) const {
    uint64_t address = index * granuleBytes + llvm::countr_zero(bytes);
    if (!owner)
      return formatv("byte {0} of {1}", address - region.base,
                     describeBuffer(state.worker->launch, region));
    if (owner == state.block)
      return formatv("shared byte {0}", address);
    return formatv("shared byte {0} of block {1} of the cluster", address,
                   owner->rank);
  }

  std::string describeAgent(const ShadowVerdict &verdict) const {
    const Epoch &other = verdict.other.epoch;
    if (verdict.kind == ShadowVerdict::Kind::IntraWarp)
      return "another lane of the same warp";
    std::string who = describeAgent(other.agent());
    if (other.block() != uint32_t(state.block->number))
      who += formatv(" of block number {0}", other.block());
    // The line of one is all that is known.
    if (verdict.other.isOfSeveralPcs())
      who += ", the last of several beside one another";
    return who;
  }

  static std::string describeAgent(unsigned agent) {
    if (isWarpAgent(agent) || isInitAgent(agent))
      return formatv("warp {0}", warpOfAgent(agent));
    if (agent < agents::matrices)
      return formatv("a cp.async of warp {0}", agent - agents::copies);
    if (agent < agents::bulkReads)
      return formatv("a wgmma of warpgroup {0}", agent - agents::matrices);
    if (agent < agents::bulkWrites)
      return formatv("a bulk copy of warp {0}",
                     (agent - agents::bulkReads) % agents::otherLanes);
    if (agent < agents::mbarriers)
      return formatv("a bulk copy of warp {0}",
                     (agent - agents::bulkWrites) % agents::otherLanes);
    return "a copy that completes on an mbarrier";
  }

  std::string describe(uint64_t index, const ShadowAccess &access,
                       ShadowEntry entry, const ShadowVerdict &verdict) {
    AccessKind kind = entry.kind();
    const char *mine = isRead(kind)                ? "read"
                       : kind == AccessKind::Write ? "write"
                                                   : "atomic update";
    const char *others = isRead(verdict.other.kind()) ? "read" : "write";
    std::string place = describePlace(index, verdict.bytes),
                who = describeAgent(verdict);
    bool isOfMaps = access.fenceTarget == fencesTensorMap;
    if (verdict.kind == ShadowVerdict::Kind::Unfenced)
      return formatv(
          "{0} of {1} {2}, and an earlier {3} by {4}, which executed "
          "no fence.proxy.{5} between it and what orders the two",
          mine, place,
          isOfMaps ? "as a tensor map" : "through the asynchronous proxy",
          others, who, isOfMaps ? "tensormap::generic.release" : "async");
    return formatv("{0} of {1}, and an earlier {2} by {3}, with no "
                   "synchronization between them",
                   mine, place, others, who);
  }

  ExecutionState &state;
  const Region &region;
  Block *owner;
  Shadow &shadow;
  const bool mustBeDefined;
};

/// Checks and writes down one warp access, granule by granule.
class Watcher {
public:
  Watcher(ExecutionState &state, const AccessRequest &request,
          const MemoryAccess &access, Shadow &shadow)
      : state(state), request(request), access(access),
        granules(state, *access.region, access.owner, shadow,
                 (isRead(request.kind) || request.readsOld) &&
                     !wereWrittenBefore(access)) {
    who.clock = &state.warp->clock;
    who.keepsReaders = state.worker->launch.kernel.usesAsyncProxy;
    who.laneSets = &state.worker->laneSets;
  }

  void run() {
    if (isConsecutive())
      watchConsecutive();
    else if (access.bytes >= granuleBytes)
      watchWholeGranules();
    else
      watchGroups();
    state.warp->clock.noteAccess();
  }

private:
  /// When a lane's access counts as done.
  Epoch epochOf(unsigned lane) const {
    return (request.epochs ? (*request.epochs)[lane] : now).withLane(lane);
  }
  /// That it is one of several lanes that do the same.
  void setRepeated(ShadowEntry &mine, unsigned lane) {
    if (access.repeatedLanes >> lane & 1)
      mine.setLanes(findFollowers(lane), *who.laneSets);
  }
  /// The lanes that name the same address, of which this is the first.
  uint32_t findFollowers(unsigned lane) const {
    if (access.firstLanes == 1u << lane)
      return access.mask;
    uint32_t lanes = 0;
    for (unsigned other = 0; other < warpSize; ++other)
      lanes |= uint32_t(access.address[other] == access.address[lane]) << other;
    return lanes & access.mask;
  }

  bool isConsecutive() const {
    return access.isContiguous && access.address[0] % granuleBytes == 0 &&
           !request.unusedBytes && !request.epochs;
  }

  ShadowEntry startEntry() const {
    static_assert(maxInstructions <= ShadowEntry::maxPc);
    return {request.kind, state.pc, state.warp->clock.step()};
  }

  /// All lanes, side by side from the start of a granule on.
  void watchConsecutive() {
    const unsigned shift = llvm::Log2_32(access.bytes);
    const unsigned laneShift = std::min(shift, ShadowEntry::oneLane);
    ShadowEntry mine = startEntry();
    mine.setMask(allBytes);
    mine.setLaneShift(laneShift);
    mine.epoch = now.withLane(0);
    if (shift <= ShadowEntry::oneLane) {
      granules.watch(access.address[0] / granuleBytes,
                     warpSize << shift >> ShadowEntry::oneLane, who, mine,
                     granuleBytes >> shift, /*lane=*/0);
      return;
    }
    // Of wider accesses each lane has some.
    const unsigned each = access.bytes / granuleBytes;
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      mine.epoch = now.withLane(lane);
      granules.watch(access.address[lane] / granuleBytes, each, who, mine,
                     /*lanesApart=*/0, lane);
    }
  }

  /// What is written down may be anything as far as the compiler knows: what
  /// stays the same is read once.
  void watchWholeGranules() {
    const uint32_t unused = request.unusedBytes;
    const unsigned count = access.bytes / granuleBytes;
    const std::array<Epoch, warpSize> *epochs = request.epochs;
    const uint64_t *addresses = access.address.data();
    const Epoch byWarp = now;
    ShadowEntry mine = startEntry();
    mine.setMask(allBytes);
    const bool isWhole = count == 1 && unused == 0;
    for (uint32_t rest = access.firstLanes; rest; rest &= rest - 1) {
      unsigned lane = llvm::countr_zero(rest);
      const Epoch epoch = epochs ? (*epochs)[lane] : byWarp;
      mine.epoch = epoch.withLane(lane);
      mine.setLaneShift(ShadowEntry::oneLane);
      setRepeated(mine, lane);
      const uint64_t first = addresses[lane] / granuleBytes;
      if (isWhole) {
        granules.watch(first, who, mine, lane);
        continue;
      }
      for (unsigned i = 0; i < count; ++i) {
        mine.setMask(~(unused >> granuleBytes * i));
        if (mine.mask())
          granules.watch(first + i, who, mine, lane);
      }
    }
  }

  /// Lanes side by side in one granule are one visit.
  void watchGroups() {
    const unsigned bytes = access.bytes, shift = llvm::Log2_32(bytes);
    const unsigned used = ~request.unusedBytes & ((1u << bytes) - 1);
    for (uint32_t rest = access.firstLanes; rest;) {
      unsigned lane = llvm::countr_zero(rest), next = lane + 1;
      uint64_t address = access.address[lane];
      unsigned offset = address % granuleBytes, slot = offset >> shift;
      ByteMask mask = used << offset;
      ShadowEntry mine = startEntry();
      mine.epoch = epochOf(lane);
      if (lane >= slot && isFollowed(lane)) {
        mine.epoch = mine.epoch.withLane(lane - slot);
        mine.setLaneShift(shift);
        while ((offset += bytes) < granuleBytes && isFollowed(next - 1)) {
          mask |= used << offset;
          ++next;
        }
      }
      mine.setMask(mask);
      setRepeated(mine, lane);
      rest = next < warpSize ? rest >> next << next : 0;
      if (mask)
        granules.watch(address / granuleBytes, who, mine, lane);
    }
  }

  /// Whether the next lane accesses what lies right behind that of `lane`, at
  /// the same time, and no other lane accesses the same as either.
  bool isFollowed(unsigned lane) const {
    const unsigned next = lane + 1;
    return next < warpSize && (access.firstLanes >> next & 1) &&
           (access.repeatedLanes >> lane & 3) == 0 &&
           access.address[next] == access.address[lane] + access.bytes &&
           (!request.epochs ||
            epochOf(next).moment() == epochOf(lane).moment());
  }

  ExecutionState &state;
  const AccessRequest &request;
  const MemoryAccess &access;
  GranuleWatcher granules;
  const Epoch now = state.warp->clock.epoch(0);
  ShadowAccess who;
};

/// The shadow of shared memory, or of global memory that somebody may write;
/// null for what nobody does.
Shadow *findShadow(ExecutionState &state, Block *owner, const Region *region) {
  if (!state.worker->watchesRaces() || !region)
    return nullptr;
  if (owner)
    return &owner->sharedShadow;
  return region->isShadowed ? &state.worker->globalShadow : nullptr;
}

/// Reports an access of global memory that a grid before this one may still be
/// using. `bytes` from `begin` on, in the region.
void checkEarlierGrids(ExecutionState &state, unsigned lane,
                       const Region &region, uint64_t begin, uint64_t bytes,
                       AccessKind kind) {
  bool hasWaited = state.warp->clock.isKnownOfAny(agents::grids);
  const EarlierGrids::Use *use = state.worker->launch.earlierGrids.findConflict(
      begin, begin + bytes, !isRead(kind), hasWaited);
  if (!use)
    return;
  state.report(FindingKind::GlobalRace, lane, [&]() -> std::string {
    return formatv(
        "{0} of byte {1} of {2}, which an earlier grid {3} and may not have "
        "ended: expected {4}",
        isRead(kind) ? "read" : "write",
        std::max(begin, use->begin) - region.base,
        describeBuffer(state.worker->launch, region),
        use->isWrite ? "writes" : "reads",
        use->endsAtWait ? "griddepcontrol.wait before it"
                        : "each grid between the two to execute "
                          "griddepcontrol.wait");
  });
}

bool hasEarlierGrids(const ExecutionState &state) {
  return state.worker->watchesRaces() &&
         !state.worker->launch.earlierGrids.empty();
}

} // namespace

void mlir::mirage::emulator::watchAccess(ExecutionState &state,
                                         const AccessRequest &request,
                                         const MemoryAccess &access) {
  if (hasEarlierGrids(state) && access.space == Space::Global)
    for (uint32_t rest = access.mask; rest; rest &= rest - 1) {
      unsigned lane = llvm::countr_zero(rest);
      checkEarlierGrids(state, lane, *access.region, access.address[lane],
                        access.bytes, request.kind);
    }
  if (Shadow *shadow = findShadow(state, access.owner, access.region))
    Watcher(state, request, access, *shadow).run();
}

namespace {

/// An access through the asynchronous proxy, to any number of ranges.
class RangeWatcher {
public:
  RangeWatcher(ExecutionState &state, unsigned lane, const Region &region,
               Block *owner, Shadow &shadow, const RangeAccess &access,
               bool reads)
      : lane(lane), granules(state, region, owner, shadow, reads),
        mine(access.kind, state.pc, state.warp->clock.step()) {
    mine.epoch = access.epoch;
    who.clock = access.clock ? access.clock : &state.warp->clock;
    who.fences = &state.worker->proxyFences;
    who.laneSets = &state.worker->laneSets;
    who.fenceTarget = access.fenceTarget ? access.fenceTarget
                      : owner            ? fencesShared
                                         : fencesGlobal;
  }

  void run(uint64_t begin, uint64_t bytes) {
    const uint64_t end = begin + bytes;
    uint64_t index = begin / granuleBytes;
    if (begin % granuleBytes != 0 || bytes <= granuleBytes)
      watchPart(index++, begin, end);
    if (uint64_t last = end / granuleBytes; index < last) {
      mine.setMask(allBytes);
      granules.watch(index, last - index, who, mine, /*lanesApart=*/0, lane);
      index = last;
    }
    if (index * granuleBytes < end)
      watchPart(index, begin, end);
  }

private:
  void watchPart(uint64_t index, uint64_t begin, uint64_t end) {
    mine.setMask(bytesInGranule(index, begin, end));
    granules.watch(index, who, mine, lane);
  }

  unsigned lane;
  GranuleWatcher granules;
  ShadowEntry mine;
  ShadowAccess who;
};

} // namespace

void mlir::mirage::emulator::watchRange(ExecutionState &state, unsigned lane,
                                        const MemoryRange &range,
                                        const RangeAccess &access) {
  if (hasEarlierGrids(state) && !range.owner)
    checkEarlierGrids(state, lane, *range.region, range.begin, range.bytes,
                      access.kind);
  Shadow *shadow = findShadow(state, range.owner, range.region);
  if (!shadow || range.bytes == 0)
    return;
  bool reads = isRead(access.kind) &&
               !wereWrittenBefore(*range.region, range.begin, range.bytes);
  RangeWatcher(state, lane, *range.region, range.owner, *shadow, access, reads)
      .run(range.begin, range.bytes);
}

void mlir::mirage::emulator::watchPieces(ExecutionState &state, unsigned lane,
                                         Block &owner,
                                         llvm::ArrayRef<uint32_t> addresses,
                                         unsigned bytes,
                                         const RangeAccess &access) {
  const Region &region = owner.sharedRegion;
  Shadow *shadow = findShadow(state, &owner, &region);
  if (!shadow)
    return;
  RangeWatcher watcher(state, lane, region, &owner, *shadow, access,
                       isRead(access.kind));
  for (uint32_t address : addresses)
    watcher.run(address, bytes);
}
