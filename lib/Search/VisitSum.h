//===- VisitSum.h - What searches that follow one another visit -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_VISITSUM_H
#define MIRAGE_LIB_SEARCH_VISITSUM_H

#include "Mirage/Search/Search.h"
#include <algorithm>

namespace mlir::mirage::search {

/// Tells the progress of searches that follow one another, as those of the
/// parts of a program, as that of one: what was visited never falls. A search
/// by itself may take some of it back: threads give up what they have begun
/// behind a limit, and a report is of the last walk alone where a space was
/// walked again.
class VisitSum {
public:
  /// Adds what earlier searches have visited to the progress of the one that
  /// goes on.
  void add(SearchProgress &progress) {
    states = std::max(states, progress.states);
    structures = std::max(structures, progress.structures);
    progress.states = earlierStates + states;
    progress.structures = earlierStructures + structures;
  }

  /// The search that went on has come to this report.
  void end(const SearchReport &report) {
    earlierStates += std::max(states, report.counts.states);
    earlierStructures += std::max<uint64_t>(structures, report.structures);
    states = structures = 0;
  }

private:
  uint64_t earlierStates = 0, earlierStructures = 0;
  uint64_t states = 0, structures = 0; ///< of the search that goes on
};

/// The options of several searches of one program, whose progress is told as
/// that of one.
class SearchSequence {
public:
  explicit SearchSequence(const SearchOptions &options) : options(options) {}
  SearchSequence(const SearchSequence &) = delete;

  /// For the next one; where nobody listens, those that were given. Refers to
  /// this object.
  SearchOptions makeOptions() {
    SearchOptions own = options;
    if (options.onProgress)
      own.onProgress = [this](SearchProgress progress) {
        visits.add(progress);
        if (bestUs)
          progress.bestUs = std::min(progress.bestUs, *bestUs);
        options.onProgress(progress);
      };
    return own;
  }

  /// The search that went on has come to this report.
  void end(const SearchReport &report) {
    visits.end(report);
    bestUs = std::min(bestUs.value_or(report.bestUs), report.bestUs);
  }

private:
  const SearchOptions &options;
  VisitSum visits;
  std::optional<double> bestUs; ///< of those that have ended
};

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_VISITSUM_H
