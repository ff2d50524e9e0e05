//===- Traffic.cpp - Remembers what accesses of a loop cost ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Traffic.h"

#include "HostKernels.h"

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

/// Words that are all moved by as much meet in banks as before.
Wavefronts TrafficCache::wavefronts(uint32_t pc, uint32_t warp,
                                    const Addresses &addresses, uint32_t mask,
                                    unsigned bytes, SharedAccess access) {
  constexpr uint32_t wordBytes = 4;
  Entry &entry = sharedEntries[pc * warpsApart + warp % warpsApart];
  if (!matches(entry, addresses, mask, bytes, wordBytes))
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
