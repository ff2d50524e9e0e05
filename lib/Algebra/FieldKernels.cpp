//===- FieldKernels.cpp - Arithmetic on arrays of field elements ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FieldVector.h"
#include <cassert>
#include <vector>

using namespace mlir::mirage;
using namespace mlir::mirage::kernels;

MIRAGE_KERNEL void kernels::add(const PrimeField &field, uint32_t *result,
                                Source lhs, Source rhs, size_t count) {
  FieldVector f = FieldVector::of(field);
  forEachVector(result, lhs, rhs, count,
                [&](Words &r, const Words &a, const Words &b)
                    __attribute__((always_inline)) {
                      Words largest = maximumOf(a, b);
                      r = select(findSpecials(largest), largest, f.add(a, b));
                    });
}

MIRAGE_KERNEL void kernels::mul(const PrimeField &field, uint32_t *result,
                                Source lhs, Source rhs, size_t count,
                                uint32_t infinityResult) {
  FieldVector f = FieldVector::of(field);
  forEachVector(result, lhs, rhs, count,
                [&](Words &r, const Words &a, const Words &b)
                    __attribute__((always_inline)) {
                      Words largest = maximumOf(a, b);
                      Words special = select((largest == splat(kMinusInfinity)),
                                             splat(infinityResult), largest);
                      r = select(findSpecials(largest), special, f.mul(a, b));
                    });
}

/// Minus infinity becomes Undefined, the other special values stay.
static MIRAGE_INLINE Words spreadSpecial(const Words &a) {
  return maximumOf(a, splat(kUndefined));
}

MIRAGE_KERNEL void kernels::inverse(const PrimeField &field, uint32_t *result,
                                    Source operand, size_t count) {
  FieldVector f = FieldVector::of(field);
  const Words one = splat(f.one);
  size_t numVectors = operand.repeats ? 1 : (count + kLanes - 1) / kLanes;
  // Montgomery's trick: products of all before, one inversion, and back.
  std::vector<uint32_t> before(numVectors * kLanes);
  auto invertible = [&](Words &a, size_t i) __attribute__((always_inline)) {
    load(a, operand.data + i * kLanes,
         operand.repeats ? kLanes : count - i * kLanes);
    a = select(findSpecials(a) | (a == splat(0)), one, a);
  };
  Words product = one;
  for (size_t i = 0; i < numVectors; ++i) {
    Words a;
    invertible(a, i);
    store(before.data() + i * kLanes, product, kLanes);
    product = f.mul(product, a);
  }
  product = f.pow(product, f.prime - 2);
  for (size_t i = numVectors; i-- > 0;) {
    Words a, earlier, raw;
    invertible(a, i);
    load(raw, operand.data + i * kLanes,
         operand.repeats ? kLanes : count - i * kLanes);
    load(earlier, before.data() + i * kLanes, kLanes);
    Words inverse = f.mul(product, earlier);
    product = f.mul(product, a);
    inverse = select((raw == splat(0)), splat(kUndefined), inverse);
    inverse = select(findSpecials(raw), spreadSpecial(raw), inverse);
    if (!operand.repeats)
      store(result + i * kLanes, inverse, count - i * kLanes);
    else
      for (size_t j = 0; j < count; j += kLanes)
        store(result + j, inverse, count - j);
  }
}

/// Calls `step(result, a, root)` for every vector of an operand and what
/// x^((p+1)/4) makes of it, four at a time.
template <typename Step>
static MIRAGE_INLINE void forEachRoot(const FieldVector &f, uint32_t *result,
                                      const Source &operand, size_t count,
                                      Step &&step) {
  constexpr unsigned kVectors = 4;
  for (size_t first = 0; first < count; first += kVectors * kLanes) {
    Words a[kVectors], roots[kVectors];
    for (unsigned v = 0; v < kVectors; ++v) {
      size_t i = first + v * kLanes;
      a[v] = Words{};
      if (operand.repeats)
        load(a[v], operand.data, kLanes);
      else if (i < count)
        load(a[v], operand.data + i, count - i);
      roots[v] = a[v];
    }
    f.pow(roots, (f.prime + 1) / 4);
    for (unsigned v = 0; v < kVectors && first + v * kLanes < count; ++v) {
      Words r;
      step(r, a[v], roots[v]);
      r = select(findSpecials(a[v]), spreadSpecial(a[v]), r);
      store(result + first + v * kLanes, r, count - first - v * kLanes);
    }
  }
}

MIRAGE_KERNEL void kernels::sqrt(const PrimeField &field, uint32_t *result,
                                 Source operand, size_t count,
                                 uint32_t nonSquareResult) {
  FieldVector f = FieldVector::of(field);
  forEachRoot(f, result, operand, count,
              [&](Words &r, const Words &a, const Words &root)
                  __attribute__((always_inline)) {
                    Words wrong = (f.mul(root, root) != a);
                    r = root | (wrong & splat(nonSquareResult));
                  });
}

MIRAGE_KERNEL void kernels::abs(const PrimeField &field, uint32_t *result,
                                Source operand, size_t count) {
  FieldVector f = FieldVector::of(field);
  forEachRoot(f, result, operand, count,
              [&](Words &r, const Words &, const Words &root)
                  __attribute__((always_inline)) { r = f.mul(root, root); });
}

/// The operand with the greater rank, or the smaller one if `reverse`.
static MIRAGE_INLINE Words pick(const KeyedPermutation &order, const Words &a,
                                const Words &b, bool reverse) {
  Words highA = a, lowA = Words{}, highB = b, lowB = Words{};
  permute(order, highA, lowA);
  permute(order, highB, lowB);
  Words greater = (highA > highB) | ((highA == highB) & (lowA > lowB));
  // Minus infinity is below everything, and does not spread.
  const Words infinity = splat(kMinusInfinity);
  greater = (greater & (a != infinity)) | (b == infinity);
  Words picked = reverse ? select(greater, b, a) : select(greater, a, b);
  Words spreading = (maximumOf(a, b) >= splat(kUndefined));
  return select(spreading, maximumOf(a, b), picked);
}

MIRAGE_KERNEL void kernels::maximum(const KeyedPermutation &order,
                                    uint32_t *result, Source lhs, Source rhs,
                                    size_t count) {
  forEachVector(result, lhs, rhs, count,
                [&](Words &r, const Words &a, const Words &b)
                    __attribute__((always_inline)) {
                      r = pick(order, a, b, /*reverse=*/false);
                    });
}

MIRAGE_KERNEL void kernels::minimum(const KeyedPermutation &order,
                                    uint32_t *result, Source lhs, Source rhs,
                                    size_t count) {
  forEachVector(result, lhs, rhs, count,
                [&](Words &r, const Words &a, const Words &b)
                    __attribute__((always_inline)) {
                      r = pick(order, a, b, /*reverse=*/true);
                    });
}

MIRAGE_KERNEL void kernels::randomFunction(const PrimeField &field,
                                           const KeyedPermutation &function,
                                           uint32_t tag, uint32_t *result,
                                           Source lhs, Source rhs,
                                           size_t count) {
  FieldVector f = FieldVector::of(field);
  const Words rSquared = splat(field.getRSquared());
  const Words rCubed = splat(field.getRCubed());
  forEachVector(result, lhs, rhs, count,
                [&](Words &r, const Words &a,
                    const Words &b) __attribute__((always_inline)) {
                  // The tag first, so that functions of one tag are one family.
                  Words high = splat(tag), low = Words{};
                  permute(function, high, low);
                  high = high ^ a, low = low ^ b;
                  permute(function, high, low);
                  // The 64-bit word as a number mod p.
                  r = f.add(f.mul(low, rSquared), f.mul(high, rCubed));
                  Words largest = maximumOf(a, b);
                  r = select(findSpecials(largest), spreadSpecial(largest), r);
                });
}

MIRAGE_KERNEL void kernels::sum(const PrimeField &field, uint32_t *result,
                                const uint32_t *operand, size_t outer,
                                size_t reduced, size_t inner) {
  FieldVector f = FieldVector::of(field);
  for (size_t o = 0; o < outer; ++o)
    for (size_t i = 0; i < inner; i += kLanes) {
      Words total = Words{};
      for (size_t r = 0; r < reduced; ++r) {
        Words a;
        load(a, operand + (o * reduced + r) * inner + i, inner - i);
        Words largest = maximumOf(a, total);
        total = select(findSpecials(largest), largest, f.add(a, total));
      }
      store(result + o * inner + i, total, inner - i);
    }
}

/// One vector of results in each of several rows: k products of a row of \p a
/// (words repeated if `splatA`, else vectors) with vectors of \p b. Rows go
/// together so that \p b, which may be large, is read once for all of them.
template <unsigned numRows>
static MIRAGE_INLINE void dotRows(const FieldVector &f, uint32_t *result,
                                  size_t resultStride, const uint32_t *a,
                                  size_t strideA, const uint32_t *b, size_t k,
                                  size_t strideB, size_t count, bool splatA) {
  Products totals[numRows];
  Words specials[numRows];
  for (unsigned row = 0; row < numRows; ++row) {
    totals[row] = Products{};
    specials[row] = Words{};
  }
  auto accumulate = [&](size_t i) __attribute__((always_inline)) {
    Words x, y;
    load(y, b + i * strideB, count);
    for (unsigned row = 0; row < numRows; ++row) {
      const uint32_t *from = a + row * strideA;
      if (splatA)
        x = splat(from[i]);
      else
        load(x, from + i * kLanes, kLanes);
      specials[row] = maximumOf(specials[row], maximumOf(x, y));
      f.accumulate(totals[row], x, y);
    }
  };
  auto fold = [&]() __attribute__((always_inline)) {
    for (Products &total : totals)
      f.fold(total);
  };
  for (size_t i = 0; i + 1 < k; i += 2) {
    accumulate(i);
    accumulate(i + 1);
    fold();
  }
  if (k % 2 != 0) {
    accumulate(k - 1);
    fold();
  }
  for (unsigned row = 0; row < numRows; ++row)
    store(result + row * resultStride,
          select(findSpecials(specials[row]), spreadSpecial(specials[row]),
                 f.reduce(totals[row])),
          count);
}

MIRAGE_KERNEL void kernels::matmul(const PrimeField &field, uint32_t *result,
                                   const uint32_t *lhs, const uint32_t *rhs,
                                   size_t m, size_t n, size_t k,
                                   unsigned lanes) {
  assert((lanes == 1 || lanes == kLanes) && "no such number of trials");
  FieldVector f = FieldVector::of(field);
  bool single = lanes == 1;
  size_t words = n * lanes, strideA = k * lanes;
  for (size_t j = 0; j < words; j += kLanes) {
    size_t i = 0;
    for (; i + 4 <= m; i += 4)
      dotRows<4>(f, result + i * words + j, words, lhs + i * strideA, strideA,
                 rhs + j, k, words, words - j, single);
    // Small tiles have two rows.
    for (; i + 2 <= m; i += 2)
      dotRows<2>(f, result + i * words + j, words, lhs + i * strideA, strideA,
                 rhs + j, k, words, words - j, single);
    if (i < m)
      dotRows<1>(f, result + i * words + j, words, lhs + i * strideA, strideA,
                 rhs + j, k, words, words - j, single);
  }
}

MIRAGE_KERNEL void kernels::combinePoints(const PrimeField &field,
                                          uint32_t *result,
                                          const uint32_t *points,
                                          const uint32_t (*weights)[kLanes],
                                          size_t count) {
  assert(count % kLanes == 0 && "expects 16 points a group");
  FieldVector f = FieldVector::of(field);
  for (size_t i = 0; i < count; i += kLanes) {
    Products total = {};
    uint32_t special = 0;
    for (unsigned t = 0; t < kLanes; ++t) {
      Words weight;
      load(weight, weights[t], kLanes);
      special = std::max(special, points[i + t]);
      f.accumulate(total, splat(points[i + t]), weight);
      if (t % 2 != 0)
        f.fold(total);
    }
    store(result + i, isSpecial(special) ? splat(special) : f.reduce(total),
          kLanes);
  }
}

MIRAGE_KERNEL void kernels::rankPoints(const KeyedPermutation &order,
                                       uint64_t *ranks, const uint32_t *points,
                                       size_t count) {
  // Sixteen elements side by side, of which each point has one word a lane.
  for (size_t first = 0; first < count; first += kLanes) {
    size_t most = count - first < kLanes ? count - first : kLanes;
    uint32_t byPoint[kLanes][kLanes] = {};
    for (size_t i = 0; i < most; ++i)
      for (unsigned t = 0; t < kLanes; ++t)
        byPoint[t][i] = points[(first + i) * kLanes + t];
    Words high = Words{}, low = Words{};
    for (unsigned t = 0; t < kLanes; ++t) {
      Words values;
      load(values, byPoint[t], kLanes);
      high = high ^ values;
      permute(order, t, high, low);
    }
    for (size_t i = 0; i < most; ++i)
      ranks[first + i] = uint64_t(high[i]) << 32 | low[i];
  }
}

PowerTable::PowerTable(const PrimeField &field, const PrimeField &exponents,
                       uint32_t root)
    : field(field), exponents(exponents) {
  uint32_t base = root;
  for (auto &digits : powers) {
    digits[0] = field.getOne();
    for (unsigned digit = 1; digit < 16; ++digit)
      digits[digit] = field.mul(digits[digit - 1], base);
    base = field.mul(digits[15], base);
  }
}

/// Picks table[digit] for 16 hexadecimal digits.
using LookUp = void (*)(Words &factor, const Words &table, const Words &digits);

static MIRAGE_INLINE void lookUpOneByOne(Words &factor, const Words &table,
                                         const Words &digits) {
  for (unsigned lane = 0; lane < kLanes; ++lane)
    factor.set(lane, table[digits[lane]]);
}

template <LookUp lookUp>
static MIRAGE_INLINE void
exponentiate(const PrimeField &field, const PrimeField &exponents,
             const PowerTable::Powers &powers, uint32_t *result,
             const uint32_t *operand, size_t count) {
  FieldVector f = FieldVector::of(field), e = FieldVector::of(exponents);
  Source source = {operand};
  forEachVector(result, source, source, count,
                [&](Words &r, const Words &a, const Words &)
                    __attribute__((always_inline)) {
                      // Out of Montgomery form: a product with the integer 1.
                      Words exponent = e.mul(a, splat(1));
                      for (unsigned position = 0; position < 8; ++position) {
                        Words table, factor;
                        load(table, powers[position], kLanes);
                        lookUp(factor, table,
                               (exponent >> (4 * position)) & splat(15));
                        r = position == 0 ? factor : f.mul(r, factor);
                      }
                      r = select((a == splat(kMinusInfinity)), splat(0), r);
                      r = select((a >= splat(kUndefined)), a, r);
                    });
}

MIRAGE_KERNEL static void expKernel(const PrimeField &field,
                                    const PrimeField &exponents,
                                    const PowerTable::Powers &powers,
                                    uint32_t *result, const uint32_t *operand,
                                    size_t count) {
  exponentiate<lookUpOneByOne>(field, exponents, powers, result, operand,
                               count);
}

#if defined(__x86_64__)
#define MIRAGE_AVX512 __attribute__((target("arch=x86-64-v4")))
#define MIRAGE_AVX2 __attribute__((target("arch=x86-64-v3")))

/// One instruction, which clang does not find by itself.
MIRAGE_AVX512 static MIRAGE_INLINE void
lookUpByPermute(Words &factor, const Words &table, const Words &digits) {
  using Lanes = int __attribute__((vector_size(64)));
  factor.raw = (Words::Raw)__builtin_ia32_permvarsi512((Lanes)table.raw,
                                                       (Lanes)digits.raw);
}

MIRAGE_AVX512 static void expByPermutes(const PrimeField &field,
                                        const PrimeField &exponents,
                                        const PowerTable::Powers &powers,
                                        uint32_t *result,
                                        const uint32_t *operand, size_t count) {
  exponentiate<lookUpByPermute>(field, exponents, powers, result, operand,
                                count);
}

/// Permutes of eight words, in either half of the table.
MIRAGE_AVX2 static MIRAGE_INLINE void
lookUpInHalves(Words &factor, const Words &table, const Words &digits) {
  using Half = int __attribute__((vector_size(32)));
  Half tables[2], places[2], found[2];
  std::memcpy(tables, &table, sizeof(Words));
  std::memcpy(places, &digits, sizeof(Words));
  for (unsigned half = 0; half < 2; ++half) {
    Half low = (Half)__builtin_ia32_permvarsi256(tables[0], places[half]);
    Half high = (Half)__builtin_ia32_permvarsi256(tables[1], places[half]);
    found[half] = places[half] > 7 ? high : low;
  }
  std::memcpy(&factor, found, sizeof(Words));
}

MIRAGE_AVX2 static void expInHalves(const PrimeField &field,
                                    const PrimeField &exponents,
                                    const PowerTable::Powers &powers,
                                    uint32_t *result, const uint32_t *operand,
                                    size_t count) {
  exponentiate<lookUpInHalves>(field, exponents, powers, result, operand,
                               count);
}
#endif

void PowerTable::exp(uint32_t *result, const uint32_t *operand,
                     size_t count) const {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v4"))
    return expByPermutes(field, exponents, powers, result, operand, count);
  if (__builtin_cpu_supports("x86-64-v3"))
    return expInHalves(field, exponents, powers, result, operand, count);
#endif
  expKernel(field, exponents, powers, result, operand, count);
}
