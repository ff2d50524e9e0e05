//===- Launch.cpp - Runs one kernel of a module on the CPU ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Emulator/Launch.h"

#include "GlobalCheck.h"
#include "Interpreter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <atomic>
#include <thread>

using namespace mlir::mirage::emulator;
using llvm::Error;
using llvm::formatv;

Argument Argument::pointer(unsigned bufferIndex, uint64_t offsetBytes) {
  Argument argument;
  argument.buffer = bufferIndex;
  argument.offset = offsetBytes;
  return argument;
}

Argument Argument::bytes(llvm::ArrayRef<uint8_t> value) {
  Argument argument;
  argument.raw.assign(value.begin(), value.end());
  return argument;
}

namespace {

template <typename... Values>
Error launchError(const char *format, Values &&...values) {
  return llvm::createStringError(
      formatv(format, std::forward<Values>(values)...).str());
}

std::string shapeOf(const std::array<uint32_t, 3> &shape) {
  return formatv("{0} x {1} x {2}", shape[0], shape[1], shape[2]);
}

uint64_t volumeOf(const std::array<uint32_t, 3> &shape) {
  return uint64_t(shape[0]) * shape[1] * shape[2];
}

//===----------------------------------------------------------------------===//
// Does the launch fit the kernel?
//===----------------------------------------------------------------------===//

Error checkShape(const KernelInfo &info, const LaunchConfig &config) {
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
  uint64_t shared =
      uint64_t(info.staticSharedBytes) + config.dynamicSharedBytes;
  if (shared > config.sharedBytesPerBlock)
    return launchError(
        "kernel '{0}': expects at most {1} bytes of shared memory, "
        "got {2} static and {3} dynamic",
        info.name, config.sharedBytesPerBlock, info.staticSharedBytes,
        config.dynamicSharedBytes);
  return Error::success();
}

Error checkArguments(const KernelInfo &info, const LaunchConfig &config) {
  if (info.parameters.size() != config.arguments.size())
    return launchError("kernel '{0}': expects {1} arguments, got {2}",
                       info.name, info.parameters.size(),
                       config.arguments.size());
  for (const Buffer &buffer : config.buffers)
    if (!buffer.data && buffer.sizeBytes)
      return launchError("buffer '{0}': expects memory for {1} bytes, got none",
                         buffer.name, buffer.sizeBytes);
  for (auto [parameter, argument] :
       llvm::zip_equal(info.parameters, config.arguments)) {
    if (argument.isPointer() && argument.bufferIndex() >= config.buffers.size())
      return launchError("parameter '{0}': expects one of {1} buffers, got "
                         "number {2}",
                         parameter.name, config.buffers.size(),
                         argument.bufferIndex());
    size_t bytes = argument.isPointer() ? 8 : argument.value().size();
    if (bytes != parameter.sizeBytes)
      return launchError("parameter '{0}' of kernel '{1}': expects {2} bytes, "
                         "got {3}",
                         parameter.name, info.name, parameter.sizeBytes, bytes);
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

/// Device addresses of buffers: 2 MiB apart, the least multiple of 2 MiB behind
/// the one before, so that going past an end meets nobody's memory.
constexpr uint64_t bufferAlign = uint64_t(1) << 21;

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
    region.startsUndefined = buffer.kind == BufferKind::Output ||
                             buffer.kind == BufferKind::Workspace;
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
    if (argument.isPointer()) {
      uint64_t address =
          launch.regions[argument.bufferIndex()].base + argument.offsetBytes();
      std::memcpy(place, &address, 8);
    } else {
      llvm::copy(argument.value(), place);
    }
  }
  launch.parameterRegion.host = launch.parameters.data();
  launch.parameterRegion.sizeBytes = launch.info.parameterBytes;
  launch.parameterRegion.isWritable = false;
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

//===----------------------------------------------------------------------===//
// Running all blocks
//===----------------------------------------------------------------------===//

/// Blocks that cannot talk: any order will do, so workers take the next one.
class IndependentBlocks {
public:
  IndependentBlocks(const LaunchContext &launch, std::deque<Worker> &workers)
      : launch(launch), workers(workers) {}

  bool run() {
    std::vector<std::thread> threads;
    for (size_t i = 1; i < workers.size(); ++i)
      threads.emplace_back([this, i] { runSome(workers[i]); });
    runSome(workers[0]);
    for (std::thread &thread : threads)
      thread.join();
    return allCompleted;
  }

private:
  void runSome(Worker &worker) {
    Block block;
    for (;;) {
      uint64_t number = next.fetch_add(1);
      if (number >= launch.numBlocks)
        return;
      startBlock(block, number, launch);
      while (runBlock(block, worker, /*turnLimit=*/0).state ==
             BlockState::Waiting)
        if (!releaseLanes(block))
          reportDeadlock(block, worker);
      if (block.wasStopped)
        allCompleted = false;
      collectIntervals(worker.globalShadow, number, worker.intervals);
      worker.globalShadow.clear();
      worker.globalSyncRecords.clear();
    }
  }

  const LaunchContext &launch;
  std::deque<Worker> &workers;
  std::atomic<uint64_t> next{0};
  std::atomic<bool> allCompleted{true};
};

/// Blocks that wait for one another: as many as the device holds take turns on
/// one thread, in a fixed order; the next one starts when one has ended.
class CommunicatingBlocks {
public:
  CommunicatingBlocks(const LaunchContext &launch, Worker &worker)
      : launch(launch), worker(worker) {}

  bool run() {
    uint64_t limit = std::min(launch.numBlocks, residentLimit());
    while (numStarted < limit)
      startNext();
    while (!resident.empty())
      if (!runRound() && !releaseAll())
        reportAll();
    collectIntervals(worker.globalShadow, 0, worker.intervals);
    return allCompleted;
  }

private:
  static constexpr uint64_t turn = 8192;

  /// By threads, shared memory and the number of blocks an SM takes.
  uint64_t residentLimit() const {
    const LaunchConfig &config = launch.config;
    uint64_t perSM = std::min<uint64_t>(32, 2048 / (launch.warpsPerBlock * 32));
    uint64_t shared = launch.sharedBytes + 1024; // what the system keeps
    perSM = std::max<uint64_t>(
        1, std::min(perSM, config.sharedBytesPerSM / shared));
    return perSM * config.numSMs;
  }

  void startNext() {
    resident.push_back(std::make_unique<Block>());
    startBlock(*resident.back(), numStarted++, launch);
  }

  /// \returns false if no block made progress.
  bool runRound() {
    bool any = false;
    size_t numEnded = 0;
    for (std::unique_ptr<Block> &block : resident) {
      BlockTurn result = runBlock(*block, worker, turn);
      any |= result.madeProgress;
      if (result.state != BlockState::Ended)
        continue;
      allCompleted &= !block->wasStopped;
      block.reset();
      ++numEnded;
    }
    llvm::erase(resident, nullptr);
    for (; numEnded > 0 && numStarted < launch.numBlocks; --numEnded) {
      startNext();
      any = true;
    }
    return any || resident.empty();
  }

  bool releaseAll() {
    bool any = false;
    for (std::unique_ptr<Block> &block : resident)
      any |= releaseLanes(*block);
    return any;
  }

  void reportAll() {
    uint64_t notStarted = launch.numBlocks - numStarted;
    if (notStarted)
      worker.findings.add(
          FindingKind::Deadlock, noPc, noPc, resident.front()->number, 0, 0,
          [&] {
            return formatv(
                       "{0} blocks fill the device and wait; {1} of the grid "
                       "were not started",
                       resident.size(), notStarted)
                .str();
          });
    for (std::unique_ptr<Block> &block : resident)
      reportDeadlock(*block, worker);
    resident.clear();
    allCompleted = false;
  }

  const LaunchContext &launch;
  Worker &worker;
  std::vector<std::unique_ptr<Block>> resident;
  uint64_t numStarted = 0;
  bool allCompleted = true;
};

void runBlocks(const LaunchContext &launch, LaunchResult &result) {
  result.blocksCommunicate = launch.kernel.communicates;
  std::deque<Worker> workers;
  uint64_t count = launch.kernel.communicates
                       ? 1
                       : std::min<uint64_t>(std::max(1u, launch.config.threads),
                                            launch.numBlocks);
  for (uint64_t i = 0; i < count; ++i) {
    workers.emplace_back(launch);
    workers.back().traffic.resize(launch.kernel.code.size());
  }
  result.completed = launch.kernel.communicates
                         ? CommunicatingBlocks(launch, workers.front()).run()
                         : IndependentBlocks(launch, workers).run();

  FindingSet findings(launch.config.maxFindings);
  std::vector<GlobalInterval> intervals;
  for (Worker &worker : workers) {
    result.counters += worker.counters;
    findings.merge(worker.findings);
    llvm::append_range(intervals, worker.intervals);
  }
  if (launch.config.checks != Checks::None)
    checkBlocksAgainstEachOther(launch, intervals, findings);
  if (launch.config.checks == Checks::All && result.completed)
    checkOutputsWritten(launch, intervals, findings);
  findings.finish(launch.kernel, launch.program, launch.config, result);
  for (uint64_t number : result.counters.instructions)
    result.counters.warpInstructions += number;
}

} // namespace

llvm::Expected<LaunchResult>
mlir::mirage::emulator::launch(const Module &module,
                               const LaunchConfig &config) {
  const KernelInfo *info = module.findKernel(config.kernel);
  if (!info)
    return launchError("expected a kernel of the module, found '{0}'",
                       config.kernel);
  if (Error error = checkShape(*info, config))
    return std::move(error);
  if (Error error = checkArguments(*info, config))
    return std::move(error);

  const Program &program = module.program();
  size_t index = info - program.infos.data();
  LaunchContext context(program, program.kernels[index], *info, config);
  context.threadsPerBlock = volumeOf(config.block);
  context.warpsPerBlock = (context.threadsPerBlock + warpSize - 1) / warpSize;
  context.numBlocks = volumeOf(config.grid);
  context.sharedBytes = info->staticSharedBytes + config.dynamicSharedBytes;
  bindBuffers(context);
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
  runBlocks(context, result);
  return result;
}
