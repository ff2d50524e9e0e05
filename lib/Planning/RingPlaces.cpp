//===- RingPlaces.cpp - When places of rings are filled again -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Planning/RingPlaces.h"

using namespace mlir::mirage;

int64_t mlir::mirage::chooseHandBack(int64_t threads, int64_t stages) {
  constexpr int64_t kWarpgroup = 128;
  return threads > kWarpgroup ? chooseLateHandBack(stages) : 1;
}

int64_t mlir::mirage::chooseLateHandBack(int64_t stages) {
  return canWaitLate(stages, /*behind=*/2) ? 2 : 1;
}

bool mlir::mirage::areTwoOnTheWay(int64_t stages, int64_t behind) {
  return stages - behind >= 2;
}

bool mlir::mirage::canWaitLate(int64_t stages, int64_t behind) {
  return behind >= 2 && areTwoOnTheWay(stages, behind);
}

bool mlir::mirage::canStartAhead(int64_t iterations, int64_t stages,
                                 int64_t behind) {
  constexpr int64_t kLeastOnTheWay = 3, kLeastIterations = 8;
  return iterations >= kLeastIterations && stages - behind >= kLeastOnTheWay;
}
