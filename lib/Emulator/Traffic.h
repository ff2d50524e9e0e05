//===- Traffic.h - Counts sectors and bank conflicts ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_TRAFFIC_H
#define MIRAGE_LIB_EMULATOR_TRAFFIC_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mlir::mirage::emulator {

/// Passes through the 32 banks of shared memory.
struct Wavefronts {
  uint32_t needed = 0; ///< by this pattern
  uint32_t least = 0;  ///< by the best pattern of as many distinct words
};

/// Wavefronts of one access of a warp.
/// \param addresses  32 byte addresses, of which only those in `mask` count.
/// \param bytes      each lane accesses, 1 to 16.
/// Measured on an H200 (loads of all widths; stores of 4, 8 and 16 bytes; 40
/// patterns each): a load is served in as many passes as distinct words fall
/// into the fullest bank, all lanes taken together; a store of 8 bytes is cut
/// into half-warps first and one of 16 into quarters.
Wavefronts countWavefronts(const uint64_t *addresses, uint32_t mask,
                           unsigned bytes, bool isStore);

/// Distinct 32-byte sectors that one access of a warp touches.
uint32_t countSectors(const uint64_t *addresses, uint32_t mask, unsigned bytes);

/// Remembers the last pattern of each instruction and warp: loops repeat theirs
/// at other base addresses, and counting is then a comparison.
class TrafficCache {
public:
  void resize(size_t numInstructions) {
    sharedEntries.resize(numInstructions * warpsApart);
    globalEntries.resize(numInstructions * warpsApart);
  }
  Wavefronts wavefronts(uint32_t pc, uint32_t warp, const uint64_t *addresses,
                        uint32_t mask, unsigned bytes, bool isStore);
  uint32_t sectors(uint32_t pc, uint32_t warp, const uint64_t *addresses,
                   uint32_t mask, unsigned bytes);

private:
  static constexpr unsigned warpsApart = 4;
  struct Entry {
    std::array<uint32_t, 32> offsets = {};
    uint32_t mask = 0, phase = 0, bytes = 0;
    Wavefronts count; ///< sectors: in `needed`
  };
  /// True if the entry holds this pattern; else it does now.
  bool matches(Entry &entry, const uint64_t *addresses, uint32_t mask,
               unsigned bytes, uint32_t period);
  std::vector<Entry> sharedEntries, globalEntries; ///< by instruction
};

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_TRAFFIC_H
