//===- WholeSearch.cpp - All structures of a program ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WholeSearch.h"
#include "Baseline.h"
#include "CandidateChooser.h"
#include "CandidatePool.h"
#include "Mirage/Search/RewrittenProgram.h"
#include "Mirage/Search/Stabilizers.h"
#include "Mirage/Search/TextHash.h"
#include "Mirage/Verify/SmallerSizes.h"
#include "SearchCache.h"
#include "VisitSum.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <set>
#include <thread>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::Error;
using llvm::Expected;

namespace {
class Searcher {
public:
  /// \param original   what costs are compared with.
  /// \param rewritten  its body is the program, or what the program was before
  ///                   its maxima were removed.
  Searcher(TargetProgram program, const Graph &original,
           const RewrittenProgram &rewritten, Target target,
           const SearchOptions &options, const SearchClock &clock)
      : program(std::move(program)), original(original), target(target),
        options(options),
        costModel(this->target, options.stages, options.libraryKernels),
        chooser(this->program, original, rewritten, options,
                [this] { return isJudgingOver(); }),
        cache(this->program, original, rewritten.body, options), clock(clock),
        judging(clock), numKept(options.numCandidates) {
    startSizing();
  }

  Expected<SearchResult> run() {
    Expected<Graph> baseline =
        buildBaseline(original, target, options.libraryKernels, costModel);
    if (!baseline)
      return baseline.takeError();
    result.baseline = std::move(*baseline);
    result.report.baselineUs = costModel.estimateUs(result.baseline);
    result.report.limitUs = getStreamingLimitUs(target, program.graph);
    noteProgress();
    if (!isPart() && recallResult())
      noteBest();
    else
      search();
    if (Error error = writeCheckpoint())
      return std::move(error);
    result.report.seconds = own.getSeconds();
    result.report.bestSeconds = bestSeconds;
    return std::move(result);
  }

private:
  /// Of a search that is shared out: there is nothing to choose from.
  bool isPart() const { return !options.shard.isWhole(); }

  void search() {
    uint64_t usedBefore = getNumRecalled();
    if (options.cache && !isPart())
      result.report.cache =
          cache.findItems(items) ? CacheUse::Structures : CacheUse::Missed;
    explore();
    result.report.recalled = getNumRecalled() - usedBefore;
    result.report.structures = seen.size();
    if (!isPart()) { // there, sizes were for bounds on costs alone
      choose();
      cache.keep(items, result.stopReason);
    }
    if (result.report.counts.pruned[unsigned(PruneReason::OuterProduct)] > 0)
      stop(StopReason::OuterProducts);
    if (options.pruner.mayDropMore &&
        result.report.counts.pruned[unsigned(PruneReason::Expression)] > 0)
      stop(StopReason::Unproved);
    if (!isPart())
      cache.keep(result);
    noteBest();
  }

  /// Structures have their sizes; the cheapest are judged.
  void choose() {
    endSizing();
    verify();
    while (mayLackSome() && chooser.canJudge() && !isToEnd()) {
      constexpr unsigned kGrowth = 4;
      numKept = std::max(kGrowth * numKept, 2 * result.report.rejected);
      startSizing();
      exploreAgain();
      endSizing();
      verify();
    }
  }

  /// Whoever is rejected leaves a place, perhaps to somebody who was cut off.
  bool mayLackSome() const {
    return result.candidates.size() < options.numCandidates
               ? std::isfinite(pool->getLimitUs())
               : result.candidates.back().predictedUs > pool->getLimitUs();
  }

  void verify() {
    chooser.choose(result,
                   [this](const Candidate *best, const Candidate &next) {
                     judgedUs = best ? best->predictedUs : next.predictedUs;
                     return goesOn(/*hasSome=*/best != nullptr);
                   });
    if (chooser.isOutOfTime())
      stopEarly();
  }

  /// With a higher limit; the report is of this walk alone.
  void exploreAgain() {
    walkedBefore += result.report.counts.states;
    walked = 0;
    seen.clear();
    result.report.counts = {};
    result.report.cuts = 0;
    result.report.rounds.clear();
    result.report.limits = {};
    result.report.isOutOfStates = false;
    result.report.instances = result.report.fitting = 0;
    bestSeconds = 0;
    if (result.candidates.empty())
      judgedUs.reset();
    result.stopReason = StopReason::Exhausted;
    explore();
    result.report.structures = seen.size();
  }

  /// What was chosen, in the place of searching.
  bool recallResult() {
    std::optional<SearchResult> found = cache.findResult();
    if (!found)
      return false;
    recallReport(std::move(found->report));
    result.stopReason = found->stopReason;
    result.candidates = std::move(found->candidates);
    result.nearMisses = std::move(found->nearMisses);
    for (Candidate &candidate : result.candidates)
      chooser.finish(candidate);
    return true;
  }

  /// But for what is predicted of the program, which is there.
  void recallReport(SearchReport report) {
    report.cache = CacheUse::Result;
    report.baselineUs = result.report.baselineUs;
    report.limitUs = result.report.limitUs;
    result.report = std::move(report);
  }

  bool isInterrupted() const {
    return options.isInterrupted && options.isInterrupted();
  }
  /// Whoever has reason to ask is in the midst of something that takes time.
  bool isToEnd() {
    if (std::this_thread::get_id() == thread)
      noteProgress();
    return clock.isOut() || isInterrupted();
  }
  /// Of candidates, on the thread that searches.
  bool isJudgingOver() {
    noteProgress();
    return judging.isOver(isInterrupted());
  }
  bool stop(StopReason reason) {
    result.stopReason = join(result.stopReason, reason);
    return false;
  }
  bool stopEarly() {
    return stop(isInterrupted() ? StopReason::Interrupted
                                : StopReason::TimeLimit);
  }

  /// False, with the reason noted, once the search is to end and there is
  /// something to return; the cheapest of what was found is judged as long as
  /// there is time for that.
  bool goesOn(bool hasSome) {
    return !(hasSome ? isToEnd() : isJudgingOver()) || stopEarly();
  }

  //===--------------------------------------------------------------------===//
  // What others see while the search runs
  //===--------------------------------------------------------------------===//

  uint64_t getNumRecalled() const {
    return options.checkpoint ? options.checkpoint->getNumUsedOfOthers() : 0;
  }
  Error writeCheckpoint() {
    return options.checkpoint ? options.checkpoint->write() : Error::success();
  }

  void noteProgress(const WalkProgress &walk) {
    progress.maxKernels = walk.maxKernels;
    progress.numOperators = walk.numOperators;
    walked = result.report.counts.states + walk.states;
    progress.walkStates = walk.states;
    progress.maxStates = walk.maxStates;
    noteProgress();
  }

  void noteProgress() {
    double seconds = own.getSeconds();
    if (notedAt && seconds < *notedAt + kProgressIntervalS)
      return;
    // Whoever is told may take a while.
    llvm::scope_exit note([this] { notedAt = own.getSeconds(); });
    // It is tried again later, and in the end.
    if (options.checkpoint)
      llvm::consumeError(options.checkpoint->writeIfDue());
    if (!options.onProgress)
      return;
    progress.seconds = clock.getSeconds();
    progress.states = std::max(progress.states, walkedBefore + walked);
    progress.statesPerSecond = seconds > 0 ? progress.states / seconds : 0;
    progress.structures = std::max<uint64_t>(progress.structures, seen.size());
    progress.timeLimitS = options.timeLimitS;
    progress.baselineUs = result.report.baselineUs;
    progress.bestUs =
        std::min(progress.baselineUs, judgedUs ? *judgedUs : pool->getBestUs());
    options.onProgress(progress);
  }

  //===--------------------------------------------------------------------===//
  // Sizes
  //===--------------------------------------------------------------------===//

  void startSizing() {
    CandidatePool::Limits limits;
    limits.numCandidates = options.numCandidates;
    limits.numKept = numKept;
    limits.cuts = options.cutsInstances;
    limits.cutsTilings = options.cutsInstances;
    limits.tileSizes = options.tileSizes;
    limits.numThreads = getNumThreads(options);
    limits.isToEnd = [this] { return isToEnd(); };
    pool.emplace(program, costModel, std::move(limits));
  }

  void sizeWaiting() {
    while (!pool->isEmpty()) {
      double before = pool->getBestUs();
      if (!pool->sizeBatch())
        stopEarly();
      if (pool->getBestUs() < before)
        bestSeconds = own.getSeconds();
      noteProgress();
    }
  }

  void endSizing() {
    sizeWaiting();
    result.candidates = pool->takeRanked();
    result.report.instances += pool->getNumTried();
    result.report.fitting += pool->getNumFitting();
  }

  /// Structures of one number of kernels, or of several.
  struct Walk {
    ExplorationLimits limits;
    uint64_t states = 0; ///< that were used
    bool hasOtherReading = false;
  };

  /// What was read as an atom is searched as such first, then written out; of
  /// both, one kernel first, then several.
  void explore() {
    ExplorationLimits one, several;
    one.maxBlockOps = one.maxOps = options.maxBlockOps;
    several.minKernels = 2;
    several.maxKernels = options.maxKernels;
    several.maxBlockOps = options.maxBlockOps;
    several.maxOps = options.maxOps;
    llvm::SmallVector<Walk, 2> walks = {{one}};
    if (options.maxKernels > 1)
      walks.push_back({several});
    for (Walk &walk : walks)
      walk.hasOtherReading =
          explore(AtomReading::Function, options.maxStates, walk);
    for (Walk &walk : walks)
      if (walk.hasOtherReading && walk.states < options.maxStates)
        exploreWrittenOut(walk);
  }

  void exploreWrittenOut(Walk &walk) {
    constexpr uint64_t kShareWrittenOut = 20;
    explore(AtomReading::WrittenOut,
            std::min(options.maxStates - walk.states,
                     llvm::divideCeil(options.maxStates, kShareWrittenOut)),
            walk);
  }

  /// Of the walk, for the search to be seen, ended and kept.
  ExplorationLimits makeLimits(const Walk &walk, uint64_t maxStates) {
    ExplorationLimits limits = walk.limits;
    limits.maxStates = maxStates;
    limits.maxGridAxes = options.maxGridAxes;
    limits.joins = {options.allowSummedOutputs, options.allowGridAccumulates};
    limits.pruner = options.pruner;
    limits.numThreads = getNumThreads(options);
    limits.isOutOfTime = [this] { return isToEnd(); };
    limits.onProgress = [this](const WalkProgress &walk) {
      noteProgress(walk);
    };
    if (options.checkpoint)
      limits.records.push_back(options.checkpoint);
    if (options.cache && !isPart())
      limits.records.push_back(&items);
    limits.programHash = cache.getProgramHash();
    limits.shard = options.shard;
    if (options.cutsKernels && options.cutsInstances)
      limits.costModel = &costModel;
    limits.getLimitUs = [this] {
      sizeWaiting();
      return pool->getLimitUs();
    };
    return limits;
  }

  /// \returns whether the other reading is worth a search of its own.
  bool explore(AtomReading reading, uint64_t maxStates, Walk &walk) {
    if (isToEnd())
      return stopEarly();
    Explorer explorer(program, reading, makeLimits(walk, maxStates));
    if (!explorer.isSearchable()) {
      stop(StopReason::ProgramTooLarge);
      return reading == AtomReading::Function;
    }
    Explorer::Stop why =
        explorer.run([&](const Structure &structure, double leastUs) {
          return keep(structure, leastUs);
        });
    addRounds(explorer, walk);
    switch (why) {
    case Explorer::Stop::Exhausted:
      return explorer.hasAtoms();
    case Explorer::Stop::StateLimit:
      result.report.isOutOfStates = true;
      return stop(StopReason::StateLimit);
    case Explorer::Stop::TooManyReads:
      return stop(StopReason::TooManyReads);
    case Explorer::Stop::OutOfTime:
      return stopEarly();
    }
    return false;
  }

  void addRounds(const Explorer &explorer, Walk &walk) {
    for (const SearchRound &round : explorer.getRounds()) {
      result.report.counts += round.counts;
      result.report.cuts += round.cuts;
      walk.states += round.counts.states;
      result.report.rounds.push_back(round);
    }
    noteLimits(explorer.getLimitsHit(), walk.limits.maxKernels);
  }

  /// A walk of one kernel is not all that there is of kernels.
  void noteLimits(SpaceLimits limits, unsigned maxKernels) {
    if (maxKernels < options.maxKernels)
      limits.remove(SpaceLimit::Kernels);
    result.report.limits |= withoutLargest(limits, options);
  }

  /// Whether the structure is new, can be built and is still of use.
  bool keep(const Structure &structure, double leastUs) {
    if (pool->isOver())
      return false;
    if (program.isStripped && !planKernels(program, structure))
      return false;
    if (!seen.insert(hashText(toString(structure))).second)
      return false;
    if (options.onStructure)
      options.onStructure(program, structure);
    pool->add(structure, leastUs);
    if (pool->isFull())
      sizeWaiting();
    return true;
  }

  void noteBest() {
    result.report.bestUs = result.report.baselineUs;
    if (!result.candidates.empty())
      result.report.bestUs =
          std::min(result.report.baselineUs, result.candidates[0].predictedUs);
  }

  TargetProgram program;
  const Graph &original;
  Target target;
  const SearchOptions &options;
  AnalyticCostModel costModel;
  CandidateChooser chooser;
  SearchCache cache;
  const SearchClock &clock; ///< until when it may go on
  JudgingClock judging;
  SearchClock own; ///< since when it goes on
  const std::thread::id thread = std::this_thread::get_id();
  double bestSeconds = 0; ///< until the cheapest structure had its sizes
  unsigned numKept;       ///< structures whose costs no limit is below
  std::optional<CandidatePool> pool;
  SearchProgress progress;
  /// States of the walks that the report is of, and of those before them.
  uint64_t walked = 0, walkedBefore = 0;
  std::optional<double> notedAt; ///< by its own clock
  /// What the cheapest candidate takes that is right, or is being judged.
  std::optional<double> judgedUs;
  std::set<TextHash> seen; ///< structures
  KeptItems items;         ///< for a cache to keep
  SearchResult result;
};
} // namespace

/// The program without maxima that its exponentials do not need, if it equals
/// the program at smaller sizes.
static std::optional<TargetProgram> stripProgram(const Graph &program,
                                                 const SearchOptions &options,
                                                 const SearchClock &clock) {
  std::optional<Graph> stripped = removeStabilizers(program);
  if (!stripped)
    return std::nullopt;
  Expected<SmallerGraphs> small = withSmallerSizes(program, *stripped);
  if (!small) {
    llvm::consumeError(small.takeError());
    return std::nullopt;
  }
  auto isToEnd = [&] {
    return clock.isOut() || (options.isInterrupted && options.isInterrupted());
  };
  if (!makeFieldVerifier(options.seed, isToEnd)(small->lhs, small->rhs))
    return std::nullopt;
  Expected<TargetProgram> target = makeTargetProgram(*stripped);
  if (!target) {
    llvm::consumeError(target.takeError());
    return std::nullopt;
  }
  target->isStripped = true;
  return std::move(*target);
}

/// Whether kernels of its own for a maximum, and for the sum, may be what a
/// program takes that has been searched without the maximum: rows, without
/// products, that one kernel cannot hold, or only in narrow tiles. Where there
/// are products these kernels would leave all of them in device memory.
static bool mayKeepMaxima(const Graph &program, const SearchReport &stripped) {
  constexpr double kNarrow = 4;
  return stripped.bestUs > kNarrow * stripped.limitUs &&
         llvm::none_of(program.getNodes(), [](const Node &node) {
           return getOperatorInfo(node.opcode).kind ==
                  OperatorKind::Contraction;
         });
}

/// Of two searches of one program, the second one as long as the first may be.
static SearchResult takeBetter(SearchResult first, SearchResult second) {
  bool isSecond = second.report.bestUs < first.report.bestUs;
  SearchResult &better = isSecond ? second : first,
               &other = isSecond ? first : second;
  better.stopReason = join(better.stopReason, other.stopReason);
  better.report += other.report;
  return std::move(better);
}

Expected<SearchResult> mlir::mirage::search::superoptimizeWhole(
    const Graph &program, const Target &target, const SearchOptions &options,
    const SearchClock &clock, MergedFactors which) {
  Expected<RewrittenProgram> rewritten = rewriteForSearch(program, which);
  if (!rewritten)
    return rewritten.takeError();
  auto search = [&](TargetProgram named, const SearchOptions &own) {
    return Searcher(std::move(named), program, *rewritten, target, own, clock)
        .run();
  };
  std::optional<TargetProgram> stripped =
      stripProgram(rewritten->body, options, clock);
  std::optional<SearchResult> found;
  SearchSequence sequence(options);
  SearchOptions own = sequence.makeOptions();
  if (stripped) {
    Expected<SearchResult> result = search(std::move(*stripped), own);
    if (!result || !options.shard.isWhole() ||
        !mayKeepMaxima(program, result->report))
      return result;
    found = std::move(*result);
    sequence.end(found->report);
    constexpr uint64_t kShareOfMaxima = 20;
    own.maxStates = llvm::divideCeil(options.maxStates, kShareOfMaxima);
  }
  Expected<TargetProgram> named = makeTargetProgram(rewritten->body);
  if (!named && !found)
    return named.takeError();
  if (!named) {
    llvm::consumeError(named.takeError());
    return std::move(*found);
  }
  Expected<SearchResult> result = search(std::move(*named), own);
  if (!found)
    return result;
  if (!result) {
    llvm::consumeError(result.takeError());
    return std::move(*found);
  }
  return takeBetter(std::move(*found), std::move(*result));
}
