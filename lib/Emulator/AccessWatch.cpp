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

/// Checks and writes down one warp access, word by word.
class Watcher {
public:
  Watcher(ExecutionState &state, const AccessRequest &request,
          const MemoryAccess &access, Shadow &shadow, bool startsUndefined)
      : state(state), request(request), access(access), shadow(shadow),
        startsUndefined(startsUndefined) {}

  void run() {
    if (request.kind == AccessKind::Read)
      return runRead();
    // First judge all lanes, then write down: lanes of one instruction are no
    // earlier access of one another.
    if (isRead(request.kind) && startsUndefined && state.worker->watchesAll())
      forEachWord([&](uint64_t word, uint8_t mask, unsigned lane, Epoch) {
        checkDefined(word, mask, lane);
      });
    forEachWord([&](uint64_t word, uint8_t mask, unsigned lane, Epoch epoch) {
      check(word, mask, lane, epoch);
    });
    ShadowAccess one{&state.warp->clock, Epoch(), state.pc, request.kind, 0};
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
    bool mustBeDefined = startsUndefined && state.worker->watchesAll();
    ShadowAccess one{&state.warp->clock, Epoch(), state.pc, AccessKind::Read,
                     0};
    forEachWord([&](uint64_t word, uint8_t mask, unsigned lane, Epoch epoch) {
      one.epoch = epoch;
      one.mask = mask;
      if (shadow.tryRead(word, one, mustBeDefined))
        return;
      if (mustBeDefined)
        checkDefined(word, mask, lane);
      check(word, mask, lane, epoch);
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

  void checkDefined(uint64_t word, uint8_t mask, unsigned lane) {
    uint8_t missing = shadow.unwritten(word) & mask;
    if (!missing)
      return;
    state.report(FindingKind::UninitializedRead, lane, [&]() -> std::string {
      uint64_t address = word * 4 + llvm::countr_zero(missing);
      if (access.space == Space::Shared)
        return formatv("read of shared byte {0}, which nobody has written",
                       address);
      return formatv("read of byte {0} of {1}, which nobody has written",
                     address - access.region->base,
                     describeBuffer(state.worker->launch, *access.region));
    });
  }

  void check(uint64_t word, uint8_t mask, unsigned lane, Epoch epoch) {
    ShadowVerdict verdict = shadow.check(
        word, {&state.warp->clock, epoch, state.pc, request.kind, mask});
    if (verdict.kind == ShadowVerdict::Kind::None)
      return;
    FindingKind kind = access.space == Space::Shared ? FindingKind::SharedRace
                                                     : FindingKind::GlobalRace;
    if (verdict.kind == ShadowVerdict::Kind::IntraWarp)
      kind = FindingKind::IntraWarpRace;
    state.report(
        kind, lane, [&] { return describe(word, mask, verdict); },
        verdict.otherPc);
  }

  std::string describe(uint64_t word, uint8_t mask,
                       const ShadowVerdict &verdict) {
    const char *mine = isRead(request.kind)                ? "read"
                       : request.kind == AccessKind::Write ? "write"
                                                           : "atomic update";
    uint64_t address = word * 4 + llvm::countr_zero(mask);
    std::string place =
        access.space == Space::Shared
            ? formatv("shared byte {0}", address).str()
            : formatv("byte {0} of {1}", address - access.region->base,
                      describeBuffer(state.worker->launch, *access.region))
                  .str();
    const Epoch &other = verdict.other;
    std::string who;
    if (other.block() != uint32_t(state.block->number))
      who = formatv("block number {0}", other.block());
    else if (verdict.kind == ShadowVerdict::Kind::IntraWarp)
      who = "another lane of the same warp";
    else if (other.agent() >= 32)
      who = formatv("a cp.async of warp {0}", other.agent() - 32);
    else
      who = formatv("warp {0}", other.agent());
    return formatv("{0} of {1}, and an earlier {2} by {3}, with no "
                   "synchronization between them",
                   mine, place, verdict.otherWasWrite ? "write" : "read", who);
  }

  ExecutionState &state;
  const AccessRequest &request;
  const MemoryAccess &access;
  Shadow &shadow;
  bool startsUndefined;
};

} // namespace

void mlir::mirage::emulator::watchAccess(ExecutionState &state,
                                         const AccessRequest &request,
                                         const MemoryAccess &access) {
  if (!state.worker->watchesRaces() || !access.region)
    return;
  if (access.space == Space::Shared)
    Watcher(state, request, access, state.block->sharedShadow, true).run();
  else if (access.region->isShadowed)
    Watcher(state, request, access, state.worker->globalShadow,
            access.region->startsUndefined)
        .run();
}
