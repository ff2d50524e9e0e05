//===- Search.cpp - Superoptimizing a tensor program ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Search.h"
#include "Baseline.h"
#include "Mirage/Graph/CanonicalGraph.h"
#include "Mirage/Graph/ComposedOperators.h"
#include "Mirage/Search/ProgramParts.h"
#include "SearchInParts.h"
#include "VisitSum.h"
#include "WholeSearch.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::Error;
using llvm::Expected;

llvm::StringRef mlir::mirage::search::getStopReasonName(StopReason reason) {
  static constexpr llvm::StringLiteral kNames[] = {
      "exhausted",
      "outer products left out",
      "unproved left out",
      "state limit",
      "too many choices of inputs",
      "program's form is too large",
      "time limit",
      "interrupted",
      "nothing to search"};
  return kNames[static_cast<unsigned>(reason)];
}

bool mlir::mirage::search::dependsOnTime(StopReason reason) {
  return reason == StopReason::TimeLimit || reason == StopReason::Interrupted;
}

const Graph &SearchResult::getBest() const {
  bool isBetter =
      !candidates.empty() && candidates.front().predictedUs < report.baselineUs;
  return isBetter ? candidates.front().graph : baseline;
}

void SearchResult::addNearMiss(NearMiss miss) {
  auto isNearer = [](const NearMiss &a, const NearMiss &b) {
    return a.predictedUs < b.predictedUs;
  };
  nearMisses.insert(llvm::upper_bound(nearMisses, miss, isNearer), miss);
  if (nearMisses.size() > kMaxNearMisses)
    nearMisses.pop_back();
}

/// Puts a candidate in its place. \returns false if there are the same kernels.
static bool addCandidate(std::vector<Candidate> &candidates,
                         Candidate candidate) {
  auto getKernels = [](const Candidate &of) {
    return toString(canonicalize(of.graph));
  };
  if (llvm::is_contained(llvm::map_range(candidates, getKernels),
                         getKernels(candidate)))
    return false;
  auto isCheaper = [](const Candidate &a, const Candidate &b) {
    return a.predictedUs < b.predictedUs;
  };
  auto place = llvm::upper_bound(candidates, candidate, isCheaper);
  candidates.insert(place, std::move(candidate));
  return true;
}

/// Adds the result of a search of the program in parts. What is not exhausted
/// of one is not of both.
static void addResult(SearchResult &result, SearchResult inParts,
                      unsigned numCandidates) {
  SearchReport &report = result.report;
  report += inParts.report;
  report.parts = inParts.report.parts;
  report.bestUs = std::min(report.bestUs, inParts.report.bestUs);
  result.stopReason = join(result.stopReason, inParts.stopReason);
  bool isNew = false;
  for (Candidate &candidate : inParts.candidates)
    isNew |= addCandidate(result.candidates, std::move(candidate));
  if (result.candidates.size() > numCandidates)
    result.candidates.resize(numCandidates);
  if (isNew)
    for (NearMiss &miss : inParts.nearMisses)
      result.addNearMiss(std::move(miss));
}

/// Whether the program is worth searching in parts besides: kernels of one
/// piece are all ours, between those of parts there may be a library's.
static bool isForParts(const Graph &program, const Target &target,
                       const SearchOptions &options) {
  if (countOperations(program) > kMaxWholeOperations)
    return true;
  AnalyticCostModel costModel(target, options.stages, options.libraryKernels);
  Expected<Graph> baseline =
      buildBaseline(program, target, options.libraryKernels, costModel);
  if (baseline)
    return callsLibrary(*baseline);
  llvm::consumeError(baseline.takeError());
  return false;
}

/// Whether nothing was found that parts may have: the program is too large, or
/// has too many states, or there are structures and the verifier had an answer
/// to none of those that came first, as where exponentials are nested too deep.
static bool isForPartsAfterAll(const SearchResult &whole) {
  return whole.candidates.empty() &&
         (whole.report.rejected > 0 ||
          whole.stopReason == StopReason::ProgramTooLarge ||
          whole.stopReason == StopReason::StateLimit);
}

/// What has a block graph is a result of a search already.
static Error checkIsUnsearched(const Graph &graph) {
  if (llvm::none_of(graph.getNodes(),
                    [](const Node &node) { return node.body != nullptr; }))
    return Error::success();
  return llvm::createStringError(
      "expects operations alone, got a kernel that has a block graph");
}

static Expected<SearchResult> searchProgram(const Graph &graph,
                                            const SearchOptions &options) {
  if (Error error = checkOptions(options))
    return std::move(error);
  if (Error error = checkIsUnsearched(graph))
    return std::move(error);
  Expected<Target> target = getTarget(options.target);
  if (!target)
    return target.takeError();
  // In canonical form, so that a program has one result however it is written.
  Graph program = canonicalize(expandComposed(graph));
  bool mayCut = options.cutsProgram && countOperations(program) > 1;
  bool isInParts = mayCut && isForParts(program, *target, options);
  SearchClock clock(options.timeLimitS);
  SearchSequence sequence(options);
  Expected<SearchResult> whole = superoptimizeWhole(
      program, *target, sequence.makeOptions(),
      isInParts ? clock.startHalf() : clock, MergedFactors::All);
  // A shard judges nothing, so that it cannot know what is asked of parts after
  // all; who joins the shards does.
  bool isWhole = options.shard.isWhole();
  if (!mayCut ||
      (whole && !isInParts && !(isWhole && isForPartsAfterAll(*whole))))
    return whole;
  // As many kernels are ours as may be in one piece, where that may have any.
  std::optional<unsigned> maxKernels;
  if (whole && !whole->candidates.empty() &&
      countOperations(program) <= kMaxWholeOperations)
    maxKernels = options.maxKernels;
  if (whole)
    sequence.end(whole->report);
  auto *searchParts = isWhole ? superoptimizeInParts : enumeratePartsOfShard;
  Expected<SearchResult> inParts =
      searchParts(program, *target, sequence.makeOptions(), clock, maxKernels);
  if (!inParts) { // then nor is the whole
    llvm::consumeError(inParts.takeError());
    return whole;
  }
  if (!whole) {
    llvm::consumeError(whole.takeError());
    return inParts;
  }
  // What is asked of parts after all is something better.
  if (!isInParts && inParts->report.bestUs >= inParts->report.baselineUs)
    inParts->candidates.clear();
  addResult(*whole, std::move(*inParts), options.numCandidates);
  return whole;
}

/// Whether no operator could be added to anything, and not for want of time.
/// (One reading of the program may be too large where the other had nothing
/// within the limits.)
static bool hadNothing(const SearchResult &result) {
  bool isAll = result.stopReason == StopReason::Exhausted ||
               result.stopReason == StopReason::Unproved ||
               (result.stopReason == StopReason::ProgramTooLarge &&
                result.report.limits.any());
  return isAll && result.report.counts.states == 0;
}

Expected<SearchResult>
mlir::mirage::search::superoptimize(const Graph &graph,
                                    const SearchOptions &options) {
  Expected<SearchResult> result = searchProgram(graph, options);
  if (result && options.shard.isWhole() && hadNothing(*result))
    result->stopReason = StopReason::NothingToSearch;
  return result;
}
