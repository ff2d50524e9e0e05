//===- MemoryAccess.cpp - From lane addresses to host memory --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir::mirage::emulator;
using llvm::formatv;

void mlir::mirage::emulator::computeAddresses(
    const ExecutionState &state, const Instruction &instruction,
    unsigned operand, uint32_t slot,
    std::array<uint64_t, warpSize> &addresses) {
  uint64_t displacement = instruction.displacement[operand];
  if (instruction.addressIs32 >> operand & 1) {
    const uint32_t *base = state.lanes<uint32_t>(slot);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      addresses[lane] = base[lane] + displacement;
  } else {
    const uint64_t *base = state.lanes<uint64_t>(slot);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      addresses[lane] = base[lane] + displacement;
  }
}

namespace {

/// Regions that overlap no other, in the order they were bound; few.
const Region *findRegion(const LaunchContext &launch, uint64_t address) {
  for (const Region &region : launch.regions)
    if (address - region.base < region.sizeBytes)
      return &region;
  return nullptr;
}

const char *spaceName(Space space) {
  switch (space) {
  case Space::Generic:
    return "generic";
  case Space::Global:
    return "global";
  case Space::Shared:
    return "shared";
  case Space::Local:
    return "local";
  case Space::Param:
    return "parameter";
  case Space::Const:
    return "constant";
  }
  return "";
}

/// The space that a generic address points into; the address is made one of
/// that space.
Space resolveGeneric(uint64_t &address) {
  for (Space space : {Space::Shared, Space::Local, Space::Param, Space::Const})
    if (address - window::of(space) < window::sizeBytes) {
      address -= window::of(space);
      return space;
    }
  return Space::Global;
}

std::string describeBuffer(const LaunchContext &launch, const Region &region) {
  if (region.buffer < 0)
    return "a module variable";
  return "buffer '" + launch.config.buffers[region.buffer].name + "'";
}

/// One request on its way through the spaces.
class Accessor {
public:
  Accessor(ExecutionState &state, const AccessRequest &request,
           llvm::function_ref<void(const MemoryAccess &)> use)
      : state(state), request(request), launch(state.worker->launch), use(use) {
  }

  /// Serves all lanes, group by group.
  uint32_t run(uint32_t lanes, const std::array<uint64_t, warpSize> &addresses);

private:
  uint32_t runGroup(uint32_t lanes, uint32_t &served);
  const Region *regionOf(Space space, uint64_t address);
  uint32_t lanesInside(uint32_t lanes, const Region &region);
  void serve(uint32_t lanes, Space space, const Region &region);
  void serveLocal(uint32_t lanes);
  uint32_t dropMisaligned(uint32_t lanes);
  void reportOutside(unsigned lane, Space space);
  void count(const MemoryAccess &access);

  ExecutionState &state;
  const AccessRequest &request;
  const LaunchContext &launch;
  llvm::function_ref<void(const MemoryAccess &)> use;
  MemoryAccess access;
  uint32_t served = 0;
};

uint32_t Accessor::run(uint32_t lanes,
                       const std::array<uint64_t, warpSize> &addresses) {
  access.address = addresses;
  access.bytes = request.bytes;
  lanes = dropMisaligned(lanes);
  while (lanes) {
    unsigned first = llvm::countr_zero(lanes);
    Space space = request.space;
    uint32_t group = lanes;
    if (space == Space::Generic) {
      uint64_t address = access.address[first];
      space = resolveGeneric(address);
      // Lanes that point into the same window go together.
      uint64_t start = window::of(space);
      group = 0;
      for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = llvm::countr_zero(rest);
        uint64_t other = access.address[lane];
        if (resolveGeneric(other) == space)
          group |= 1u << lane;
      }
      lanes &= ~group;
      for (uint32_t rest = group; rest; rest &= rest - 1)
        access.address[llvm::countr_zero(rest)] -= start;
    } else {
      lanes = 0;
    }
    while (group) {
      if (space == Space::Local) {
        serveLocal(group);
        break;
      }
      first = llvm::countr_zero(group);
      const Region *region = regionOf(space, access.address[first]);
      uint32_t inside = region ? lanesInside(group, *region) : 0;
      if (!(inside >> first & 1)) {
        reportOutside(first, space);
        group &= group - 1;
        continue;
      }
      serve(inside, space, *region);
      group &= ~inside;
    }
  }
  return served;
}

const Region *Accessor::regionOf(Space space, uint64_t address) {
  switch (space) {
  case Space::Shared:
    return &state.block->sharedRegion;
  case Space::Param:
    return &launch.parameterRegion;
  case Space::Const:
    return &launch.constants;
  default:
    return findRegion(launch, address);
  }
}

uint32_t Accessor::lanesInside(uint32_t lanes, const Region &region) {
  if (region.sizeBytes < request.bytes)
    return 0;
  uint64_t lastStart = region.sizeBytes - request.bytes;
  uint32_t inside = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    inside |= uint32_t(access.address[lane] - region.base <= lastStart) << lane;
  return inside & lanes;
}

uint32_t Accessor::dropMisaligned(uint32_t lanes) {
  unsigned alignment = request.alignment ? request.alignment : request.bytes;
  uint32_t bad = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    bad |= uint32_t((access.address[lane] & (alignment - 1)) != 0) << lane;
  bad &= lanes;
  if (bad) {
    unsigned lane = llvm::countr_zero(bad);
    state.report(FindingKind::Misaligned, lane, [&]() -> std::string {
      return formatv("expected an address that is a multiple of {0}, found "
                     "{1:x}",
                     alignment, access.address[lane]);
    });
  }
  return lanes & ~bad;
}

void Accessor::reportOutside(unsigned lane, Space space) {
  state.report(FindingKind::OutOfBounds, lane, [&]() -> std::string {
    uint64_t address = access.address[lane];
    const char *verb = isRead(request.kind) ? "read" : "write";
    if (space == Space::Shared)
      return formatv("{0} of {1} bytes at shared address {2}, the block has "
                     "{3} bytes",
                     verb, request.bytes, address,
                     state.block->sharedRegion.sizeBytes);
    if (space != Space::Global)
      return formatv("{0} of {1} bytes at address {2} of the {3} space", verb,
                     request.bytes, address, spaceName(space));
    const Region *nearest = nullptr;
    uint64_t least = uint64_t(1) << 30;
    for (const Region &region : launch.regions) {
      uint64_t end = region.base + region.sizeBytes;
      uint64_t distance = address >= end          ? address - end
                          : address < region.base ? region.base - address
                                                  : 0;
      if (distance < least) {
        least = distance;
        nearest = &region;
      }
    }
    if (!nearest)
      return formatv("{0} of {1} bytes at {2:x}, far from every buffer", verb,
                     request.bytes, address);
    return formatv("{0} of {1} bytes at offset {2} of {3}, which has {4} bytes",
                   verb, request.bytes, int64_t(address - nearest->base),
                   describeBuffer(launch, *nearest), nearest->sizeBytes);
  });
}

void Accessor::serveLocal(uint32_t lanes) {
  access.mask = 0;
  access.space = Space::Local;
  access.region = nullptr;
  access.isContiguous = false;
  uint64_t size = launch.info.localBytes;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    uint64_t address = access.address[lane];
    if (address >= size || size - address < request.bytes) {
      reportOutside(lane, Space::Local);
      continue;
    }
    access.host[lane] = state.warp->local + lane * size + address;
    access.mask |= 1u << lane;
  }
  if (access.mask)
    use(access);
  served |= access.mask;
}

void Accessor::serve(uint32_t lanes, Space space, const Region &region) {
  if (!isRead(request.kind) && !region.isWritable) {
    state.report(FindingKind::WriteToInput, llvm::countr_zero(lanes),
                 [&]() -> std::string {
                   return space == Space::Global
                              ? "write to " + describeBuffer(launch, region) +
                                    ", which is an input"
                              : formatv("write to the {0} space",
                                        spaceName(space));
                 });
    return;
  }
  access.mask = lanes;
  access.space = space;
  access.region = &region;
  uintptr_t start = reinterpret_cast<uintptr_t>(region.host) - region.base;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    access.host[lane] =
        reinterpret_cast<uint8_t *>(start + access.address[lane]);
  uint32_t gaps = ~lanes;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    gaps |= uint32_t(access.address[lane] !=
                     access.address[0] + lane * uint64_t(request.bytes));
  access.isContiguous = gaps == 0;
  if (request.isWatched) {
    count(access);
    watchAccess(state, request, access);
  }
  use(access);
  served |= lanes;
}

void Accessor::count(const MemoryAccess &access) {
  Counters &counters = state.worker->counters;
  uint64_t bytes = uint64_t(access.bytes) * llvm::popcount(access.mask);
  bool reads = isRead(request.kind);
  if (access.space == Space::Shared) {
    (reads ? counters.sharedLoadBytes : counters.sharedStoreBytes) += bytes;
    Wavefronts wavefronts = state.worker->traffic.wavefronts(
        state.pc, state.warp->index, access.address.data(), access.mask,
        access.bytes, !reads || request.isRowWise);
    counters.sharedWavefronts += wavefronts.needed;
    counters.sharedBankConflicts += wavefronts.needed - wavefronts.least;
  } else if (access.space == Space::Global) {
    (reads ? counters.globalLoadBytes : counters.globalStoreBytes) += bytes;
    ++counters.globalRequests;
    (reads ? counters.globalLoadSectors : counters.globalStoreSectors) +=
        state.worker->traffic.sectors(state.pc, state.warp->index,
                                      access.address.data(), access.mask,
                                      access.bytes);
    counters.globalIdealSectors += (bytes + 31) / 32;
  }
}

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
    forEachWord([&](uint64_t word, uint8_t mask, unsigned, Epoch epoch) {
      shadow.record(word,
                    {&state.warp->clock, epoch, state.pc, request.kind, mask});
    });
    state.warp->clock.noteAccess();
  }

private:
  /// Reads do not conflict with one another: one pass will do.
  void runRead() {
    bool mustBeDefined = startsUndefined && state.worker->watchesAll();
    forEachWord([&](uint64_t word, uint8_t mask, unsigned lane, Epoch epoch) {
      ShadowAccess one{&state.warp->clock, epoch, state.pc, AccessKind::Read,
                       mask};
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
    for (uint32_t rest = access.mask; rest; rest &= rest - 1) {
      unsigned lane = llvm::countr_zero(rest);
      uint64_t begin = access.address[lane], end = begin + access.bytes;
      Epoch own = request.epochs ? (*request.epochs)[lane]
                                 : state.warp->clock.epoch(lane);
      for (uint64_t index = begin / 4; index <= (end - 1) / 4; ++index) {
        unsigned first = begin > index * 4 ? begin - index * 4 : 0;
        unsigned last = std::min<uint64_t>(end - index * 4, 4);
        uint8_t part = ((1u << last) - 1) & ~((1u << first) - 1);
        // Below 8 bytes only accesses of one word have unused ones.
        part &= ~(request.unusedBytes << first);
        if (!part)
          continue;
        if (index == word && access.bytes <= 4) {
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

  template <typename Visitor>
  void forEachWholeWord(Visitor visit) {
    for (uint32_t rest = access.mask; rest; rest &= rest - 1) {
      unsigned lane = llvm::countr_zero(rest);
      Epoch own = request.epochs ? (*request.epochs)[lane]
                                 : state.warp->clock.epoch(lane);
      uint64_t first = access.address[lane] / 4;
      for (uint64_t i = 0; i < access.bytes / 4; ++i)
        if (uint8_t used = 0xf & ~(request.unusedBytes >> 4 * i))
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

uint32_t mlir::mirage::emulator::accessAddresses(
    ExecutionState &state, const AccessRequest &request, uint32_t lanes,
    const std::array<uint64_t, warpSize> &addresses,
    llvm::function_ref<void(const MemoryAccess &)> use) {
  return Accessor(state, request, use).run(lanes, addresses);
}

uint32_t mlir::mirage::emulator::accessMemory(
    ExecutionState &state, const Instruction &instruction,
    const AccessRequest &request,
    llvm::function_ref<void(const MemoryAccess &)> use) {
  std::array<uint64_t, warpSize> addresses;
  computeAddresses(state, instruction, request.operand, request.slot,
                   addresses);
  return accessAddresses(state, request, state.active, addresses, use);
}
