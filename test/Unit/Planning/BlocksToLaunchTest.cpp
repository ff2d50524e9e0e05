//===- BlocksToLaunchTest.cpp - How many blocks of a grid start -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Planning/BlocksToLaunch.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;

TEST(BlocksToLaunch, OneForEachSMOfGridsThatHaveMore) {
  Target target = llvm::cantFail(getTarget("sm_90a"));
  ASSERT_EQ(target.numSMs, 132u);
  EXPECT_EQ(choosePersistentBlocks(133, /*onlyMultiplies=*/true, target), 132);
  EXPECT_EQ(choosePersistentBlocks(5000, /*onlyMultiplies=*/true, target), 132);
  EXPECT_FALSE(choosePersistentBlocks(132, /*onlyMultiplies=*/true, target));
  EXPECT_FALSE(choosePersistentBlocks(5000, /*onlyMultiplies=*/false, target));
}
