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

std::optional<EarlyLaunch> mlir::mirage::planEarlyLaunch(int64_t blocksBefore,
                                                         int64_t numBlocks,
                                                         BlockResources block,
                                                         const Target &target) {
  constexpr int64_t kMostDisplaced = 32; // one of so many blocks
  if (numBlocks > getResidentBlocks(block, target) * target.numSMs)
    return std::nullopt;
  // An even distribution has `share` on some SMs, and one less on others.
  const int64_t share = llvm::divideCeil(numBlocks, target.numSMs);
  const int64_t least = numBlocks / target.numSMs;
  const int64_t numTaken = std::min(target.numSMs, blocksBefore);
  const int64_t together =
      std::min(numBlocks, (target.numSMs - numTaken) * share);
  // Of `least` on each SM, what there is.
  const int64_t there = together * least / share +
                        std::min(numBlocks - together, numTaken * least);
  if ((target.numSMs * least - there) * kMostDisplaced > numBlocks)
    return std::nullopt;
  const int64_t bytes = getLimitingBytes(share, target);
  if (bytes == 0)
    return std::nullopt;
  return EarlyLaunch{bytes > block.sharedBytes ? bytes : 0};
}
