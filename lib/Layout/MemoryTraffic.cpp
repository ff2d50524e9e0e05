//===- MemoryTraffic.cpp - What one access of a warp costs ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Layout/MemoryTraffic.h"

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <array>
#include <cassert>

using namespace mlir::mirage;
using llvm::ArrayRef;
using llvm::SmallVector;

static constexpr unsigned kLanes = 32, kLaneBits = 5;
static constexpr unsigned kBanks = 32, kBankBits = 5;
static constexpr unsigned kWordBytes = 4, kSectorBytes = 32;

/// The units of `unitBytes` that the lanes of `mask` touch, each once.
static SmallVector<uint64_t, 128> findUnits(unsigned unitBytes, unsigned bytes,
                                            ArrayRef<uint64_t> addresses,
                                            uint32_t mask) {
  SmallVector<uint64_t, 128> units;
  for (; mask; mask &= mask - 1) {
    uint64_t address = addresses[llvm::countr_zero(mask)];
    for (uint64_t unit = address / unitBytes;
         unit <= (address + bytes - 1) / unitBytes; ++unit)
      units.push_back(unit);
  }
  std::sort(units.begin(), units.end());
  units.erase(std::unique(units.begin(), units.end()), units.end());
  return units;
}

/// The map from lane bits, the lowest `numLaneBits` of them, and the bits of
/// the unit inside of one lane's bytes to units.
static BitMatrix mapToUnits(unsigned unitBytes, unsigned bytes,
                            const BitMatrix &addresses, unsigned numLaneBits) {
  assert(addresses.getNumColumns() == kLaneBits && "a column per lane bit");
  SmallVector<uint64_t, 8> columns;
  for (unsigned bit = 0; bit < numLaneBits; ++bit)
    columns.push_back(addresses.getColumns()[bit] / unitBytes);
  for (unsigned inside = unitBytes; inside < bytes; inside *= 2)
    columns.push_back(inside / unitBytes);
  return {addresses.getNumRows(), columns};
}

unsigned mlir::mirage::countLanesTogether(SharedAccess access, unsigned bytes) {
  switch (access) {
  case SharedAccess::Load:
    return kLanes;
  case SharedAccess::Store:
    return std::min(kLanes, kBanks * kWordBytes / bytes);
  case SharedAccess::MatrixRows:
    return 8;
  }
  return kLanes;
}

Wavefronts mlir::mirage::countWavefronts(SharedAccess access, unsigned bytes,
                                         ArrayRef<uint64_t> addresses,
                                         uint32_t mask) {
  assert(addresses.size() == kLanes && "an address per lane");
  unsigned together = countLanesTogether(access, bytes);
  uint32_t group = together == kLanes ? ~0u : (1u << together) - 1;
  Wavefronts sum;
  for (unsigned first = 0; first < kLanes; first += together) {
    SmallVector<uint64_t, 128> words =
        findUnits(kWordBytes, bytes, addresses, mask & (group << first));
    std::array<uint32_t, kBanks> perBank = {};
    for (uint64_t word : words)
      ++perBank[word % kBanks];
    sum.needed += *std::max_element(perBank.begin(), perBank.end());
    sum.least += (words.size() + kBanks - 1) / kBanks;
  }
  return sum;
}

Wavefronts mlir::mirage::countWavefronts(SharedAccess access, unsigned bytes,
                                         const BitMatrix &addresses) {
  unsigned together = countLanesTogether(access, bytes);
  BitMatrix words =
      mapToUnits(kWordBytes, bytes, addresses, llvm::countr_zero(together));
  SmallVector<uint64_t, 8> banks;
  for (uint64_t column : words.getColumns())
    banks.push_back(column % kBanks);
  unsigned rank = words.getRank();
  unsigned bankRank = BitMatrix(kBankBits, banks).getRank();
  uint32_t numGroups = kLanes / together;
  return {numGroups << (rank - bankRank),
          numGroups << (std::max(rank, kBankBits) - kBankBits)};
}

uint32_t mlir::mirage::countSectors(unsigned bytes,
                                    ArrayRef<uint64_t> addresses,
                                    uint32_t mask) {
  return listSectors(bytes, addresses, mask).size();
}

SmallVector<uint64_t, 32>
mlir::mirage::listSectors(unsigned bytes, ArrayRef<uint64_t> addresses,
                          uint32_t mask) {
  assert(addresses.size() == kLanes && "an address per lane");
  return findUnits(kSectorBytes, bytes, addresses, mask);
}

uint32_t mlir::mirage::countSectors(unsigned bytes,
                                    const BitMatrix &addresses) {
  return 1u << mapToUnits(kSectorBytes, bytes, addresses, kLaneBits).getRank();
}
