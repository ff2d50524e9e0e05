//===- Traffic.cpp - Counts sectors and bank conflicts --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Traffic.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir::mirage::emulator;

/// Passes for the words of some lanes, served together.
static Wavefronts countGroup(const uint64_t *addresses, uint32_t mask,
                             unsigned bytes) {
  llvm::SmallVector<uint64_t, 128> words;
  for (; mask; mask &= mask - 1) {
    uint64_t address = addresses[llvm::countr_zero(mask)];
    for (uint64_t word = address / 4; word <= (address + bytes - 1) / 4; ++word)
      words.push_back(word);
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::array<uint32_t, 32> perBank = {};
  for (uint64_t word : words)
    ++perBank[word % 32];
  return {*std::max_element(perBank.begin(), perBank.end()),
          uint32_t((words.size() + 31) / 32)};
}

Wavefronts mlir::mirage::emulator::countWavefronts(const uint64_t *addresses,
                                                   uint32_t mask,
                                                   unsigned bytes,
                                                   bool isStore) {
  unsigned lanesTogether = isStore && bytes > 4 ? 128 / bytes : 32;
  Wavefronts sum;
  uint32_t group = lanesTogether == 32 ? ~0u : (1u << lanesTogether) - 1;
  for (unsigned first = 0; first < 32; first += lanesTogether) {
    Wavefronts part = countGroup(addresses, mask & (group << first), bytes);
    sum.needed += part.needed;
    sum.least += part.least;
  }
  return sum;
}

uint32_t mlir::mirage::emulator::countSectors(const uint64_t *addresses,
                                              uint32_t mask, unsigned bytes) {
  llvm::SmallVector<uint64_t, 64> sectors;
  for (; mask; mask &= mask - 1) {
    uint64_t address = addresses[llvm::countr_zero(mask)];
    for (uint64_t sector = address / 32; sector <= (address + bytes - 1) / 32;
         ++sector)
      sectors.push_back(sector);
  }
  std::sort(sectors.begin(), sectors.end());
  return std::unique(sectors.begin(), sectors.end()) - sectors.begin();
}

bool TrafficCache::matches(Entry &entry, const uint64_t *addresses,
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
                                    const uint64_t *addresses, uint32_t mask,
                                    unsigned bytes, bool isStore) {
  Entry &entry = sharedEntries[pc * warpsApart + warp % warpsApart];
  if (!matches(entry, addresses, mask, bytes, 128))
    entry.count = countWavefronts(addresses, mask, bytes, isStore);
  return entry.count;
}

uint32_t TrafficCache::sectors(uint32_t pc, uint32_t warp,
                               const uint64_t *addresses, uint32_t mask,
                               unsigned bytes) {
  Entry &entry = globalEntries[pc * warpsApart + warp % warpsApart];
  if (!matches(entry, addresses, mask, bytes, 32))
    entry.count.needed = countSectors(addresses, mask, bytes);
  return entry.count.needed;
}
