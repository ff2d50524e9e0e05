//===- KeyedPermutation.cpp - Random orders and functions by key ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Algebra/KeyedPermutation.h"

using namespace mlir::mirage;

static void applyRound(uint32_t &x, uint32_t &y, uint32_t key) {
  x = ((x >> 8 | x << 24) + y) ^ key;
  y = (y << 3 | y >> 29) ^ x;
}

KeyedPermutation::KeyedPermutation(RandomStream &random, bool isOne) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (isOne && lane > 0) {
      for (auto &keys : roundKeys)
        keys[lane] = keys[0];
      continue;
    }
    uint32_t key = random.next();
    uint32_t words[3] = {random.next(), random.next(), random.next()};
    for (unsigned round = 0; round < kRounds; ++round) {
      roundKeys[round][lane] = key;
      applyRound(words[round % 3], key, round);
    }
  }
}

uint64_t KeyedPermutation::apply(unsigned lane, uint32_t high,
                                 uint32_t low) const {
  for (unsigned round = 0; round < kRounds; ++round)
    applyRound(high, low, roundKeys[round][lane]);
  return static_cast<uint64_t>(high) << 32 | low;
}
