//===- StorageProblemTest.cpp - Places for tiles in shared memory ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Planning/StorageProblem.h"
#include "gtest/gtest.h"
#include <limits>
#include <random>

using namespace mlir::mirage;

static constexpr int64_t kAlignment = 128;

static std::string getMessage(llvm::Error error) {
  return llvm::toString(std::move(error));
}

static StoragePlan planAndVerify(const StorageProblem &problem) {
  StoragePlan plan = planStorage(problem);
  EXPECT_EQ(getMessage(verify(problem, plan)), "");
  EXPECT_GE(plan.sizeBytes, problem.getLargestDemand().sizeBytes);
  return plan;
}

TEST(StorageProblem, TilesThatNeverMeetShareBytes) {
  StorageProblem problem(kAlignment);
  problem.add({128, 0, 2});
  problem.add({100, 1, 3}); // padded to 128
  problem.add({128, 2, 4});
  StoragePlan plan = planAndVerify(problem);
  EXPECT_EQ(plan.sizeBytes, 256);
  EXPECT_TRUE(plan.isOptimal);
  EXPECT_EQ(plan.offsets[0], plan.offsets[2]);
}

TEST(StorageProblem, NoTilesNeedNothing) {
  StoragePlan plan = planAndVerify(StorageProblem(kAlignment));
  EXPECT_EQ(plan.sizeBytes, 0);
  EXPECT_TRUE(plan.isOptimal);
}

TEST(StorageProblem, SomeTilesNeedMoreAlignment) {
  StorageProblem problem(kAlignment);
  problem.add({4096, 0, 1, 1024});
  problem.add({128, 0, 1});
  problem.add({2048, 0, 1, 1024});
  problem.add({640, 0, 1});
  StoragePlan plan = planAndVerify(problem);
  EXPECT_EQ(plan.offsets[0] % 1024, 0);
  EXPECT_EQ(plan.offsets[2] % 1024, 0);
  EXPECT_EQ(plan.sizeBytes, 4096 + 2048 + 128 + 640);
  plan.offsets[2] += 128;
  EXPECT_EQ(getMessage(verify(problem, plan))
                .rfind("expects tile 2 aligned to 1024 below", 0),
            0u);
}

TEST(StorageProblem, LargestDemandNamesTheEpoch) {
  StorageProblem problem(kAlignment);
  problem.add({128, 0, 3});
  problem.add({512, 2, 3});
  EXPECT_EQ(problem.getLargestDemand().sizeBytes, 640);
  EXPECT_EQ(problem.getLargestDemand().epoch, 2u);
}

// Of a loop of epochs 0 to 2 in any iteration, and 2 to 4 in the last one, as
// no barrier is at its head.
TEST(StorageProblem, WhatEachIterationMakesIsLiveTwice) {
  StorageProblem problem(kAlignment);
  problem.add({128, 0, 4});                               // read in epoch 1
  problem.add({128, 2, 3, /*alignment=*/1, /*again=*/2}); // in the last epoch
  problem.add({128, 0, 1, /*alignment=*/1, /*again=*/2}); // in the first one
  problem.add({128, 1, 2, /*alignment=*/1, /*again=*/2}); // between
  problem.add({256, 4, 6});                               // behind the loop
  llvm::ArrayRef<StoredTile> tiles = problem.getTiles();
  EXPECT_TRUE(tiles[1].overlaps(tiles[2])); // that of the next iteration
  EXPECT_TRUE(tiles[2].overlaps(tiles[1]));
  EXPECT_FALSE(tiles[3].overlaps(tiles[1]));
  EXPECT_FALSE(tiles[3].overlaps(tiles[2]));
  EXPECT_TRUE(tiles[1].overlaps(tiles[4]));
  EXPECT_FALSE(tiles[0].overlaps(tiles[4]));
  EXPECT_EQ(problem.getLargestDemand().sizeBytes, 384);
  StoragePlan plan = planAndVerify(problem);
  EXPECT_EQ(plan.sizeBytes, 384);
  plan.offsets[4] = plan.offsets[1];
  EXPECT_NE(getMessage(verify(problem, plan)), "");
}

// Decreasing size puts 5, 4, 3, 2, ... where an exact packing has another
// order: the search must repair it.
TEST(StorageProblem, SearchReachesTheBoundWhereFirstFitDoesNot) {
  std::mt19937 random(7);
  unsigned repaired = 0;
  for (unsigned trial = 0; trial < 300; ++trial) {
    StorageProblem problem(kAlignment);
    for (unsigned tile = 0; tile < 7; ++tile) {
      unsigned begin = random() % 6;
      problem.add({128 * static_cast<int64_t>(1 + random() % 5), begin,
                   begin + 1 + static_cast<unsigned>(random() % 3)});
    }
    StoragePlan plan = planAndVerify(problem);
    EXPECT_TRUE(plan.isOptimal) << "trial " << trial;
    repaired += plan.sizeBytes == problem.getLargestDemand().sizeBytes;
  }
  EXPECT_GT(repaired, 290u);
}

TEST(StorageProblem, BadProblemsAndPlansAreNamed) {
  StorageProblem problem(kAlignment);
  problem.add({0, 0, 1});
  EXPECT_EQ(getMessage(problem.check()),
            "expects tile 0 to have a positive size, got 0");
  StorageProblem uneven(kAlignment);
  uneven.add({128, 0, 1, 96});
  EXPECT_EQ(getMessage(uneven.check()),
            "expects tile 0 to have an alignment that is a power of two, got "
            "96");
  StorageProblem empty(kAlignment);
  empty.add({128, 2, 2});
  EXPECT_EQ(getMessage(empty.check()),
            "expects tile 0 to be live for an epoch at least, got [2, 2)");
  StorageProblem two(kAlignment);
  two.add({128, 0, 1});
  two.add({128, 0, 1});
  EXPECT_EQ(getMessage(verify(two, {{0, 0}, 128, true})),
            "tiles 0 and 1 are live together and share bytes");
  EXPECT_EQ(getMessage(verify(two, {{0, 64}, 256, true})),
            "expects tile 1 aligned to 128 below 256, got offset 64");
}

// Their ends are beyond what 64 bits hold.
TEST(StorageProblem, OffsetsNearTheLargestNumberAreOutside) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  StorageProblem problem(kAlignment);
  problem.add({256, 0, 1});
  for (int64_t offset : {kMost - 127, -kMost - 1, int64_t(-128)})
    EXPECT_EQ(getMessage(verify(problem, {{offset}, 512, true})),
              "expects tile 0 aligned to 128 below 512, got offset " +
                  std::to_string(offset));
  EXPECT_EQ(getMessage(verify(problem, {{0}, -kMost - 1, true})),
            "expects tile 0 aligned to 128 below -9223372036854775808, got "
            "offset 0");
  EXPECT_EQ(getMessage(verify(problem, {{kMost - 255}, kMost, true})),
            "expects tile 0 aligned to 128 below 9223372036854775807, got "
            "offset 9223372036854775552");
}
