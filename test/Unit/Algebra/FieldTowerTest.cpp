//===- FieldTowerTest.cpp - Primes for nested exponentials ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Algebra/FieldTower.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir::mirage;

TEST(FieldTower, DrawnTowersAreTowers) {
  RandomStream random(hashToSeed("towers"));
  for (unsigned height = 1; height <= FieldTower::kMaxHeight; ++height)
    for (int i = 0; i < 5; ++i) {
      FieldTower tower = FieldTower::draw(height, random);
      ASSERT_EQ(tower.getHeight(), height);
      EXPECT_GT(tower[0].getPrime(), 1u << 30);
      for (unsigned level = 0; level + 1 < height; ++level) {
        uint32_t p = tower[level].getPrime(), q = tower[level + 1].getPrime();
        EXPECT_EQ((p - 1) % q, 0u);
        EXPECT_LE((p - 1) / q, 14u);
        EXPECT_EQ(q % 4, 3u);
      }
    }
}

TEST(FieldTower, TowersOfHeightFourAreDrawnEvenly) {
  // 13,291 towers: 600 draws give 600²/2/13291 = 13.5 collisions on average.
  RandomStream random(hashToSeed("even"));
  std::multiset<uint32_t> seen;
  unsigned collisions = 0;
  for (int i = 0; i < 600; ++i) {
    uint32_t prime = FieldTower::draw(4, random)[0].getPrime();
    collisions += seen.count(prime);
    seen.insert(prime);
  }
  EXPECT_GE(collisions, 2u);
  EXPECT_LE(collisions, 32u);
}

TEST(FieldTower, RootsHaveTheOrderOfTheNextField) {
  RandomStream random(hashToSeed("roots"));
  FieldTower tower = FieldTower::draw(3, random);
  for (unsigned level = 0; level < 2; ++level) {
    uint32_t root = tower.drawRoot(level, random);
    EXPECT_NE(root, tower[level].getOne());
    EXPECT_EQ(tower[level].pow(root, tower[level + 1].getPrime()),
              tower[level].getOne());
    EXPECT_EQ(tower[level].getCharacter(root), 1); // odd order
  }
}
