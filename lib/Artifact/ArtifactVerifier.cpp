//===- ArtifactVerifier.cpp - What makes an artifact runnable -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Artifact/Artifact.h"
#include "Mirage/Graph/JSONCursor.h"
#include "PTXOutline.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::mirage;

llvm::StringRef mlir::mirage::getBufferRoleName(BufferRole role) {
  switch (role) {
  case BufferRole::Input:
    return "input";
  case BufferRole::Output:
    return "output";
  case BufferRole::Workspace:
    return "workspace";
  }
  llvm_unreachable("all roles are named");
}

ArtifactTensor ArtifactTensor::makeRowMajor(std::string name, TensorSpec type) {
  Strides strides = getRowMajorStrides(type.shape);
  return {std::move(name), std::move(type), std::move(strides)};
}

int64_t ArtifactTensor::getSizeBytes() const {
  return getSpan(type.shape, strides) *
         mlir::mirage::getSizeBytes(type.element);
}

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static std::string print(const TensorSpec &type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// What any CUDA device takes; the device at hand may take less, and says so.
constexpr int64_t kMaxBlock[3] = {kMaxBlockThreads, kMaxBlockThreads, 64};
constexpr int64_t kMaxBytes = int64_t(1) << 50;

/// What a kernel's parameter has for a launch's argument.
constexpr uint64_t kDeviceAddressBytes = 8, kTensorMapBytes = 128;

/// Extents are in range along each axis and their product is.
static llvm::Error checkExtents(const llvm::Twine &member,
                                const std::array<int64_t, 3> &extents,
                                const int64_t (&largest)[3],
                                int64_t largestProduct) {
  int64_t product = 1;
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (extents[axis] < 1 || extents[axis] > largest[axis])
      return makeError(member + "[" + llvm::Twine(axis) + "]: expects 1 to " +
                       llvm::Twine(largest[axis]) + ", got " +
                       llvm::Twine(extents[axis]));
    product *= extents[axis];
  }
  if (largestProduct && product > largestProduct)
    return makeError(member + ": expects a product of at most " +
                     llvm::Twine(largestProduct) + ", got " +
                     llvm::Twine(product));
  return llvm::Error::success();
}

static llvm::Error checkBytes(const llvm::Twine &member, int64_t bytes,
                              int64_t limit) {
  if (bytes >= 0 && bytes <= limit)
    return llvm::Error::success();
  return makeError(member + ": expects 0 to " + llvm::Twine(limit) +
                   " bytes, got " + llvm::Twine(bytes));
}

/// A tensor map is one that the driver takes, of a tensor inside of its buffer.
static llvm::Error checkTensorMap(const LaunchArgument &argument,
                                  int64_t sizeBytes,
                                  const llvm::Twine &member) {
  if (!argument.tensorMap)
    return llvm::Error::success();
  if (llvm::Error error = argument.tensorMap->check())
    return makeError(member +
                     ".tensorMap: " + llvm::toString(std::move(error)));
  if (argument.offsetBytes % kTensorAlignBytes != 0)
    return makeError(member + ".offsetBytes: expects a multiple of " +
                     llvm::Twine(kTensorAlignBytes) +
                     " where there is a tensor map, got " +
                     llvm::Twine(argument.offsetBytes));
  uint64_t tensorBytes = argument.tensorMap->getTensorBytes();
  if (tensorBytes <= static_cast<uint64_t>(sizeBytes - argument.offsetBytes))
    return llvm::Error::success();
  return makeError(member + ".tensorMap: expects a tensor of at most the " +
                   llvm::Twine(sizeBytes - argument.offsetBytes) +
                   " bytes that are left of the " +
                   getBufferRoleName(argument.role) + ", got one of " +
                   llvm::Twine(tensorBytes));
}

/// A parameter points into a buffer that is there.
static llvm::Error checkArgument(const Artifact &artifact,
                                 const LaunchArgument &argument,
                                 const llvm::Twine &member) {
  int64_t sizeBytes = artifact.workspaceBytes;
  if (argument.role != BufferRole::Workspace) {
    bool isInput = argument.role == BufferRole::Input;
    const auto &tensors = isInput ? artifact.inputs : artifact.outputs;
    if (argument.index >= tensors.size())
      return makeError(member + ".index: expects one of " +
                       llvm::Twine(tensors.size()) + " " +
                       getBufferRoleName(argument.role) + "s, got " +
                       llvm::Twine(argument.index));
    sizeBytes = tensors[argument.index].getSizeBytes();
  } else if (argument.index != 0) {
    return makeError(member + ".index: expects 0 for the workspace, got " +
                     llvm::Twine(argument.index));
  }
  if (argument.offsetBytes >= 0 && argument.offsetBytes < sizeBytes)
    return checkTensorMap(argument, sizeBytes, member);
  return makeError(member + ".offsetBytes: expects an offset within the " +
                   llvm::Twine(sizeBytes) + " bytes of the " +
                   getBufferRoleName(argument.role) + ", got " +
                   llvm::Twine(argument.offsetBytes));
}

/// A driver reads as many bytes of an argument as its parameter has.
static llvm::Error checkParameters(const KernelLaunch &launch,
                                   llvm::ArrayRef<uint64_t> parameterBytes,
                                   const std::string &member) {
  for (auto [number, argument, bytes] :
       llvm::enumerate(launch.arguments, parameterBytes)) {
    uint64_t needed =
        argument.tensorMap ? kTensorMapBytes : kDeviceAddressBytes;
    if (bytes != needed)
      return makeError(member + ".arguments[" + llvm::Twine(number) +
                       "]: expects a parameter of " + llvm::Twine(needed) +
                       " bytes of \"" + launch.kernel + "\" in the PTX for " +
                       (argument.tensorMap ? "a tensor map" : "an address") +
                       ", got one of " + llvm::Twine(bytes));
  }
  return llvm::Error::success();
}

/// A launch has a kernel of the PTX and an argument that fits each parameter.
static llvm::Error checkKernel(const KernelLaunch &launch,
                               const PTXOutline &ptx,
                               const std::string &member) {
  const PTXOutline::Entry *entry = ptx.find(launch.kernel);
  if (!entry)
    return makeError(member +
                     ".kernel: expects a kernel of the PTX, which has "
                     "no entry \"" +
                     launch.kernel + "\"");
  if (entry->parameterBytes.size() == launch.arguments.size())
    return checkParameters(launch, entry->parameterBytes, member);
  return makeError(member + ".arguments: expects one for each of the " +
                   llvm::Twine(entry->parameterBytes.size()) +
                   " parameters of \"" + launch.kernel + "\" in the PTX, got " +
                   llvm::Twine(launch.arguments.size()));
}

static int64_t getBufferBytes(const Artifact &artifact,
                              const LaunchArgument &argument) {
  switch (argument.role) {
  case BufferRole::Input:
    return artifact.inputs[argument.index].getSizeBytes();
  case BufferRole::Output:
    return artifact.outputs[argument.index].getSizeBytes();
  case BufferRole::Workspace:
    return artifact.workspaceBytes;
  }
  llvm_unreachable("all roles are handled");
}

/// A matrix of a library's call lies within the buffer that its argument, which
/// has been checked, points into.
static llvm::Error checkMatrix(const Artifact &artifact,
                               const KernelLaunch &launch,
                               const LibraryMatrix &matrix, ElementType element,
                               const llvm::Twine &member) {
  if (matrix.argument >= launch.arguments.size())
    return makeError(member + ".argument: expects one of " +
                     llvm::Twine(launch.arguments.size()) + " arguments, got " +
                     llvm::Twine(matrix.argument));
  const LaunchArgument &argument = launch.arguments[matrix.argument];
  int64_t elementBytes = mlir::mirage::getSizeBytes(element);
  int64_t bytes = getBufferBytes(artifact, argument) - argument.offsetBytes;
  if (argument.offsetBytes % elementBytes != 0)
    return makeError(member + ".argument: expects one at a multiple of " +
                     llvm::Twine(elementBytes) + " bytes, got one at " +
                     llvm::Twine(argument.offsetBytes));
  int64_t end = getLibraryMatrixEnd(*launch.libraryMatmul, matrix);
  if (end <= bytes / elementBytes)
    return llvm::Error::success();
  return makeError(member + ": expects a matrix within the " +
                   llvm::Twine(bytes) + " bytes behind its argument, got " +
                   llvm::Twine(end) + " elements of " +
                   llvm::Twine(elementBytes));
}

/// A library's call reads and writes what is there. That it gives what the
/// kernel does cannot be told here.
static llvm::Error checkLibraryMatmul(const Artifact &artifact,
                                      const KernelLaunch &launch,
                                      const std::string &member) {
  if (!launch.libraryMatmul)
    return llvm::Error::success();
  const LibraryMatmul &matmul = *launch.libraryMatmul;
  if (std::optional<std::string> problem = explainBadLibraryMatmul(matmul))
    return makeError(member + ": " + *problem);
  unsigned written = matmul.result.argument;
  if (written < launch.arguments.size() &&
      launch.arguments[written].role == BufferRole::Input)
    return makeError(member +
                     ".result.argument: expects an output or the "
                     "workspace, got input " +
                     llvm::Twine(launch.arguments[written].index));
  if (llvm::Error error = checkMatrix(artifact, launch, matmul.lhs,
                                      matmul.operandElement, member + ".lhs"))
    return error;
  if (llvm::Error error = checkMatrix(artifact, launch, matmul.rhs,
                                      matmul.operandElement, member + ".rhs"))
    return error;
  return checkMatrix(artifact, launch, matmul.result, matmul.resultElement,
                     member + ".result");
}

static llvm::Error checkLaunch(const Artifact &artifact,
                               const KernelLaunch &launch,
                               const std::string &member) {
  if (llvm::Error error =
          checkExtents(member + ".grid", launch.grid, kMaxGridExtents, 0))
    return error;
  if (llvm::Error error = checkExtents(member + ".block", launch.block,
                                       kMaxBlock, kMaxBlockThreads))
    return error;
  constexpr int64_t kMaxCluster[3] = {kMaxClusterBlocks, kMaxClusterBlocks,
                                      kMaxClusterBlocks};
  if (llvm::Error error = checkExtents(member + ".cluster", launch.cluster,
                                       kMaxCluster, kMaxClusterBlocks))
    return error;
  for (unsigned axis = 0; axis < 3; ++axis)
    if (launch.grid[axis] % launch.cluster[axis] != 0)
      return makeError(member + ".cluster[" + llvm::Twine(axis) +
                       "]: expects a divisor of the grid's " +
                       llvm::Twine(launch.grid[axis]) + " blocks, got " +
                       llvm::Twine(launch.cluster[axis]));
  if (llvm::Error error = checkBytes(member + ".dynamicSharedBytes",
                                     launch.dynamicSharedBytes, INT32_MAX))
    return error;
  if (llvm::Error error = checkBytes(member + ".requestedSharedBytes",
                                     launch.requestedSharedBytes, INT32_MAX))
    return error;
  for (auto [number, argument] : llvm::enumerate(launch.arguments))
    if (llvm::Error error =
            checkArgument(artifact, argument,
                          member + ".arguments[" + llvm::Twine(number) + "]"))
      return error;
  return checkLibraryMatmul(artifact, launch, member + ".libraryMatmul");
}

/// With `\0A` for a line's end.
static std::string escape(llvm::StringRef name) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::printEscapedString(name, os);
  return text;
}

/// Names that a command line and a file name can hold, each once.
static llvm::Error checkNames(llvm::StringRef member,
                              llvm::ArrayRef<ArtifactTensor> tensors) {
  llvm::StringSet<> seen;
  for (size_t number = 0; number < tensors.size(); ++number) {
    llvm::StringRef name = tensors[number].name;
    std::string where =
        (member + "[" + llvm::Twine(number) + "].name: expects ").str();
    if (name.empty() || name.contains('/') || name.contains('='))
      return makeError(where + "a name without '/' and '=', got \"" + name +
                       "\"");
    if (!isOneLine(name))
      return makeError(where + "a name without control characters, got \"" +
                       escape(name) + "\"");
    if (!seen.insert(name).second)
      return makeError(where + "each name once, got \"" + name + "\" again");
  }
  return llvm::Error::success();
}

/// Inputs are called what the program calls them, where it does.
static llvm::Error checkInputNames(const Artifact &artifact) {
  for (auto [number, input] : llvm::enumerate(artifact.inputs)) {
    llvm::StringRef name = artifact.program.getInputName(number);
    if (!name.empty() && name != input.name)
      return makeError("inputs[" + llvm::Twine(number) +
                       "].name: expects the program's \"" + name +
                       "\", got \"" + input.name + "\"");
  }
  return llvm::Error::success();
}

/// The tensors are those of the program, whose types are known to be sound.
static llvm::Error checkTypes(llvm::StringRef member,
                              llvm::ArrayRef<ArtifactTensor> tensors,
                              llvm::ArrayRef<TensorSpec> types) {
  if (tensors.size() != types.size())
    return makeError(member + ": expects the program's " +
                     llvm::Twine(types.size()) + ", got " +
                     llvm::Twine(tensors.size()));
  for (auto [number, tensor] : llvm::enumerate(tensors))
    if (tensor.type != types[number])
      return makeError(member + "[" + llvm::Twine(number) +
                       "]: expects the program's " + print(types[number]) +
                       ", got " + print(tensor.type));
  return llvm::Error::success();
}

/// \param areWritten  no two of their elements may share a place then.
static llvm::Error checkStrides(llvm::StringRef member,
                                llvm::ArrayRef<ArtifactTensor> tensors,
                                bool areWritten) {
  for (auto [number, tensor] : llvm::enumerate(tensors))
    if (auto problem =
            explainBadStrides(tensor.type.shape, tensor.strides, areWritten))
      return makeError(member + "[" + llvm::Twine(number) +
                       "].strides: " + *problem);
  return llvm::Error::success();
}

static llvm::Error checkTensors(const Artifact &artifact) {
  const Graph &program = artifact.program;
  llvm::SmallVector<ValueId> inputs;
  for (unsigned input = 0; input < program.getNumInputs(); ++input)
    inputs.push_back(input);
  if (llvm::Error error = checkNames("inputs", artifact.inputs))
    return error;
  if (llvm::Error error = checkNames("outputs", artifact.outputs))
    return error;
  if (llvm::Error error =
          checkTypes("inputs", artifact.inputs, program.getTypes(inputs)))
    return error;
  if (llvm::Error error = checkInputNames(artifact))
    return error;
  if (llvm::Error error = checkTypes("outputs", artifact.outputs,
                                     program.getTypes(program.getOutputs())))
    return error;
  if (llvm::Error error =
          checkStrides("inputs", artifact.inputs, /*areWritten=*/false))
    return error;
  return checkStrides("outputs", artifact.outputs, /*areWritten=*/true);
}

F32Products mlir::mirage::findF32Products(const Artifact &artifact) {
  bool isAny = readPTXOutline(artifact.ptx).hasTF32Products ||
               llvm::any_of(artifact.launches, [](const KernelLaunch &launch) {
                 return launch.libraryMatmul &&
                        launch.libraryMatmul->f32Products == F32Products::TF32;
               });
  return isAny ? F32Products::TF32 : F32Products::Exact;
}

/// An output that no launch knows of would hold whatever it held before.
static llvm::Error checkOutputsAreKnown(const Artifact &artifact) {
  for (unsigned output = 0; output < artifact.outputs.size(); ++output)
    if (llvm::none_of(artifact.launches, [&](const KernelLaunch &launch) {
          return llvm::any_of(launch.arguments,
                              [&](const LaunchArgument &argument) {
                                return argument.role == BufferRole::Output &&
                                       argument.index == output;
                              });
        }))
      return makeError("outputs[" + llvm::Twine(output) +
                       "]: expects a launch with an argument that points into "
                       "it, got none");
  return llvm::Error::success();
}

llvm::Error mlir::mirage::verify(const Artifact &artifact) {
  if (llvm::Error error = verify(artifact.program))
    return makeError("program: " + llvm::toString(std::move(error)));
  if (llvm::Error error = checkTensors(artifact))
    return error;
  if (llvm::Error error =
          checkBytes("workspaceBytes", artifact.workspaceBytes, kMaxBytes))
    return error;
  PTXOutline ptx = readPTXOutline(artifact.ptx);
  if (ptx.openCommentLine)
    return makeError("ptx: expects '*/' to end the comment of line " +
                     llvm::Twine(ptx.openCommentLine) +
                     " of the PTX, got its end");
  if (ptx.target.empty())
    return makeError("target: expects PTX with a .target, got one without");
  if (ptx.target != artifact.target)
    return makeError("target: expects the PTX's \"" + ptx.target +
                     "\", got \"" + artifact.target + "\"");
  for (auto [number, launch] : llvm::enumerate(artifact.launches)) {
    std::string member = "launches[" + std::to_string(number) + "]";
    if (llvm::Error error = checkLaunch(artifact, launch, member))
      return error;
    if (llvm::Error error = checkKernel(launch, ptx, member))
      return error;
  }
  return checkOutputsAreKnown(artifact);
}
