//===- ProgressTeller.h - Searches that are heard of ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_TRANSFORMS_PROGRESSTELLER_H
#define MIRAGE_LIB_TRANSFORMS_PROGRESSTELLER_H

#include "Mirage/Transforms/SearchMonitor.h"
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace mlir::mirage {

/// Tells a monitor how far a search is: what the search says, when it says it,
/// and in its long steps, as the final test of a large graph, the same again
/// with the time that has passed, from a thread of its own. So from the first
/// note on there is one every second, one at a time.
class ProgressTeller {
public:
  ProgressTeller(const SearchMonitor &monitor, std::string function);
  ~ProgressTeller();

  void note(const search::SearchProgress &progress);

private:
  using Clock = std::chrono::steady_clock;

  void repeat();

  const SearchMonitor &monitor;
  const std::string function;
  std::mutex mutex;
  std::condition_variable hasEnded;
  bool isOver = false;
  std::optional<search::SearchProgress> last;
  Clock::time_point notedAt; ///< by the search
  Clock::time_point toldAt;
  std::thread repeater; ///< last, as it uses all of the above
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_TRANSFORMS_PROGRESSTELLER_H
