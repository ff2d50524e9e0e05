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
// are set anew before a run; runs that were enqueued keep what they had.
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
  /// \param launches  in the order in which they run; they outlive this.
  LaunchGraph(const Driver &driver,
              llvm::ArrayRef<std::unique_ptr<DriverLaunch>> launches);

  /// Says where the arguments of a launch lie in runs to come.
  void place(unsigned launch, llvm::ArrayRef<CUdeviceptr> addresses);
  /// Enqueues a run, in a stream that is not captured. The graph is made when
  /// it is the first. \returns false, having enqueued nothing, where the driver
  /// refuses: launches that are enqueued one by one tell which, and why.
  bool enqueue(CUstream stream);

private:
  struct Node {
    DriverLaunch *launch;
    std::vector<CUdeviceptr> addresses; ///< of the launch's arguments
    bool hasMoved = true;               ///< the graph does not know of them
    CUgraphNode node = nullptr;
  };
  bool make();
  bool update();

  const Driver &driver;
  std::vector<Node> nodes;
  DriverGraph graph; ///< `nodes` point into it
  GraphExec executable;
  bool cannotBeMade = false;
};

} // namespace mlir::mirage::cuda

#endif // MIRAGE_LIB_RUNTIME_LAUNCHGRAPH_H
