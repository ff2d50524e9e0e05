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
// One iteration of the loop loads its tiles, waits, and computes: code has one
// stage, and nothing is on its way while a block computes. With a ring of s
// stages an iteration would wait for no more than
// max(loads and latency / s, arithmetic).
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_BLOCKTIME_H
#define MIRAGE_SEARCH_BLOCKTIME_H

#include "Mirage/Planning/Target.h"
#include "Mirage/Search/KernelWork.h"

namespace mlir::mirage::search {

/// Of one iteration, or of all that is outside the loop.
struct PhaseTime {
  double aloneUs = 0;
  double loadUs = 0;
  double computeUs = 0;

  /// Until all of so many blocks on one SM are through.
  double getUs(int64_t blocksPerSM) const;
};

struct BlockTime {
  PhaseTime outside, iteration;
  int64_t numIterations = 1;

  double getUs(int64_t blocksPerSM) const {
    return outside.getUs(blocksPerSM) +
           double(numIterations) * iteration.getUs(blocksPerSM);
  }
};

/// What a block does, whatever its number of threads is.
class BlockWork {
public:
  BlockWork(const KernelWork &kernel, const Target &target);

  BlockTime getTime(int64_t threads) const;

private:
  struct Load {
    bool isInLoop = false;
    double bytes = 0;
    int64_t numAccesses = 0; ///< of all threads
  };
  /// An operation: on so many elements, each of which is a sum of `length`
  /// products where it is a product without tensor cores.
  struct Step {
    bool isInLoop = false;
    double computeUs = 0;
    int64_t elements = 0;
    int64_t length = 0;
  };
  Step getStep(const KernelWork::Operation &operation) const;
  double getAloneUs(const Step &step, int64_t threads) const;
  void addLoads(bool inLoop, int64_t threads, PhaseTime &time) const;

  const Target &target;
  int64_t numIterations;
  llvm::SmallVector<Load, 4> loads;
  llvm::SmallVector<Step, 12> steps;
};

/// What the threads of a block take to read, change and write so many elements
/// of tiles.
double getElementsUs(int64_t elements, int64_t threads, const Target &target);

/// Bytes of one input tile as the memory system sees them: more than it has
/// where its rows have few consecutive bytes.
double getLoadBytes(const TensorSpec &tile, const TensorSpec &tensor);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_BLOCKTIME_H
