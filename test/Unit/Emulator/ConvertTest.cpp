//===- ConvertTest.cpp - cvt against the definitions of the formats -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstructionSupport.h"

using namespace mlir::mirage::emulator;

namespace {

TEST(Instruction, EveryHalfToFloatAndBack) {
  std::vector<uint16_t> halves(65536);
  for (unsigned i = 0; i < 65536; ++i)
    halves[i] = i;
  std::vector<uint32_t> floats =
      runInstruction<uint32_t, uint16_t>("cvt.f32.f16", {halves});
  for (unsigned i = 0; i < 65536; ++i)
    ASSERT_EQ(floats[i], canonicalBits(float(halfValue(i)))) << i;
  std::vector<uint16_t> back =
      runInstruction<uint16_t, uint32_t>("cvt.rn.f16.f32", {floats});
  for (unsigned i = 0; i < 65536; ++i)
    ASSERT_EQ(back[i], std::isnan(halfValue(i)) ? 0x7fff : i);
  // Between each two neighbours: just below the middle, the middle, just above.
  std::vector<uint32_t> between;
  std::vector<uint16_t> expected;
  for (unsigned i = 0; i < 0x7bff; ++i) {
    float middle = float((halfValue(i) + halfValue(i + 1)) / 2);
    between.insert(between.end(),
                   {toBits(middle) - 1, toBits(middle), toBits(middle) + 1});
    expected.insert(expected.end(),
                    {uint16_t(i), uint16_t(i + (i & 1)), uint16_t(i + 1)});
  }
  std::vector<uint16_t> rounded =
      runInstruction<uint16_t, uint32_t>("cvt.rn.f16.f32", {between});
  std::vector<uint16_t> truncated =
      runInstruction<uint16_t, uint32_t>("cvt.rz.f16.f32", {between});
  for (size_t i = 0; i < between.size(); ++i) {
    ASSERT_EQ(rounded[i], expected[i]) << std::hex << between[i];
    ASSERT_EQ(truncated[i], i / 3) << std::hex << between[i];
  }
}

TEST(Instruction, EveryBfloatToFloatAndBack) {
  std::vector<uint16_t> values(65536);
  for (unsigned i = 0; i < 65536; ++i)
    values[i] = i;
  std::vector<uint32_t> floats =
      runInstruction<uint32_t, uint16_t>("cvt.f32.bf16", {values});
  for (unsigned i = 0; i < 65536; ++i)
    ASSERT_EQ(floats[i], canonicalBits(fromBits(i << 16)));
  std::vector<uint32_t> between;
  for (unsigned i = 0; i < 0x7f80; ++i)
    between.insert(between.end(),
                   {i << 16 | 0x7fff, i << 16 | 0x8000, i << 16 | 0x8001});
  std::vector<uint16_t> rounded =
      runInstruction<uint16_t, uint32_t>("cvt.rn.bf16.f32", {between});
  for (size_t i = 0; i < between.size(); ++i) {
    uint16_t low = i / 3;
    uint16_t expected = i % 3 == 0   ? low
                        : i % 3 == 1 ? low + (low & 1)
                                     : low + 1;
    ASSERT_EQ(rounded[i], expected) << std::hex << between[i];
  }
}

TEST(Instruction, ConvertsPairsUpperFirst) {
  auto result = runInstruction<uint32_t, uint32_t>(
      "cvt.rn.f16x2.f32", {{toBits(1.0f)}, {toBits(-2.0f)}});
  EXPECT_EQ(result[0], 0x3c00c000u);
}

TEST(Instruction, FloatToIntegerSaturates) {
  std::vector<uint32_t> a = cornersF32();
  auto down = runInstruction<uint32_t, uint32_t>("cvt.rzi.s32.f32", {a});
  auto even = runInstruction<uint32_t, uint32_t>("cvt.rni.u32.f32", {a});
  auto floor = runInstruction<uint32_t, uint32_t>("cvt.rmi.f32.f32", {a});
  for (size_t i = 0; i < a.size(); ++i) {
    double value = fromBits(a[i]);
    double clamped =
        std::fmin(std::fmax(std::trunc(value), -0x1p31), 0x1p31 - 1);
    ASSERT_EQ(int32_t(down[i]), std::isnan(value) ? 0 : int32_t(clamped));
    clamped = std::fmin(std::fmax(std::nearbyint(value), 0.0), 0x1p32 - 1);
    ASSERT_EQ(even[i], std::isnan(value) ? 0 : uint32_t(clamped));
    ASSERT_EQ(floor[i], canonicalBits(std::floor(fromBits(a[i]))));
  }
}

TEST(Instruction, IntegerToFloat) {
  std::vector<uint32_t> a = cornersF32();
  auto fromSigned = runInstruction<uint32_t, uint32_t>("cvt.rn.f32.s32", {a});
  auto fromUnsigned = runInstruction<uint32_t, uint32_t>("cvt.rn.f32.u32", {a});
  for (size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(fromSigned[i], toBits(float(int32_t(a[i]))));
    ASSERT_EQ(fromUnsigned[i], toBits(float(a[i])));
  }
}

TEST(Instruction, EveryFloat8) {
  std::vector<uint16_t> pairs(65536);
  for (unsigned i = 0; i < 65536; ++i)
    pairs[i] = i;
  for (const char *format : {"e4m3x2", "e5m2x2"}) {
    bool isE4M3 = format[1] == '4';
    auto halves = runInstruction<uint32_t, uint16_t>(
        std::string("cvt.rn.f16x2.") + format, {pairs});
    auto back = runInstruction<uint16_t, uint32_t>(
        std::string("cvt.rn.satfinite.") + format + ".f16x2", {halves});
    for (unsigned i = 0; i < 65536; ++i) {
      auto isSpecial = [&](unsigned byte) {
        byte &= 0x7f;
        return isE4M3 ? byte == 0x7f : byte >= 0x7c;
      };
      if (!isSpecial(i) && !isSpecial(i >> 8))
        ASSERT_EQ(back[i], i) << format;
    }
    // One, and the largest.
    unsigned one = isE4M3 ? 0x38 : 0x3c, largest = isE4M3 ? 0x7e : 0x7b;
    EXPECT_EQ(halfValue(uint16_t(halves[one])), 1.0);
    EXPECT_EQ(halfValue(uint16_t(halves[largest])), isE4M3 ? 448.0 : 57344.0);
  }
}

} // namespace
