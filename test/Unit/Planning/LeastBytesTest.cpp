//===- LeastBytesTest.cpp - Plans against all orders ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckPlans/LeastBytes.h"
#include "Mirage/Planning/StorageProblem.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

static constexpr int64_t kAlignment = 128;

static PlacedTiles getPlacedTiles(const StorageProblem &problem) {
  PlacedTiles placed;
  for (const StoredTile &tile : problem.getTiles()) {
    placed.tiles.push_back({tile.sizeBytes, kAlignment});
    llvm::SmallVector<bool> &row = placed.keptApart.emplace_back();
    for (const StoredTile &other : problem.getTiles())
      row.push_back(tile.overlaps(other));
  }
  return placed;
}

/// Two iterations of three epochs; some tiles are made in each, others stay.
static StorageProblem drawProblem(std::mt19937 &random) {
  StorageProblem problem(kAlignment);
  for (unsigned tile = 0; tile < 7; ++tile) {
    StoredTile stored{kAlignment * static_cast<int64_t>(1 + random() % 5)};
    bool isMade = random() % 2;
    stored.begin = random() % (isMade ? 3 : 6);
    stored.end = stored.begin + 1 + random() % 3;
    stored.again = isMade ? 3 : 0;
    problem.add(stored);
  }
  return problem;
}

TEST(LeastBytes, NoPlanIsBetterThanThePlanners) {
  std::mt19937 random(7);
  for (unsigned trial = 0; trial < 200; ++trial) {
    StorageProblem problem = drawProblem(random);
    PlacedTiles tiles = getPlacedTiles(problem);
    int64_t live = findLiveBytes(tiles);
    std::optional<int64_t> least = findLeastBytes(tiles, live);
    StoragePlan plan = planStorage(problem);
    ASSERT_TRUE(least);
    EXPECT_LE(problem.getLargestDemand().sizeBytes, live);
    EXPECT_EQ(plan.sizeBytes, *least) << "trial " << trial;
  }
}

TEST(LeastBytes, TilesInARingOfPairsNeedAGap) {
  // Each is kept apart from the two beside it alone: two at a time are live,
  // and three places are needed for five.
  PlacedTiles tiles;
  tiles.tiles.assign(5, {128, 128});
  tiles.keptApart.assign(5, llvm::SmallVector<bool>(5, false));
  for (unsigned tile = 0; tile < 5; ++tile)
    for (unsigned beside : {(tile + 1) % 5, (tile + 4) % 5})
      tiles.keptApart[tile][beside] = true;
  EXPECT_EQ(findLiveBytes(tiles), 256);
  EXPECT_EQ(findLeastBytes(tiles, 256), 384);
  tiles.tiles.resize(9);
  EXPECT_EQ(findLeastBytes(tiles, 256), std::nullopt);
}
