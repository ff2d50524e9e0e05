//===- CudaDevice.h - A GPU and programs loaded on it --------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_RUNTIME_CUDADEVICE_H
#define MIRAGE_RUNTIME_CUDADEVICE_H

#include "Mirage/Artifact/Artifact.h"
#include "Mirage/Artifact/MeasuredTime.h"
#include "Mirage/Reference/HostTensor.h"
#include <memory>
#include <mutex>

namespace mlir::mirage {

namespace cuda {
class Driver;
}
class CudaProgram;

/// One GPU. The driver is opened at run time and the device's primary context
/// made current in the calling thread.
class CudaDevice {
public:
  /// \returns an error of one sentence where there is no driver or no such
  /// device.
  static llvm::Expected<std::unique_ptr<CudaDevice>> open(int ordinal = 0);
  ~CudaDevice();

  llvm::StringRef getName() const { return name; }
  /// Major version times 10 plus minor one: 90 for Hopper.
  int getComputeCapability() const { return computeCapability; }
  /// Of CUDA that the driver is for: 1000 times the major version plus 10 times
  /// the minor one.
  int getDriverVersion() const { return driverVersion; }
  int64_t getL2Bytes() const { return l2Bytes; }
  /// Shared memory that one block may ask for.
  int64_t getSharedBytes() const { return sharedBytes; }
  /// Registers of 32 bits that the threads of one block may have together.
  int64_t getRegisters() const { return registers; }
  /// Makes the primary context current in the calling thread. To load programs
  /// and to run them it has to be.
  llvm::Error makeCurrent() const;
  /// Does something with the context current, and then the one that was before.
  llvm::Error runCurrent(llvm::function_ref<llvm::Error()> run) const;
  /// Waits for all work of the context, which is current.
  llvm::Error synchronize() const;
  /// Whether what is put into a stream (a CUstream) goes into a graph.
  llvm::Expected<bool> isCapturing(void *stream) const;
  /// Lets go of a program's owner once the program's work has ended, and
  /// disturbs no capture: at once, or, where that cannot be known
  /// (CudaProgram::finish), when freeRetired() is called or the device goes.
  void retire(const CudaProgram &program, std::shared_ptr<void> owner);
  /// Waits for the device, if there is something to be freed, and frees it. No
  /// stream may be in a capture then.
  llvm::Error freeRetired();
  const cuda::Driver &getDriver() const { return *driver; }

private:
  CudaDevice();

  std::unique_ptr<cuda::Driver> driver;
  int device = 0;
  void *context = nullptr;
  bool isRetained = false;
  std::string name;
  int computeCapability = 0, driverVersion = 0;
  int64_t l2Bytes = 0, sharedBytes = 0, registers = 0;
  std::mutex retiredMutex;
  std::vector<std::shared_ptr<void>> retired; ///< owners of programs
};

/// The GPU on which an address lies, whichever context it belongs to. An error
/// says what it is otherwise.
llvm::Expected<int> findCudaDevice(uint64_t address);

/// Times of one run in microseconds, over replays of a CUDA graph.
struct CudaTimes {
  Quartiles hotUs;  ///< the same tensors again and again: they stay in L2
  Quartiles coldUs; ///< copies in turn that together exceed four times the L2
  int64_t tensorBytes = 0; ///< of inputs and outputs together
  unsigned coldCopies = 0;
};

struct CudaMeasureOptions {
  unsigned runsPerReplay = 20; ///< captured in one graph, hot
  unsigned replays = 60;
};

/// Whether launches that a library has a call for (KernelLaunch::libraryMatmul)
/// are left to it. The library is cuBLASLt, opened at run time. Its calls are
/// planned when a program is loaded, once; it may load code of its own at the
/// first call, which is better made before a capture.
enum class LibraryUse : uint8_t {
  Auto,   ///< where there is the library and it does them
  Never,  ///< all launches are of the artifact's own kernels
  Always, ///< loading fails where there is no such launch, or one cannot be
};

/// What a launch came to on a device.
struct CudaLaunch {
  std::string kernel;
  std::string library; ///< "cuBLASLt 12.8.4"; empty: the kernel is launched
  std::string whyNot;  ///< why no library is used though it has the call
};

/// An artifact's code on a device, with its workspace and the CUDA graph of its
/// launches.
class CudaProgram {
public:
  /// Loads the cubin for the device's architecture, or else lets the driver
  /// compile the PTX. Errors name the kernel and carry the driver's text; a
  /// device that is too old, or has too little memory, shared memory or
  /// registers, or no place for a cluster, is refused with demand and limit.
  /// Both arguments must outlive the program.
  static llvm::Expected<std::unique_ptr<CudaProgram>>
  load(const CudaDevice &device, const Artifact &artifact,
       LibraryUse use = LibraryUse::Auto);
  ~CudaProgram();

  /// What the artifact's launches came to, in their order.
  llvm::ArrayRef<CudaLaunch> getLaunches() const;
  /// Why launches are enqueued one by one, and not as one CUDA graph; empty
  /// where there is the graph.
  llvm::StringRef getWhyNoGraph() const;

  /// Puts all launches into a stream (a CUstream; null is the default one) and
  /// returns at once. Allocates nothing and can be captured in a CUDA graph.
  /// Runs of one program share its workspace and the counters by which blocks
  /// wait: each begins, on the device, when the one before has ended, whatever
  /// threads and streams they come from. docs/Runtime.md says what that asks of
  /// streams, and how it is with captures.
  /// \param inputs, outputs  device addresses, in the artifact's order.
  llvm::Error enqueue(void *stream, llvm::ArrayRef<uint64_t> inputs,
                      llvm::ArrayRef<uint64_t> outputs) const;

  /// Copies inputs in, runs, waits after every launch so that a fault is
  /// reported with its kernel's name, and copies outputs out.
  /// \param onLaunch  told of each kernel before it is launched.
  llvm::Expected<std::vector<HostTensor>>
  runOneByOne(llvm::ArrayRef<HostTensor> inputs,
              llvm::function_ref<void(llvm::StringRef)> onLaunch) const;
  /// The same, and then once more as enqueue() does it; what that leaves is
  /// copied out.
  llvm::Expected<std::vector<HostTensor>>
  run(llvm::ArrayRef<HostTensor> inputs) const;

  llvm::Expected<CudaTimes>
  measure(llvm::ArrayRef<HostTensor> inputs,
          const CudaMeasureOptions &options = {}) const;

  /// The caller's promise that each stream is there until a run in another one
  /// was enqueued, or the program is gone; it spares an event behind each run.
  void trustStreams() const;

  /// Waits for the last run, and disturbs no capture. \returns false where it
  /// would, and where replays of a graph may be under way.
  bool finish() const;

  struct Impl; ///< of the library alone
  const Impl &getImpl() const { return *impl; }

private:
  explicit CudaProgram(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl;
};

} // namespace mlir::mirage

#endif // MIRAGE_RUNTIME_CUDADEVICE_H
