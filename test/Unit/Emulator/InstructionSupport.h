//===- InstructionSupport.h - Corner values for tests -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_EMULATOR_INSTRUCTIONSUPPORT_H
#define MIRAGE_TEST_UNIT_EMULATOR_INSTRUCTIONSUPPORT_H

#include "TestSupport.h"

#include "llvm/ADT/bit.h"

#include <cmath>
#include <limits>

namespace mlir::mirage::emulator {

inline float fromBits(uint32_t bits) { return llvm::bit_cast<float>(bits); }
inline uint32_t toBits(float value) { return llvm::bit_cast<uint32_t>(value); }

/// 0, subnormals, one and its neighbours, ties, largest, infinities, NaN, of
/// both signs, and random bits.
inline std::vector<uint32_t> cornersF32() {
  std::vector<uint32_t> values = {
      0,          1,          2,          0x007fffff, 0x00800000, 0x00800001,
      0x33000000, 0x33800000, 0x387fc000, 0x387fe000, 0x38800000, 0x3effffff,
      0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3f801000, 0x3f803000,
      0x3fc00000, 0x40000000, 0x40200000, 0x42fe0000, 0x477fe000, 0x477ff000,
      0x4b000001, 0x4effffff, 0x4f000000, 0x4f7fffff, 0x7f7fffff, 0x7f800000,
      0x7f800001, 0x7fc00000};
  for (size_t i = 0, size = values.size(); i < size; ++i)
    values.push_back(values[i] | 0x80000000);
  uint32_t state = 99;
  while (values.size() < 96) {
    state = state * 1664525 + 1013904223;
    values.push_back(state ^ state >> 15);
  }
  return values;
}

/// All pairs of the corner values.
inline void allPairs(std::vector<uint32_t> &a, std::vector<uint32_t> &b) {
  for (uint32_t x : cornersF32())
    for (uint32_t y : cornersF32()) {
      a.push_back(x);
      b.push_back(y);
    }
}

inline uint32_t canonicalBits(float value) {
  return value != value ? 0x7fffffff : toBits(value);
}

/// Every f16, by the definition of the format.
inline double halfValue(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
                     : exponent == 0
                         ? std::ldexp(fraction, -24)
                         : std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

} // namespace mlir::mirage::emulator

#endif // MIRAGE_TEST_UNIT_EMULATOR_INSTRUCTIONSUPPORT_H
