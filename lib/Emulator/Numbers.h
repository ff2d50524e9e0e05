//===- Numbers.h - Arithmetic of PTX number formats -------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_EMULATOR_NUMBERS_H
#define MIRAGE_LIB_EMULATOR_NUMBERS_H

#include "llvm/ADT/bit.h"

#include <cmath>
#include <cstdint>
#include <limits>

/// What PTX arithmetic means, on single values. Everything that warps do a lot
/// is written without branches, so that the host compiler turns a loop over 32
/// lanes into vector code. Sections are those of the PTX ISA 9.0.
namespace mlir::mirage::emulator {

inline float asFloat(uint32_t bits) { return llvm::bit_cast<float>(bits); }
inline uint32_t asBits(float value) { return llvm::bit_cast<uint32_t>(value); }
inline double asDouble(uint64_t bits) { return llvm::bit_cast<double>(bits); }
inline uint64_t asBits(double value) { return llvm::bit_cast<uint64_t>(value); }

constexpr uint32_t nanF32 = 0x7fffffff;
constexpr uint16_t nan16 = 0x7fff; ///< of f16 and bf16

/// PTX gives one NaN, whatever went in.
inline float canonical(float value) {
  return asFloat(value != value ? nanF32 : asBits(value));
}
inline double canonical(double value) {
  return value != value ? asDouble(0x7fffffffffffffffull) : value;
}

/// `.ftz`: subnormals become zeros of the same sign.
inline float flush(float value) {
  uint32_t bits = asBits(value);
  return asFloat((bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits);
}

/// `.sat`: to [0, 1], NaN to 0.
inline float saturate(float value) {
  float low = value > 0.0f ? value : 0.0f;
  return low < 1.0f ? low : 1.0f;
}

//===----------------------------------------------------------------------===//
// f16 and bf16
//===----------------------------------------------------------------------===//

/// Exact; a NaN keeps being one.
inline float halfToFloat(uint16_t half) {
  uint32_t magnitude = uint32_t(half & 0x7fff) << 13;
  // The f32 with the same exponent bits is 2^112 times too small; this is right
  // for subnormals too.
  float scaled = asFloat(magnitude) * 0x1p112f;
  uint32_t bits =
      magnitude >= (0x7c00u << 13) ? magnitude | 0x7f800000 : asBits(scaled);
  return asFloat(bits | uint32_t(half & 0x8000) << 16);
}

/// To nearest, ties to even; NaN becomes 0x7fff.
inline uint16_t floatToHalf(float value) {
  uint32_t bits = asBits(value), magnitude = bits & 0x7fffffff;
  uint32_t sign = (bits >> 16) & 0x8000;
  // Below 2^-14 the sum with 0.5 has its last bit at 2^-24, that of subnormals.
  uint32_t small = asBits(asFloat(magnitude) + 0.5f) - 0x3f000000;
  uint32_t normal =
      (magnitude + 0xfff + ((magnitude >> 13) & 1) - (112u << 23)) >> 13;
  uint32_t result = magnitude < 0x38800000 ? small : normal;
  result = magnitude >= 0x477ff000 ? 0x7c00 : result;
  return magnitude > 0x7f800000 ? nan16 : uint16_t(result | sign);
}

inline float bfloatToFloat(uint16_t bfloat) {
  return asFloat(uint32_t(bfloat) << 16);
}

/// To nearest, ties to even; NaN becomes 0x7fff.
inline uint16_t floatToBfloat(float value) {
  uint32_t bits = asBits(value);
  uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return (bits & 0x7fffffff) > 0x7f800000 ? nan16 : uint16_t(rounded);
}

/// a + b in f64 with the last bit made odd where the sum is not exact ("round
/// to odd"). Rounding that once more, to a format with at least two bits less,
/// is as if the exact sum had been rounded (Boldo and Melquiond, 2008).
inline double addRoundToOdd(double a, double b) {
  double sum = a + b;
  double bPart = sum - a, aPart = sum - bPart;
  double error = (a - aPart) + (b - bPart);
  uint64_t bits = asBits(sum);
  bool isFinite = (bits & 0x7ff0000000000000ull) != 0x7ff0000000000000ull;
  bool mustChange = error != 0 && (bits & 1) == 0 && isFinite;
  // Towards the error: away from zero if it has the sum's sign.
  bool grows = (error > 0) == (sum > 0);
  uint64_t changed = grows ? bits + 1 : bits - 1;
  return asDouble(mustChange ? changed : bits);
}

/// f64 to f32 by truncation with the last bit made odd where bits are lost, so
/// that a second rounding (to f16, bf16) does not round twice.
inline float toFloatRoundToOdd(double value) {
  float nearest = static_cast<float>(value);
  uint32_t bits = asBits(nearest);
  double back = nearest;
  bool isExact = back == value || value != value;
  // One step back towards zero if it was rounded up in magnitude.
  bool tooLarge = std::fabs(back) > std::fabs(value);
  uint32_t truncated = tooLarge ? bits - 1 : bits;
  return asFloat(isExact ? bits : truncated | 1);
}

/// a * b + c of two f16 (or bf16) products, rounded once to f32 in such a way
/// that rounding to 16 bits gives the exact result's rounding.
inline float fusedForRounding(float a, float b, float c) {
  return toFloatRoundToOdd(addRoundToOdd(double(a) * double(b), double(c)));
}

/// a * b + c of f32, rounded once (9.7.3, fma.rn).
inline float fusedMultiplyAdd(float a, float b, float c) {
#ifdef __FMA__
  return __builtin_fmaf(a, b, c);
#else
  return static_cast<float>(addRoundToOdd(double(a) * double(b), double(c)));
#endif
}

//===----------------------------------------------------------------------===//
// min and max: -0 < +0, a NaN loses unless `.NaN` is said
//===----------------------------------------------------------------------===//

template <bool propagatesNaN>
inline float minimum(float a, float b) {
  uint32_t both = asBits(a) | asBits(b);
  float smaller = a < b ? a : b;
  smaller = a == b ? (a == 0 ? asFloat(both) : a) : smaller;
  bool aIsNaN = a != a, bIsNaN = b != b;
  if (propagatesNaN)
    return asFloat(aIsNaN || bIsNaN ? nanF32 : asBits(smaller));
  return canonical(aIsNaN ? b : bIsNaN ? a : smaller);
}

template <bool propagatesNaN>
inline float maximum(float a, float b) {
  uint32_t both = asBits(a) & asBits(b);
  float larger = a > b ? a : b;
  larger = a == b ? (a == 0 ? asFloat(both) : a) : larger;
  bool aIsNaN = a != a, bIsNaN = b != b;
  if (propagatesNaN)
    return asFloat(aIsNaN || bIsNaN ? nanF32 : asBits(larger));
  return canonical(aIsNaN ? b : bIsNaN ? a : larger);
}

//===----------------------------------------------------------------------===//
// Rounding in all directions, for conversions
//===----------------------------------------------------------------------===//

enum class Rounding : uint8_t {
  NearestEven, ///< rn, rni
  Zero,        ///< rz, rzi
  Down,        ///< rm, rmi
  Up,          ///< rp, rpi
  NearestAway, ///< rna
};

/// A binary format narrower than f64.
struct FloatFormat {
  unsigned significandBits; ///< the hidden one included
  int minExponent;          ///< of the smallest normal number
  double largest;
  bool hasInfinity;
};
constexpr FloatFormat formatF16 = {11, -14, 65504.0, true};
constexpr FloatFormat formatBF16 = {8, -126, 0x1.fep127, true};
constexpr FloatFormat formatTF32 = {11, -126, 0x1.ffcp127, true};
constexpr FloatFormat formatF32 = {24, -126, 0x1.fffffep127, true};
constexpr FloatFormat formatE4M3 = {4, -6, 448.0, false};
constexpr FloatFormat formatE5M2 = {3, -14, 57344.0, true};

/// To an integer, as a floating-point value.
double roundToInteger(double value, Rounding rounding);

/// The nearest value of a format in a direction. Overflow gives an infinity or,
/// where the direction says so, `saturates` or there is none, the largest.
double roundToFormat(double value, const FloatFormat &format, Rounding rounding,
                     bool saturates = false);

/// Values of 8-bit formats (9.7.9, cvt): e4m3 has no infinity and NaN 0x7f.
double decodeE4M3(uint8_t bits);
double decodeE5M2(uint8_t bits);
/// Of values that already are of the format, or NaN.
uint8_t encodeE4M3(double value);
uint8_t encodeE5M2(double value);

//===----------------------------------------------------------------------===//
// Approximate functions: computed in f64, rounded once. The hardware differs by
// up to the bound of 9.7.3; the results here lie inside of it.
//===----------------------------------------------------------------------===//

inline float approximateExp2(float x) {
  return canonical(static_cast<float>(std::exp2(double(x))));
}
inline float approximateLog2(float x) {
  return canonical(static_cast<float>(std::log2(double(x))));
}
inline float approximateSin(float x) {
  return canonical(static_cast<float>(std::sin(double(x))));
}
inline float approximateCos(float x) {
  return canonical(static_cast<float>(std::cos(double(x))));
}
inline float approximateTanh(float x) {
  return canonical(static_cast<float>(std::tanh(double(x))));
}
inline float approximateRsqrt(float x) {
  return canonical(static_cast<float>(1.0 / std::sqrt(double(x))));
}

} // namespace mlir::mirage::emulator

#endif // MIRAGE_LIB_EMULATOR_NUMBERS_H
