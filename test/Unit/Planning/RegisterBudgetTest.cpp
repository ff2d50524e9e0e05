//===- RegisterBudgetTest.cpp - What may take registers of a thread -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Planning/RegisterBudget.h"
#include "Mirage/Planning/LaunchBarrier.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;

TEST(RegisterBudget, SharesOfThoseThatAThreadHas) {
  RegisterBudget few(128), many(512);
  EXPECT_EQ(few.getForSums(SumSource::Others), 85);
  EXPECT_EQ(few.getForSums(SumSource::TensorProducts), 96);
  EXPECT_EQ(few.getForRows(), 128);
  EXPECT_EQ(few.getForRowsAndOperands(), 159);
  EXPECT_EQ(few.getForRowsAndProductsAhead(), 191);
  EXPECT_EQ(many.getForSums(SumSource::Others), 42);
  EXPECT_EQ(many.getForSums(SumSource::TensorProducts), 48);
  EXPECT_EQ(many.getForRows(), 64);
}

/// 192 x 128 with 384 threads are 64 of each.
TEST(RegisterBudget, SumsOfProductsComeInWholeFragments) {
  EXPECT_EQ(RegisterBudget(384).getAll(), 168);
  EXPECT_EQ(RegisterBudget(384).getForSums(SumSource::TensorProducts), 64);
  EXPECT_EQ(RegisterBudget(640).getForSums(SumSource::TensorProducts), 40);
  EXPECT_EQ(RegisterBudget(768).getForSums(SumSource::TensorProducts), 32);
}

/// Rounded operands are there twice.
TEST(RegisterBudget, SumsOfRoundedProductsLeaveMore) {
  EXPECT_EQ(RegisterBudget(384).getForSums(SumSource::RoundedProducts), 64);
  EXPECT_EQ(RegisterBudget(640).getForSums(SumSource::RoundedProducts), 40);
  EXPECT_EQ(RegisterBudget(768).getForSums(SumSource::RoundedProducts), 28);
}

/// Three eighths of 64 would leave 40, less than code takes.
TEST(RegisterBudget, SumsOfProductsLeaveWhatCodeTakes) {
  EXPECT_EQ(RegisterBudget(1024).getAll(), 64);
  EXPECT_EQ(RegisterBudget(1024).getForSums(SumSource::TensorProducts), 21);
}

TEST(RegisterBudget, OtherSumsAreAThirdOfEvenShares) {
  EXPECT_EQ(RegisterBudget(416).getAll(), 128);
  EXPECT_EQ(RegisterBudget(416).getForSums(SumSource::Others), 52);
}

/// Of 168 registers 16 are addresses and counters.
TEST(RegisterBudget, ReadsAreKeptBesideWhatIsHeldAndComputedWith) {
  EXPECT_TRUE(RegisterBudget(384).hasRoomForReads(72, 64, 16));
  EXPECT_FALSE(RegisterBudget(384).hasRoomForReads(73, 64, 16));
  EXPECT_TRUE(RegisterBudget(128).hasRoomForReads(159, 64, 16));
}

/// Steps of a loop hand on what sums leave, which may be nothing.
TEST(RegisterBudget, StepsOfALoopHaveWhatSumsLeave) {
  EXPECT_EQ(RegisterBudget(128).getForStepsOfLoop(0), 85);
  EXPECT_EQ(RegisterBudget(128).getForStepsOfLoop(64), 21);
  EXPECT_EQ(RegisterBudget(128).getForStepsOfLoop(96), 0);
}

TEST(RegisterBudget, CodeLeavesNothingOfTheFewest) {
  EXPECT_EQ(RegisterBudget(512).getBesideCode(), 64);
  EXPECT_EQ(RegisterBudget(1024).getBesideCode(), 0);
}

TEST(RegisterBudget, NobodyHasMoreThanThereAre) {
  for (int64_t threads = 32; threads <= 1024; threads += 32) {
    RegisterBudget budget(threads);
    HeldRegisters ofSteps = budget.getForSteps();
    int64_t before = budget.getForRows();
    for (SumSource source : {SumSource::TensorProducts,
                             SumSource::RoundedProducts, SumSource::Others}) {
      EXPECT_LE(budget.getForSums(source), before) << threads;
      before = budget.getForSums(source);
    }
    EXPECT_LE(budget.getForRows(), ofSteps.tiles) << threads;
    EXPECT_LE(ofSteps.tiles, ofSteps.all) << threads;
    EXPECT_LT(ofSteps.all, budget.getAll()) << threads;
  }
}
