//===- HandlersCluster.cpp - barrier.cluster, mapa ------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one barrier that the blocks of a cluster have (PTX ISA, 9.7.13.4). Each
// thread arrives and then waits, in this order; threads that have ended count
// as arrived. Arriving releases unless it is relaxed, when it hands out what a
// fence before it released; waiting acquires.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"
#include "MemoryAccess.h"

#include "llvm/Support/FormatVariadic.h"

#include <utility>

using namespace mlir::mirage::emulator;

/// Somebody who waited goes on.
static void leaveBarrier(const Block &block, Warp &warp) {
  warp.clock.acquire(block.cluster->released);
  warp.clock.acquire(block.released);
  warp.knowsClusterStarted = true;
}

static void wakeAtBarrier(Block &block) {
  for (Warp &warp : block.warps)
    for (Split &split : warp.splits)
      if (split.state == Split::State::AtClusterBarrier) {
        split.state = Split::State::Runnable;
        leaveBarrier(block, warp);
      }
}

void mlir::mirage::emulator::completeClusterBarrier(Cluster &cluster) {
  if (cluster.arrived == 0 || cluster.arrived < cluster.countThreads())
    return;
  ++cluster.phase;
  cluster.arrived = 0;
  cluster.released = std::exchange(cluster.arriving, {});
  for (Block &block : cluster.blocks) {
    block.released = std::exchange(block.arriving, {});
    wakeAtBarrier(block);
  }
}

static bool isOdd(const Cluster &cluster) { return cluster.phase & 1; }

/// Of the lanes that have arrived and not waited, those that did in this phase:
/// nobody is more than a phase behind.
static uint32_t arrivedNow(const Cluster &cluster, const Warp &warp) {
  return warp.clusterArrivals &
         (isOdd(cluster) ? warp.oddArrivals : ~warp.oddArrivals);
}

/// What they released stays.
void mlir::mirage::emulator::leaveClusterBarrier(Cluster &cluster, Warp &warp,
                                                 uint32_t lanes) {
  cluster.arrived -= llvm::popcount(arrivedNow(cluster, warp) & lanes);
  warp.clusterArrivals &= ~lanes;
  warp.exited |= lanes;
  completeClusterBarrier(cluster);
}

namespace {

/// Bits of Instruction::variant.
enum : uint16_t { isAligned = 1, isRelaxed = 2, isArrival = 4 };

Outcome misuse(const ExecutionState &state, uint32_t lanes,
               llvm::StringRef message) {
  state.report(FindingKind::BarrierMisuse, llvm::countr_zero(lanes),
               [&] { return message.str(); });
  return Outcome::Stopped;
}

Outcome arrive(ExecutionState &state, bool releases) {
  Warp &warp = *state.warp;
  Cluster &cluster = *state.block->cluster;
  if (uint32_t twice = warp.clusterArrivals & state.active)
    return misuse(state, twice,
                  "the thread arrives at the cluster's barrier, and has not "
                  "waited since it did before");
  warp.clusterArrivals |= state.active;
  warp.oddArrivals &= ~state.active;
  if (isOdd(cluster))
    warp.oddArrivals |= state.active;
  cluster.arrived += llvm::popcount(state.active);
  if (releases)
    warp.clock.release(cluster.arriving);
  else if (const SyncRecord *fence = warp.released.get())
    fence->addTo(fence->blockScope ? state.block->arriving : cluster.arriving);
  completeClusterBarrier(cluster);
  return Outcome::Next;
}

Outcome wait(ExecutionState &state) {
  Warp &warp = *state.warp;
  Cluster &cluster = *state.block->cluster;
  if (uint32_t missing = state.active & ~warp.clusterArrivals)
    return misuse(state, missing,
                  "the thread waits at the cluster's barrier, and has not "
                  "arrived");
  bool isComplete = !(arrivedNow(cluster, warp) & state.active);
  warp.clusterArrivals &= ~state.active;
  if (isComplete) {
    leaveBarrier(*state.block, warp);
    return Outcome::Next;
  }
  for (Split &split : warp.splits)
    if (split.mask & state.active) {
      split.state = Split::State::AtClusterBarrier;
      split.pc = state.pc + 1;
    }
  return Outcome::Parked;
}

Outcome arriveOrWait(ExecutionState &state, const Instruction &instruction) {
  Outcome outcome = Outcome::Next;
  if ((instruction.variant & isAligned) &&
      !requireWholeWarp(state, "an aligned barrier", outcome))
    return outcome;
  if (instruction.variant & isArrival)
    return arrive(state, !(instruction.variant & isRelaxed));
  return wait(state);
}

Handler selectBarrier(const Form &form, Instruction &instruction) {
  instruction.variant = (form.has("aligned") ? isAligned : 0) |
                        (form.has("relaxed") ? isRelaxed : 0) |
                        (form.has("arrive") ? isArrival : 0);
  return arriveOrWait;
}

/// The same place in shared memory of another block, named by its rank. Slots:
/// result, address of any block, rank.
template <typename T>
Outcome mapToRank(ExecutionState &state, const Instruction &instruction) {
  T *result = state.lanes<T>(instruction.slots[0]);
  const T *address = state.lanes<T>(instruction.slots[1]);
  const uint32_t *rank = state.lanes<uint32_t>(instruction.slots[2]);
  const size_t numBlocks = state.block->cluster->blocks.size();
  const uint64_t start =
      instruction.space == Space::Generic ? window::shared : 0;
  for (uint32_t rest = state.active; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    if (rank[lane] >= numBlocks)
      state.report(FindingKind::ClusterMisuse, lane, [&]() -> std::string {
        return llvm::formatv("expected the rank of one of {0} blocks, found "
                             "{1}",
                             numBlocks, rank[lane]);
      });
    result[lane] = T(start + window::peer(rank[lane] % numBlocks) +
                     (address[lane] - start) % window::sharedBytes);
  }
  return Outcome::Next;
}

/// The rank of the block whose shared memory an address names.
template <typename T>
Outcome findRank(ExecutionState &state, const Instruction &instruction) {
  uint32_t *result = state.lanes<uint32_t>(instruction.slots[0]);
  const T *address = state.lanes<T>(instruction.slots[1]);
  const uint64_t start =
      instruction.space == Space::Generic ? window::shared : 0;
  for (uint32_t rest = state.active; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    uint64_t place = address[lane] - start;
    const Block *owner = findSharedOwner(*state.block, place);
    if (!owner)
      state.report(FindingKind::ClusterMisuse, lane, [&]() -> std::string {
        return llvm::formatv("expected an address of the cluster's shared "
                             "memory, found {0:x}",
                             uint64_t(address[lane]));
      });
    result[lane] = owner ? owner->rank : 0;
  }
  return Outcome::Next;
}

Handler selectRank(const Form &form, Instruction &instruction) {
  instruction.space = spaceOf(form);
  bool isWide = form.type() == ScalarType::U64;
  if (form.mnemonic() == "mapa")
    return isWide ? mapToRank<uint64_t> : mapToRank<uint32_t>;
  return isWide ? findRank<uint64_t> : findRank<uint32_t>;
}

const Row rows[] = {
    {"mapa[.shared::cluster].u32|u64", "=T T b32", InstructionClass::Integer,
     selectRank, "sm_90 7.8"},
    {"getctarank[.shared::cluster].u32|u64", "=b32 T",
     InstructionClass::Integer, selectRank, "sm_90 7.8"},
    {"barrier.cluster.arrive[.release|relaxed][.aligned]", "",
     InstructionClass::Barrier, selectBarrier,
     "sm_90 7.8; release|relaxed: any 8.0"},
    {"barrier.cluster.wait[.acquire][.aligned]", "", InstructionClass::Barrier,
     selectBarrier, "sm_90 7.8; acquire: any 8.0"},
};

} // namespace

llvm::ArrayRef<Row> mlir::mirage::emulator::clusterRows() { return rows; }
