//===- WarpRoles.cpp - Warps that load, and warps that compute ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Planning/WarpRoles.h"
#include "Mirage/Layout/LinearLayout.h"
#include "Mirage/Layout/MatrixInstructions.h"
#include "Mirage/Planning/RegisterBudget.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir::mirage;

static constexpr int64_t kWarp = 1 << kLaneBits;
static constexpr int64_t kGroup = kWarpsOfGroup * kWarp;
/// What "setmaxnreg" takes.
static constexpr int64_t kRegisterUnit = 8, kFewestRegisters = 24,
                         kMostRegisters = 256;

/// Registers of a thread when blocks start of which an SM is to hold so many.
static int64_t getStartRegisters(int64_t launchedThreads,
                                 int64_t residentBlocks) {
  int64_t share = Target().registersPerSM / (launchedThreads * residentBlocks);
  return std::min(kMostRegisters, share / kRegisterUnit * kRegisterUnit);
}

static RegisterShares chooseShares(int64_t threads) {
  // Addresses and coordinates of boxes have place in these.
  constexpr int64_t kOfLoading = 40;
  int64_t launched = threads + kGroup;
  int64_t start = getStartRegisters(launched, /*residentBlocks=*/1);
  int64_t left = launched * start - kGroup * kOfLoading;
  return {kOfLoading, std::min(kMostRegisters - kRegisterUnit,
                               left / threads / kRegisterUnit * kRegisterUnit)};
}

/// Whether an SM may hold several blocks at a time, if their code takes as few
/// registers as it does at the best.
static bool mayShareSMs(const BlockResources &block, int64_t numBlocks,
                        const Target &target) {
  return numBlocks > target.numSMs &&
         getOccupancy(block,
                      kLeastRegisters +
                          std::max(block.rowRegisters, block.sumRegisters),
                      target)
                 .blocks > 1;
}

LoadingWarps mlir::mirage::chooseLoadingWarps(const BlockResources &block,
                                              int64_t numBlocks,
                                              const Target &target) {
  if (mayShareSMs(block, numBlocks, target) || !target.hasCopyEngine)
    return {};
  // Warps get registers by fours, so one more takes none from four, nor from
  // others unless it begins the next four.
  bool takesNone = block.threads <= kGroup || block.threads % kGroup != 0;
  if (takesNone && block.threads + kWarp <= target.threadsPerBlock)
    return {1, std::nullopt};
  if (!target.hasWarpgroupProducts || // of which "setmaxnreg" is a part
      block.threads + kGroup > target.threadsPerBlock)
    return {};
  RegisterShares shares = chooseShares(block.threads);
  // What rows are computed with needs registers, too, and what sums grow with.
  if (block.rowRegisters * 3 > shares.ofComputing * 2 ||
      block.sumRegisters + kRegistersBesideSums > shares.ofComputing)
    return {};
  return {kWarpsOfGroup, shares};
}

static llvm::Error verifyShares(const RegisterShares &shares, int64_t number,
                                int64_t threads, int64_t residentBlocks) {
  if (number != kWarpsOfGroup || threads % kGroup != 0)
    return llvm::createStringError(
        "expects registers to change hands between warpgroups of four warps, "
        "got %d warps that load and %d that compute",
        int(number), int(threads / kWarp));
  for (int64_t registers : {shares.ofLoading, shares.ofComputing})
    if (registers < kFewestRegisters || registers > kMostRegisters ||
        registers % kRegisterUnit != 0)
      return llvm::createStringError(
          "expects shares of registers that are multiples of 8 from 24 to 256, "
          "got %d",
          int(registers));
  int64_t launched = threads + kGroup;
  int64_t start = getStartRegisters(launched, residentBlocks);
  std::string of = llvm::formatv("{0} threads", launched);
  if (residentBlocks > 1)
    of += llvm::formatv(" of each of {0} blocks", residentBlocks).str();
  if (shares.ofLoading > start || shares.ofComputing < start)
    return llvm::createStringError(llvm::formatv(
        "expects threads that load to have at most the {0} registers that {1} "
        "start with, and those that compute at least as many, got {2} and {3}",
        start, of, shares.ofLoading, shares.ofComputing));
  int64_t needed = kGroup * shares.ofLoading + threads * shares.ofComputing;
  if (needed > launched * start)
    return llvm::createStringError(llvm::formatv(
        "expects at most the {0} registers that {1} start with, got shares of "
        "{2} in all",
        launched * start, of, needed));
  return llvm::Error::success();
}

llvm::Error mlir::mirage::verify(const LoadingWarps &warps, int64_t threads,
                                 int64_t residentBlocks) {
  if (warps.number < 0 || warps.number > kWarpsOfGroup)
    return llvm::createStringError("expects at most 4 warps that load, got %d",
                                   int(warps.number));
  int64_t most = Target().threadsPerBlock;
  if (int64_t launched = threads + warps.number * kWarp; launched > most)
    return llvm::createStringError(
        "expects at most %d threads with those that load, got %d", int(most),
        int(launched));
  if (warps.shares)
    return verifyShares(*warps.shares, warps.number, threads, residentBlocks);
  return llvm::Error::success();
}
