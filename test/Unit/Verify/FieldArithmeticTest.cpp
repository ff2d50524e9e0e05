//===- FieldArithmeticTest.cpp - Elements of a tower of fields ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FieldArithmetic.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using kernels::kLanes;

namespace {
using Words = std::vector<uint32_t>;

FieldBatch makeBatch(unsigned words) {
  Seed seed = hashToSeed("arithmetic");
  RandomStream random(seed);
  return FieldBatch(FieldTower::draw(/*height=*/1, random), words, seed);
}

/// Each quotient is that of its own words, however many neighbours have the
/// same divisor; of zero and what is no value too.
TEST(FieldArithmetic, DividesByRunsOfDivisors) {
  for (unsigned words : {1u, kLanes}) {
    FieldBatch batch = makeBatch(words);
    const PrimeField &field = batch.tower[0];
    RandomStream random(hashToSeed("runs"));
    Words dividends, divisors;
    for (unsigned length : {1, 3, 1, 2, 7, 1}) {
      Words divisor(words);
      random.fillUniform(divisor, field.getPrime());
      if (length == 3)
        divisor[words / 2] = 0;
      if (length == 7)
        divisor[0] = kernels::kNonSquare;
      for (unsigned i = 0; i < length; ++i)
        divisors.insert(divisors.end(), divisor.begin(), divisor.end());
    }
    dividends.resize(divisors.size());
    random.fillUniform(dividends, field.getPrime());
    Words quotients(divisors.size());
    FieldArithmetic arithmetic(batch, /*component=*/0, ExponentTape());
    arithmetic.apply(ScalarFunction::Div, quotients.data(), {dividends.data()},
                     {divisors.data()}, divisors.size());
    for (size_t i = 0; i < divisors.size(); ++i) {
      uint32_t expected =
          kernels::isSpecial(divisors[i]) ? divisors[i]
          : divisors[i] == 0
              ? kernels::kUndefined
              : field.mul(dividends[i], field.inverse(divisors[i]));
      EXPECT_EQ(quotients[i], expected) << i;
    }
  }
}

TEST(FieldArithmetic, DividesByOneDivisor) {
  FieldBatch batch = makeBatch(kLanes);
  const PrimeField &field = batch.tower[0];
  RandomStream random(hashToSeed("one"));
  Words dividends(5 * kLanes), divisor(kLanes), quotients(5 * kLanes);
  random.fillUniform(dividends, field.getPrime());
  random.fillUniform(divisor, field.getPrime());
  FieldArithmetic arithmetic(batch, /*component=*/0, ExponentTape());
  arithmetic.apply(ScalarFunction::Div, quotients.data(), {dividends.data()},
                   {divisor.data(), /*repeats=*/true}, quotients.size());
  for (size_t i = 0; i < quotients.size(); ++i)
    EXPECT_EQ(quotients[i],
              field.mul(dividends[i], field.inverse(divisor[i % kLanes])));
}

TEST(ExponentTape, HandsOverInOrder) {
  Words first = {1, 2, 3}, constant(kLanes, 7);
  ExponentTape tape;
  tape.add({first.data()}, first.size());
  tape.add({constant.data(), /*repeats=*/true}, 2 * kLanes);
  EXPECT_EQ(tape.takeNext(), first);
  EXPECT_EQ(tape.takeNext(), Words(2 * kLanes, 7));
}
} // namespace
