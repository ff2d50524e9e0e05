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
#include "SignDegree.h"
#include "TrialMemory.h"
#include "UsedFunctions.h"
#include "WrittenGraph.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

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

std::string mlir::mirage::addSmallerSizes(llvm::Expected<Verdict> &small,
                                          Verdict &verdict) {
  if (!small)
    return llvm::toString(small.takeError());
  if (small->disagreement)
    return llvm::formatv("element {0} of output {1} differs over a field",
                         small->disagreement->element,
                         small->disagreement->output);
  if (small->kind != Verdict::Equal)
    return small->reason;
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

/// What one of some ten elements has to hide shows in one trial of ten, and
/// what one pattern of signs has, in one of all of these: enough trials for
/// that, if they take no time.
static unsigned countOtherTrials(const Graph &lhs, const Graph &rhs) {
  constexpr unsigned kFewest = 64, kMost = 2048;
  constexpr double kMostWork = 1 << 24;
  unsigned degree = std::max(computeSignDegree(lhs), computeSignDegree(rhs));
  double work = std::max(countWork(lhs), countWork(rhs));
  unsigned trials = kFewest;
  while (mayMissPattern(degree, trials) && trials < kMost &&
         2 * trials * work <= kMostWork)
    trials *= 2;
  return trials;
}

llvm::Expected<OtherSizeTrials>
mlir::mirage::tryOtherSizes(const Graph &lhs, const Graph &rhs,
                            SizeNumbers numbers, const VerifyOptions &options) {
  OtherSizeTrials result;
  auto hidesSome = [](const Graph &graph) {
    return picksValues(graph) || losesSigns(graph);
  };
  if (!hidesSome(lhs) && !hidesSome(rhs))
    return result;
  llvm::Expected<SmallerGraphs> pair =
      withSmallerSizes(lhs, rhs, numbers, SizeChoice::Others);
  if (!pair) {
    llvm::consumeError(pair.takeError());
    return result;
  }
  if (estimateTrialBytes(pair->lhs, pair->rhs) >
      std::min(options.maxBytes, kMaxSmallBytes))
    return result;
  // Trials say what they are asked for here, and need no terms.
  VerifyOptions ofTrials = options;
  ofTrials.maxTerms = 0;
  ofTrials.minLargeTrials = countOtherTrials(pair->lhs, pair->rhs);
  ofTrials.triesOwnSizes = true;
  ofTrials.findWitness = {};
  ofTrials.findWitnessAt = {};
  llvm::Expected<Verdict> verdict =
      FieldJudge(pair->lhs, pair->rhs, ofTrials).run();
  if (!verdict)
    return verdict.takeError();
  result.isCancelled = verdict->isCancelled;
  if (verdict->disagreement)
    result.disagreement = llvm::formatv(
        "element {0} of output {1} differs over a field",
        verdict->disagreement->element, verdict->disagreement->output);
  if (verdict->disagreement || verdict->kind == Verdict::Equal) {
    result.sizes = printInputSizes(pair->lhs);
    result.trials = verdict->ownSizes.trials;
  }
  return result;
}
