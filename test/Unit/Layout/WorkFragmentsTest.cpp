//===- WorkFragmentsTest.cpp - Fragments for the steps of a block ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Layout/WorkFragments.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;

static const std::vector<std::vector<int64_t>> kTiles = {
    {1},      {7},       {64},       {1000},      {8, 64},      {7, 50},
    {50, 13}, {1, 4096}, {4096, 1},  {64, 3},     {2, 3, 5},    {16, 1, 128},
    {128, 1}, {1, 1},    {5, 1, 33}, {3, 128, 2}, {64, 64, 64}, {2, 3, 7, 50}};

static void expectUsable(const LinearLayout &layout) {
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_LE(layout.getNumRegisters(), kMaxRegisters);
}

TEST(WorkFragmentsTest, ElementwiseRunsNeverCrossTheEndOfARow) {
  for (const std::vector<int64_t> &tile : kTiles)
    for (unsigned numWarps : {1, 4, 32}) {
      LinearLayout layout = chooseElementwiseLayout(tile, numWarps);
      expectUsable(layout);
      unsigned last = tile.size() - 1;
      EXPECT_EQ(1u << layout.getContiguousBits(last), layout.getNumRegisters());
      EXPECT_EQ(tile[last] % layout.getNumRegisters(), 0);
    }
}

TEST(WorkFragmentsTest, ElementwiseLanesAllWorkOnLargeTiles) {
  LinearLayout layout = chooseElementwiseLayout({8, 64}, 1);
  EXPECT_EQ(layout.getShape(), llvm::ArrayRef<int64_t>({4, 64}));
  for (LayoutInput input :
       {LayoutInput::Register, LayoutInput::Lane, LayoutInput::Warp})
    EXPECT_EQ(layout.getRedundantBits(input), 0u);
}

/// Two warps share 64 elements, unless lanes are to have two of them each; rows
/// that are odd have no runs.
TEST(WorkFragmentsTest, ElementwiseRunsAreNoShorterThanAsked) {
  using Sizes = llvm::ArrayRef<int64_t>;
  EXPECT_EQ(chooseElementwiseLayout({1, 64}, 2).getShape(), Sizes({1, 32}));
  RunLengths words{/*longest=*/8, /*shortest=*/2};
  EXPECT_EQ(chooseElementwiseLayout({1, 64}, 2, words).getShape(),
            Sizes({1, 64}));
  EXPECT_EQ(chooseElementwiseLayout({1, 1024}, 2, words).getNumRegisters(), 8u);
  EXPECT_EQ(chooseElementwiseLayout({1, 63}, 2, words).getNumRegisters(), 1u);
}

/// A reduced dimension's bits are in registers and lanes of their own, so that
/// adding registers and shuffling between lanes is the whole reduction.
TEST(WorkFragmentsTest, ReductionsKeepReducedBitsApart) {
  for (const std::vector<int64_t> &tile : kTiles)
    for (unsigned dim = 0; dim < tile.size(); ++dim)
      for (auto [numWarps, run] :
           {std::pair(1u, 8), {4u, 8}, {16u, 1}, {16u, 4}, {4u, 16}}) {
        LinearLayout layout =
            chooseReductionLayout(tile, dim, numWarps, {/*longest=*/run});
        expectUsable(layout);
        for (LayoutInput input : {LayoutInput::Register, LayoutInput::Lane})
          for (const Coordinates &image : layout.getBases(input))
            for (unsigned other = 0; other < tile.size(); ++other)
              EXPECT_TRUE(other == dim || image[dim] == 0 || image[other] == 0);
      }
}

/// Lanes lie along rows, and share sums only where warps would have none.
TEST(WorkFragmentsTest, SumsOfColumnsAreSharedOutToAllWarps) {
  using Sizes = llvm::ArrayRef<int64_t>;
  RunLengths ofF32{/*longest=*/4};
  auto getShape = [&](llvm::ArrayRef<int64_t> tile, unsigned numWarps) {
    return chooseReductionLayout(tile, 0, numWarps, ofF32).getShape().vec();
  };
  // Rows for eight warps, and for two of them.
  EXPECT_EQ(Sizes(getShape({16, 8, 32}, 8)), Sizes({16, 1, 32}));
  EXPECT_EQ(Sizes(getShape({16, 8, 32}, 2)), Sizes({4, 4, 32}));
  ReductionShare share = shareReduction({16, 8, 32}, 0, 8, ofF32);
  EXPECT_EQ(share.items, 8);
  EXPECT_EQ(share.exchanges, 2 * 4); // four lanes of a sum, sums of four
  EXPECT_EQ(shareReduction({16, 8, 32}, 0, 2, ofF32).exchanges, 0);
  EXPECT_EQ(shareReduction({16, 4, 32}, 0, 16, ofF32).items, 4);
  // Two rows each would leave warps without a sum.
  EXPECT_EQ(shareReduction({16, 9, 32}, 0, 8, ofF32).items, 9);
  // Runs of one leave four warps 32 columns each.
  EXPECT_EQ(Sizes(getShape({32, 128}, 4)), Sizes({16, 32}));
  EXPECT_EQ(Sizes(getShape({32, 128}, 1)), Sizes({4, 128}));
  // Rows: 32 lanes of one.
  share = shareReduction({4, 256}, 1, 4, ofF32);
  EXPECT_EQ(share.items, 4);
  EXPECT_EQ(share.exchanges, 5);
}

TEST(WorkFragmentsTest, MatmulLanesHoldAllOfK) {
  for (int64_t m : {1, 7, 8, 64})
    for (int64_t n : {1, 13, 32, 256})
      for (int64_t k : {1, 3, 50})
        for (bool isRhsAlongK : {false, true}) {
          LinearLayout layout = chooseMatmulLayout(m, n, k, 4, isRhsAlongK);
          for (const Coordinates &image : layout.getBases(LayoutInput::Lane))
            EXPECT_EQ(image[2], 0);
          expectUsable(layout.project({0, 2}));
          expectUsable(layout.project({2, 1}));
          expectUsable(layout.project({0, 1}));
        }
}

/// Elements of a right operand that lanes read at once are consecutive, or in
/// consecutive rows.
TEST(WorkFragmentsTest, MatmulLanesGoByTheRightOperand) {
  constexpr int64_t kSize = 64, kRun = 4;
  auto getColumnStep = [&](bool isRhsAlongK) {
    LinearLayout layout =
        chooseMatmulLayout(kSize, kSize, kSize, 4, isRhsAlongK);
    return layout.getBases(LayoutInput::Lane).front()[1];
  };
  EXPECT_EQ(getColumnStep(false), kRun);
  EXPECT_EQ(getColumnStep(true), 1);
}

TEST(WorkFragmentsTest, MmaColumnsLeaveWorkForEveryWarp) {
  EXPECT_EQ(chooseMmaColumns(1, 8, 32, 4), 1);
  EXPECT_EQ(chooseMmaColumns(1, 64, 32, 4), 4);
  EXPECT_EQ(chooseMmaColumns(1, 8, 64, 4), 2);
  EXPECT_EQ(chooseMmaColumns(4, 8, 32, 4), 4);
  // No more than there are.
  EXPECT_EQ(chooseMmaColumns(1, 64, 4, 1), 1);
  EXPECT_EQ(chooseMmaColumns(1, 64, 13, 1), 2);
  EXPECT_EQ(chooseMmaColumns(1, 64, 24, 1), 4);
}

TEST(WorkFragmentsTest, MmaColumnsAreFewerWhereOnlyTheseComeEven) {
  // 36 items for 32 warps are two for some of them, 72 of half the size three.
  EXPECT_EQ(countMmaRegisters(1, 96, 192, 4, 32), 32);
  EXPECT_EQ(countMmaRegisters(1, 96, 192, 2, 32), 24);
  EXPECT_EQ(countMmaRegisters(2, 48, 192, 2, 32), 24);
  EXPECT_EQ(chooseMmaColumns(1, 96, 192, 32, 32), 4);
  EXPECT_EQ(chooseMmaColumns(1, 96, 192, 32, 31), 2);
  EXPECT_EQ(chooseMmaColumns(1, 96, 192, 32, 24), 2);
  EXPECT_EQ(chooseMmaColumns(1, 96, 192, 32, 20), 1);
  // Where none are few enough they are as wide as may be.
  EXPECT_EQ(countMmaRegisters(1, 96, 192, 1, 32), 20);
  EXPECT_EQ(chooseMmaColumns(1, 96, 192, 32, 19), 4);
}
