//===- SmallProof.cpp - What smaller sizes prove of a pair
//-------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SmallProof.h"
#include "FieldJudge.h"
#include "Mirage/Verify/VerdictJSON.h"
#include "TrialMemory.h"
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
  verdict.replaced = std::move(small->replaced);
  verdict.whereBothDefined = small->whereBothDefined;
  return "";
}
