//===- MatrixInstructionsTest.cpp -----------------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Layout/MatrixInstructions.h"
#include "Mirage/Layout/Fragments.h"
#include "gtest/gtest.h"
#include <map>

using namespace mlir::mirage;

static std::string whyNoTiles(const LinearLayout &fragment,
                              const LinearLayout &tile) {
  return llvm::toString(checkTiles(fragment, tile));
}

TEST(MatrixInstructions, ShapesGoWithElements) {
  EXPECT_TRUE(findMmaInstruction({16, 8, 8}, 16));
  EXPECT_TRUE(findMmaInstruction({16, 8, 16}, 16));
  EXPECT_TRUE(findMmaInstruction({16, 8, 32}, 8));
  EXPECT_TRUE(findMmaInstruction({16, 8, 8}, 32));
  EXPECT_FALSE(findMmaInstruction({16, 8, 16}, 32));
  EXPECT_FALSE(findMmaInstruction({16, 8, 16}, 8));
  EXPECT_FALSE(findMmaInstruction({16, 16, 16}, 16));
  EXPECT_FALSE(findMmaInstruction({16, 8}, 16));
}

TEST(MatrixInstructions, TilesOfAFragmentAreFoundInOrder) {
  LinearLayout tile = getFragmentLayout(FragmentKind::MmaM16N8K16B);
  LinearLayout fragment = repeatFragment(tile, 2, 4);
  EXPECT_EQ(whyNoTiles(fragment, tile), "");
  for (int64_t row = 0; row < 2; ++row)
    for (int64_t column = 0; column < 4; ++column) {
      auto numbers = findTileRegisters(fragment, tile, row, column);
      ASSERT_EQ(numbers.size(), tile.getNumRegisters());
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned i = 0; i < numbers.size(); ++i) {
          Coordinates inTile = tile.apply(i, lane),
                      element = fragment.apply(numbers[i], lane);
          EXPECT_EQ(element[0], row * 16 + inTile[0]);
          EXPECT_EQ(element[1], column * 8 + inTile[1]);
        }
    }
}

/// What the instruction multiplies with each other, elements of one k by PTX
/// ("mma.m16n8k8", .tf32), have one k here, and each of the eight once.
TEST(MatrixInstructions, OrdersOfKOfTF32AreThoseOfBothOperands) {
  MatrixInstruction mma = *findMmaInstruction({16, 8, 8}, 32);
  LinearLayout a = getFragmentLayout(FragmentKind::MmaM16N8K8TF32A);
  LinearLayout b = getFragmentLayout(FragmentKind::MmaM16N8K8TF32B);
  std::map<int64_t, int64_t> ours; // by k of PTX
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < a.getNumRegisters(); ++i) {
      Coordinates ptx = a.apply(i, lane), here = mma.a.apply(i, lane);
      EXPECT_EQ(here[0], ptx[0]);
      EXPECT_EQ(ours.try_emplace(ptx[1], here[1]).first->second, here[1]);
    }
    for (unsigned i = 0; i < b.getNumRegisters(); ++i) {
      Coordinates ptx = b.apply(i, lane), here = mma.b.apply(i, lane);
      EXPECT_EQ(here[1], ptx[1]);
      EXPECT_EQ(ours.try_emplace(ptx[0], here[0]).first->second, here[0]);
    }
  }
  EXPECT_EQ(
      ours,
      (std::map<int64_t, int64_t>{
          {0, 0}, {1, 2}, {2, 4}, {3, 6}, {4, 1}, {5, 3}, {6, 5}, {7, 7}}));
}

/// So that attention's second product takes what the first one left.
TEST(MatrixInstructions, AccumulatorsAreLeftOperandsOfTF32) {
  MatrixInstruction mma = *findMmaInstruction({16, 8, 8}, 32);
  EXPECT_EQ(whyNoTiles(repeatFragment(mma.d, 1, 4), mma.a), "");
  // By PTX's own order they are not.
  EXPECT_NE(whyNoTiles(mma.d, getFragmentLayout(FragmentKind::MmaM16N8K8TF32A)),
            "");
}

TEST(MatrixInstructions, OtherFragmentsAreNoTiles) {
  LinearLayout a = getFragmentLayout(FragmentKind::MmaM16N8K16A);
  LinearLayout b = getFragmentLayout(FragmentKind::MmaM16N8K16B);
  LinearLayout d = getFragmentLayout(FragmentKind::MmaM16N8D);
  EXPECT_NE(whyNoTiles(d, b).find("lane bit 0"), std::string::npos);
  EXPECT_NE(whyNoTiles(b, a).find("got one of 16x8"), std::string::npos);
  // A batch of size 1 is none; one of size 2 is.
  EXPECT_EQ(whyNoTiles(d.project({-1, 0, 1}), d), "");
  LinearLayout batch = buildBlockedLayout(3, {{LayoutInput::Register, 0, 1},
                                              {LayoutInput::Register, 2, 1},
                                              {LayoutInput::Lane, 2, 2},
                                              {LayoutInput::Lane, 1, 3},
                                              {LayoutInput::Register, 1, 1}});
  EXPECT_NE(whyNoTiles(batch, d).find("in a batch"), std::string::npos);
  // Columns 1 and 2 of a row change places between registers and lanes.
  LinearLayout torn({16, 8}, {{0, 3}, {8, 0}}, d.getBases(LayoutInput::Lane));
  EXPECT_NE(whyNoTiles(torn, d).find("in other lanes"), std::string::npos);
  // A warpgroup's has warps.
  LinearLayout accumulator = getWgmmaAccumulatorLayout(16);
  EXPECT_EQ(whyNoTiles(accumulator, accumulator), "");
  EXPECT_NE(whyNoTiles(accumulator, d).find("2 warp bits for 0"),
            std::string::npos);
}

TEST(MatrixInstructions, WarpsOfAWarpgroupHoldMmaOperands) {
  LinearLayout a = getWgmmaLhsLayout(16);
  LinearLayout warp = getFragmentLayout(FragmentKind::MmaM16N8K16A);
  for (unsigned number = 0; number < 4; ++number)
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < a.getNumRegisters(); ++i) {
        Coordinates element = warp.apply(i, lane);
        element[0] += 16 * number;
        EXPECT_EQ(a.apply(i, lane, number), element);
      }
  EXPECT_EQ(getWgmmaLhsLayout(8).getShape()[1], 32);
}

/// What ldmatrix does (PTX ISA): lane 8i + r points to row r of matrix i; lane
/// l receives two neighbours of row l / 4, or of column l / 4, of each.
static void expectLoads(const LinearLayout &fragment, unsigned numMatrices,
                        bool isTransposed) {
  std::optional<MatrixLoad> load = planMatrixLoad(fragment);
  ASSERT_TRUE(load);
  EXPECT_EQ(load->numMatrices, numMatrices);
  EXPECT_EQ(load->isTransposed, isTransposed);
  for (unsigned first = 0; first < fragment.getNumRegisters();
       first += 2 * numMatrices)
    for (unsigned matrix = 0; matrix < numMatrices; ++matrix)
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned i = 0; i < 2; ++i) {
          unsigned along = 2 * (lane % 4) + i, across = lane / 4;
          unsigned row = isTransposed ? along : across;
          Coordinates element = load->addresses.apply(first, 8 * matrix + row);
          element.back() += isTransposed ? across : along;
          EXPECT_EQ(fragment.apply(first + 2 * matrix + i, lane), element);
        }
}

TEST(MatrixInstructions, MatrixLoadsFillFragments) {
  LinearLayout a = getFragmentLayout(FragmentKind::MmaM16N8K16A);
  LinearLayout b = getFragmentLayout(FragmentKind::MmaM16N8K16B);
  expectLoads(a, 4, false);
  expectLoads(b, 2, true);
  expectLoads(repeatFragment(b, 1, 4), 4, true);
  expectLoads(getFragmentLayout(FragmentKind::Matrix8x8), 1, false);
  expectLoads(a.project({-1, 0, 1}), 4, false);
}

TEST(MatrixInstructions, OtherFragmentsAreNotLoadedByMatrices) {
  EXPECT_FALSE(planMatrixLoad(buildBlockedLayout(
      2, {{LayoutInput::Register, 1, 1}, {LayoutInput::Lane, 1, 5}})));
  EXPECT_FALSE(planMatrixLoad(getWgmmaLhsLayout(16)));
  EXPECT_FALSE(planMatrixLoad(getFragmentLayout(FragmentKind::MmaM16N8K32A)));
}
