//===- MulticastClusterTest.cpp - Blocks that load for each other ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Planning/MulticastCluster.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;

using Extents = llvm::SmallVector<int64_t, 3>;

/// A tile of f16 in a larger tensor.
static SharableTile makeTile(int64_t rows, int64_t columns,
                             llvm::SmallVector<bool, 3> isSame) {
  SharableTile tile;
  tile.boxes = *findTileBoxes({4096, 4096}, {4096, 1}, {rows, columns}, 2);
  tile.isSame = std::move(isSame);
  return tile;
}

/// Of a product: rows along x, columns along y.
static const SharableTile kLeft = makeTile(128, 64, {false, true}),
                          kRight = makeTile(64, 256, {true, false});

static Extents choose(llvm::ArrayRef<int64_t> grid,
                      llvm::ArrayRef<SharableTile> tiles, int64_t mostBlocks) {
  return chooseByBytes(listMulticastClusters(grid, tiles, mostBlocks), tiles);
}

TEST(MulticastCluster, LeavesL2TheFewestBytes) {
  // 16 / 2 + 32 / 2 KiB are fewer than 16 + 32 / 2, and as few as 16 + 32 / 4.
  EXPECT_EQ(choose({32, 16}, {kLeft, kRight}, 2), Extents({2, 1}));
  EXPECT_EQ(choose({32, 16}, {kLeft, kRight}, 4), Extents({2, 2}));
  EXPECT_EQ(choose({32, 16}, {kLeft, kRight}, 8), Extents({4, 2}));
  EXPECT_EQ(choose({32, 16}, {kLeft, kRight}, 16), Extents({4, 4}));
  EXPECT_EQ(choose({32, 16}, {kRight}, 16), Extents({16, 1}));
  MulticastBytes bytes = countMulticastBytes({4, 2}, {kLeft, kRight});
  EXPECT_EQ(bytes.tiles, 48 * 1024);
  EXPECT_EQ(bytes.fromCache, 16 * 1024);
}

TEST(MulticastCluster, FillsTheGrid) {
  EXPECT_EQ(choose({6, 5}, {kLeft, kRight}, 4), Extents({2, 1}));
  EXPECT_EQ(choose({5, 12}, {kLeft, kRight}, 8), Extents({1, 4}));
  EXPECT_EQ(choose({5, 7}, {kLeft, kRight}, 8), Extents());
  EXPECT_EQ(choose({1, 1}, {kLeft, kRight}, 8), Extents());
}

TEST(MulticastCluster, SharesWhatItLoads) {
  EXPECT_EQ(choose({8, 8}, {}, 8), Extents());
  EXPECT_EQ(choose({8, 8}, {makeTile(64, 64, {false, false})}, 8), Extents());
  // Of 16 rows there are halves, and no more.
  SharableTile low = makeTile(16, 64, {true, false});
  EXPECT_EQ(choose({8, 8}, {low}, 8), Extents({2, 1}));
  EXPECT_EQ(choose({8, 8}, {low, kLeft}, 4), Extents({1, 4}));
  EXPECT_EQ(choose({8, 4}, {low, kLeft}, 8), Extents({2, 4}));
  EXPECT_EQ(choose({8, 8}, {makeTile(8, 64, {true, true})}, 8), Extents());
}

TEST(MulticastCluster, PersistentBlocksAreWholeClustersThatFindSMs) {
  Target target = llvm::cantFail(getTarget("sm_90a"));
  EXPECT_EQ(getClusteredBlocks(132, 2, target), 132);
  EXPECT_EQ(getClusteredBlocks(132, 4, target), 120);
  EXPECT_EQ(getClusteredBlocks(132, 8, target), 120);
  EXPECT_EQ(getClusteredBlocks(132, 16, target), 112);
  EXPECT_EQ(getClusteredBlocks(5, 2, target), 4);
  EXPECT_EQ(getClusteredBlocks(1, 2, target), 0);
  EXPECT_EQ(getClusteredBlocks(132, 2, llvm::cantFail(getTarget("sm_80"))), 0);
}

TEST(MulticastCluster, OptionSaysWhatItTakes) {
  using Kind = MulticastChoice::Kind;
  EXPECT_EQ(llvm::cantFail(parseMulticast("never", 16)).kind, Kind::Never);
  EXPECT_EQ(llvm::cantFail(parseMulticast("auto", 16)).kind, Kind::Predicted);
  MulticastChoice most = llvm::cantFail(parseMulticast("16", 16));
  EXPECT_EQ(most.kind, Kind::Always);
  EXPECT_EQ(most.mostBlocks, 16);
  for (llvm::StringRef text : {"", "1", "17", "-2", "always", "4 "})
    EXPECT_EQ(
        llvm::toString(parseMulticast(text, 16).takeError()),
        ("expects multicast never, auto or 2 to 16 blocks, got '" + text + "'")
            .str());
}
