//===- LinearLayoutTest.cpp - Linear maps over F2 -------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Layout/LinearLayout.h"
#include "Mirage/Layout/Fragments.h"
#include "gtest/gtest.h"
#include <map>
#include <random>

using namespace mlir::mirage;

//===----------------------------------------------------------------------===//
// BitMatrix
//===----------------------------------------------------------------------===//

static BitMatrix drawMatrix(std::mt19937_64 &random, unsigned rows,
                            unsigned columns) {
  llvm::SmallVector<uint64_t, 16> drawn;
  for (unsigned i = 0; i < columns; ++i)
    drawn.push_back(random() & ((uint64_t(1) << rows) - 1));
  return {rows, drawn};
}

TEST(BitMatrixTest, ProductAppliesTheRightFactorFirst) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 100; ++trial) {
    BitMatrix a = drawMatrix(random, 9, 7), b = drawMatrix(random, 7, 11);
    for (uint64_t x : {0, 1, 5, 1023, 2047})
      EXPECT_EQ((a * b).apply(x), a.apply(b.apply(x)));
  }
}

TEST(BitMatrixTest, RankIsTheLogarithmOfTheImage) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 100; ++trial) {
    BitMatrix matrix = drawMatrix(random, 6, 8);
    std::map<uint64_t, unsigned> image;
    for (uint64_t x = 0; x < 256; ++x)
      ++image[matrix.apply(x)];
    EXPECT_EQ(uint64_t(1) << matrix.getRank(), image.size());
  }
}

TEST(BitMatrixTest, InverseExistsExactlyAtFullRank) {
  std::mt19937_64 random(3);
  unsigned inverted = 0;
  for (int trial = 0; trial < 200; ++trial) {
    BitMatrix matrix = drawMatrix(random, 8, 8);
    std::optional<BitMatrix> inverse = matrix.invert();
    EXPECT_EQ(inverse.has_value(), matrix.getRank() == 8);
    if (!inverse)
      continue;
    ++inverted;
    EXPECT_EQ(*inverse * matrix, BitMatrix::identity(8));
    EXPECT_EQ(matrix * *inverse, BitMatrix::identity(8));
  }
  // 29 % of random matrices over F2 are invertible.
  EXPECT_GT(inverted, 30u);
  EXPECT_LT(inverted, 90u);
}

TEST(BitMatrixTest, IndependentColumnsAreTheFirstThatAddRank) {
  EXPECT_EQ(BitMatrix(3, {1, 0, 1, 3, 2, 4}).getIndependentColumns(),
            0b101001u);
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

namespace {
/// What the PTX ISA says about element `index` of lane `lane`.
struct FragmentFormula {
  FragmentKind kind;
  int64_t rows, columns;
  unsigned numRegisters;
  std::pair<int64_t, int64_t> (*locate)(unsigned index, unsigned lane);
};
} // namespace

/// Formulas as the ISA prints them: groupID = lane / 4, thread = lane % 4.
static const FragmentFormula kFormulas[] = {
    {FragmentKind::MmaM16N8K16A, 16, 16, 8,
     [](unsigned i, unsigned lane) -> std::pair<int64_t, int64_t> {
       bool low = i < 2 || (i >= 4 && i < 6);
       return {lane / 4 + (low ? 0 : 8),
               lane % 4 * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
     }},
    {FragmentKind::MmaM16N8K16B, 16, 8, 4,
     [](unsigned i, unsigned lane) -> std::pair<int64_t, int64_t> {
       return {lane % 4 * 2 + (i & 1) + (i >= 2 ? 8 : 0), lane / 4};
     }},
    {FragmentKind::MmaM16N8K8A, 16, 8, 4,
     [](unsigned i, unsigned lane) -> std::pair<int64_t, int64_t> {
       return {lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1)};
     }},
    {FragmentKind::MmaM16N8K8B, 8, 8, 2,
     [](unsigned i, unsigned lane) -> std::pair<int64_t, int64_t> {
       return {lane % 4 * 2 + i, lane / 4};
     }},
    {FragmentKind::MmaM16N8K8TF32A, 16, 8, 4,
     [](unsigned i, unsigned lane) -> std::pair<int64_t, int64_t> {
       return {lane / 4 + (i == 0 || i == 2 ? 0 : 8),
               lane % 4 + (i < 2 ? 0 : 4)};
     }},
    {FragmentKind::MmaM16N8K8TF32B, 8, 8, 2,
     [](unsigned i, unsigned lane) -> std::pair<int64_t, int64_t> {
       return {lane % 4 + 4 * i, lane / 4};
     }},
    {FragmentKind::MmaM16N8K32A, 16, 32, 16,
     [](unsigned i, unsigned lane) -> std::pair<int64_t, int64_t> {
       bool low = i < 4 || (i >= 8 && i < 12);
       return {lane / 4 + (low ? 0 : 8),
               lane % 4 * 4 + (i & 3) + (i >= 8 ? 16 : 0)};
     }},
    {FragmentKind::MmaM16N8K32B, 32, 8, 8,
     [](unsigned i, unsigned lane) -> std::pair<int64_t, int64_t> {
       return {lane % 4 * 4 + (i & 3) + (i >= 4 ? 16 : 0), lane / 4};
     }},
    {FragmentKind::MmaM16N8D, 16, 8, 4,
     [](unsigned i, unsigned lane) -> std::pair<int64_t, int64_t> {
       return {lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1)};
     }},
    {FragmentKind::Matrix8x8, 8, 8, 2,
     [](unsigned i, unsigned lane) -> std::pair<int64_t, int64_t> {
       return {lane / 4, lane % 4 * 2 + i};
     }},
    {FragmentKind::Matrix8x8Transposed, 8, 8, 2,
     [](unsigned i, unsigned lane) -> std::pair<int64_t, int64_t> {
       return {lane % 4 * 2 + i, lane / 4};
     }},
};

/// Whether no element is held twice.
static bool isInjective(const LinearLayout &layout) {
  BitMatrix matrix = layout.toMatrix();
  return matrix.getRank() == matrix.getNumColumns();
}

TEST(FragmentsTest, AreThoseOfTheInstructionSet) {
  for (const FragmentFormula &formula : kFormulas) {
    LinearLayout layout = getFragmentLayout(formula.kind);
    EXPECT_EQ(layout.getShape(),
              llvm::ArrayRef<int64_t>({formula.rows, formula.columns}));
    ASSERT_EQ(layout.getNumRegisters(), formula.numRegisters);
    EXPECT_TRUE(layout.isSurjective());
    EXPECT_TRUE(isInjective(layout));
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < formula.numRegisters; ++i) {
        auto [row, column] = formula.locate(i, lane);
        EXPECT_EQ(layout.apply(i, lane), Coordinates({row, column}))
            << "fragment " << unsigned(formula.kind) << " lane " << lane;
      }
  }
}

TEST(FragmentsTest, WgmmaAccumulatorRepeatsTheTileOfEightColumns) {
  LinearLayout narrow = getWgmmaAccumulatorLayout(8);
  for (int64_t columns = 8; columns <= 256; columns *= 2) {
    LinearLayout layout = getWgmmaAccumulatorLayout(columns);
    EXPECT_TRUE(layout.isSurjective() && isInjective(layout));
    for (unsigned i = 0; i < layout.getNumRegisters(); ++i)
      for (unsigned lane : {0, 1, 6, 31})
        for (unsigned warp = 0; warp < 4; ++warp) {
          Coordinates expected = narrow.apply(i & 3, lane, warp);
          expected[1] += 8 * (i >> 2);
          EXPECT_EQ(layout.apply(i, lane, warp), expected);
        }
  }
}

TEST(FragmentsTest, RepeatedFragmentHoldsItsTilesInTurn) {
  LinearLayout tile = getFragmentLayout(FragmentKind::MmaM16N8D);
  LinearLayout layout = repeatFragment(tile, 2, 4);
  EXPECT_EQ(layout.getShape(), llvm::ArrayRef<int64_t>({32, 32}));
  EXPECT_EQ(layout.apply(0b1'10'01, 6), Coordinates({16 + 1, 16 + 5}));
  EXPECT_TRUE(layout.isSurjective() && isInjective(layout));
}

//===----------------------------------------------------------------------===//
// LinearLayout
//===----------------------------------------------------------------------===//

TEST(LinearLayoutTest, BlockedLayoutTakesBitsInTurn) {
  LinearLayout layout = buildBlockedLayout(2, {{LayoutInput::Register, 1, 2},
                                               {LayoutInput::Lane, 1, 3},
                                               {LayoutInput::Lane, 0, 2}});
  EXPECT_EQ(layout.getShape(), llvm::ArrayRef<int64_t>({4, 32}));
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 4; ++i)
      EXPECT_EQ(layout.apply(i, lane),
                Coordinates({lane / 8, 4 * (lane % 8) + i}));
}

TEST(LinearLayoutTest, ReplicatedLanesAreRedundant) {
  LinearLayout layout = buildBlockedLayout(1, {{LayoutInput::Lane, 0, 3}});
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_FALSE(isInjective(layout));
  EXPECT_EQ(layout.getRedundantBits(LayoutInput::Lane), 0b11000u);
  EXPECT_EQ(layout.getRedundantBits(LayoutInput::Register), 0u);
}

/// A lane bit that a register bit spans already is redundant, though its image
/// is not zero.
TEST(LinearLayoutTest, LaneBitsThatRegistersSpanAreRedundant) {
  LinearLayout layout({4}, {{1}, {2}}, {{3}, {0}, {0}, {0}, {0}});
  EXPECT_EQ(layout.getRedundantBits(LayoutInput::Lane), 0b11111u);
}

TEST(LinearLayoutTest, ContiguousBitsNeedAlignedRuns) {
  LinearLayout a = getFragmentLayout(FragmentKind::MmaM16N8K16A);
  EXPECT_EQ(a.getContiguousBits(1), 1u);
  EXPECT_EQ(a.getContiguousBits(0), 0u);
  EXPECT_EQ(getFragmentLayout(FragmentKind::MmaM16N8K16B).getContiguousBits(0),
            1u);
  LinearLayout rows = buildBlockedLayout(
      2, {{LayoutInput::Register, 1, 3}, {LayoutInput::Lane, 0, 5}});
  EXPECT_EQ(rows.getContiguousBits(1), 3u);
  // A lane that starts in the middle of a run: no run of 4, but one of 2.
  LinearLayout skewed({8}, {{1}, {2}}, {{6}, {0}, {0}, {0}, {0}});
  EXPECT_EQ(skewed.getContiguousBits(0), 1u);
}

TEST(LinearLayoutTest, ProjectionReplicatesAndPermutes) {
  LinearLayout d = getFragmentLayout(FragmentKind::MmaM16N8D);
  LinearLayout column = d.project({0, -1});
  EXPECT_EQ(column.getShape(), llvm::ArrayRef<int64_t>({16, 1}));
  EXPECT_EQ(column.getNumRegisters(), 2u);
  EXPECT_EQ(column.getRedundantBits(LayoutInput::Lane), 0b00011u);
  LinearLayout transposed = d.project({1, 0});
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned lane = 0; lane < 32; ++lane) {
      Coordinates element = d.apply(i, lane);
      EXPECT_EQ(transposed.apply(i, lane),
                Coordinates({element[1], element[0]}));
    }
}

TEST(LinearLayoutTest, FindsTheRegisterOfAnElement) {
  LinearLayout a = getFragmentLayout(FragmentKind::MmaM16N8K16A);
  EXPECT_EQ(a.findRegister({8, 9}), 7u);
  EXPECT_EQ(a.findRegister({1, 0}), std::nullopt);
}

/// The accumulator of two n8 tiles, packed by pairs, is the A operand of the
/// next product: registers change their numbers, lanes keep their elements.
TEST(LinearLayoutTest, AccumulatorsBecomeTheLeftOperandWithoutShuffles) {
  LinearLayout from =
      repeatFragment(getFragmentLayout(FragmentKind::MmaM16N8D), 1, 2);
  LinearLayout to = getFragmentLayout(FragmentKind::MmaM16N8K16A);
  std::optional<BitMatrix> conversion = computeConversion(from, to);
  ASSERT_TRUE(conversion);
  EXPECT_EQ(*conversion, BitMatrix::identity(8));
  // To B with k = row, lanes must give elements to each other.
  LinearLayout transposed = to.project({1, 0});
  ASSERT_TRUE(computeConversion(from, transposed));
  EXPECT_FALSE(*computeConversion(from, transposed) == BitMatrix::identity(8));
}

TEST(LinearLayoutTest, ConversionKeepsElements) {
  LinearLayout from = buildBlockedLayout(2, {{LayoutInput::Register, 1, 3},
                                             {LayoutInput::Lane, 0, 4},
                                             {LayoutInput::Lane, 1, 1}});
  LinearLayout to = getFragmentLayout(FragmentKind::MmaM16N8K16A);
  std::optional<BitMatrix> conversion = computeConversion(from, to);
  ASSERT_TRUE(conversion);
  for (unsigned number = 0; number < 256; ++number) {
    uint64_t image = conversion->apply(number);
    EXPECT_EQ(from.apply(number & 7, number >> 3),
              to.apply(image & 7, image >> 3));
  }
}
