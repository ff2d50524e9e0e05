//===- TilingsTest.cpp - Which sizes kernels get --------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/TileMemory.h"
#include "Mirage/Search/BlockTime.h"
#include "TilingLists.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {
constexpr NameId kRows = 0, kColumns = 1, kDepth = 2;

int64_t countTiles(int64_t extent, int64_t tile) {
  return llvm::divideCeil(extent, tile);
}

/// Bytes of a row of a tile that a product reads.
int64_t getRowBytes(int64_t tile, ElementType element) {
  TensorSpec rows{{2, tile}, element};
  return tile * getSizeBytes(element) + getRowPadding(rows);
}

/// Whether a kernel with the first tile has nothing that is larger, or that is
/// aligned worse, than with the second one, which leaves as many.
bool isNoWorse(int64_t tile, int64_t other) {
  for (int64_t alignment : {2, 4, 8, 16})
    if (other % alignment == 0 && tile % alignment != 0)
      return false;
  for (ElementType element :
       {ElementType::F8E4M3FN, ElementType::F16, ElementType::F32})
    if (getRowBytes(tile, element) > getRowBytes(other, element))
      return false;
  return tile <= other && tile >= std::min(other, kFullRowBytes);
}

TEST(TileSizes, WhatIsLeftOutIsDominated) {
  TileSizes sizes(TileSizeSet::All);
  for (int64_t extent :
       {2, 3, 4, 5, 17, 64, 100, 127, 128, 300, 1000, 4096, 11008}) {
    llvm::ArrayRef<int64_t> tiles = sizes.getTiles(extent);
    EXPECT_TRUE(llvm::is_sorted(tiles));
    std::set<int64_t> known(tiles.begin(), tiles.end());
    EXPECT_EQ(known.size(), tiles.size());
    for (int64_t tile = 1; tile < extent; ++tile) {
      bool isDominated = false;
      for (int64_t other = tile - 1;
           other > 0 && countTiles(extent, other) == countTiles(extent, tile);
           --other)
        isDominated |= known.count(other) && isNoWorse(other, tile);
      EXPECT_EQ(known.count(tile), isDominated ? 0u : 1u)
          << tile << " of " << extent;
    }
    EXPECT_TRUE(known.empty() ||
                (*known.begin() == 1 && *known.rbegin() < extent));
  }
}

TEST(TileSizes, AreFarFewerThanTheExtent) {
  TileSizes sizes(TileSizeSet::All);
  EXPECT_LT(sizes.getTiles(4096).size(), 600u);
  EXPECT_LT(sizes.getTiles(1 << 20).size(), 12000u);
  EXPECT_LT(TileSizes(TileSizeSet::Round).getTiles(4096).size(), 32u);
  // What fits nowhere is not listed, however large the extent is.
  int64_t huge = int64_t(1) << 50;
  EXPECT_LT(sizes.getTiles(huge).back(), kLargestTile);
  EXPECT_LE(sizes.getBlockCounts(huge).back(), kMostLoopedBlocks);
}

TEST(TileSizes, RoundOnesAreWhatTheySay) {
  TileSizes sizes(TileSizeSet::Round);
  for (int64_t extent : {2, 3, 5, 17, 49, 300, 512, 513, 5000}) {
    std::set<int64_t> expected;
    for (int64_t tile : {1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256, 512})
      if (tile < extent)
        expected.insert(tile);
    // Multiples of 8 of which there are two to eight.
    for (int64_t tile = 8; tile <= 512; tile += 8)
      for (int64_t count = 2; count <= 8; ++count)
        if (tile * count >= extent && (tile - 8) * count < extent &&
            tile < extent)
          expected.insert(tile);
    llvm::ArrayRef<int64_t> tiles = sizes.getTiles(extent);
    EXPECT_EQ(std::set<int64_t>(tiles.begin(), tiles.end()), expected);
    EXPECT_TRUE(llvm::is_sorted(tiles));
  }
}

TEST(TileSizes, AlignedOnesAreWhatTheySay) {
  TileSizes all(TileSizeSet::All), aligned(TileSizeSet::Aligned);
  for (int64_t extent : {2, 9, 17, 100, 4096, 11008}) {
    std::vector<int64_t> expected;
    for (int64_t tile : all.getTiles(extent))
      if (tile <= 8 || tile % 16 == 0)
        expected.push_back(tile);
    EXPECT_EQ(aligned.getTiles(extent), llvm::ArrayRef(expected));
    // Of each number of tiles that there are of such sizes, one.
    for (int64_t tile = 16; tile < extent; tile += 16)
      EXPECT_TRUE(llvm::any_of(expected, [&](int64_t other) {
        return other <= tile && other % 16 == 0 &&
               countTiles(extent, other) == countTiles(extent, tile);
      }));
  }
}

TEST(TileSizes, ChoicesHaveNames) {
  for (TileSizeChoice choice :
       {TileSizeChoice::Round, TileSizeChoice::Refined, TileSizeChoice::All})
    EXPECT_EQ(
        llvm::cantFail(parseTileSizeChoice(getTileSizeChoiceName(choice))),
        choice);
  EXPECT_EQ(llvm::toString(parseTileSizeChoice("some").takeError()),
            "expects tile-sizes round, refined or all, got 'some'");
}

using Sizes = std::tuple<int64_t, int64_t, int64_t, int64_t>;

class TilingSpaceTest : public testing::Test {
protected:
  std::multiset<Sizes> list(llvm::ArrayRef<int64_t> extents,
                            llvm::ArrayRef<int64_t> grid = {}) {
    TilingSpace space(kernel, extents, sizes);
    std::multiset<Sizes> found;
    for (const Tiling &tiling : listTilings(space, space.getAll(grid)))
      found.insert({tiling.tile[kRows], tiling.tile[kColumns],
                    tiling.tile[kDepth], getLoop(kernel, extents, tiling)});
    return found;
  }

  KernelStructure kernel;
  TileSizes sizes{TileSizeSet::All};
};

TEST_F(TilingSpaceTest, AxesAndLoopsHaveEverySize) {
  kernel.gridNames = {kRows, kColumns};
  kernel.loopName = kDepth;
  for (int64_t rows : {2, 5, 49})
    for (int64_t columns : {2, 33})
      for (int64_t depth : {3, 20}) {
        std::multiset<Sizes> expected;
        for (int64_t a : sizes.getTiles(rows))
          for (int64_t b : sizes.getTiles(columns))
            for (int64_t k : sizes.getTiles(depth))
              expected.insert({a, b, k, countTiles(depth, k)});
        EXPECT_EQ(list({rows, columns, depth}), expected);
      }
}

/// Of all tiles and loops there is one that leaves as many blocks with no more
/// iterations, and with a tile that is no worse.
TEST_F(TilingSpaceTest, ANameOnTheGridAndInTheLoopHasEveryCut) {
  kernel.gridNames = {kDepth};
  kernel.loopName = kDepth;
  for (int64_t depth : {5, 6, 9, 33, 100, 257}) {
    std::multiset<Sizes> found = list({6, 7, depth});
    std::set<Sizes> known(found.begin(), found.end());
    EXPECT_EQ(known.size(), found.size());
    for (auto [a, b, tile, loop] : found)
      EXPECT_TRUE(tile >= 2 && loop >= 2 && tile * loop < depth);
    for (int64_t tile = 2; 2 * tile < depth; ++tile)
      for (int64_t loop = 2; loop * tile < depth; ++loop)
        EXPECT_TRUE(llvm::any_of(known,
                                 [&, tile = tile](const Sizes &sizes) {
                                   auto [a, b, otherTile, otherLoop] = sizes;
                                   return countTiles(depth,
                                                     otherTile * otherLoop) ==
                                              countTiles(depth, tile * loop) &&
                                          otherLoop <= loop &&
                                          isNoWorse(otherTile, tile);
                                 }))
            << tile << " x " << loop << " of " << depth;
  }
}

TEST_F(TilingSpaceTest, GridsPartTheTilings) {
  kernel.gridNames = {kRows, kDepth};
  for (NameId loop : {kNoName, kColumns, kDepth}) {
    kernel.loopName = loop;
    llvm::SmallVector<int64_t> extents = {11, 9, 70};
    std::multiset<Sizes> all = list(extents), found;
    for (int64_t count = 2; count <= 70; ++count)
      for (const Sizes &sizes : list(extents, {0, count})) {
        found.insert(sizes);
        int64_t perBlock = std::get<2>(sizes);
        perBlock *= loop == kDepth ? std::get<3>(sizes) : 1;
        EXPECT_EQ(countTiles(70, perBlock), count);
      }
    EXPECT_EQ(found, all);
  }
}

TEST_F(TilingSpaceTest, EndsHoldAllTilingsOfABox) {
  kernel.gridNames = {kRows, kDepth};
  for (NameId loop : {kColumns, kDepth}) {
    kernel.loopName = loop;
    llvm::SmallVector<int64_t> extents = {7, 12, 45};
    TilingSpace space(kernel, extents, sizes);
    forEachBox(space, *space.getAll(), [&](const TilingBox &box) {
      TilingEnds ends = space.getEnds(box);
      for (const Tiling &tiling : listTilings(space, box)) {
        TilingEnds one = getEnds(kernel, extents, tiling);
        for (NameId name : {kRows, kColumns, kDepth}) {
          EXPECT_LE(ends.leastTile[name], one.leastTile[name]);
          EXPECT_GE(ends.mostTile[name], one.mostTile[name]);
        }
        for (unsigned axis : {0, 1}) {
          EXPECT_LE(ends.leastGrid[axis], one.leastGrid[axis]);
          EXPECT_GE(ends.mostGrid[axis], one.mostGrid[axis]);
        }
        EXPECT_LE(ends.leastLoop, one.leastLoop);
        EXPECT_GE(ends.mostLoop, one.mostLoop);
      }
      EXPECT_GE(ends.leastLoop, 2);
    });
  }
}

TEST_F(TilingSpaceTest, WhatCannotBeSplitHasNone) {
  kernel.gridNames = {kRows};
  EXPECT_EQ(list({1, 7, 40}).size(), 0u);
  kernel.gridNames = {};
  EXPECT_EQ(list({1, 7, 40}).size(), 1u);
  kernel.loopName = kDepth;
  EXPECT_EQ(list({1, 7, 1}).size(), 0u);
  kernel.gridNames = {kDepth};
  EXPECT_EQ(list({1, 7, 4}).size(), 0u);
  EXPECT_EQ(list({1, 7, 5}).size(), 1u);
}
} // namespace
