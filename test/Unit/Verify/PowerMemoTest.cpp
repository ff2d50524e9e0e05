//===- PowerMemoTest.cpp - Powers that many graphs take -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FieldArithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <array>

using namespace mlir::mirage;
using kernels::kLanes;

namespace {
using Words = std::array<uint32_t, kLanes>;

Words draw(RandomStream &random) {
  Words words;
  random.fillUniform(words, 1 << 30);
  return words;
}

TEST(PowerMemo, FindsWhatWasInserted) {
  RandomStream random(hashToSeed("memo"));
  PowerMemo memo;
  std::vector<std::pair<Words, Words>> pairs;
  EXPECT_EQ(memo.find(draw(random).data()), nullptr);
  for (unsigned number = 0; number < 1000; ++number) {
    auto &[exponent, power] = pairs.emplace_back(draw(random), draw(random));
    // Many that begin alike, and share a slot.
    exponent[0] = number % 10;
    memo.insert(exponent.data(), power.data());
  }
  for (const auto &[exponent, power] : pairs) {
    const uint32_t *found = memo.find(exponent.data());
    ASSERT_NE(found, nullptr);
    EXPECT_TRUE(llvm::equal(llvm::ArrayRef(found, kLanes), power));
  }
}

TEST(PowerMemo, ComparesAllPoints) {
  RandomStream random(hashToSeed("points"));
  PowerMemo memo;
  Words exponent = draw(random);
  memo.insert(exponent.data(), exponent.data());
  for (uint32_t &word : exponent) {
    word ^= 1;
    EXPECT_EQ(memo.find(exponent.data()), nullptr);
    word ^= 1;
  }
  EXPECT_NE(memo.find(exponent.data()), nullptr);
}

TEST(PowerMemo, KeepsThoseThatCameFirst) {
  RandomStream random(hashToSeed("many"));
  PowerMemo memo;
  std::vector<Words> exponents;
  for (unsigned number = 0; number < 5000; ++number) {
    exponents.push_back(draw(random));
    memo.insert(exponents.back().data(), exponents.back().data());
  }
  EXPECT_NE(memo.find(exponents.front().data()), nullptr);
  EXPECT_NE(memo.find(exponents[4095].data()), nullptr);
  EXPECT_EQ(memo.find(exponents[4096].data()), nullptr);
}

/// What is remembered is what would be computed, of special values too.
TEST(PowerMemo, RememberedPowersAreThoseThatAreComputed) {
  Seed seed = hashToSeed("remember");
  auto make = [&] {
    RandomStream random(seed);
    return FieldBatch(FieldTower::draw(2, random), kLanes, seed);
  };
  FieldBatch computes = make(), remembers = make();
  RandomStream random(hashToSeed("exponents"));
  ExponentTape tape;
  for (unsigned number = 0; number < 20; ++number) {
    std::vector<uint32_t> values(3 * kLanes);
    random.fillUniform(values, computes.tower[1].getPrime());
    std::fill_n(values.begin() + kLanes, kLanes, kernels::kMinusInfinity);
    values[2 * kLanes + number % kLanes] = kernels::kUndefined;
    tape.add({values.data()}, values.size());
  }
  remembers.remember(0, tape);
  for (const std::vector<uint32_t> &values : tape.getApplications())
    for (size_t i = 0; i < values.size(); i += kLanes) {
      EXPECT_NE(remembers.draws[0]->memo.find(&values[i]), nullptr);
      EXPECT_EQ(computes.draws[0]->memo.find(&values[i]), nullptr);
      Words expected, got;
      computes.raise(0, expected.data(), &values[i]);
      remembers.raise(0, got.data(), &values[i]);
      EXPECT_EQ(got, expected);
    }
}
} // namespace
