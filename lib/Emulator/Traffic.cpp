//===- Traffic.cpp - Remembers what accesses of a loop cost ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Traffic.h"

#include "llvm/ADT/bit.h"

using namespace mlir::mirage;
using namespace mlir::mirage::emulator;

bool TrafficCache::matches(Entry &entry, const Addresses &addresses,
                           uint32_t mask, unsigned bytes, uint32_t period) {
  uint64_t base = addresses[llvm::countr_zero(mask)];
  std::array<uint32_t, 32> offsets;
  for (unsigned lane = 0; lane < 32; ++lane)
    offsets[lane] = (mask >> lane & 1) ? uint32_t(addresses[lane] - base) : 0;
  uint32_t phase = base % period;
  if (entry.mask == mask && entry.phase == phase && entry.bytes == bytes &&
      entry.offsets == offsets)
    return true;
  entry.mask = mask;
  entry.phase = phase;
  entry.bytes = bytes;
  entry.offsets = offsets;
  return false;
}

Wavefronts TrafficCache::wavefronts(uint32_t pc, uint32_t warp,
                                    const Addresses &addresses, uint32_t mask,
                                    unsigned bytes, SharedAccess access) {
  Entry &entry = sharedEntries[pc * warpsApart + warp % warpsApart];
  if (!matches(entry, addresses, mask, bytes, 128))
    entry.count = countWavefronts(access, bytes, addresses, mask);
  return entry.count;
}

uint32_t TrafficCache::sectors(uint32_t pc, uint32_t warp,
                               const Addresses &addresses, uint32_t mask,
                               unsigned bytes) {
  Entry &entry = globalEntries[pc * warpsApart + warp % warpsApart];
  if (!matches(entry, addresses, mask, bytes, 32))
    entry.count.needed = countSectors(bytes, addresses, mask);
  return entry.count.needed;
}
