//===- FieldKernelsTest.cpp - Arithmetic on arrays of field elements ------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Algebra/FieldKernels.h"
#include "Mirage/Algebra/FieldTower.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <vector>

using namespace mlir::mirage;
using namespace mlir::mirage::kernels;
using Array = std::vector<uint32_t>;

namespace {
/// Every kernel is compared with the scalar field, on lengths that fill vectors
/// and on others, and over large and small primes.
class FieldKernels
    : public testing::TestWithParam<std::pair<uint32_t, size_t>> {
protected:
  FieldKernels()
      : field(GetParam().first), count(GetParam().second),
        random(hashToSeed("kernels")) {}

  Array draw(size_t size) {
    Array result(size);
    random.fillUniform(result, field.getPrime());
    return result;
  }
  PrimeField field;
  size_t count;
  RandomStream random;
};
} // namespace

TEST_P(FieldKernels, ElementwiseAgreesWithScalars) {
  Array a = draw(count), b = draw(count), r(count);
  a[0] = 0;
  kernels::add(field, r.data(), {a.data()}, {b.data()}, count);
  for (size_t i = 0; i < count; ++i)
    EXPECT_EQ(r[i], field.add(a[i], b[i]));
  kernels::mul(field, r.data(), {a.data()}, {b.data()}, count);
  for (size_t i = 0; i < count; ++i)
    EXPECT_EQ(r[i], field.mul(a[i], b[i]));
  kernels::inverse(field, r.data(), a.data(), count);
  for (size_t i = 0; i < count; ++i)
    EXPECT_EQ(r[i], a[i] == 0 ? kUndefined : field.inverse(a[i]));
  kernels::sqrt(field, r.data(), {a.data()}, count, kNonSquare);
  for (size_t i = 0; i < count; ++i)
    EXPECT_EQ(r[i],
              field.getCharacter(a[i]) < 0 ? kNonSquare : field.sqrt(a[i]));
  kernels::sqrt(field, r.data(), {a.data()}, count, 0);
  for (size_t i = 0; i < count; ++i)
    EXPECT_EQ(r[i], field.sqrt(a[i]));
  kernels::abs(field, r.data(), {a.data()}, count);
  for (size_t i = 0; i < count; ++i)
    EXPECT_EQ(r[i], field.getCharacter(a[i]) < 0 ? field.sub(0, a[i]) : a[i]);
}

TEST_P(FieldKernels, RepeatedOperands) {
  Array a = draw(count), b = draw(kLanes), r(count);
  kernels::mul(field, r.data(), {a.data()}, {b.data(), true}, count);
  for (size_t i = 0; i < count; ++i)
    EXPECT_EQ(r[i], field.mul(a[i], b[i % kLanes]));
}

TEST_P(FieldKernels, MaximumIsALattice) {
  Array a = draw(count), b = draw(count), c = draw(count);
  KeyedPermutation order(random);
  auto max = [&](const Array &x, const Array &y) {
    Array r(count);
    kernels::maximum(order, r.data(), {x.data()}, {y.data()}, count);
    return r;
  };
  auto min = [&](const Array &x, const Array &y) {
    Array r(count);
    kernels::minimum(order, r.data(), {x.data()}, {y.data()}, count);
    return r;
  };
  Array infinity(count, kMinusInfinity);
  EXPECT_EQ(max(a, b), max(b, a));
  EXPECT_EQ(max(a, max(b, c)), max(max(a, b), c));
  EXPECT_EQ(max(a, a), a);
  EXPECT_EQ(max(a, min(a, b)), a);
  EXPECT_EQ(min(a, max(a, b)), a);
  EXPECT_EQ(max(a, infinity), a);
  EXPECT_EQ(min(a, infinity), infinity);
  // An order, and not always the first or the second operand.
  if (count > 30) {
    EXPECT_NE(max(a, b), a);
    EXPECT_NE(max(a, b), b);
  }
}

TEST_P(FieldKernels, RandomFunctionsAreFunctionsAndDiffer) {
  Array a = draw(count), b = draw(count), r(count), s(count);
  KeyedPermutation key(random);
  kernels::randomFunction(field, key, 1, r.data(), {a.data()}, {b.data()},
                          count);
  kernels::randomFunction(field, key, 1, s.data(), {a.data()}, {b.data()},
                          count);
  EXPECT_EQ(r, s);
  for (uint32_t value : r)
    EXPECT_LT(value, field.getPrime());
  if (count < 8)
    return;
  kernels::randomFunction(field, key, 2, s.data(), {a.data()}, {b.data()},
                          count);
  EXPECT_NE(r, s);
  kernels::randomFunction(field, key, 1, s.data(), {b.data()}, {a.data()},
                          count);
  EXPECT_NE(r, s);
}

/// A matrix with another; of so many elements a row and words an element.
static Array multiply(const PrimeField &field, const Array &a, const Array &b,
                      size_t m, size_t n, size_t k, unsigned lanes) {
  Array r(m * n * lanes);
  kernels::MatrixProducts::Places first = {0, 0, 0};
  kernels::matmul(field, {r.data(), a, b, first, m, n, k}, lanes);
  return r;
}

TEST_P(FieldKernels, Matmul) {
  for (unsigned lanes : {1u, kLanes})
    for (auto [m, k] : {std::make_pair(7, 5), std::make_pair(3, 1),
                        std::make_pair(2, 4), std::make_pair(1, 9)}) {
      size_t n = lanes == 1 ? count : 2;
      Array a = draw(m * k * lanes), b = draw(k * n * lanes);
      Array r = multiply(field, a, b, m, n, k, lanes);
      for (size_t i = 0; i < size_t(m); ++i)
        for (size_t j = 0; j < n; ++j)
          for (size_t l = 0; l < lanes; ++l) {
            uint32_t total = 0;
            for (size_t x = 0; x < size_t(k); ++x)
              total = field.add(total, field.mul(a[(i * k + x) * lanes + l],
                                                 b[(x * n + j) * lanes + l]));
            EXPECT_EQ(r[(i * n + j) * lanes + l], total);
          }
    }
}

TEST_P(FieldKernels, MatmulsOfTensors) {
  constexpr size_t m = 2, n = 3, k = 2;
  constexpr size_t left = m * k * kLanes, right = k * n * kLanes;
  Array a = draw(2 * left), b = draw(3 * right), r(6 * m * n * kLanes);
  std::vector<kernels::MatrixProducts::Places> places;
  std::vector<Array> expected;
  for (size_t i = 0; i < 2; ++i)
    for (size_t j = 0; j < 3; ++j) {
      places.push_back({expected.size() * m * n * kLanes, i * left, j * right});
      expected.push_back(multiply(
          field, Array(a.begin() + i * left, a.begin() + (i + 1) * left),
          Array(b.begin() + j * right, b.begin() + (j + 1) * right), m, n, k,
          kLanes));
    }
  kernels::matmul(field, {r.data(), a, b, places, m, n, k}, kLanes);
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(std::equal(expected[i].begin(), expected[i].end(),
                           r.begin() + places[i].result));
}

/// A special value anywhere makes its row or column special, and no other.
TEST_P(FieldKernels, MatmulSpreadsSpecialValues) {
  const size_t m = 3, k = 3;
  for (unsigned lanes : {1u, kLanes}) {
    size_t n = lanes == 1 ? count : 2;
    Array a = draw(m * k * lanes), b = draw(k * n * lanes);
    Array clean = multiply(field, a, b, m, n, k, lanes);
    a[(1 * k + 2) * lanes] = kNonSquare;
    b[(0 * n + n - 1) * lanes] = kMinusInfinity;
    Array r = multiply(field, a, b, m, n, k, lanes);
    for (size_t i = 0; i < m; ++i)
      for (size_t j = 0; j < n; ++j)
        for (size_t l = 0; l < lanes; ++l) {
          size_t word = (i * n + j) * lanes + l;
          EXPECT_EQ(r[word], l == 0 && i == 1       ? kNonSquare
                             : l == 0 && j == n - 1 ? kUndefined
                                                    : clean[word]);
        }
  }
}

/// One word that differs, or is no value, is enough, wherever it is.
TEST_P(FieldKernels, SameValues) {
  Array a = draw(count);
  a[0] = kMinusInfinity;
  Array b = a;
  EXPECT_TRUE(kernels::areSameValues(a.data(), b.data(), count));
  for (size_t i = 0; i < count; ++i) {
    b[i] ^= 1;
    EXPECT_FALSE(kernels::areSameValues(a.data(), b.data(), count));
    b[i] = a[i];
  }
  a.back() = b.back() = kUndefined;
  EXPECT_FALSE(kernels::areSameValues(a.data(), b.data(), count));
}

TEST_P(FieldKernels, Sum) {
  const size_t k = 5;
  Array a = draw(2 * k * count), r(2 * count);
  kernels::sum(field, r.data(), a.data(), 2, k, count);
  for (size_t o = 0; o < 2; ++o)
    for (size_t i = 0; i < count; ++i) {
      uint32_t total = 0;
      for (size_t x = 0; x < k; ++x)
        total = field.add(total, a[(o * k + x) * count + i]);
      EXPECT_EQ(r[o * count + i], total);
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, FieldKernels,
                         testing::Values(std::make_pair(1073741827u, 1),
                                         std::make_pair(2147483647u, 33),
                                         std::make_pair(2147483647u, 64),
                                         std::make_pair(1073741827u, 150),
                                         std::make_pair(83u, 47)));

TEST(FieldKernels, LongSumsDoNotOverflow) {
  PrimeField field(2147483647u);
  Array ones(100000, field.sub(0, field.getOne()));
  EXPECT_EQ(multiply(field, ones, ones, 1, 1, 100000, 1),
            Array{field.fromInteger(100000)});
}

/// The largest products there are, of which four are added before the first
/// reduction, and two between others.
TEST(FieldKernels, LargestWordsDoNotOverflow) {
  PrimeField field(2147483647u);
  Array words(16 * kLanes, field.getPrime() - 1), r(kLanes);
  uint32_t square = field.mul(words[0], words[0]), total = 0;
  for (size_t k = 1; k <= 16; ++k) {
    total = field.add(total, square);
    Array factor(words.begin(), words.begin() + k * kLanes);
    EXPECT_EQ(multiply(field, factor, factor, 1, 1, k, kLanes),
              Array(kLanes, total));
  }
  uint32_t weights[kLanes][kLanes];
  std::fill_n(weights[0], kLanes * kLanes, words[0]);
  kernels::combinePoints(field, r.data(), words.data(), weights, kLanes);
  EXPECT_EQ(r, Array(kLanes, total));
}

TEST(FieldKernels, SpecialValues) {
  PrimeField field(1073741827u);
  uint32_t one = field.getOne();
  Array a = {kMinusInfinity, kMinusInfinity, kUndefined, kNonSquare,
             kNonSquare};
  Array b = {one, kUndefined, one, kUndefined, one}, r(5);
  kernels::add(field, r.data(), {a.data()}, {b.data()}, 5);
  EXPECT_EQ(r, (Array{kMinusInfinity, kUndefined, kUndefined, kNonSquare,
                      kNonSquare}));
  kernels::mul(field, r.data(), {a.data()}, {b.data()}, 5);
  EXPECT_EQ(r[0], kUndefined);
  kernels::mul(field, r.data(), {a.data()}, {b.data()}, 5, kMinusInfinity);
  EXPECT_EQ(r, (Array{kMinusInfinity, kUndefined, kUndefined, kNonSquare,
                      kNonSquare}));
  kernels::inverse(field, r.data(), a.data(), 5);
  EXPECT_EQ(
      r, (Array{kUndefined, kUndefined, kUndefined, kNonSquare, kNonSquare}));
  kernels::sum(field, r.data(), a.data(), 1, 5, 1);
  EXPECT_EQ(r[0], kNonSquare);
}

TEST(FieldKernels, ExponentialsMultiply) {
  RandomStream random(hashToSeed("exp"));
  FieldTower tower = FieldTower::draw(2, random);
  uint32_t root = tower.drawRoot(0, random);
  PowerTable table(tower[0], tower[1], root);
  Array x(64), y(64), sum(64), ex(64), ey(64), product(64), esum(64);
  random.fillUniform(x, tower[1].getPrime());
  random.fillUniform(y, tower[1].getPrime());
  kernels::add(tower[1], sum.data(), {x.data()}, {y.data()}, 64);
  table.exp(ex.data(), x.data(), 64);
  table.exp(ey.data(), y.data(), 64);
  table.exp(esum.data(), sum.data(), 64);
  kernels::mul(tower[0], product.data(), {ex.data()}, {ey.data()}, 64);
  EXPECT_EQ(product, esum);
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(ex[i], tower[0].pow(root, tower[1].toInteger(x[i])));
  x[3] = kMinusInfinity;
  table.exp(ex.data(), x.data(), 64);
  EXPECT_EQ(ex[3], 0u);
}

/// Of as many elements as fill vectors, and of some more.
TEST(FieldKernels, RanksOfPointsAreThoseOfOneAfterTheOther) {
  RandomStream random(hashToSeed("ranks"));
  KeyedPermutation order(random);
  constexpr size_t kElements = 19;
  Array points(kElements * kLanes);
  random.fillUniform(points, 1u << 31);
  points[5] = kMinusInfinity;
  std::vector<uint64_t> ranks(kElements);
  kernels::rankPoints(order, ranks.data(), points.data(), kElements);
  for (size_t i = 0; i < kElements; ++i) {
    uint64_t rank = 0;
    for (unsigned t = 0; t < kLanes; ++t)
      rank = order.apply(t, uint32_t(rank >> 32) ^ points[i * kLanes + t],
                         uint32_t(rank));
    EXPECT_EQ(ranks[i], rank);
  }
}

TEST(FieldKernels, CombinedPointsAreLinear) {
  PrimeField field(2147483647u);
  RandomStream random(hashToSeed("points"));
  alignas(64) uint32_t weights[kLanes][kLanes];
  for (auto &row : weights)
    random.fillUniform(row, field.getPrime());
  Array x(16), y(16), sum(16), cx(16), cy(16), csum(16), both(16);
  random.fillUniform(x, field.getPrime());
  random.fillUniform(y, field.getPrime());
  kernels::add(field, sum.data(), {x.data()}, {y.data()}, 16);
  kernels::combinePoints(field, cx.data(), x.data(), weights, 16);
  kernels::combinePoints(field, cy.data(), y.data(), weights, 16);
  kernels::combinePoints(field, csum.data(), sum.data(), weights, 16);
  kernels::add(field, both.data(), {cx.data()}, {cy.data()}, 16);
  EXPECT_EQ(both, csum);
  uint32_t expected = 0;
  for (unsigned t = 0; t < kLanes; ++t)
    expected = field.add(expected, field.mul(weights[t][5], x[t]));
  EXPECT_EQ(cx[5], expected);
}
