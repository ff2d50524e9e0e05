//===- SearchGraph.cpp - Superoptimizing a kernel graph -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Transforms/SearchGraph.h"
#include "MeasuredRanking.h"
#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Operator/LaunchAttributes.h"
#include "Mirage/Dialect/Operator/OperatorInterface.h"
#include "Mirage/Graph/CanonicalGraph.h"
#include "Mirage/Graph/GraphJSON.h"
#include "Mirage/Planning/Target.h"
#include "Mirage/Transforms/CandidateFunctions.h"
#include "Mirage/Transforms/CertificateAttr.h"
#include "Mirage/Verify/VerdictJSON.h"
#include "RecordProgram.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <chrono>

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
    search(*program, options.search.cache);
    // What is in a cache may be somebody's mistake.
    if (hasFailedTest && isRecalled(result.search.report)) {
      result = SearchGraphResult();
      search(*program, /*cache=*/nullptr);
    }
    return std::move(result);
  }

private:
  /// Whether something of it came out of the cache; parts of a program that was
  /// cut may have, where others were missed.
  static bool isRecalled(const search::SearchReport &report) {
    return report.cache > search::CacheUse::Missed ||
           (report.cache == search::CacheUse::Missed && report.parts > 0);
  }

  void search(const Graph &program, cache::ResultCache *cache) {
    search::SearchOptions searchOptions = options.search;
    searchOptions.cache = cache;
    llvm::Expected<search::SearchResult> found =
        search::superoptimize(program, searchOptions);
    if (!found) {
      result.whyNot = llvm::toString(found.takeError());
      return;
    }
    result.search = std::move(*found);
    if (options.search.shard.isWhole())
      choose(program);
    else
      result.whyNot = "shard " + toString(options.search.shard) +
                      " of the search only enumerates";
  }

  /// Two graphs and what was proved of them, without trials at their own sizes
  /// where these are large.
  struct Proof {
    Verdict verdict;
    Certificate certificate;
  };

  struct Judged {
    const search::Candidate *candidate;
    Proof whole = {};
    /// Of each claim, where the whole was Unknown.
    std::vector<Proof> ofClaims = {};
    bool isBrief = false; ///< with a share of the work
    std::optional<double> measuredUs = {};

    bool meetsBound() const { return whole.verdict.meetsBound(); }
  };

  /// One that passed the final test.
  struct Tested {
    const search::Candidate *candidate;
    Certificate certificate;
    Verdict smallSizes, fullSize;
    std::optional<double> measuredUs;
    bool meetsBound;
  };

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

  /// Takes the cheapest candidate that passes the final test, if it is cheaper
  /// than what there is; if some have the proved bound that is asked for, the
  /// cheapest of those. The others are kept as well, if they are wanted.
  void choose(const Graph &program) {
    if (result.search.candidates.empty())
      result.whyNot = describeNothingFound();
    std::vector<Tested> tested = test(program);
    if (options.measure && !tested.empty() && !putFastestFirst(tested))
      return;
    if (options.keepsCandidates)
      result.candidates = listTested(tested);
    if (!tested.empty())
      take(std::move(tested.front()));
  }

  /// Those that pass the final test, in the order in which they are to be
  /// taken: all of them, or the first where nobody asks for others.
  std::vector<Tested> test(const Graph &program) {
    bool isOneEnough = !options.keepsCandidates && !options.measure;
    std::vector<Tested> tested;
    std::vector<Judged> unproved;
    isHardToProve = false;
    for (const Choice &choice : listChoices()) {
      std::optional<Judged> judged =
          prove(program, *choice.candidate, /*isBrief=*/isHardToProve);
      if (!judged) {
        hasFailedTest = true;
        continue;
      }
      judged->measuredUs = choice.measuredUs;
      if (!judged->meetsBound()) {
        notePassedOver(*choice.candidate);
        unproved.push_back(std::move(*judged));
        isHardToProve = true;
      } else if (addIfRight(program, std::move(*judged), tested) &&
                 isOneEnough) {
        return tested;
      }
    }
    for (Judged &judged : unproved)
      if (addIfRight(program, std::move(judged), tested) && isOneEnough)
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
          << result.times.front().reason;
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

  bool addIfRight(const Graph &program, Judged judged,
                  std::vector<Tested> &tested) {
    // Certificates are of all the work.
    if (judged.isBrief) {
      std::optional<Judged> again =
          prove(program, *judged.candidate, /*isBrief=*/false);
      if (!again) {
        hasFailedTest = true;
        return false;
      }
      again->measuredUs = judged.measuredUs;
      judged = std::move(*again);
    }
    std::optional<Verdict> full = tryOwnSizes(program, judged);
    if (!full) {
      hasFailedTest = true;
      return false;
    }
    bool meetsBound = judged.meetsBound();
    Certificate certificate = std::move(judged.whole.certificate);
    certificate.ownSize = getOwnSizeStatement(*full);
    certificate.digest = computeDigest(certificate);
    tested.push_back({judged.candidate, std::move(certificate),
                      std::move(judged.whole.verdict), std::move(*full),
                      judged.measuredUs, meetsBound});
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
      limits = describeLimits();
    if (reason != search::StopReason::Exhausted)
      text += " (" + search::getStopReasonName(reason).str() +
              (limits.empty() ? "" : " with " + limits) + ")";
    return text;
  }

  /// Those that were hit, with their values.
  std::string describeLimits() const {
    std::string text;
    for (search::SpaceLimit limit : result.search.report.limits.list()) {
      const search::SpaceLimitOption &option = search::getOption(limit);
      text +=
          (text.empty() ? "" : " ") +
          llvm::formatv("{0}={1}", option.name, options.search.*option.value)
              .str();
    }
    return text;
  }

  /// Another candidate that has the bound that is asked for has it soon, or
  /// never.
  static constexpr unsigned kShareOfOthers = 16;

  /// By trials that the certificate names, so that they can be repeated. None
  /// if the graphs are not taken for equal.
  std::optional<Proof> prove(const Graph &program, const Graph &graph,
                             bool isBrief, bool mayBeUnknown) {
    Proof proof;
    proof.certificate = makeCertificate(program, graph, options.search.seed,
                                        options.errorBoundBits);
    std::optional<Verdict> verdict =
        take(proveCertified(proof.certificate, program, graph,
                            isBrief ? kShareOfOthers : 1,
                            [this] { return isProofOver(); }),
             mayBeUnknown);
    if (!verdict)
      return std::nullopt;
    proof.verdict = std::move(*verdict);
    setFigures(proof.verdict, proof.certificate);
    return proof;
  }

  /// By canonical forms, what trials left Unknown.
  bool proveExactly(const Graph &program, const Graph &graph, Proof &proof) {
    llvm::Expected<Verdict> verdict = proveCertifiedExactly(
        proof.certificate, program, graph, [this] { return isProofOver(); });
    if (!verdict)
      llvm::consumeError(verdict.takeError());
    else if (verdict->kind == Verdict::Equal)
      proof.verdict = std::move(*verdict);
    setFigures(proof.verdict, proof.certificate);
    return proof.verdict.kind == Verdict::Equal;
  }

  /// Of a program that was cut into parts, the whole may be too much for
  /// trials, as where exponentials are nested too deep, and for canonical forms
  /// too. Equal parts make an equal whole, and the sum of their bounds counts.
  /// None if the candidate is not found equal.
  std::optional<Judged> prove(const Graph &program,
                              const search::Candidate &candidate,
                              bool isBrief) {
    bool isInParts = candidate.claims.size() > 1;
    std::optional<Proof> whole =
        prove(program, candidate.graph, isBrief, /*mayBeUnknown=*/isInParts);
    if (!whole)
      return std::nullopt;
    Judged judged{&candidate, std::move(*whole), {}, isBrief};
    if (judged.whole.verdict.kind == Verdict::Equal)
      return judged;
    bool isExact =
        !isProofOver() && proveExactly(program, candidate.graph, judged.whole);
    if (isExact && !judged.whole.verdict.isLarge)
      return judged;
    std::optional<Verdict> sum;
    for (const search::Claim &claim : candidate.claims) {
      std::optional<Proof> part =
          prove(claim.program, claim.graph, isBrief, /*mayBeUnknown=*/false);
      if (!part)
        return std::nullopt;
      sum = sum ? join(std::move(*sum), part->verdict) : part->verdict;
      judged.ofClaims.push_back(std::move(*part));
    }
    // At the program's own sizes parts are tried then, since the whole cannot.
    if (isExact)
      return judged;
    judged.whole.verdict = std::move(*sum);
    setFigures(judged.whole.verdict, judged.whole.certificate);
    judged.whole.certificate.isRepeatable = false;
    return judged;
  }

  static constexpr StringLiteral kNoTime =
      "there was no time for all trials at its own sizes";

  static Verdict leaveUntested(StringRef why) {
    Verdict untested;
    untested.reason = why.str();
    return untested;
  }

  /// Whether there is no time left for trials of a candidate that has been
  /// judged at small sizes: they have as long again as the search.
  bool isOver() const {
    return isInterrupted() ||
           hasPassed(2 * std::chrono::seconds(options.search.timeLimitS));
  }

  /// The same of that judgement, without which the search was for nothing: it
  /// has some seconds in any case, also where the search is interrupted.
  bool isProofOver() {
    constexpr std::chrono::seconds kInAnyCase{5};
    auto now = std::chrono::steady_clock::now();
    if (isInterrupted() && !interruptedAt)
      interruptedAt = now;
    return (interruptedAt && now - *interruptedAt > kInAnyCase) ||
           hasPassed(2 * std::chrono::seconds(options.search.timeLimitS) +
                     kInAnyCase);
  }

  bool isInterrupted() const {
    return options.search.isInterrupted && options.search.isInterrupted();
  }

  /// Of a search that has a limit.
  bool hasPassed(std::chrono::steady_clock::duration time) const {
    return options.search.timeLimitS != 0 &&
           std::chrono::steady_clock::now() - start > time;
  }

  /// Field arithmetic does some 3·10⁹ multiply-adds a second and core; a test
  /// of more than this takes longer than everything else together. The
  /// structure has been tested, with a bound, at small sizes all the same, and
  /// of its own sizes a sample will do.
  static constexpr double kMaxWork = 0x1p33;

  VerifyOptions getOwnSizeOptions(const Certificate &certificate) const {
    VerifyOptions final;
    final.seed = deriveSeed(getSeed(certificate), "own sizes", 0);
    final.errorBoundBits = options.errorBoundBits;
    final.maxWholeWork = final.maxSampleWork = kMaxWork;
    final.isCancelled = [this] { return isOver(); };
    return final;
  }

  /// Unknown, with the reason, where there are no trials, or where none of
  /// graphs that are proved counts. What nothing was proved of is looked at
  /// longer.
  std::optional<Verdict> tryOwnSizes(const Graph &program, const Graph &graph,
                                     const Proof &proof) {
    if (!proof.verdict.isLarge)
      return proof.verdict; // was at these
    VerifyOptions final = getOwnSizeOptions(proof.certificate);
    bool isProved = proof.verdict.bound.provedLog2 < 0;
    llvm::Expected<Verdict> verdict =
        isProved ? verifyAtOwnSizes(program, graph, final)
                 : verifyEqual(program, graph, final);
    if (!verdict)
      return take(std::move(verdict));
    if (verdict->isTooLarge)
      return leaveUntested("too large to be tested at its own sizes");
    if (verdict->isCancelled)
      return leaveUntested(kNoTime);
    if (isProved && verdict->lacksTrials)
      return leaveUntested(verdict->reason);
    return take(std::move(verdict));
  }

  std::optional<Verdict> tryOwnSizes(const Graph &program,
                                     const Judged &judged) {
    const search::Candidate &candidate = *judged.candidate;
    if (judged.ofClaims.empty())
      return tryOwnSizes(program, candidate.graph, judged.whole);
    // Equal parts make an equal whole; this is a look at how they were joined,
    // which need not say anything.
    if (!take(verifyAtOwnSizes(program, candidate.graph,
                               getOwnSizeOptions(judged.whole.certificate)),
              /*mayBeUnknown=*/true))
      return std::nullopt;
    std::optional<Verdict> sum;
    for (auto [claim, proof] :
         llvm::zip_equal(candidate.claims, judged.ofClaims)) {
      std::optional<Verdict> part =
          tryOwnSizes(claim.program, claim.graph, proof);
      if (!part)
        return std::nullopt;
      sum = sum ? join(std::move(*sum), std::move(*part)) : std::move(*part);
    }
    return sum;
  }

  /// None, with the reason noted, if a candidate with this verdict is not
  /// taken.
  std::optional<Verdict> take(llvm::Expected<Verdict> verdict,
                              bool mayBeUnknown = false) {
    if (!verdict) {
      result.whyNot = llvm::toString(verdict.takeError());
      return std::nullopt;
    }
    bool isOpen = verdict->kind == Verdict::Unknown && !verdict->disagreement;
    if (verdict->kind == Verdict::Equal || (isOpen && mayBeUnknown))
      return std::move(*verdict);
    result.whyNot = "the final test of a candidate says " +
                    getVerdictName(verdict->kind).str() + ": " +
                    verdict->reason;
    return std::nullopt;
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
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
  /// When the proof heard of it first.
  std::optional<std::chrono::steady_clock::time_point> interruptedAt;
  SearchGraphResult result;
  bool hasFailedTest = false; ///< some candidate did not take the final test
  /// Some candidate is equal, without the bound, and others have a share of its
  /// work.
  bool isHardToProve = false;
};
} // namespace

llvm::Error mlir::mirage::checkOptions(const SearchGraphOptions &options) {
  if (options.errorBoundBits < 1 || options.errorBoundBits > kMaxErrorBoundBits)
    return llvm::createStringError(
        llvm::formatv("expects error-bound of 1 to {0}, got {1}",
                      kMaxErrorBoundBits, options.errorBoundBits));
  return search::checkOptions(options.search);
}

/// The operator that an op carries out, be it by an accumulation.
static std::optional<Opcode> findOperator(mlir::Operation *op) {
  auto row = dyn_cast<OperatorOpInterface>(op);
  if (!row)
    return std::nullopt;
  Opcode opcode = row.getTableOpcode();
  return opcode == Opcode::Accumulate ? readOperatorAttributes(row).reduction
                                      : opcode;
}

/// Ops in place of others are where those with the same operator were, if there
/// are some: a product of the µGraph where the program's products stand.
static void inheritLocations(ArrayRef<mlir::Operation *> from, Block &to) {
  llvm::MapVector<Opcode, SmallVector<Location>> byOperator;
  for (mlir::Operation *op : from)
    if (std::optional<Opcode> opcode = findOperator(op))
      byOperator[*opcode].push_back(op->getLoc());
  DenseSet<mlir::Operation *> old(from.begin(), from.end());
  for (mlir::Operation &written : to) {
    if (old.contains(&written))
      continue;
    written.walk([&](mlir::Operation *op) {
      std::optional<Opcode> opcode = findOperator(op);
      auto found = opcode ? byOperator.find(*opcode) : byOperator.end();
      if (found != byOperator.end())
        op->setLoc(FusedLoc::get(op->getContext(), found->second));
    });
  }
}

void mlir::mirage::replaceBody(kernel::GraphOp op, const Graph &graph,
                               const Certificate &certificate) {
  Block &body = op.getBody().front();
  kernel::YieldOp yield = op.getYield();
  OpBuilder builder(yield);
  SmallVector<mlir::Operation *> old;
  for (mlir::Operation &nested : body.without_terminator())
    old.push_back(&nested);
  SmallVector<Location> locations;
  for (mlir::Operation *nested : old)
    locations.push_back(nested->getLoc());
  SmallVector<Value> values = writeGraph(
      builder, builder.getFusedLoc(locations), graph, body.getArguments());
  yield->setOperands(values);
  inheritLocations(old, body);
  for (mlir::Operation *nested : llvm::reverse(old))
    nested->erase();
  op->setAttr(kCertificateAttr,
              getCertificateAttr(op.getContext(), certificate));
}

FailureOr<SearchGraphResult>
mlir::mirage::searchGraph(kernel::GraphOp op,
                          const SearchGraphOptions &options) {
  // Callers without a pass manager have named no dependent dialects.
  op.getContext()->getOrLoadDialect<block::MirageBlockDialect>();
  return GraphSearcher(op, options).run();
}

static llvm::json::Value toJSON(const search::Candidate &candidate) {
  return llvm::json::Object{{"graph", hashGraph(candidate.graph)},
                            {"predictedUs", candidate.predictedUs},
                            {"structure", toString(candidate.structure)}};
}

llvm::json::Value mlir::mirage::toJSON(const SearchGraphResult &result) {
  llvm::json::Object object{
      {"search", search::toJSON(result.search.report)},
      {"limitsHit", search::listLimitsHit(result.search)},
      {"stopReason", search::getStopReasonName(result.search.stopReason)},
      {"replaced", result.isReplaced}};
  if (result.isReplaced) {
    object["kernels"] = int64_t(result.kernels.size());
    llvm::json::Array sizes;
    for (const KernelSizes &kernel : result.kernels)
      sizes.push_back(kernel.isLibrary
                          ? llvm::json::Object{{"library", "matmul"}}
                          : llvm::json::Object{{"blocks", kernel.blocks},
                                               {"threads", kernel.threads},
                                               {"loop", kernel.loop},
                                               {"stages", kernel.stages}});
    object["sizes"] = std::move(sizes);
    object["predictedUs"] = result.predictedUs;
    if (result.measuredUs)
      object["measuredUs"] = *result.measuredUs;
    object["smallSizes"] = toJSON(result.smallSizes);
    object["fullSize"] = toJSON(result.fullSize);
  } else {
    object["whyNot"] = result.whyNot;
  }
  if (result.measuredBaselineUs)
    object["measuredBaselineUs"] = *result.measuredBaselineUs;
  llvm::json::Array candidates, times;
  for (const search::Candidate &candidate : result.search.candidates)
    candidates.push_back(::toJSON(candidate));
  for (const MeasuredTime &time : result.times)
    times.push_back(toJSON(time));
  object["candidates"] = std::move(candidates);
  if (!times.empty())
    object["times"] = std::move(times);
  object["nearMisses"] = search::toJSON(result.search.nearMisses);
  return object;
}
