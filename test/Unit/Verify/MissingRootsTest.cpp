//===- MissingRootsTest.cpp -----------------------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TrialBatch.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir::mirage;

static MissingRoots draw(unsigned numDraws,
                         llvm::function_ref<uint32_t(uint32_t)> getMissing) {
  std::mt19937 random(1);
  MissingRoots roots;
  for (unsigned number = 0; number < numDraws; ++number)
    roots.add(getMissing(random()), /*isNewDraw=*/true);
  return roots;
}

/// Of x and -x, and of x, y and -x·y, one is no square, where -1 is none.
TEST(MissingRoots, OfRadicandsThatAreNeverSquaresTogether) {
  auto ofTwo = [](uint32_t bits) { return bits & 1 ? 1u : 2u; };
  EXPECT_FALSE(draw(60, ofTwo).areHopeless());
  EXPECT_TRUE(draw(80, ofTwo).areHopeless());
  auto ofThree = [](uint32_t bits) {
    uint32_t x = bits & 1, y = bits >> 1 & 1;
    return x | y << 1 | (1 ^ x ^ y) << 2;
  };
  EXPECT_TRUE(draw(100, ofThree).areHopeless());
}

/// Eight roots that nothing connects are all there once in 256 draws.
TEST(MissingRoots, OfRadicandsThatMayBeSquaresTogether) {
  auto notAll = [](uint32_t bits) { return std::max(bits & 255u, 1u); };
  EXPECT_FALSE(draw(4096, notAll).areHopeless());
  auto three = [](uint32_t bits) {
    uint32_t x = bits & 1, y = bits >> 1 & 1;
    return x | y << 1 | (x ^ y) << 2;
  };
  EXPECT_FALSE(draw(4096, three).areHopeless());
}

/// Sixteen points of which what is picked is one are one draw.
TEST(MissingRoots, OfPointsThatAreOneDraw) {
  MissingRoots roots;
  for (unsigned round = 0; round < 60; ++round) {
    for (unsigned point = 0; point < 16; ++point)
      roots.add(1, /*isNewDraw=*/false);
    roots.addDraw();
    EXPECT_FALSE(roots.areHopeless());
  }
  for (unsigned round = 0; round < 10; ++round)
    roots.addDraw();
  EXPECT_TRUE(roots.areHopeless());
}

TEST(MissingRoots, OfNoDraws) { EXPECT_FALSE(MissingRoots().areHopeless()); }
