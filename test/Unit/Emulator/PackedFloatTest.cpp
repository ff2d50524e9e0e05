//===- PackedFloatTest.cpp - f16 and bf16 arithmetic against definitions --===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstructionSupport.h"

using namespace mlir::mirage::emulator;

namespace {

TEST(Instruction, HalfArithmeticRoundsOnce) {
  std::vector<uint16_t> a, b, c;
  uint32_t state = 3;
  auto random = [&] {
    state = state * 1664525 + 1013904223;
    return uint16_t(state >> 13);
  };
  for (unsigned i = 0; i < 40000; ++i) {
    a.push_back(random());
    b.push_back(random());
    c.push_back(random());
  }
  // The nearest f16 of an exact value: of all, found by bisection over
  // magnitudes.
  auto nearest = [](double exact) -> uint16_t {
    if (std::isnan(exact))
      return 0x7fff;
    uint16_t sign = std::signbit(exact) ? 0x8000 : 0;
    double magnitude = std::fabs(exact);
    uint16_t low = 0, high = 0x7c00;
    while (high - low > 1) {
      uint16_t middle = (low + high) / 2;
      (halfValue(middle) <= magnitude ? low : high) = middle;
    }
    double above = high == 0x7c00 ? 65536.0 : halfValue(high);
    double toLow = magnitude - halfValue(low), toHigh = above - magnitude;
    bool up = toHigh < toLow || (toHigh == toLow && (low & 1));
    return sign | (up ? high : low);
  };
  std::vector<uint16_t> sums =
      runInstruction<uint16_t, uint16_t>("add.rn.f16", {a, b});
  std::vector<uint16_t> products =
      runInstruction<uint16_t, uint16_t>("mul.f16", {a, b});
  std::vector<uint16_t> fused =
      runInstruction<uint16_t, uint16_t>("fma.rn.f16", {a, b, c});
  for (size_t i = 0; i < a.size(); ++i) {
    double x = halfValue(a[i]), y = halfValue(b[i]), z = halfValue(c[i]);
    ASSERT_EQ(sums[i], nearest(x + y)) << std::hex << a[i] << ' ' << b[i];
    ASSERT_EQ(products[i], nearest(x * y)) << std::hex << a[i] << ' ' << b[i];
    // Exact in 80 bits: a product of 22 bits and an addend at most 2^40 away.
    long double exact = (long double)(x * y) + z;
    double near = double(exact);
    if (std::isfinite(near) && near != exact) {
      // Keep the side of a tie that double would lose.
      near = std::nextafter(near, exact > near ? INFINITY : -INFINITY);
      if (nearest(double(exact)) != nearest(near))
        continue;
    }
    ASSERT_EQ(fused[i], nearest(double(exact)))
        << std::hex << a[i] << ' ' << b[i] << ' ' << c[i];
  }
}

TEST(Instruction, PackedIsTwice) {
  std::vector<uint32_t> a, b;
  allPairs(a, b);
  for (const char *format : {"f16", "bf16"}) {
    std::vector<uint16_t> low[2], high[2];
    for (size_t i = 0; i < a.size(); ++i)
      for (unsigned operand = 0; operand < 2; ++operand) {
        uint32_t value = operand ? b[i] : a[i];
        low[operand].push_back(value);
        high[operand].push_back(value >> 16);
      }
    for (const char *name : {"add.rn.", "mul.rn.", "max.", "min.NaN."}) {
      std::string opcode = std::string(name) + format;
      auto lows = runInstruction<uint16_t, uint16_t>(opcode, {low[0], low[1]});
      auto highs =
          runInstruction<uint16_t, uint16_t>(opcode, {high[0], high[1]});
      auto both = runInstruction<uint32_t, uint32_t>(opcode + "x2", {a, b});
      for (size_t i = 0; i < a.size(); ++i)
        ASSERT_EQ(both[i], uint32_t(highs[i]) << 16 | lows[i]) << opcode;
    }
  }
}

} // namespace
