//===- MeasuredRanking.cpp - Candidates by what was measured --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MeasuredRanking.h"
#include "Mirage/Graph/CanonicalGraph.h"
#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace mlir::mirage;

/// 90 of "sm_90a"; none of what has no number.
static std::optional<int> getCapability(llvm::StringRef target) {
  int capability = 0;
  target.consume_front("sm_");
  return target.consumeInteger(10, capability) ? std::nullopt
                                               : std::optional(capability);
}

bool mlir::mirage::isOfTarget(const MeasuredTime &time,
                              llvm::StringRef target) {
  std::optional<int> capability = getCapability(target);
  return !capability || *capability == time.computeCapability;
}

llvm::Error mlir::mirage::checkTimes(llvm::ArrayRef<MeasuredTime> times,
                                     llvm::StringRef target) {
  if (times.empty())
    return llvm::Error::success();
  const MeasuredTime &first = times.front();
  for (const MeasuredTime &time : times)
    if (time.device != first.device)
      return llvm::createStringError(
          "expects times of one device, got some of " + first.device +
          " and some of " + time.device);
  if (isOfTarget(first, target))
    return llvm::Error::success();
  return llvm::createStringError(
      "expects times of an sm_" + llvm::Twine(*getCapability(target)) +
      ", got those of " + first.device + ", which is an sm_" +
      llvm::Twine(first.computeCapability));
}

/// The least of the times that count; `reason` is why none does.
static std::optional<double>
findTime(llvm::ArrayRef<MeasuredTime> times,
         llvm::function_ref<bool(const MeasuredTime &)> isMeant,
         std::string &reason) {
  std::optional<double> least;
  for (const MeasuredTime &time : times) {
    if (!isMeant(time))
      continue;
    if (time.verdict != MeasuredVerdict::Right)
      reason = (getVerdictName(time.verdict) + ": " + time.reason).str();
    else if (!least || time.coldUs.median < *least)
      least = time.coldUs.median;
  }
  return least;
}

MeasuredRanking::MeasuredRanking(llvm::ArrayRef<MeasuredTime> times,
                                 llvm::ArrayRef<search::Candidate> candidates) {
  std::string reason;
  baselineUs = findTime(
      times, [](const MeasuredTime &time) { return time.isBaseline; }, reason);
  for (const search::Candidate &candidate : candidates) {
    std::string hash = hashGraph(candidate.graph);
    reason.clear();
    std::optional<double> timeUs = findTime(
        times, [&](const MeasuredTime &time) { return time.graph == hash; },
        reason);
    if (timeUs)
      ranking.push_back({&candidate, *timeUs});
    else if (!reason.empty())
      refused.push_back({toString(candidate.structure), candidate.predictedUs,
                         "was measured, and is " + reason});
  }
  llvm::sort(ranking,
             [](const RankedCandidate &lhs, const RankedCandidate &rhs) {
               return std::tie(lhs.timeUs, lhs.candidate) <
                      std::tie(rhs.timeUs, rhs.candidate);
             });
}
