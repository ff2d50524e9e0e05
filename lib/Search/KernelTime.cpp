//===- KernelTime.cpp - The parts of a kernel's predicted time ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/KernelTime.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include <cmath>
#include <iterator>

using namespace mlir::mirage;
using namespace mlir::mirage::search;

llvm::StringRef mlir::mirage::search::getKernelBoundName(KernelBound bound) {
  switch (bound) {
  case KernelBound::Launch:
    return "launch";
  case KernelBound::Join:
    return "join of blocks";
  case KernelBound::DeviceMemory:
    return "device memory";
  case KernelBound::Cache:
    return "L2";
  case KernelBound::Latency:
    return "latency of blocks";
  case KernelBound::Loads:
    return "loads of an SM";
  case KernelBound::Arithmetic:
    return "arithmetic of an SM";
  }
  llvm_unreachable("all bounds are handled");
}

static double raise(double us) { return us * us * us * us; }

/// Exact roots, so that machines agree.
static double lower(double raised) { return std::sqrt(std::sqrt(raised)); }

double mlir::mirage::search::getOverlappedUs(double a, double b, double c) {
  return lower(raise(a) + raise(b) + raise(c));
}

double mlir::mirage::search::raiseToOverlap(double a, double b, double c,
                                            double leastUs) {
  return std::max(a,
                  lower(std::max(raise(leastUs) - raise(b) - raise(c), 0.0)));
}

double KernelTime::getUs() const {
  return launchUs + joinUs + getOverlappedUs(blocksUs, memoryUs, cacheUs);
}

KernelBound KernelTime::getBound() const {
  const std::pair<double, KernelBound> blockParts[] = {
      {blockShares.latencyUs, KernelBound::Latency},
      {blockShares.loadUs, KernelBound::Loads},
      {blockShares.computeUs, KernelBound::Arithmetic}};
  // Blocks compete as a whole: what they do in turn is no rival of itself.
  const std::pair<double, KernelBound> parts[] = {
      {blocksUs, llvm::max_element(blockParts)->second},
      {memoryUs, KernelBound::DeviceMemory},
      {cacheUs, KernelBound::Cache},
      {launchUs, KernelBound::Launch},
      {joinUs, KernelBound::Join}};
  return std::max_element(std::begin(parts), std::end(parts),
                          [](const auto &lhs, const auto &rhs) {
                            return lhs.first < rhs.first;
                          })
      ->second;
}
