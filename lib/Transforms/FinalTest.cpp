//===- FinalTest.cpp - Whether a candidate is taken -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FinalTest.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::mirage;

/// Another candidate that has the bound that is asked for has it soon, or
/// never.
static constexpr unsigned kShareOfOthers = 16;

/// By trials that the certificate names, so that they can be repeated. None
/// if the graphs are not taken for equal.
std::optional<FinalTest::Proof> FinalTest::prove(const Graph &claimed,
                                                 const Graph &graph,
                                                 bool isBrief,
                                                 bool mayBeUnknown) {
  Proof proof;
  proof.certificate = makeCertificate(claimed, graph, options.search.seed,
                                      options.errorBoundBits);
  std::optional<Verdict> verdict =
      take(proveCertified(proof.certificate, claimed, graph,
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
bool FinalTest::proveExactly(const Graph &graph, Proof &proof) {
  llvm::Expected<Verdict> verdict = proveCertifiedExactly(
      proof.certificate, program, graph, [this] { return isProofOver(); });
  if (!verdict)
    llvm::consumeError(verdict.takeError());
  else if (verdict->kind == Verdict::Equal)
    proof.verdict = std::move(*verdict);
  setFigures(proof.verdict, proof.certificate);
  return proof.verdict.kind == Verdict::Equal;
}

std::optional<FinalTest::Judged>
FinalTest::prove(const search::Candidate &candidate, bool isBrief) {
  bool isInParts = candidate.claims.size() > 1;
  std::optional<Proof> whole =
      prove(program, candidate.graph, isBrief, /*mayBeUnknown=*/isInParts);
  if (!whole)
    return std::nullopt;
  Judged judged{&candidate, std::move(*whole), {}, isBrief};
  if (judged.whole.verdict.kind == Verdict::Equal)
    return judged;
  bool isExact = !isProofOver() && proveExactly(candidate.graph, judged.whole);
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
bool FinalTest::isOver() const {
  return isInterrupted() ||
         hasPassed(2 * std::chrono::seconds(options.search.timeLimitS));
}

/// The same of that judgement, without which the search was for nothing: it
/// has some seconds in any case, also where the search is interrupted.
bool FinalTest::isProofOver() {
  constexpr std::chrono::seconds kInAnyCase{5};
  auto now = Clock::now();
  if (isInterrupted() && !interruptedAt)
    interruptedAt = now;
  return (interruptedAt && now - *interruptedAt > kInAnyCase) ||
         hasPassed(2 * std::chrono::seconds(options.search.timeLimitS) +
                   kInAnyCase);
}

bool FinalTest::isInterrupted() const {
  return options.search.isInterrupted && options.search.isInterrupted();
}

/// Of a search that has a limit.
bool FinalTest::hasPassed(Clock::duration time) const {
  return options.search.timeLimitS != 0 && Clock::now() - start > time;
}

/// Field arithmetic does some 3·10⁹ multiply-adds a second and core; a test
/// of more than this takes longer than everything else together. The
/// structure has been tested, with a bound, at small sizes all the same, and
/// of its own sizes a sample will do.
static constexpr double kMaxWork = 0x1p33;

VerifyOptions
FinalTest::getOwnSizeOptions(const Certificate &certificate) const {
  VerifyOptions final;
  final.seed = deriveSeed(getSeed(certificate), "own sizes", 0);
  final.errorBoundBits = options.errorBoundBits;
  final.maxWholeWork = final.maxSampleWork = kMaxWork;
  final.isCancelled = [this] { return isOver(); };
  return final;
}

std::optional<Verdict> FinalTest::tryOwnSizes(const Graph &claimed,
                                              const Graph &graph,
                                              const Proof &proof) {
  if (!proof.verdict.isLarge)
    return proof.verdict; // was at these
  VerifyOptions final = getOwnSizeOptions(proof.certificate);
  bool isProved = proof.verdict.bound.provedLog2 < 0;
  llvm::Expected<Verdict> verdict =
      isProved ? verifyAtOwnSizes(claimed, graph, final)
               : verifyEqual(claimed, graph, final);
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

std::optional<Verdict> FinalTest::tryOwnSizes(const Judged &judged) {
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
std::optional<Verdict> FinalTest::take(llvm::Expected<Verdict> verdict,
                                       bool mayBeUnknown) {
  if (!verdict) {
    whyNot = llvm::toString(verdict.takeError());
    return std::nullopt;
  }
  bool isOpen = verdict->kind == Verdict::Unknown && !verdict->disagreement;
  if (verdict->kind == Verdict::Equal || (isOpen && mayBeUnknown))
    return std::move(*verdict);
  whyNot = "the final test of a candidate says " +
           getVerdictName(verdict->kind).str() + ": " + verdict->reason;
  return std::nullopt;
}
