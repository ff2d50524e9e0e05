//===- PrimeFieldTest.cpp - Arithmetic modulo a prime ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Algebra/PrimeField.h"
#include "Mirage/Algebra/Random.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;

TEST(PrimeField, PrimalityAgreesWithTrialDivision) {
  auto isPrimeByDivision = [](uint32_t n) {
    for (uint32_t d = 2; static_cast<uint64_t>(d) * d <= n; ++d)
      if (n % d == 0)
        return false;
    return n >= 2;
  };
  for (uint32_t n = 0; n < 20000; ++n)
    EXPECT_EQ(isPrime(n), isPrimeByDivision(n)) << n;
  // Strong pseudoprimes to one or two of the bases.
  for (uint32_t n : {2047u, 42799u, 3215031751u, 4294967295u})
    EXPECT_EQ(isPrime(n), isPrimeByDivision(n)) << n;
  EXPECT_TRUE(isPrime(2147483647u));
}

class PrimeFieldLaws : public testing::TestWithParam<uint32_t> {};

TEST_P(PrimeFieldLaws, AgreesWithIntegers) {
  PrimeField field(GetParam());
  uint64_t p = GetParam();
  RandomStream random(hashToSeed("laws"));
  for (int i = 0; i < 2000; ++i) {
    uint64_t a = random.uniform(p), b = random.uniform(p);
    uint32_t x = field.fromInteger(a), y = field.fromInteger(b);
    EXPECT_EQ(field.toInteger(x), a);
    EXPECT_EQ(field.toInteger(field.add(x, y)), (a + b) % p);
    EXPECT_EQ(field.toInteger(field.sub(x, y)), (a + p - b) % p);
    EXPECT_EQ(field.toInteger(field.mul(x, y)), a * b % p);
    if (a != 0)
      EXPECT_EQ(field.mul(x, field.inverse(x)), field.getOne());
    // Roots are multiplicative, and are roots of squares.
    uint32_t root = field.sqrt(x);
    EXPECT_EQ(field.sqrt(field.mul(x, y)), field.mul(root, field.sqrt(y)));
    int character = field.getCharacter(x);
    EXPECT_EQ(field.mul(root, root), character < 0 ? field.sub(0, x) : x);
    EXPECT_GE(field.getCharacter(root), character < 0 ? -1 : 0);
    EXPECT_EQ(field.getCharacter(field.mul(x, y)),
              character * field.getCharacter(y));
  }
}

TEST_P(PrimeFieldLaws, DoublesAreTheRationalsOfTheirBits) {
  PrimeField field(GetParam());
  uint32_t three = field.fromInteger(3), eight = field.fromInteger(8);
  EXPECT_EQ(field.fromDouble(0.375), field.mul(three, field.inverse(eight)));
  EXPECT_EQ(field.fromDouble(-1), field.sub(0, field.getOne()));
  EXPECT_EQ(field.fromDouble(0), 0u);
  EXPECT_EQ(field.fromDouble(1.5e300),
            field.mul(three, field.fromDouble(0.5e300)));
  // 0.1 is not 1/10.
  EXPECT_NE(field.mul(field.fromDouble(0.1), field.fromInteger(10)),
            field.getOne());
  double tiny = 4.9e-324; // the least denormal, 2^-1074
  EXPECT_EQ(field.fromDouble(tiny),
            field.inverse(field.pow(field.fromInteger(2), 1074)));
}

INSTANTIATE_TEST_SUITE_P(Primes, PrimeFieldLaws,
                         testing::Values(83u, 167u, 1073741827u, 2147483647u));
