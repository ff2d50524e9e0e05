//===- ArtifactReader.cpp - Reads an artifact's folder --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArtifactFiles.h"
#include "Mirage/Artifact/Artifact.h"
#include "Mirage/Graph/GraphJSON.h"
#include "Mirage/Graph/JSONCursor.h"
#include "Mirage/Graph/WholeFiles.h"
#include "Mirage/Version/Version.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir::mirage;
using llvm::json::Value;

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static ArtifactTensor readTensor(const JSONCursor &cursor) {
  ArtifactTensor tensor{cursor["name"].name(), readTensorSpec(cursor), {}};
  for (const JSONCursor &stride : cursor["strides"].array())
    tensor.strides.push_back(stride.integer());
  int64_t stated = cursor["sizeBytes"].integer();
  if (cursor.failed() || explainBadStrides(tensor.type.shape, tensor.strides,
                                           /*isWritten=*/false))
    return tensor;
  if (int64_t sizeBytes = tensor.getSizeBytes(); sizeBytes != stated)
    cursor["sizeBytes"].fail("expects the " + llvm::Twine(sizeBytes) +
                             " bytes from the first element through the last "
                             "one, got " +
                             llvm::Twine(stated));
  return tensor;
}

static std::vector<ArtifactTensor> readTensors(const JSONCursor &list) {
  std::vector<ArtifactTensor> tensors;
  for (const JSONCursor &tensor : list.array())
    tensors.push_back(readTensor(tensor));
  return tensors;
}

static std::array<int64_t, 3> readExtents(const JSONCursor &cursor) {
  std::array<int64_t, 3> extents{1, 1, 1};
  std::vector<JSONCursor> list = cursor.array();
  if (list.size() != 3)
    cursor.fail("expects 3 extents, got " + llvm::Twine(list.size()));
  for (size_t axis = 0; axis < list.size() && axis < 3; ++axis)
    extents[axis] = list[axis].integer();
  return extents;
}

template <typename T>
static void readNumbers(const JSONCursor &cursor, int64_t most,
                        llvm::SmallVectorImpl<T> &numbers) {
  for (const JSONCursor &number : cursor.array())
    numbers.push_back(number.integer(0, most));
}

static TensorMap readTensorMap(const JSONCursor &cursor) {
  cursor.allow({"elementBytes", "sizes", "strideBytes", "box", "swizzleBytes"});
  TensorMap map;
  map.elementBytes = cursor["elementBytes"].integer(0, UINT32_MAX);
  readNumbers(cursor["sizes"], INT64_MAX, map.sizes);
  readNumbers(cursor["strideBytes"], INT64_MAX, map.strideBytes);
  readNumbers(cursor["box"], UINT32_MAX, map.box);
  std::optional<Swizzle> swizzle =
      findSwizzle(cursor["swizzleBytes"].integer(0, UINT32_MAX));
  if (!swizzle)
    cursor["swizzleBytes"].expect("0, 32, 64 or 128");
  map.swizzle = swizzle.value_or(Swizzle::None);
  return map;
}

static LaunchArgument readArgument(const JSONCursor &cursor) {
  LaunchArgument argument;
  std::string role = cursor["role"].string();
  if (role == "output")
    argument.role = BufferRole::Output;
  else if (role == "workspace")
    argument.role = BufferRole::Workspace;
  else if (role != "input")
    cursor["role"].expect("\"input\", \"output\" or \"workspace\"");
  argument.index = cursor["index"].integer(0, UINT32_MAX);
  argument.offsetBytes = cursor["offsetBytes"].integer();
  if (cursor.has("tensorMap"))
    argument.tensorMap = readTensorMap(cursor["tensorMap"]);
  return argument;
}

static LibraryMatrix readMatrix(const JSONCursor &cursor) {
  cursor.allow(
      {"argument", "offset", "transposed", "leadingDimension", "batchStride"});
  LibraryMatrix matrix;
  matrix.argument = cursor["argument"].integer(0, UINT32_MAX);
  matrix.offset = cursor["offset"].integer();
  matrix.isTransposed = cursor["transposed"].boolean();
  matrix.leadingDimension = cursor["leadingDimension"].integer();
  matrix.batchStride = cursor["batchStride"].integer();
  return matrix;
}

/// Members that are not known would be a call of something else.
static LibraryMatmul readLibraryMatmul(const JSONCursor &cursor) {
  cursor.allow({"batch", "m", "n", "k", "operands", "resultType", "accumulate",
                "lhs", "rhs", "result", "f32Products"});
  LibraryMatmul matmul;
  matmul.batch = cursor["batch"].integer();
  matmul.m = cursor["m"].integer();
  matmul.n = cursor["n"].integer();
  matmul.k = cursor["k"].integer();
  matmul.operandElement = readElementType(cursor["operands"]);
  matmul.resultElement = readElementType(cursor["resultType"]);
  if (cursor["accumulate"].string() != getElementTypeName(ElementType::F32))
    cursor["accumulate"].expect("\"f32\"");
  matmul.lhs = readMatrix(cursor["lhs"]);
  matmul.rhs = readMatrix(cursor["rhs"]);
  matmul.result = readMatrix(cursor["result"]);
  if (cursor.has("f32Products"))
    matmul.f32Products = readF32Products(cursor["f32Products"]);
  return matmul;
}

static KernelLaunch readLaunch(const JSONCursor &cursor) {
  KernelLaunch launch;
  launch.kernel = cursor["kernel"].name();
  launch.grid = readExtents(cursor["grid"]);
  launch.block = readExtents(cursor["block"]);
  launch.cluster = readExtents(cursor["cluster"]);
  launch.dynamicSharedBytes = cursor["dynamicSharedBytes"].integer();
  launch.dependent = cursor["dependent"].boolean();
  for (const JSONCursor &argument : cursor["arguments"].array())
    launch.arguments.push_back(readArgument(argument));
  if (cursor.has("requestedSharedBytes"))
    launch.requestedSharedBytes = cursor["requestedSharedBytes"].integer();
  if (cursor.has("libraryMatmul"))
    launch.libraryMatmul = readLibraryMatmul(cursor["libraryMatmul"]);
  return launch;
}

/// The Mirage that wrote a manifest, in words. Not all have said so: then it
/// follows from the version of the form.
static std::string getWriter(const JSONCursor &manifest) {
  if (manifest.has("mirage"))
    return "Mirage " + manifest["mirage"].string();
  return manifest["version"].integer() > kArtifactVersion ? "a newer Mirage"
                                                          : "an earlier Mirage";
}

/// Says whether the document is one of ours and of this version.
static void checkFormat(const JSONCursor &manifest) {
  JSONCursor format = manifest["format"], version = manifest["version"];
  if (!manifest.has("format") || format.string() != kArtifactFormat)
    return format.expect("\"" + kArtifactFormat + "\"");
  if (int64_t number = version.integer(); number != kArtifactVersion)
    version.fail("expects an artifact of version " +
                 llvm::Twine(kArtifactVersion) + ", which Mirage " +
                 getMirageVersion() + " reads, got one of version " +
                 llvm::Twine(number) + ", written by " + getWriter(manifest) +
                 "; compile the program again with this version of Mirage");
}

/// A newer Mirage of the same version of the form may know operators that this
/// one does not, so both are named beside what is wrong.
static std::string explainOtherWriter(const JSONCursor &manifest) {
  if (!manifest.has("mirage") ||
      manifest["mirage"].string() == getMirageVersion())
    return "";
  return (" (written by " + getWriter(manifest) + ", read by Mirage " +
          getMirageVersion() + ")")
      .str();
}

/// All members but the files.
static void readMembers(const JSONCursor &manifest, Artifact &artifact) {
  artifact.target = manifest["target"].name();
  artifact.inputs = readTensors(manifest["inputs"]);
  artifact.outputs = readTensors(manifest["outputs"]);
  artifact.workspaceBytes = manifest["workspaceBytes"].integer();
  for (const JSONCursor &launch : manifest["launches"].array())
    artifact.launches.push_back(readLaunch(launch));
  artifact.program = readGraph(manifest["program"]);
  artifact.certificate = manifest["certificate"].raw();
  artifact.report = manifest["report"].raw();
  for (const JSONCursor &location : manifest["opLocations"].array())
    artifact.opLocations.push_back(
        {location["operation"].string(), location["location"].string()});
}

namespace {
/// Reads the files of one folder.
class ArtifactReader {
public:
  ArtifactReader(llvm::StringRef directory, const ReadArtifactOptions &options)
      : directory(directory), options(options) {}

  llvm::Expected<Artifact> run() {
    if (std::vector<std::string> artifacts = listArtifacts();
        !llvm::sys::fs::exists(path(kManifestFile)) && !artifacts.empty())
      return makeError(directory +
                       ": expects the folder of one artifact, got a folder of "
                       "artifacts: " +
                       llvm::join(artifacts, ", "));
    if (!llvm::sys::fs::is_directory(directory))
      return makeError(
          directory + ": expects the folder of an artifact, got " +
          (llvm::sys::fs::exists(directory) ? "a file" : "nothing there"));
    llvm::Expected<Value> document = readJSONFile(path(kManifestFile));
    if (!document)
      return document.takeError();
    Artifact artifact;
    if (llvm::Error failed = readDocument(*document, artifact))
      return std::move(failed);
    if (llvm::Error failed = verify(artifact))
      return makeError(path(kManifestFile) + ": " +
                       llvm::toString(std::move(failed)));
    return artifact;
  }

private:
  /// The folders in this one that hold an artifact, by name: what is written
  /// for a module of several functions.
  std::vector<std::string> listArtifacts() const {
    std::vector<std::string> names;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator entry(directory, error), end;
         entry != end && !error; entry.increment(error)) {
      if (llvm::sys::fs::exists(joinPath(entry->path(), kManifestFile)))
        names.push_back(llvm::sys::path::filename(entry->path()).str());
    }
    llvm::sort(names);
    return names;
  }

  std::string path(llvm::StringRef name) const {
    return joinPath(directory, name);
  }

  /// Members are read first, files only for a sound manifest.
  llvm::Error readDocument(const Value &document, Artifact &artifact) const {
    std::string error;
    JSONCursor manifest(document, error);
    checkFormat(manifest);
    if (error.empty()) {
      readMembers(manifest, artifact);
      if (!error.empty())
        error += explainOtherWriter(manifest);
    }
    if (error.empty())
      if (llvm::Error failed = readPTX(manifest["ptx"], artifact))
        return failed;
    if (error.empty() && !options.takesEditedPTX)
      if (llvm::Error failed = readCubins(manifest["cubins"], artifact))
        return failed;
    if (!error.empty())
      return makeError(path(kManifestFile) + ": " + error);
    return llvm::Error::success();
  }

  llvm::Error readPTX(const JSONCursor &entry, Artifact &artifact) const {
    auto buffer = readWholeFile(path(kPTXFile));
    if (!buffer)
      return buffer.takeError();
    artifact.ptx = (*buffer)->getBuffer().str();
    if (options.takesEditedPTX)
      return llvm::Error::success();
    return checkFile(entry, kPTXFile, (*buffer)->getBuffer());
  }

  llvm::Error readCubins(const JSONCursor &list, Artifact &artifact) const {
    for (const auto &[arch, entry] : list.members()) {
      std::string name = getCubinFile(arch);
      auto buffer = readWholeFile(path(name));
      if (!buffer)
        return buffer.takeError();
      llvm::StringRef content = (*buffer)->getBuffer();
      if (llvm::Error failed = checkFile(entry, name, content))
        return failed;
      artifact.cubins[arch].assign(content.bytes_begin(), content.bytes_end());
    }
    return llvm::Error::success();
  }

  /// A file is the one that the manifest describes. What is wrong with the
  /// description itself is left in the cursor.
  llvm::Error checkFile(const JSONCursor &entry, llvm::StringRef name,
                        llvm::StringRef content) const {
    if (entry["file"].string() != name)
      entry["file"].expect("\"" + name + "\"");
    int64_t size = entry["sizeBytes"].integer();
    std::string checksum = entry["checksum"].string();
    if (entry.failed())
      return llvm::Error::success();
    if (static_cast<int64_t>(content.size()) != size)
      return makeError(path(name) + ": expects the " + llvm::Twine(size) +
                       " bytes of " + kManifestFile + ", got " +
                       llvm::Twine(content.size()));
    std::string found = getChecksum(llvm::arrayRefFromStringRef(content));
    if (found != checksum)
      return makeError(path(name) + ": expects the checksum " + checksum +
                       " of " + kManifestFile + ", got " + found);
    return llvm::Error::success();
  }

  llvm::StringRef directory;
  const ReadArtifactOptions &options;
};
} // namespace

llvm::Expected<Artifact>
mlir::mirage::readArtifact(llvm::StringRef directory,
                           const ReadArtifactOptions &options) {
  return ArtifactReader(directory, options).run();
}
