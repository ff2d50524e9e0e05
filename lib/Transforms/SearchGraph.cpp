//===- SearchGraph.cpp - Superoptimizing a kernel graph -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Transforms/SearchGraph.h"
#include "FinalTest.h"
#include "MeasuredRanking.h"
#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Planning/Target.h"
#include "Mirage/Transforms/CandidateFunctions.h"
#include "RecordProgram.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace mlir;
using namespace mlir::mirage;

namespace {
/// The phases of searching one graph.
class GraphSearcher {
public:
  GraphSearcher(kernel::GraphOp op, const SearchGraphOptions &options)
      : op(op), options(options) {}

  FailureOr<SearchGraphResult> run() {
    if (llvm::Error error = checkOptions(options))
      return op.emitError() << llvm::toString(std::move(error));
    FailureOr<Graph> program = readKernelGraph(op);
    if (failed(program))
      return failure();
    llvm::Expected<Target> target = getTarget(options.search.target);
    if (!target)
      return op.emitError() << llvm::toString(target.takeError());
    if (llvm::Error error = checkTimes(options.times, options.search.target))
      return op.emitError() << llvm::toString(std::move(error));
    std::optional<Tested> best = search(*program, options.search.cache);
    // What is in a cache may be somebody's mistake.
    if (hasFailedTest && isRecalled(result.search.report)) {
      best.reset(); // it points into the result
      result = SearchGraphResult();
      best = search(*program, /*cache=*/nullptr);
    }
    if (best)
      take(std::move(*best));
    return std::move(result);
  }

private:
  /// One that passed the final test.
  struct Tested {
    const search::Candidate *candidate;
    Certificate certificate;
    Verdict smallSizes, fullSize;
    std::optional<double> measuredUs;
    bool meetsBound;
  };

  /// Whether something of it came out of the cache; parts of a program that was
  /// cut may have, where others were missed.
  static bool isRecalled(const search::SearchReport &report) {
    return report.cache > search::CacheUse::Missed ||
           (report.cache == search::CacheUse::Missed && report.parts > 0);
  }

  /// \returns what is to take the program's place.
  std::optional<Tested> search(const Graph &program,
                               cache::ResultCache *cache) {
    search::SearchOptions searchOptions = options.search;
    searchOptions.cache = cache;
    llvm::Expected<search::SearchResult> found =
        search::superoptimize(program, searchOptions);
    if (!found) {
      result.whyNot = llvm::toString(found.takeError());
      return std::nullopt;
    }
    result.search = std::move(*found);
    if (options.search.shard.isWhole())
      return choose(program);
    result.whyNot = "shard " + toString(options.search.shard) +
                    " of the search only enumerates";
    return std::nullopt;
  }

  /// A candidate that is cheaper than what there is.
  struct Choice {
    const search::Candidate *candidate;
    std::optional<double> measuredUs;
  };

  /// The cheapest first: as predicted or, where there are times, as measured.
  std::vector<Choice> listChoices() {
    if (!options.times.empty()) {
      MeasuredRanking ranking(options.times, result.search.candidates);
      if (ranking.hasTimes() || !options.ignoresForeignTimes)
        return listMeasured(ranking);
    }
    std::vector<Choice> choices;
    for (const search::Candidate &candidate : result.search.candidates) {
      if (candidate.predictedUs >= result.search.report.baselineUs) {
        noteNoneCheaper(candidate);
        break;
      }
      choices.push_back({&candidate, std::nullopt});
    }
    return choices;
  }

  std::vector<Choice> listMeasured(const MeasuredRanking &ranking) {
    result.measuredBaselineUs = ranking.getBaselineUs();
    for (const search::NearMiss &refused : ranking.getRefused())
      result.search.addNearMiss(refused);
    if (ranking.getRanking().empty() && result.whyNot.empty())
      result.whyNot = "none of the candidates was measured and is right";
    std::vector<Choice> choices;
    for (const RankedCandidate &ranked : ranking.getRanking()) {
      std::optional<double> baselineUs = ranking.getBaselineUs();
      if (baselineUs && ranked.timeUs >= *baselineUs) {
        noteNoneFaster(ranked.timeUs, *baselineUs);
        break;
      }
      choices.push_back({ranked.candidate, ranked.timeUs});
    }
    return choices;
  }

  /// The cheapest candidate that passes the final test, if it is cheaper than
  /// what there is; if some have the proved bound that is asked for, the
  /// cheapest of those. The others are kept as well, if they are wanted.
  std::optional<Tested> choose(const Graph &program) {
    if (result.search.candidates.empty())
      result.whyNot = describeNothingFound();
    std::vector<Tested> tested = test(program);
    if (options.measure && !tested.empty() && !putFastestFirst(tested))
      return std::nullopt;
    if (options.keepsCandidates)
      result.candidates = listTested(tested);
    if (tested.empty())
      return std::nullopt;
    return std::move(tested.front());
  }

  /// Those that pass the final test, in the order in which they are to be
  /// taken: all of them, or the first where nobody asks for others.
  std::vector<Tested> test(const Graph &program) {
    bool isOneEnough = !options.keepsCandidates && !options.measure;
    FinalTest finalTest(program, options, start);
    std::vector<Tested> tested;
    std::vector<std::pair<Choice, FinalTest::Judged>> unproved;
    for (const Choice &choice : listChoices()) {
      // Where some candidate is equal, without the bound, others have a share
      // of its work.
      std::optional<FinalTest::Judged> judged =
          finalTest.prove(*choice.candidate, /*isBrief=*/!unproved.empty());
      if (!judged) {
        noteFailed(finalTest);
      } else if (!judged->meetsBound()) {
        notePassedOver(*choice.candidate);
        unproved.push_back({choice, std::move(*judged)});
      } else if (addIfRight(finalTest, choice, std::move(*judged), tested) &&
                 isOneEnough) {
        return tested;
      }
    }
    for (auto &[choice, judged] : unproved)
      if (addIfRight(finalTest, choice, std::move(judged), tested) &&
          isOneEnough)
        break;
    return tested;
  }

  static std::vector<TestedCandidate> listTested(ArrayRef<Tested> tested) {
    std::vector<TestedCandidate> list;
    for (const Tested &one : tested)
      list.push_back(
          {one.candidate->graph, one.certificate, one.candidate->predictedUs});
    return list;
  }

  /// The candidates as functions, in a module of their own at the end of the
  /// one that is searched, whose target they have. All are known to be of the
  /// program that the function computes.
  ModuleOp writeCandidates(ArrayRef<Tested> tested) {
    auto function = op->getParentOfType<func::FuncOp>();
    auto around = cast<ModuleOp>(function->getParentOp());
    OpBuilder builder = OpBuilder::atBlockEnd(around.getBody());
    auto module = ModuleOp::create(builder, function.getLoc());
    func::FuncOp copy = function.clone();
    module.push_back(copy);
    [[maybe_unused]] LogicalResult recorded = recordProgram(copy);
    assert(succeeded(recorded) && "measured functions are tensor programs");
    writeCandidateFunctions(cast<FunctionOpInterface>(copy.getOperation()),
                            cast<FunctionOpInterface>(copy.getOperation()),
                            listTested(tested),
                            result.search.report.baselineUs);
    copy->erase();
    return module;
  }

  /// Has them measured. Those that have the bound that is asked for go first
  /// nevertheless. \returns false where the program as it is is faster than
  /// all of them.
  bool putFastestFirst(std::vector<Tested> &tested) {
    ModuleOp module = writeCandidates(tested);
    llvm::Expected<std::vector<MeasuredTime>> times = options.measure(module);
    module->erase();
    if (!times) {
      op.emitWarning() << "goes by predictions, since its candidates were not "
                          "measured: "
                       << llvm::toString(times.takeError());
      return true;
    }
    result.times = std::move(*times);
    MeasuredRanking ranking(result.times, result.search.candidates);
    if (ranking.getRanking().empty() && !ranking.getBaselineUs()) {
      op.emitWarning()
          << "goes by predictions, since neither its candidates nor "
             "the program as it is ran and were right: "
          << (result.times.empty() ? "" : result.times.front().reason);
      return true;
    }
    std::vector<Choice> choices = listMeasured(ranking);
    for (bool meetsBound : {true, false})
      for (const Choice &choice : choices) {
        auto found = llvm::find_if(tested, [&](const Tested &one) {
          return one.candidate == choice.candidate &&
                 one.meetsBound == meetsBound;
        });
        if (found == tested.end())
          continue;
        found->measuredUs = choice.measuredUs;
        std::rotate(tested.begin(), found, std::next(found));
        return true;
      }
    return false;
  }

  void noteNoneFaster(double bestUs, double baselineUs) {
    if (result.whyNot.empty())
      result.whyNot =
          llvm::formatv("the best µGraph was measured to take {0:f2} us, its "
                        "operators one by one {1:f2} us",
                        bestUs, baselineUs);
  }

  void noteNoneCheaper(const search::Candidate &candidate) {
    if (result.whyNot.empty())
      result.whyNot =
          llvm::formatv("the best µGraph is predicted to take {0:f2} us, its "
                        "operators one by one {1:f2} us",
                        candidate.predictedUs, result.search.report.baselineUs);
  }

  void notePassedOver(const search::Candidate &candidate) {
    result.search.addNearMiss(
        {toString(candidate.structure), candidate.predictedUs,
         "is equal, but without the proved bound that is asked for"});
  }

  void noteFailed(const FinalTest &finalTest) {
    hasFailedTest = true;
    result.whyNot = finalTest.getWhyNot().str();
  }

  bool addIfRight(FinalTest &finalTest, const Choice &choice,
                  FinalTest::Judged judged, std::vector<Tested> &tested) {
    // Certificates are of all the work.
    if (judged.isBrief) {
      std::optional<FinalTest::Judged> again =
          finalTest.prove(*judged.candidate, /*isBrief=*/false);
      if (!again) {
        noteFailed(finalTest);
        return false;
      }
      judged = std::move(*again);
    }
    std::optional<Verdict> full = finalTest.tryOwnSizes(judged);
    if (!full) {
      noteFailed(finalTest);
      return false;
    }
    bool meetsBound = judged.meetsBound();
    Certificate certificate = std::move(judged.whole.certificate);
    certificate.ownSize = getOwnSizeStatement(*full);
    certificate.digest = computeDigest(certificate);
    tested.push_back({judged.candidate, std::move(certificate),
                      std::move(judged.whole.verdict), std::move(*full),
                      choice.measuredUs, meetsBound});
    return true;
  }

  void take(Tested tested) {
    result.smallSizes = std::move(tested.smallSizes);
    result.fullSize = std::move(tested.fullSize);
    result.predictedUs = tested.candidate->predictedUs;
    result.measuredUs = tested.measuredUs;
    replace(*tested.candidate, tested.certificate);
  }

  std::string describeNothingFound() const {
    std::string text = "no equal µGraph was found";
    search::StopReason reason = result.search.stopReason;
    std::string limits;
    if (reason == search::StopReason::NothingToSearch)
      limits = search::describe(result.search.report.limits, options.search);
    if (reason != search::StopReason::Exhausted)
      text += " (" + search::getStopReasonName(reason).str() +
              (limits.empty() ? "" : " with " + limits) + ")";
    return text;
  }

  void replace(const search::Candidate &candidate,
               const Certificate &certificate) {
    replaceBody(op, candidate.graph, certificate);
    result.isReplaced = true;
    for (const Node &node : candidate.graph.getNodes())
      if (const TileGraph *body = node.body.get())
        result.kernels.push_back(
            {body->getNumBlocks(), body->threads, body->loop, body->stages});
      else if (search::findLibraryMatmul(candidate.graph, node))
        result.kernels.push_back({1, 0, 1, 1, /*isLibrary=*/true});
    result.whyNot.clear();
  }

  kernel::GraphOp op;
  const SearchGraphOptions &options;
  const FinalTest::Clock::time_point start = FinalTest::Clock::now();
  SearchGraphResult result;
  bool hasFailedTest = false; ///< some candidate did not take the final test
};
} // namespace

llvm::Error mlir::mirage::checkOptions(const SearchGraphOptions &options) {
  if (options.errorBoundBits < 1 || options.errorBoundBits > kMaxErrorBoundBits)
    return llvm::createStringError(
        llvm::formatv("expects error-bound of 1 to {0}, got {1}",
                      kMaxErrorBoundBits, options.errorBoundBits));
  return search::checkOptions(options.search);
}

FailureOr<SearchGraphResult>
mlir::mirage::searchGraph(kernel::GraphOp op,
                          const SearchGraphOptions &options) {
  // Callers without a pass manager have named no dependent dialects.
  op.getContext()->getOrLoadDialect<block::MirageBlockDialect>();
  return GraphSearcher(op, options).run();
}
