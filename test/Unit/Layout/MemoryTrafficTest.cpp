//===- MemoryTrafficTest.cpp - Wavefronts and sectors ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Layout/MemoryTraffic.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir::mirage;

namespace {

/// One address per lane, from the images of the lane bits.
std::vector<uint64_t> addressesOf(const BitMatrix &map) {
  std::vector<uint64_t> addresses;
  for (unsigned lane = 0; lane < 32; ++lane)
    addresses.push_back(map.apply(lane));
  return addresses;
}

BitMatrix strided(uint64_t bytes) {
  return {20, {bytes, 2 * bytes, 4 * bytes, 8 * bytes, 16 * bytes}};
}

/// Rows of 128 bytes as TMA leaves them: address bits 4 to 6 ^= bits 7 to 9.
uint64_t swizzle128(uint64_t address) {
  return address ^ ((address >> 7 & 7) << 4);
}

uint32_t needed(SharedAccess access, unsigned bytes, const BitMatrix &map) {
  return countWavefronts(access, bytes, map).needed;
}

// The table of hardware counts: the best of each width, and the worst.
TEST(MemoryTrafficTest, RowsTakeTheLeast) {
  for (SharedAccess access : {SharedAccess::Load, SharedAccess::Store}) {
    EXPECT_EQ(countWavefronts(access, 4, strided(4)), (Wavefronts{1, 1}));
    EXPECT_EQ(countWavefronts(access, 8, strided(8)), (Wavefronts{2, 2}));
    EXPECT_EQ(countWavefronts(access, 16, strided(16)), (Wavefronts{4, 4}));
  }
  EXPECT_EQ(countWavefronts(SharedAccess::Load, 2, strided(2)),
            (Wavefronts{1, 1}));
}

TEST(MemoryTrafficTest, ColumnsCrowdOneBank) {
  EXPECT_EQ(countWavefronts(SharedAccess::Load, 4, strided(128)),
            (Wavefronts{32, 1}));
  EXPECT_EQ(countWavefronts(SharedAccess::Store, 4, strided(128)),
            (Wavefronts{32, 1}));
  EXPECT_EQ(needed(SharedAccess::Load, 4, strided(8)), 2u);
  EXPECT_EQ(needed(SharedAccess::Load, 16, strided(128)), 32u);
}

/// A wide load is served by the whole warp: quarters that crowd four banks each
/// do no harm where the quarters take different ones. A store of the same
/// addresses goes quarter by quarter.
TEST(MemoryTrafficTest, WideLoadsAreNotCutIntoQuarters) {
  // Lane bits 0 to 2 choose the row of 128 bytes, 3 and 4 the 16 bytes in it.
  BitMatrix map(20, {128, 256, 512, 16, 32});
  EXPECT_EQ(countWavefronts(SharedAccess::Load, 16, map), (Wavefronts{8, 4}));
  EXPECT_EQ(countWavefronts(SharedAccess::Store, 16, map), (Wavefronts{32, 4}));
}

TEST(MemoryTrafficTest, LanesThatShareAWordCostNothing) {
  BitMatrix same(20, {0, 0, 0, 0, 0});
  EXPECT_EQ(countWavefronts(SharedAccess::Load, 4, same), (Wavefronts{1, 1}));
  BitMatrix pairs(20, {0, 4, 8, 16, 32});
  EXPECT_EQ(needed(SharedAccess::Load, 4, pairs), 1u);
}

/// ldmatrix.x4 of rows 128 bytes apart: eight rows fall into the same four
/// banks, unless they are swizzled.
TEST(MemoryTrafficTest, MatrixRowsAndTheSwizzle) {
  BitMatrix rows(20, {128, 256, 512, 16, 32});
  EXPECT_EQ(countWavefronts(SharedAccess::MatrixRows, 16, rows),
            (Wavefronts{32, 4}));
  std::vector<uint64_t> images;
  for (uint64_t image : rows.getColumns())
    images.push_back(swizzle128(image));
  EXPECT_EQ(
      countWavefronts(SharedAccess::MatrixRows, 16, BitMatrix(20, images)),
      (Wavefronts{4, 4}));
  // The swizzle is linear: the images say all about the addresses.
  std::vector<uint64_t> swizzled;
  for (uint64_t address : addressesOf(rows))
    swizzled.push_back(swizzle128(address));
  EXPECT_EQ(swizzled, addressesOf(BitMatrix(20, images)));
}

/// A pitch of 33 words is not linear: only counting tells.
TEST(MemoryTrafficTest, PaddedColumns) {
  std::vector<uint64_t> addresses;
  for (unsigned lane = 0; lane < 32; ++lane)
    addresses.push_back(lane * 33 * 4);
  EXPECT_EQ(countWavefronts(SharedAccess::Load, 4, addresses),
            (Wavefronts{1, 1}));
}

TEST(MemoryTrafficTest, OnlyLanesOfTheMaskCount) {
  std::vector<uint64_t> addresses = addressesOf(strided(128));
  EXPECT_EQ(countWavefronts(SharedAccess::Load, 4, addresses, 0x111),
            (Wavefronts{3, 1}));
  EXPECT_EQ(countSectors(4, addresses, 0x111), 3u);
  EXPECT_EQ(countWavefronts(SharedAccess::Store, 16, addresses, 0xff00),
            (Wavefronts{8, 1}));
}

TEST(MemoryTrafficTest, Sectors) {
  EXPECT_EQ(countSectors(2, strided(2)), 2u);
  EXPECT_EQ(countSectors(4, strided(4)), 4u);
  EXPECT_EQ(countSectors(16, strided(16)), 16u);
  EXPECT_EQ(countSectors(4, strided(128)), 32u);
  // One byte off its place a row touches a sector more.
  std::vector<uint64_t> shifted = addressesOf(strided(4));
  for (uint64_t &address : shifted)
    address += 4;
  EXPECT_EQ(countSectors(4, shifted), 5u);
}

/// Ranks say what counting finds, for random linear maps of all kinds.
TEST(MemoryTrafficTest, RanksAgreeWithCounting) {
  std::mt19937_64 random(1);
  for (unsigned trial = 0; trial < 4000; ++trial) {
    unsigned bytes = 1u << random() % 5;
    auto access = static_cast<SharedAccess>(random() % 3);
    if (access == SharedAccess::MatrixRows)
      bytes = 16;
    // Few bits, so that images collide and vanish often.
    uint64_t most = (uint64_t(1) << (5 + random() % 6)) - 1;
    std::vector<uint64_t> images;
    for (unsigned bit = 0; bit < 5; ++bit)
      images.push_back((random() & most) / bytes * bytes);
    BitMatrix map(20, images);
    std::vector<uint64_t> addresses = addressesOf(map);
    Wavefronts counted = countWavefronts(access, bytes, addresses);
    Wavefronts byRank = countWavefronts(access, bytes, map);
    ASSERT_EQ(counted.needed, byRank.needed) << trial;
    ASSERT_EQ(counted.least, byRank.least) << trial;
    ASSERT_EQ(countSectors(bytes, addresses), countSectors(bytes, map))
        << trial;
  }
}

} // namespace
