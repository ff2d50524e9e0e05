//===- LaunchBarrier.h - Kernels that share a launch ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block graph that joins its blocks along grid axes becomes several kernels:
// one leaves parts in device memory, the next one reads them. The next one has
// a launch of its own, or runs in the same one, behind
//
// * a barrier of clusters, in hardware, where the blocks that are joined are a
//   cluster. The larger clusters are, the more SMs have no place for one.
// * a count of arrivals in L2, where one block is left of those that are
//   joined: the last one to arrive goes on.
//
// Nobody waits for blocks that may not have started. A barrier of all blocks by
// such a counter, which have to be resident at a time then, was measured to
// take more than a launch (docs/Search.md, "Joining blocks").
//
// Which of these there can be, and which takes least, depends on sizes and the
// GPU alone: --mirage-merge-launches decides by this, and the search's cost
// model expects what it will decide.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_PLANNING_LAUNCHBARRIER_H
#define MIRAGE_PLANNING_LAUNCHBARRIER_H

#include "Mirage/Planning/Target.h"
#include "llvm/ADT/ArrayRef.h"
#include <algorithm>
#include <optional>

namespace mlir::mirage {

/// What stands between a kernel and the one before it.
enum class LaunchBarrier : uint8_t {
  Launch,      ///< it has a launch of its own
  LastArrival, ///< the last of the blocks that are joined goes on
  Cluster,     ///< they are a cluster, and wait at its barrier
};
llvm::StringRef getLaunchBarrierName(LaunchBarrier barrier); // "last_arrival"
std::optional<LaunchBarrier> parseLaunchBarrier(llvm::StringRef name);

/// The registers that a thread is taken to need where its code is not known
/// yet, besides the rows that warps keep. The code of the benchmarks' kernels
/// takes 20 to 80 (ptxas -v, 64 to 512 threads), most of it up to 64.
constexpr int64_t kExpectedRegisters = 64;
/// And at the least, besides rows, or sums that grow over a loop.
constexpr int64_t kLeastRegisters = 40;

/// What a block takes of an SM.
struct BlockResources {
  int64_t threads = 0;
  int64_t sharedBytes = 0;  ///< dynamic shared memory
  int64_t rowRegisters = 0; ///< of a thread, for rows that warps keep
  /// Of a thread, for sums that grow over a loop: of code that has no such
  /// rows, a part of what it is taken to need.
  int64_t sumRegisters = 0;

  /// Of a thread, as many as its code is taken to need.
  int64_t getRegisters() const {
    return std::max(kExpectedRegisters + rowRegisters,
                    kLeastRegisters + sumRegisters);
  }
};

/// What keeps an SM from holding one block more.
enum class OccupancyLimit : uint8_t {
  SharedMemory,
  Threads,
  Blocks,
  Registers
};
llvm::StringRef getOccupancyLimitName(OccupancyLimit limit); // "shared memory"

struct Occupancy {
  int64_t blocks = 0; ///< that an SM holds at a time; 0: not one has place
  OccupancyLimit limit = OccupancyLimit::Blocks; ///< the first that is reached
};

/// Of the shared memory of each block, the system's.
constexpr int64_t kSystemSharedBytes = 1024;

/// Of blocks whose threads have so many registers each.
Occupancy getOccupancy(BlockResources block, int64_t registersPerThread,
                       const Target &target);

/// How many blocks an SM holds at a time, with as many registers as their code
/// is taken to need; 0 where it has not enough for one.
int64_t getResidentBlocks(BlockResources block, const Target &target);

/// A kernel whose blocks the next kernel joins along one axis.
struct GridJoin {
  int64_t numBlocks = 0;
  int64_t numJoined = 1; ///< blocks along the axis
  /// Whether the next kernel has as many blocks, or one along the axis.
  bool keepsBlocks = false;
  bool hasSameThreads = true;
};

/// Whether one barrier can stand behind another in a chain: two kernels whose
/// barrier is of clusters share their launch with no third.
bool canFollow(LaunchBarrier before, LaunchBarrier barrier);

/// For a chain of joins, each of which joins what the one before leaves, the
/// barriers that take least in all, the first ones of several.
llvm::SmallVector<LaunchBarrier, 3>
chooseLaunchBarriers(llvm::ArrayRef<GridJoin> chain, const Target &target);

/// A kernel that joins parts.
struct JoiningKernel {
  int64_t numBlocks = 1; ///< if each joins all of the parts' elements
  int64_t numJoined = 1; ///< parts of each element
  int64_t partBytes = 0; ///< that a block reads of each part
  /// The same of what every piece needs whole.
  int64_t wholeBytes = 0;
};

/// Into how many pieces, a power of two, tiles of such a kernel are best cut,
/// with a block for each and an SM for each block. Whole, it may share the
/// launch of the kernel before it; in pieces only behind clusters of as many
/// blocks.
/// \param most  no more pieces than that.
int64_t chooseJoinPieces(const JoiningKernel &kernel, int64_t most,
                         const Target &target);
/// What that kernel takes, cut into so many pieces, the barrier before it
/// included: µs.
double getJoiningUs(const JoiningKernel &kernel, int64_t pieces,
                    const Target &target);

/// What a barrier takes: µs.
double getLaunchBarrierUs(LaunchBarrier barrier, const Target &target);
/// What no barrier on the target goes below: µs.
double getLeastLaunchBarrierUs(const Target &target);

} // namespace mlir::mirage

#endif // MIRAGE_PLANNING_LAUNCHBARRIER_H
