//===- SearchReport.cpp - What a search did, as JSON ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Search.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::json::Array;
using llvm::json::Object;

static Object makeCounts(const EnumerationCounts &counts) {
  Object pruned;
  for (unsigned i = 0; i < kNumPruneReasons; ++i)
    pruned[getPruneReasonName(static_cast<PruneReason>(i))] =
        static_cast<int64_t>(counts.pruned[i]);
  return Object{{"states", static_cast<int64_t>(counts.states)},
                {"trials", static_cast<int64_t>(counts.trials)},
                {"pruned", std::move(pruned)}};
}

llvm::StringRef mlir::mirage::search::getCacheUseName(CacheUse use) {
  static constexpr llvm::StringLiteral kNames[] = {"none", "missed",
                                                   "structures", "result"};
  return kNames[static_cast<unsigned>(use)];
}

llvm::json::Value mlir::mirage::search::toJSON(const SearchReport &report) {
  Array rounds;
  for (const SearchRound &round : report.rounds) {
    bool isWrittenOut = round.reading == AtomReading::WrittenOut;
    rounds.push_back(
        Object{{"atoms", isWrittenOut ? "written out" : "functions"},
               {"maxKernels", int64_t(round.maxKernels)},
               {"operators", int64_t(round.numOperators)},
               {"structures", int64_t(round.structures)},
               {"counts", makeCounts(round.counts)}});
  }
  return Object{{"cache", getCacheUseName(report.cache)},
                {"rounds", std::move(rounds)},
                {"counts", makeCounts(report.counts)},
                {"structures", int64_t(report.structures)},
                {"verified", int64_t(report.verified)},
                {"rejected", int64_t(report.rejected)},
                {"filtered", int64_t(report.filtered)},
                {"instances", static_cast<int64_t>(report.instances)},
                {"fitting", static_cast<int64_t>(report.fitting)},
                {"baselineUs", report.baselineUs},
                {"bestUs", report.bestUs},
                {"limitUs", report.limitUs},
                {"seconds", report.seconds}};
}
