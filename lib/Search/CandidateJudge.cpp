//===- CandidateJudge.cpp - Whether candidates are right ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CandidateJudge.h"
#include "FloatFilter.h"
#include "Mirage/Graph/CanonicalGraph.h"
#include "Mirage/Reference/Stability.h"
#include "Mirage/Verify/Verify.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;

StructureVerifier
mlir::mirage::search::makeFieldVerifier(uint64_t seed,
                                        std::function<bool()> isCancelled) {
  return [seed, isCancelled = std::move(isCancelled)](const Graph &program,
                                                      const Graph &candidate) {
    VerifyOptions options;
    options.isCancelled = isCancelled;
    options.seed = hashToSeed("search " + std::to_string(seed));
    options.errorBoundBits = kSearchErrorBoundBits;
    options.minTowers = 1;
    options.maxTowers = kSearchMaxTowers;
    llvm::Expected<Verdict> verdict = verifyEqual(program, candidate, options);
    if (!verdict) { // only graphs with other inputs or outputs
      assert(false && "a candidate has the program's signature");
      llvm::consumeError(verdict.takeError());
      return false;
    }
    return verdict->kind == Verdict::Equal;
  };
}

/// What the candidate loses to rounding and overflow, on inputs that are hard,
/// and the program does not. At small sizes: what is lost for the length of a
/// sum alone is not seen.
static std::optional<std::string> findLoss(const TestPair &pair,
                                           uint64_t seed) {
  StabilityOptions options;
  options.seed = seed;
  options.draws = 1;
  options.onlyLosses = true;
  std::optional<Instability> found =
      llvm::cantFail(findInstability(pair.program, pair.candidate, options),
                     "both are verified graphs of one interface");
  if (!found)
    return std::nullopt;
  return toString(*found, pair.program);
}

CandidateJudge::Judgement
CandidateJudge::judge(llvm::ArrayRef<TestPair> pairs) {
  const Judgement outOfTime = {Ruling::OutOfTime,
                               "there was no time left to judge it"};
  if (isOver())
    return outOfTime;
  for (const TestPair &pair : pairs)
    if (filter.rejects(pair))
      return {Ruling::Filtered, "differs from the program in a quick test"};
  for (const TestPair &pair : pairs)
    if (!isFiniteWhereProgramIs(pair, seed))
      return {Ruling::Filtered, "has no value where the program has one"};
  for (const TestPair &pair : pairs) {
    if (verifier(pair.program, pair.candidate))
      continue;
    if (isOver())
      return outOfTime;
    return {filter.hasTrials(pair) ? Ruling::Different : Ruling::CannotJudge,
            "was not found equal by the verifier"};
  }
  for (const TestPair &pair : pairs)
    if (std::optional<std::string> loss = findLoss(pair, seed))
      return {Ruling::Unstable, "loses its numbers: " + *loss};
  return {};
}
