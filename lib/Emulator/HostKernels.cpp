//===- HostKernels.cpp - Inner loops worth compiling for newer hosts ------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostKernels.h"

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

MIRAGE_FOR_HOSTS
void host::multiplyTile(float *d, const float *a, const float *b, unsigned k) {
  for (unsigned row = 0; row < 16; ++row) {
    float sum[8];
    for (unsigned col = 0; col < 8; ++col)
      sum[col] = d[row * 8 + col];
    for (unsigned i = 0; i < k; ++i)
      for (unsigned col = 0; col < 8; ++col)
        sum[col] += a[row * k + i] * b[i * 8 + col];
    for (unsigned col = 0; col < 8; ++col)
      d[row * 8 + col] = sum[col];
  }
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
multiplyBlock(float *d, const float *a, const float *b, unsigned columns,
              unsigned depth) {
  using Floats = typename Vector<width>::Type;
  Floats sum[rows];
  for (unsigned row = 0; row < rows; ++row)
    std::memcpy(&sum[row], d + row * columns, sizeof(Floats));
  for (unsigned i = 0; i < depth; ++i) {
    Floats right;
    std::memcpy(&right, b + i * columns, sizeof(Floats));
    for (unsigned row = 0; row < rows; ++row)
      sum[row] = __builtin_elementwise_fma(a[row * depth + i] - Floats{}, right,
                                           sum[row]);
  }
  for (unsigned row = 0; row < rows; ++row)
    std::memcpy(d + row * columns, &sum[row], sizeof(Floats));
}

/// All rows of some columns.
template <unsigned width>
[[gnu::always_inline]] static inline void
multiplyColumns(float *d, const float *a, const float *b, unsigned rows,
                unsigned columns, unsigned depth) {
  unsigned row = 0;
  for (; row + 6 <= rows; row += 6)
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

MIRAGE_FOR_HOSTS
void host::transpose(float *to, const float *from, unsigned rows,
                     unsigned columns) {
  for (unsigned col = 0; col < columns; ++col)
    for (unsigned row = 0; row < rows; ++row)
      to[col * rows + row] = from[row * columns + col];
}

MIRAGE_FOR_HOSTS
void host::roundToHalves(float *values, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    values[i] = halfToFloat(floatToHalf(values[i]));
}

MIRAGE_FOR_HOSTS
void host::fusedMultiplyAdd(float *result, const float *a, const float *b,
                            const float *c, unsigned count) {
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

/// 2^x = 2^n · 2^f with n the nearest integer; 2^f for |f| <= 1/2 by its Taylor
/// series in f64, whose rest after ten terms is below 2^-34.
MIRAGE_FOR_HOSTS
void host::exp2Lanes(float *result, const float *source) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    float x = source[lane];
    // Beyond these bounds the result is infinite or zero anyway.
    float bounded = x < -200.0f ? -200.0f : x > 200.0f ? 200.0f : x;
    bounded = x != x ? 0.0f : bounded;
    double wide = bounded;
    constexpr double shift = 0x1.8p52; // adding it rounds to an integer
    double shifted = wide + shift;
    double n = shifted - shift, t = (wide - n) * 0x1.62e42fefa39efp-1;
    double p = 1.0 / 362880;
    p = p * t + 1.0 / 40320;
    p = p * t + 1.0 / 5040;
    p = p * t + 1.0 / 720;
    p = p * t + 1.0 / 120;
    p = p * t + 1.0 / 24;
    p = p * t + 1.0 / 6;
    p = p * t + 0.5;
    p = p * t + 1.0;
    p = p * t + 1.0;
    // The low bits of `shifted` are n; they go into the exponent.
    uint64_t scale = (asBits(shifted) + 1023) << 52;
    float value = static_cast<float>(p * asDouble(scale));
    result[lane] = x != x ? asFloat(nanF32) : value;
  }
}
