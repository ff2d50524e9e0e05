//===- FieldTower.cpp - Primes for nested exponentials --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Algebra/FieldTower.h"
#include <cassert>
#include <initializer_list>

using namespace mlir::mirage;

FieldTower::FieldTower(llvm::ArrayRef<uint32_t> primes) {
  assert(!primes.empty() && "a tower has at least one prime");
  for (size_t i = 0; i < primes.size(); ++i) {
    assert(primes[i] % 4 == 3 && "expects primes that are 3 modulo 4");
    assert((i == 0 || (primes[i - 1] - 1) % (2 * primes[i]) == 0) &&
           "expects each prime to divide the one before it less 1");
    fields.emplace_back(primes[i]);
  }
}

/// A multiplier m in {1, 3, 5, 7} with probability proportional to 1/m.
static uint32_t drawMultiplier(RandomStream &random) {
  uint32_t draw = random.uniform(105 + 35 + 21 + 15);
  return draw < 105 ? 1 : draw < 140 ? 3 : draw < 161 ? 5 : 7;
}

/// One attempt at a tower, largest prime first; empty if it is none. There are
/// 1/m as many smallest primes for a multiplier as multipliers are rarer, so
/// that all towers are equally likely (but for the rounding of the range of
/// smallest primes, less than 2^-14 of any probability).
static llvm::SmallVector<uint32_t, 4> tryTower(unsigned height,
                                               RandomStream &random) {
  llvm::SmallVector<uint32_t, 4> multipliers(height - 1);
  uint32_t product = 1;
  for (uint32_t &multiplier : multipliers) {
    multiplier = drawMultiplier(random);
    product *= 2 * multiplier;
  }
  // Smallest primes 4j + 3; those above follow, as m is odd.
  uint32_t width = (1u << 28) / product;
  llvm::SmallVector<uint32_t, 4> primes(height);
  primes.back() = 4 * (width + random.uniform(width)) + 3;
  for (unsigned i = height - 1; i-- > 0;)
    primes[i] = 2 * multipliers[i] * primes[i + 1] + 1;
  // Divisions by small primes throw out most attempts before the costly test.
  for (uint32_t small : {3u, 5u, 7u, 11u, 13u, 17u, 19u, 23u, 29u, 31u, 37u})
    for (uint32_t prime : primes)
      if (prime % small == 0)
        return {};
  for (uint32_t prime : primes)
    if (!isPrime(prime))
      return {};
  if (primes.front() >= (1u << 31))
    return {};
  return primes;
}

FieldTower FieldTower::draw(unsigned height, RandomStream &random) {
  assert(height >= 1 && height <= kMaxHeight && "no such towers");
  while (true) {
    llvm::SmallVector<uint32_t, 4> primes = tryTower(height, random);
    if (!primes.empty())
      return FieldTower(primes);
  }
}

uint64_t FieldTower::countTowers(unsigned height) {
  // Counted by sieving all numbers below 2^31. One prime belongs to at most
  // one tower of a height: p(1) is the only prime factor of p(0) - 1 above 7.
  static constexpr uint64_t kCounts[kMaxHeight] = {25348667, 1783595, 149622,
                                                   13291};
  assert(height >= 1 && height <= kMaxHeight && "no such towers");
  return kCounts[height - 1];
}

uint32_t FieldTower::drawRoot(unsigned level, RandomStream &random) const {
  assert(level + 1 < getHeight() && "the last field has no roots of unity");
  const PrimeField &field = fields[level];
  uint32_t cofactor = (field.getPrime() - 1) / fields[level + 1].getPrime();
  while (true) {
    uint32_t base = 1 + random.uniform(field.getPrime() - 1);
    uint32_t root = field.pow(base, cofactor);
    if (root != field.getOne())
      return root;
  }
}
