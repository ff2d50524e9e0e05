//===- LoadedProgram.cpp - What mirage-run was given to run ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoadedProgram.h"
#include "Mirage/Graph/GraphJSON.h"
#include "Mirage/Graph/WholeFiles.h"
#include "Mirage/Reference/NpyFile.h"
#include "Mirage/Runtime/TensorBytes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir::mirage;

/// A program alone, from a file.
static llvm::Expected<Graph> readGraphFile(llvm::StringRef path) {
  llvm::Expected<llvm::json::Value> value = readJSONFile(path);
  if (!value)
    return value.takeError();
  llvm::Expected<Graph> graph = graphFromJSON(*value);
  if (!graph)
    return llvm::createStringError(path + ": " +
                                   llvm::toString(graph.takeError()));
  return graph;
}

llvm::Expected<LoadedProgram>
mlir::mirage::loadProgram(llvm::StringRef path,
                          const ReadArtifactOptions &options) {
  LoadedProgram loaded;
  if (path.ends_with(".json") && !llvm::sys::fs::is_directory(path)) {
    llvm::Expected<Graph> graph = readGraphFile(path);
    if (!graph)
      return graph.takeError();
    loaded.program = std::move(*graph);
    for (unsigned input = 0; input < loaded.program.getNumInputs(); ++input) {
      std::string name = loaded.program.getInputName(input).str();
      loaded.inputs.push_back(ArtifactTensor::makeRowMajor(
          name.empty() ? "input" + std::to_string(input) : name,
          loaded.program.getType(input)));
    }
    for (auto [number, value] : llvm::enumerate(loaded.program.getOutputs()))
      loaded.outputs.push_back(ArtifactTensor::makeRowMajor(
          "output" + std::to_string(number), loaded.program.getType(value)));
    return loaded;
  }
  llvm::Expected<Artifact> artifact = readArtifact(path, options);
  if (!artifact)
    return artifact.takeError();
  loaded.program = artifact->program;
  loaded.inputs = artifact->inputs;
  loaded.outputs = artifact->outputs;
  loaded.artifact = std::move(*artifact);
  return loaded;
}

/// The number of the input with this name.
static llvm::Expected<size_t> findInput(const LoadedProgram &program,
                                        llvm::StringRef name) {
  std::string known;
  for (auto [number, input] : llvm::enumerate(program.inputs)) {
    if (input.name == name)
      return number;
    known += (known.empty() ? "" : ", ") + input.name;
  }
  return llvm::createStringError("--input expects the name of an input (" +
                                 known + "), got '" + name + "'");
}

llvm::Expected<std::vector<HostTensor>>
mlir::mirage::makeInputs(const LoadedProgram &program,
                         llvm::ArrayRef<std::string> files, uint64_t seed,
                         unsigned threads) {
  std::vector<std::optional<HostTensor>> given(program.inputs.size());
  for (llvm::StringRef file : files) {
    auto [name, path] = file.split('=');
    if (path.empty())
      return llvm::createStringError("--input expects name=file.npy, got " +
                                     file);
    llvm::Expected<size_t> number = findInput(program, name);
    if (!number)
      return number.takeError();
    if (given[*number])
      return llvm::createStringError("--input expects each input once, got " +
                                     name + " again with " + path);
    llvm::Expected<HostTensor> tensor =
        readNpy(path, program.inputs[*number].type);
    if (!tensor)
      return tensor.takeError();
    given[*number] = std::move(*tensor);
  }
  std::vector<HostTensor> inputs;
  for (auto [number, tensor] : llvm::enumerate(given))
    inputs.push_back(tensor ? std::move(*tensor)
                            : makeRandomInput(program.inputs[number],
                                              program.program, number, seed,
                                              threads));
  return inputs;
}

llvm::Error mlir::mirage::writeOutputs(const LoadedProgram &program,
                                       llvm::ArrayRef<HostTensor> outputs,
                                       llvm::StringRef directory) {
  if (llvm::Error error = createFolder(directory))
    return error;
  for (auto [tensor, output] : llvm::zip_equal(program.outputs, outputs))
    if (llvm::Error error =
            writeNpy(joinPath(directory, tensor.name + ".npy"), output))
      return error;
  return llvm::Error::success();
}
