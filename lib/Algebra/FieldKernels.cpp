//===- FieldKernels.cpp - Arithmetic on arrays of field elements ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FieldVector.h"
#include <cassert>

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

/// 1/x in all lanes, none of them zero: one inversion of the product of all.
static MIRAGE_INLINE Words invertLanes(const PrimeField &field,
                                       const FieldVector &f, const Words &a) {
  Words others8 = swapGroups<8>(a), pairs = f.mul(a, others8);
  Words others4 = swapGroups<4>(pairs), fours = f.mul(pairs, others4);
  Words others2 = swapGroups<2>(fours), eights = f.mul(fours, others2);
  Words others1 = swapGroups<1>(eights), all = f.mul(eights, others1);
  Words inverse = splat(field.inverse(all[0]));
  inverse = f.mul(inverse, others1);
  inverse = f.mul(inverse, others2);
  inverse = f.mul(inverse, others4);
  return f.mul(inverse, others8);
}

MIRAGE_KERNEL void kernels::inverse(const PrimeField &field, uint32_t *result,
                                    const uint32_t *operand, size_t count) {
  // Montgomery's trick: products of all before, one inversion, and back. Every
  // fourth vector is of one chain of products, as each waits for the last one.
  constexpr size_t kMaxChains = 4;
  FieldVector f = FieldVector::of(field);
  const Words one = splat(f.one);
  size_t numVectors = (count + kLanes - 1) / kLanes;
  size_t numChains = numVectors < kMaxChains ? numVectors : kMaxChains;
  Words products[kMaxChains], before[kMaxChains], all = one;
  for (Words &product : products)
    product = one;
  auto loadInvertible = [&](Words &a, Words &raw, size_t first,
                            size_t words) __attribute__((always_inline)) {
    load(raw, operand + first, words);
    a = select(findSpecials(raw) | (raw == splat(0)), one, raw);
  };
  forEachVector(
      count, [&](size_t first, size_t words) __attribute__((always_inline)) {
        Words a, raw, &product = products[first / kLanes % kMaxChains];
        loadInvertible(a, raw, first, words);
        store(result + first, product, words);
        product = f.mul(product, a);
      });
  for (size_t chain = 0; chain < numChains; ++chain) {
    before[chain] = all;
    all = f.mul(all, products[chain]);
  }
  all = invertLanes(field, f, all);
  for (size_t chain = numChains; chain-- > 0;) {
    Words inverse = f.mul(all, before[chain]);
    all = f.mul(all, products[chain]);
    products[chain] = inverse;
  }
  auto goBack = [&](size_t first, size_t words) __attribute__((always_inline)) {
    Words a, raw, earlier, &product = products[first / kLanes % kMaxChains];
    loadInvertible(a, raw, first, words);
    load(earlier, result + first, words);
    Words inverse = f.mul(product, earlier);
    product = f.mul(product, a);
    inverse = select((raw == splat(0)), splat(kUndefined), inverse);
    store(result + first,
          select(findSpecials(raw), spreadSpecial(raw), inverse), words);
  };
  size_t first = count / kLanes * kLanes;
  if (first < count)
    goBack(first, count - first);
  while (first > 0)
    goBack(first -= kLanes, kLanes);
}

/// Calls `step(r, a, root)` for some vectors of an operand and what x^((p+1)/4)
/// makes of them, all at a time; `words` words, the last vector may be partial.
template <unsigned numVectors, typename Step>
static MIRAGE_INLINE void stepRoots(const FieldVector &f, uint32_t *result,
                                    const uint32_t *operand, size_t words,
                                    Step &&step) {
  Words a[numVectors], roots[numVectors];
  for (unsigned v = 0; v < numVectors; ++v)
    load(a[v], operand + v * kLanes, words - v * kLanes);
  std::memcpy(roots, a, sizeof(a));
  f.pow(roots, (f.prime + 1) / 4);
  for (unsigned v = 0; v < numVectors; ++v) {
    Words r;
    step(r, a[v], roots[v]);
    r = select(findSpecials(a[v]), spreadSpecial(a[v]), r);
    store(result + v * kLanes, r, words - v * kLanes);
  }
}

/// The same for every vector, four at a time as long as there are so many.
template <typename Step>
static MIRAGE_INLINE void forEachRoot(const FieldVector &f, uint32_t *result,
                                      const Source &source, size_t words,
                                      Step &&step) {
  const uint32_t *operand = source.data;
  if (source.repeats) {
    Words root;
    stepRoots<1>(f, reinterpret_cast<uint32_t *>(&root), operand, kLanes, step);
    return forEachVector(words, [&](size_t first, size_t count)
                                    __attribute__((always_inline)) {
                                      store(result + first, root, count);
                                    });
  }
  size_t first = 0;
  for (; first + 4 * kLanes <= words; first += 4 * kLanes)
    stepRoots<4>(f, result + first, operand + first, 4 * kLanes, step);
  for (; first + 2 * kLanes <= words; first += 2 * kLanes)
    stepRoots<2>(f, result + first, operand + first, 2 * kLanes, step);
  for (; first < words; first += kLanes)
    stepRoots<1>(f, result + first, operand + first, words - first, step);
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
    forEachVector(
        inner, [&](size_t first, size_t words) __attribute__((always_inline)) {
          const uint32_t *from = operand + o * reduced * inner + first;
          Words total = Words{};
          for (size_t r = 0; r < reduced; ++r) {
            Words a;
            load(a, from + r * inner, words);
            Words largest = maximumOf(a, total);
            total = select(findSpecials(largest), largest, f.add(a, total));
          }
          store(result + o * inner + first, total, words);
        });
}

/// Whether a mask has any bit.
static MIRAGE_INLINE bool hasAny(const Words &mask) {
  WideWords halves = widen(mask);
  uint64_t any = 0;
  for (unsigned lane = 0; lane < kLanes / 2; ++lane)
    any |= halves[lane];
  return any != 0;
}

MIRAGE_KERNEL bool kernels::areSameValues(const uint32_t *lhs,
                                          const uint32_t *rhs, size_t count) {
  Words wrong = Words{};
  forEachVector(count,
                [&](size_t first, size_t words) __attribute__((always_inline)) {
                  Words a, b;
                  load(a, lhs + first, words);
                  load(b, rhs + first, words);
                  wrong = wrong | (a ^ b) | (a >= splat(kUndefined));
                });
  return !hasAny(wrong);
}

/// Whether any of some words is a special value.
static MIRAGE_INLINE bool hasSpecials(const uint32_t *words, size_t count) {
  Words largest = Words{};
  forEachVector(count,
                [&](size_t first, size_t count) __attribute__((always_inline)) {
                  Words a;
                  load(a, words + first, count);
                  largest = maximumOf(largest, a);
                });
  return hasAny(findSpecials(largest));
}

namespace {
/// Products of matrices with `lanes` words an element.
template <unsigned lanes>
class Multiplication {
public:
  MIRAGE_INLINE Multiplication(const FieldVector &f,
                               const MatrixProducts &products)
      : f(f), products(products), pitch(products.n * lanes),
        mayBeSpecial(hasSpecials(products.lhs.data(), products.lhs.size()) ||
                     hasSpecials(products.rhs.data(), products.rhs.size())) {}

  MIRAGE_INLINE void run() const {
    for (const MatrixProducts::Places &places : products.places)
      forEachVector(pitch, [&](size_t column, size_t count)
                               __attribute__((always_inline)) {
                                 size_t row = 0;
                                 for (; row + 4 <= products.m; row += 4)
                                   dotRows<4>(places, row, column, count);
                                 // Small tiles have two rows.
                                 for (; row + 2 <= products.m; row += 2)
                                   dotRows<2>(places, row, column, count);
                                 if (row < products.m)
                                   dotRows<1>(places, row, column, count);
                               });
  }

private:
  /// Row by row, one vector of results: k products of elements of the left
  /// factor with vectors of the right one. Rows go together so that the right
  /// factor, which may be large, is read once for all of them.
  /// \param column  the first of `count` words.
  template <unsigned numRows>
  MIRAGE_INLINE void dotRows(const MatrixProducts::Places &places, size_t row,
                             size_t column, size_t count) const {
    const uint32_t *left =
        products.lhs.data() + places.lhs + row * products.k * lanes;
    const uint32_t *right = products.rhs.data() + places.rhs + column;
    Products totals[numRows] = {};
    auto accumulate = [&](size_t i) __attribute__((always_inline)) {
      Words x, y;
      load(y, right + i * pitch, count);
      for (unsigned r = 0; r < numRows; ++r) {
        loadLeft(x, left, r, i);
        f.accumulate(totals[r], x, y);
      }
    };
    for (size_t i = 0; i + 1 < products.k; i += 2) {
      accumulate(i);
      accumulate(i + 1);
      if (i > 0)
        fold(totals);
    }
    if (products.k % 2 != 0) {
      accumulate(products.k - 1);
      fold(totals);
    }
    uint32_t *to = products.result + places.result + row * pitch + column;
    for (unsigned r = 0; r < numRows; ++r) {
      Words total = f.reduce(totals[r]);
      if (mayBeSpecial)
        spreadSpecials(total, left, right, r, count);
      store(to + r * pitch, total, count);
    }
  }

  template <size_t numRows>
  MIRAGE_INLINE void fold(Products (&totals)[numRows]) const {
    for (Products &total : totals)
      f.fold(total);
  }

  MIRAGE_INLINE void loadLeft(Words &x, const uint32_t *left, size_t row,
                              size_t i) const {
    if (lanes == 1)
      x = splat(left[row * products.k + i]);
    else
      load(x, left + (row * products.k + i) * lanes, kLanes);
  }

  MIRAGE_INLINE void spreadSpecials(Words &total, const uint32_t *left,
                                    const uint32_t *right, size_t row,
                                    size_t count) const {
    Words largest = Words{};
    for (size_t i = 0; i < products.k; ++i) {
      Words x, y;
      loadLeft(x, left, row, i);
      load(y, right + i * pitch, count);
      largest = maximumOf(largest, maximumOf(x, y));
    }
    total = select(findSpecials(largest), spreadSpecial(largest), total);
  }

  const FieldVector f;
  const MatrixProducts products;
  const size_t pitch; ///< words of a row of the right factor and the result
  const bool mayBeSpecial;
};
} // namespace

MIRAGE_KERNEL void kernels::matmul(const PrimeField &field,
                                   const MatrixProducts &products,
                                   unsigned lanes) {
  assert((lanes == 1 || lanes == kLanes) && "no such number of trials");
  FieldVector f = FieldVector::of(field);
  if (lanes == 1)
    Multiplication<1>(f, products).run();
  else
    Multiplication<kLanes>(f, products).run();
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
      if (t % 2 != 0 && t > 1)
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
