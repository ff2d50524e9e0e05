//===- Artifact.h - A compiled tensor program -------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An artifact is what the compiler leaves behind and all that running needs: a
// folder with
//
//   manifest.json         everything below but the code; written last, so
//                         that a folder that has one is whole
//   kernels.ptx           the code as text
//   kernels.<arch>.cubin  the code for one architecture, where ptxas was at
//                         hand
//
// To run it: bind the inputs, allocate the outputs and `workspaceBytes`, and do
// the launches in order. Tensors state their strides, in elements, and the
// bytes from their first element through their last one; addresses are
// multiples of 16:
//
//   "inputs": [{"name": "w", "shape": [64, 32], "element": "f16",
//               "strides": [1, 72], "sizeBytes": 4592}]
//
// A launch says for each of its kernel's parameters, in order, which buffer it
// points into and how far ("requestedSharedBytes" only where its blocks ask for
// more shared memory than they use):
//
//   "launches": [{"kernel": "rms_linear_0",
//                 "grid": [192, 1, 1], "block": [128, 1, 1],
//                 "cluster": [1, 1, 1], "dynamicSharedBytes": 36864,
//                 "dependent": false, "requestedSharedBytes": 76928,
//                 "arguments": [
//                   {"role": "input", "index": 0, "offsetBytes": 0},
//                   {"role": "input", "index": 1, "offsetBytes": 0},
//                   {"role": "output", "index": 0, "offsetBytes": 0}]}]
//
// A parameter that TMA goes by is a tensor map in place of an address
// (Mirage/Layout/TensorMap.h says what its members mean), made when addresses
// are known:
//
//   {"role": "input", "index": 1, "offsetBytes": 0,
//    "tensorMap": {"elementBytes": 2, "sizes": [6144, 4096],
//                  "strideBytes": [12288], "box": [64, 64],
//                  "swizzleBytes": 128}}
//
// A launch that is nothing but a matmul may have a member "libraryMatmul": a
// call of a library that gives the same and may take the launch's place
// (Mirage/Graph/LibraryMatmul.h says what its members mean; offsets and strides
// count elements):
//
//   "libraryMatmul": {
//     "batch": 1, "m": 8, "n": 6144, "k": 4096,
//     "operands": "f16", "resultType": "f16", "accumulate": "f32",
//     "lhs": {"argument": 0, "offset": 0, "transposed": false,
//             "leadingDimension": 4096, "batchStride": 0},
//     "rhs": {"argument": 1, ...}, "result": {"argument": 2, ...}}
//
// The original program comes along as a graph, so that numbers can be checked
// against what was asked for, not against what was found. Where it lets tensor
// cores round operands of products to tf32 it has a member "f32Products":
// "tf32", and so have such calls of a library. Where code does so, numbers are
// checked accordingly (Mirage/Reference/OutputCheck.h).
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ARTIFACT_ARTIFACT_H
#define MIRAGE_ARTIFACT_ARTIFACT_H

#include "Mirage/Graph/Graph.h"
#include "Mirage/Graph/LibraryMatmul.h"
#include "Mirage/Graph/Strides.h"
#include "Mirage/Layout/TensorMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mlir::mirage {

/// Of the manifest's form, its member "version". A reader takes this version
/// and no other; a change after which older manifests mean something else, or
/// an older reader would misread newer ones, adds one. Nothing depends on the
/// version of the Mirage that wrote a manifest: its member "mirage" ("0.1.0")
/// is there for messages, and earlier writers left it out.
constexpr int64_t kArtifactVersion = 4;

/// What the addresses of the caller's tensors, and of the workspace, are
/// multiples of, in bytes.
constexpr int64_t kTensorAlignment = 16, kWorkspaceAlignment = 256;

/// A tensor that the caller binds.
struct ArtifactTensor {
  std::string name; ///< unique among inputs, and among outputs
  TensorSpec type;
  Strides strides; ///< where its elements lie

  /// One that is row-major, without gaps.
  static ArtifactTensor makeRowMajor(std::string name, TensorSpec type);
  bool isRowMajor() const { return mirage::isRowMajor(type.shape, strides); }
  /// From the first element through the last one.
  int64_t getSizeBytes() const;
};

/// What a kernel's parameter points into.
enum class BufferRole : uint8_t { Input, Output, Workspace };
llvm::StringRef getBufferRoleName(BufferRole role); // "input", "output", ...

/// One parameter of a kernel: a device address, or a tensor map of what lies
/// there.
struct LaunchArgument {
  BufferRole role = BufferRole::Input;
  unsigned index = 0;      ///< among inputs or outputs; 0 for the workspace
  int64_t offsetBytes = 0; ///< from the buffer's start
  std::optional<TensorMap> tensorMap = std::nullopt;
};

/// One kernel launch.
struct KernelLaunch {
  std::string kernel;                      ///< name of the `.entry` in the PTX
  std::array<int64_t, 3> grid{1, 1, 1};    ///< blocks by axis
  std::array<int64_t, 3> block{1, 1, 1};   ///< threads by axis
  std::array<int64_t, 3> cluster{1, 1, 1}; ///< blocks by axis; divides the grid
  int64_t dynamicSharedBytes = 0;          ///< beside what the PTX declares
  /// What blocks ask for instead, where an SM is to hold fewer of them than
  /// have room; the kernel uses none of what is more. 0: nothing.
  int64_t requestedSharedBytes = 0;
  /// May start before the launch before it has ended (programmatic dependent
  /// launch); the kernel waits by itself where it needs results.
  bool dependent = false;
  std::vector<LaunchArgument> arguments; ///< in the order of parameters
  /// A call of a library that may take the kernel's place; its matrices are
  /// among the arguments.
  std::optional<LibraryMatmul> libraryMatmul;

  int64_t getLaunchedSharedBytes() const {
    return std::max(dynamicSharedBytes, requestedSharedBytes);
  }
};

/// Where an instruction comes from: entry n describes line n + 1 of the file
/// "mirage" that `.loc` directives in the PTX name.
inline constexpr llvm::StringLiteral kOpLocationsFile = "mirage";
struct OpLocation {
  std::string operation; ///< as printed in a message: "mirage_block.matmul"
  std::string location;  ///< in the user's input: "model.mlir:12:8"
};

struct Artifact {
  std::string target; ///< what the PTX was made for: "sm_90a"
  std::vector<ArtifactTensor> inputs;
  std::vector<ArtifactTensor> outputs;
  int64_t workspaceBytes = 0; ///< contents need not survive between runs
  std::vector<KernelLaunch> launches;
  std::string ptx;
  /// Machine code by architecture ("sm_90a").
  std::map<std::string, std::vector<uint8_t>> cubins;
  /// The program before optimization. Its inputs and outputs are the
  /// artifact's, in the same order and of the same types.
  Graph program;
  /// What the verifier and the search have to say for themselves; carried, not
  /// interpreted. Null where there is none.
  llvm::json::Value certificate = nullptr;
  llvm::json::Value report = nullptr;
  std::vector<OpLocation> opLocations;
};

/// Whether something of its code, or a library in its place, rounds operands of
/// products to tf32: not wherever its program would let it.
F32Products findF32Products(const Artifact &artifact);

/// Checks what both sides rely on: indices and offsets inside their buffers,
/// extents that a device takes, names, that each output has a launch, and that
/// what is stated twice is the same: the PTX has the target and the kernels,
/// with as many parameters, of 8 bytes for an address and of 128 for a tensor
/// map, and the program the inputs and outputs.
/// \returns an error that names the member of the manifest ("launches[0].grid")
/// with what was expected and found.
llvm::Error verify(const Artifact &artifact);

/// Writes the folder `directory`, which is created if it is missing; an earlier
/// artifact in it is replaced, other files stay. While this is under way the
/// folder has no manifest. Fails, naming the file, where the system refuses.
/// The artifact must verify.
llvm::Error writeArtifact(const Artifact &artifact, llvm::StringRef directory);

struct ReadArtifactOptions {
  /// PTX is text and can be edited by hand. It is then not what the manifest
  /// describes, and the cubins are not made from it: they are left out.
  bool takesEditedPTX = false;
};

/// Reads and verifies what `writeArtifact` wrote. Errors are one sentence with
/// the file, the member, and what was expected and found. An artifact of
/// another version is refused with both versions named, of the form and of
/// Mirage; what another Mirage wrote and this one does not understand, with
/// both Mirages named. Refused is also a file that is not the one that the
/// manifest describes.
llvm::Expected<Artifact> readArtifact(llvm::StringRef directory,
                                      const ReadArtifactOptions &options = {});

} // namespace mlir::mirage

#endif // MIRAGE_ARTIFACT_ARTIFACT_H
