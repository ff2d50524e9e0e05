//===- Numbers.cpp - Arithmetic of PTX number formats ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"

using namespace mlir::mirage::emulator;

double mlir::mirage::emulator::roundToInteger(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Zero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  case Rounding::Up:
    return std::ceil(value);
  case Rounding::NearestAway:
    return std::round(value);
  case Rounding::NearestEven:
    break;
  }
  double below = std::floor(value), rest = value - below;
  if (rest > 0.5 || (rest == 0.5 && std::fmod(below, 2.0) != 0))
    below += 1;
  return std::copysign(below, value);
}

double mlir::mirage::emulator::roundToFormat(double value,
                                             const FloatFormat &format,
                                             Rounding rounding,
                                             bool saturates) {
  if (value != value || value == 0)
    return value;
  bool clamps = saturates || !format.hasInfinity;
  if (std::isinf(value))
    return clamps ? std::copysign(format.largest, value) : value;
  int exponent = std::max(std::ilogb(value), format.minExponent);
  int lastBit = exponent - int(format.significandBits) + 1;
  double result = std::ldexp(
      roundToInteger(std::ldexp(value, -lastBit), rounding), lastBit);
  if (result == 0)
    return std::copysign(0.0, value);
  if (std::fabs(result) <= format.largest)
    return result;
  bool towardsZero = rounding == Rounding::Zero ||
                     (rounding == Rounding::Down && value > 0) ||
                     (rounding == Rounding::Up && value < 0);
  if (clamps || towardsZero)
    return std::copysign(format.largest, value);
  return std::copysign(std::numeric_limits<double>::infinity(), value);
}

double mlir::mirage::emulator::decodeE4M3(uint8_t bits) {
  int exponent = (bits >> 3) & 15, fraction = bits & 7;
  double sign = bits & 0x80 ? -1 : 1;
  if (exponent == 15 && fraction == 7)
    return std::numeric_limits<double>::quiet_NaN();
  if (exponent == 0)
    return sign * std::ldexp(fraction, -9);
  return sign * std::ldexp(8 + fraction, exponent - 10);
}

double mlir::mirage::emulator::decodeE5M2(uint8_t bits) {
  int exponent = (bits >> 2) & 31, fraction = bits & 3;
  double sign = bits & 0x80 ? -1 : 1;
  if (exponent == 31)
    return fraction ? std::numeric_limits<double>::quiet_NaN()
                    : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0)
    return sign * std::ldexp(fraction, -16);
  return sign * std::ldexp(4 + fraction, exponent - 17);
}

/// Sign, exponent and fraction of a value that a small format holds exactly.
static uint8_t encodeSmall(double value, unsigned fractionBits, int bias) {
  uint8_t sign = std::signbit(value) ? 0x80 : 0;
  double magnitude = std::fabs(value);
  if (magnitude == 0)
    return sign;
  int exponent = std::max(std::ilogb(magnitude), 1 - bias);
  int scaled = int(std::ldexp(magnitude, int(fractionBits) - exponent));
  if (scaled < (1 << fractionBits)) // subnormal
    return sign | scaled;
  return sign | ((exponent + bias) << fractionBits) |
         (scaled - (1 << fractionBits));
}

uint8_t mlir::mirage::emulator::encodeE4M3(double value) {
  return value != value ? 0x7f : encodeSmall(value, 3, 7);
}

uint8_t mlir::mirage::emulator::encodeE5M2(double value) {
  if (value != value)
    return 0x7f;
  if (std::isinf(value))
    return std::signbit(value) ? 0xfc : 0x7c;
  return encodeSmall(value, 2, 15);
}
