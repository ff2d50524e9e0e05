//===- ArtifactWriter.cpp - Writes an artifact's folder -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArtifactFiles.h"
#include "Mirage/Artifact/Artifact.h"
#include "Mirage/Graph/GraphJSON.h"
#include "Mirage/Graph/WholeFiles.h"
#include "Mirage/Version/Version.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir::mirage;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

static Value writeTensor(const ArtifactTensor &tensor) {
  return Object{{"name", tensor.name},
                {"shape", Array(tensor.type.shape)},
                {"element", getElementTypeName(tensor.type.element)},
                {"strides", Array(tensor.strides)},
                {"sizeBytes", tensor.getSizeBytes()}};
}

static Value writeMatrix(const LibraryMatrix &matrix) {
  return Object{{"argument", matrix.argument},
                {"offset", matrix.offset},
                {"transposed", matrix.isTransposed},
                {"leadingDimension", matrix.leadingDimension},
                {"batchStride", matrix.batchStride}};
}

static Value writeLibraryMatmul(const LibraryMatmul &matmul) {
  Object object{{"batch", matmul.batch},
                {"m", matmul.m},
                {"n", matmul.n},
                {"k", matmul.k},
                {"operands", getElementTypeName(matmul.operandElement)},
                {"resultType", getElementTypeName(matmul.resultElement)},
                {"accumulate", getElementTypeName(ElementType::F32)},
                {"lhs", writeMatrix(matmul.lhs)},
                {"rhs", writeMatrix(matmul.rhs)},
                {"result", writeMatrix(matmul.result)}};
  if (matmul.f32Products != F32Products::Exact)
    object["f32Products"] = getF32ProductsName(matmul.f32Products);
  return object;
}

template <typename T>
static Array writeNumbers(llvm::ArrayRef<T> numbers) {
  Array array;
  for (T number : numbers)
    array.push_back(static_cast<int64_t>(number));
  return array;
}

static Value writeTensorMap(const TensorMap &map) {
  return Object{{"elementBytes", map.elementBytes},
                {"sizes", writeNumbers<uint64_t>(map.sizes)},
                {"strideBytes", writeNumbers<uint64_t>(map.strideBytes)},
                {"box", writeNumbers<uint32_t>(map.box)},
                {"swizzleBytes", getSpanBytes(map.swizzle)}};
}

static Value writeArgument(const LaunchArgument &argument) {
  Object object{{"role", getBufferRoleName(argument.role)},
                {"index", argument.index},
                {"offsetBytes", argument.offsetBytes}};
  if (argument.tensorMap)
    object["tensorMap"] = writeTensorMap(*argument.tensorMap);
  return object;
}

static Value writeLaunch(const KernelLaunch &launch) {
  Array arguments;
  for (const LaunchArgument &argument : launch.arguments)
    arguments.push_back(writeArgument(argument));
  Object object{{"kernel", launch.kernel},
                {"grid", Array(launch.grid)},
                {"block", Array(launch.block)},
                {"cluster", Array(launch.cluster)},
                {"dynamicSharedBytes", launch.dynamicSharedBytes},
                {"dependent", launch.dependent},
                {"arguments", std::move(arguments)}};
  if (launch.requestedSharedBytes > 0)
    object["requestedSharedBytes"] = launch.requestedSharedBytes;
  if (launch.libraryMatmul)
    object["libraryMatmul"] = writeLibraryMatmul(*launch.libraryMatmul);
  return object;
}

/// The name of a file and what tells whether it is whole and unchanged.
static Value describeFile(llvm::StringRef name, llvm::ArrayRef<uint8_t> bytes) {
  return Object{{"file", name.str()},
                {"sizeBytes", static_cast<int64_t>(bytes.size())},
                {"checksum", getChecksum(bytes)}};
}

template <typename Range, typename Write>
static Array writeAll(const Range &range, Write write) {
  Array array;
  for (const auto &element : range)
    array.push_back(write(element));
  return array;
}

static Value writeManifest(const Artifact &artifact) {
  Object cubins;
  for (const auto &[arch, bytes] : artifact.cubins)
    cubins[arch] = describeFile(getCubinFile(arch), bytes);
  auto writeLocation = [](const OpLocation &location) {
    return Object{{"operation", location.operation},
                  {"location", location.location}};
  };
  return Object{{"format", kArtifactFormat},
                {"version", kArtifactVersion},
                {"mirage", getMirageVersion()},
                {"target", artifact.target},
                {"inputs", writeAll(artifact.inputs, writeTensor)},
                {"outputs", writeAll(artifact.outputs, writeTensor)},
                {"workspaceBytes", artifact.workspaceBytes},
                {"launches", writeAll(artifact.launches, writeLaunch)},
                {"ptx", describeFile(kPTXFile, llvm::arrayRefFromStringRef(
                                                   artifact.ptx))},
                {"cubins", std::move(cubins)},
                {"program", toJSON(artifact.program)},
                {"certificate", artifact.certificate},
                {"report", artifact.report},
                {"opLocations", writeAll(artifact.opLocations, writeLocation)}};
}

static llvm::Error explainRemoval(llvm::StringRef path, std::error_code code) {
  if (!code)
    return llvm::Error::success();
  return llvm::createStringError(
      code, path + ": cannot be replaced: " + code.message());
}

/// Removes what an earlier artifact left, the manifest first.
static llvm::Error removeEarlier(llvm::StringRef directory) {
  std::string manifest = joinPath(directory, kManifestFile);
  if (llvm::Error error =
          explainRemoval(manifest, llvm::sys::fs::remove(manifest)))
    return error;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator entry(directory, code), end;
       !code && entry != end; entry.increment(code)) {
    llvm::StringRef name = llvm::sys::path::filename(entry->path());
    if (!name.starts_with("kernels.") || !name.ends_with(".cubin"))
      continue;
    if (llvm::Error error =
            explainRemoval(entry->path(), llvm::sys::fs::remove(entry->path())))
      return error;
  }
  return explainRemoval(directory, code);
}

llvm::Error mlir::mirage::writeArtifact(const Artifact &artifact,
                                        llvm::StringRef directory) {
  if (llvm::Error error = verify(artifact))
    return error;
  if (llvm::Error error = createFolder(directory))
    return error;
  if (llvm::Error error = removeEarlier(directory))
    return error;
  if (llvm::Error error =
          writeWholeFile(joinPath(directory, kPTXFile), {artifact.ptx}))
    return error;
  for (const auto &[arch, bytes] : artifact.cubins)
    if (llvm::Error error =
            writeWholeFile(joinPath(directory, getCubinFile(arch)),
                           {llvm::toStringRef(bytes)}))
      return error;
  std::string text = llvm::formatv("{0:2}\n", writeManifest(artifact));
  return writeWholeFile(joinPath(directory, kManifestFile), {text});
}
