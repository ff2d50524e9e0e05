//===- ProxyFences.cpp - What the asynchronous proxy may know -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProxyFences.h"

using namespace mlir::mirage::emulator;

uint32_t ProxyFences::add(uint32_t block, unsigned warp, uint32_t lanes,
                          uint32_t warpLanes, uint32_t clock, uint32_t copies,
                          uint8_t targets) {
  Log &log = logs[{block, warp}];
  log.warpLanes = warpLanes;
  log.fences.push_back({lanes, clock, copies, targets});
  return log.fences.size();
}

uint32_t ProxyFences::findFencedLanes(Epoch moment, uint32_t numKnown,
                                      uint8_t target) const {
  auto found = logs.find({moment.block(), warpOfAgent(moment.agent())});
  if (found == logs.end())
    return 0;
  const Log &log = found->second;
  bool isCopy = !isWarpAgent(moment.agent()) && !isInitAgent(moment.agent());
  uint32_t missing = log.warpLanes;
  // Clocks grow along the log: from the youngest back to those too early.
  for (size_t i = std::min<size_t>(numKnown, log.fences.size());
       i-- > 0 && missing != 0;) {
    const Fence &fence = log.fences[i];
    if ((isCopy ? fence.copies : fence.clock) < moment.clock())
      break;
    if (fence.targets & target)
      missing &= ~fence.lanes;
  }
  return ~missing;
}
