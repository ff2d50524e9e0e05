//===- EarlierGrids.cpp - What grids before this one may still do ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EarlierGrids.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage::emulator;

void EarlierGrids::finish() {
  llvm::sort(uses,
             [](const Use &a, const Use &b) { return a.begin < b.begin; });
  uint64_t farthest = 0;
  for (const Use &use : uses)
    reach.push_back(farthest = std::max(farthest, use.end));
}

const EarlierGrids::Use *EarlierGrids::findConflict(uint64_t begin,
                                                    uint64_t end, bool isWrite,
                                                    bool hasWaited) const {
  size_t index = llvm::lower_bound(uses, end,
                                   [](const Use &use, uint64_t address) {
                                     return use.begin < address;
                                   }) -
                 uses.begin();
  while (index-- > 0 && reach[index] > begin) {
    const Use &use = uses[index];
    if (use.end > begin && (use.isWrite || isWrite) &&
        !(hasWaited && use.endsAtWait))
      return &use;
  }
  return nullptr;
}
