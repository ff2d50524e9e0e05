//===- WidePrimeFieldTest.cpp - Arithmetic modulo a prime of 62 bits ------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Algebra/WidePrimeField.h"
#include "Mirage/Algebra/PrimeField.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir::mirage;

TEST(WidePrimeField, PrimalityIsThatOfSmallNumbers) {
  for (uint32_t number = 0; number < 20000; ++number)
    EXPECT_EQ(isWidePrime(number), isPrime(number)) << number;
  EXPECT_TRUE(isWidePrime((uint64_t(1) << 61) - 1));
  EXPECT_TRUE(isWidePrime((uint64_t(1) << 62) - 57));
  // A product of two primes, and a strong pseudoprime to nine bases.
  EXPECT_FALSE(isWidePrime(uint64_t(2147483647) * 1073741789));
  EXPECT_FALSE(isWidePrime(3825123056546413051));
}

TEST(WidePrimeField, DrawnPrimesHave62Bits) {
  RandomStream random(hashToSeed("primes"));
  std::set<uint64_t> primes;
  for (int i = 0; i < 50; ++i) {
    uint64_t prime = WidePrimeField::draw(random).getPrime();
    EXPECT_EQ(prime >> 61, 1u);
    EXPECT_TRUE(isWidePrime(prime));
    primes.insert(prime);
  }
  EXPECT_EQ(primes.size(), 50u);
}

class WidePrimeFieldLaws : public testing::TestWithParam<uint64_t> {};

TEST_P(WidePrimeFieldLaws, AgreesWithIntegers) {
  __extension__ using Wide = unsigned __int128;
  WidePrimeField field(GetParam());
  uint64_t p = GetParam();
  RandomStream random(hashToSeed("laws"));
  for (int i = 0; i < 2000; ++i) {
    uint64_t x = field.drawUnit(random), y = field.drawUnit(random);
    ASSERT_TRUE(x > 0 && x < p);
    uint64_t a = field.toInteger(x), b = field.toInteger(y);
    EXPECT_EQ(field.fromInteger(a), x);
    EXPECT_EQ(field.toInteger(field.add(x, y)), (a + b) % p);
    EXPECT_EQ(field.toInteger(field.sub(x, y)), (a + p - b) % p);
    EXPECT_EQ(field.toInteger(field.mul(x, y)),
              uint64_t(static_cast<Wide>(a) * b % p));
    EXPECT_EQ(field.mul(x, field.inverse(x)), field.getOne());
    EXPECT_EQ(field.pow(x, 3), field.mul(x, field.mul(x, x)));
  }
}

TEST_P(WidePrimeFieldLaws, DoublesAreTheRationalsOfTheirBits) {
  WidePrimeField field(GetParam());
  auto of = [&](uint64_t number) { return field.fromInteger(number); };
  EXPECT_EQ(field.fromDouble(0.375), field.mul(of(3), field.inverse(of(8))));
  EXPECT_EQ(field.fromDouble(-1), field.sub(0, field.getOne()));
  EXPECT_EQ(field.fromDouble(0), 0u);
  EXPECT_EQ(field.fromDouble(0x1p80), field.pow(of(2), 80));
  EXPECT_EQ(
      field.fromDouble(0.1),
      field.mul(of(0xCCCCCCCCCCCCD), field.inverse(field.pow(of(2), 55))));
}

INSTANTIATE_TEST_SUITE_P(Primes, WidePrimeFieldLaws,
                         testing::Values(43, 2147483647,
                                         (uint64_t(1) << 61) - 1,
                                         (uint64_t(1) << 62) - 57));
