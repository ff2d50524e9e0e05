//===- Traffic.cpp - Remembers what accesses of a loop cost ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Traffic.h"

#include "HostKernels.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/bit.h"

using namespace mlir::mirage;
using namespace mlir::mirage::emulator;

bool TrafficCache::matches(Entry &entry, const Addresses &addresses,
                           uint32_t mask, unsigned bytes, uint32_t period) {
  uint32_t phase = addresses[llvm::countr_zero(mask)] % period;
  bool isSame =
      entry.mask == mask && entry.phase == phase && entry.bytes == bytes;
  entry.mask = mask;
  entry.phase = phase;
  entry.bytes = bytes;
  return host::updateOffsets(entry.offsets.data(), addresses.data(), mask) &&
         isSame;
}

static void findRepeats(const Addresses &addresses, uint32_t mask,
                        AccessPattern &pattern) {
  llvm::SmallDenseMap<uint64_t, unsigned, 64> first;
  pattern.firstLanes = pattern.repeatedLanes = 0;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = llvm::countr_zero(rest);
    auto [found, isNew] = first.try_emplace(addresses[lane], lane);
    (isNew ? pattern.firstLanes : pattern.repeatedLanes) |= 1u << found->second;
  }
}

/// Words that are all moved by as much meet in banks as before.
const AccessPattern &TrafficCache::findShared(uint32_t pc, uint32_t warp,
                                              const Addresses &addresses,
                                              uint32_t mask, unsigned bytes,
                                              SharedAccess access) {
  constexpr uint32_t wordBytes = 4;
  Entry &entry = sharedEntries[pc * warpsApart + warp % warpsApart];
  if (!matches(entry, addresses, mask, bytes, wordBytes)) {
    findRepeats(addresses, mask, entry.pattern);
    entry.pattern.wavefronts = countWavefronts(access, bytes, addresses, mask);
  }
  return entry.pattern;
}

const AccessPattern &TrafficCache::findGlobal(uint32_t pc, uint32_t warp,
                                              const Addresses &addresses,
                                              uint32_t mask, unsigned bytes) {
  constexpr uint32_t sectorBytes = 32;
  Entry &entry = globalEntries[pc * warpsApart + warp % warpsApart];
  if (!matches(entry, addresses, mask, bytes, sectorBytes)) {
    findRepeats(addresses, mask, entry.pattern);
    entry.pattern.sectors = countSectors(bytes, addresses, mask);
  }
  return entry.pattern;
}

AccessPattern mlir::mirage::emulator::describeConsecutive(uint64_t address,
                                                          unsigned bytes,
                                                          SharedAccess access) {
  constexpr uint64_t sectorBytes = 32, lanes = 32, all = ~uint32_t(0);
  AccessPattern pattern;
  pattern.firstLanes = all;
  pattern.sectors =
      (address + lanes * bytes - 1) / sectorBytes - address / sectorBytes + 1;
  // As many lanes as go together fill banks one after the other.
  constexpr unsigned rowBytes = 128;
  unsigned together = countLanesTogether(access, bytes);
  unsigned rows = (together * bytes + rowBytes - 1) / rowBytes;
  pattern.wavefronts.needed = pattern.wavefronts.least =
      rows * unsigned(lanes / together);
  return pattern;
}
