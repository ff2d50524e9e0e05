//===- HostKernels.cpp - Inner loops worth compiling for newer hosts ------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostKernels.h"

#include "LaneLoop.h"
#include "Numbers.h"

#include <cstring>

using namespace mlir::mirage::emulator;

#if defined(__x86_64__) && defined(__linux__) && defined(__has_attribute)
#if __has_attribute(target_clones)
#define MIRAGE_FOR_HOSTS                                                       \
  __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#endif
#endif
#ifndef MIRAGE_FOR_HOSTS
#define MIRAGE_FOR_HOSTS
#endif

static constexpr unsigned kLanes = 32;

/// Addresses are base + displacement, and are written down if `addresses` is
/// not null.
template <typename Base>
[[gnu::always_inline]] static inline host::AddressSpan
spanLanes(uint64_t *addresses, const Base *base, uint64_t displacement,
          uint32_t lanes, uint64_t stride) {
  const uint64_t first = Base(base[__builtin_ctz(lanes)] + displacement),
                 start = Base(base[0] + displacement);
  uint64_t low = first, high = first, bits = 0, gaps = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const uint64_t own = Base(base[lane] + displacement);
    uint64_t address = lanes >> lane & 1 ? own : first;
    low = address < low ? address : low;
    high = address > high ? address : high;
    bits |= address;
    gaps |= own ^ (start + lane * stride);
    if (addresses)
      addresses[lane] = own;
  }
  return {low, high, bits, gaps == 0 && lanes == ~0u};
}

/// Of all lanes side by side, which nearly all accesses are, nothing else need
/// be found out.
template <typename Base>
[[gnu::always_inline]] static inline host::AddressSpan
locateLanes(uint64_t *addresses, const Base *base, uint64_t displacement,
            uint32_t lanes, uint64_t stride) {
  if (lanes != ~0u)
    return spanLanes(addresses, base, displacement, lanes, stride);
  const uint64_t start = Base(base[0] + displacement);
  uint64_t bits = 0, gaps = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const uint64_t address = Base(base[lane] + displacement);
    bits |= address;
    gaps |= address ^ (start + lane * stride);
    addresses[lane] = address;
  }
  if (gaps == 0)
    return {start, start + (kLanes - 1) * stride, bits, true};
  return spanLanes(nullptr, addresses, 0, lanes, stride);
}

MIRAGE_FOR_HOSTS
host::AddressSpan host::findSpan(const uint64_t *addresses, uint32_t lanes,
                                 uint64_t stride) {
  return spanLanes(nullptr, addresses, 0, lanes, stride);
}

MIRAGE_FOR_HOSTS
host::AddressSpan host::locate(uint64_t *addresses, const uint32_t *base,
                               uint64_t displacement, uint32_t lanes,
                               uint64_t stride) {
  return locateLanes(addresses, base, displacement, lanes, stride);
}

MIRAGE_FOR_HOSTS
host::AddressSpan host::locate(uint64_t *addresses, const uint64_t *base,
                               uint64_t displacement, uint32_t lanes,
                               uint64_t stride) {
  return locateLanes(addresses, base, displacement, lanes, stride);
}

MIRAGE_FOR_HOSTS
void host::addDisplacement(uint64_t *addresses, const uint32_t *base,
                           uint64_t displacement) {
  for (unsigned lane = 0; lane < kLanes; ++lane)
    addresses[lane] = base[lane] + uint32_t(displacement);
}

MIRAGE_FOR_HOSTS
void host::addDisplacement(uint64_t *addresses, const uint64_t *base,
                           uint64_t displacement) {
  for (unsigned lane = 0; lane < kLanes; ++lane)
    addresses[lane] = base[lane] + displacement;
}

MIRAGE_FOR_HOSTS
bool host::updateOffsets(uint32_t *offsets, const uint64_t *addresses,
                         uint32_t lanes) {
  const uint64_t first = addresses[__builtin_ctz(lanes)];
  uint32_t differences = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    uint32_t offset = lanes >> lane & 1 ? uint32_t(addresses[lane] - first) : 0;
    differences |= offset ^ offsets[lane];
    offsets[lane] = offset;
  }
  return differences == 0;
}

/// Arrays of this size are what the compiler takes apart by permutes.
template <unsigned count>
struct Words {
  uint32_t words[kLanes][count];
};

template <unsigned count>
[[gnu::always_inline]] static inline void splitWords(uint32_t *const *registers,
                                                     const uint8_t *memory) {
  Words<count> vectors;
  std::memcpy(&vectors, memory, sizeof(vectors));
  for (unsigned i = 0; i < count; ++i)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      registers[i][lane] = vectors.words[lane][i];
}

template <unsigned count>
[[gnu::always_inline]] static inline void
joinWords(uint8_t *memory, const uint32_t *const *registers) {
  Words<count> vectors;
  for (unsigned i = 0; i < count; ++i)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      vectors.words[lane][i] = registers[i][lane];
  std::memcpy(memory, &vectors, sizeof(vectors));
}

MIRAGE_FOR_HOSTS
void host::splitVectors(uint32_t *const *registers, const uint8_t *memory,
                        unsigned count) {
  count == 2 ? splitWords<2>(registers, memory)
             : splitWords<4>(registers, memory);
}

MIRAGE_FOR_HOSTS
void host::joinVectors(uint8_t *memory, const uint32_t *const *registers,
                       unsigned count) {
  count == 2 ? joinWords<2>(memory, registers)
             : joinWords<4>(memory, registers);
}

namespace {
/// So many floats, added and multiplied together: the compiler keeps arrays of
/// these in registers, where it gives up on arrays of floats.
template <unsigned width>
struct Vector {
  typedef float Type __attribute__((vector_size(width * sizeof(float))));
};
} // namespace

/// Of `multiplyRows`, some rows and columns, whose sums stay in registers: 12
/// of the 16 that AVX2 has.
template <unsigned rows, unsigned width>
[[gnu::always_inline]] static inline void
multiplyBlock(float *d, const float *a, const float *b, size_t columns,
              size_t depth) {
  using Floats = typename Vector<width>::Type;
  Floats sum[rows];
  for (size_t row = 0; row < rows; ++row)
    std::memcpy(&sum[row], d + row * columns, sizeof(Floats));
  for (size_t i = 0; i < depth; ++i) {
    Floats right;
    std::memcpy(&right, b + i * columns, sizeof(Floats));
    for (unsigned row = 0; row < rows; ++row)
      sum[row] = __builtin_elementwise_fma(a[row * depth + i] - Floats{}, right,
                                           sum[row]);
  }
  for (unsigned row = 0; row < rows; ++row)
    std::memcpy(d + row * columns, &sum[row], sizeof(Floats));
}

/// All rows of some columns: six at a time until a multiple of 4 is left.
template <unsigned width>
[[gnu::always_inline]] static inline void
multiplyColumns(float *d, const float *a, const float *b, unsigned rows,
                unsigned columns, unsigned depth) {
  unsigned row = 0;
  for (; rows - row >= 6 && rows - row != 8; row += 6)
    multiplyBlock<6, width>(d + row * columns, a + row * depth, b, columns,
                            depth);
  for (; row < rows; row += 4)
    multiplyBlock<4, width>(d + row * columns, a + row * depth, b, columns,
                            depth);
}

MIRAGE_FOR_HOSTS
void host::multiplyRows(float *d, const float *a, const float *b, unsigned rows,
                        unsigned columns, unsigned depth) {
  constexpr unsigned wide = 16, narrow = 8;
  unsigned col = 0;
  for (; col + wide <= columns; col += wide)
    multiplyColumns<wide>(d + col, a, b + col, rows, columns, depth);
  for (; col < columns; col += narrow)
    multiplyColumns<narrow>(d + col, a, b + col, rows, columns, depth);
}

namespace {
constexpr unsigned kRow = 8; ///< elements of a row of an 8x8 matrix
typedef Vector<kRow>::Type Row;
} // namespace

/// The first halves of two rows, or the second, in turn.
template <typename Row>
[[gnu::always_inline]] static inline Row mixLow(Row a, Row b) {
  return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}
template <typename Row>
[[gnu::always_inline]] static inline Row mixHigh(Row a, Row b) {
  return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

/// Interleaves the first four rows with the last four, three times.
template <typename Row>
[[gnu::always_inline]] static inline void transposeRows(Row (&rows)[kRow]) {
  for (unsigned turn = 0; turn < 3; ++turn) {
    Row mixed[kRow];
    for (unsigned i = 0; i < kRow / 2; ++i) {
      mixed[2 * i] = mixLow(rows[i], rows[i + kRow / 2]);
      mixed[2 * i + 1] = mixHigh(rows[i], rows[i + kRow / 2]);
    }
    std::memcpy(rows, mixed, sizeof(rows));
  }
}

/// Two registers of a 32-bit accumulator hold the columns of 8x8 sums in turn.
[[gnu::always_inline]] static inline void
readSums(float *rows, size_t stride, const float *even, const float *odd) {
  for (unsigned i = 0; i < kRow / 2; ++i) {
    Row first, second;
    std::memcpy(&first, even + i * kRow, sizeof(Row));
    std::memcpy(&second, odd + i * kRow, sizeof(Row));
    Row low = mixLow(first, second), high = mixHigh(first, second);
    std::memcpy(rows + 2 * i * stride, &low, sizeof(Row));
    std::memcpy(rows + (2 * i + 1) * stride, &high, sizeof(Row));
  }
}
[[gnu::always_inline]] static inline void
writeSums(float *even, float *odd, const float *rows, size_t stride) {
  for (unsigned i = 0; i < kRow / 2; ++i) {
    Row a, b;
    std::memcpy(&a, rows + 2 * i * stride, sizeof(Row));
    std::memcpy(&b, rows + (2 * i + 1) * stride, sizeof(Row));
    Row first = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
    Row second = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
    std::memcpy(even + i * kRow, &first, sizeof(Row));
    std::memcpy(odd + i * kRow, &second, sizeof(Row));
  }
}

MIRAGE_FOR_HOSTS
void host::loadSums(float *rows, size_t stride, const float *even,
                    const float *odd) {
  readSums(rows, stride, even, odd);
}
MIRAGE_FOR_HOSTS
void host::storeSums(float *even, float *odd, const float *rows,
                     size_t stride) {
  writeSums(even, odd, rows, stride);
}

MIRAGE_FOR_HOSTS
void host::makeCanonical(float *values, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    values[i] = canonical(values[i]);
}

MIRAGE_FOR_HOSTS
void host::narrowHalves(uint16_t *result, const float *source, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    result[i] = floatToHalf(source[i]);
}

template <unsigned halves>
[[gnu::always_inline]] static inline void
multiplyHalves(float *const (&d)[4], const float *a, const float *b,
               const float *const (&c)[4]) {
  Row right[halves][kRow];
  std::memcpy(right, b, sizeof(right));
  for (Row(&rows)[kRow] : right)
    transposeRows(rows);
  for (unsigned part = 0; part < 2; ++part) {
    alignas(64) float block[kRow * kRow];
    readSums(block, kRow, c[2 * part], c[2 * part + 1]);
    Row sums[kRow];
    std::memcpy(sums, block, sizeof(sums));
    for (unsigned half = 0; half < halves; ++half) {
      const float *left = a + (2 * half + part) * kRow * kRow;
      for (unsigned i = 0; i < kRow; ++i)
        for (unsigned row = 0; row < kRow; ++row)
          sums[row] = __builtin_elementwise_fma(left[row * kRow + i] - Row{},
                                                right[half][i], sums[row]);
    }
    std::memcpy(block, sums, sizeof(sums));
    for (float &sum : block)
      sum = canonical(sum);
    writeSums(d[2 * part], d[2 * part + 1], block, kRow);
  }
}

MIRAGE_FOR_HOSTS
void host::multiplyFragments(float *const (&d)[4], const float *a,
                             const float *b, const float *const (&c)[4],
                             unsigned halves) {
  halves == 1 ? multiplyHalves<1>(d, a, b, c) : multiplyHalves<2>(d, a, b, c);
}

MIRAGE_FOR_HOSTS
void host::transpose(float *to, const float *from, unsigned rows,
                     unsigned columns) {
  for (unsigned col = 0; col < columns; ++col)
    for (unsigned row = 0; row < rows; ++row)
      to[col * rows + row] = from[row * columns + col];
}

MIRAGE_FOR_HOSTS
void host::transposeMatrix(uint16_t *to, const uint16_t *from) {
  typedef uint16_t HalfRow __attribute__((vector_size(kRow * 2)));
  HalfRow rows[kRow];
  std::memcpy(rows, from, sizeof(rows));
  transposeRows(rows);
  std::memcpy(to, rows, sizeof(rows));
}

MIRAGE_FOR_HOSTS
void host::roundToHalves(float *values, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    values[i] = halfToFloat(floatToHalf(values[i]));
}

MIRAGE_FOR_HOSTS
void host::fusedMultiplyAdd(float *result, const float *a, const float *b,
                            const float *c, unsigned count) {
  MIRAGE_LANE_LOOP
  for (unsigned i = 0; i < count; ++i)
    result[i] = canonical(__builtin_fmaf(a[i], b[i], c[i]));
}

MIRAGE_FOR_HOSTS
void host::widenHalves(float *result, const uint16_t *source, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    result[i] = halfToFloat(source[i]);
}

MIRAGE_FOR_HOSTS
void host::widenBfloats(float *result, const uint16_t *source, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    result[i] = bfloatToFloat(source[i]);
}

/// By way of arrays of their own: sources that `result` may be keep the
/// compiler from taking lanes together.
template <uint16_t (*narrow)(float)>
[[gnu::always_inline]] static inline void
packPairs(uint32_t *result, const float *upper, const float *lower) {
  uint32_t pairs[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane)
    pairs[lane] = uint32_t(narrow(upper[lane])) << 16 | narrow(lower[lane]);
  std::memcpy(result, pairs, sizeof(pairs));
}

MIRAGE_FOR_HOSTS
void host::packHalves(uint32_t *result, const float *upper,
                      const float *lower) {
  packPairs<floatToHalf>(result, upper, lower);
}
MIRAGE_FOR_HOSTS
void host::packBfloats(uint32_t *result, const float *upper,
                       const float *lower) {
  packPairs<floatToBfloat>(result, upper, lower);
}

/// 2^x = 2^n · 2^f with n the nearest integer; 2^f for |f| <= 1/2 by its Taylor
/// series in f64, whose rest after ten terms is below 2^-34.
MIRAGE_FOR_HOSTS
void host::exp2Lanes(float *result, const float *source) {
  MIRAGE_LANE_LOOP
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    float x = source[lane];
    // Beyond these bounds the result is infinite or zero anyway.
    float bounded = x < -200.0f ? -200.0f : x > 200.0f ? 200.0f : x;
    bounded = x != x ? 0.0f : bounded;
    double wide = bounded;
    constexpr double shift = 0x1.8p52; // adding it rounds to an integer
    double shifted = wide + shift;
    double n = shifted - shift, t = (wide - n) * 0x1.62e42fefa39efp-1;
    // Neighbouring terms together, then pairs of them: the sum is as long as it
    // is deep (Estrin).
    auto linear = [t](double a, double b) { return __builtin_fma(b, t, a); };
    double t2 = t * t, t4 = t2 * t2;
    double low = __builtin_fma(linear(0.5, 1.0 / 6), t2, linear(1.0, 1.0));
    double middle = __builtin_fma(linear(1.0 / 720, 1.0 / 5040), t2,
                                  linear(1.0 / 24, 1.0 / 120));
    double high = linear(1.0 / 40320, 1.0 / 362880);
    double p = __builtin_fma(__builtin_fma(high, t4, middle), t4, low);
    // The low bits of `shifted` are n; they go into the exponent.
    uint64_t scale = (asBits(shifted) + 1023) << 52;
    float value = static_cast<float>(p * asDouble(scale));
    result[lane] = x != x ? asFloat(nanF32) : value;
  }
}
