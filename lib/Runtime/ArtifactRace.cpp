//===- ArtifactRace.cpp - Races of the artifacts of a bundle --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Runtime/ArtifactRace.h"
#include "Mirage/Artifact/Bundle.h"
#include "Mirage/Graph/WholeFiles.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;

static bool hasLibraryCall(const Artifact &artifact) {
  return llvm::any_of(artifact.launches, [](const KernelLaunch &launch) {
    return launch.libraryMatmul.has_value();
  });
}

/// Adds an artifact, with the library, without it, or both.
static llvm::Error addEntrants(const RaceOptions &options,
                               const std::string &name,
                               const std::string &folder, bool isBaseline,
                               RaceField &field) {
  llvm::Expected<Artifact> artifact = readArtifact(folder);
  if (!artifact)
    return artifact.takeError();
  llvm::Expected<std::string> hash = getArtifactHash(folder);
  if (!hash)
    return hash.takeError();
  field.program = hashProgram(artifact->program);
  field.target = artifact->target;
  auto add = [&](LibraryUse use) {
    field.entrants.push_back(
        {name + (use == LibraryUse::Always ? " with cuBLASLt" : ""), folder,
         use, isBaseline});
    field.hashes.push_back(*hash);
  };
  bool hasCall = hasLibraryCall(*artifact);
  if (hasCall && options.library != LibraryUse::Never)
    add(LibraryUse::Always);
  if (!hasCall || options.library != LibraryUse::Always)
    add(LibraryUse::Never);
  return llvm::Error::success();
}

static llvm::Expected<RaceField> collectBundle(const RaceOptions &options) {
  llvm::Expected<Bundle> bundle = readBundle(options.path);
  if (!bundle)
    return bundle.takeError();
  RaceField field;
  auto add = [&](const BundleEntry &entry, bool isBaseline) -> llvm::Error {
    std::string folder = joinPath(options.path, entry.folder);
    if (llvm::Error error =
            addEntrants(options, entry.folder, folder, isBaseline, field))
      return error;
    field.graphs.resize(field.entrants.size(), entry.graph);
    auto fail = [&](const llvm::Twine &expected, const llvm::Twine &found) {
      return llvm::createStringError(folder + ": expects the " + expected +
                                     " of " + kBundleFile + ", got " + found);
    };
    if (field.program != bundle->program)
      return fail("program with hash " + bundle->program, field.program);
    if (field.target != bundle->target)
      return fail("target " + bundle->target, field.target);
    return llvm::Error::success();
  };
  if (bundle->baseline)
    if (llvm::Error error = add(*bundle->baseline, /*isBaseline=*/true))
      return std::move(error);
  for (const BundleEntry &candidate : bundle->candidates)
    if (llvm::Error error = add(candidate, /*isBaseline=*/false))
      return std::move(error);
  return field;
}

llvm::Expected<RaceField>
mlir::mirage::collectEntrants(const RaceOptions &options) {
  if (isBundle(options.path))
    return collectBundle(options);
  RaceField field;
  if (llvm::Error error = addEntrants(options, "baseline " + options.baseline,
                                      options.baseline, true, field))
    return std::move(error);
  if (llvm::Error error =
          addEntrants(options, options.path, options.path, false, field))
    return std::move(error);
  field.graphs.resize(field.entrants.size());
  return field;
}

//===----------------------------------------------------------------------===//
// What came of it
//===----------------------------------------------------------------------===//

static MeasuredTime makeTime(const RaceField &field,
                             const Measurements &measured, unsigned number) {
  const Entrant &entrant = field.entrants[number];
  const EntrantResult &result = measured.results[number];
  MeasuredTime time;
  time.program = field.program;
  time.graph = field.graphs[number];
  time.artifact = field.hashes[number];
  time.isBaseline = entrant.isBaseline;
  time.device = measured.deviceName;
  time.computeCapability = measured.computeCapability;
  time.driverVersion = measured.driverVersion;
  time.usesLibrary = entrant.library == LibraryUse::Always;
  time.verdict = result.verdict;
  time.reason = result.reason;
  time.isNoisy = result.isNoisy;
  if (result.times) {
    time.hotUs = result.times->hotUs;
    time.coldUs = result.times->coldUs;
  }
  return time;
}

bool RaceResult::isAnyRight() const {
  return llvm::any_of(times, [](const MeasuredTime &time) {
    return !time.isBaseline && time.verdict == MeasuredVerdict::Right;
  });
}

llvm::Expected<RaceResult> mlir::mirage::runRace(const RaceOptions &options) {
  llvm::Expected<RaceField> field = collectEntrants(options);
  if (!field)
    return field.takeError();
  std::string timesFile =
      isBundle(options.path) ? joinPath(options.path, kTimesFile) : "";
  // What could not be kept need not be measured, which takes minutes.
  if (!timesFile.empty())
    if (llvm::Error error = checkWritable(timesFile))
      return std::move(error);
  llvm::Expected<Measurements> measured =
      Measurer(field->entrants, options.measurer).run();
  if (!measured)
    return measured.takeError();
  RaceResult result;
  for (unsigned number = 0; number < field->entrants.size(); ++number)
    result.times.push_back(makeTime(*field, *measured, number));
  if (!timesFile.empty())
    if (llvm::Error error = writeMeasuredTimes(timesFile, result.times))
      return std::move(error);
  result.entrants = std::move(field->entrants);
  result.measured = std::move(*measured);
  return result;
}
