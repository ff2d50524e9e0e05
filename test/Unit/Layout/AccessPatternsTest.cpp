//===- AccessPatternsTest.cpp - Which elements one access takes -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Layout/AccessPatterns.h"
#include "Mirage/Layout/Fragments.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir::mirage;

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

/// Accumulators of mma are pairs along a row.
static unsigned getWidth(llvm::ArrayRef<int64_t> strides,
                         int64_t offsetDivisor = 0,
                         llvm::ArrayRef<bool> overhangs = {false, false},
                         llvm::ArrayRef<int64_t> shape = {16, 8}) {
  FragmentedTile tile;
  tile.shape = shape;
  tile.strides = strides;
  tile.offsetDivisor = offsetDivisor;
  tile.overhangs = overhangs;
  tile.elementBytes = 4;
  LinearLayout fragment = getFragmentLayout(FragmentKind::MmaM16N8D);
  return chooseFragmentRun(fragment, tile).getWidth();
}

TEST(AccessPatterns, RunsOfAFragment) {
  EXPECT_EQ(getWidth({8, 1}), 2u);
  EXPECT_EQ(getWidth({12, 1}), 2u);
  EXPECT_EQ(getWidth({1, 16}), 1u) << "rows lie side by side";
  EXPECT_EQ(getWidth({9, 1}), 1u) << "every other row is not aligned";
  EXPECT_EQ(getWidth({8, 1}, 3), 1u);
  EXPECT_EQ(getWidth({8, 1}, 4), 2u);
  EXPECT_EQ(getWidth({kUnknownDistance, 1}), 1u);
  EXPECT_EQ(getWidth({8, kUnknownDistance}), 1u);
  EXPECT_EQ(getWidth({8, 1}, kUnknownDistance), 1u);
}

/// A row of 7 elements ends within a run, if fragments reach beyond it.
TEST(AccessPatterns, RunsThatOverhang) {
  EXPECT_EQ(getWidth({8, 1}, 0, {true, false}, {15, 8}), 2u);
  EXPECT_EQ(getWidth({8, 1}, 0, {false, true}, {16, 6}), 2u);
  EXPECT_EQ(getWidth({8, 1}, 0, {false, true}, {16, 7}), 1u);
}

/// A row may end behind 6 or 8 elements.
TEST(AccessPatterns, RunsOfTilesThatEndSooner) {
  FragmentedTile tile;
  const int64_t shape[] = {16, 8}, strides[] = {8, 1};
  const bool overhangs[] = {true, true};
  tile.shape = shape;
  tile.strides = strides;
  tile.overhangs = overhangs;
  tile.elementBytes = 4;
  LinearLayout fragment = getFragmentLayout(FragmentKind::MmaM16N8D);
  for (auto [divisor, width] : {std::pair(8, 2u), {6, 2u}, {3, 1u}, {1, 1u}}) {
    const int64_t divisors[] = {1, divisor};
    tile.divisors = divisors;
    EXPECT_EQ(chooseFragmentRun(fragment, tile).getWidth(), width);
  }
}

/// 16 bytes at most.
TEST(AccessPatterns, WidestRun) {
  LinearLayout row = buildBlockedLayout(
      1, {{LayoutInput::Register, 0, 4}, {LayoutInput::Lane, 0, 5}});
  for (unsigned bytes : {1u, 2u, 4u, 8u}) {
    FragmentedTile tile;
    const int64_t shape[] = {512}, strides[] = {1};
    const bool overhangs[] = {false};
    tile.shape = shape;
    tile.strides = strides;
    tile.overhangs = overhangs;
    tile.elementBytes = bytes;
    EXPECT_EQ(chooseFragmentRun(row, tile).getWidth(), 16 / bytes);
  }
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Fragments lie row by row in a tensor, and end with the tile.
static WindowTraffic count(const LinearLayout &fragment,
                           llvm::ArrayRef<int64_t> shape,
                           llvm::ArrayRef<int64_t> strides,
                           unsigned elementBytes) {
  llvm::SmallVector<bool> overhangs;
  for (auto [size, window] : llvm::zip_equal(shape, fragment.getShape()))
    overhangs.push_back(size % window != 0);
  FragmentedTile tile;
  tile.shape = shape;
  tile.strides = strides;
  tile.overhangs = overhangs;
  tile.elementBytes = elementBytes;
  return countWindowTraffic(fragment, tile);
}

/// 32 lanes side by side, each with a run.
static LinearLayout makeRow(unsigned runBits) {
  return buildBlockedLayout(2, {{LayoutInput::Register, 1, runBits},
                                {LayoutInput::Lane, 1, kLaneBits}});
}

TEST(AccessPatterns, WindowsOfWholeSectors) {
  WindowTraffic traffic = count(makeRow(3), {4, 512}, {512, 1}, 2);
  EXPECT_EQ(traffic.numAccesses, 8);
  EXPECT_EQ(traffic.drawnSectors, 128);
  EXPECT_EQ(traffic.sectors, 128);
  EXPECT_TRUE(traffic.drawsWholeSectors());
  // Accesses of a byte of each lane are narrow, but draw nothing twice.
  traffic = count(makeRow(0), {4, 64}, {64, 1}, 1);
  EXPECT_EQ(traffic.numAccesses, 8);
  EXPECT_EQ(traffic.drawnSectors, 8);
  EXPECT_TRUE(traffic.drawsWholeSectors());
}

/// Eight f32 of a lane are two accesses, each of one half of a sector.
TEST(AccessPatterns, WindowsOfHalfSectors) {
  WindowTraffic traffic = count(makeRow(3), {4, 256}, {256, 1}, 4);
  EXPECT_EQ(traffic.drawnSectors, 2 * traffic.sectors);
  EXPECT_FALSE(traffic.drawsWholeSectors());
  EXPECT_TRUE(count(makeRow(2), {4, 256}, {256, 1}, 4).drawsWholeSectors());
  // So are pairs of f16 in accumulators of mma, and pairs of f32 are not.
  LinearLayout fragment = getFragmentLayout(FragmentKind::MmaM16N8D);
  EXPECT_FALSE(count(fragment, {32, 64}, {64, 1}, 2).drawsWholeSectors());
  EXPECT_TRUE(count(fragment, {32, 64}, {64, 1}, 4).drawsWholeSectors());
}

/// Rows of 27 bytes begin anywhere: each access shares a sector with the next.
TEST(AccessPatterns, WindowsThatBeginAnywhere) {
  WindowTraffic traffic = count(makeRow(0), {64, 27}, {27, 1}, 1);
  EXPECT_EQ(traffic.sectors, 54);
  EXPECT_GT(traffic.drawnSectors, traffic.sectors);
  EXPECT_TRUE(traffic.drawsWholeSectors());
  // Of a tensor's rows the tile has a part, and nobody has more of a sector.
  traffic = count(makeRow(0), {8, 10}, {64, 1}, 4);
  EXPECT_EQ(traffic.sectors, 16);
  EXPECT_EQ(traffic.drawnSectors, 16);
}

/// A warp has a column, and other warps have its neighbours.
TEST(AccessPatterns, WindowsOfColumns) {
  LinearLayout column =
      buildBlockedLayout(2, {{LayoutInput::Lane, 0, kLaneBits}});
  EXPECT_FALSE(count(column, {32, 64}, {64, 1}, 4).drawsWholeSectors());
  EXPECT_TRUE(count(column, {64, 1}, {1, 1}, 4).drawsWholeSectors());
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Of f16, rows of the tile so many elements apart.
static CopiedTile describe(llvm::ArrayRef<int64_t> tile, int64_t pitch,
                           llvm::ArrayRef<int64_t> tensor,
                           llvm::ArrayRef<int64_t> strides) {
  CopiedTile copied;
  llvm::append_range(copied.shape, tile);
  copied.pitch = pitch;
  llvm::append_range(copied.tensorShape, tensor);
  llvm::append_range(copied.tensorStrides, strides);
  return copied;
}
static CopyPattern copy(llvm::ArrayRef<int64_t> tile, int64_t pitch,
                        llvm::ArrayRef<int64_t> tensor,
                        llvm::ArrayRef<int64_t> strides) {
  return chooseCopyPattern(describe(tile, pitch, tensor, strides));
}

/// The coordinates of the access of a thread.
static llvm::SmallVector<int64_t> locate(const CopyPattern &pattern,
                                         int64_t thread) {
  llvm::SmallVector<int64_t> coordinates(pattern.order.size(), 0);
  for (const CopyPattern::Walk &walk : llvm::reverse(pattern.walks)) {
    coordinates[walk.dim] += thread % walk.size * walk.step;
    thread /= walk.size;
  }
  return coordinates;
}

using Position = llvm::SmallVector<int64_t>;

/// Accesses of all threads together touch each element of the tile once.
static void expectEachElementOnce(const CopyPattern &pattern,
                                  llvm::ArrayRef<int64_t> tile) {
  int64_t numAccesses = 1, numElements = 1;
  for (const CopyPattern::Walk &walk : pattern.walks)
    numAccesses *= walk.size;
  for (int64_t size : tile)
    numElements *= size;
  std::set<std::vector<int64_t>> touched;
  for (int64_t thread = 0; thread < numAccesses; ++thread)
    for (int64_t i = 0; i < pattern.width; ++i) {
      Position position = locate(pattern, thread);
      position[pattern.getInnermost()] += i;
      for (auto [coordinate, size] : llvm::zip_equal(position, tile))
        EXPECT_LT(coordinate, size);
      touched.insert({position.begin(), position.end()});
    }
  EXPECT_EQ(touched.size(), size_t(numElements));
  EXPECT_EQ(numAccesses * pattern.width, numElements);
}

TEST(AccessPatterns, NeighboursTakeARow) {
  CopyPattern pattern = copy({16, 64}, 64, {512, 512}, {512, 1});
  EXPECT_EQ(pattern.width, 8);
  EXPECT_TRUE(pattern.keepsOrder);
  EXPECT_EQ(locate(pattern, 1), (Position{0, 8}));
  EXPECT_EQ(locate(pattern, 8), (Position{1, 0}));
  expectEachElementOnce(pattern, {16, 64});
}

/// Rows of 96 bytes that others are left free behind.
TEST(AccessPatterns, NeighboursTakeARowEach) {
  CopyPattern pattern = copy({16, 48}, 56, {512, 512}, {512, 1});
  EXPECT_EQ(locate(pattern, 1), (Position{1, 0}));
  EXPECT_EQ(locate(pattern, 8), (Position{0, 8}));
  EXPECT_EQ(locate(pattern, 48), (Position{8, 0}));
  expectEachElementOnce(pattern, {16, 48});
  EXPECT_EQ(locate(copy({16, 48}, 48, {512, 512}, {512, 1}), 1),
            (Position{0, 8}));
  EXPECT_EQ(locate(copy({15, 48}, 56, {512, 512}, {512, 1}), 1),
            (Position{0, 8}));
  // Rows 192 bytes apart would begin in two places alone.
  EXPECT_EQ(locate(copy({16, 80}, 96, {512, 512}, {512, 1}), 1),
            (Position{0, 8}));
}

/// A tensor that lies the other way round: runs of a sector along it.
TEST(AccessPatterns, NeighboursInATransposedTensor) {
  CopyPattern pattern = copy({64, 32}, 32, {512, 512}, {1, 512});
  EXPECT_EQ(pattern.getInnermost(), 0u);
  EXPECT_FALSE(pattern.keepsOrder);
  EXPECT_EQ(pattern.width, 8);
  EXPECT_EQ(locate(pattern, 1), (Position{8, 0}));
  EXPECT_EQ(locate(pattern, 2), (Position{0, 1}));
  expectEachElementOnce(pattern, {64, 32});
}

TEST(AccessPatterns, WidthsDivideRows) {
  EXPECT_EQ(copy({4, 12}, 12, {512, 512}, {512, 1}).width, 4);
  EXPECT_EQ(copy({4, 64}, 64, {512, 514}, {514, 1}).width, 2);
  EXPECT_EQ(copy({4, 64}, 64, {512, 513}, {513, 1}).width, 1);
  EXPECT_EQ(copy({4, 64}, 64, {512, 512}, {1024, 2}).width, 1);
  CopiedTile offset = describe({4, 64}, 64, {512, 512}, {512, 1});
  offset.tensorOffset = 4;
  EXPECT_EQ(chooseCopyPattern(offset).width, 4);
}

/// Whole rows of no multiple of 16 bytes: 100 x 9 of f16 are 1800 bytes.
TEST(AccessPatterns, RowsAreOneRun) {
  CopiedTile tile = describe({100, 9}, 9, {300, 9}, {9, 1});
  ASSERT_TRUE(isOneRun(tile));
  EXPECT_EQ(chooseCopyPattern(tile).width, 1);
  CopyPattern pattern = chooseCopyPattern(joinRows(tile));
  EXPECT_EQ(pattern.width, 4);
  expectEachElementOnce(pattern, {900});
  EXPECT_TRUE(isOneRun(describe({2, 3, 5}, 5, {4, 3, 5}, {15, 5, 1})));
}

TEST(AccessPatterns, RowsThatAreNoRun) {
  EXPECT_FALSE(isOneRun(describe({100, 9}, 16, {100, 9}, {9, 1})))
      << "bytes are free behind rows of the tile";
  EXPECT_FALSE(isOneRun(describe({100, 9}, 9, {100, 9}, {10, 1})))
      << "and behind those of the tensor";
  EXPECT_FALSE(isOneRun(describe({100, 9}, 9, {100, 18}, {18, 1})))
      << "of which it has a part";
  EXPECT_FALSE(isOneRun(describe({100, 9}, 9, {100, 9}, {1, 100})));
  EXPECT_FALSE(isOneRun(describe({2, 3, 5}, 5, {2, 4, 5}, {20, 5, 1})));
  EXPECT_FALSE(isOneRun(describe({900}, 900, {900}, {1})));
  // What is wide as it is, or one row, is copied as before.
  EXPECT_FALSE(isOneRun(describe({100, 8}, 8, {100, 8}, {8, 1})));
  EXPECT_FALSE(isOneRun(describe({100, 1}, 1, {100, 1}, {1, 1})));
}

TEST(AccessPatterns, SectorsOfCopies) {
  EXPECT_EQ(countCopiedSectors(describe({100, 9}, 9, {100, 9}, {9, 1})), 57);
  EXPECT_EQ(countCopiedSectors(describe({16, 64}, 64, {512, 512}, {512, 1})),
            64);
  // A column: each element has a sector of its own.
  EXPECT_EQ(countCopiedSectors(describe({16, 1}, 1, {16, 64}, {64, 1})), 16);
  // Two rows of 80 bytes, which share a sector, and as many from its middle on.
  CopiedTile tile = describe({2, 40}, 40, {8, 40}, {40, 1});
  EXPECT_EQ(countCopiedSectors(tile), 5);
  tile.intoSector = 8;
  EXPECT_EQ(countCopiedSectors(tile), 6);
  // A run is copied by whole sectors, wherever it begins.
  CopiedTile run = describe({25, 9}, 9, {100, 9}, {9, 1});
  EXPECT_EQ(countCopiedSectors(run), 15);
  run.intoSector = 15;
  EXPECT_EQ(countCopiedSectors(run), 15);
}

/// Rows of a sector each, behind the start of one: each has a part of two.
TEST(AccessPatterns, WindowsBehindTheStartOfASector) {
  FragmentedTile tile;
  const int64_t shape[] = {4, 32}, strides[] = {32, 1};
  const bool overhangs[] = {false, false};
  tile.shape = shape;
  tile.strides = strides;
  tile.overhangs = overhangs;
  tile.elementBytes = 1;
  EXPECT_EQ(countWindowTraffic(makeRow(0), tile).drawnSectors, 4);
  tile.intoSector = 8;
  WindowTraffic traffic = countWindowTraffic(makeRow(0), tile);
  EXPECT_EQ(traffic.drawnSectors, 8);
  EXPECT_EQ(traffic.sectors, 5);
}
