//===- EmulatorRun.cpp - Runs an artifact without a GPU -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Runtime/EmulatorRun.h"
#include "BindingCheck.h"
#include "Mirage/Emulator/Parser.h"
#include "Mirage/Graph/MachineMemory.h"
#include "Mirage/Reference/ParallelFor.h"
#include "Mirage/Runtime/TensorBytes.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>
#include <map>

using namespace mlir::mirage;
using emulator::BufferKind;

bool EmulatorRun::isClean() const {
  return llvm::all_of(launches, [](const EmulatedLaunch &launch) {
    return launch.result.completed && launch.result.isClean();
  });
}

namespace {
/// A buffer that launches refer to: its role and index.
using BufferId = std::pair<BufferRole, unsigned>;

/// Emulates the launches of one artifact.
class Emulation {
public:
  Emulation(const Artifact &artifact, llvm::ArrayRef<HostTensor> values,
            const EmulatorOptions &options)
      : artifact(artifact), options(options),
        workspace(artifact.workspaceBytes, kUndefinedByte) {
    for (auto [tensor, input] : llvm::zip_equal(artifact.inputs, values))
      inputs.push_back(scatter(tensor, input));
    for (const ArtifactTensor &output : artifact.outputs)
      outputs.emplace_back(output.getSizeBytes(), kUndefinedByte);
    for (const KernelLaunch &launch : artifact.launches)
      for (BufferId id : getBuffers(launch))
        ++launchesLeft[id];
  }

  llvm::Expected<EmulatorRun> run() {
    llvm::Expected<std::unique_ptr<emulator::Module>> module =
        emulator::parsePTX(artifact.ptx, "kernels.ptx");
    if (!module)
      return module.takeError();
    EmulatorRun result;
    for (const KernelLaunch &launch : artifact.launches) {
      llvm::Expected<EmulatedLaunch> emulated = emulate(**module, launch);
      if (!emulated)
        return emulated.takeError();
      result.launches.push_back(std::move(*emulated));
      if (!result.launches.back().result.completed)
        break;
    }
    for (auto [tensor, bytes] : llvm::zip_equal(artifact.outputs, outputs))
      result.outputs.push_back(gather(tensor, std::move(bytes)));
    return result;
  }

private:
  /// The buffers of a launch in the order of their first argument.
  static llvm::SmallVector<BufferId> getBuffers(const KernelLaunch &launch) {
    llvm::SmallVector<BufferId> buffers;
    for (const LaunchArgument &argument : launch.arguments)
      if (BufferId id{argument.role, argument.index};
          !llvm::is_contained(buffers, id))
        buffers.push_back(id);
    return buffers;
  }

  llvm::Expected<EmulatedLaunch> emulate(const emulator::Module &module,
                                         const KernelLaunch &launch) {
    emulator::LaunchConfig config = makeConfig(launch);
    llvm::SmallVector<BufferId> buffers = getBuffers(launch);
    config.isDependent = launch.dependent;
    if (!launch.dependent)
      unfinished.clear();
    for (const GridUse &use : unfinished)
      if (auto found = llvm::find(buffers, use.buffer); found != buffers.end())
        config.unfinished.push_back(
            {{unsigned(found - buffers.begin()), use.bytes, use.isWrite},
             use.endsAtWait});
    auto start = std::chrono::steady_clock::now();
    llvm::Expected<emulator::LaunchResult> result =
        emulator::launch(module, config);
    if (!result)
      return llvm::createStringError("kernel " + launch.kernel + ": " +
                                     llvm::toString(result.takeError()));
    std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - start;
    // Once this grid is waited for, so are the ones that it waited for.
    for (GridUse &use : unfinished)
      use.endsAtWait &= result->waitedForEarlierGrids;
    for (const emulator::BufferUse &use : result->uses) {
      unfinished.push_back({buffers[use.buffer], use.bytes, use.isWrite, true});
      if (use.isWrite)
        written[buffers[use.buffer]].push_back(use.bytes);
    }
    for (BufferId id : buffers) {
      --launchesLeft[id];
      join(written[id]);
    }
    nameSources(result->findings);
    return EmulatedLaunch{launch.kernel, std::move(*result), time.count()};
  }

  /// Says of places in the file that stands for the list of ops which op it is.
  void nameSources(std::vector<emulator::Finding> &findings) const {
    auto name = [&](emulator::InstructionPlace &place) {
      if (place.sourceFile != kOpLocationsFile || place.sourceLine == 0 ||
          place.sourceLine > artifact.opLocations.size())
        return;
      const OpLocation &op = artifact.opLocations[place.sourceLine - 1];
      place.source = op.operation + " of " + op.location;
    };
    for (emulator::Finding &finding : findings) {
      name(finding.place);
      name(finding.otherPlace);
    }
  }

  emulator::LaunchConfig makeConfig(const KernelLaunch &launch) {
    emulator::LaunchConfig config;
    config.kernel = launch.kernel;
    llvm::copy(launch.grid, config.grid.begin());
    llvm::copy(launch.block, config.block.begin());
    llvm::copy(launch.cluster, config.cluster.begin());
    config.dynamicSharedBytes = launch.dynamicSharedBytes;
    config.threads = resolveThreads(options.threads);
    config.checks = options.checks;
    config.stepLimitPerBlock = options.stepLimitPerBlock;
    config.scheduleSeed = options.scheduleSeed;
    if (options.scheduleSeed != 0)
      config.asyncDelivery = emulator::AsyncDelivery::Mixed;
    llvm::SmallVector<BufferId> buffers = getBuffers(launch);
    for (BufferId id : buffers)
      config.buffers.push_back(bind(id));
    for (const LaunchArgument &argument : launch.arguments) {
      auto found = llvm::find(buffers, BufferId{argument.role, argument.index});
      unsigned index = found - buffers.begin();
      config.arguments.push_back(
          argument.tensorMap
              ? emulator::Argument::tensorMap(index, *argument.tensorMap,
                                              argument.offsetBytes)
              : emulator::Argument::pointer(index, argument.offsetBytes));
    }
    return config;
  }

  /// What a buffer is to the next launch that it takes part in: an output is
  /// complete after the last one.
  emulator::Buffer bind(BufferId id) {
    auto [role, index] = id;
    switch (role) {
    case BufferRole::Input:
      return {"input " + artifact.inputs[index].name, inputs[index].data(),
              inputs[index].size(), BufferKind::Input};
    case BufferRole::Output:
      return {"output " + artifact.outputs[index].name,
              outputs[index].data(),
              outputs[index].size(),
              launchesLeft[id] == 1 ? BufferKind::Output
                                    : BufferKind::Workspace,
              findGaps(artifact.outputs[index]),
              written[id]};
    case BufferRole::Workspace:
      return {"workspace",           workspace.data(), workspace.size(),
              BufferKind::Workspace, /*gaps=*/{},      written[id]};
    }
    llvm_unreachable("all roles are bound");
  }

  /// Puts ranges into order, those that touch or overlap as one.
  static void join(std::vector<emulator::ByteRange> &ranges) {
    llvm::sort(ranges,
               [](const auto &a, const auto &b) { return a.begin < b.begin; });
    std::vector<emulator::ByteRange> joined;
    for (const emulator::ByteRange &range : ranges)
      if (!joined.empty() && range.begin <= joined.back().end)
        joined.back().end = std::max(joined.back().end, range.end);
      else
        joined.push_back(range);
    ranges = std::move(joined);
  }

  const Artifact &artifact;
  const EmulatorOptions &options;
  /// By their strides; copies, which a faulty kernel may write.
  std::vector<std::vector<uint8_t>> inputs;
  std::vector<std::vector<uint8_t>> outputs;
  std::vector<uint8_t> workspace;
  std::map<BufferId, unsigned> launchesLeft; ///< that use a buffer
  /// What launches have written so far, as emulator::Buffer has it.
  std::map<BufferId, std::vector<emulator::ByteRange>> written;
  /// What grids did that may not have ended when the next one starts.
  struct GridUse {
    BufferId buffer;
    emulator::ByteRange bytes;
    bool isWrite, endsAtWait;
  };
  std::vector<GridUse> unfinished;
};
} // namespace

double mlir::mirage::countEmulatedBytes(const Artifact &artifact) {
  // Each size fits 64 bits, their sum need not.
  double bytes = artifact.workspaceBytes;
  for (const auto *tensors : {&artifact.inputs, &artifact.outputs})
    for (const ArtifactTensor &tensor : *tensors)
      bytes += tensor.getSizeBytes();
  return bytes;
}

llvm::Expected<EmulatorRun>
mlir::mirage::runOnEmulator(const Artifact &artifact,
                            llvm::ArrayRef<HostTensor> inputs,
                            const EmulatorOptions &options) {
  if (llvm::Error error = checkBinding(artifact, inputs))
    return std::move(error);
  if (llvm::Error error = checkMemory("copies of inputs, outputs and workspace",
                                      countEmulatedBytes(artifact)))
    return std::move(error);
  return Emulation(artifact, inputs, options).run();
}
