//===- SearchInParts.cpp - Superoptimizing a program part by part ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchInParts.h"
#include "Baseline.h"
#include "CandidateJudge.h"
#include "Mirage/Graph/CanonicalGraph.h"
#include "Mirage/Graph/GraphJSON.h"
#include "Mirage/Search/ProgramParts.h"
#include "Mirage/Verify/SmallerSizes.h"
#include "VisitSum.h"
#include "WholeSearch.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <map>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::Error;
using llvm::Expected;

/// Whether a graph has two products, and one of them depends on the other.
static bool hasProductOfProduct(const Graph &graph) {
  llvm::BitVector depends(graph.getNumValues(), false); // on a product
  unsigned numProducts = 0;
  bool meets = false;
  for (const Node &node : graph.getNodes()) {
    bool isProduct =
        getOperatorInfo(node.opcode).kind == OperatorKind::Contraction;
    bool isBehind = llvm::any_of(
        node.operands, [&](ValueId operand) { return depends[operand]; });
    numProducts += isProduct;
    meets |= isProduct && isBehind;
    for (ValueId result : node.results)
      depends[result] = isProduct || isBehind;
  }
  return meets && numProducts == 2;
}

namespace {
class PartSearcher {
public:
  PartSearcher(const Graph &program, const Target &target,
               const SearchOptions &options, const SearchClock &clock,
               std::optional<unsigned> maxKernels)
      : program(program), target(target),
        costModel(target, options.stages, options.libraryKernels),
        options(makePartOptions(options)), mostKernels(options.maxKernels),
        judge(options.verify, options.seed,
              [this] {
                noteProgress();
                return judging.isOver(isInterrupted());
              }),
        clock(clock), judging(clock), maxKernels(maxKernels) {}

  Expected<SearchResult> run() {
    if (Error error = begin())
      return std::move(error);
    PartLimits limits = makeLimits();
    std::optional<PartChoice> choice = choose(limits);
    if (!isBetter(choice)) {
      limits.storesAll = true;
      choice = choose(limits);
    }
    if (choice)
      addCandidate(*choice);
    if (maxKernels)
      noteKernels(choice);
    result.report.seconds = own.getSeconds();
    return std::move(result);
  }

  /// Parts that are alike are one shard's. Those that are asked for only where
  /// these bring nothing are left to whoever joins the shards.
  Expected<SearchResult> enumerate(const Shard &shard) {
    if (Error error = begin())
      return std::move(error);
    findParts(makeLimits());
    options.cache = nullptr; // it may have results, and the checkpoint none
    for (auto [number, text] : llvm::enumerate(texts))
      if (shard.has(llvm::xxh3_64bits(text)))
        getBest(number);
    result.report.seconds = own.getSeconds();
    return std::move(result);
  }

private:
  Error begin() {
    Expected<Graph> baseline =
        buildBaseline(program, target, options.libraryKernels, costModel);
    if (!baseline)
      return baseline.takeError();
    result.baseline = std::move(*baseline);
    SearchReport &report = result.report;
    report.baselineUs = report.bestUs = costModel.estimateUs(result.baseline);
    report.limitUs = getStreamingLimitUs(target, program);
    return Error::success();
  }

  PartLimits makeLimits() const {
    PartLimits limits;
    limits.storesFactors = callsLibrary(result.baseline);
    return limits;
  }

  /// The best that there is for a part.
  struct Best {
    Claim claim;
    double us = 0;
    bool isJudged = false;
  };

  void findParts(const PartLimits &limits) {
    parts = enumerateParts(program, limits);
    result.report.parts = parts.size();
    texts.clear();
    for (const ProgramPart &part : parts)
      texts.push_back(describe(part));
    isSeen.clear();
    isSeen.resize(parts.size());
  }

  /// The cheapest parts that are right.
  std::optional<PartChoice> choose(const PartLimits &limits) {
    findParts(limits);
    std::optional<PartChoice> choice;
    do
      choice = chooseParts(
          program, parts, [&](unsigned part) { return getCost(part); },
          maxKernels);
    while (choice && !judgeParts(*choice));
    return choice;
  }

  bool isBetter(const std::optional<PartChoice> &choice) {
    return choice &&
           costModel.estimateUs(join(*choice)) < result.report.baselineUs;
  }

  Graph join(const PartChoice &choice) {
    return joinParts(program, parts, choice.parts,
                     [&](unsigned number) -> const Graph & {
                       return getBest(number)->claim.graph;
                     });
  }

  /// What is known of a part by now; of one operation, that is something.
  const std::optional<Best> &getKnown(unsigned number) {
    auto found = bests.find(texts[number]);
    if (found != bests.end() && found->second)
      return found->second;
    return getBaseline(number);
  }

  /// What the program takes of what is known by now, which is what it takes if
  /// the search is interrupted and all of that is right.
  double predictKnown() {
    std::optional<PartChoice> choice = chooseParts(
        program, parts,
        [&](unsigned number) -> std::optional<PartCost> {
          const std::optional<Best> &known = getKnown(number);
          return known ? std::optional(getCost(*known)) : std::nullopt;
        },
        maxKernels);
    if (!choice)
      return result.report.baselineUs;
    Graph graph = joinParts(program, parts, choice->parts,
                            [&](unsigned number) -> const Graph & {
                              return getKnown(number)->claim.graph;
                            });
    return std::min(result.report.baselineUs, costModel.estimateUs(graph));
  }

  /// The same, but for what was found since, where many choices of parts take
  /// long to compare.
  double getKnownUs() {
    constexpr double kShare = 20; // of the time of the search
    if (!knownUs || (isOld && own.getSeconds() >= isOldUntil)) {
      SearchClock clock;
      knownUs = predictKnown();
      isOld = false;
      isOldUntil = own.getSeconds() + kShare * clock.getSeconds();
    }
    return *knownUs;
  }

  /// Whether more kernels would take less, of parts that have been searched.
  void noteKernels(const std::optional<PartChoice> &choice) {
    std::optional<PartChoice> any = chooseParts(
        program, parts,
        [&](unsigned part) -> std::optional<PartCost> {
          auto known = bests.find(texts[part]);
          if (known == bests.end() || !known->second)
            return std::nullopt;
          return getCost(*known->second);
        },
        std::nullopt);
    if (any && *maxKernels < getOption(SpaceLimit::Kernels).most &&
        (!choice || any->us < choice->us))
      result.report.limits.add(SpaceLimit::Kernels);
  }

  /// One kernel for each part: what several would do, several parts do; but see
  /// `mayHaveTwoKernels`.
  static SearchOptions makePartOptions(SearchOptions options) {
    options.cutsProgram = false;
    options.shard = {}; // a part is one shard's as a whole
    options.maxKernels = 1;
    options.numCandidates = 1;
    // There may be hundreds of parts.
    constexpr uint64_t kShareOfPart = 25;
    options.maxStates = llvm::divideCeil(options.maxStates, kShareOfPart);
    return options;
  }

  /// Where one product goes into another one, as in attention, one kernel may
  /// compute parts over what the second one sums up, and another one join them
  /// and do the rest: no part ends between these. More products are too many
  /// for the states of a part; and a program that has as many kernels in parts
  /// as in one piece has been searched for both.
  bool mayHaveTwoKernels(const Graph &part) const {
    return !maxKernels && mostKernels > 1 && hasProductOfProduct(part);
  }

  std::optional<PartCost> getCost(unsigned number) {
    const std::optional<Best> &best = getBest(number);
    if (!best)
      return std::nullopt;
    return getCost(*best);
  }

  /// Every kernel but one comes after another one.
  PartCost getCost(const Best &best) const {
    PartCost cost;
    cost.us =
        best.us +
        (hasKernels(best.claim.graph) ? costModel.getFurtherKernelUs() : 0);
    cost.numKernels =
        llvm::count_if(best.claim.graph.getNodes(),
                       [](const Node &node) { return node.body != nullptr; });
    return cost;
  }

  /// Not only views.
  static bool hasKernels(const Graph &graph) {
    return callsLibrary(graph) ||
           llvm::any_of(graph.getNodes(),
                        [](const Node &node) { return node.body != nullptr; });
  }

  static std::string describe(const ProgramPart &part) {
    std::string text;
    llvm::raw_string_ostream(text) << mlir::mirage::toJSON(part.graph);
    return text;
  }

  /// Parts that are alike are searched once.
  std::optional<Best> &getBest(unsigned number) {
    if (!isSeen.test(number))
      numSeen = std::max<unsigned>(numSeen, isSeen.set(number).count());
    auto [entry, isNew] = bests.try_emplace(texts[number]);
    if (isNew) {
      entry->second = findBest(number, /*isJudged=*/false);
      isOld = true;
    }
    return entry->second;
  }

  /// Few parts are chosen, and only these are judged. \returns whether all are
  /// right; for one that is not there is another now, or none, so that another
  /// choice may be better.
  bool judgeParts(const PartChoice &choice) {
    bool areRight = true;
    for (unsigned number : choice.parts) {
      std::optional<Best> &best = getBest(number);
      if (!best || best->isJudged) // one like it came before
        continue;
      if (isRight(best->claim)) {
        best->isJudged = true;
        continue;
      }
      areRight = false;
      best = findBest(number, /*isJudged=*/true);
      isOld = true;
    }
    return areRight;
  }

  bool isRight(const Claim &claim) {
    CandidateJudge::Ruling ruling = judge.judge(claim.testPairs).ruling;
    bool isEqual = ruling == CandidateJudge::Ruling::Equal;
    if (ruling == CandidateJudge::Ruling::OutOfTime)
      return !isToEnd(); // which notes the reason
    result.report.verified += isEqual;
    result.report.rejected += !isEqual;
    result.report.filtered += ruling == CandidateJudge::Ruling::Filtered;
    result.report.unstable += ruling == CandidateJudge::Ruling::Unstable;
    return isEqual;
  }

  std::optional<Best> findBest(unsigned number, bool isJudged) {
    const Graph &part = parts[number].graph;
    unsigned size = countOperations(part);
    std::optional<Best> best;
    if (size <= 1)
      best = getBaseline(number);
    if (size == 0) // a view, a cast or a broadcast
      return best;
    if (size > 1 && isToEnd())
      return best;
    noteProgress();
    SearchOptions partOptions = options;
    if (options.onProgress)
      partOptions.onProgress = [this](const SearchProgress &ofPart) {
        noteProgress(ofPart);
      };
    partOptions.judgesCandidates = isJudged;
    if (mayHaveTwoKernels(part))
      partOptions.maxKernels = 2;
    Expected<SearchResult> found = superoptimizeWhole(
        canonicalize(part), target, partOptions, clock, MergedFactors::Whole);
    if (!found) {
      llvm::consumeError(found.takeError());
      return best;
    }
    addReport(*found);
    for (Candidate &candidate : found->candidates)
      if (!best || candidate.predictedUs < best->us)
        best = Best{std::move(candidate.claims[0]), candidate.predictedUs,
                    isJudged};
    if (!best && isJudged) // nothing that was found was right
      best = makeBaseline(part);
    return best;
  }

  /// Whether nothing more is to be searched, with the reason noted.
  bool isToEnd() {
    bool interrupted = isInterrupted();
    if (!interrupted && !clock.isOut())
      return false;
    result.stopReason =
        search::join(result.stopReason, interrupted ? StopReason::Interrupted
                                                    : StopReason::TimeLimit);
    return true;
  }
  bool isInterrupted() const {
    return options.isInterrupted && options.isInterrupted();
  }

  /// \param ofPart  how far the search of a part is, beside those before it.
  void noteProgress(const SearchProgress &ofPart = {}) {
    double seconds = own.getSeconds();
    if (!options.onProgress || seconds < notedAt + kProgressIntervalS)
      return;
    SearchProgress progress;
    progress.seconds = clock.getSeconds();
    progress.part = numSeen;
    progress.numParts = std::max<size_t>(numSeen, parts.size());
    progress.states = ofPart.states;
    progress.structures = ofPart.structures;
    visits.add(progress);
    progress.statesPerSecond = progress.states / seconds;
    progress.baselineUs = result.report.baselineUs;
    progress.bestUs = getKnownUs();
    progress.timeLimitS = options.timeLimitS;
    options.onProgress(progress);
    notedAt = own.getSeconds(); // whoever is told may take a while
  }

  /// Of parts of one operation at the most.
  const std::optional<Best> &getBaseline(unsigned number) {
    auto [entry, isNew] = baselines.try_emplace(texts[number]);
    if (isNew && countOperations(parts[number].graph) <= 1)
      entry->second = makeBaseline(parts[number].graph);
    return entry->second;
  }

  std::optional<Best> makeBaseline(const Graph &part) {
    Expected<Graph> baseline =
        buildBaseline(part, target, options.libraryKernels, costModel);
    if (!baseline) {
      llvm::consumeError(baseline.takeError());
      return std::nullopt;
    }
    Best best;
    best.isJudged = true; // by the final test
    best.us = hasKernels(*baseline) ? costModel.estimateUs(*baseline) : 0;
    best.claim.program = part;
    best.claim.graph = std::move(*baseline);
    Expected<SmallerGraphs> small = withSmallerSizes(part, best.claim.graph);
    if (small)
      best.claim.testPairs.push_back(
          {std::move(small->lhs), std::move(small->rhs)});
    else
      llvm::consumeError(small.takeError()); // judged at its own sizes alone
    return best;
  }

  void addReport(const SearchResult &part) {
    visits.end(part.report);
    result.report += part.report;
    // It is of one kernel by intention.
    result.report.limits.remove(SpaceLimit::Kernels);
    result.stopReason = search::join(result.stopReason, part.stopReason);
  }

  /// The operations of each part: "parts: matmul exp; matmul".
  std::string describe(const PartChoice &choice) const {
    std::string text;
    for (unsigned number : choice.parts) {
      text += text.empty() ? "parts:" : ";";
      for (const Node &operation : parts[number].graph.getNodes())
        text += " " + getOperatorInfo(operation.opcode).name.str();
    }
    return text;
  }

  void addCandidate(const PartChoice &choice) {
    Candidate candidate;
    candidate.graph = join(choice);
    llvm::cantFail(verify(candidate.graph), "parts are well formed");
    candidate.predictedUs = costModel.estimateUs(candidate.graph);
    for (unsigned number : choice.parts)
      candidate.claims.push_back(getBest(number)->claim);
    SearchReport &report = result.report;
    report.bestUs = std::min(report.baselineUs, candidate.predictedUs);
    if (candidate.predictedUs >= report.baselineUs)
      result.addNearMiss({describe(choice), candidate.predictedUs,
                          "is no cheaper than the operators one by one"});
    result.candidates.push_back(std::move(candidate));
  }

  const Graph &program;
  const Target &target;
  AnalyticCostModel costModel;
  SearchOptions options;
  unsigned mostKernels; ///< of a result in one piece
  CandidateJudge judge;
  const SearchClock &clock;
  JudgingClock judging;
  std::optional<unsigned> maxKernels;
  SearchClock own;
  double notedAt = 0; ///< by its own clock
  VisitSum visits;    ///< of the parts
  std::vector<ProgramPart> parts;
  std::vector<std::string> texts; ///< by part: those of one text are alike
  std::map<std::string, std::optional<Best>> bests;     ///< by the part's text
  std::map<std::string, std::optional<Best>> baselines; ///< likewise
  /// Parts that were asked about, of those that there are, and how many were
  /// with other limits, if these were more.
  llvm::BitVector isSeen;
  unsigned numSeen = 0;
  std::optional<double> knownUs; ///< as predictKnown had it last
  bool isOld = false;            ///< more is known by now
  double isOldUntil = 0;         ///< by its own clock, at least
  SearchResult result;
};
} // namespace

Expected<SearchResult> mlir::mirage::search::superoptimizeInParts(
    const Graph &program, const Target &target, const SearchOptions &options,
    const SearchClock &clock, std::optional<unsigned> maxKernels) {
  return PartSearcher(program, target, options, clock, maxKernels).run();
}

Expected<SearchResult> mlir::mirage::search::enumeratePartsOfShard(
    const Graph &program, const Target &target, const SearchOptions &options,
    const SearchClock &clock, std::optional<unsigned> maxKernels) {
  return PartSearcher(program, target, options, clock, maxKernels)
      .enumerate(options.shard);
}
