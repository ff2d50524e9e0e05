//===- BlockTime.h - How long one thread block takes ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two times say what a block does. Alone on an SM it takes `aloneUs`: most of
// that is waiting, and the more threads there are, the fewer accesses and
// elements each of them has to wait for. Of the SM it occupies less: its way to
// L2 for `loadUs`, its units for `computeUs`. Several blocks wait at the same
// time, so b of them take
//
//   max(aloneUs, b · loadUs, b · computeUs)
//
// With one stage an iteration of the loop loads its tiles, waits, and computes.
// With s stages (Mirage/Graph/TileMemory.h) its tiles have been on their way
// for s - 1 iterations: it takes no more than
//
//   max(loads, latency / (s - 1), arithmetic)
//
// and the first tiles are waited for once, before the loop; with as many stages
// as iterations these are all, and there is no latency to wait for. So more
// iterations take no less, whatever stages they allow. What cp.async
// cannot take, accesses of fewer than 4 bytes, is waited for in each iteration,
// however many stages there are.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_BLOCKTIME_H
#define MIRAGE_SEARCH_BLOCKTIME_H

#include "Mirage/Planning/Target.h"
#include "Mirage/Search/KernelWork.h"

namespace mlir::mirage::search {

/// Rows of a tile with as many consecutive bytes in device memory are loaded at
/// the full rate.
constexpr int64_t kFullRowBytes = 96;

/// Of one iteration, or of all that is outside the loop.
struct PhaseTime {
  double aloneUs = 0;
  double loadUs = 0;
  double computeUs = 0;
  double stepsUs = 0; ///< of aloneUs, what is no wait for loads

  /// Until all of so many blocks on one SM are through, on average.
  double getUs(double blocksPerSM) const;
};

/// What the time of blocks goes by, µs: each phase counts for the largest of
/// its three times, so that the sum is what the blocks take.
struct BlockTimeShares {
  double latencyUs = 0; ///< a block alone: latency, barriers, issue
  double loadUs = 0;    ///< the way of an SM to L2
  double computeUs = 0; ///< the units of an SM
};

struct BlockTime {
  PhaseTime outside, iteration;
  int64_t numIterations = 1;

  double getUs(double blocksPerSM) const {
    return outside.getUs(blocksPerSM) +
           double(numIterations) * iteration.getUs(blocksPerSM);
  }
  /// The same if all loads were there.
  double getStepsUs(double blocksPerSM) const;
  BlockTimeShares getShares(double blocksPerSM) const;
};

/// How the work of a block is shared out, and when its loads are made.
struct BlockShape {
  int64_t threads = 128;
  int64_t stages = 1;
};

/// What a block does, shared out over its threads.
class SharedBlockWork {
public:
  BlockTime getTime(int64_t stages) const;

private:
  friend class BlockWork;
  SharedBlockWork(const Target &target, int64_t threads, int64_t numIterations)
      : target(target), threads(threads), numIterations(numIterations) {}

  struct Phase {
    bool isOneStream = false; ///< as a KernelWork says
    double copiedBytes = 0;   ///< to load, where threads copy
    double loadBytes = 0;     ///< where the copy engine fills rings
    int64_t numAhead = 0; ///< accesses of the busiest thread that may run ahead
    int64_t numOthers = 0;   ///< all others
    int64_t numPartRows = 0; ///< of boxes, each of which is less than a sector
    double aloneUs = 0, computeUs = 0; ///< of operations
    /// Of these, what it saves that four warps multiply together, if the copy
    /// engine fills rings.
    double savedAloneUs = 0, savedComputeUs = 0;
    /// What such products take then, and what warps do with their rows beside.
    double togetherUs = 0, rowsUs = 0;
    bool isOfSketch = false; ///< some of these may not be together
    /// Of the former, what warps wait for and need not, where the next
    /// iteration may be the one that waits.
    double idleUs = 0;
  };
  double getAccessesUs(int64_t number) const;
  double getWaitUs(int64_t numAccesses) const;
  double getLoadsUs(const Phase &phase) const;
  double getDrawUs(double bytes) const;
  PhaseTime getTime(const Phase &phase) const;
  BlockTime getTimeAhead(int64_t stages) const;
  double getIterationUs() const;
  double getHiddenUs(int64_t stages) const;
  double getIdleUs(int64_t stages) const;

  const Target &target;
  int64_t threads, numIterations;
  Phase outside, iteration;
};

/// What a block does, whatever its shape is.
class BlockWork {
public:
  /// \param kernel  outlives it, where it is.
  BlockWork(const KernelWork &kernel, const Target &target);
  BlockWork(KernelWork &&, const Target &) = delete;

  SharedBlockWork share(int64_t threads) const;
  BlockTime getTime(BlockShape shape) const {
    return share(shape.threads).getTime(shape.stages);
  }

private:
  struct Load {
    bool isInLoop = false;
    double copiedBytes = 0, bytes = 0; ///< as a phase has them
    int64_t numAccesses = 0;           ///< of all threads
    bool canRunAhead = false;
    int64_t numPartRows = 0;
  };
  /// An operation: on so many elements, each of which is a sum of `length`
  /// products where it is a product without tensor cores.
  struct Step {
    bool isInLoop = false;
    /// Whether all is in registers before and after: warps hand on nothing.
    bool isOnRows = false;
    bool mayBeTogether = false; ///< four warps may multiply together
    bool isInPlace = false;     ///< and read no registers
    bool isOfSketch = false;    ///< so that they may not, either
    bool isInReader = false;    ///< of what may be one stream
    /// Of a reduction in what may be one stream; else nullptr.
    const KernelWork::Operation *reduction = nullptr;
    double matrixTiles = 0;
    double chainedTiles = 0; ///< each of which waits for the one before
    double computeUs = 0;
    int64_t elements = 0;
    int64_t length = 0;
  };
  Step getStep(const KernelWork::Operation &operation) const;
  double getAloneUs(const Step &step, int64_t threads) const;
  double getReductionUs(const Step &step, int64_t threads) const;
  double getProductsUs(const Step &step, int64_t threads) const;

  const Target &target;
  int64_t numIterations;
  bool isOneStream, mayBeOneStream; ///< as the KernelWork says
  llvm::SmallVector<Load, 4> loads;
  llvm::SmallVector<Step, 12> steps;
};

/// What the threads of a block take to read, change and write so many elements
/// of tiles.
double getElementsUs(int64_t elements, int64_t threads, const Target &target);

/// How long the first byte of a load takes where all SMs load.
double getFirstByteUs(const Target &target);

/// Bytes of one input tile as the memory system sees them: more than it has
/// where its rows have few consecutive bytes.
double getLoadBytes(const KernelWork::Load &load);
/// The same of the whole tensor, read once.
double getTensorBytes(const KernelWork::Load &load);
/// Bytes that an SM draws at the full rate while so many come: threads draw at
/// less than the copy engine does, which fills rings.
double getDrawnBytes(const KernelWork::Load &load, double bytes, bool hasRings,
                     const Target &target);

/// What one SM would take to compute all that is known of all blocks.
double getTotalComputeUs(const KernelWork &kernel, const Target &target);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_BLOCKTIME_H
