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

namespace mlir::mirage::search {

/// How far a search is is told at most once in so many seconds.
constexpr double kProgressIntervalS = 0.1;

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

} // namespace mlir::mirage::search

#endif // MIRAGE_LIB_SEARCH_SEARCHCLOCK_H
