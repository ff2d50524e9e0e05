//===- Launch.cpp - Runs one kernel of a module on the CPU ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Emulator/Launch.h"

#include "BlockScheduler.h"
#include "GlobalCheck.h"
#include "LaunchCheck.h"
#include "MemoryAccess.h"
#include "TensorMapImage.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage::emulator;
using llvm::Error;

Argument Argument::pointer(unsigned bufferIndex, uint64_t offsetBytes) {
  Argument argument;
  argument.buffer = bufferIndex;
  argument.offset = offsetBytes;
  return argument;
}

Argument Argument::tensorMap(unsigned bufferIndex, TensorMap map,
                             uint64_t offsetBytes) {
  Argument argument = pointer(bufferIndex, offsetBytes);
  argument.map = std::move(map);
  return argument;
}

Argument Argument::bytes(llvm::ArrayRef<uint8_t> value) {
  Argument argument;
  argument.raw.assign(value.begin(), value.end());
  return argument;
}

namespace {

/// Device addresses of buffers: 2 MiB apart, the least multiple of 2 MiB behind
/// the one before, so that going past an end meets nobody's memory.
constexpr uint64_t bufferAlign = uint64_t(1) << 21;

/// Whether the buffer holds something that no launch before this one wrote.
bool startsUndefined(const Buffer &buffer) {
  if (buffer.kind == BufferKind::Input || buffer.kind == BufferKind::InOut)
    return false;
  return buffer.written.size() != 1 || buffer.written[0].begin != 0 ||
         buffer.written[0].end < buffer.sizeBytes;
}

void bindBuffers(LaunchContext &launch) {
  uint64_t next = window::buffers;
  for (auto [index, buffer] : llvm::enumerate(launch.config.buffers)) {
    Region region;
    region.base = next;
    region.sizeBytes = buffer.sizeBytes;
    region.host = static_cast<uint8_t *>(buffer.data);
    region.buffer = index;
    region.isWritable = buffer.kind != BufferKind::Input;
    region.isShadowed = region.isWritable;
    region.startsUndefined = startsUndefined(buffer);
    if (region.startsUndefined)
      region.written = buffer.written;
    next =
        llvm::alignTo(next + buffer.sizeBytes + 1, bufferAlign) + bufferAlign;
    launch.regions.push_back(region);
  }
}

void fillParameters(LaunchContext &launch) {
  launch.parameters.assign(llvm::alignTo(launch.info.parameterBytes, 16), 0);
  for (auto [parameter, argument] :
       llvm::zip_equal(launch.info.parameters, launch.config.arguments)) {
    uint8_t *place = launch.parameters.data() + parameter.offsetBytes;
    if (!argument.namesBuffer()) {
      llvm::copy(argument.value(), place);
      continue;
    }
    uint64_t address =
        launch.regions[argument.bufferIndex()].base + argument.offsetBytes();
    if (argument.isTensorMap())
      llvm::copy(encodeTensorMap({argument.getTensorMap(), address}), place);
    else
      std::memcpy(place, &address, 8);
  }
  launch.parameterRegion.host = launch.parameters.data();
  launch.parameterRegion.sizeBytes = launch.info.parameterBytes;
  launch.parameterRegion.isWritable = false;
}

void bindEarlierGrids(LaunchContext &launch) {
  for (const UnfinishedUse &use : launch.config.unfinished) {
    uint64_t base = launch.regions[use.buffer].base;
    launch.earlierGrids.add({base + use.bytes.begin, base + use.bytes.end,
                             use.isWrite, use.endsAtWait});
  }
  launch.earlierGrids.finish();
}

/// What all blocks did to each buffer, joined where it lies side by side.
void collectUses(const LaunchContext &launch,
                 llvm::ArrayRef<GlobalInterval> intervals,
                 LaunchResult &result) {
  for (bool isWrite : {false, true}) {
    BufferUse last;
    auto finish = [&] {
      if (last.bytes.begin != last.bytes.end)
        result.uses.push_back(last);
    };
    for (const GlobalInterval &interval : intervals) {
      const Region *region = findGlobalRegion(launch, interval.begin);
      if (interval.isWrite != isWrite || !region || region->buffer < 0)
        continue;
      unsigned buffer = region->buffer;
      ByteRange bytes{interval.begin - region->base,
                      interval.end - region->base};
      if (buffer == last.buffer && bytes.begin <= last.bytes.end &&
          last.bytes.begin != last.bytes.end) {
        last.bytes.end = std::max(last.bytes.end, bytes.end);
        continue;
      }
      finish();
      last = {buffer, bytes, isWrite};
    }
    finish();
  }
}

void fillRegisterTemplate(LaunchContext &launch) {
  launch.registerTemplate.resize(launch.kernel.registerFileBytes);
  uint8_t *file = launch.registerTemplate.data();
  for (size_t i = 0; i + 4 <= launch.registerTemplate.size(); i += 4)
    std::memcpy(file + i, &undefinedPattern, 4);
  for (const ConstantSlot &constant : launch.kernel.constants) {
    if (constant.sizeBytes == 0) {
      uint32_t mask = constant.value ? allLanes : 0;
      std::memcpy(file + constant.slot, &mask, 4);
      continue;
    }
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      uint64_t value[2] = {constant.value, 0};
      std::memcpy(file + constant.slot + lane * constant.sizeBytes, value,
                  constant.sizeBytes);
    }
  }
}

/// What some worker met that the emulator cannot do.
Error refuseUnsupported(const LaunchContext &launch,
                        const std::deque<Worker> &workers) {
  for (const Worker &worker : workers)
    if (!worker.unsupported.empty()) {
      Location place = launch.kernel.places[worker.unsupportedPc];
      return launchError("{0}:{1}:{2}: error: not supported by the emulator: "
                         "{3}",
                         launch.program.fileName, place.line, place.column,
                         worker.unsupported);
    }
  return Error::success();
}

Error runBlocks(const LaunchContext &launch, LaunchResult &result) {
  result.blocksCommunicate = launch.kernel.communicates;
  std::deque<Worker> workers;
  uint64_t count =
      launch.kernel.communicates
          ? 1
          : std::min<uint64_t>(std::max(1u, launch.config.threads),
                               launch.numBlocks / launch.blocksPerCluster);
  for (uint64_t i = 0; i < count; ++i) {
    workers.emplace_back(launch);
    workers.back().traffic.resize(launch.kernel.code.size());
  }
  result.completed = runAllBlocks(launch, workers);
  if (Error error = refuseUnsupported(launch, workers))
    return error;

  FindingSet findings(launch.config.maxFindings);
  std::vector<GlobalInterval> intervals;
  uint64_t numBlocksThatWaited = 0;
  for (Worker &worker : workers) {
    result.counters += worker.counters;
    numBlocksThatWaited += worker.numBlocksThatWaited;
    findings.merge(worker.findings);
    llvm::append_range(intervals, worker.intervals);
  }
  result.waitedForEarlierGrids = numBlocksThatWaited == launch.numBlocks;
  if (launch.config.checks != Checks::None)
    checkBlocksAgainstEachOther(launch, intervals, findings);
  if (launch.config.checks != Checks::None)
    collectUses(launch, intervals, result);
  if (launch.config.checks == Checks::All && result.completed)
    checkOutputsWritten(launch, intervals, findings);
  findings.finish(launch.kernel, launch.program, launch.config, result);
  for (uint64_t number : result.counters.instructions)
    result.counters.warpInstructions += number;
  return Error::success();
}

} // namespace

llvm::Expected<LaunchResult>
mlir::mirage::emulator::launch(const Module &module,
                               const LaunchConfig &config) {
  const KernelInfo *info = module.findKernel(config.kernel);
  if (!info)
    return launchError("expected a kernel of the module, found '{0}'",
                       config.kernel);
  const Program &program = module.program();
  if (Error error = checkLaunch(*info, program.target, config))
    return std::move(error);

  size_t index = info - program.infos.data();
  LaunchContext context(program, program.kernels[index], *info, config);
  context.threadsPerBlock = volumeOf(config.block);
  context.warpsPerBlock = (context.threadsPerBlock + warpSize - 1) / warpSize;
  context.numBlocks = volumeOf(config.grid);
  context.blocksPerCluster = volumeOf(config.cluster);
  context.sharedBytes = info->staticSharedBytes + config.dynamicSharedBytes;
  bindBuffers(context);
  bindEarlierGrids(context);
  fillParameters(context);
  fillRegisterTemplate(context);

  // Variables of the module start each launch as the file says.
  std::vector<uint8_t> globals = program.globalImage;
  std::vector<uint8_t> constants = program.constImage;
  if (!globals.empty()) {
    Region region;
    region.base = window::moduleGlobal;
    region.sizeBytes = globals.size();
    region.host = globals.data();
    region.isShadowed = true;
    context.regions.push_back(region);
  }
  context.constants.sizeBytes = constants.size();
  context.constants.host = constants.data();
  context.constants.isWritable = false;

  LaunchResult result;
  if (Error error = runBlocks(context, result))
    return std::move(error);
  return result;
}
