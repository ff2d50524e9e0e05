//===- Bundle.cpp - Candidates to be measured elsewhere -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Artifact/Bundle.h"
#include "ArtifactFiles.h"
#include "Mirage/Graph/CanonicalGraph.h"
#include "Mirage/Graph/ComposedOperators.h"
#include "Mirage/Graph/GraphJSON.h"
#include "Mirage/Graph/JSONCursor.h"
#include "Mirage/Graph/WholeFiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <cmath>

using namespace mlir::mirage;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

static constexpr llvm::StringLiteral kBundleFormat = "mirage-bundle";
static constexpr int64_t kBundleVersion = 1;

std::string mlir::mirage::hashProgram(const Graph &program) {
  return hashGraph(expandComposed(program));
}

llvm::Expected<std::string>
mlir::mirage::getArtifactHash(llvm::StringRef directory) {
  auto buffer = readWholeFile(joinPath(directory, kManifestFile));
  if (!buffer)
    return buffer.takeError();
  return getChecksum(llvm::arrayRefFromStringRef((*buffer)->getBuffer()));
}

bool mlir::mirage::isBundle(llvm::StringRef directory) {
  return llvm::sys::fs::exists(joinPath(directory, kBundleFile));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static Value writeEntry(const BundleEntry &entry) {
  return Object{{"folder", entry.folder},
                {"hash", entry.hash},
                {"graph", entry.graph},
                {"predictedUs", scalarToJSON(entry.predictedUs)}};
}

llvm::Error mlir::mirage::writeBundle(const Bundle &bundle,
                                      llvm::StringRef directory) {
  Array candidates;
  for (const BundleEntry &candidate : bundle.candidates)
    candidates.push_back(writeEntry(candidate));
  // 64 bits are more than a number of JSON holds for all readers.
  Object object{{"format", kBundleFormat},
                {"version", kBundleVersion},
                {"program", bundle.program},
                {"target", bundle.target},
                {"seed", std::to_string(bundle.seed)},
                {"baseline", bundle.baseline ? writeEntry(*bundle.baseline)
                                             : Value(nullptr)},
                {"candidates", std::move(candidates)}};
  std::string text = llvm::formatv("{0:2}\n", Value(std::move(object)));
  return writeWholeFile(joinPath(directory, kBundleFile), {text});
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static BundleEntry readEntry(const JSONCursor &object) {
  object.allow({"folder", "hash", "graph", "predictedUs"});
  BundleEntry entry;
  entry.folder = object["folder"].name();
  if (!object.failed() &&
      (entry.folder.empty() || entry.folder[0] == '.' ||
       llvm::sys::path::filename(entry.folder) != entry.folder))
    object["folder"].expect("the name of a folder in the bundle");
  entry.hash = object["hash"].string();
  entry.graph = object["graph"].string();
  entry.predictedUs = readScalar(object["predictedUs"]);
  if (!object.failed() &&
      !(entry.predictedUs >= 0 && std::isfinite(entry.predictedUs)))
    object["predictedUs"].expect("a time of at least 0");
  return entry;
}

/// Each entry is an artifact of its own.
static void refuseRepeatedFolders(const JSONCursor &object,
                                  const Bundle &bundle) {
  llvm::StringSet<> seen;
  if (bundle.baseline)
    seen.insert(bundle.baseline->folder);
  for (const auto &[cursor, candidate] :
       llvm::zip_equal(object["candidates"].array(), bundle.candidates))
    if (!seen.insert(candidate.folder).second)
      cursor["folder"].fail("expects each folder once, got \"" +
                            candidate.folder + "\" again");
}

static Bundle readMembers(const JSONCursor &object) {
  if (object["format"].string() != kBundleFormat)
    object["format"].expect("\"" + kBundleFormat + "\"");
  if (object["version"].integer() != kBundleVersion)
    object["version"].expect("version " + llvm::Twine(kBundleVersion));
  object.allow({"format", "version", "program", "target", "seed", "baseline",
                "candidates"});
  Bundle bundle;
  bundle.program = object["program"].string();
  bundle.target = object["target"].name();
  std::string seed = object["seed"].string();
  if (!object.failed() && !llvm::to_integer(seed, bundle.seed, 10))
    object["seed"].expect("a number in a string");
  if (object["baseline"].raw() != Value(nullptr))
    bundle.baseline = readEntry(object["baseline"]);
  for (const JSONCursor &candidate : object["candidates"].array())
    bundle.candidates.push_back(readEntry(candidate));
  if (!object.failed())
    refuseRepeatedFolders(object, bundle);
  return bundle;
}

/// Reads bundle.json, and does not look at what it names.
static llvm::Expected<Bundle> readBundleFile(const std::string &path) {
  llvm::Expected<Value> value = readJSONFile(path);
  if (!value)
    return value.takeError();
  std::string error;
  Bundle bundle = readMembers(JSONCursor(*value, error));
  if (!error.empty())
    return llvm::createStringError(path + ": " + error);
  return bundle;
}

static std::vector<BundleEntry> listEntries(const Bundle &bundle) {
  std::vector<BundleEntry> entries = bundle.candidates;
  if (bundle.baseline)
    entries.insert(entries.begin(), *bundle.baseline);
  return entries;
}

static llvm::Error checkHash(llvm::StringRef directory,
                             const BundleEntry &entry) {
  std::string path = joinPath(directory, entry.folder);
  llvm::Expected<std::string> hash = getArtifactHash(path);
  if (!hash)
    return hash.takeError();
  if (*hash == entry.hash)
    return llvm::Error::success();
  return llvm::createStringError(path + ": expects the artifact with hash " +
                                 entry.hash + " of " + kBundleFile + ", got " +
                                 *hash);
}

llvm::Expected<Bundle> mlir::mirage::readBundle(llvm::StringRef directory) {
  llvm::Expected<Bundle> bundle =
      readBundleFile(joinPath(directory, kBundleFile));
  if (!bundle)
    return bundle.takeError();
  if (bundle->candidates.empty())
    return llvm::createStringError(
        joinPath(directory, kBundleFile) +
        ": candidates: expects one at least, got none");
  for (const BundleEntry &entry : listEntries(*bundle))
    if (llvm::Error failed = checkHash(directory, entry))
      return std::move(failed);
  return bundle;
}

//===----------------------------------------------------------------------===//
// Making place
//===----------------------------------------------------------------------===//

static llvm::Error explainRemoval(const std::string &path,
                                  std::error_code code) {
  if (!code)
    return llvm::Error::success();
  return llvm::createStringError(path +
                                 ": cannot be removed: " + code.message());
}

/// An artifact of an earlier bundle would be taken for one of the next.
static llvm::Error removeArtifact(llvm::StringRef directory,
                                  const BundleEntry &entry) {
  std::string path = joinPath(directory, entry.folder);
  if (!llvm::sys::fs::exists(joinPath(path, kManifestFile)))
    return llvm::Error::success();
  return explainRemoval(
      path, llvm::sys::fs::remove_directories(path, /*IgnoreErrors=*/false));
}

llvm::Error mlir::mirage::prepareBundleFolder(llvm::StringRef directory) {
  if (llvm::Error error = createFolder(directory))
    return error;
  std::vector<BundleEntry> entries;
  // What is no bundle.json, or a damaged one, names nothing.
  if (auto bundle = readBundleFile(joinPath(directory, kBundleFile)))
    entries = listEntries(*bundle);
  else
    llvm::consumeError(bundle.takeError());
  for (llvm::StringRef file : {kBundleFile, kTimesFile})
    if (llvm::Error error =
            explainRemoval(joinPath(directory, file),
                           llvm::sys::fs::remove(joinPath(directory, file))))
      return error;
  for (const BundleEntry &entry : entries)
    if (llvm::Error error = removeArtifact(directory, entry))
      return error;
  return llvm::Error::success();
}
