//===- PieceProof.cpp - What is proved piece by piece ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PieceProof.h"
#include "AddLog2.h"
#include "CutPoints.h"
#include "DefinedSomewhere.h"
#include "FieldJudge.h"
#include "SmallProof.h"
#include "TrialMemory.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <limits>

using namespace mlir::mirage;

/// What either replaces.
static void unite(ReplacedNumbers &numbers, const ReplacedNumbers &others) {
  numbers.literals.insert(others.literals.begin(), others.literals.end());
  numbers.maskOffsets.insert(others.maskOffsets.begin(),
                             others.maskOffsets.end());
  numbers.keepsNumbers |= others.keepsNumbers;
}

Verdict mlir::mirage::join(Verdict lhs, Verdict rhs) {
  ErrorBound bound;
  bound.provedLog2 =
      std::min(addLog2(lhs.bound.provedLog2, rhs.bound.provedLog2), 0.0);
  bound.conjecturedLog2 = std::min(
      addLog2(lhs.bound.conjecturedLog2, rhs.bound.conjecturedLog2), 0.0);
  bound.trials = std::min(lhs.bound.trials, rhs.bound.trials);
  bound.towers = std::min(lhs.bound.towers, rhs.bound.towers);
  bool isAnywhere = !lhs.whereBothDefined && !rhs.whereBothDefined;
  unsigned trialsOfLhs = lhs.ownSizes.trials, trialsOfRhs = rhs.ownSizes.trials;
  std::vector<SampledShape> samples = lhs.ownSizes.samples;
  llvm::append_range(samples, rhs.ownSizes.samples);
  bool isOfSmallerSizes = lhs.isOfSmallerSizes || rhs.isOfSmallerSizes;
  bool areFew = lhs.otherSizes.areFew || rhs.otherSizes.areFew;
  ReplacedNumbers replaced = lhs.replaced;
  unite(replaced, rhs.replaced);
  bool isLeftWeaker = lhs.kind != Verdict::Equal ||
                      (rhs.kind == Verdict::Equal &&
                       lhs.bound.provedLog2 >= rhs.bound.provedLog2);
  Verdict sum = std::move(isLeftWeaker ? lhs : rhs);
  sum.bound = bound;
  sum.whereBothDefined = !isAnywhere;
  sum.ownSizes.trials = std::min(trialsOfLhs, trialsOfRhs);
  sum.ownSizes.samples = std::move(samples);
  sum.isOfSmallerSizes = isOfSmallerSizes;
  sum.otherSizes.areFew = areFew;
  sum.isSameGraph = false;
  sum.replaced = std::move(replaced);
  return sum;
}

/// What is proved of one piece, and none if that is nothing.
static std::optional<Verdict> judgePiece(const Graph &lhs, const Graph &rhs,
                                         const VerifyOptions &options) {
  llvm::Expected<Verdict> verdict = FieldJudge(lhs, rhs, options).run();
  if (verdict && verdict->kind == Verdict::Equal &&
      (verdict->isLarge || !verdict->meetsBound())) {
    llvm::Expected<Verdict> small = judgeSmallerSizes(lhs, rhs, options);
    addSmallerSizes(small, *verdict);
  }
  if (!verdict) {
    llvm::consumeError(verdict.takeError());
    return std::nullopt;
  }
  if (!isProved(*verdict, options))
    return std::nullopt;
  if (verdict->isOfSmallerSizes) {
    llvm::Expected<OtherSizeTrials> others =
        tryOtherSizes(lhs, rhs, verdict->replaced.getNumbers(), options);
    if (!others) {
      llvm::consumeError(others.takeError());
      return std::nullopt;
    }
    if (others->isCancelled || !others->problem.empty())
      return std::nullopt;
    verdict->otherSizes = std::move(*others);
  }
  return std::move(*verdict);
}

/// The verdict on graphs that were cut where they have values in common; none
/// if there is no proof. Of all pairs that may be asked about, those that were
/// denied among them, each is taken wrongly with what the weakest piece proves
/// at most, where that many pieces were taken.
static std::optional<Verdict> judgeInPieces(const Graph &lhs, const Graph &rhs,
                                            const VerifyOptions &options) {
  VerifyOptions ofPieces = options;
  ofPieces.findWitness = {};
  ofPieces.findWitnessAt = {};
  ofPieces.errorBoundBits += llvm::Log2_32_Ceil(kMaxPieces);
  std::optional<Verdict> sum;
  ErrorBound weakest;
  weakest.provedLog2 = weakest.conjecturedLog2 =
      -std::numeric_limits<double>::infinity();
  unsigned number = 0;
  auto areEqual = [&](const Graph &left, const Graph &right) {
    ofPieces.seed = deriveSeed(options.seed, "piece", ++number);
    std::optional<Verdict> verdict = judgePiece(left, right, ofPieces);
    if (!verdict)
      return false;
    weakest.provedLog2 =
        std::max(weakest.provedLog2, verdict->bound.provedLog2);
    weakest.conjecturedLog2 =
        std::max(weakest.conjecturedLog2, verdict->bound.conjecturedLog2);
    unsigned pieces = sum ? sum->pieces + 1 : 1;
    sum = sum ? join(std::move(*sum), std::move(*verdict)) : std::move(verdict);
    sum->pieces = pieces;
    return true;
  };
  if (!proveInPieces(lhs, rhs, deriveSeed(options.seed, "pieces", 0),
                     std::min(options.maxBytes, kMaxSmallBytes), areEqual))
    return std::nullopt;
  double asked = std::log2(kMaxPieces);
  sum->bound.provedLog2 = std::min(weakest.provedLog2 + asked, 0.0);
  sum->bound.conjecturedLog2 = std::min(weakest.conjecturedLog2 + asked, 0.0);
  sum->askedBits = options.errorBoundBits;
  return sum;
}

void mlir::mirage::addPieces(const Graph &lhs, const Graph &rhs,
                             const VerifyOptions &options, Verdict &verdict) {
  std::optional<Verdict> sum = judgeInPieces(lhs, rhs, options);
  if (!sum || sum->bound.provedLog2 >= verdict.bound.provedLog2)
    return;
  sum->isLarge = verdict.isLarge;
  sum->ownSizes = verdict.ownSizes;
  // What no trial of the whole counted for may be defined nowhere.
  if (verdict.lacksTrials &&
      findDefined(lhs, rhs).kind != Definedness::Somewhere)
    return;
  sum->whereBothDefined |= verdict.whereBothDefined;
  verdict = std::move(*sum);
}
