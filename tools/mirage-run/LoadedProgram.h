//===- LoadedProgram.h - What mirage-run was given to run ----- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TOOLS_MIRAGE_RUN_LOADEDPROGRAM_H
#define MIRAGE_TOOLS_MIRAGE_RUN_LOADEDPROGRAM_H

#include "Mirage/Artifact/Artifact.h"
#include "Mirage/Reference/HostTensor.h"
#include <optional>

namespace mlir::mirage {

/// An artifact, or a program alone, which the reference can evaluate.
struct LoadedProgram {
  std::optional<Artifact> artifact;
  Graph program;
  std::vector<ArtifactTensor> inputs, outputs;
};

/// \param path  the folder of an artifact, or a .json file with a graph, whose
///              inputs are called input0, input1, ... where it names them not.
llvm::Expected<LoadedProgram>
loadProgram(llvm::StringRef path, const ReadArtifactOptions &options = {});

/// A tensor for each input.
/// \param files  "name=x.npy"; inputs without a file are random by `seed`.
llvm::Expected<std::vector<HostTensor>>
makeInputs(const LoadedProgram &program, llvm::ArrayRef<std::string> files,
           uint64_t seed, unsigned threads);

/// Writes each output to `directory`/<name>.npy; creates the directory.
llvm::Error writeOutputs(const LoadedProgram &program,
                         llvm::ArrayRef<HostTensor> outputs,
                         llvm::StringRef directory);

} // namespace mlir::mirage

#endif // MIRAGE_TOOLS_MIRAGE_RUN_LOADEDPROGRAM_H
