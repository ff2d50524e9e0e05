//===- CudaProgramImpl.h - What a program holds on a device --- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_RUNTIME_CUDAPROGRAMIMPL_H
#define MIRAGE_LIB_RUNTIME_CUDAPROGRAMIMPL_H

#include "CudaHandles.h"
#include "CudaLibrary.h"
#include "DriverLaunch.h"
#include "LaunchGraph.h"
#include "Mirage/Runtime/CudaDevice.h"
#include "RunOrder.h"

namespace mlir::mirage {

class CudaTensors;

struct CudaProgram::Impl {
  Impl(const CudaDevice &device, const Artifact &artifact)
      : device(device), driver(device.getDriver()), artifact(artifact),
        module(driver), workspace(driver), order(driver) {}

  llvm::Error loadModule();
  llvm::Error loadFunctions();
  llvm::Error checkSharedBytes(unsigned number,
                               cuda::CUfunction function) const;
  llvm::Error checkRegisters(unsigned number, cuda::CUfunction function) const;
  llvm::Error checkCluster(unsigned number,
                           const cuda::DriverLaunch &described) const;
  /// Where the arguments of a launch lie.
  llvm::SmallVector<cuda::CUdeviceptr, 8>
  findAddresses(unsigned number, llvm::ArrayRef<cuda::CUdeviceptr> inputs,
                llvm::ArrayRef<cuda::CUdeviceptr> outputs) const;
  /// One launch, where `order` lets runs in; errors name its kernel.
  llvm::Error enqueueLaunch(unsigned number, cuda::CUstream stream,
                            llvm::ArrayRef<cuda::CUdeviceptr> inputs,
                            llvm::ArrayRef<cuda::CUdeviceptr> outputs) const;
  /// All launches together, likewise. \returns false, having enqueued nothing,
  /// where they have to be enqueued one by one.
  bool enqueueGraph(cuda::CUstream stream,
                    llvm::ArrayRef<cuda::CUdeviceptr> inputs,
                    llvm::ArrayRef<cuda::CUdeviceptr> outputs) const;
  /// One run that waits after every launch.
  llvm::Error
  runOneByOne(const CudaTensors &tensors,
              llvm::function_ref<void(llvm::StringRef)> onLaunch) const;
  /// Makes the launches one graph, or says why that cannot be.
  void makeGraph();
  /// Plans the launches that are left to a library, as far as `use` allows.
  llvm::Error planLibrary(LibraryUse use);
  std::string name(unsigned launch) const {
    return "kernel " + artifact.launches[launch].kernel;
  }

  const CudaDevice &device;
  const cuda::Driver &driver;
  const Artifact &artifact;
  cuda::Module module;
  std::vector<std::unique_ptr<cuda::DriverLaunch>> driverLaunches;
  cuda::Memory workspace;
  std::unique_ptr<cuda::LibraryLaunches> library; ///< null if it is not used
  std::unique_ptr<cuda::LaunchGraph> graph;       ///< null: there is none
  std::string whyNoGraph;
  std::vector<CudaLaunch> launches;
  mutable cuda::RunOrder order;
};

/// Device memory for one set of an artifact's tensors.
class CudaTensors {
public:
  /// Inputs are copied in; outputs are filled with NaNs.
  static llvm::Expected<CudaTensors> make(const CudaProgram::Impl &program,
                                          llvm::ArrayRef<HostTensor> inputs);

  /// Fills outputs with NaNs. Afterwards all tensors are ready for any stream.
  llvm::Error clearOutputs(const CudaProgram::Impl &program) const;
  /// Copies outputs out.
  llvm::Expected<std::vector<HostTensor>>
  readOutputs(const CudaProgram::Impl &program) const;

  llvm::ArrayRef<cuda::CUdeviceptr> getInputs() const { return inputs; }
  llvm::ArrayRef<cuda::CUdeviceptr> getOutputs() const { return outputs; }

private:
  std::vector<cuda::Memory> memory;
  std::vector<cuda::CUdeviceptr> inputs, outputs;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_RUNTIME_CUDAPROGRAMIMPL_H
