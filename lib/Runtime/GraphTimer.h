//===- GraphTimer.h - Times of CUDA-graph replays ------------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One CUDA graph holds many runs, so that the host's part of a launch is not
// timed. What fits stays in the L2 cache when runs use the same tensors; that
// is the hot time. For the cold one, runs take copies in turn that together
// exceed four times the L2 cache, as weights do in a real model.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_RUNTIME_GRAPHTIMER_H
#define MIRAGE_LIB_RUNTIME_GRAPHTIMER_H

#include "CudaProgramImpl.h"

namespace mlir::mirage {

/// Tensors for hot and cold runs. Programs with the same inputs and outputs may
/// share them.
class TimedTensors {
public:
  /// Copies the inputs to the device as often as a cold run needs them.
  static llvm::Expected<TimedTensors> make(const CudaProgram &program,
                                           llvm::ArrayRef<HostTensor> inputs);

  /// The tensors of each run of a graph.
  std::vector<const CudaTensors *> getHot(unsigned runs) const {
    return std::vector<const CudaTensors *>(runs, &copies.front());
  }
  std::vector<const CudaTensors *> getCold() const;
  /// Those that both use.
  const CudaTensors &getFirst() const { return copies.front(); }
  int64_t getTensorBytes() const { return tensorBytes; }
  unsigned getNumCopies() const { return copies.size(); }

private:
  std::vector<CudaTensors> copies;
  int64_t tensorBytes = 0;
};

/// Runs of a program, captured and ready to be replayed.
struct TimedGraph {
  cuda::GraphExec executable;
  size_t numRuns = 0;
};

/// A stream and what is timed in it.
class GraphTimer {
public:
  explicit GraphTimer(const cuda::Driver &driver)
      : driver(driver), stream(driver) {}
  llvm::Error start();

  /// A graph in which run i uses sets[i]. The program runs once before: a
  /// library may load its code at the first call, which no capture is for.
  llvm::Expected<TimedGraph> capture(const CudaProgram &program,
                                     llvm::ArrayRef<const CudaTensors *> sets);
  /// Replays without timing.
  llvm::Error warmUp(const TimedGraph &graph, unsigned replays);
  /// Microseconds of one run, the mean of those of one replay.
  llvm::Expected<double> time(const TimedGraph &graph);

private:
  const cuda::Driver &driver;
  cuda::Stream stream;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_RUNTIME_GRAPHTIMER_H
