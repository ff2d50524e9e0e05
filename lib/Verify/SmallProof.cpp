//===- SmallProof.cpp - What smaller sizes prove of a pair ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SmallProof.h"
#include "FieldJudge.h"
#include "Mirage/Verify/VerdictJSON.h"
#include "PickCount.h"
#include "SignDegree.h"
#include "TrialMemory.h"
#include "UsedFunctions.h"
#include "WrittenGraph.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir::mirage;

bool mlir::mirage::isProved(const Verdict &verdict,
                            const VerifyOptions &options) {
  return verdict.kind == Verdict::Equal &&
         isProvedEnough(verdict.bound.provedLog2, options);
}

/// The verdict on the same graphs with small sizes; an error says why there is
/// none.
static llvm::Expected<Verdict> judgeAt(const Graph &lhs, const Graph &rhs,
                                       SizeNumbers numbers,
                                       const VerifyOptions &options) {
  llvm::Expected<SmallerGraphs> pair = withSmallerSizes(lhs, rhs, numbers);
  if (!pair)
    return pair.takeError();
  if (estimateTrialBytes(pair->lhs, pair->rhs) >
      std::min(options.maxBytes, kMaxSmallBytes))
    return llvm::createStringError("these are too large, too");
  VerifyOptions smallOptions = options;
  smallOptions.findWitness = {};
  smallOptions.findWitnessAt = {};
  llvm::Expected<Verdict> verdict =
      FieldJudge(pair->lhs, pair->rhs, smallOptions).run();
  if (verdict && verdict->isLarge)
    return llvm::createStringError("these are too large, too");
  if (verdict)
    verdict->replaced = std::move(pair->replaced);
  return verdict;
}

llvm::Expected<Verdict>
mlir::mirage::judgeSmallerSizes(const Graph &lhs, const Graph &rhs,
                                const VerifyOptions &options) {
  llvm::Expected<Verdict> verdict =
      judgeAt(lhs, rhs, SizeNumbers::Follow, options);
  if (verdict && verdict->kind == Verdict::Equal)
    return verdict;
  llvm::Expected<Verdict> other = judgeAt(lhs, rhs, SizeNumbers::Stay, options);
  bool isOtherProved = other && isProved(*other, options);
  if (!other)
    llvm::consumeError(other.takeError());
  if (!isOtherProved)
    return verdict;
  if (!verdict)
    llvm::consumeError(verdict.takeError());
  return other;
}

/// What a trial at smaller sizes speaks against; empty if all agree.
static std::string describeProblem(const Verdict &verdict) {
  auto describe = [](Verdict::Place place, llvm::StringRef what) {
    return llvm::formatv("element {0} of output {1} {2}", place.element,
                         place.output, what)
        .str();
  };
  if (verdict.disagreement)
    return describe(*verdict.disagreement, "differs over a field");
  if (verdict.oneSided)
    return describe(*verdict.oneSided, "is undefined in one graph alone");
  return verdict.kind == Verdict::Equal ? "" : verdict.reason;
}

std::string mlir::mirage::addSmallerSizes(llvm::Expected<Verdict> &small,
                                          Verdict &verdict) {
  if (!small)
    return llvm::toString(small.takeError());
  if (std::string problem = describeProblem(*small); !problem.empty())
    return problem;
  if (!verdict.isLarge && small->bound.provedLog2 >= verdict.bound.provedLog2)
    return small->whyWeaker;
  verdict.bound = small->bound;
  verdict.whyWeaker = small->whyWeaker;
  verdict.sizes = small->sizes;
  verdict.isOfSmallerSizes = true;
  verdict.replaced = std::move(small->replaced);
  verdict.whereBothDefined = small->whereBothDefined;
  return "";
}

/// Whether so many trials see, but for a chance of 2^-10, each value that may
/// be picked.
static bool seePicks(const SmallerGraphs &pair, unsigned numTrials) {
  double picked = std::max(countPicked(pair.lhs), countPicked(pair.rhs));
  return picked == 1 ||
         numTrials * std::log2(1 - 1 / picked) <= kEnoughTrialsLog2;
}

/// And each pattern of signs.
static bool seeAll(const SmallerGraphs &pair, unsigned numTrials) {
  unsigned degree =
      std::max(computeSignDegree(pair.lhs), computeSignDegree(pair.rhs));
  return seePicks(pair, numTrials) && !mayMissPattern(degree, numTrials);
}

/// As many as see all of that, if they take no time; else what is picked.
static unsigned countOtherTrials(const SmallerGraphs &pair) {
  constexpr unsigned kSome = 64, kMost = 1 << 15;
  constexpr double kMostWork = 1 << 29;
  double work = std::max(countWork(pair.lhs), countWork(pair.rhs));
  unsigned forPicks = kSome;
  for (unsigned trials = kSome; trials <= kMost && trials * work <= kMostWork;
       trials *= 2) {
    if (seeAll(pair, trials))
      return trials;
    if (!seePicks(pair, forPicks))
      forPicks = trials;
  }
  return forPicks;
}

/// Trials say what they are asked for here, and need no terms; but where too
/// few roots exist at once, those are drawn as for a bound.
static llvm::Expected<Verdict> tryAt(const SmallerGraphs &pair,
                                     const VerifyOptions &options) {
  VerifyOptions ofTrials = options;
  ofTrials.maxTerms = 0;
  ofTrials.minLargeTrials = countOtherTrials(pair);
  ofTrials.triesOwnSizes = true;
  ofTrials.maxWholeWork = std::numeric_limits<double>::infinity();
  ofTrials.findWitness = {};
  ofTrials.findWitnessAt = {};
  llvm::Expected<Verdict> verdict =
      FieldJudge(pair.lhs, pair.rhs, ofTrials).run();
  if (!verdict || !verdict->lacksTrials)
    return verdict;
  ofTrials.maxTerms = options.maxTerms;
  return FieldJudge(pair.lhs, pair.rhs, ofTrials).run();
}

llvm::Expected<OtherSizeTrials>
mlir::mirage::tryOtherSizes(const Graph &lhs, const Graph &rhs,
                            SizeNumbers numbers, const VerifyOptions &options) {
  constexpr double kMaxBytes = 1 << 28;
  OtherSizeTrials result;
  if (!mayHideDifferences(lhs) && !mayHideDifferences(rhs))
    return result;
  auto pairs = withOtherSizes(lhs, rhs, numbers);
  if (!pairs) {
    result.whyNone = llvm::toString(pairs.takeError());
    return result;
  }
  result.trials = ~0u;
  for (const SmallerGraphs &pair : *pairs) {
    if (estimateTrialBytes(pair.lhs, pair.rhs) > kMaxBytes) {
      result = {};
      result.whyNone = "these are too large, too";
      return result;
    }
    llvm::Expected<Verdict> verdict = tryAt(pair, options);
    if (!verdict)
      return verdict.takeError();
    result.sizes.push_back(printInputSizes(pair.lhs));
    unsigned trials = verdict->ownSizes.trials;
    result.trials = std::min(result.trials, trials);
    result.areFew |= !seeAll(pair, trials);
    result.isCancelled = verdict->isCancelled;
    result.problem = describeProblem(*verdict);
    if (result.isCancelled || !result.problem.empty())
      return result;
  }
  return result;
}
