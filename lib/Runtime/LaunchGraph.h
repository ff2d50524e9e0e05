//===- LaunchGraph.h - A program's launches as one graph ------ -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a run that is a CUDA graph the driver is told by one call, which takes
// half as long as one launch, however many kernels the graph has; and these
// follow one another sooner (docs/Runtime.md has the times). A graph has the
// arguments of its launches in it. Those of launches whose tensors have moved
// are set anew before a run, and all before the first one; runs that were
// enqueued keep what they had (CUDA Driver API,
// cuGraphExecKernelNodeSetParams).
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_RUNTIME_LAUNCHGRAPH_H
#define MIRAGE_LIB_RUNTIME_LAUNCHGRAPH_H

#include "CudaHandles.h"
#include "DriverLaunch.h"
#include <memory>

namespace mlir::mirage::cuda {

/// For one thread at a time.
class LaunchGraph {
public:
  /// Makes a graph, which takes device memory.
  /// \param launches  in the order in which they run; they outlive it.
  static llvm::Expected<std::unique_ptr<LaunchGraph>>
  make(const Driver &driver,
       llvm::ArrayRef<std::unique_ptr<DriverLaunch>> launches);

  /// Says where the arguments of a launch lie in runs to come.
  void place(unsigned launch, llvm::ArrayRef<CUdeviceptr> addresses);
  /// Enqueues a run, in a stream that is not captured. \returns false, having
  /// enqueued nothing, where the driver refuses: launches that are enqueued one
  /// by one tell which, and why.
  bool enqueue(CUstream stream);

private:
  struct Node {
    DriverLaunch *launch;
    std::vector<CUdeviceptr> addresses; ///< of the launch's arguments
    bool hasMoved = true;               ///< the graph does not know of them
    CUgraphNode node = nullptr;
  };
  explicit LaunchGraph(const Driver &driver)
      : driver(driver), graph(driver), executable(driver) {}
  CUresult add(DriverLaunch &launch);
  bool update(Node &node);

  const Driver &driver;
  std::vector<Node> nodes;
  DriverGraph graph; ///< `nodes` point into it
  GraphExec executable;
};

} // namespace mlir::mirage::cuda

#endif // MIRAGE_LIB_RUNTIME_LAUNCHGRAPH_H
