//===- ParallelFor.cpp - Shares a range among threads ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Reference/ParallelFor.h"
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

unsigned mlir::mirage::resolveThreads(unsigned threads) {
  return threads ? threads : std::max(1u, std::thread::hardware_concurrency());
}

void mlir::mirage::parallelFor(
    unsigned threads, int64_t count, int64_t grain,
    llvm::function_ref<void(int64_t begin, int64_t end)> body) {
  int64_t pieces = (count + grain - 1) / grain;
  unsigned workers = std::min<int64_t>(resolveThreads(threads), pieces);
  if (workers <= 1) {
    for (int64_t begin = 0; begin < count; begin += grain)
      body(begin, std::min(begin + grain, count));
    return;
  }
  std::atomic<int64_t> next{0};
  auto work = [&] {
    for (int64_t piece = next++; piece < pieces; piece = next++)
      body(piece * grain, std::min((piece + 1) * grain, count));
  };
  std::vector<std::thread> others;
  for (unsigned worker = 1; worker < workers; ++worker)
    others.emplace_back(work);
  work();
  for (std::thread &other : others)
    other.join();
}
