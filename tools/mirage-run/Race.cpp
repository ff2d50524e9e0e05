//===- Race.cpp - Which artifact of several is the fastest ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Race.h"
#include "Mirage/Artifact/Bundle.h"
#include "Mirage/Graph/WholeFiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir::mirage;

namespace {
/// Everybody who takes part, and what is known of each.
struct Field {
  std::vector<Entrant> entrants;
  std::vector<std::string> hashes; ///< by entrant
  std::vector<std::string> graphs; ///< hashes of µGraphs, by entrant
  std::string program;             ///< its hash
};
} // namespace

static bool hasLibraryCall(const Artifact &artifact) {
  return llvm::any_of(artifact.launches, [](const KernelLaunch &launch) {
    return launch.libraryMatmul.has_value();
  });
}

/// Adds an artifact, with the library, without it, or both.
static llvm::Error addEntrants(const RaceOptions &options,
                               const std::string &name,
                               const std::string &folder, bool isBaseline,
                               Field &field) {
  llvm::Expected<Artifact> artifact = readArtifact(folder);
  if (!artifact)
    return artifact.takeError();
  llvm::Expected<std::string> hash = getArtifactHash(folder);
  if (!hash)
    return hash.takeError();
  field.program = hashProgram(artifact->program);
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

static llvm::Expected<Field> collectBundle(const RaceOptions &options) {
  llvm::Expected<Bundle> bundle = readBundle(options.path);
  if (!bundle)
    return bundle.takeError();
  Field field;
  auto add = [&](const BundleEntry &entry, bool isBaseline) -> llvm::Error {
    std::string folder = joinPath(options.path, entry.folder);
    if (llvm::Error error =
            addEntrants(options, entry.folder, folder, isBaseline, field))
      return error;
    field.graphs.resize(field.entrants.size(), entry.graph);
    if (field.program == bundle->program)
      return llvm::Error::success();
    return llvm::createStringError(folder + ": expects the program with hash " +
                                   bundle->program + " of " + kBundleFile +
                                   ", got " + field.program);
  };
  if (bundle->baseline)
    if (llvm::Error error = add(*bundle->baseline, /*isBaseline=*/true))
      return std::move(error);
  for (const BundleEntry &candidate : bundle->candidates)
    if (llvm::Error error = add(candidate, /*isBaseline=*/false))
      return std::move(error);
  return field;
}

static llvm::Expected<Field> collect(const RaceOptions &options) {
  if (isBundle(options.path))
    return collectBundle(options);
  Field field;
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

static MeasuredTime makeTime(const Field &field, const Measurements &measured,
                             unsigned number) {
  const Entrant &entrant = field.entrants[number];
  const EntrantResult &result = measured.results[number];
  MeasuredTime time;
  time.program = field.program;
  time.graph = field.graphs[number];
  time.artifact = field.hashes[number];
  time.isBaseline = entrant.isBaseline;
  time.device = measured.deviceName;
  time.computeCapability = measured.computeCapability;
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

static void printQuartiles(const Quartiles &us, llvm::raw_ostream &os) {
  os << llvm::format("%9.2f (%.2f ... %.2f)", us.median, us.low, us.high);
}

static void printTable(const Field &field, const Measurements &measured,
                       llvm::raw_ostream &os) {
  os << "device " << measured.deviceName << ", us of one run (half of the "
     << "replays within), the fastest first\n";
  for (auto [place, number] : llvm::enumerate(measured.ranking)) {
    const EntrantResult &result = measured.results[number];
    os << llvm::format("%2u. cold", static_cast<unsigned>(place + 1));
    printQuartiles(result.times->coldUs, os);
    os << "  hot";
    printQuartiles(result.times->hotUs, os);
    os << llvm::format("  error %.2g  ", result.relativeError)
       << field.entrants[number].name;
    if (result.repeats)
      os << ", timed again " << result.repeats
         << (result.repeats == 1 ? " time" : " times");
    os << (result.isNoisy ? ", still noisy\n" : "\n");
  }
  for (auto [entrant, result] :
       llvm::zip_equal(field.entrants, measured.results))
    if (result.verdict != MeasuredVerdict::Right)
      os << "    " << getVerdictName(result.verdict) << "  " << entrant.name
         << ": " << result.reason << '\n';
}

llvm::Expected<bool> mlir::mirage::runRace(const RaceOptions &options,
                                           llvm::raw_ostream &os) {
  llvm::Expected<Field> field = collect(options);
  if (!field)
    return field.takeError();
  llvm::Expected<Measurements> measured =
      Measurer(field->entrants, options.measurer).run();
  if (!measured)
    return measured.takeError();
  std::vector<MeasuredTime> times;
  for (unsigned number = 0; number < field->entrants.size(); ++number)
    times.push_back(makeTime(*field, *measured, number));
  if (isBundle(options.path))
    if (llvm::Error error =
            writeMeasuredTimes(joinPath(options.path, kTimesFile), times))
      return std::move(error);
  if (options.json)
    for (const MeasuredTime &time : times)
      os << toJSON(time) << '\n';
  else
    printTable(*field, *measured, os);
  return llvm::any_of(times, [](const MeasuredTime &time) {
    return !time.isBaseline && time.verdict == MeasuredVerdict::Right;
  });
}
