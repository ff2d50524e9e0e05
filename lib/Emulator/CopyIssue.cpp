//===- CopyIssue.cpp - Issues one bulk copy -------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopyIssue.h"

#include "MBarrierPhases.h"
#include "TensorMapImage.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage::emulator;

bool CopyIssue::isAligned(uint64_t address, uint64_t alignment,
                          const char *what) {
  if (address % alignment == 0)
    return true;
  report(FindingKind::Misaligned,
         "expected {0} of a bulk copy at a multiple of {1} bytes, found {2:x}",
         what, alignment, address);
  return false;
}

Block *CopyIssue::findOwner(uint64_t &address, bool mayBeRemote) {
  if (address - window::shared < window::sizeBytes)
    address -= window::shared;
  if (!mayBeRemote)
    return state.block;
  Block *owner = findSharedOwner(*state.block, address);
  if (!owner)
    report(FindingKind::OutOfBounds,
           "shared address {0:x} names no block of the cluster, which has {1}",
           address, state.block->cluster->blocks.size());
  return owner;
}

void mlir::mirage::emulator::forEachDestination(
    CopyIssue &issue, uint64_t address, uint64_t signal, bool mayBeRemote,
    const uint16_t *mask,
    llvm::function_ref<void(uint64_t, Block &, uint32_t)> visit) {
  Block *owner = issue.findOwner(address, mayBeRemote);
  Block *signalled = issue.findOwner(signal, mayBeRemote);
  if (!owner || !signalled)
    return;
  if (!mask) {
    if (owner == signalled)
      return visit(window::peer(owner->rank) + address, *owner, signal);
    return issue.report(FindingKind::CopyMisuse,
                        "expected the destination of a bulk copy and its "
                        "mbarrier in shared memory of one block, found blocks "
                        "{0} and {1} of the cluster",
                        owner->rank, signalled->rank);
  }
  std::deque<Block> &blocks = owner->cluster->blocks;
  for (uint32_t rest = *mask; rest; rest &= rest - 1) {
    unsigned rank = llvm::countr_zero(rest);
    if (rank >= blocks.size())
      return issue.report(FindingKind::CopyMisuse,
                          "multicast to block {0} of a cluster of {1}", rank,
                          blocks.size());
    visit(window::peer(rank) + address, blocks[rank], signal);
    issue.isReadAgain = true;
  }
}

std::optional<MemoryRange> CopyIssue::findShared(uint64_t address,
                                                 uint64_t bytes,
                                                 bool mayBeRemote,
                                                 bool isWritten) {
  Block *owner = findOwner(address, mayBeRemote);
  if (!owner)
    return std::nullopt;
  const char *verb = isWritten ? "write" : "read";
  if (!owner->sharedRegion.contains(address, bytes)) {
    report(FindingKind::OutOfBounds,
           "bulk copy would {0} {1} bytes at shared address {2}, {3}", verb,
           bytes, address, describeShared(*owner));
    return std::nullopt;
  }
  if (!checkPeer(state, lane, *owner))
    return std::nullopt;
  return MemoryRange{owner, &owner->sharedRegion, address, bytes};
}

std::optional<MemoryRange>
CopyIssue::findGlobal(uint64_t address, uint64_t bytes, bool isWritten) {
  const LaunchContext &launch = state.worker->launch;
  const Region *region = findGlobalRegion(launch, address);
  const char *verb = isWritten ? "write" : "read";
  if (!region) {
    report(FindingKind::OutOfBounds,
           "bulk copy would {0} {1} bytes at {2:x}, outside of every buffer",
           verb, bytes, address);
    return std::nullopt;
  }
  if (address - region->base + bytes > region->sizeBytes) {
    report(FindingKind::OutOfBounds,
           "bulk copy would {0} {1} bytes at offset {2} of {3}, which has {4} "
           "bytes",
           verb, bytes, address - region->base, describeBuffer(launch, *region),
           region->sizeBytes);
    return std::nullopt;
  }
  if (isWritten && !region->isWritable) {
    report(FindingKind::WriteToInput, "bulk copy to {0}, which is an input",
           describeBuffer(launch, *region));
    return std::nullopt;
  }
  return MemoryRange{nullptr, region, address, bytes};
}

std::optional<llvm::ArrayRef<uint8_t>>
CopyIssue::findTensorMap(uint64_t address) {
  const LaunchContext &launch = state.worker->launch;
  const Region *region = findGlobalRegion(launch, address);
  MemoryRange range{nullptr, region, address, tensorMapBytes};
  for (auto [start, other] : {std::pair(window::param, &launch.parameterRegion),
                              std::pair(window::constant, &launch.constants)})
    if (address - start < window::sizeBytes) {
      range.region = other;
      range.begin = address - start;
    }
  if (!range.region || range.begin - range.region->base + range.bytes >
                           range.region->sizeBytes) {
    report(FindingKind::OutOfBounds,
           "expected {0} bytes of a tensor map at {1:x}, found the end of "
           "memory",
           tensorMapBytes, address);
    return std::nullopt;
  }
  if (range.region == region)
    watchTensorMap(range);
  return llvm::ArrayRef(range.host(), tensorMapBytes);
}

/// A map that the launch itself writes passes from the generic proxy to that of
/// tensor maps: its writer releases it there, and whoever uses it acquires it.
void CopyIssue::watchTensorMap(const MemoryRange &range) {
  RangeAccess access{state.warp->clock.epoch(lane), AccessKind::Read};
  access.fenceTarget = fencesTensorMap;
  watchRange(state, lane, range, access);
  if (state.worker->watchesRaces() && range.region->isShadowed &&
      !isMapAcquired(range))
    report(FindingKind::MissingProxyFence,
           "use of the tensor map at {0:x}, which the kernel has written, "
           "without fence.proxy.tensormap::generic.acquire in this warp behind "
           "the last write and its release",
           range.begin);
}

/// Whether the warp has acquired the map after all writes of it, if there were
/// any, and what released them.
bool CopyIssue::isMapAcquired(const MemoryRange &range) const {
  Shadow &shadow = state.worker->globalShadow;
  auto acquired =
      llvm::find_if(state.warp->acquiredMaps, [&](const AcquiredMap &map) {
        return map.address == range.begin;
      });
  const bool wasAcquired = acquired != state.warp->acquiredMaps.end();
  ShadowAccess atFence;
  atFence.laneSets = &state.worker->laneSets;
  atFence.fences = &state.worker->proxyFences;
  atFence.fenceTarget = fencesTensorMap;
  for (uint64_t begin = range.begin; begin < range.begin + range.bytes;
       begin += granuleBytes) {
    uint64_t index = begin / granuleBytes;
    if (shadow.unwritten(index) == allBytes)
      continue;
    if (!wasAcquired)
      return false;
    atFence.clock = &acquired->clock;
    ShadowEntry read(AccessKind::Read, state.pc, acquired->clock.step());
    read.epoch = acquired->clock.epoch(lane);
    read.setMask(allBytes);
    if (shadow.check(index, atFence, read).kind != ShadowVerdict::Kind::None)
      return false;
  }
  return true;
}

/// Whether the asynchronous proxy may know of an mbarrier's initialisation.
static bool isInitFenced(const ExecutionState &state, Epoch initialised) {
  uint32_t numKnown =
      state.warp->clock.countFences(initialised.block(), initialised.agent());
  uint32_t fenced = state.worker->proxyFences.findFencedLanes(
      initialised, numKnown, fencesShared | fencesMBarrierInit);
  return fenced >> initialised.lane() & 1;
}

std::optional<Epoch> CopyIssue::findSignal(Block &owner, uint32_t address) {
  if (!isAligned(address, MBarriers::bytes, "the mbarrier"))
    return std::nullopt;
  MBarrier *barrier = findMBarrier(state, lane, owner, address);
  if (!barrier)
    return std::nullopt;
  const WarpClock &clock = state.warp->clock;
  Epoch initialised = barrier->initialised;
  if (state.worker->watchesRaces()) {
    if (!clock.isOrdered(barrier->published))
      report(FindingKind::SharedRace,
             "bulk copy that completes on the mbarrier at shared address {0}, "
             "whose initialisation by warp {1} nothing orders before it",
             address, initialised.agent());
    else if (!isInitFenced(state, initialised))
      report(FindingKind::MissingProxyFence,
             "bulk copy that completes on the mbarrier at shared address {0}, "
             "which warp {1} initialised with no fence.mbarrier_init or "
             "fence.proxy.async behind",
             address, initialised.agent());
  }
  return barrier->phaseEpoch(owner.number, lane);
}

void CopyIssue::watch(const MemoryRange &range, AccessKind kind, Epoch done) {
  watchRange(state, lane, range, {done, kind});
  Counters &counters = state.worker->counters;
  bool reads = isRead(kind);
  if (range.owner) {
    (reads ? counters.sharedLoadBytes : counters.sharedStoreBytes) +=
        range.bytes;
    return;
  }
  if (isReadAgain)
    return;
  // Pieces of one row lie side by side: sectors are counted by halves of them.
  uint64_t sectors = (range.begin + range.bytes + 31) / 32 - range.begin / 32;
  (reads ? counters.globalLoadBytes : counters.globalStoreBytes) += range.bytes;
  (reads ? counters.globalLoadSectors : counters.globalStoreSectors) += sectors;
  counters.globalIdealSectors += (range.bytes + 31) / 32;
}

void CopyIssue::start(BulkCopy copy, Block &owner, uint32_t mbarrier,
                      uint64_t bytes) {
  ++state.worker->counters.bulkCopies;
  state.worker->counters.bulkBytes += bytes;
  copy.signalled = &owner;
  copy.mbarrier = mbarrier;
  copy.countedBytes = bytes;
  startCopy(state, lane, std::move(copy));
}

/// Among the agents of its warp for what bulk copies read, or write, the one of
/// a lane.
static unsigned bulkAgentOf(const Warp &warp, unsigned lane, unsigned first) {
  return first + warp.index +
         (warp.bulk.isOfFirstLane(lane) ? 0 : agents::otherLanes);
}

Epoch CopyIssue::readEpoch() const {
  const Warp &warp = *state.warp;
  return Epoch(state.block->number, bulkAgentOf(warp, lane, agents::bulkReads),
               lane, warp.bulk.numCommits + 1);
}
Epoch CopyIssue::writeEpoch() const {
  const Warp &warp = *state.warp;
  return Epoch(state.block->number, bulkAgentOf(warp, lane, agents::bulkWrites),
               lane, warp.bulk.numCommits + 1);
}

void CopyIssue::startInGroup(BulkCopy copy) {
  BulkGroups &bulk = state.warp->bulk;
  if (bulk.committed.empty())
    bulk.committed.resize(warpSize, 0);
  if (!bulk.firstLane)
    bulk.firstLane = lane;
  ++state.worker->counters.bulkCopies;
  for (const BulkCopy::Piece &piece : copy.pieces)
    state.worker->counters.bulkBytes += piece.bytes;
  PendingBulkCopy pending;
  pending.lane = lane;
  pending.group = bulk.committed[lane] + 1;
  pending.number = bulk.numCommits + 1;
  if ((pending.isDone = state.worker->arrivesAtOnce()))
    copy.carryOut();
  pending.copy = std::move(copy);
  bulk.pending.push_back(std::move(pending));
}

void mlir::mirage::emulator::commitBulkGroups(ExecutionState &state) {
  BulkGroups &bulk = state.warp->bulk;
  if (bulk.committed.empty())
    bulk.committed.resize(warpSize, 0);
  for (uint32_t rest = state.active; rest; rest &= rest - 1)
    ++bulk.committed[llvm::countr_zero(rest)];
  ++bulk.numCommits;
}

/// The clock value up to which all copies of the lane's agent are done, of
/// those for which `isOpen` says that they are not.
template <typename Predicate>
static uint32_t findDone(const BulkGroups &bulk, unsigned lane,
                         Predicate isOpen) {
  uint32_t done = bulk.numCommits;
  for (const PendingBulkCopy &copy : bulk.pending)
    if (bulk.isOfFirstLane(copy.lane) == bulk.isOfFirstLane(lane) &&
        isOpen(copy))
      done = std::min(done, copy.number - 1);
  return done;
}

void mlir::mirage::emulator::waitForBulkGroups(ExecutionState &state,
                                               unsigned lane, uint32_t pending,
                                               bool onlyReads) {
  Warp &warp = *state.warp;
  BulkGroups &bulk = warp.bulk;
  if (bulk.committed.empty())
    return;
  uint32_t committed = bulk.committed[lane];
  uint32_t done = committed > pending ? committed - pending : 0;
  for (PendingBulkCopy &copy : bulk.pending) {
    if (copy.lane != lane || copy.group > done)
      continue;
    if (!copy.isDone)
      copy.copy.carryOut();
    copy.isDone = copy.isRead = true;
  }
  if (!onlyReads)
    llvm::erase_if(bulk.pending, [&](const PendingBulkCopy &copy) {
      return copy.lane == lane && copy.group <= done;
    });
  WarpClock &clock = warp.clock;
  uint32_t block = state.block->number;
  clock.raise(block, bulkAgentOf(warp, lane, agents::bulkReads),
              findDone(bulk, lane, [](const PendingBulkCopy &copy) {
                return !copy.isRead;
              }));
  clock.raise(
      block, bulkAgentOf(warp, lane, agents::bulkWrites),
      findDone(bulk, lane, [](const PendingBulkCopy &) { return true; }));
}

bool mlir::mirage::emulator::endBulkGroups(Warp &warp) {
  bool isSourceGone = false;
  for (PendingBulkCopy &copy : warp.bulk.pending) {
    isSourceGone |= !copy.isRead;
    if (!copy.isDone)
      copy.copy.carryOut();
  }
  warp.bulk.pending.clear();
  return isSourceGone;
}
