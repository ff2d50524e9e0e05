//===- SearchReport.cpp - What a search did, as JSON ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Search.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::json::Array;
using llvm::json::Object;

SearchReport &SearchReport::operator+=(const SearchReport &other) {
  counts += other.counts;
  limits |= other.limits;
  isOutOfStates |= other.isOutOfStates;
  cuts += other.cuts;
  structures += other.structures;
  verified += other.verified;
  rejected += other.rejected;
  filtered += other.filtered;
  unstable += other.unstable;
  instances += other.instances;
  fitting += other.fitting;
  recalled += other.recalled;
  seconds += other.seconds;
  if (cache == CacheUse::None || other.cache == CacheUse::None)
    cache = std::max(cache, other.cache);
  else
    cache = std::min(cache, other.cache);
  return *this;
}

static Array makeLimits(const SpaceLimits &limits) {
  Array names;
  for (SpaceLimit limit : limits.list())
    names.push_back(getOption(limit).name);
  return names;
}

llvm::StringRef mlir::mirage::search::getCacheUseName(CacheUse use) {
  static constexpr llvm::StringLiteral kNames[] = {"none", "missed",
                                                   "structures", "result"};
  return kNames[static_cast<unsigned>(use)];
}

llvm::json::Value mlir::mirage::search::toJSON(const SearchReport &report) {
  Array rounds;
  for (const SearchRound &round : report.rounds) {
    bool isWrittenOut = round.reading == AtomReading::WrittenOut;
    rounds.push_back(
        Object{{"atoms", isWrittenOut ? "written out" : "functions"},
               {"maxKernels", int64_t(round.maxKernels)},
               {"operators", int64_t(round.numOperators)},
               {"structures", int64_t(round.structures)},
               {"cuts", int64_t(round.cuts)},
               {"complete", round.isComplete},
               {"seconds", round.seconds},
               {"counts", toJSON(round.counts)}});
  }
  return Object{{"cache", getCacheUseName(report.cache)},
                {"rounds", std::move(rounds)},
                {"counts", toJSON(report.counts)},
                {"limits", makeLimits(report.limits)},
                {"outOfStates", report.isOutOfStates},
                {"cuts", static_cast<int64_t>(report.cuts)},
                {"parts", int64_t(report.parts)},
                {"structures", int64_t(report.structures)},
                {"verified", int64_t(report.verified)},
                {"rejected", int64_t(report.rejected)},
                {"filtered", int64_t(report.filtered)},
                {"unstable", int64_t(report.unstable)},
                {"instances", static_cast<int64_t>(report.instances)},
                {"fitting", static_cast<int64_t>(report.fitting)},
                {"recalled", static_cast<int64_t>(report.recalled)},
                {"statesPerSecond", report.seconds > 0
                                        ? report.counts.states / report.seconds
                                        : 0},
                {"baselineUs", report.baselineUs},
                {"bestUs", report.bestUs},
                {"limitUs", report.limitUs},
                {"seconds", report.seconds},
                {"bestSeconds", report.bestSeconds}};
}

SearchReport mlir::mirage::search::withoutTimes(SearchReport report) {
  report.seconds = report.bestSeconds = 0;
  for (SearchRound &round : report.rounds)
    round.seconds = 0;
  return report;
}

llvm::json::Value mlir::mirage::search::toJSON(const SearchOptions &options) {
  Object object{
      {"target", options.target},
      {"max-states", int64_t(options.maxStates)},
      {"pruner", options.pruner.name},
      {"candidates", int64_t(options.numCandidates)},
      {"stages", int64_t(options.stages)},
      {"tile-sizes", getTileSizeChoiceName(options.tileSizes)},
      {"library-kernels", getLibraryKernelsName(options.libraryKernels)},
      {"branch-and-bound", options.cutsKernels},
      {"time-limit-s", int64_t(options.timeLimitS)},
      {"seed", int64_t(options.seed)},
      {"shard", toString(options.shard)},
      {"threads", int64_t(getNumThreads(options))}};
  for (unsigned i = 0; i < kNumSpaceLimits; ++i) {
    const SpaceLimitOption &limit = getOption(SpaceLimit(i));
    object[limit.name] = int64_t(options.*limit.value);
  }
  return object;
}

llvm::json::Array
mlir::mirage::search::listLimitsHit(const SearchResult &result) {
  Array names = makeLimits(result.report.limits);
  if (result.report.isOutOfStates)
    names.push_back("max-states");
  if (result.stopReason == StopReason::TimeLimit)
    names.push_back("time-limit-s");
  return names;
}

llvm::json::Value
mlir::mirage::search::toJSON(llvm::ArrayRef<NearMiss> misses) {
  Array array;
  for (const NearMiss &miss : misses)
    array.push_back(Object{{"structure", miss.structure},
                           {"predictedUs", miss.predictedUs},
                           {"why", miss.why}});
  return array;
}
