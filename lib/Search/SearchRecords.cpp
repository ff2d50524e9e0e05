//===- SearchRecords.cpp - What is kept of a search, in JSON --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchRecords.h"
#include "Mirage/Graph/GraphJSON.h"
#include "Mirage/Search/StructureJSON.h"
#include <climits>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

static unsigned readCount(const JSONCursor &cursor) {
  return cursor.integer(0, UINT_MAX);
}
static uint64_t readLongCount(const JSONCursor &cursor) {
  return cursor.integer(0);
}

static SpaceLimits readLimits(const JSONCursor &cursor) {
  SpaceLimits limits;
  for (const JSONCursor &entry : cursor.array()) {
    std::string name = entry.string();
    bool isKnown = false;
    for (unsigned i = 0; i < kNumSpaceLimits; ++i)
      if (name == getOption(SpaceLimit(i)).name) {
        limits.add(SpaceLimit(i));
        isKnown = true;
      }
    if (!isKnown)
      entry.expect("an option that limits what is searched");
  }
  return limits;
}

static SearchRound readRound(const JSONCursor &cursor) {
  SearchRound round;
  std::string atoms = cursor["atoms"].string();
  if (atoms == "written out")
    round.reading = AtomReading::WrittenOut;
  else if (atoms != "functions")
    cursor["atoms"].expect("functions or written out");
  round.maxKernels = readCount(cursor["maxKernels"]);
  round.numOperators = readCount(cursor["operators"]);
  round.structures = readCount(cursor["structures"]);
  round.cuts = readCount(cursor["cuts"]);
  round.isComplete = cursor["complete"].boolean();
  round.counts = readCounts(cursor["counts"]);
  return round;
}

/// Members that are not here are predicted of the program, or of the
/// candidates.
static SearchReport readReport(const JSONCursor &cursor) {
  SearchReport report;
  for (const JSONCursor &round : cursor["rounds"].array())
    report.rounds.push_back(readRound(round));
  report.counts = readCounts(cursor["counts"]);
  report.limits = readLimits(cursor["limits"]);
  report.isOutOfStates = cursor["outOfStates"].boolean();
  report.cuts = readLongCount(cursor["cuts"]);
  report.structures = readCount(cursor["structures"]);
  report.verified = readCount(cursor["verified"]);
  report.rejected = readCount(cursor["rejected"]);
  report.filtered = readCount(cursor["filtered"]);
  report.unstable = readCount(cursor["unstable"]);
  report.instances = readLongCount(cursor["instances"]);
  report.fitting = readLongCount(cursor["fitting"]);
  return report;
}

static StopReason readStopReason(const JSONCursor &cursor) {
  std::string name = cursor.string();
  for (StopReason reason :
       {StopReason::Exhausted, StopReason::OuterProducts, StopReason::Unproved,
        StopReason::StateLimit, StopReason::TooManyReads,
        StopReason::ProgramTooLarge})
    if (name == getStopReasonName(reason))
      return reason;
  cursor.expect("the reason why a search stopped, but for want of time");
  return StopReason::Exhausted;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static Value toJSON(const Tiling &tiling) {
  return Object{{"tile", Array(tiling.tile)},
                {"loop", tiling.loop},
                {"threads", int64_t(tiling.threads)},
                {"stages", int64_t(tiling.stages)}};
}

static Value toJSON(const Candidate &candidate) {
  Array tilings;
  for (const Tiling &tiling : candidate.tilings)
    tilings.push_back(toJSON(tiling));
  return Object{{"structure", search::toJSON(candidate.structure)},
                {"predictedUs", candidate.predictedUs},
                {"tilings", std::move(tilings)}};
}

/// What took another time is the same record.
Value mlir::mirage::search::toJSON(const SearchResult &result) {
  Array candidates;
  for (const Candidate &candidate : result.candidates)
    candidates.push_back(::toJSON(candidate));
  return Object{{"stopReason", getStopReasonName(result.stopReason)},
                {"report", toJSON(withoutTimes(result.report))},
                {"candidates", std::move(candidates)},
                {"nearMisses", toJSON(result.nearMisses)}};
}

/// The names that a kernel loads or splits.
static NameSet getUsedNames(const KernelPlan &plan) {
  NameSet names = toSet(plan.kernel.gridNames);
  if (plan.kernel.loopName != kNoName)
    names |= toSet(plan.kernel.loopName);
  for (const KernelTensor &input : plan.inputs)
    names |= toSet(input.stored.layout);
  return names;
}

/// What a tiling says of names that its kernel does not use means nothing.
/// \param extents  by name, of parts that earlier kernels leave as well.
static Tiling readTiling(const JSONCursor &cursor, const KernelPlan &plan,
                         llvm::ArrayRef<int64_t> extents) {
  cursor.allow({"tile", "loop", "threads", "stages"});
  Tiling tiling;
  std::vector<JSONCursor> sizes = cursor["tile"].array();
  if (sizes.size() != extents.size())
    cursor["tile"].fail("expects a size for each of " +
                        llvm::Twine(uint64_t(extents.size())) + " names, got " +
                        llvm::Twine(uint64_t(sizes.size())));
  else
    for (auto [name, size] : llvm::enumerate(sizes)) {
      bool isUsed = contains(getUsedNames(plan), name);
      tiling.tile.push_back(
          size.integer(isUsed, isUsed ? extents[name] : INT32_MAX));
    }
  tiling.loop = cursor["loop"].integer(1, INT32_MAX);
  tiling.threads = cursor["threads"].integer(32, kMaxBlockThreads);
  if (!cursor.failed())
    tiling.stages = cursor["stages"].integer(
        1, std::min(getLoop(plan.kernel, extents, tiling), kMaxStages));
  return tiling;
}

/// One that can be built.
static std::vector<KernelPlan> readPlans(const JSONCursor &cursor,
                                         const TargetProgram &program,
                                         const Structure &structure) {
  if (cursor.failed())
    return {};
  auto plans = planKernels(program, structure);
  if (!plans)
    cursor.fail("expects a structure whose exponentials stay small, got one "
                "of others");
  return plans.value_or(std::vector<KernelPlan>());
}

static Candidate readCandidate(const JSONCursor &cursor,
                               const TargetProgram &program) {
  cursor.allow({"structure", "predictedUs", "tilings"});
  Candidate candidate;
  candidate.structure = readStructure(cursor["structure"], program);
  candidate.plans =
      readPlans(cursor["structure"], program, candidate.structure);
  candidate.predictedUs = readScalar(cursor["predictedUs"]);
  std::vector<JSONCursor> tilings = cursor["tilings"].array();
  if (cursor.failed())
    return candidate;
  if (tilings.size() != candidate.plans.size()) {
    cursor["tilings"].fail("expects a tiling for each of " +
                           llvm::Twine(uint64_t(candidate.plans.size())) +
                           " kernels, got " +
                           llvm::Twine(uint64_t(tilings.size())));
    return candidate;
  }
  llvm::SmallVector<int64_t> extents = program.getExtents();
  for (auto [tiling, plan] : llvm::zip_equal(tilings, candidate.plans)) {
    candidate.tilings.push_back(readTiling(tiling, plan, extents));
    if (cursor.failed())
      break;
    setPartExtents(program, plan, candidate.tilings.back(), extents);
  }
  return candidate;
}

static NearMiss readNearMiss(const JSONCursor &cursor) {
  cursor.allow({"structure", "predictedUs", "why"});
  return {cursor["structure"].string(), readScalar(cursor["predictedUs"]),
          cursor["why"].string()};
}

SearchResult mlir::mirage::search::readResult(const JSONCursor &cursor,
                                              const TargetProgram &program) {
  cursor.allow({"stopReason", "report", "candidates", "nearMisses"});
  SearchResult result;
  result.stopReason = readStopReason(cursor["stopReason"]);
  result.report = readReport(cursor["report"]);
  for (const JSONCursor &candidate : cursor["candidates"].array()) {
    result.candidates.push_back(readCandidate(candidate, program));
    if (cursor.failed())
      break;
  }
  for (const JSONCursor &miss : cursor["nearMisses"].array())
    result.addNearMiss(readNearMiss(miss));
  return result;
}
