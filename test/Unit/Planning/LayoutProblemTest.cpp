//===- LayoutProblemTest.cpp - How the tiles of a block lie ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Planning/LayoutProblem.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir::mirage;
using llvm::ArrayRef;

/// Tiles that are all there at the same time.
static LayoutChoice choose(const LayoutProblem &problem, int64_t mostBytes,
                           unsigned maxCalls = 2000) {
  auto fit = [&](ArrayRef<unsigned> options) {
    return problem.addUp(options).sizeBytes <= mostBytes;
  };
  LayoutChoice choice = chooseLayouts(problem, fit, /*known=*/{}, maxCalls);
  EXPECT_FALSE(llvm::errorToBool(verify(problem, choice)));
  EXPECT_EQ(choice.fits, fit(choice.options));
  return choice;
}

/// The example of the header.
static LayoutProblem makeExample() {
  LayoutProblem problem;
  problem.addTile({{0, 4096, 0, 4096}, {0, 512, 0, 4608}});
  problem.addTile({{0, 2048, 0, 8192}, {0, 256, 0, 9216}});
  return problem;
}

static std::vector<unsigned> listOptions(const LayoutProblem &problem,
                                         int64_t mostBytes) {
  LayoutChoice choice = choose(problem, mostBytes);
  EXPECT_TRUE(choice.fits);
  EXPECT_TRUE(choice.isOptimal);
  return {choice.options.begin(), choice.options.end()};
}

TEST(LayoutProblem, WhatSavesMostIsTakenFirst) {
  LayoutProblem problem = makeExample();
  LayoutChoice none = choose(problem, 12287);
  EXPECT_FALSE(none.fits);
  EXPECT_EQ(none.options, (llvm::SmallVector<unsigned>{0, 0}));
  EXPECT_EQ(listOptions(problem, 12288), (std::vector<unsigned>{0, 0}));
  EXPECT_EQ(listOptions(problem, 12800), (std::vector<unsigned>{1, 0}));
  EXPECT_EQ(listOptions(problem, 13312), (std::vector<unsigned>{1, 0}));
  EXPECT_EQ(listOptions(problem, 13824), (std::vector<unsigned>{1, 1}));
}

/// What the copy engine brings is not copied for fewer wavefronts; and of equal
/// ones the smaller is taken.
TEST(LayoutProblem, BytesThatThreadsCopyCountFirst) {
  LayoutProblem problem;
  problem.addTile({{1024, 8, 0, 1024}, {0, 64, 0, 1024}, {0, 64, 0, 512}});
  EXPECT_EQ(listOptions(problem, 4096), (std::vector<unsigned>{2}));
}

/// Out of calls, with the tile that has most to gain.
TEST(LayoutProblem, ASearchThatEndsSaysSo) {
  LayoutProblem problem;
  problem.addTile({{0, 10, 0, 100}, {0, 9, 0, 150}});
  problem.addTile({{0, 100, 0, 100}, {0, 10, 0, 150}});
  LayoutChoice choice = choose(problem, 299, /*maxCalls=*/3);
  EXPECT_TRUE(choice.fits);
  EXPECT_FALSE(choice.isOptimal);
  EXPECT_EQ(choice.options, (llvm::SmallVector<unsigned>{0, 1}));
}

TEST(LayoutProblem, WhatIsNoProblemOrChoice) {
  LayoutProblem problem;
  problem.addTile({});
  EXPECT_EQ(llvm::toString(problem.check()),
            "expects a way for tile 0 to lie, got none");
  LayoutProblem negative;
  negative.addTile({{0, -1, 0, 0}});
  EXPECT_EQ(llvm::toString(negative.check()),
            "expects no negative numbers of tile 0");
  LayoutProblem example = makeExample();
  auto check = [&](LayoutChoice choice) {
    return llvm::toString(verify(example, choice));
  };
  EXPECT_EQ(check({{0}}), "expects an option for each of 2 tiles, got 1");
  EXPECT_EQ(check({{0, 2}}), "expects one of 2 options, got 2");
}

/// What is known to fit is no worse for a place that is not found.
TEST(LayoutProblem, WhatIsKnownIsKept) {
  LayoutProblem problem = makeExample();
  auto chooseIf = [&](auto fit) {
    return chooseLayouts(problem, fit, /*known=*/{1, 0});
  };
  LayoutChoice none = chooseIf([](ArrayRef<unsigned>) { return false; });
  EXPECT_TRUE(none.fits);
  EXPECT_EQ(none.options, (llvm::SmallVector<unsigned>{1, 0}));
  LayoutChoice better = chooseIf([](ArrayRef<unsigned>) { return true; });
  EXPECT_EQ(better.options, (llvm::SmallVector<unsigned>{1, 1}));
}

/// A swizzle that threads compute is for who has no other way.
TEST(LayoutProblem, SwizzlesWhereNothingElseFits) {
  LayoutProblem problem;
  problem.addTile({{0, 64, 0, 512}, {0, 8, 0, 576}, {0, 8, 512, 512}});
  EXPECT_EQ(listOptions(problem, 576), (std::vector<unsigned>{1}));
  EXPECT_EQ(listOptions(problem, 575), (std::vector<unsigned>{2}));
}

TEST(LayoutProblem, NoTiles) {
  EXPECT_TRUE(listOptions(LayoutProblem(), 0).empty());
}

/// The least sum of all options that fit.
static std::optional<LayoutOption> findByForce(const LayoutProblem &problem,
                                               int64_t mostBytes) {
  std::optional<LayoutOption> best;
  std::vector<unsigned> options(problem.getTiles().size(), 0);
  while (true) {
    LayoutOption sum = problem.addUp(options);
    if (sum.sizeBytes <= mostBytes && (!best || sum < *best))
      best = sum;
    unsigned tile = 0;
    for (; tile < options.size(); options[tile++] = 0)
      if (++options[tile] < problem.getTiles()[tile].size())
        break;
    if (tile == options.size())
      return best;
  }
}

TEST(LayoutProblem, AsByForce) {
  std::mt19937 random(1);
  auto draw = [&](int64_t most) { return int64_t(random() % (most + 1)); };
  unsigned numCut = 0;
  for (unsigned round = 0; round < 2000; ++round) {
    LayoutProblem problem;
    unsigned numTiles = 1 + draw(4);
    for (unsigned tile = 0; tile < numTiles; ++tile) {
      llvm::SmallVector<LayoutOption> options;
      for (int64_t option = draw(3); option >= 0; --option)
        options.push_back({draw(1), draw(20), draw(1), 1 + draw(20)});
      problem.addTile(options);
    }
    int64_t mostBytes = draw(20 * numTiles);
    std::optional<LayoutOption> expected = findByForce(problem, mostBytes);
    LayoutChoice found = choose(problem, mostBytes);
    ASSERT_EQ(found.fits, expected.has_value());
    if (!found.fits)
      continue;
    EXPECT_TRUE(found.isOptimal);
    EXPECT_TRUE(problem.addUp(found.options) == *expected);
    numCut +=
        !(problem.addUp(found.options) == *findByForce(problem, INT64_MAX));
  }
  EXPECT_GT(numCut, 300u) << "in which the best did not fit";
}
