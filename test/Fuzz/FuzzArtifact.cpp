//===- FuzzArtifact.cpp - Bytes as an artifact, read and run --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The bytes are a manifest and, behind a line "//--- kernels.ptx", the PTX.

#include "FuzzTarget.h"
#include "Mirage/Artifact/Artifact.h"
#include "Mirage/Reference/RandomInputs.h"
#include "Mirage/Runtime/EmulatorRun.h"
#include "ScratchFolder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include <cstdlib>

using namespace mlir::mirage;

static void unpack(const fuzz::ScratchFolder &folder, llvm::StringRef text) {
  auto [manifest, ptx] = text.split("//--- kernels.ptx\n");
  std::error_code code =
      llvm::sys::fs::create_directories(folder.path("given"));
  if (code)
    std::abort();
  folder.write("given/manifest.json", manifest);
  folder.write("given/kernels.ptx", ptx);
}

/// An artifact that has been read is written and read again.
static void checkRoundTrip(const fuzz::ScratchFolder &folder,
                           const Artifact &artifact) {
  std::string path = folder.path("again");
  llvm::cantFail(writeArtifact(artifact, path));
  Artifact again = llvm::cantFail(readArtifact(path));
  if (again.ptx != artifact.ptx ||
      again.launches.size() != artifact.launches.size())
    std::abort();
}

static bool isSmall(const Artifact &artifact) {
  constexpr int64_t kMostBytes = 1 << 16, kMostThreads = 1 << 12;
  int64_t threads = 0;
  for (const KernelLaunch &launch : artifact.launches) {
    double inLaunch = 1;
    for (const auto &extents : {launch.grid, launch.block})
      for (int64_t extent : extents)
        inLaunch *= extent;
    if (inLaunch > kMostThreads || (threads += inLaunch) > kMostThreads)
      return false;
  }
  for (const auto *tensors : {&artifact.inputs, &artifact.outputs})
    for (const ArtifactTensor &tensor : *tensors)
      if (tensor.getSizeBytes() > kMostBytes ||
          tensor.type.getSizeBytes() > kMostBytes)
        return false;
  return artifact.workspaceBytes <= kMostBytes;
}

/// Whatever is wrong with a launch or with the PTX is an error or a finding.
static void run(const Artifact &artifact) {
  std::vector<HostTensor> inputs;
  for (auto [number, input] : llvm::enumerate(artifact.inputs))
    inputs.push_back(makeNormalTensor(input.type, /*deviation=*/1, /*seed=*/0,
                                      number, /*threads=*/1));
  EmulatorOptions options;
  options.threads = 1;
  options.stepLimitPerBlock = 2000;
  llvm::Expected<EmulatorRun> result = runOnEmulator(artifact, inputs, options);
  if (!result)
    llvm::consumeError(result.takeError());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const fuzz::ScratchFolder folder;
  unpack(folder, llvm::StringRef(reinterpret_cast<const char *>(data), size));
  for (bool takesEditedPTX : {false, true}) {
    ReadArtifactOptions options;
    options.takesEditedPTX = takesEditedPTX;
    llvm::Expected<Artifact> artifact =
        readArtifact(folder.path("given"), options);
    if (!artifact) {
      llvm::consumeError(artifact.takeError());
      continue;
    }
    checkRoundTrip(folder, *artifact);
    if (isSmall(*artifact))
      run(*artifact);
    return 0;
  }
  return 0;
}
