//===- FakeKernels.cpp - Kernels of the fake driver -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"
#include "Mirage/Emulator/Launch.h"
#include "Mirage/Emulator/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstring>

using namespace fake;
namespace emulator = mlir::mirage::emulator;

namespace {
struct FakeModule {
  std::unique_ptr<emulator::Module> code;
};

struct FakeFunction {
  const FakeModule *module;
  const emulator::KernelInfo *info;
};
} // namespace

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// Puts a message where the caller wants the log.
static void writeLog(llvm::StringRef message, unsigned count, int *options,
                     void **values) {
  char *buffer = nullptr;
  size_t size = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == kErrorLogBuffer)
      buffer = static_cast<char *>(values[i]);
    if (options[i] == kErrorLogBufferSizeBytes)
      size = reinterpret_cast<size_t>(values[i]);
  }
  if (buffer && size > 0)
    std::strncpy(buffer, message.str().c_str(), size - 1);
}

FAKE CUresult cuModuleLoadDataEx(CUmodule *module, const void *text,
                                 unsigned count, int *options, void **values) {
  if (CUresult result = checkContext())
    return result;
  auto code =
      emulator::parsePTX(static_cast<const char *>(text), "kernels.ptx");
  if (!code) {
    writeLog(llvm::toString(code.takeError()), count, options, values);
    return kInvalidPtx;
  }
  keep(module, new FakeModule{std::move(*code)});
  return kSuccess;
}

FAKE CUresult cuModuleUnload(CUmodule module) {
  if (CUresult result = checkContext())
    return result;
  return giveBack<FakeModule>(module);
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
  const auto *info = reinterpret_cast<FakeFunction *>(function)->info;
  if (attribute == kSharedSizeBytes)
    *value = info->staticSharedBytes;
  else if (attribute == kNumRegisters)
    *value = getNumberOf("registers", info->name, 32);
  else
    return kInvalidValue;
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

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

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

static void spoilLastArgument(const emulator::LaunchConfig &config) {
  const emulator::Argument &last = config.arguments.back();
  const emulator::Buffer &buffer = config.buffers[last.bufferIndex()];
  // An exponent's bits, whatever the element type.
  auto *bytes = static_cast<uint8_t *>(buffer.data) + last.offsetBytes();
  bytes[3] ^= 0x3c;
  bytes[1] ^= 0x3c;
}

/// What is planted in a kernel; none of it: success.
static CUresult playFaults(llvm::StringRef kernel) {
  bool isFirst = getState().runs[kernel.str()] == 0;
  if (plays("die", kernel) || (plays("late-die", kernel) && !isFirst))
    raise(SIGKILL);
  if (plays("hang", kernel))
    getState().hangs = true;
  if (plays("fault", kernel))
    getState().failure = kIllegalAddress;
  return getState().failure;
}

static void runKernel(const emulator::Module &code,
                      const emulator::LaunchConfig &config) {
  State &state = getState();
  auto result = emulator::launch(code, config);
  if (!result)
    llvm::errs() << llvm::toString(result.takeError()) << '\n';
  if (!result || !result->completed) {
    state.failure = kLaunchFailed;
    return;
  }
  constexpr double kLaunchUs = 1, kWarpInstructionUs = 1e-3;
  state.clockUs +=
      (kLaunchUs + kWarpInstructionUs * result->counters.warpInstructions) *
      getNumberOf("slow", config.kernel, 1);
  ++state.generation;
  bool isFirst = state.runs[config.kernel]++ == 0;
  if (plays("garbage", config.kernel) ||
      (plays("late-garbage", config.kernel) && !isFirst))
    spoilLastArgument(config);
}

FAKE CUresult cuLaunchKernelEx(const LaunchConfig *launch, CUfunction function,
                               void **parameters, void **) {
  auto *fake = reinterpret_cast<FakeFunction *>(function);
  emulator::LaunchConfig config;
  config.kernel = fake->info->name;
  if (plays("refuse", config.kernel))
    return kLaunchOutOfResources;
  llvm::copy(launch->grid, config.grid.begin());
  llvm::copy(launch->block, config.block.begin());
  for (unsigned i = 0; i < launch->numAttributes; ++i)
    if (launch->attributes[i].id == kClusterDimension)
      llvm::copy(launch->attributes[i].value.clusterDimension,
                 config.cluster.begin());
  config.dynamicSharedBytes = launch->dynamicSharedBytes;
  config.checks = emulator::Checks::None;
  for (unsigned i = 0; i < fake->info->parameters.size(); ++i)
    if (CUresult result =
            addArgument(*static_cast<CUdeviceptr *>(parameters[i]), config))
      return result;
  return enqueue([fake, config]() -> CUresult {
    if (playFaults(config.kernel) == kSuccess)
      runKernel(*fake->module->code, config);
    return kSuccess; // a launch that fails is found by whoever waits for it
  });
}
