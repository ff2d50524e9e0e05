//===- AccessWatch.cpp - Checks accesses against the shadow ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir::mirage::emulator;
using llvm::formatv;

namespace {

/// Judges accesses of one instruction to words of one memory, and reports what
/// is wrong with them.
class WordJudge {
public:
  WordJudge(ExecutionState &state, const Region &region, Block *owner,
            Shadow &shadow, AccessKind kind)
      : state(state), region(region), owner(owner), shadow(shadow), kind(kind) {
  }

  void checkDefined(uint64_t word, uint8_t mask, unsigned lane) {
    uint8_t missing = shadow.unwritten(word) & mask;
    if (!missing)
      return;
    state.report(FindingKind::UninitializedRead, lane, [&]() -> std::string {
      return formatv("read of {0}, which nobody has written",
                     describePlace(word, missing));
    });
  }

  void check(uint64_t word, unsigned lane, const ShadowAccess &access) {
    ShadowVerdict verdict = shadow.check(word, access);
    if (verdict.kind == ShadowVerdict::Kind::None)
      return;
    state.report(
        findingKind(verdict.kind), lane,
        [&] { return describe(word, access, verdict); }, verdict.otherPc);
  }

  /// Bytes of shared memory start undefined, and those of some buffers.
  bool mustBeDefined() const {
    return state.worker->watchesAll() && (owner || region.startsUndefined);
  }

private:
  FindingKind findingKind(ShadowVerdict::Kind verdict) const {
    if (verdict == ShadowVerdict::Kind::IntraWarp)
      return FindingKind::IntraWarpRace;
    if (verdict == ShadowVerdict::Kind::Unfenced)
      return FindingKind::MissingProxyFence;
    return owner ? FindingKind::SharedRace : FindingKind::GlobalRace;
  }

  std::string describePlace(uint64_t word, uint8_t mask) const {
    uint64_t address = word * 4 + llvm::countr_zero(mask);
    if (!owner)
      return formatv("byte {0} of {1}", address - region.base,
                     describeBuffer(state.worker->launch, region));
    if (owner == state.block)
      return formatv("shared byte {0}", address);
    return formatv("shared byte {0} of block {1} of the cluster", address,
                   owner->rank);
  }

  std::string describeAgent(const ShadowVerdict &verdict) const {
    const Epoch &other = verdict.other;
    if (verdict.kind == ShadowVerdict::Kind::IntraWarp)
      return "another lane of the same warp";
    std::string who = describeAgent(other.agent());
    if (other.block() != uint32_t(state.block->number))
      who += formatv(" of block number {0}", other.block());
    return who;
  }

  static std::string describeAgent(unsigned agent) {
    if (agent < agents::copies)
      return formatv("warp {0}", agent);
    if (agent < agents::matrices)
      return formatv("a cp.async of warp {0}", agent - agents::copies);
    if (agent < agents::bulkReads)
      return formatv("a wgmma of warpgroup {0}", agent - agents::matrices);
    if (agent < agents::bulkWrites)
      return formatv("a bulk copy of warp {0}", agent - agents::bulkReads);
    if (agent < agents::mbarriers)
      return formatv("a bulk copy of warp {0}", agent - agents::bulkWrites);
    return "a copy that completes on an mbarrier";
  }

  std::string describe(uint64_t word, const ShadowAccess &access,
                       const ShadowVerdict &verdict) {
    const char *mine = isRead(kind)                ? "read"
                       : kind == AccessKind::Write ? "write"
                                                   : "atomic update";
    const char *others = verdict.otherWasWrite ? "write" : "read";
    std::string place = describePlace(word, access.mask),
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
  AccessKind kind;
};

/// Checks and writes down one warp access, word by word.
class Watcher {
public:
  Watcher(ExecutionState &state, const AccessRequest &request,
          const MemoryAccess &access, Shadow &shadow)
      : state(state), request(request), access(access), shadow(shadow),
        judge(state, *access.region, access.owner, shadow, request.kind) {}

  void run() {
    if (request.kind == AccessKind::Read)
      return runRead();
    // First judge all lanes, then write down: lanes of one instruction are no
    // earlier access of one another.
    if (isRead(request.kind) && judge.mustBeDefined())
      forEachWord([&](uint64_t word, uint8_t mask, unsigned lane, Epoch) {
        judge.checkDefined(word, mask, lane);
      });
    ShadowAccess one{&state.warp->clock, Epoch(), state.pc, request.kind, 0};
    forEachWord([&](uint64_t word, uint8_t mask, unsigned lane, Epoch epoch) {
      one.epoch = epoch;
      one.mask = mask;
      judge.check(word, lane, one);
    });
    forEachWord([&](uint64_t word, uint8_t mask, unsigned, Epoch epoch) {
      one.epoch = epoch;
      one.mask = mask;
      shadow.record(word, one);
    });
    state.warp->clock.noteAccess();
  }

private:
  /// Reads do not conflict with one another: one pass will do.
  void runRead() {
    const bool mustBeDefined = judge.mustBeDefined();
    ShadowAccess one{&state.warp->clock, Epoch(), state.pc, AccessKind::Read,
                     0};
    forEachWord([&](uint64_t word, uint8_t mask, unsigned lane, Epoch epoch) {
      one.epoch = epoch;
      one.mask = mask;
      if (shadow.tryRead(word, one, mustBeDefined))
        return;
      if (mustBeDefined)
        judge.checkDefined(word, mask, lane);
      judge.check(word, lane, one);
      shadow.record(word, one);
    });
    state.warp->clock.noteAccess();
  }

  /// Visits the words that the lanes touch; neighbours' parts of one word are
  /// one visit.
  template <typename Visitor>
  void forEachWord(Visitor visit) {
    if (access.bytes >= 8) // whole words, and neighbours have their own
      return forEachWholeWord(visit);
    uint64_t word = ~uint64_t(0);
    uint8_t mask = 0;
    unsigned owner = 0;
    Epoch epoch;
    auto flush = [&]() {
      if (mask)
        visit(word, mask, owner, epoch);
    };
    const unsigned bytes = access.bytes;
    const std::array<Epoch, warpSize> *epochs = request.epochs;
    const Epoch now = state.warp->clock.epoch(0);
    for (uint32_t rest = access.mask; rest; rest &= rest - 1) {
      unsigned lane = llvm::countr_zero(rest);
      uint64_t begin = access.address[lane], end = begin + bytes;
      Epoch own = epochs ? (*epochs)[lane] : now.withLane(lane);
      for (uint64_t index = begin / 4; index <= (end - 1) / 4; ++index) {
        unsigned first = begin > index * 4 ? begin - index * 4 : 0;
        unsigned last = std::min<uint64_t>(end - index * 4, 4);
        uint8_t part = ((1u << last) - 1) & ~((1u << first) - 1);
        // Below 8 bytes only accesses of one word have unused ones.
        part &= ~(request.unusedBytes << first);
        if (!part)
          continue;
        if (index == word && bytes <= 4) {
          // All read one word: several lanes. Pieces of a word: not told apart.
          unsigned shared = part & mask ? severalLanes : unknownLane;
          epoch = Epoch(own.block(), own.agent(), shared, own.clock());
          mask |= part;
          continue;
        }
        flush();
        word = index;
        mask = part;
        owner = lane;
        epoch = own;
      }
    }
    flush();
  }

  /// What a visitor writes may be anything as far as the compiler knows: what
  /// stays the same is read once.
  template <typename Visitor>
  void forEachWholeWord(Visitor visit) {
    const unsigned numWords = access.bytes / 4;
    const uint32_t unused = request.unusedBytes;
    const std::array<Epoch, warpSize> *epochs = request.epochs;
    const Epoch now = state.warp->clock.epoch(0);
    for (uint32_t rest = access.mask; rest; rest &= rest - 1) {
      unsigned lane = llvm::countr_zero(rest);
      Epoch own = epochs ? (*epochs)[lane] : now.withLane(lane);
      uint64_t first = access.address[lane] / 4;
      for (unsigned i = 0; i < numWords; ++i)
        if (uint8_t used = 0xf & ~(unused >> 4 * i))
          visit(first + i, used, lane, own);
    }
  }

  ExecutionState &state;
  const AccessRequest &request;
  const MemoryAccess &access;
  Shadow &shadow;
  WordJudge judge;
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
  bool hasWaited =
      state.warp->clock.known(state.block->number, agents::grids) != 0;
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
               Block *owner, Shadow &shadow, const RangeAccess &access)
      : lane(lane), shadow(shadow),
        judge(state, region, owner, shadow, access.kind),
        mustBeDefined(isRead(access.kind) && judge.mustBeDefined()),
        one{access.clock ? access.clock : &state.warp->clock, access.epoch,
            state.pc, access.kind, 0} {
    one.fences = &state.worker->proxyFences;
    one.fenceTarget = access.fenceTarget ? access.fenceTarget
                      : owner            ? fencesShared
                                         : fencesGlobal;
  }

  void run(uint64_t begin, uint64_t bytes) {
    uint64_t end = begin + bytes;
    for (uint64_t word = begin / 4; word <= (end - 1) / 4; ++word) {
      unsigned first = begin > word * 4 ? begin - word * 4 : 0;
      unsigned last = std::min<uint64_t>(end - word * 4, 4);
      one.mask = ((1u << last) - 1) & ~((1u << first) - 1);
      watchWord(word);
    }
  }

private:
  void watchWord(uint64_t word) {
    if (one.kind == AccessKind::Read &&
        shadow.tryRead(word, one, mustBeDefined))
      return;
    if (mustBeDefined)
      judge.checkDefined(word, one.mask, lane);
    judge.check(word, lane, one);
    shadow.record(word, one);
  }

  unsigned lane;
  Shadow &shadow;
  WordJudge judge;
  const bool mustBeDefined;
  ShadowAccess one;
};

} // namespace

void mlir::mirage::emulator::watchRange(ExecutionState &state, unsigned lane,
                                        const MemoryRange &range,
                                        const RangeAccess &access) {
  if (hasEarlierGrids(state) && !range.owner)
    checkEarlierGrids(state, lane, *range.region, range.begin, range.bytes,
                      access.kind);
  Shadow *shadow = findShadow(state, range.owner, range.region);
  if (shadow && range.bytes != 0)
    RangeWatcher(state, lane, *range.region, range.owner, *shadow, access)
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
  RangeWatcher watcher(state, lane, region, &owner, *shadow, access);
  for (uint32_t address : addresses)
    watcher.run(address, bytes);
}
