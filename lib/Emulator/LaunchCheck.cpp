//===- LaunchCheck.cpp - Does a launch fit its kernel? --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchCheck.h"
#include "TensorMapImage.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::emulator;
using llvm::Error;
using llvm::formatv;

static std::string shapeOf(const std::array<uint32_t, 3> &shape) {
  return formatv("{0} x {1} x {2}", shape[0], shape[1], shape[2]);
}

static Error checkShape(const KernelInfo &info, const LaunchConfig &config) {
  static constexpr uint32_t mostBlocks[] = {0x7fffffff, 65535, 65535};
  static constexpr uint32_t mostThreads[] = {1024, 1024, 64};
  uint64_t threads = volumeOf(config.block);
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (config.grid[axis] == 0 || config.grid[axis] > mostBlocks[axis])
      return launchError(
          "kernel '{0}': expects 1 to {1} blocks along grid axis "
          "{2}, got {3}",
          info.name, mostBlocks[axis], axis, config.grid[axis]);
    if (config.block[axis] == 0 || config.block[axis] > mostThreads[axis])
      return launchError("kernel '{0}': expects 1 to {1} threads along block "
                         "axis {2}, got {3}",
                         info.name, mostThreads[axis], axis,
                         config.block[axis]);
  }
  if (volumeOf(config.grid) >= (uint64_t(1) << 24) &&
      config.checks != Checks::None)
    return launchError(
        "kernel '{0}': expects less than 2^24 blocks for a launch "
        "with checks, got {1}",
        info.name, volumeOf(config.grid));
  if (threads > 1024)
    return launchError("kernel '{0}': expects at most 1024 threads in a block, "
                       "got {1}",
                       info.name, threads);
  if (info.requiredThreads[0] && info.requiredThreads != config.block)
    return launchError(
        "kernel '{0}': expects blocks of {1} threads (.reqntid), "
        "got {2}",
        info.name, shapeOf(info.requiredThreads), shapeOf(config.block));
  if (info.maxThreads[0] && threads > volumeOf(info.maxThreads))
    return launchError("kernel '{0}': expects at most {1} threads in a block "
                       "(.maxntid), got {2}",
                       info.name, volumeOf(info.maxThreads), threads);
  return Error::success();
}

/// What devices of the target do not have, whatever the kernel says.
static Error checkTarget(const KernelInfo &info, const Target &target,
                         const LaunchConfig &config) {
  uint64_t shared =
               uint64_t(info.staticSharedBytes) + config.dynamicSharedBytes,
           limit = getSharedMemoryLimits(target).bytesPerBlock;
  if (shared > limit)
    return launchError("kernel '{0}': expects at most {1} bytes of shared "
                       "memory on {2}, got {3} static and {4} dynamic",
                       info.name, limit, target.name, info.staticSharedBytes,
                       config.dynamicSharedBytes);
  if (hasClustersAndDependentLaunches(target))
    return Error::success();
  if (volumeOf(config.cluster) > 1)
    return launchError("kernel '{0}': expects .target sm_90 or later for a "
                       "cluster of {1} blocks, got {2}",
                       info.name, volumeOf(config.cluster), target.name);
  if (config.isDependent)
    return launchError("kernel '{0}': expects .target sm_90 or later for a "
                       "dependent launch, got {1}",
                       info.name, target.name);
  return Error::success();
}

/// A cluster that the text requires is one of the launch: a driver would take
/// it from there, but a manifest that says another one is wrong.
static Error checkCluster(const KernelInfo &info, const LaunchConfig &config) {
  constexpr uint64_t mostBlocks = 16;
  for (unsigned axis = 0; axis < 3; ++axis)
    if (config.cluster[axis] == 0 ||
        config.grid[axis] % config.cluster[axis] != 0)
      return launchError("kernel '{0}': expects clusters that divide the {1} "
                         "blocks along grid axis {2}, got {3}",
                         info.name, config.grid[axis], axis,
                         config.cluster[axis]);
  if (volumeOf(config.cluster) > mostBlocks)
    return launchError("kernel '{0}': expects at most {1} blocks in a cluster, "
                       "got {2}",
                       info.name, mostBlocks, volumeOf(config.cluster));
  if (info.requiredCluster[0] && info.requiredCluster != config.cluster)
    return launchError("kernel '{0}': expects clusters of {1} blocks "
                       "(.reqnctapercluster), got {2}",
                       info.name, shapeOf(info.requiredCluster),
                       shapeOf(config.cluster));
  return Error::success();
}

/// What the driver checks when it encodes a tensor map.
static Error checkTensorMap(const KernelInfo &info,
                            const KernelParameter &parameter,
                            const Argument &argument) {
  if (Error error = argument.getTensorMap().check())
    return launchError("parameter '{0}' of kernel '{1}': {2}", parameter.name,
                       info.name, llvm::toString(std::move(error)));
  if (argument.offsetBytes() % kTensorAlignBytes != 0)
    return launchError("parameter '{0}' of kernel '{1}': expects a tensor that "
                       "starts at a multiple of {2} bytes, got byte {3}",
                       parameter.name, info.name, kTensorAlignBytes,
                       argument.offsetBytes());
  if (parameter.offsetBytes % tensorMapAlign != 0)
    return launchError("parameter '{0}' of kernel '{1}': expects an alignment "
                       "of {2} bytes for a tensor map",
                       parameter.name, info.name, tensorMapAlign);
  return Error::success();
}

static Error checkArguments(const KernelInfo &info,
                            const LaunchConfig &config) {
  if (info.parameters.size() != config.arguments.size())
    return launchError("kernel '{0}': expects {1} arguments, got {2}",
                       info.name, info.parameters.size(),
                       config.arguments.size());
  for (const Buffer &buffer : config.buffers)
    if (!buffer.data && buffer.sizeBytes)
      return launchError("buffer '{0}': expects memory for {1} bytes, got none",
                         buffer.name, buffer.sizeBytes);
  for (const UnfinishedUse &use : config.unfinished)
    if (use.buffer >= config.buffers.size())
      return launchError("what is unfinished: expects one of {0} buffers, got "
                         "number {1}",
                         config.buffers.size(), use.buffer);
  for (auto [parameter, argument] :
       llvm::zip_equal(info.parameters, config.arguments)) {
    if (argument.namesBuffer() &&
        argument.bufferIndex() >= config.buffers.size())
      return launchError("parameter '{0}': expects one of {1} buffers, got "
                         "number {2}",
                         parameter.name, config.buffers.size(),
                         argument.bufferIndex());
    if (argument.isTensorMap())
      if (Error error = checkTensorMap(info, parameter, argument))
        return error;
    size_t bytes = argument.isTensorMap() ? tensorMapBytes
                   : argument.isPointer() ? 8
                                          : argument.value().size();
    if (bytes != parameter.sizeBytes)
      return launchError("parameter '{0}' of kernel '{1}': expects {2} bytes, "
                         "got {3}",
                         parameter.name, info.name, parameter.sizeBytes, bytes);
  }
  return Error::success();
}

Error mlir::mirage::emulator::checkLaunch(const KernelInfo &info,
                                          const Target &target,
                                          const LaunchConfig &config) {
  if (Error error = checkShape(info, config))
    return error;
  if (Error error = checkCluster(info, config))
    return error;
  if (Error error = checkTarget(info, target, config))
    return error;
  return checkArguments(info, config);
}
