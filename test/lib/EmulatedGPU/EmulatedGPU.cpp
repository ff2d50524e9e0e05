//===- EmulatedGPU.cpp - Upstream's GPU runtime calls, emulated -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that host code calls behind upstream's --gpu-to-llvm, for
// mlir-runner --shared-libs. PTX is run by the emulator, on the host's memory:
// a kernel's parameter is the address of something that was allocated here, by
// memref.alloc (--finalize-memref-to-llvm=use-generic-functions) or gpu.alloc.
// Whatever the emulator finds to be wrong ends the process.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Emulator/Launch.h"
#include "Mirage/Emulator/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

namespace emulator = mlir::mirage::emulator;

#define SHIM extern "C" __attribute__((visibility("default")))

[[noreturn]] static void fail(const llvm::Twine &message) {
  llvm::errs() << "emulated GPU: " << message << '\n';
  std::exit(1);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

namespace {
/// Sizes in bytes, by address. Says at the end what was not freed.
struct Allocations : std::map<char *, size_t> {
  ~Allocations() {
    // LLVM's streams may be gone already.
    std::fprintf(stderr, "%zu allocations were never freed\n", size());
  }
};
} // namespace

static Allocations &getAllocations() {
  static Allocations allocations;
  return allocations;
}

static void *allocate(size_t alignment, size_t bytes) {
  constexpr size_t kAlignment = 256; // what cudaMalloc promises
  alignment = std::max(alignment, kAlignment);
  size_t padded = (std::max<size_t>(bytes, 1) + alignment - 1) / alignment;
  auto *data =
      static_cast<char *>(std::aligned_alloc(alignment, padded * alignment));
  // Whoever reads what nobody has written reads NaN.
  std::memset(data, 0xff, padded * alignment);
  getAllocations()[data] = bytes;
  return data;
}

static void release(void *data) {
  if (data && !getAllocations().erase(static_cast<char *>(data)))
    fail("something is freed that was not allocated");
  std::free(data);
}

SHIM void *_mlir_memref_to_llvm_alloc(size_t bytes) {
  return allocate(1, bytes);
}
SHIM void *_mlir_memref_to_llvm_aligned_alloc(size_t alignment, size_t bytes) {
  return allocate(alignment, bytes);
}
SHIM void _mlir_memref_to_llvm_free(void *data) { release(data); }
SHIM void *mgpuMemAlloc(uint64_t bytes, void *, bool) {
  return allocate(1, bytes);
}
SHIM void mgpuMemFree(void *data, void *) { release(data); }
SHIM void mgpuMemcpy(void *to, void *from, size_t bytes, void *) {
  std::memcpy(to, from, bytes);
}

//===----------------------------------------------------------------------===//
// Streams: a launch ends before it returns
//===----------------------------------------------------------------------===//

SHIM void *mgpuStreamCreate() { return nullptr; }
SHIM void mgpuStreamDestroy(void *) {}
SHIM void mgpuStreamSynchronize(void *) {}
SHIM void mgpuStreamWaitEvent(void *, void *) {}
SHIM void *mgpuEventCreate() { return nullptr; }
SHIM void mgpuEventDestroy(void *) {}
SHIM void mgpuEventSynchronize(void *) {}
SHIM void mgpuEventRecord(void *, void *) {}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

namespace {
struct Function {
  const emulator::Module *module;
  const emulator::KernelInfo *kernel;
};
} // namespace

SHIM void *mgpuModuleLoadJIT(void *text, int, size_t bytes) {
  auto module = emulator::parsePTX(
      llvm::StringRef(static_cast<char *>(text), bytes).split('\0').first,
      "kernels.ptx");
  if (!module)
    fail(llvm::toString(module.takeError()));
  return module->release();
}

SHIM void *mgpuModuleLoad(void *, size_t) { fail("expects PTX, got a binary"); }

SHIM void mgpuModuleUnload(void *module) {
  delete static_cast<emulator::Module *>(module);
}

SHIM void *mgpuModuleGetFunction(void *handle, const char *name) {
  auto *module = static_cast<emulator::Module *>(handle);
  const emulator::KernelInfo *kernel = module->findKernel(name);
  if (!kernel)
    fail(llvm::Twine("there is no kernel ") + name);
  // As long as the process: upstream has no call that gives one back.
  static std::map<const void *, Function> functions;
  return &(functions[kernel] = {module, kernel});
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// The argument for a place in something that was allocated.
static emulator::Argument makeArgument(emulator::LaunchConfig &config,
                                       char *address) {
  auto after = getAllocations().upper_bound(address);
  if (after == getAllocations().begin())
    fail("a kernel's argument is no address of an allocation");
  auto [data, bytes] = *std::prev(after);
  if (address > data + bytes)
    fail("a kernel's argument is no address of an allocation");
  auto same = llvm::find_if(config.buffers, [&, begin = data](auto &buffer) {
    return buffer.data == begin;
  });
  unsigned index = same - config.buffers.begin();
  if (same == config.buffers.end())
    config.buffers.push_back({"allocation " + std::to_string(index), data,
                              bytes, emulator::BufferKind::InOut});
  return emulator::Argument::pointer(index, address - data);
}

using Extents = std::array<uint32_t, 3>;

static void launch(const Function &function, Extents cluster, Extents grid,
                   Extents block, uint32_t sharedBytes, void **parameters) {
  emulator::LaunchConfig config;
  config.kernel = function.kernel->name;
  config.cluster = cluster;
  config.grid = grid;
  config.block = block;
  config.dynamicSharedBytes = sharedBytes;
  for (auto [number, parameter] :
       llvm::enumerate(function.kernel->parameters)) {
    if (parameter.sizeBytes != sizeof(void *))
      fail("expects kernels whose parameters are addresses, got " +
           llvm::Twine(parameter.sizeBytes) + " bytes");
    config.arguments.push_back(
        makeArgument(config, *static_cast<char **>(parameters[number])));
  }
  auto result = emulator::launch(*function.module, config);
  if (!result)
    fail(llvm::toString(result.takeError()));
  for (const emulator::Finding &finding : result->findings)
    llvm::errs() << finding.str() << '\n';
  if (!result->completed || !result->isClean())
    fail("kernel " + config.kernel + " is at fault");
  llvm::errs() << "launched " << config.kernel << '\n';
}

static Extents makeExtents(intptr_t x, intptr_t y, intptr_t z) {
  return {static_cast<uint32_t>(x), static_cast<uint32_t>(y),
          static_cast<uint32_t>(z)};
}

SHIM void mgpuLaunchKernel(void *function, intptr_t gridX, intptr_t gridY,
                           intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                           intptr_t blockZ, int32_t sharedBytes, void *,
                           void **parameters, void **, size_t) {
  launch(*static_cast<Function *>(function), {1, 1, 1},
         makeExtents(gridX, gridY, gridZ), makeExtents(blockX, blockY, blockZ),
         sharedBytes, parameters);
}

SHIM void mgpuLaunchClusterKernel(void *function, intptr_t clusterX,
                                  intptr_t clusterY, intptr_t clusterZ,
                                  intptr_t gridX, intptr_t gridY,
                                  intptr_t gridZ, intptr_t blockX,
                                  intptr_t blockY, intptr_t blockZ,
                                  int32_t sharedBytes, void *,
                                  void **parameters, void **, size_t) {
  launch(*static_cast<Function *>(function),
         makeExtents(clusterX, clusterY, clusterZ),
         makeExtents(gridX, gridY, gridZ), makeExtents(blockX, blockY, blockZ),
         sharedBytes, parameters);
}
