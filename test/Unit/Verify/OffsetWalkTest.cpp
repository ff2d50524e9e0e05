//===- OffsetWalkTest.cpp - Elements of strided tensors, in order ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockSet.h"
#include "TileCopies.h"
#include "gtest/gtest.h"
#include <array>
#include <vector>

using namespace mlir::mirage;

namespace {
using Offsets = std::vector<size_t>;

Offsets list(OffsetWalk walk, size_t first, size_t count) {
  Offsets offsets;
  for (walk.goTo(first); offsets.size() < count; walk.advance())
    offsets.push_back(walk.getOffset());
  return offsets;
}

TEST(OffsetWalk, GoesInRowMajorOrderFromAnywhere) {
  OffsetWalk walk;
  walk.addDimensions({2, 1, 3}, {5, 7, 1}, /*unit=*/10);
  EXPECT_EQ(list(walk, 0, 6), (Offsets{0, 10, 20, 50, 60, 70}));
  EXPECT_EQ(list(walk, 2, 3), (Offsets{20, 50, 60}));
  // From the beginning again.
  EXPECT_EQ(list(walk, 5, 2), (Offsets{70, 0}));
  EXPECT_EQ(list(OffsetWalk(), 0, 2), (Offsets{0, 0}));
}

/// Dimensions that are walked as one, and those that are not.
TEST(OffsetWalk, JoinsWhatFollowsOneAnother) {
  OffsetWalk dense, stretched, gaps;
  dense.addDimensions({2, 2, 2}, {4, 2, 1});
  EXPECT_EQ(list(dense, 3, 4), (Offsets{3, 4, 5, 6}));
  stretched.addDimensions({2, 2, 2}, {0, 0, 1});
  EXPECT_EQ(list(stretched, 0, 6), (Offsets{0, 1, 0, 1, 0, 1}));
  gaps.addDimensions({2, 2}, {4, 1});
  EXPECT_EQ(list(gaps, 0, 4), (Offsets{0, 1, 4, 5}));
}

/// The rows of one tile: where they are in it and in the tensor, and how long.
std::vector<std::array<size_t, 3>>
listRows(const Shape &tile, const Shape &tensor, const Shape &origin) {
  std::vector<std::array<size_t, 3>> rows;
  TileRows(tile, tensor)
      .forEach(origin, [&](size_t inTile, size_t inTensor, size_t length) {
        rows.push_back({inTile, inTensor, length});
      });
  return rows;
}

TEST(TileRows, StopWhereTheTensorEnds) {
  using Rows = std::vector<std::array<size_t, 3>>;
  EXPECT_EQ(listRows({2, 2}, {3, 5}, {0, 2}), (Rows{{0, 2, 2}, {2, 7, 2}}));
  EXPECT_EQ(listRows({2, 2}, {3, 5}, {2, 4}), (Rows{{0, 14, 1}}));
  EXPECT_EQ(listRows({2, 2}, {3, 5}, {4, 0}), Rows());
}

TEST(TileRows, JoinsWholeRows) {
  using Rows = std::vector<std::array<size_t, 3>>;
  EXPECT_EQ(listRows({2, 5}, {3, 5}, {1, 0}), (Rows{{0, 5, 10}}));
  EXPECT_EQ(listRows({2, 5}, {3, 5}, {2, 0}), (Rows{{0, 10, 5}}));
  EXPECT_EQ(listRows({2, 3, 4}, {2, 3, 4}, {0, 0, 0}), (Rows{{0, 0, 24}}));
  // Of the tile they are whole, and not of the tensor.
  EXPECT_EQ(listRows({2, 2, 4}, {2, 3, 4}, {0, 1, 0}),
            (Rows{{0, 4, 8}, {8, 16, 8}}));
  EXPECT_EQ(listRows({2, 5}, {2, 4}, {0, 0}), (Rows{{0, 0, 4}, {5, 4, 4}}));
}

TEST(TileRows, ReadsZerosBeyondTheTensor) {
  const std::vector<uint32_t> tensor = {1, 2, 3, 4, 5, 6}, zero = {9};
  std::vector<uint32_t> tile(4);
  const Shape tileShape = {2, 2}, tensorShape = {2, 3};
  TileRows rows(tileShape, tensorShape);
  auto read = [&](const Shape &origin) {
    rows.copy(tile.data(), origin, zero.data(), /*words=*/1,
              [&](size_t offset) { return tensor.data() + offset; });
    return tile;
  };
  EXPECT_EQ(read({0, 1}), (std::vector<uint32_t>{2, 3, 5, 6}));
  EXPECT_EQ(read({1, 2}), (std::vector<uint32_t>{6, 9, 9, 9}));
}

TileGraph makeGrid() {
  TileGraph tiles;
  tiles.grid = {2, 3, 4};
  tiles.loop = 5;
  return tiles;
}

constexpr AxisSet kX = 1, kY = 2, kZ = 4;

TEST(BlockSet, WalksByTheNumbersOfOthers) {
  TileGraph tiles = makeGrid();
  BlockSet blocks(tiles);
  auto walk = [&](AxisSet axes, AxisSet own) {
    OffsetWalk walk;
    blocks.addTo(walk, axes, own, /*unit=*/100);
    return list(walk, 0, blocks.count(axes));
  };
  EXPECT_EQ(walk(kX | kY, kX | kY), (Offsets{0, 100, 200, 300, 400, 500}));
  EXPECT_EQ(walk(kX | kY, kX), (Offsets{0, 0, 0, 100, 100, 100}));
  EXPECT_EQ(walk(kX | kY, kY), (Offsets{0, 100, 200, 0, 100, 200}));
  // Of those that differ along z, the first.
  EXPECT_EQ(walk(kX, kX | kZ), (Offsets{0, 400}));
  EXPECT_EQ(walk(0, kX | kZ), Offsets{0});
}

TEST(BlockSet, ListsPositions) {
  TileGraph tiles = makeGrid();
  BlockSet blocks(tiles);
  using Positions = BlockSet::Positions;
  auto list = [&](AxisSet varying, llvm::ArrayRef<Axis> cutting) {
    return blocks.listPositions(varying, /*iteration=*/2, cutting);
  };
  EXPECT_EQ(list(kX | kY, {Axis::X}), (Positions{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(list(kX | kY, {Axis::X, Axis::Y}), (Positions{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(list(kX, {Axis::X, Axis::Y}), (Positions{0, 3}));
  EXPECT_EQ(list(kX, {Axis::X, Axis::Loop}), (Positions{2, 7}));
  EXPECT_EQ(list(kX, {}), (Positions{0, 0}));
  EXPECT_EQ(list(0, {Axis::Loop}), (Positions{2}));
}

/// Of a sample, blocks have the coordinates that are left.
TEST(BlockSet, ListsPositionsOfSomeBlocks) {
  TileGraph tiles;
  tiles.grid = {4};
  tiles.addOutput(tiles.addInput({{2}}));
  tiles.tileInputs = {{{0}}};
  tiles.tileOutputs = {{{0}}};
  BlockSet blocks(tiles, {Region{IndexSet::fromIndices({2, 7})}});
  EXPECT_EQ(blocks.listPositions(kX, /*iteration=*/0, {Axis::X}),
            (BlockSet::Positions{1, 3}));
}
} // namespace
