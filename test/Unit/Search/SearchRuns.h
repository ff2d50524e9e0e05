//===- SearchRuns.h - Searches and what they say ----------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_SEARCH_SEARCHRUNS_H
#define MIRAGE_TEST_UNIT_SEARCH_SEARCHRUNS_H

#include "Mirage/Search/Search.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::mirage::test {

inline search::SearchResult run(const Graph &graph,
                                const search::SearchOptions &options) {
  return llvm::cantFail(search::superoptimize(graph, options));
}

/// All that a search says, but for how long it took and what it was spared.
inline std::string describe(search::SearchResult result) {
  result.report = withoutTimes(result.report);
  result.report.recalled = 0;
  std::string text =
      llvm::formatv("{0} {1}\n", getStopReasonName(result.stopReason),
                    search::toJSON(result.report));
  for (const search::Candidate &candidate : result.candidates)
    text +=
        llvm::formatv("{0}\n{1}{2}\n", candidate.predictedUs,
                      toString(candidate.structure), toString(candidate.graph));
  return text;
}

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_UNIT_SEARCH_SEARCHRUNS_H
