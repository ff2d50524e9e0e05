//===- HeldTilesTest.cpp - Tiles in the registers of a block --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Layout/HeldTiles.h"
#include "Mirage/Layout/Fragments.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"
#include <numeric>
#include <set>

using namespace mlir::mirage;

static const LinearLayout kAccumulator =
    getFragmentLayout(FragmentKind::MmaM16N8D);

/// Where the window of an item begins in its first step, counted out.
static Coordinates getOrigin(const LinearLayout &fragment, const WindowMap &map,
                             int64_t item) {
  llvm::SmallVector<int64_t> coordinates(map.extents.size());
  for (unsigned axis = map.extents.size(); axis-- > 0;) {
    coordinates[axis] = item % map.extents[axis];
    item /= map.extents[axis];
  }
  Coordinates origin;
  for (unsigned dim = 0; dim < fragment.getRank(); ++dim) {
    int64_t linear = 0;
    for (auto [axis, cut] : llvm::enumerate(map.dims))
      if (cut == int(dim))
        linear = linear * map.extents[axis] + coordinates[axis];
    if (map.stepDim == int(dim))
      linear *= map.numSteps;
    origin.push_back(linear * fragment.getShape()[dim]);
  }
  return origin;
}

/// Holds a layout against the items, dealt out one by one.
static void expectDealt(const LinearLayout &fragment, const WindowMap &map,
                        unsigned numWarps) {
  std::optional<LinearLayout> held = holdWindows(fragment, map, numWarps);
  ASSERT_TRUE(held);
  int64_t numItems = std::accumulate(map.extents.begin(), map.extents.end(),
                                     int64_t(1), std::multiplies<>());
  unsigned perItem = fragment.getNumRegisters();
  for (int64_t item = 0; item < numItems; ++item)
    for (unsigned number : {0u, 1u, perItem - 1})
      for (unsigned lane : {0u, 5u, 31u}) {
        Coordinates element = fragment.apply(number, lane);
        Coordinates origin = getOrigin(fragment, map, item);
        for (auto [coordinate, start] : llvm::zip_equal(element, origin))
          coordinate += start;
        EXPECT_EQ(held->apply(number + item / numWarps * perItem, lane,
                              item % numWarps),
                  element)
            << "item " << item << " register " << number << " lane " << lane;
      }
}

TEST(HeldTilesTest, ItemsAreDealtToWarpsInTurn) {
  expectDealt(kAccumulator, {{8}, {1}}, 4);
  expectDealt(kAccumulator, {{2, 8}, {0, 1}}, 4);
  expectDealt(kAccumulator, {{4, 4}, {1, 0}}, 8);
  expectDealt(kAccumulator, {{2, 4}, {1, 1}}, 2);
  expectDealt(kAccumulator, {{4}, {0}, 8, 0}, 2);
  expectDealt(kAccumulator, {{4, 2}, {-1, 1}}, 2);
}

TEST(HeldTilesTest, ExtentsCountAsTheNextPowerOfTwo) {
  std::optional<LinearLayout> held = holdWindows(kAccumulator, {{6}, {1}}, 4);
  ASSERT_TRUE(held);
  EXPECT_EQ(held->getShape(), (llvm::ArrayRef<int64_t>{16, 64}));
  EXPECT_EQ(*held, *holdWindows(kAccumulator, {{8}, {1}}, 4));
}

TEST(HeldTilesTest, WarpsThatAreLeftOverRepeat) {
  std::optional<LinearLayout> held = holdWindows(kAccumulator, {{2}, {0}}, 8);
  ASSERT_TRUE(held);
  EXPECT_EQ(held->getShape(), (llvm::ArrayRef<int64_t>{32, 8}));
  for (unsigned warp = 0; warp < 8; ++warp)
    EXPECT_EQ(held->apply(0, 0, warp)[0], warp % 2 * 16);
}

/// Holds a layout against items that are shares, dealt out one by one.
static void expectShares(const LinearLayout &fragment, const WindowMap &map,
                         unsigned numWarps) {
  ShareDeal deal = dealShares(map.extents, numWarps);
  std::optional<LinearLayout> held =
      holdWindows(fragment, map, 1u << deal.getNumBits());
  ASSERT_TRUE(held);
  EXPECT_EQ(held->getNumRegisters(), fragment.getNumRegisters());
  EXPECT_EQ(held->getBases(LayoutInput::Warp).size(), deal.getNumBits());
  int64_t numItems = std::accumulate(map.extents.begin(), map.extents.end(),
                                     int64_t(1), std::multiplies<>());
  for (int64_t item = 0; item < numItems; ++item) {
    // The item's number where extents are powers of two.
    int64_t share = 0, stride = 1, rest = item;
    for (int64_t extent : llvm::reverse(map.extents)) {
      share += rest % extent * stride;
      rest /= extent;
      stride *= llvm::PowerOf2Ceil(extent);
    }
    EXPECT_LT(share, 1 << deal.getNumBits()) << "item " << item;
    Coordinates element = fragment.apply(1, 5);
    for (auto [coordinate, start] :
         llvm::zip_equal(element, getOrigin(fragment, map, item)))
      coordinate += start;
    EXPECT_EQ(held->apply(1, 5, share), element) << "item " << item;
  }
}

TEST(HeldTilesTest, ItemsAreShares) {
  expectShares(kAccumulator, {{6}, {1}}, 3);
  expectShares(kAccumulator, {{12, 4}, {0, 1}}, 12);
  expectShares(kAccumulator, {{3, 5}, {0, 1}}, 5);
  expectShares(kAccumulator, {{1, 6}, {0, 1}}, 7);
  expectShares(kAccumulator, {{5, 3}, {0, 1}}, 4);
  expectShares(kAccumulator, {{5, 3}, {1, 0}}, 16);
  expectShares(kAccumulator, {{4}, {0}, 8, 0}, 3);
  expectShares(kAccumulator, {{1}, {0}}, 3);
}

TEST(HeldTilesTest, SharesAreDealtInTurn) {
  auto expectDeal = [](llvm::ArrayRef<int64_t> extents, unsigned numWarps,
                       llvm::ArrayRef<int64_t> expected, unsigned numBits,
                       unsigned numRounds) {
    ShareDeal deal = dealShares(extents, numWarps);
    EXPECT_EQ(llvm::ArrayRef<int64_t>(deal.extents), expected);
    EXPECT_EQ(deal.getNumBits(), numBits);
    EXPECT_EQ(deal.getNumRounds(), numRounds);
  };
  expectDeal({12}, 12, {12}, 4, 1);
  // Powers of two leave out no numbers.
  expectDeal({3, 4, 1}, 12, {12}, 4, 1);
  expectDeal({3, 5}, 12, {3, 5}, 5, 2);
  expectDeal({5, 3, 2}, 4, {5, 6}, 6, 8);
  expectDeal({4, 3}, 4, {4, 3}, 4, 3);
  expectDeal({1, 6}, 5, {6}, 3, 2);
  expectDeal({}, 3, {}, 0, 1);
  EXPECT_TRUE(dealShares({12, 2}, 3).isEven());
  EXPECT_FALSE(dealShares({16}, 3).isEven());
  EXPECT_FALSE(dealShares({3, 5}, 4).isEven());
  EXPECT_TRUE(dealShares({3, 5}, 4) == dealShares({3, 1, 5}, 4));
  EXPECT_FALSE(dealShares({3, 5}, 4) == dealShares({5, 3}, 4));
}

TEST(HeldTilesTest, ExtentsAreFoundOfWhatTheyAreRoundedUpTo) {
  using Extents = llvm::SmallVector<int64_t>;
  for (const Extents &extents :
       {Extents{3, 5}, Extents{5, 3, 2}, Extents{4, 3}, Extents{3, 1, 4},
        Extents{12}, Extents{1, 7}, Extents{}, Extents{6, 2, 9}}) {
    Extents roundedUp = countExtents(extents, dealWarps(1));
    auto found = findExtents(roundedUp, dealShares(extents, 6));
    ASSERT_TRUE(found);
    EXPECT_EQ(*found, extents);
  }
  // 12 of 2 x 8 are no rows of 8.
  EXPECT_FALSE(findExtents({2, 8}, dealShares({12}, 6)));
  EXPECT_FALSE(findExtents({8, 4}, dealShares({3, 3}, 6)));
  EXPECT_FALSE(findExtents({4}, dealShares({3, 3}, 6)));
  EXPECT_FALSE(findExtents({4, 4, 4}, dealShares({3, 3}, 6)));
}

TEST(HeldTilesTest, WarpsAreSharesWhereTheyHaveBits) {
  EXPECT_TRUE(dealWarps(1).isOneEach());
  EXPECT_TRUE(dealWarps(4).isOneEach());
  EXPECT_TRUE(dealShares({2, 2}, 4).isOneEach());
  EXPECT_FALSE(dealShares({3}, 4).isOneEach());
  EXPECT_FALSE(dealShares({8}, 4).isOneEach());
  EXPECT_FALSE(dealShares({4}, 3).isOneEach());
  EXPECT_FALSE(dealShares({3}, 3).isOneEach());
  using Extents = llvm::SmallVector<int64_t>;
  EXPECT_EQ(countExtents({6, 3}, dealWarps(4)), (Extents{8, 4}));
  EXPECT_EQ(countExtents({6, 3}, dealShares({6, 3}, 4)), (Extents{6, 3}));
}

TEST(HeldTilesTest, NumbersThatAreNotLinearAreNotHeld) {
  // Three and two along one dimension: item 2 is at 16, and 4 would be at 32.
  EXPECT_FALSE(holdWindows(kAccumulator, {{2, 3}, {1, 1}}, 2));
  EXPECT_TRUE(holdWindows(kAccumulator, {{3, 2}, {1, 1}}, 2));
  EXPECT_FALSE(holdWindows(kAccumulator, {{2}, {1}, 3, 1}, 2));
  EXPECT_TRUE(holdWindows(kAccumulator, {{2}, {1}, 3, 0}, 2));
  // 4 registers for each of 512 items of one warp.
  EXPECT_FALSE(holdWindows(kAccumulator, {{512}, {1}}, 1));
  EXPECT_TRUE(holdWindows(kAccumulator, {{512}, {1}}, 2));
}

TEST(HeldTilesTest, WindowsAreFoundWhereTheyAreHeld) {
  // Rows by items, columns by steps, of what was computed in whole rows.
  LinearLayout rows = repeatFragment(kAccumulator, 1, 4);
  LinearLayout held = *holdWindows(rows, {{4}, {0}}, 2);
  LinearLayout windows = *holdWindows(kAccumulator, {{4}, {0}, 4, 1}, 2);
  std::set<unsigned> found;
  for (int64_t step = 0; step < 4; ++step) {
    auto registers = findHeldWindow(held, windows, {0, step * 8});
    ASSERT_TRUE(registers);
    ASSERT_EQ(registers->size(), 8u); // of two items
    for (auto [number, source] : llvm::enumerate(*registers)) {
      Coordinates element = windows.apply(number, 7, 1);
      element[1] += step * 8;
      EXPECT_EQ(held.apply(source, 7, 1), element);
      found.insert(source);
    }
  }
  EXPECT_EQ(found.size(), held.getNumRegisters());
}

TEST(HeldTilesTest, WindowsOfOtherWarpsOrLanesAreNotFound) {
  LinearLayout held = *holdWindows(kAccumulator, {{4}, {1}}, 4);
  // The same elements, but by rows of the items: another warp has them.
  LinearLayout whole =
      *holdWindows(repeatFragment(kAccumulator, 1, 4), {{1}, {0}}, 4);
  EXPECT_FALSE(findHeldWindow(held, whole, {0, 0}));
  LinearLayout left =
      *holdWindows(getFragmentLayout(FragmentKind::MmaM16N8K8B), {{4}, {1}}, 4);
  EXPECT_FALSE(findHeldWindow(held, left, {0, 0}));
  // The same elements, in the same registers of the same warp, but in others of
  // its lanes or by another warp.
  using Bases = llvm::SmallVector<Coordinates, 8>;
  Bases registers = {{0, 1}}, lanes = {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}},
        turned = {{1, 0}, {2, 0}, {4, 0}, {0, 2}, {0, 4}};
  LinearLayout two({32, 8}, registers, lanes, Bases{{8, 0}, {16, 0}});
  EXPECT_TRUE(findHeldWindow(two, two, {0, 0}));
  EXPECT_FALSE(findHeldWindow(
      two, LinearLayout({32, 8}, registers, turned, Bases{{8, 0}, {16, 0}}),
      {0, 0}));
  EXPECT_FALSE(findHeldWindow(
      two, LinearLayout({32, 8}, registers, lanes, Bases{{16, 0}, {8, 0}}),
      {0, 0}));
  // Beyond what is held.
  EXPECT_FALSE(
      findHeldWindow(held, *holdWindows(kAccumulator, {{4}, {1}}, 4), {16, 0}));
}

/// Of the items of one round, those of all warps, each digit is a sum.
static bool addsAllDigits(llvm::ArrayRef<int64_t> extents, int64_t numWarps,
                          int64_t offset) {
  for (int64_t warp = 0; warp < numWarps; ++warp) {
    int64_t item = warp + offset, first = warp, added = offset;
    for (int64_t extent : llvm::reverse(llvm::drop_begin(extents))) {
      if (item % extent != first % extent + added % extent)
        return false;
      item /= extent;
      first /= extent;
      added /= extent;
    }
  }
  return true;
}

TEST(HeldTilesTest, RoundsCarryWhereWarpsHaveItemsOfOtherRows) {
  // 3 warps of 3 x 4 items: 0 1 2, 3 and 4 5 of the next row, 6 7 and 8, 9 ..
  EXPECT_EQ(countCarryingRounds({3, 4}, 3), 2);
  // One row has no other.
  EXPECT_EQ(countCarryingRounds({1, 40}, 3), 0);
  EXPECT_EQ(countCarryingRounds({40}, 3), 0);
  // 42 rows of 7 items and 9 warps: every seventh of 33 rounds begins a row.
  EXPECT_EQ(countCarryingRounds({42, 7}, 9), 28);
  for (int64_t slow = 1; slow < 12; ++slow)
    for (int64_t fast = 1; fast < 12; ++fast)
      for (unsigned numWarps : {1, 3, 4, 5, 12}) {
        int64_t rounds = 0;
        for (int64_t offset = 0; offset < 3 * slow * fast; offset += numWarps) {
          bool areSums = addsAllDigits({3, slow, fast}, numWarps, offset);
          EXPECT_EQ(addsDigits({3, slow, fast}, numWarps, offset), areSums)
              << slow << "x" << fast << ", " << numWarps << " warps";
          rounds += !areSums;
        }
        EXPECT_EQ(countCarryingRounds({3, slow, fast}, numWarps), rounds);
      }
}
