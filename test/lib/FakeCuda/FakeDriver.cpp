//===- FakeDriver.cpp - Plays the CUDA driver in tests --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One device of compute capability 9.0 whose memory is the host's and whose
// kernels run on the emulator. Work in a stream is done at once or, while the
// stream is captured, when the graph is launched; what a capture forbids is
// refused.
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"
#include "Mirage/Emulator/Launch.h"
#include "Mirage/Emulator/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>
#include <functional>
#include <map>

using namespace mlir::mirage;
using namespace mlir::mirage::cuda;

#define FAKE extern "C" __attribute__((visibility("default")))

enum : CUresult {
  kSuccess = 0,
  kInvalidValue = 1,
  kInvalidPtx = 218,
  kNotFound = 500,
  kLaunchFailed = 719,
  kCaptureUnsupported = 900,
};

using Work = std::function<CUresult()>;

namespace {
struct FakeState {
  std::map<CUdeviceptr, std::vector<uint8_t>> memory; ///< by address
  std::vector<Work> captured;
  bool isCapturing = false;
};

struct FakeModule {
  std::unique_ptr<emulator::Module> code;
};

struct FakeFunction {
  const FakeModule *module;
  const emulator::KernelInfo *info;
};
} // namespace

static FakeState &getState() {
  static FakeState state;
  return state;
}

static CUresult enqueue(Work work) {
  if (!getState().isCapturing)
    return work();
  getState().captured.push_back(std::move(work));
  return kSuccess;
}

/// For the library that is played: puts work into the stream.
FAKE CUresult fakeEnqueue(void (*work)(void *), void *argument) {
  return enqueue([=] {
    work(argument);
    return kSuccess;
  });
}

//===----------------------------------------------------------------------===//
// Device and memory
//===----------------------------------------------------------------------===//

FAKE CUresult cuInit(unsigned) { return kSuccess; }

FAKE CUresult cuGetErrorName(CUresult, const char **name) {
  *name = "FAKE_ERROR";
  return kSuccess;
}

FAKE CUresult cuGetErrorString(CUresult, const char **text) {
  *text = "the fake driver refuses";
  return kSuccess;
}

FAKE CUresult cuDeviceGetCount(int *count) {
  *count = 1;
  return kSuccess;
}

FAKE CUresult cuDeviceGet(CUdevice *device, int) {
  *device = 0;
  return kSuccess;
}

FAKE CUresult cuDeviceGetName(char *name, int size, CUdevice) {
  std::strncpy(name, "fake device", size);
  return kSuccess;
}

FAKE CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice) {
  static const std::map<int, int> kValues = {
      {kMultiprocessorCount, 132},
      {kL2CacheSize, 4096},
      {kComputeCapabilityMajor, 9},
      {kComputeCapabilityMinor, 0},
      {kMaxSharedMemoryPerBlockOptin, 232448}};
  auto found = kValues.find(attribute);
  if (found == kValues.end())
    return kInvalidValue;
  *value = found->second;
  return kSuccess;
}

FAKE CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice) {
  *context = nullptr;
  return kSuccess;
}
FAKE CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) { return kSuccess; }
FAKE CUresult cuCtxSetCurrent(CUcontext) { return kSuccess; }

FAKE CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  if (getState().isCapturing)
    return kCaptureUnsupported;
  if (bytes == 0)
    return kInvalidValue;
  constexpr uintptr_t kAlignment = 256;
  std::vector<uint8_t> storage(bytes + kAlignment);
  auto start = reinterpret_cast<uintptr_t>(storage.data());
  *address = (start + kAlignment - 1) / kAlignment * kAlignment;
  getState().memory[*address] = std::move(storage);
  return kSuccess;
}

FAKE CUresult cuMemFree_v2(CUdeviceptr address) {
  return getState().memory.erase(address) ? kSuccess : kInvalidValue;
}

FAKE CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  *free = *total = size_t(1) << 30;
  return kSuccess;
}

FAKE CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return kSuccess;
}

FAKE CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  std::memcpy(to, reinterpret_cast<const void *>(from), bytes);
  return kSuccess;
}

FAKE CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char byte, size_t bytes) {
  std::memset(reinterpret_cast<void *>(to), byte, bytes);
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

FAKE CUresult cuModuleLoadDataEx(CUmodule *module, const void *text, unsigned,
                                 int *, void **) {
  auto code =
      emulator::parsePTX(static_cast<const char *>(text), "kernels.ptx");
  if (!code) {
    llvm::errs() << llvm::toString(code.takeError()) << '\n';
    return kInvalidPtx;
  }
  *module = reinterpret_cast<CUmodule>(new FakeModule{std::move(*code)});
  return kSuccess;
}

FAKE CUresult cuModuleUnload(CUmodule module) {
  delete reinterpret_cast<FakeModule *>(module);
  return kSuccess;
}

FAKE CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                                  const char *name) {
  auto *fake = reinterpret_cast<FakeModule *>(module);
  const emulator::KernelInfo *info = fake->code->findKernel(name);
  if (!info)
    return kNotFound;
  // As long as the process: the driver has no call that gives one back.
  static std::map<const void *, FakeFunction> functions;
  *function = reinterpret_cast<CUfunction>(&(functions[info] = {fake, info}));
  return kSuccess;
}

FAKE CUresult cuFuncSetAttribute(CUfunction, int, int) { return kSuccess; }

FAKE CUresult cuFuncGetAttribute(int *value, int attribute,
                                 CUfunction function) {
  if (attribute != kSharedSizeBytes)
    return kInvalidValue;
  *value = reinterpret_cast<FakeFunction *>(function)->info->staticSharedBytes;
  return kSuccess;
}

FAKE CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                          CUfunction, int,
                                                          size_t) {
  *blocks = 1;
  return kSuccess;
}

FAKE CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction,
                                           const LaunchConfig *) {
  *clusters = 1;
  return kSuccess;
}

/// Adds the memory that an address points into, if it is not yet there.
static CUresult addArgument(CUdeviceptr address,
                            emulator::LaunchConfig &config) {
  auto &memory = getState().memory;
  auto found = memory.upper_bound(address);
  if (found == memory.begin())
    return kInvalidValue;
  --found;
  auto *data = reinterpret_cast<void *>(found->first);
  auto buffer =
      llvm::find_if(config.buffers, [&](const emulator::Buffer &buffer) {
        return buffer.data == data;
      });
  unsigned index = buffer - config.buffers.begin();
  if (index == config.buffers.size())
    config.buffers.push_back({"memory", data, found->second.size() - 256,
                              emulator::BufferKind::InOut});
  config.arguments.push_back(
      emulator::Argument::pointer(index, address - found->first));
  return kSuccess;
}

FAKE CUresult cuLaunchKernelEx(const LaunchConfig *launch, CUfunction function,
                               void **parameters, void **) {
  auto *fake = reinterpret_cast<FakeFunction *>(function);
  emulator::LaunchConfig config;
  config.kernel = fake->info->name;
  llvm::copy(launch->grid, config.grid.begin());
  llvm::copy(launch->block, config.block.begin());
  config.dynamicSharedBytes = launch->dynamicSharedBytes;
  config.checks = emulator::Checks::None;
  for (unsigned i = 0; i < fake->info->parameters.size(); ++i)
    if (CUresult result =
            addArgument(*static_cast<CUdeviceptr *>(parameters[i]), config))
      return result;
  return enqueue([fake, config] {
    auto result = emulator::launch(*fake->module->code, config);
    if (!result) {
      llvm::errs() << llvm::toString(result.takeError()) << '\n';
      return kLaunchFailed;
    }
    return result->completed ? kSuccess : kLaunchFailed;
  });
}

//===----------------------------------------------------------------------===//
// Streams, graphs and events
//===----------------------------------------------------------------------===//

FAKE CUresult cuStreamCreate(CUstream *stream, unsigned) {
  *stream = reinterpret_cast<CUstream>(new char);
  return kSuccess;
}

FAKE CUresult cuStreamDestroy_v2(CUstream stream) {
  delete reinterpret_cast<char *>(stream);
  return kSuccess;
}

FAKE CUresult cuStreamSynchronize(CUstream) {
  return getState().isCapturing ? kCaptureUnsupported : kSuccess;
}

FAKE CUresult cuStreamBeginCapture_v2(CUstream, int) {
  getState().isCapturing = true;
  return kSuccess;
}

FAKE CUresult cuStreamEndCapture(CUstream, CUgraph *graph) {
  getState().isCapturing = false;
  *graph = reinterpret_cast<CUgraph>(
      new std::vector<Work>(std::move(getState().captured)));
  getState().captured.clear();
  return kSuccess;
}

FAKE CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable,
                                          CUgraph graph, unsigned long long) {
  *executable = reinterpret_cast<CUgraphExec>(
      new std::vector<Work>(*reinterpret_cast<std::vector<Work> *>(graph)));
  return kSuccess;
}

FAKE CUresult cuGraphLaunch(CUgraphExec executable, CUstream) {
  for (const Work &work : *reinterpret_cast<std::vector<Work> *>(executable))
    if (CUresult result = work())
      return result;
  return kSuccess;
}

FAKE CUresult cuGraphExecDestroy(CUgraphExec executable) {
  delete reinterpret_cast<std::vector<Work> *>(executable);
  return kSuccess;
}

FAKE CUresult cuGraphDestroy(CUgraph graph) {
  delete reinterpret_cast<std::vector<Work> *>(graph);
  return kSuccess;
}

FAKE CUresult cuEventCreate(CUevent *event, unsigned) {
  *event = reinterpret_cast<CUevent>(new char);
  return kSuccess;
}
FAKE CUresult cuEventRecord(CUevent, CUstream) { return kSuccess; }
FAKE CUresult cuEventSynchronize(CUevent) { return kSuccess; }
FAKE CUresult cuEventElapsedTime(float *milliseconds, CUevent, CUevent) {
  *milliseconds = 1;
  return kSuccess;
}
FAKE CUresult cuEventDestroy_v2(CUevent event) {
  delete reinterpret_cast<char *>(event);
  return kSuccess;
}
