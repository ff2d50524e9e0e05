//===- FieldVector.h - Sixteen field elements at once -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What the kernels are made of. Everything is inlined into a kernel and
// compiled with the instruction set that the kernel is compiled for; that is
// why vectors are passed by reference.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_ALGEBRA_FIELDVECTOR_H
#define MIRAGE_LIB_ALGEBRA_FIELDVECTOR_H

#include "Mirage/Algebra/FieldKernels.h"
#include "Mirage/Algebra/InstructionSets.h"
#include <cstring>

#define MIRAGE_INLINE inline __attribute__((always_inline))

namespace mlir::mirage::kernels {

/// A vector in a struct: a bare one may not be returned by functions that are
/// compiled for another instruction set than their caller. It is an aggregate,
/// as clang 22 does not emit constructors that only function clones call.
template <typename Element>
struct Vector {
  using Raw = Element __attribute__((vector_size(64)));
  Raw raw;

  MIRAGE_INLINE Element operator[](unsigned lane) const { return raw[lane]; }
  MIRAGE_INLINE void set(unsigned lane, Element value) { raw[lane] = value; }

  // Comparisons give all bits where they hold.
  MIRAGE_INLINE Vector operator==(Vector b) const {
    return {(Raw)(raw == b.raw)};
  }
  MIRAGE_INLINE Vector operator!=(Vector b) const {
    return {(Raw)(raw != b.raw)};
  }
  MIRAGE_INLINE Vector operator>(Vector b) const {
    return {(Raw)(raw > b.raw)};
  }
  MIRAGE_INLINE Vector operator>=(Vector b) const {
    return {(Raw)(raw >= b.raw)};
  }
  MIRAGE_INLINE Vector operator+(Vector b) const { return {raw + b.raw}; }
  MIRAGE_INLINE Vector operator-(Vector b) const { return {raw - b.raw}; }
  MIRAGE_INLINE Vector operator*(Vector b) const { return {raw * b.raw}; }
  MIRAGE_INLINE Vector operator&(Vector b) const { return {raw & b.raw}; }
  MIRAGE_INLINE Vector operator|(Vector b) const { return {raw | b.raw}; }
  MIRAGE_INLINE Vector operator^(Vector b) const { return {raw ^ b.raw}; }
  MIRAGE_INLINE Vector operator~() const { return {~raw}; }
  MIRAGE_INLINE Vector operator<<(int n) const { return {raw << n}; }
  MIRAGE_INLINE Vector operator>>(int n) const { return {raw >> n}; }
};
using Words = Vector<uint32_t>;
using WideWords = Vector<uint64_t>;

/// Products of the even and of the odd lanes.
struct Products {
  WideWords even, odd;
};

MIRAGE_INLINE Words splat(uint32_t value) { return {Words::Raw{} + value}; }
MIRAGE_INLINE WideWords splatWide(uint64_t value) {
  return {WideWords::Raw{} + value};
}
MIRAGE_INLINE Words narrow(const WideWords &a) { return {(Words::Raw)a.raw}; }
MIRAGE_INLINE WideWords widen(const Words &a) {
  return {(WideWords::Raw)a.raw};
}

MIRAGE_INLINE void load(Words &vector, const uint32_t *from, size_t count) {
  if (count >= kLanes) {
    std::memcpy(&vector, from, sizeof(Words));
    return;
  }
  vector = Words{};
  std::memcpy(&vector, from, count * sizeof(uint32_t));
}

MIRAGE_INLINE void store(uint32_t *to, const Words &vector, size_t count) {
  if (count >= kLanes)
    std::memcpy(to, &vector, sizeof(Words));
  else
    std::memcpy(to, &vector, count * sizeof(uint32_t));
}

/// The lanes of each two neighbouring groups of so many change places.
template <unsigned size>
MIRAGE_INLINE Words swapGroups(const Words &a) {
  return {__builtin_shufflevector(
      a.raw, a.raw, 0 ^ size, 1 ^ size, 2 ^ size, 3 ^ size, 4 ^ size, 5 ^ size,
      6 ^ size, 7 ^ size, 8 ^ size, 9 ^ size, 10 ^ size, 11 ^ size, 12 ^ size,
      13 ^ size, 14 ^ size, 15 ^ size)};
}

/// lhs where mask, else rhs.
MIRAGE_INLINE Words select(const Words &mask, const Words &lhs,
                           const Words &rhs) {
  return (mask & lhs) | (~mask & rhs);
}
MIRAGE_INLINE Words minimumOf(const Words &lhs, const Words &rhs) {
  return {lhs.raw < rhs.raw ? lhs.raw : rhs.raw};
}
MIRAGE_INLINE Words maximumOf(const Words &lhs, const Words &rhs) {
  return {lhs.raw > rhs.raw ? lhs.raw : rhs.raw};
}
/// a mod bound, of a < 2·bound < 2^64. Where that is a itself, the difference
/// has a sign, by which AVX2 selects: it has no minimum of 64 bits.
MIRAGE_INLINE WideWords subtractOnce(const WideWords &a,
                                     const WideWords &bound) {
  using Signed = int64_t __attribute__((vector_size(64)));
  WideWords difference = a - bound;
  return {(Signed)difference.raw < 0 ? a.raw : difference.raw};
}
MIRAGE_INLINE Words findSpecials(const Words &words) {
  return words >= splat(kMinusInfinity);
}

MIRAGE_INLINE Products multiplyWide(const Words &lhs, const Words &rhs) {
  const WideWords low = splatWide(0xFFFFFFFFu);
  WideWords a = widen(lhs), b = widen(rhs);
  return {(a & low) * (b & low), (a >> 32) * (b >> 32)};
}

/// Montgomery arithmetic modulo one prime, on 16 elements.
struct FieldVector {
  uint32_t prime, negativeInverse, one;

  MIRAGE_INLINE static FieldVector of(const PrimeField &field) {
    return {field.getPrime(), field.getNegativeInverse(), field.getOne()};
  }

  MIRAGE_INLINE Words reduceOnce(const Words &a) const {
    return minimumOf(a, a - splat(prime));
  }
  MIRAGE_INLINE Words add(const Words &a, const Words &b) const {
    return reduceOnce(a + b);
  }
  /// t·2^-32 mod p of numbers below p·2^32.
  MIRAGE_INLINE Words reduce(const Products &t) const {
    const WideWords low = splatWide(0xFFFFFFFFu);
    // Even and odd lanes together: products of 32 bits are cheaper than those
    // of 64 that this would become.
    Words lows = narrow((t.even & low) | (t.odd << 32));
    Products multiple =
        multiplyWide(lows * splat(negativeInverse), splat(prime));
    WideWords even = t.even + multiple.even, odd = t.odd + multiple.odd;
    return reduceOnce(narrow((even >> 32) | (odd & ~low)));
  }
  MIRAGE_INLINE Words mul(const Words &a, const Words &b) const {
    return reduce(multiplyWide(a, b));
  }
  /// Powers of several vectors, whose products overlap in time.
  template <unsigned count>
  MIRAGE_INLINE void pow(Words (&a)[count], uint32_t exponent) const {
    Words results[count];
    for (Words &result : results)
      result = splat(one);
    for (; exponent != 0; exponent >>= 1) {
      if (exponent & 1)
        for (unsigned i = 0; i < count; ++i)
          results[i] = mul(results[i], a[i]);
      for (Words &square : a)
        square = mul(square, square);
    }
    std::memcpy(a, results, sizeof(results));
  }
  /// Adds a product to a sum, which is to be folded after the first four of
  /// them and then after two.
  MIRAGE_INLINE void accumulate(Products &sum, const Words &a,
                                const Words &b) const {
    Products product = multiplyWide(a, b);
    sum.even = sum.even + product.even;
    sum.odd = sum.odd + product.odd;
  }
  /// Keeps a sum below p·2^32. One subtraction is enough for what was below it
  /// before two products were added: as p < 2^31, these are below it, too, and
  /// so is what the first two make.
  MIRAGE_INLINE void fold(Products &sum) const {
    WideWords bound = splatWide(uint64_t(prime) << 32);
    sum.even = subtractOnce(sum.even, bound);
    sum.odd = subtractOnce(sum.odd, bound);
  }
};

/// Sixteen permutations applied to the words high:low.
MIRAGE_INLINE void permute(const KeyedPermutation &permutation, Words &high,
                           Words &low) {
  for (unsigned round = 0; round < KeyedPermutation::kRounds; ++round) {
    Words key;
    std::memcpy(&key, permutation.roundKeys[round], sizeof(Words));
    high = ((high >> 8 | high << 24) + low) ^ key;
    low = (low << 3 | low >> 29) ^ high;
  }
}

/// The permutation of one lane applied to sixteen words high:low.
MIRAGE_INLINE void permute(const KeyedPermutation &permutation, unsigned lane,
                           Words &high, Words &low) {
  for (unsigned round = 0; round < KeyedPermutation::kRounds; ++round) {
    high = ((high >> 8 | high << 24) + low) ^
           splat(permutation.roundKeys[round][lane]);
    low = (low << 3 | low >> 29) ^ high;
  }
}

/// Calls `visit(first, count)` for every vector of so many words. The count is
/// a constant 16 but for what is left in the end, so that whole vectors stay in
/// registers.
template <typename Visit>
MIRAGE_INLINE void forEachVector(size_t words, Visit &&visit) {
  size_t first = 0;
  for (; first + kLanes <= words; first += kLanes)
    visit(first, kLanes);
  if (first < words)
    visit(first, words - first);
}

/// Calls `step(result, a, b)` for every vector of two operands.
template <typename Step>
MIRAGE_INLINE void forEachVector(uint32_t *result, const Source &lhs,
                                 const Source &rhs, size_t words, Step &&step) {
  // A source that repeats has a whole vector.
  auto get = [](Words &vector, const Source &source, size_t first, size_t count)
                 __attribute__((always_inline)) {
                   size_t repeated = source.repeats ? 0 : ~size_t(0);
                   load(vector, source.data + (first & repeated),
                        count == kLanes || source.repeats ? kLanes : count);
                 };
  forEachVector(words,
                [&](size_t first, size_t count) __attribute__((always_inline)) {
                  Words a, b, r;
                  get(a, lhs, first, count);
                  get(b, rhs, first, count);
                  step(r, a, b);
                  store(result + first, r, count);
                });
}

} // namespace mlir::mirage::kernels

#endif // MIRAGE_LIB_ALGEBRA_FIELDVECTOR_H
