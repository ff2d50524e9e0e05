//===- EarlyLaunch.cpp - A launch beside the one before it ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Planning/EarlyLaunch.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir::mirage;

/// The least shared memory of a block of which an SM holds no more than
/// `mostBlocks`; 0 where no block can have as much, or as many would not fit.
static int64_t getLimitingBytes(int64_t mostBlocks, const Target &target) {
  constexpr int64_t kGranule = 128; // in which blocks get shared memory
  int64_t bytes = llvm::alignTo(target.sharedBytesPerSM / (mostBlocks + 1) + 1 -
                                    kSystemSharedBytes,
                                kGranule);
  bool fits =
      bytes <= target.sharedBytesPerBlock &&
      mostBlocks * (bytes + kSystemSharedBytes) <= target.sharedBytesPerSM;
  return fits ? bytes : 0;
}

/// The SMs that can have blocks.
static int64_t countSMs(const LaunchedBlocks &launch, const Target &target) {
  return launch.clusterBlocks > 1 ? target.getClusteredSMs(launch.clusterBlocks)
                                  : target.numSMs;
}

static bool fitAtOnce(const LaunchedBlocks &launch, const Target &target) {
  return launch.number <=
         getResidentBlocks(launch.block, target) * countSMs(launch, target);
}

std::optional<EarlyLaunch>
mlir::mirage::planEarlyLaunch(const LaunchedBlocks &before,
                              const LaunchedBlocks &launch,
                              const Target &target) {
  constexpr int64_t kLeastLacking = 32; // one of so many blocks is too much
  if (!fitAtOnce(launch, target))
    return std::nullopt;
  // An even distribution has `share` on some SMs, and one less on others.
  const int64_t numSMs = countSMs(launch, target);
  const int64_t share = llvm::divideCeil(launch.number, numSMs);
  const int64_t least = launch.number / numSMs;
  const int64_t numTaken =
      fitAtOnce(before, target) ? std::min(numSMs, before.number) : 0;
  const int64_t together = std::min(launch.number, (numSMs - numTaken) * share);
  // Of `least` on each SM, what there is.
  const int64_t there = together * least / share +
                        std::min(launch.number - together, numTaken * least);
  if ((numSMs * least - there) * kLeastLacking > launch.number)
    return std::nullopt;
  const int64_t bytes = getLimitingBytes(share, target);
  if (bytes == 0)
    return std::nullopt;
  return EarlyLaunch{bytes > launch.block.sharedBytes ? bytes : 0};
}
