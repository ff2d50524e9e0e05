//===- CandidateChooser.cpp - The cheapest that are right -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CandidateChooser.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;

CandidateChooser::CandidateChooser(const TargetProgram &program,
                                   const Graph &original,
                                   const RewrittenProgram &rewritten,
                                   const SearchOptions &options,
                                   std::function<bool()> isOver)
    : program(program), original(original), rewritten(rewritten),
      options(options), judge(options.verify, options.seed, std::move(isOver)) {
}

void CandidateChooser::finish(Candidate &candidate) const {
  if (candidate.plans.empty()) // the pool has seen that there are some
    candidate.plans = *planKernels(program, candidate.structure);
  candidate.graph = rewritten.withBody(
      buildGraph(program, candidate.structure, candidate.plans,
                 program.getExtents(), candidate.tilings));
  Claim claim;
  claim.program = original;
  claim.graph = candidate.graph;
  claim.testPairs =
      buildTestPairs(program, candidate.structure, candidate.plans);
  candidate.claims.push_back(std::move(claim));
}

static void noteMiss(SearchResult &result, const Candidate &candidate,
                     llvm::StringRef why) {
  result.addNearMiss(
      {toString(candidate.structure), candidate.predictedUs, why.str()});
}

bool CandidateChooser::isRight(Candidate &candidate, SearchResult &result) {
  if (!options.judgesCandidates)
    return true;
  using Ruling = CandidateJudge::Ruling;
  auto [entry, isNew] = rulings.try_emplace(toString(candidate.structure));
  if (isNew) {
    finish(candidate);
    entry->second = judge.judge(candidate.claims[0].testPairs);
  }
  const auto &[ruling, why] = entry->second;
  if (ruling == Ruling::Equal)
    return true;
  noteMiss(result, candidate, why);
  outOfTime |= ruling == Ruling::OutOfTime;
  if (ruling == Ruling::OutOfTime)
    return false;
  ++result.report.rejected;
  result.report.filtered += ruling == Ruling::Filtered;
  result.report.unstable += ruling == Ruling::Unstable;
  cannotJudge |= ruling == Ruling::CannotJudge;
  return false;
}

void CandidateChooser::choose(
    SearchResult &result,
    llvm::function_ref<bool(const Candidate *, const Candidate &)> goesOn) {
  SearchReport &report = result.report;
  report.verified = report.rejected = report.filtered = report.unstable = 0;
  result.nearMisses.clear();
  std::vector<Candidate> chosen;
  for (Candidate &candidate : result.candidates) {
    if (chosen.size() == options.numCandidates || cannotJudge ||
        !goesOn(chosen.empty() ? nullptr : &chosen.front(), candidate))
      break;
    if (!isRight(candidate, result))
      continue;
    if (candidate.claims.empty())
      finish(candidate);
    report.verified += options.judgesCandidates;
    if (candidate.predictedUs >= report.baselineUs)
      noteMiss(result, candidate,
               "is no cheaper than the operators one by one");
    chosen.push_back(std::move(candidate));
  }
  result.candidates = std::move(chosen);
}
