//===- MemoryAccess.cpp - From lane addresses to host memory --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"

#include "HostKernels.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir::mirage;
using namespace mlir::mirage::emulator;
using llvm::formatv;

void mlir::mirage::emulator::computeAddresses(
    const ExecutionState &state, const Instruction &instruction,
    unsigned operand, uint32_t slot,
    std::array<uint64_t, warpSize> &addresses) {
  uint64_t displacement = instruction.displacement[operand];
  if (instruction.addressIs32 >> operand & 1)
    host::addDisplacement(addresses.data(), state.lanes<uint32_t>(slot),
                          displacement);
  else
    host::addDisplacement(addresses.data(), state.lanes<uint64_t>(slot),
                          displacement);
}

std::string mlir::mirage::emulator::describeBuffer(const LaunchContext &launch,
                                                   const Region &region) {
  if (region.buffer < 0)
    return "a module variable";
  return "buffer '" + launch.config.buffers[region.buffer].name + "'";
}

std::string mlir::mirage::emulator::describeShared(const Block &owner) {
  const Region &region = owner.sharedRegion;
  std::string text = formatv("the block has {0} bytes", region.sizeBytes);
  if (region.base != 0)
    text += formatv(" from {0} on", region.base);
  return text;
}

// Regions overlap no other; they are few.
const Region *
mlir::mirage::emulator::findGlobalRegion(const LaunchContext &launch,
                                         uint64_t address) {
  for (const Region &region : launch.regions)
    if (address - region.base < region.sizeBytes)
      return &region;
  return nullptr;
}

namespace {

const char *spaceName(Space space) {
  switch (space) {
  case Space::Generic:
    return "generic";
  case Space::Global:
    return "global";
  case Space::Shared:
  case Space::Cluster:
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

/// One request on its way through the spaces.
class Accessor {
public:
  Accessor(ExecutionState &state, const AccessRequest &request,
           llvm::function_ref<void(const MemoryAccess &)> use)
      : state(state), request(request), launch(state.worker->launch), use(use) {
  }

  /// Serves the active lanes, group by group.
  uint32_t run(const Instruction &instruction);

private:
  host::AddressSpan locate(const Instruction &instruction);
  bool serveTogether(uint32_t lanes, const host::AddressSpan &span);
  const Region *regionOf(Space space, uint64_t address);
  uint32_t lanesInside(uint32_t lanes, const Region &region);
  void serveSpace(uint32_t group, Space space, Block *owner);
  void serveCluster(uint32_t group);
  void noteRemoteAccess(Block &owner);
  void reportNoSuchBlock(unsigned lane);
  void serve(uint32_t lanes, Space space, const Region &region);
  void serve(uint32_t lanes, Space space, const Region &region,
             const host::AddressSpan &span);
  void serveLocal(uint32_t lanes);
  void watchLocal();
  uint32_t dropMisaligned(uint32_t lanes, unsigned alignment);
  host::AddressSpan findSpan(uint32_t lanes) const {
    return host::findSpan(access.address.data(), lanes, request.bytes);
  }
  void reportOutside(unsigned lane, Space space);
  void keepOffMBarriers(const host::AddressSpan &span);
  void count();

  ExecutionState &state;
  const AccessRequest &request;
  const LaunchContext &launch;
  llvm::function_ref<void(const MemoryAccess &)> use;
  MemoryAccess access;
  uint32_t served = 0;
};

host::AddressSpan Accessor::locate(const Instruction &instruction) {
  uint64_t displacement = instruction.displacement[request.operand];
  uint64_t *addresses = access.address.data();
  auto from = [&](const auto *base) {
    return host::locate(addresses, base, displacement, state.active,
                        request.bytes);
  };
  return instruction.addressIs32 >> request.operand & 1
             ? from(state.lanes<uint32_t>(request.slot))
             : from(state.lanes<uint64_t>(request.slot));
}

uint32_t Accessor::run(const Instruction &instruction) {
  uint32_t lanes = state.active;
  access.bytes = request.bytes;
  if (lanes == 0)
    return 0;
  host::AddressSpan span = locate(instruction);
  unsigned alignment = request.alignment ? request.alignment : request.bytes;
  if (span.bits & (alignment - 1))
    lanes = dropMisaligned(lanes, alignment);
  else if (serveTogether(lanes, span))
    return served;
  while (lanes) {
    unsigned first = llvm::countr_zero(lanes);
    Space space =
        request.space == Space::Cluster ? Space::Shared : request.space;
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
    if (space == Space::Local)
      serveLocal(group);
    else if (space == Space::Shared && request.space != Space::Shared)
      serveCluster(group);
    else
      serveSpace(group, space, space == Space::Shared ? state.block : nullptr);
  }
  return served;
}

/// What nearly all accesses are: all lanes inside of one region.
bool Accessor::serveTogether(uint32_t lanes, const host::AddressSpan &span) {
  Space space = request.space == Space::Cluster ? Space::Shared : request.space;
  uint64_t low = span.low;
  if (space == Space::Generic)
    space = resolveGeneric(low);
  if (space == Space::Local)
    return false;
  access.owner = nullptr;
  if (space == Space::Shared) {
    if (request.space != Space::Shared &&
        findSharedOwner(*state.block, low) != state.block)
      return false;
    access.owner = state.block;
  }
  const Region *region = regionOf(space, low);
  const uint64_t offset = span.low - low;
  if (!region || region->sizeBytes < request.extent() || low < region->base ||
      span.high - offset - region->base > region->sizeBytes - request.extent())
    return false;
  if (offset != 0)
    host::addDisplacement(access.address.data(), access.address.data(),
                          -offset);
  serve(lanes, space, *region,
        {low, span.high - offset, span.bits, span.isConsecutive});
  return true;
}

/// Region by region.
void Accessor::serveSpace(uint32_t group, Space space, Block *owner) {
  access.owner = owner;
  while (group) {
    unsigned first = llvm::countr_zero(group);
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

/// Block by block: lanes may name shared memory of any of the cluster.
void Accessor::serveCluster(uint32_t group) {
  while (group) {
    unsigned first = llvm::countr_zero(group);
    Block *owner = nullptr;
    uint32_t together = 0;
    for (uint32_t rest = group; rest; rest &= rest - 1) {
      unsigned lane = llvm::countr_zero(rest);
      uint64_t address = access.address[lane];
      Block *named = findSharedOwner(*state.block, address);
      if (lane == first)
        owner = named;
      if (named != owner)
        continue;
      together |= 1u << lane;
      access.address[lane] = address;
    }
    group &= ~together;
    if (!owner)
      reportNoSuchBlock(first);
    else if (checkPeer(state, first, *owner)) {
      if (owner != state.block && state.worker->watchesRaces())
        noteRemoteAccess(*owner);
      serveSpace(together, Space::Shared, owner);
    }
  }
}

void Accessor::noteRemoteAccess(Block &owner) {
  Epoch now = state.warp->clock.epoch(severalLanes);
  owner.remoteAccesses[{now.block(), now.agent()}] = {now, state.pc, false};
}

void Accessor::reportNoSuchBlock(unsigned lane) {
  state.report(FindingKind::OutOfBounds, lane, [&]() -> std::string {
    return formatv("shared address {0:x} names block {1} of the cluster, which "
                   "has {2}",
                   access.address[lane],
                   access.address[lane] / window::sharedBytes - 1,
                   state.block->cluster->blocks.size());
  });
}

const Region *Accessor::regionOf(Space space, uint64_t address) {
  switch (space) {
  case Space::Shared:
    return &access.owner->sharedRegion;
  case Space::Param:
    return &launch.parameterRegion;
  case Space::Const:
    return &launch.constants;
  default:
    return findGlobalRegion(launch, address);
  }
}

uint32_t Accessor::lanesInside(uint32_t lanes, const Region &region) {
  if (region.sizeBytes < request.extent())
    return 0;
  uint64_t lastStart = region.sizeBytes - request.extent();
  uint32_t inside = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    inside |= uint32_t(access.address[lane] - region.base <= lastStart) << lane;
  return inside & lanes;
}

uint32_t Accessor::dropMisaligned(uint32_t lanes, unsigned alignment) {
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
      return formatv("{0} of {1} bytes at shared address {2}, {3}", verb,
                     request.extent(), address, describeShared(*access.owner));
    if (space != Space::Global)
      return formatv("{0} of {1} bytes at address {2} of the {3} space", verb,
                     request.extent(), address, spaceName(space));
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
                     request.extent(), address);
    return formatv("{0} of {1} bytes at offset {2} of {3}, which has {4} bytes",
                   verb, request.extent(), int64_t(address - nearest->base),
                   describeBuffer(launch, *nearest), nearest->sizeBytes);
  });
}

void Accessor::serveLocal(uint32_t lanes) {
  access.mask = 0;
  access.space = Space::Local;
  access.region = nullptr;
  access.isContiguous = false;
  uint64_t size = launch.info.localBytes;
  access.hostStart = reinterpret_cast<uintptr_t>(state.warp->local);
  access.hostStride = size;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    uint64_t address = access.address[lane];
    if (address >= size || size - address < request.bytes) {
      reportOutside(lane, Space::Local);
      continue;
    }
    access.mask |= 1u << lane;
  }
  if (request.isWatched && state.worker->watchesAll())
    watchLocal();
  if (access.mask)
    use(access);
  served |= access.mask;
}

/// Nobody else touches a thread's local memory: which bytes it has written is
/// all there is to watch.
void Accessor::watchLocal() {
  for (uint32_t rest = access.mask; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    uint8_t *written = state.warp->localWritten + lane * access.hostStride +
                       access.address[lane];
    if (!isRead(request.kind)) {
      std::fill_n(written, access.bytes, 1);
      continue;
    }
    for (unsigned byte = 0; byte < access.bytes; ++byte) {
      if (written[byte] || (request.unusedBytes >> byte & 1))
        continue;
      state.report(FindingKind::UninitializedRead, lane, [&]() -> std::string {
        return formatv("read of byte {0} of the thread's local memory, which "
                       "it has not written",
                       access.address[lane] + byte);
      });
      break;
    }
  }
}

void Accessor::serve(uint32_t lanes, Space space, const Region &region) {
  serve(lanes, space, region, findSpan(lanes));
}

void Accessor::serve(uint32_t lanes, Space space, const Region &region,
                     const host::AddressSpan &span) {
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
  access.hostStart = reinterpret_cast<uintptr_t>(region.host) - region.base;
  access.hostStride = 0;
  access.isContiguous = span.isConsecutive;
  if (access.owner && !request.isMBarrier)
    keepOffMBarriers(span);
  if (request.isWatched) {
    count();
    watchAccess(state, request, access);
  }
  use(access);
  served |= lanes;
}

/// An mbarrier is opaque: only its own operations may touch its bytes.
void Accessor::keepOffMBarriers(const host::AddressSpan &span) {
  const MBarriers &mbarriers = access.owner->mbarriers;
  if (mbarriers.all().empty())
    return;
  uint64_t begin = mbarriers.all().front()->address,
           end = mbarriers.all().back()->address + MBarriers::bytes;
  if (span.low >= end || span.high + access.bytes <= begin)
    return;
  for (uint32_t rest = access.mask; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    uint64_t address = access.address[lane];
    if (address >= end || address + access.bytes <= begin)
      continue;
    if (const MBarrier *barrier =
            mbarriers.findOverlap(address, address + access.bytes))
      return state.report(
          FindingKind::MBarrierMisuse, lane, [&]() -> std::string {
            return formatv("plain {0} of bytes of the mbarrier at shared "
                           "address {1}",
                           isRead(request.kind) ? "read" : "write",
                           barrier->address);
          });
  }
}

void Accessor::count() {
  const bool isShared = access.space == Space::Shared;
  if (!isShared && access.space != Space::Global)
    return;
  Counters &counters = state.worker->counters;
  TrafficCache &traffic = state.worker->traffic;
  const bool reads = isRead(request.kind);
  SharedAccess kind = request.isRowWise ? SharedAccess::MatrixRows
                      : reads           ? SharedAccess::Load
                                        : SharedAccess::Store;
  AccessPattern pattern =
      access.isContiguous
          ? describeConsecutive(access.address[0], access.bytes, kind)
      : isShared
          ? traffic.findShared(state.pc, state.warp->index, access.address,
                               access.mask, access.bytes, kind)
          : traffic.findGlobal(state.pc, state.warp->index, access.address,
                               access.mask, access.bytes);
  access.firstLanes = pattern.firstLanes;
  access.repeatedLanes = pattern.repeatedLanes;
  uint64_t bytes = uint64_t(access.bytes) * llvm::popcount(access.mask);
  if (isShared) {
    (reads ? counters.sharedLoadBytes : counters.sharedStoreBytes) += bytes;
    const Wavefronts &wavefronts = pattern.wavefronts;
    uint64_t conflicts = wavefronts.needed - wavefronts.least;
    counters.sharedWavefronts += wavefronts.needed;
    counters.sharedBankConflicts += conflicts;
    if (reads) {
      counters.sharedLoadWavefronts += wavefronts.needed;
      counters.sharedLoadBankConflicts += conflicts;
    }
    if (request.isRowWise) {
      counters.matrixRowWavefronts += wavefronts.needed;
      counters.matrixRowBankConflicts += conflicts;
    }
    return;
  }
  (reads ? counters.globalLoadBytes : counters.globalStoreBytes) += bytes;
  ++counters.globalRequests;
  (reads ? counters.globalLoadSectors : counters.globalStoreSectors) +=
      pattern.sectors;
  counters.globalIdealSectors += (bytes + 31) / 32;
}

} // namespace

Block *mlir::mirage::emulator::findSharedOwner(const Block &from,
                                               uint64_t &address) {
  uint64_t number = address / window::sharedBytes;
  std::deque<Block> &blocks = from.cluster->blocks;
  if (number > blocks.size())
    return nullptr;
  address %= window::sharedBytes;
  return &blocks[number == 0 ? from.rank : number - 1];
}

bool mlir::mirage::emulator::checkPeer(ExecutionState &state, unsigned lane,
                                       const Block &owner) {
  if (&owner == state.block)
    return true;
  if (owner.liveWarps == 0) {
    state.report(FindingKind::ClusterMisuse, lane, [&]() -> std::string {
      return formatv("access to shared memory of block {0} of the cluster, "
                     "which has ended",
                     owner.rank);
    });
    return false;
  }
  if (state.worker->watchesRaces() && !state.warp->knowsClusterStarted &&
      !state.warp->clock.hasHeardOf(owner.number))
    state.report(FindingKind::ClusterMisuse, lane, [&]() -> std::string {
      return formatv("access to shared memory of block {0} of the cluster, of "
                     "which it is not known that it has started: expected a "
                     "barrier of the cluster before",
                     owner.rank);
    });
  return true;
}

uint32_t mlir::mirage::emulator::accessMemory(
    ExecutionState &state, const Instruction &instruction,
    const AccessRequest &request,
    llvm::function_ref<void(const MemoryAccess &)> use) {
  return Accessor(state, request, use).run(instruction);
}
