//===- TilingsTest.cpp - Which sizes kernels get --------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Tilings.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir::mirage;
using namespace mlir::mirage::search;

namespace {
constexpr NameId kRows = 0, kColumns = 1, kDepth = 2;

/// Tile of rows, tile of columns, tile of the depth, iterations.
using Sizes = std::tuple<int64_t, int64_t, int64_t, int64_t>;

std::multiset<Sizes> listSizes(const KernelStructure &kernel,
                               llvm::ArrayRef<int64_t> extents) {
  TilingSpace space(kernel, extents);
  std::multiset<Sizes> found;
  for (size_t number = 0; number < space.size(); ++number) {
    Tiling tiling = space.get(number);
    found.insert({tiling.tile[kRows], tiling.tile[kColumns],
                  tiling.tile[kDepth], getLoop(kernel, extents, tiling)});
  }
  return found;
}

/// The sizes of tiles that docs/Search.md names, but for those that leave one
/// tile.
std::set<int64_t> listTiles(int64_t extent) {
  std::set<int64_t> tiles;
  for (int64_t tile : {1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256, 512})
    if ((extent + tile - 1) / tile >= 2)
      tiles.insert(tile);
  // Multiples of 8 of which there are two to eight.
  for (int64_t tile = 8; tile <= 512; tile += 8)
    for (int64_t count = 2; count <= 8; ++count)
      if (tile * count >= extent && (tile - 8) * count < extent &&
          tile < extent)
        tiles.insert(tile);
  return tiles;
}

/// All of them are there, once, and nothing else is: tiles that divide nothing,
/// and the largest that leaves two, among them.
TEST(Tilings, AxesHaveEveryTileThatLeavesTwo) {
  KernelStructure kernel;
  kernel.gridNames = {kRows, kColumns};
  for (int64_t rows : {2, 3, 5, 17, 49, 300, 512, 513, 5000})
    for (int64_t columns : {2, 33, 100, 193}) {
      std::multiset<Sizes> expected;
      for (int64_t a : listTiles(rows))
        for (int64_t b : listTiles(columns))
          expected.insert({a, b, 40, 1});
      EXPECT_EQ(listSizes(kernel, {rows, columns, 40}), expected)
          << rows << " x " << columns;
    }
}

TEST(Tilings, LoopsHaveEveryTileThatLeavesTwo) {
  KernelStructure kernel;
  kernel.gridNames = {kRows};
  kernel.loopName = kDepth;
  for (int64_t depth : {2, 3, 9, 48, 97, 600}) {
    std::multiset<Sizes> expected;
    for (int64_t a : listTiles(20))
      for (int64_t k : listTiles(depth))
        expected.insert({a, 7, k, (depth + k - 1) / k});
    EXPECT_EQ(listSizes(kernel, {20, 7, depth}), expected) << depth;
  }
}

/// A name that is cut twice: by blocks, each of which goes through its share in
/// 2, 4, 8, .. iterations of at least two elements, and of which there are two.
TEST(Tilings, ANameOnTheGridAndInTheLoopHasEveryCut) {
  KernelStructure kernel;
  kernel.gridNames = {kDepth};
  kernel.loopName = kDepth;
  for (int64_t depth : {5, 8, 9, 33, 200, 4096}) {
    std::multiset<Sizes> expected;
    for (int64_t k : listTiles(depth))
      for (int64_t loop = 2; k > 1 && k * loop < depth; loop *= 2)
        expected.insert({6, 7, k, loop});
    EXPECT_EQ(listSizes(kernel, {6, 7, depth}), expected) << depth;
  }
}

TEST(Tilings, WhatCannotBeSplitHasNone) {
  KernelStructure kernel;
  kernel.gridNames = {kRows};
  EXPECT_EQ(TilingSpace(kernel, {1, 7, 40}).size(), 0u);
  kernel.gridNames = {};
  EXPECT_EQ(TilingSpace(kernel, {1, 7, 40}).size(), 1u);
  kernel.loopName = kDepth;
  EXPECT_EQ(TilingSpace(kernel, {1, 7, 1}).size(), 0u);
}
} // namespace
