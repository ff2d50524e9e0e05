//===- State.h - Warps and blocks while they run ----------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_STATE_H
#define MIRAGE_LIB_EMULATOR_STATE_H

#include "Mirage/Emulator/Launch.h"

#include "AsyncGroups.h"
#include "EarlierGrids.h"
#include "Findings.h"
#include "MBarrier.h"
#include "MatrixGroups.h"
#include "Program.h"
#include "Shadow.h"
#include "Traffic.h"

#include "llvm/Support/MathExtras.h"

#include <deque>
#include <memory>
#include <random>
#include <string>

namespace mlir::mirage::emulator {

constexpr unsigned warpSize = 32;
constexpr uint32_t allLanes = ~0u;

/// Memory that registers and shared memory hold before anything is written: a
/// NaN as f16, bf16, f32 and f64.
constexpr uint32_t undefinedPattern = 0x7fff7fff;

/// A range of device addresses and the host memory behind it.
struct Region {
  uint64_t base = 0, sizeBytes = 0;
  uint8_t *host = nullptr;
  int32_t buffer = -1; ///< of the launch; -1 for what belongs to the module
  /// Reads and writes are remembered: somebody may write it.
  bool isShadowed = false;
  bool isWritable = true;
  bool startsUndefined = false;           ///< but for what was `written` before
  llvm::ArrayRef<ByteRange> written = {}; ///< counted from `base` on

  bool contains(uint64_t address, uint64_t bytes) const {
    uint64_t offset = address - base;
    return offset <= sizeBytes && bytes <= sizeBytes - offset;
  }
};

/// Everything that all blocks of a launch share and none changes.
struct LaunchContext {
  LaunchContext(const Program &program, const Kernel &kernel,
                const KernelInfo &info, const LaunchConfig &config)
      : program(program), kernel(kernel), info(info), config(config) {}

  const Program &program;
  const Kernel &kernel;
  const KernelInfo &info;
  const LaunchConfig &config;
  uint32_t threadsPerBlock = 0, warpsPerBlock = 0;
  uint64_t numBlocks = 0;
  uint32_t blocksPerCluster = 1;
  uint32_t sharedBytes = 0; ///< static and dynamic
  std::vector<uint8_t> parameters;
  std::vector<Region> regions; ///< global memory
  Region constants, parameterRegion;
  EarlierGrids earlierGrids;
  /// A warp's register file at its start, but for special registers.
  std::vector<uint8_t> registerTemplate;
};

/// One warp-group of lanes that execute together: a pc and a mask. A warp has
/// one until its lanes diverge.
struct Split {
  enum class State : uint8_t {
    Runnable,
    AtBarrier,
    AtClusterBarrier,
    AtMBarrier,
    AtMatrices,  ///< waits for a wgmma that warps of its warpgroup have not
                 ///< issued
    AtRegisters, ///< waits for registers that other warps give up
    AtWarpSync,  ///< waits for lanes of its warp at the same instruction
    Polling,     ///< reads a place again and again; waits for it to change
  };
  uint32_t pc = 0, mask = 0;
  uint32_t reconvergence = noPc;
  int32_t join = -1; ///< index of the Join it ends in; -1: it ends with exit
  State state = State::Runnable;
  uint8_t barrier = 0;
  uint32_t mbarrier = 0;     ///< its address
  uint32_t waitingLanes = 0; ///< lanes that stand at the warp sync
  /// What a polling loop has seen: the same value at the same instruction.
  uint32_t pollPc = noPc, pollCount = 0;
  uint64_t pollHash = 0;
  uint8_t pollBytes = 0;
  std::vector<const uint8_t *> polled;
};

/// Where splits of one branch meet again.
struct Join {
  uint32_t pc = 0, arrived = 0;
  uint32_t pending = 0; ///< splits and inner joins that are still on their way
  uint32_t outerReconvergence = noPc;
  int32_t outerJoin = -1;
};

/// One lane's part of a cp.async that has not been delivered.
struct PendingCopy {
  uint32_t group = 0; ///< of its lane, counted from 1
  uint8_t lane = 0, sizeBytes = 0, sourceBytes = 0;
  uint8_t *destination = nullptr;
  const uint8_t *source = nullptr;
};

/// A tensor map in global memory that fence.proxy.tensormap has acquired.
struct AcquiredMap {
  uint64_t address = 0;
  WarpClock clock; ///< what the fence came after
};

/// What a warp was like at some step, to tell whether it comes back to it.
struct WarpState {
  uint64_t steps = 0;
  uint32_t carries = 0;
  std::vector<Split> splits;
  std::vector<Join> joins;
  std::vector<uint8_t> registers;
  uint64_t nextLook = 0, numLooks = 0; ///< LoopWatch.h
};

struct Warp {
  uint32_t index = 0;
  uint32_t lanes = 0;   ///< that exist: fewer in the last warp
  uint32_t exited = 0;  ///< of these
  uint32_t carries = 0; ///< of add.cc, a bit per lane
  /// Lanes that have arrived at the cluster's barrier and not yet waited, and
  /// of these the ones that did in an odd phase.
  uint32_t clusterArrivals = 0, oddArrivals = 0;
  bool knowsClusterStarted = false; ///< has waited at that barrier
  uint8_t *registers = nullptr;
  uint8_t *local = nullptr;
  uint8_t *localWritten = nullptr; ///< for each of its bytes, 1 once it is
  std::vector<Split> splits;
  std::vector<Join> joins;
  std::vector<int32_t> freeJoins;
  size_t nextSplit = 0;
  /// Lanes did not wait for others at the end of a branch; they meet them where
  /// the whole warp is needed.
  bool releasedEarly = false;
  uint64_t steps = 0;
  bool readsClock = false;            ///< and so is never what it was before
  std::unique_ptr<WarpState> earlier; ///< of a warp that may never end

  WarpClock clock;
  /// Copies of fence.release or fence.acq_rel, for the next relaxed write.
  std::unique_ptr<SyncRecord> released;
  /// What relaxed reads and waits have seen, for the next fence.acquire.
  std::vector<SyncRecord> seen;

  std::vector<PendingCopy> copies;
  AsyncGroups asyncGroups;
  BulkGroups bulk;
  std::vector<AcquiredMap> acquiredMaps;
  WarpMatrices matrices;
  /// Registers of a thread; and the setmaxnreg that were executed, by pc.
  uint32_t numRegisters = 0;
  std::vector<uint32_t> registerChanges;

  /// Adds to what was seen.
  void see(SyncRecord record) {
    for (SyncRecord &other : seen)
      if (other.block == record.block && other.blockScope == record.blockScope)
        return other.clock.join(record.clock);
    seen.push_back(std::move(record));
  }
  uint32_t alive() const { return lanes & ~exited; }
  bool hasEnded() const { return splits.empty(); }
};

struct Barrier {
  uint32_t expected = 0, arrived = 0; ///< threads, warps counted as whole ones
  uint32_t arrivedWarps = 0;          ///< lanes of which have arrived
  uint32_t votesAnd = 1, votesOr = 0, votesCount = 0;
  int reduction = 0; ///< the same of all arrivals of a phase
  VectorClock clock;
  struct Waiter {
    uint32_t warp, mask, resultSlot;
    bool isReduction;
  };
  std::vector<Waiter> waiters;
};

struct Worker;
struct Cluster;

/// One thread block. It is plain state, so that a worker can leave it at any
/// wait and come back.
struct Block {
  uint64_t number = 0;
  std::array<uint32_t, 3> coordinates = {0, 0, 0};
  Cluster *cluster = nullptr;
  unsigned rank = 0; ///< in its cluster
  std::vector<Warp> warps;
  std::array<Barrier, 16> barriers;
  MBarriers mbarriers;
  std::vector<MatrixGroup> matrixGroups; ///< by warpgroup, once there are any
  std::vector<uint8_t> shared;           ///< from address 0 of its space on
  Region sharedRegion;
  Shadow sharedShadow;
  std::vector<uint8_t> registerFiles, localMemory, localWritten;
  uint64_t steps = 0;
  uint32_t liveWarps = 0;
  bool wasStopped = false;
  bool waitedForEarlierGrids = false;
  /// Accesses of other blocks to this one's shared memory, and of copies from
  /// it that others' mbarriers are told of, the last of each agent: they must
  /// come before the block ends.
  struct RemoteAccess {
    Epoch epoch;
    uint32_t pc = 0;
    bool isCopy = false;
  };
  std::map<std::pair<uint32_t, unsigned>, RemoteAccess> remoteAccesses;
  /// By (shared or generic) address: what releases left there.
  std::map<uint64_t, SyncRecord> syncRecords;
  /// What arrivals at the cluster's barrier, of this phase and the last one,
  /// release at the scope of this block alone.
  BlockClocks arriving, released;
};

/// Blocks that start together. Its barrier is one of all their threads: they
/// arrive, and wait until all have.
struct Cluster {
  std::deque<Block> blocks; ///< which stay where they are
  uint32_t arrived = 0;     ///< threads, in this phase
  uint32_t phase = 0;       ///< how often all have arrived
  BlockClocks arriving;     ///< what arrivals of this phase released
  BlockClocks released;     ///< what those of the last one did

  uint64_t getNumber() const { return blocks.front().number; }
  bool hasEnded() const;
  /// Threads that have not ended.
  uint32_t countThreads() const;
};

/// What one host thread has at hand.
struct Worker {
  explicit Worker(const LaunchContext &launch)
      : launch(launch), findings(launch.config.maxFindings),
        random(launch.config.scheduleSeed) {}

  const LaunchContext &launch;
  Counters counters;
  FindingSet findings;
  TrafficCache traffic;
  /// What the cluster that runs did to global memory, or all of them if they
  /// communicate.
  Shadow globalShadow;
  std::map<uint64_t, SyncRecord> globalSyncRecords;
  /// Of the blocks that globalShadow is of.
  ProxyFences proxyFences;
  LaneSets laneSets; ///< that entries of their shadows name
  std::vector<GlobalInterval> intervals;
  uint64_t numBlocksThatWaited = 0; ///< for earlier grids
  /// Of random schedules, and of copies that arrive at random.
  std::mt19937_64 random;
  /// Whether what is started asynchronously now is done at once.
  bool arrivesAtOnce() {
    return launch.config.asyncDelivery == AsyncDelivery::AtOnce ||
           (launch.config.asyncDelivery == AsyncDelivery::Mixed &&
            (random() & 1));
  }
  /// What is left of the launch need not run.
  bool endsLaunch = false;
  /// What the emulator cannot do, and where, if the kernel asks for it.
  std::string unsupported;
  uint32_t unsupportedPc = noPc;
  bool watchesRaces() const { return launch.config.checks != Checks::None; }
  bool watchesAll() const { return launch.config.checks == Checks::All; }
};

/// What a handler gets: who executes.
struct ExecutionState {
  uint8_t *registers = nullptr;
  uint32_t active = 0; ///< lanes of the split for which the guard holds
  uint32_t split = 0;  ///< index into warp->splits
  uint32_t pc = 0;
  Warp *warp = nullptr;
  Block *block = nullptr;
  Worker *worker = nullptr;

  template <typename T>
  T *lanes(uint32_t slot) const {
    return reinterpret_cast<T *>(registers + slot);
  }
  uint32_t &predicate(uint32_t slot) const { return *lanes<uint32_t>(slot); }
  Split &currentSplit() const { return warp->splits[split]; }
  unsigned firstLane() const { return llvm::countr_zero(active); }

  /// Adds a finding at this instruction. `message` is only called for the first
  /// of its kind here.
  void report(FindingKind kind, unsigned lane,
              llvm::function_ref<std::string()> message,
              uint32_t otherPc = noPc) const {
    worker->findings.add(kind, pc, otherPc, block->number, warp->index, lane,
                         message);
  }

  /// Ends the launch: the emulator cannot do what this instruction says.
  Outcome refuse(std::string what) const {
    worker->unsupported = std::move(what);
    worker->unsupportedPc = pc;
    worker->endsLaunch = true;
    return Outcome::Stopped;
  }
};

/// Sets bits of a predicate register for the active lanes.
inline void setPredicate(ExecutionState &state, uint32_t slot, uint32_t value) {
  if (slot == noSlot)
    return;
  uint32_t &mask = state.predicate(slot);
  mask = (mask & ~state.active) | (value & state.active);
}

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_STATE_H
