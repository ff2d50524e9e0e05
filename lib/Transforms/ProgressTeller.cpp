//===- ProgressTeller.cpp - Searches that are heard of --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgressTeller.h"

using namespace mlir::mirage;

/// After so long without a note the last one is told again.
static constexpr std::chrono::milliseconds kSilence{500};

ProgressTeller::ProgressTeller(const SearchMonitor &monitor,
                               std::string function)
    : monitor(monitor), function(std::move(function)),
      repeater([this] { repeat(); }) {}

ProgressTeller::~ProgressTeller() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isOver = true;
  }
  hasEnded.notify_all();
  repeater.join();
}

void ProgressTeller::note(const search::SearchProgress &progress) {
  std::lock_guard<std::mutex> lock(mutex);
  last = progress;
  notedAt = toldAt = Clock::now();
  monitor.note(function, progress);
}

void ProgressTeller::repeat() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!hasEnded.wait_for(lock, kSilence / 2, [this] { return isOver; })) {
    Clock::time_point now = Clock::now();
    if (!last || now - toldAt < kSilence)
      continue;
    search::SearchProgress progress = *last;
    progress.seconds += std::chrono::duration<double>(now - notedAt).count();
    toldAt = now;
    monitor.note(function, progress);
  }
}
