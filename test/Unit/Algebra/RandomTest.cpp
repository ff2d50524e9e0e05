//===- RandomTest.cpp - Seeds and streams of random numbers ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Algebra/Random.h"
#include "Mirage/Algebra/KeyedPermutation.h"
#include "gtest/gtest.h"
#include <vector>

using namespace mlir::mirage;

TEST(Random, StreamIsChaCha20) {
  // The key stream of the all-zero key: RFC 8439, appendix A.1, vectors 1, 2.
  RandomStream stream(Seed{});
  uint32_t words[256];
  for (uint32_t &word : words)
    word = stream.next();
  EXPECT_EQ(words[0], 0xade0b876u);  // block 0, word 0
  EXPECT_EQ(words[16], 0x903df1a0u); // block 0, word 1
  EXPECT_EQ(words[1], 0xbee7079fu);  // block 1, word 0
}

TEST(Random, FillingIsDrawing) {
  RandomStream one(hashToSeed("fill")), other(hashToSeed("fill"));
  std::vector<uint32_t> values(1000);
  one.fillUniform(values, 1000003);
  for (uint32_t value : values)
    EXPECT_EQ(value, other.uniform(1000003));
  EXPECT_EQ(one.next(), other.next());
}

TEST(Random, UniformStaysInRangeAndMeetsEveryValue) {
  RandomStream stream(hashToSeed("uniform"));
  unsigned counts[5] = {};
  for (int i = 0; i < 5000; ++i)
    ++counts[stream.uniform(5)];
  for (unsigned count : counts) { // 1000 expected, sigma 28
    EXPECT_GT(count, 850u);
    EXPECT_LT(count, 1150u);
  }
  EXPECT_EQ(stream.uniform(1), 0u);
}

TEST(Random, SeedsForDifferentPurposesDiffer) {
  Seed seed = hashToSeed("graphs");
  EXPECT_NE(deriveSeed(seed, "inputs", 0), deriveSeed(seed, "inputs", 1));
  EXPECT_NE(deriveSeed(seed, "inputs", 0), deriveSeed(seed, "roots", 0));
  EXPECT_EQ(deriveSeed(seed, "inputs", 7), deriveSeed(seed, "inputs", 7));
}

TEST(KeyedPermutation, IsSpeck) {
  // The test vector of the paper: key 1b1a1918 13121110 0b0a0908 03020100.
  // Here the key schedule is redone, as keys are drawn and not set.
  RandomStream stream(hashToSeed("speck"));
  KeyedPermutation permutation(stream);
  RandomStream again(hashToSeed("speck"));
  uint32_t key = again.next();
  uint32_t l[29] = {again.next(), again.next(), again.next()};
  uint32_t high = 0x3b726574, low = 0x7475432d;
  auto round = [](uint32_t &x, uint32_t &y, uint32_t k) {
    x = (((x >> 8) | (x << 24)) + y) ^ k;
    y = ((y << 3) | (y >> 29)) ^ x;
  };
  for (uint32_t i = 0; i < 27; ++i) {
    round(high, low, key);
    if (i < 26) {
      l[i + 3] = (key + ((l[i] >> 8) | (l[i] << 24))) ^ i;
      key = ((key << 3) | (key >> 29)) ^ l[i + 3];
    }
  }
  EXPECT_EQ(permutation.apply(0, 0x3b726574, 0x7475432d),
            static_cast<uint64_t>(high) << 32 | low);
}
