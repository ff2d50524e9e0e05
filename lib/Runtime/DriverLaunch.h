//===- DriverLaunch.h - One launch for the driver ------------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What does not change from run to run is put down once. Of a tensor map that
// is its address alone, so a map is encoded with the first address it has, and
// that is replaced where the tensor has moved.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_RUNTIME_DRIVERLAUNCH_H
#define MIRAGE_LIB_RUNTIME_DRIVERLAUNCH_H

#include "CudaDriver.h"
#include "Mirage/Artifact/Artifact.h"

namespace mlir::mirage::cuda {

/// For one thread at a time.
class DriverLaunch {
public:
  /// \param launch  outlives this.
  DriverLaunch(const KernelLaunch &launch, CUfunction function);
  // The driver gets pointers to what is in here.
  DriverLaunch(const DriverLaunch &) = delete;
  DriverLaunch &operator=(const DriverLaunch &) = delete;

  CUfunction getFunction() const { return function; }
  const LaunchConfig &getConfig() const { return config; }

  /// Says where the arguments lie in launches to come.
  llvm::Error place(const Driver &driver,
                    llvm::ArrayRef<CUdeviceptr> addresses);
  llvm::Error enqueue(const Driver &driver, CUstream stream);

  /// Adds the launch to a graph, behind another one.
  /// \param before  null for the first.
  CUresult addTo(const Driver &driver, CUgraph graph, CUgraphNode before,
                 CUgraphNode *node);
  /// Gives a graph's launch the places that the arguments have now.
  CUresult update(const Driver &driver, CUgraphExec graph, CUgraphNode node);

private:
  LaunchAttribute &add(LaunchAttributeId id);
  CUresult place(const Driver &driver, unsigned argument, CUdeviceptr address);
  KernelNodeParameters describeNode();

  const KernelLaunch &launch;
  CUfunction function;
  LaunchConfig config = {};
  LaunchAttribute attributes[2] = {};
  std::vector<CUdeviceptr> addresses; ///< by argument
  std::vector<TensorMapImage> maps;   ///< of arguments that have one, in order
  std::vector<void *> parameters;     ///< each an address, or a map
};

} // namespace mlir::mirage::cuda

#endif // MIRAGE_LIB_RUNTIME_DRIVERLAUNCH_H
