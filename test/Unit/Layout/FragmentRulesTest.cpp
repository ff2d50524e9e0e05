//===- FragmentRulesTest.cpp ----------------------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Layout/FragmentRules.h"
#include "Mirage/Layout/Fragments.h"
#include "llvm/ADT/Sequence.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;

namespace {
const LinearLayout kD = getFragmentLayout(FragmentKind::MmaM16N8D);

/// Every lane of `operand` holds what it needs, found by trying all.
bool agreeByBruteForce(const LinearLayout &operand, const LinearLayout &result,
                       llvm::ArrayRef<int> dims) {
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned number = 0; number < result.getNumRegisters(); ++number) {
      Coordinates element = result.apply(number, lane), needed;
      for (int dim : dims)
        needed.push_back(dim < 0 ? 0 : element[dim]);
      bool isHeld = false;
      for (unsigned own = 0; own < operand.getNumRegisters(); ++own)
        isHeld |= operand.apply(own, lane) == needed;
      if (!isHeld)
        return false;
    }
  return true;
}
} // namespace

TEST(FragmentRules, LanesThatAgreeHoldWhatTheyNeed) {
  llvm::SmallVector<LinearLayout> layouts = {
      kD,
      LinearLayout({16, 8}, {{8, 0}, {0, 1}}, kD.getBases(LayoutInput::Lane)),
      LinearLayout({16, 8}, {{0, 4}, {8, 0}},
                   {{0, 1}, {0, 2}, {1, 0}, {2, 0}, {4, 0}}),
      LinearLayout({16, 8}, {{0, 3}, {8, 0}}, kD.getBases(LayoutInput::Lane)),
      kD.project({0, -1}),
      kD.project({-1, 1}),
      LinearLayout({1, 8}, {{0, 4}}, {{0, 1}, {0, 2}, {0, 0}, {0, 0}, {0, 0}})};
  unsigned numAgreeing = 0;
  for (const LinearLayout &operand : layouts)
    for (const LinearLayout &result : layouts) {
      if (result.getShape() != kD.getShape())
        continue;
      auto dims = getBroadcastDims(operand.getShape(), 2);
      bool agree = !llvm::errorToBool(checkLanesAgree(operand, result, dims));
      EXPECT_EQ(agree, agreeByBruteForce(operand, result, dims));
      numAgreeing += agree;
    }
  EXPECT_EQ(numAgreeing, 13u);
}

TEST(FragmentRules, BroadcastDimsAreAlignedAtTheLast) {
  EXPECT_EQ(getBroadcastDims({3, 1, 5}, 4), (llvm::SmallVector<int>{1, -1, 3}));
}

TEST(FragmentRules, ReshapedElementsKeepTheirNumbers) {
  LinearLayout flat = kD.reshape({4, 32});
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned number = 0; number < 4; ++number) {
      Coordinates from = kD.apply(number, lane), to = flat.apply(number, lane);
      EXPECT_EQ(from[0] * 8 + from[1], to[0] * 32 + to[1]);
    }
}

TEST(FragmentRules, ShuffleMasksAreLanesThatFarApart) {
  for (int64_t row = 0; row < 16; ++row)
    for (int64_t column = 0; column < 8; ++column) {
      std::optional<unsigned> mask = findShuffleMask(kD, {row, column});
      // Lanes hold rows below 8 and even columns.
      ASSERT_EQ(mask.has_value(), row < 8 && column % 2 == 0);
      for (unsigned lane = 0; mask && lane < 32; ++lane) {
        Coordinates own = kD.apply(3, lane), other = kD.apply(3, lane ^ *mask);
        EXPECT_EQ(own[0] ^ other[0], row);
        EXPECT_EQ(own[1] ^ other[1], column);
      }
    }
}

TEST(FragmentRules, ReductionsKeepLanesAndJoinEachElementOnce) {
  EXPECT_FALSE(llvm::errorToBool(checkReduction(kD, kD.project({0, -1}), {1})));
  EXPECT_TRUE(llvm::errorToBool(checkReduction(kD, kD.project({-1, 1}), {1})));
  LinearLayout twice({16, 8}, {{0, 1}, {8, 0}, {0, 1}},
                     kD.getBases(LayoutInput::Lane));
  EXPECT_TRUE(
      llvm::errorToBool(checkReduction(twice, twice.project({0, -1}), {1})));

  // Lane 1 holds [1, 1]: joined with lane 0 it would mix two rows. As a row and
  // a column apart, the same elements are summed.
  Coordinates none = {0, 0};
  LinearLayout apart({2, 4}, {}, {{1, 0}, {0, 1}, {0, 2}, none, none});
  LinearLayout mixed({2, 4}, {}, {{1, 1}, {0, 1}, {0, 2}, none, none});
  EXPECT_FALSE(
      llvm::errorToBool(checkReduction(apart, reduceLayout(apart, {1}), {1})));
  EXPECT_EQ(
      llvm::toString(checkReduction(mixed, reduceLayout(mixed, {1}), {1})),
      "expects lane bits that stand for reduced dimensions, or for "
      "others, not for both");
}

TEST(FragmentRules, DotProductsNeedAllOfK) {
  LinearLayout lhs({4, 2}, {{0, 1}}, {{0, 0}, {0, 0}, {0, 0}, {1, 0}, {2, 0}});
  LinearLayout rhs({2, 8}, {{1, 0}}, {{0, 1}, {0, 2}, {0, 4}, {0, 0}, {0, 0}});
  LinearLayout result({4, 8}, {}, {{0, 1}, {0, 2}, {0, 4}, {1, 0}, {2, 0}});
  EXPECT_FALSE(llvm::errorToBool(checkDotProducts(lhs, rhs, result)));
  EXPECT_TRUE(llvm::errorToBool(
      checkDotProducts(getFragmentLayout(FragmentKind::MmaM16N8K16A),
                       getFragmentLayout(FragmentKind::MmaM16N8K16B), kD)));
}
