//===- Verify.cpp - Are two graphs equal? ---------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Verify/Verify.h"
#include "DefinedSomewhere.h"
#include "ExpNesting.h"
#include "FieldJudge.h"
#include "FreeFunctionProof.h"
#include "Mirage/Graph/CanonicalGraph.h"
#include "Mirage/Graph/ComposedOperators.h"
#include "Mirage/Graph/Literals.h"
#include "Mirage/Graph/MachineMemory.h"
#include "Mirage/Verify/SmallerSizes.h"
#include "Mirage/Verify/VerdictJSON.h"
#include "PieceProof.h"
#include "SignDegree.h"
#include "SmallProof.h"
#include "SymbolicConstant.h"
#include "TrialMemory.h"
#include "UsedFunctions.h"
#include "WitnessSearch.h"
#include "WrittenGraph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <limits>
#include <map>
#include <set>

using namespace mlir::mirage;

llvm::StringRef mlir::mirage::getVerdictName(Verdict::Kind kind) {
  switch (kind) {
  case Verdict::Equal:
    return "equal";
  case Verdict::Different:
    return "different";
  case Verdict::Unknown:
    return "unknown";
  }
  return "";
}

/// Element types may differ: a cast changes no value over a field.
static llvm::Error checkTypes(const Graph &lhs, llvm::ArrayRef<ValueId> lhsIds,
                              const Graph &rhs, llvm::ArrayRef<ValueId> rhsIds,
                              llvm::StringRef what) {
  if (lhsIds.size() != rhsIds.size())
    return llvm::createStringError("expects graphs with as many " + what +
                                   "s, got " + llvm::Twine(lhsIds.size()) +
                                   " and " + llvm::Twine(rhsIds.size()));
  for (auto [number, left, right] : llvm::enumerate(lhsIds, rhsIds))
    if (lhs.getType(left).shape != rhs.getType(right).shape)
      return llvm::createStringError(
          "expects " + what + " " + llvm::Twine(number) +
          " to have one shape in both graphs, got " +
          toString(lhs.getType(left).shape) + " and " +
          toString(rhs.getType(right).shape));
  return llvm::Error::success();
}

static llvm::Error checkInterfaces(const Graph &lhs, const Graph &rhs) {
  auto inputs = [](const Graph &graph) {
    return llvm::to_vector(llvm::seq<ValueId>(0, graph.getNumInputs()));
  };
  if (llvm::Error error =
          checkTypes(lhs, inputs(lhs), rhs, inputs(rhs), "input"))
    return error;
  return checkTypes(lhs, lhs.getOutputs(), rhs, rhs.getOutputs(), "output");
}

/// Whether graphs have literals, which may be right at their own sizes alone.
static bool hasLiterals(const Graph &graph) {
  bool hasSome = false;
  forEachLiteral(
      graph,
      [&](double literal) {
        hasSome |= literal != 0 && std::fabs(literal) != 1;
      },
      LiteralsOf::OthersThanMasks);
  return hasSome;
}

/// Trials at the graphs' own sizes agree, and nothing is proved. A float64
/// input may see what they do not; of samples alone nothing follows for other
/// elements.
/// \param smallDisagrees  trials at smaller sizes do not agree.
/// \param problem         what smaller sizes came to.
static llvm::Error concludeUnproved(const Graph &lhs, const Graph &rhs,
                                    const VerifyOptions &options,
                                    bool smallDisagrees,
                                    const std::string &problem,
                                    Verdict &verdict) {
  bool isSampled = verdict.ownSizes.isSampled();
  llvm::Expected<WitnessSearch> search =
      isSampled ? searchWitnessInSample(lhs, rhs, options)
                : searchWitness(lhs, rhs, options);
  if (!search)
    return search.takeError();
  bool mayHidePicks = picksValues(lhs) || picksValues(rhs);
  bool mayHide = mayHidePicks || verdict.mayHideSigns;
  bool isSuspect = smallDisagrees && !hasLiterals(lhs) && !hasLiterals(rhs);
  bool isOfSampleAlone = isSampled && !problem.empty();
  if (!search->found && !mayHide && !isSuspect && !isOfSampleAlone)
    return llvm::Error::success();
  verdict.kind = search->found ? Verdict::Different : Verdict::Unknown;
  verdict.witness = search->found;
  verdict.bound = {};
  verdict.reason = isSampled ? "trials of a sample at its own sizes agree, "
                             : "trials at its own sizes agree, ";
  verdict.reason +=
      mayHidePicks ? "but what a maximum or minimum does not pick is hidden "
                     "from most; at smaller sizes: "
      : mayHide    ? "but of the signs of absolute values and roots they see "
                     "few patterns; at smaller sizes: "
                   : "but at smaller ones ";
  verdict.reason += problem.empty() ? verdict.whyWeaker : problem;
  if (!search->whyNot.empty())
    verdict.reason += "; " + search->whyNot;
  verdict.whyWeaker.clear();
  return llvm::Error::success();
}

double mlir::mirage::estimateTrialBytes(const Graph &lhs, const Graph &rhs) {
  Graph left = expandComposed(lhs), right = expandComposed(rhs);
  unsigned height =
      1 + std::max(computeExpNesting(left), computeExpNesting(right));
  return std::max(estimateEvaluationBytes(left, height, 1),
                  estimateEvaluationBytes(right, height, 1));
}

double mlir::mirage::getMaxTrialBytes(const VerifyOptions &options) {
  return std::min(options.maxBytes, getMachineMemoryBytes() / 2);
}

/// Nothing could be tried at the graphs' own sizes. That they agree at smaller
/// ones is worth saying, but what goes wrong at the edge of a tile need not.
static void addSmallerSizesToReason(const Graph &lhs, const Graph &rhs,
                                    const VerifyOptions &options,
                                    Verdict &verdict) {
  llvm::Expected<Verdict> small = judgeSmallerSizes(lhs, rhs, options);
  verdict.reason +=
      "; at smaller sizes: " +
      (small ? toString(*small) : llvm::toString(small.takeError()));
}

/// One trial at the graphs' own sizes agrees, which it does in one case of two
/// where a sign was lost, or in three of four where two were. More trials may
/// not.
static llvm::Expected<Verdict> tryAgain(const Graph &lhs, const Graph &rhs,
                                        VerifyOptions options) {
  // More take too long of graphs that are large.
  constexpr unsigned kMostDegree = 3;
  unsigned degree =
      std::max({computeSignDegree(lhs), computeSignDegree(rhs), 1u});
  // Of two kinds of roots, half of the trials are of one alone.
  unsigned numTrials = 2 * kSignTrials << (std::min(degree, kMostDegree) - 1);
  options.minLargeTrials = std::max(options.minLargeTrials, numTrials);
  return FieldJudge(lhs, rhs, options).run();
}

/// What becomes of numbers by one map and then another: numbers that the first
/// one leaves alone, and no others, are the second one's.
template <typename Number>
static void composeInto(std::map<Number, Number> &second,
                        const std::map<Number, Number> &first) {
  std::map<Number, Number> both;
  for (auto [from, to] : first) {
    auto next = second.find(to);
    both[from] = next == second.end() ? to : next->second;
  }
  for (auto [from, to] : first)
    second.erase(to);
  second.insert(both.begin(), both.end());
}

static llvm::Expected<Verdict> judgeExpanded(const Graph &lhs, const Graph &rhs,
                                             const VerifyOptions &options);

/// What is proved of large graphs without trials at their own sizes: the
/// verdict on them as wholes at smaller ones, where they may be cut as well.
static llvm::Expected<Verdict>
judgeAtSmallerSizesAlone(const Graph &lhs, const Graph &rhs,
                         SizeNumbers numbers, const VerifyOptions &options) {
  Verdict unknown;
  unknown.isLarge = true;
  unknown.reason = "too large to be written out at its own sizes, and ";
  llvm::Expected<SmallerGraphs> pair = withSmallerSizes(lhs, rhs, numbers);
  if (!pair) {
    unknown.reason += "at smaller ones: " + llvm::toString(pair.takeError());
    return unknown;
  }
  VerifyOptions smallOptions = options;
  smallOptions.triesOwnSizes = true;
  smallOptions.findWitness = {};
  smallOptions.findWitnessAt = {};
  llvm::Expected<Verdict> verdict =
      judgeExpanded(pair->lhs, pair->rhs, smallOptions);
  if (!verdict || verdict->isCancelled)
    return verdict;
  bool isUntried = verdict->isLarge && !isProved(*verdict, options);
  if (verdict->kind != Verdict::Equal || isUntried) {
    unknown.reason += "at smaller ones: ";
    unknown.reason +=
        isUntried ? "these are too large, too" : toString(*verdict);
    return unknown;
  }
  verdict->isLarge = true;
  verdict->isOfSmallerSizes = true;
  ReplacedNumbers &replaced = verdict->replaced;
  composeInto(replaced.literals, pair->replaced.literals);
  composeInto(replaced.maskOffsets, pair->replaced.maskOffsets);
  replaced.keepsNumbers |= pair->replaced.keepsNumbers;
  return verdict;
}

/// By numbers that follow sizes, else by those that stay: the scale of
/// attention may be one over the number of heads.
static llvm::Expected<Verdict>
judgeAtSmallerSizesAlone(const Graph &lhs, const Graph &rhs,
                         const VerifyOptions &options) {
  llvm::Expected<Verdict> verdict =
      judgeAtSmallerSizesAlone(lhs, rhs, SizeNumbers::Follow, options);
  if (!verdict || verdict->isCancelled || verdict->kind == Verdict::Equal)
    return verdict;
  llvm::Expected<Verdict> other =
      judgeAtSmallerSizesAlone(lhs, rhs, SizeNumbers::Stay, options);
  if (!other)
    return other;
  return isProved(*other, options) ? std::move(other) : std::move(verdict);
}

/// A float64 input at the graphs' own sizes, or at a sample of them, that tells
/// apart what smaller sizes do not, makes a verdict Different, for a reason.
static llvm::Error askOwnSizes(const Graph &lhs, const Graph &rhs,
                               const VerifyOptions &options,
                               const llvm::Twine &reason, Verdict &verdict) {
  llvm::Expected<WitnessSearch> search =
      searchWitnessInSample(lhs, rhs, options);
  if (!search)
    return search.takeError();
  if (!search->found)
    return llvm::Error::success();
  verdict.reason = reason.str();
  verdict.kind = Verdict::Different;
  verdict.witness = search->found;
  verdict.bound = {};
  verdict.whyWeaker.clear();
  return llvm::Error::success();
}

/// Whether trials left a pair undecided for the lack of those that count.
/// Exponentials that are nested too deep have none at any size: what is proved
/// of them at small sizes could not be tried at others.
static bool lacksProof(const Verdict &verdict) {
  return verdict.kind == Verdict::Unknown && verdict.lacksTrials;
}

/// \param problem  what functions as symbols came to.
static void addProblem(const std::string &problem, Verdict &verdict) {
  if (verdict.kind == Verdict::Unknown && !problem.empty())
    verdict.reason += "; with functions as symbols: " + problem;
}

/// Of graphs with one interface, without composed operators.
static llvm::Expected<Verdict> judgeExpanded(const Graph &lhs, const Graph &rhs,
                                             const VerifyOptions &options) {
  llvm::Expected<Verdict> verdict = FieldJudge(lhs, rhs, options).run();
  if (!verdict)
    return verdict;
  if (verdict->isTooLarge)
    addSmallerSizesToReason(lhs, rhs, options, *verdict);
  if (verdict->isCancelled || verdict->isTooLarge)
    return verdict;
  if (verdict->isLarge && !options.triesOwnSizes)
    return judgeAtSmallerSizesAlone(lhs, rhs, options);
  if (verdict->lacksTrials)
    addPieces(lhs, rhs, options, *verdict);
  if (lacksProof(*verdict)) {
    std::string problem = addFreeFunctions(lhs, rhs, options, *verdict);
    if (problem.empty())
      return verdict;
    addProblem(problem, *verdict);
  }
  if (verdict->kind != Verdict::Equal ||
      (!verdict->isLarge && verdict->meetsBound()))
    return verdict;
  llvm::Expected<Verdict> small = judgeSmallerSizes(lhs, rhs, options);
  bool smallDisagrees = small && small->disagreement;
  std::string problem = addSmallerSizes(small, *verdict);
  if (verdict->isLarge && !problem.empty())
    verdict->whyWeaker = "too large to be written out at these sizes, and "
                         "smaller sizes do not help: " +
                         problem;
  if (!verdict->meetsBound())
    addPieces(lhs, rhs, options, *verdict);
  std::string ofSymbols;
  if (!isProved(*verdict, options))
    ofSymbols = addFreeFunctions(lhs, rhs, options, *verdict);
  if (isProved(*verdict, options)) {
    // One trial at the graphs' own sizes hardly sees what is not picked.
    bool mayHide =
        verdict->isOfSmallerSizes && (picksValues(lhs) || picksValues(rhs));
    if (mayHide)
      if (llvm::Error error =
              askOwnSizes(lhs, rhs, options,
                          "smaller sizes agree, " + verdict->sizes +
                              ", at which numbers may be equal that are not",
                          *verdict))
        return std::move(error);
    return verdict;
  }
  if (verdict->isLarge && (losesSigns(lhs) || losesSigns(rhs))) {
    llvm::Expected<Verdict> again = tryAgain(lhs, rhs, options);
    if (!again || again->kind != Verdict::Equal)
      return again;
    verdict->bound = again->bound;
    verdict->ownSizes = again->ownSizes;
    verdict->mayHideSigns = again->mayHideSigns;
  }
  if (llvm::Error error = concludeUnproved(lhs, rhs, options, smallDisagrees,
                                           problem, *verdict))
    return std::move(error);
  addProblem(ofSymbols, *verdict);
  return verdict;
}

/// Composed operators are written out, and what no output depends on is left
/// out: it would hide what the rest is.
static Graph getJudgedForm(const Graph &graph) {
  return canonicalize(expandComposed(graph));
}

/// Whatever fields cannot follow (towers of exponentials, infinities, sizes), a
/// graph does what the same graph does: equal where both are defined, which is
/// where either is.
static Verdict concludeSameGraph(const VerifyOptions &options) {
  Verdict verdict;
  verdict.kind = Verdict::Equal;
  verdict.isSameGraph = true;
  verdict.askedBits = options.errorBoundBits;
  verdict.bound.provedLog2 = verdict.bound.conjecturedLog2 =
      -std::numeric_limits<double>::infinity();
  return verdict;
}

/// At the graphs' own sizes, or at smaller ones if these are too large.
static ExactProof proveAtSomeSizes(const Graph &lhs, const Graph &rhs,
                                   const VerifyOptions &options,
                                   bool &atOwnSizes) {
  // What is as large as smaller sizes are takes a small part of the limit.
  exact::Limits ownLimits = options.exactLimits;
  ownLimits.maxWork /= 16;
  ExactProof own = proveEqual(lhs, rhs, ownLimits);
  atOwnSizes = own.outcome != ExactProof::TooLarge;
  if (atOwnSizes)
    return own;
  ExactProof small = proveEqualAtSmallerSizes(lhs, rhs, options.exactLimits);
  if (small.outcome == ExactProof::TooLarge)
    small.reason = own.reason + "; at smaller sizes: " + small.reason;
  return small;
}

/// Whether trials at the graphs' own sizes, of all elements or of a sample,
/// were made and agree, whatever that proves.
static bool agreesAtOwnSizes(const Verdict &verdict) {
  return verdict.ownSizes.trials > 0 && !verdict.lacksTrials &&
         !verdict.isCancelled;
}

/// Trials decide nothing that a proof at the graphs' own sizes does; one at
/// smaller sizes needs trials at their own that agree.
static void addExactProof(const Graph &lhs, const Graph &rhs,
                          const VerifyOptions &options, Verdict &verdict) {
  bool atOwnSizes = false;
  ExactProof proof = proveAtSomeSizes(lhs, rhs, options, atOwnSizes);
  std::string trials = toString(verdict);
  verdict.exactProof = proof;
  if (verdict.kind == Verdict::Different || verdict.isSameGraph)
    return;
  if (proof.outcome != ExactProof::Proved) {
    verdict.kind = Verdict::Unknown;
    verdict.bound = {};
    verdict.whyWeaker.clear();
    verdict.reason =
        "not proved exactly: " + proof.reason + "; trials alone: " + trials;
    return;
  }
  if (verdict.kind == Verdict::Unknown) {
    if (!atOwnSizes && options.triesOwnSizes && !agreesAtOwnSizes(verdict))
      return;
    verdict.kind = Verdict::Equal;
    verdict.isLarge |= !atOwnSizes;
    verdict.isCancelled = false;
    verdict.askedBits = options.errorBoundBits;
    verdict.whyWeaker = std::move(verdict.reason);
    verdict.reason.clear();
  }
  verdict.isOfSmallerSizes = !atOwnSizes;
  verdict.whereBothDefined |= proof.whereBothDefined;
}

/// Whatever was cancelled, pieces or smaller sizes, might have said more.
static void concludeCancelled(Verdict &verdict) {
  verdict.kind = Verdict::Unknown;
  verdict.isCancelled = true;
  verdict.bound = {};
  verdict.whyWeaker.clear();
  verdict.reason = "cancelled before all trials were made";
}

/// Graphs that are equal wherever both are defined may be defined nowhere at
/// once: fields have roots of what no number has. They are tried in float64, at
/// smaller sizes where their own take too long.
static void checkDefined(const Graph &lhs, const Graph &rhs, Verdict &verdict) {
  if (verdict.kind != Verdict::Equal || !verdict.whereBothDefined)
    return;
  Definedness defined = findDefined(lhs, rhs);
  if (defined.kind != Definedness::Nowhere)
    return;
  verdict.kind = Verdict::Unknown;
  verdict.hasFreeFunctions = false;
  verdict.bound = {};
  verdict.whyWeaker.clear();
  verdict.reason = defined.reason + " in both graphs, which are equal wherever "
                                    "both are defined";
}

/// Sizes that a proof is not of have to agree as well, those of pieces piece by
/// piece. If they do not, or see too little, a float64 input at the graphs' own
/// may show whether these do.
static llvm::Error checkOtherSizes(const Graph &lhs, const Graph &rhs,
                                   const VerifyOptions &options,
                                   Verdict &verdict) {
  if (verdict.kind != Verdict::Equal || !verdict.isOfSmallerSizes)
    return llvm::Error::success();
  OtherSizeTrials &tried = verdict.otherSizes;
  if (verdict.pieces == 0) {
    const ReplacedNumbers &replaced = verdict.bound.trials == 0
                                          ? verdict.exactProof->replaced
                                          : verdict.replaced;
    llvm::Expected<OtherSizeTrials> others =
        tryOtherSizes(lhs, rhs, replaced.getNumbers(), options);
    if (!others)
      return others.takeError();
    tried = std::move(*others);
  }
  if (tried.isCancelled)
    concludeCancelled(verdict);
  // Graphs may be equal at their own sizes alone.
  std::string ofSymbols;
  if (!tried.isCancelled && !tried.problem.empty() &&
      !options.wantsExactProof) {
    ofSymbols = addFreeFunctions(lhs, rhs, options, verdict);
    if (ofSymbols.empty()) {
      checkDefined(lhs, rhs, verdict);
      return llvm::Error::success();
    }
  }
  if (tried.isCancelled || (tried.problem.empty() && !tried.areFew))
    return llvm::Error::success();
  std::string reason =
      tried.problem.empty()
          ? "smaller sizes agree, of which trials see too few patterns of signs"
          : llvm::formatv("smaller sizes agree, {0}, and others do not: at {1} "
                          "{2}",
                          verdict.sizes.empty() ? verdict.exactProof->sizes
                                                : verdict.sizes,
                          tried.sizes.back(), tried.problem)
                .str();
  if (!tried.problem.empty()) {
    verdict.kind = Verdict::Unknown;
    verdict.reason = reason;
    verdict.bound = {};
    verdict.whyWeaker.clear();
    addProblem(ofSymbols, verdict);
  }
  return askOwnSizes(lhs, rhs, options, reason, verdict);
}

llvm::Expected<Verdict>
mlir::mirage::verifyAtOwnSizes(const Graph &lhs, const Graph &rhs,
                               const VerifyOptions &options) {
  if (llvm::Error error = checkInterfaces(lhs, rhs))
    return std::move(error);
  Graph left = getJudgedForm(lhs), right = getJudgedForm(rhs);
  return FieldJudge(left, right, options).run();
}

/// Graphs that are equal but for how ln 2 was rounded are not.
static void checkRoundings(const Graph &lhs, const Graph &rhs, bool areSame,
                           Verdict &verdict) {
  std::set<double> literals;
  for (const Graph *graph : {&lhs, &rhs})
    forEachLiteral(*graph, [&](double literal) { literals.insert(literal); });
  std::optional<std::pair<double, double>> two = findTwoRoundings(literals);
  if (!two || verdict.kind != Verdict::Equal || areSame)
    return;
  verdict.kind = Verdict::Unknown;
  verdict.bound = {};
  verdict.whyWeaker.clear();
  verdict.exactProof.reset();
  verdict.reason =
      llvm::formatv("expects one rounding of ln 2 and log2 e, which "
                    "are a symbol, got {0:e16} and {1:e16}",
                    two->first, two->second);
}

llvm::Expected<Verdict>
mlir::mirage::verifyEqual(const Graph &lhs, const Graph &rhs,
                          const VerifyOptions &options) {
  if (llvm::Error error = checkInterfaces(lhs, rhs))
    return std::move(error);
  Graph left = getJudgedForm(lhs), right = getJudgedForm(rhs);
  // Names of inputs mean nothing, and the hash does without.
  bool areSame = hashGraph(left) == hashGraph(right);
  llvm::Expected<Verdict> verdict = areSame && !options.triesSameGraphs
                                        ? concludeSameGraph(options)
                                        : judgeExpanded(left, right, options);
  if (verdict && verdict->kind == Verdict::Unknown && areSame)
    verdict = concludeSameGraph(options);
  bool isOpen = verdict && !verdict->isCancelled &&
                (verdict->kind == Verdict::Unknown ||
                 (verdict->kind == Verdict::Equal && !verdict->meetsBound()));
  if (isOpen && options.isCancelled && options.isCancelled())
    concludeCancelled(*verdict);
  if (verdict)
    checkDefined(left, right, *verdict);
  if (verdict && options.wantsExactProof)
    addExactProof(left, right, options, *verdict);
  if (verdict)
    if (llvm::Error error = checkOtherSizes(left, right, options, *verdict))
      return std::move(error);
  if (verdict)
    checkRoundings(left, right, areSame, *verdict);
  return verdict;
}
