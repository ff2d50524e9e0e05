//===- AsyncGroups.cpp - Groups of cp.async of a warp's lanes -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncGroups.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace mlir::mirage::emulator;

template <typename Visitor>
static void forEachLane(uint32_t lanes, Visitor visit) {
  for (; lanes; lanes &= lanes - 1)
    visit(llvm::countr_zero(lanes));
}

uint32_t AsyncGroups::add(uint32_t lanes, uint32_t known) {
  // Lanes that learn from mbarriers that copies are done never wait for groups.
  auto isKnown = [&](const Stretch &stretch) {
    return stretch.number <= known;
  };
  if (!stretches.empty() && isKnown(stretches.front()))
    llvm::erase_if(stretches, isKnown);
  if (stretches.empty() || stretches.back().number != numEnded + 1) {
    stretches.emplace_back();
    stretches.back().number = numEnded + 1;
  }
  Stretch &open = stretches.back();
  open.lanes |= lanes;
  forEachLane(lanes,
              [&](unsigned lane) { open.groups[lane] = openGroup(lane); });
  return open.number;
}

void AsyncGroups::commit(uint32_t lanes) {
  forEachLane(lanes, [&](unsigned lane) { ++committed[lane]; });
  ++numEnded;
}

void AsyncGroups::wait(uint32_t lanes, uint32_t pending) {
  forEachLane(lanes, [&](unsigned lane) {
    if (committed[lane] > pending)
      waited[lane] = std::max(waited[lane], committed[lane] - pending);
  });
  for (Stretch &stretch : stretches)
    forEachLane(stretch.lanes & lanes, [&](unsigned lane) {
      if (stretch.groups[lane] <= waited[lane])
        stretch.lanes &= ~(1u << lane);
    });
  llvm::erase_if(stretches,
                 [](const Stretch &stretch) { return stretch.lanes == 0; });
}

uint32_t AsyncGroups::tell(uint32_t lanes) {
  ++numEnded;
  uint32_t all = numEnded;
  for (Stretch &stretch : stretches) {
    stretch.told |= lanes;
    if (stretch.lanes & ~stretch.told)
      all = std::min(all, stretch.number - 1);
  }
  return all;
}

uint32_t AsyncGroups::findDone() const {
  return stretches.empty() ? numEnded : stretches.front().number - 1;
}
