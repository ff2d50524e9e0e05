//===- Conversion.cpp - cvt of one value ----------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversion.h"

#include "Numbers.h"

#include <optional>

using namespace mlir::mirage::emulator;
using llvm::StringRef;

void mlir::mirage::emulator::setModifiers(const Form &form,
                                          Instruction &instruction) {
  using R = Rounding;
  struct Named {
    StringRef name;
    R rounding;
    bool isInteger;
  };
  const Named names[] = {{"rn", R::NearestEven, false},
                         {"rz", R::Zero, false},
                         {"rm", R::Down, false},
                         {"rp", R::Up, false},
                         {"rna", R::NearestAway, false},
                         {"rni", R::NearestEven, true},
                         {"rzi", R::Zero, true},
                         {"rmi", R::Down, true},
                         {"rpi", R::Up, true}};
  for (const Named &named : names)
    if (form.has(named.name))
      instruction.variant |= uint16_t(named.rounding) |
                             (named.isInteger ? uint16_t(toInteger) : 0);
  instruction.variant |= (form.has("ftz") ? flushes : 0) |
                         (form.has("sat") ? saturates : 0) |
                         (form.has("satfinite") ? clampsFinite : 0) |
                         (form.has("relu") ? relu : 0);
}

double mlir::mirage::emulator::applyModifiers(double value, uint16_t variant) {
  if ((variant & relu) && value <= 0) // -0 too
    value = 0;
  if (variant & saturates)
    value = value > 0 ? std::min(value, 1.0) : 0.0;
  return value;
}

int64_t mlir::mirage::emulator::loadInteger(ScalarType type, uint64_t bits) {
  switch (type) {
  case ScalarType::S8:
    return int8_t(bits);
  case ScalarType::S16:
    return int16_t(bits);
  case ScalarType::S32:
    return int32_t(bits);
  case ScalarType::U8:
    return uint8_t(bits);
  case ScalarType::U16:
    return uint16_t(bits);
  case ScalarType::U32:
    return uint32_t(bits);
  default:
    return int64_t(bits);
  }
}

namespace {

double loadFloat(ScalarType type, uint64_t bits) {
  switch (type) {
  case ScalarType::F16:
    return halfToFloat(bits);
  case ScalarType::BF16:
    return bfloatToFloat(bits);
  case ScalarType::F32:
    return asFloat(bits);
  default:
    return asDouble(bits);
  }
}

uint64_t storeFloat(ScalarType type, double value) {
  if (value != value)
    return type == ScalarType::F64   ? 0x7fffffffffffffffull
           : type == ScalarType::F32 ? nanF32
                                     : nan16;
  switch (type) {
  case ScalarType::F16:
    return floatToHalf(float(value));
  case ScalarType::BF16:
    return floatToBfloat(float(value));
  case ScalarType::F64:
    return asBits(value);
  default:
    return asBits(float(value));
  }
}

const FloatFormat *formatOf(ScalarType type) {
  switch (type) {
  case ScalarType::F16:
    return &formatF16;
  case ScalarType::BF16:
    return &formatBF16;
  case ScalarType::TF32:
    return &formatTF32;
  case ScalarType::F32:
    return &formatF32;
  default:
    return nullptr;
  }
}

/// The range of an integer type. A 64-bit bound is one that f64 can hold: it is
/// only compared with.
struct IntegerRange {
  double low, high;
  uint64_t lowBits, highBits;
};
IntegerRange rangeOf(ScalarType type) {
  unsigned bits = sizeBytes(type) * 8;
  if (isSigned(type))
    return {-std::ldexp(1, bits - 1), std::ldexp(1, bits - 1),
            uint64_t(-1) << (bits - 1), (uint64_t(1) << (bits - 1)) - 1};
  return {0, std::ldexp(1, bits), 0,
          bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1};
}

/// Saturating; NaN is 0, but for 64-bit results and f64 sources, where it is
/// the highest bit alone.
uint64_t floatToInteger(double value, ScalarType from, ScalarType to,
                        Rounding rounding) {
  IntegerRange range = rangeOf(to);
  if (value != value)
    return sizeBytes(to) == 8 || from == ScalarType::F64
               ? uint64_t(1) << (sizeBytes(to) * 8 - 1)
               : 0;
  value = roundToInteger(value, rounding);
  if (value <= range.low)
    return range.lowBits;
  if (value >= range.high)
    return range.highBits;
  return isSigned(to) ? uint64_t(int64_t(value)) : uint64_t(value);
}

uint64_t saturateInteger(int64_t value, bool isUnsigned64, ScalarType to) {
  IntegerRange range = rangeOf(to);
  if (isUnsigned64)
    return std::min(uint64_t(value), range.highBits);
  if (isSigned(to))
    return value < int64_t(range.lowBits)    ? range.lowBits
           : value > int64_t(range.highBits) ? range.highBits
                                             : uint64_t(value);
  return value < 0 ? 0 : std::min(uint64_t(value), range.highBits);
}

/// An integer rounded to a float format. Through round-to-odd where 64 bits do
/// not fit f64.
double integerToDouble(int64_t value, bool isUnsigned) {
  bool isNegative = !isUnsigned && value < 0;
  uint64_t magnitude = isNegative ? 0 - uint64_t(value) : uint64_t(value);
  double high = double(magnitude >> 11) * 2048.0;
  double result = addRoundToOdd(high, double(magnitude & 2047));
  return isNegative ? -result : result;
}

} // namespace

/// NaNs whose bits an H100 moves rather than making them the one NaN: of bf16
/// to f32, and of f32 to tf32 to the nearest with ties away, which is bits cut
/// off, and `.satfinite` one step back in all that has the greatest exponent.
static std::optional<uint64_t> moveNaN(uint64_t bits, ScalarType from,
                                       ScalarType to, uint16_t variant) {
  if (from == ScalarType::BF16 && to == ScalarType::F32)
    return bits << 16;
  bool isAway = Rounding(variant & roundingMask) == Rounding::NearestAway;
  if (to != ScalarType::TF32)
    return std::nullopt;
  constexpr uint32_t lastBit = 1 << 13;
  if (!isAway)
    return nanF32 & ~(lastBit - 1);
  uint32_t cut = uint32_t(bits) & ~(lastBit - 1);
  return variant & clampsFinite ? cut - lastBit : cut;
}

uint64_t mlir::mirage::emulator::convertScalar(uint64_t bits, ScalarType from,
                                               ScalarType to,
                                               uint16_t variant) {
  auto rounding = static_cast<Rounding>(variant & roundingMask);
  if (!isFloat(from)) {
    int64_t value = loadInteger(from, bits);
    bool isUnsigned64 = from == ScalarType::U64;
    if (isFloat(to)) {
      double wide = integerToDouble(value, !isSigned(from));
      if (const FloatFormat *format = formatOf(to))
        wide = roundToFormat(wide, *format, rounding);
      return storeFloat(to, applyModifiers(wide, variant));
    }
    return variant & saturates ? saturateInteger(value, isUnsigned64, to)
                               : uint64_t(value);
  }
  double value = loadFloat(from, bits);
  if (value != value)
    if (std::optional<uint64_t> moved = moveNaN(bits, from, to, variant))
      return *moved;
  if ((variant & flushes) && from == ScalarType::F32)
    value = flush(float(value));
  if (!isFloat(to) && to != ScalarType::TF32)
    return floatToInteger(value, from, to, rounding);
  if (variant & toInteger)
    value = roundToInteger(value, rounding);
  else if (const FloatFormat *format = formatOf(to))
    value = roundToFormat(value, *format, rounding, variant & clampsFinite);
  if ((variant & flushes) && to == ScalarType::F32)
    value = flush(float(value));
  return storeFloat(to == ScalarType::TF32 ? ScalarType::F32 : to,
                    applyModifiers(value, variant));
}
