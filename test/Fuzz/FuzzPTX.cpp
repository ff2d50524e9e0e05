//===- FuzzPTX.cpp - Bytes as PTX, parsed and run -------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzTarget.h"
#include "Mirage/Emulator/Launch.h"
#include "Mirage/Emulator/Parser.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::emulator;

namespace {
/// Memory for every kind of buffer. Each is an allocation of its own, so that
/// the address sanitizer sees what leaves it.
class Buffers {
public:
  std::vector<Buffer> list() {
    std::vector<Buffer> buffers;
    for (auto [kind, bytes] : llvm::zip_equal(kKinds, memory))
      buffers.push_back({"buffer", bytes.data(), bytes.size(), kind});
    return buffers;
  }

private:
  static constexpr size_t kSizeBytes = 512;
  static constexpr BufferKind kKinds[] = {BufferKind::InOut, BufferKind::Input,
                                          BufferKind::Output,
                                          BufferKind::Workspace};
  std::vector<std::vector<uint8_t>> memory{
      std::size(kKinds), std::vector<uint8_t>(kSizeBytes, 0x3c)};
};
} // namespace

static uint64_t volumeOf(const std::array<uint32_t, 3> &extents) {
  return uint64_t(extents[0]) * extents[1] * extents[2];
}

/// Small blocks, unless the kernel asks for larger ones: a warp and a part of
/// another.
static std::array<uint32_t, 3> chooseBlock(const KernelInfo &kernel) {
  if (kernel.requiredThreads[0])
    return kernel.requiredThreads;
  uint64_t most = kernel.maxThreads[0] ? volumeOf(kernel.maxThreads) : 1024;
  // A warpgroup, without which no wgmma is executed.
  return {uint32_t(std::min<uint64_t>(most, 128)), 1, 1};
}

/// Addresses where there is room for one, and a small number elsewhere.
/// What a parameter of 128 bytes is: a tensor map of 8 x 8 values in a buffer.
constexpr uint32_t kTensorMapBytes = 128;
static const TensorMap kTensorMap = {2, {8, 8}, {16}, {8, 8}, Swizzle::None};

static Argument makeArgument(const KernelParameter &parameter, size_t number,
                             size_t numBuffers) {
  if (parameter.sizeBytes == 8)
    return Argument::pointer(number % numBuffers);
  if (parameter.sizeBytes == kTensorMapBytes)
    return Argument::tensorMap(number % numBuffers, kTensorMap);
  std::vector<uint8_t> bytes(parameter.sizeBytes, 0);
  if (!bytes.empty())
    bytes[0] = 5;
  return Argument::bytes(bytes);
}

static void launchKernel(const Module &module, const KernelInfo &kernel,
                         Checks checks, AsyncDelivery delivery) {
  Buffers buffers;
  LaunchConfig config;
  config.kernel = kernel.name;
  config.block = chooseBlock(kernel);
  if (kernel.requiredCluster[0])
    config.cluster = kernel.requiredCluster;
  config.grid = config.cluster;
  if (config.grid[0] < 8)
    config.grid[0] *= 2;
  config.dynamicSharedBytes = kernel.usesDynamicShared ? 2048 : 0;
  config.buffers = buffers.list();
  for (auto [number, parameter] : llvm::enumerate(kernel.parameters))
    config.arguments.push_back(
        makeArgument(parameter, number, config.buffers.size()));
  config.checks = checks;
  config.asyncDelivery = delivery;
  config.stepLimitPerBlock = 2000;
  config.maxFindings = 8;
  llvm::Expected<LaunchResult> result = launch(module, config);
  if (!result)
    return llvm::consumeError(result.takeError());
  for (const Finding &finding : result->findings)
    (void)finding.str();
}

/// Of what does not parse nothing is kept: each error is a step from a file
/// that does, and files that do run.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  llvm::Expected<std::unique_ptr<Module>> module = parsePTX(text, "fuzz.ptx");
  if (!module) {
    llvm::consumeError(module.takeError());
    return -1;
  }
  for (const KernelInfo &kernel : (*module)->kernels().take_front(4)) {
    launchKernel(**module, kernel, Checks::All, AsyncDelivery::WhenWaitedFor);
    launchKernel(**module, kernel, Checks::None, AsyncDelivery::AtOnce);
  }
  return 0;
}
