//===- SearchClock.h - How long a search may go on --------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_SEARCHCLOCK_H
#define MIRAGE_LIB_SEARCH_SEARCHCLOCK_H

#include <chrono>
#include <limits>
#include <optional>

namespace mlir::mirage::search {

/// How far a search is is told at most once in so many seconds.
constexpr double kProgressIntervalS = 0.1;

/// What was found is judged for so long in any case, though the search is over.
constexpr double kJudgingInAnyCaseS = 5;

/// Runs from when it is made.
class SearchClock {
public:
  /// \param limitS  seconds; 0: none.
  explicit SearchClock(unsigned limitS = 0)
      : SearchClock(limitS ? double(limitS)
                           : std::numeric_limits<double>::infinity()) {}

  double getSeconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  }
  bool isOut() const { return getSeconds() > limitS; }
  /// Whether there is no time left to judge what was found either, which takes
  /// as long again and some seconds at the most.
  bool isJudgingOut() const {
    return getSeconds() > 2 * limitS + kJudgingInAnyCaseS;
  }
  /// For the first of two searches, that makes this one's time do for both.
  SearchClock startHalf() const {
    return SearchClock((limitS - getSeconds()) / 2);
  }

private:
  explicit SearchClock(double limitS)
      : start(std::chrono::steady_clock::now()), limitS(limitS) {}

  std::chrono::steady_clock::time_point start;
  double limitS;
};

/// How long what a search has found is judged: until there is no time left or,
/// once the search is interrupted, some seconds.
class JudgingClock {
public:
  explicit JudgingClock(const SearchClock &clock) : clock(clock) {}

  /// To be asked all the while, by one thread.
  bool isOver(bool isInterrupted) {
    if (isInterrupted && !sinceInterrupt)
      sinceInterrupt.emplace();
    return clock.isJudgingOut() ||
           (sinceInterrupt &&
            sinceInterrupt->getSeconds() > kJudgingInAnyCaseS);
  }

private:
  const SearchClock &clock;
  std::optional<SearchClock> sinceInterrupt;
};

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_SEARCHCLOCK_H
