//===- Traffic.h - Remembers what accesses of a loop cost -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_TRAFFIC_H
#define MIRAGE_LIB_EMULATOR_TRAFFIC_H

#include "Mirage/Layout/MemoryTraffic.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mlir::mirage::emulator {

using Addresses = std::array<uint64_t, 32>; ///< one per lane

/// What is the same wherever the lanes of an access are moved together.
struct AccessPattern {
  Wavefronts wavefronts; ///< of shared memory
  uint32_t sectors = 0;  ///< of global memory
  /// Lanes that are the first to name their address; and of these the ones that
  /// others name as well.
  uint32_t firstLanes = 0, repeatedLanes = 0;
};

/// Remembers the last pattern of each instruction and warp: loops repeat theirs
/// at other base addresses, and counting is then a comparison.
class TrafficCache {
public:
  void resize(size_t numInstructions) {
    sharedEntries.resize(numInstructions * warpsApart);
    globalEntries.resize(numInstructions * warpsApart);
  }
  const AccessPattern &findShared(uint32_t pc, uint32_t warp,
                                  const Addresses &addresses, uint32_t mask,
                                  unsigned bytes, SharedAccess access);
  const AccessPattern &findGlobal(uint32_t pc, uint32_t warp,
                                  const Addresses &addresses, uint32_t mask,
                                  unsigned bytes);

private:
  static constexpr unsigned warpsApart = 4;
  struct Entry {
    std::array<uint32_t, 32> offsets = {};
    uint32_t mask = 0, phase = 0, bytes = 0;
    AccessPattern pattern;
  };
  /// True if the entry holds this pattern; else it does now.
  bool matches(Entry &entry, const Addresses &addresses, uint32_t mask,
               unsigned bytes, uint32_t period);
  std::vector<Entry> sharedEntries, globalEntries; ///< by instruction
};

/// Of all lanes side by side, from `address` on.
AccessPattern describeConsecutive(uint64_t address, unsigned bytes,
                                  SharedAccess access);

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_TRAFFIC_H
