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
    ASSERT_EQ(floats[i], uint32_t(i) << 16);
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

/// Of a format with so many bits after the point: the neighbours of a number
/// that is normal in it.
struct Neighbours {
  double below, above; ///< in magnitude
};
Neighbours neighboursOf(double magnitude, int fractionBits, int minExponent) {
  int exponent = std::max(std::ilogb(magnitude), minExponent);
  double step = std::ldexp(1.0, exponent - fractionBits);
  double below = std::floor(magnitude / step) * step;
  return {below, below == magnitude ? below : below + step};
}

/// What a conversion gives, from the definition: which neighbour, what beyond
/// the largest, what of negative numbers.
double roundedTo(double value, int fractionBits, int minExponent,
                 double largest, const std::string &rounding, bool relu,
                 bool satfinite) {
  if (std::isnan(value) || (relu && value < 0))
    return std::isnan(value) ? NAN : 0.0;
  double magnitude = std::fabs(value), result = magnitude;
  if (magnitude != 0 && !std::isinf(magnitude)) {
    auto [below, above] = neighboursOf(magnitude, fractionBits, minExponent);
    double middle = (below + above) / 2;
    double step = above - below;
    bool isEven = step == 0 || std::fmod(below / step, 2.0) == 0;
    bool up = rounding == "rz" ? false
              : rounding == "rna"
                  ? magnitude >= middle
                  : magnitude > middle || (magnitude == middle && !isEven);
    result = up ? above : below;
  }
  bool isBeyond = result > largest && (rounding != "rz" || std::isinf(value));
  if (satfinite || rounding == "rz")
    isBeyond &= !satfinite;
  result = isBeyond ? INFINITY : std::fmin(result, largest);
  if (!satfinite && std::isinf(value))
    result = INFINITY;
  return std::copysign(result, value);
}

TEST(Instruction, RoundsToNarrowerFloats) {
  struct Case {
    std::string name;
    int fractionBits, minExponent;
    double largest;
    std::vector<std::string> roundings;
  };
  std::vector<uint32_t> a = cornersF32();
  for (uint32_t tie = 0x3f800000; tie < 0x3f820000; tie += 0x800)
    for (uint32_t bits : {tie, tie + 1, tie - 1, tie | 0x80000000})
      a.push_back(bits);
  for (const Case &entry :
       {Case{"f16", 10, -14, 65504.0, {"rn", "rz"}},
        Case{"bf16", 7, -126, 0x1.fep127, {"rn", "rz"}},
        Case{"tf32", 10, -126, 0x1.ffcp127, {"rn", "rz", "rna"}}})
    for (const std::string &rounding : entry.roundings)
      for (const char *relu : {"", ".relu"})
        for (const char *satfinite : {"", ".satfinite"}) {
          if (rounding == "rna" && *relu)
            continue;
          std::string opcode =
              "cvt." + rounding + relu + satfinite + "." + entry.name + ".f32";
          std::vector<uint32_t> bits;
          if (entry.name == "tf32")
            bits = runInstruction<uint32_t, uint32_t>(
                opcode, {a},
                rounding != "rna" && *satfinite ? "sm_100" : "sm_90a");
          else
            for (uint16_t half :
                 runInstruction<uint16_t, uint32_t>(opcode, {a}))
              bits.push_back(half);
          for (size_t i = 0; i < a.size(); ++i) {
            double expected =
                roundedTo(fromBits(a[i]), entry.fractionBits, entry.minExponent,
                          entry.largest, rounding, *relu, *satfinite);
            double found = entry.name == "f16"    ? halfValue(bits[i])
                           : entry.name == "bf16" ? fromBits(bits[i] << 16)
                                                  : fromBits(bits[i]);
            if (std::isnan(expected) && rounding == "rna")
              continue; // moved as bits (BitsOnAnH100)
            if (std::isnan(expected))
              ASSERT_TRUE(std::isnan(found)) << opcode << std::hex << a[i];
            else
              ASSERT_EQ(found, expected) << opcode << std::hex << a[i];
          }
        }
}

/// Signs of zeros and bits of NaNs as an H100 gives them (driver 580.159).
TEST(Instruction, BitsOnAnH100) {
  using Bits = std::vector<uint32_t>;
  auto wide = [](const std::string &opcode, std::vector<Bits> operands) {
    return runInstruction<uint32_t, uint32_t>(opcode, operands);
  };
  auto half = [](const std::string &opcode, std::vector<Bits> operands) {
    return runInstruction<uint16_t, uint32_t>(opcode, operands);
  };
  const Bits negatives = {0x80000000, 0x80000001, 0xbf800000, 0xffc00000};
  const std::vector<uint16_t> zerosAndNaN = {0, 0, 0, 0x7fff};
  EXPECT_EQ(half("cvt.rn.relu.f16.f32", {negatives}), zerosAndNaN);
  EXPECT_EQ(half("cvt.rz.relu.bf16.f32", {negatives}), zerosAndNaN);
  EXPECT_EQ(half("cvt.rn.satfinite.relu.e4m3x2.f16x2",
                 {{0x80008000, 0x80018001, 0xfe00fe00}}),
            (std::vector<uint16_t>{0, 0, 0x7f7f}));

  const Bits nans = {0x7f800001, 0x7fc00000, 0x7fffffff,
                     0xff800001, 0x7fe12345, 0x7f801000};
  EXPECT_EQ(
      (runInstruction<uint32_t, uint16_t>("cvt.f32.bf16", {{0x7f81, 0xffc0}})),
      (Bits{0x7f810000, 0xffc00000}));
  EXPECT_EQ(wide("cvt.rn.tf32.f32", {nans}), Bits(nans.size(), 0x7fffe000));
  EXPECT_EQ(wide("cvt.rz.tf32.f32", {nans}), Bits(nans.size(), 0x7fffe000));
  EXPECT_EQ(wide("cvt.rna.tf32.f32", {nans}),
            (Bits{0x7f800000, 0x7fc00000, 0x7fffe000, 0xff800000, 0x7fe12000,
                  0x7f800000}));
  EXPECT_EQ(wide("cvt.rna.satfinite.tf32.f32", {nans}),
            (Bits{0x7f7fe000, 0x7fbfe000, 0x7fffc000, 0xff7fe000, 0x7fe10000,
                  0x7f7fe000}));
}

/// Every f16, to the nearest 8-bit number and what it is worth.
TEST(Instruction, EveryHalfToFloat8) {
  std::vector<uint32_t> halves(65536);
  for (unsigned i = 0; i < 65536; ++i)
    halves[i] = i << 16 | 0x3c00;
  for (bool isE4M3 : {true, false})
    for (bool relu : {true, false}) {
      std::string format = isE4M3 ? "e4m3x2" : "e5m2x2";
      auto bytes = runInstruction<uint16_t, uint32_t>(
          "cvt.rn.satfinite" + std::string(relu ? ".relu." : ".") + format +
              ".f16x2",
          {halves});
      std::vector<uint32_t> pairs(65536);
      auto back =
          runInstruction<uint32_t, uint16_t>("cvt.rn.f16x2." + format, {bytes});
      for (unsigned i = 0; i < 65536; ++i) {
        double value = halfValue(i);
        double expected = roundedTo(value, isE4M3 ? 3 : 2, isE4M3 ? -6 : -14,
                                    isE4M3 ? 448.0 : 57344.0, "rn", relu, true);
        double found = halfValue(back[i] >> 16);
        if (std::isnan(expected))
          ASSERT_TRUE(std::isnan(found)) << format << i;
        else
          ASSERT_EQ(found, expected) << format << i;
        ASSERT_EQ(halfValue(uint16_t(back[i])), 1.0);
      }
    }
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

/// The numbers of an 8-bit format that are not negative, by its definition.
std::vector<float> listFloat8(bool isE4M3) {
  int fractionBits = isE4M3 ? 3 : 2, bias = isE4M3 ? 7 : 15;
  std::vector<float> numbers;
  for (int bits = 0; bits <= (isE4M3 ? 0x7e : 0x7b); ++bits) {
    int exponent = bits >> fractionBits,
        hidden = exponent ? 1 << fractionBits : 0;
    int significand = hidden + (bits & ((1 << fractionBits) - 1));
    numbers.push_back(std::ldexp(float(significand),
                                 std::max(exponent, 1) - bias - fractionBits));
  }
  return numbers;
}

/// Numbers, and what lies between them: to the nearer, or to the even one.
/// Beyond the largest: the largest. NaN: NaN. The first source is the upper
/// half.
TEST(Instruction, RoundsToFloat8) {
  for (bool isE4M3 : {true, false}) {
    std::vector<float> numbers = listFloat8(isE4M3);
    std::vector<uint32_t> sources;
    std::vector<uint16_t> expected;
    auto add = [&](float source, unsigned bits) {
      sources.push_back(toBits(source));
      expected.push_back(bits);
    };
    for (unsigned bits = 0; bits < numbers.size(); ++bits) {
      add(numbers[bits], bits);
      add(-numbers[bits], bits | 0x80);
      if (bits + 1 == numbers.size())
        continue;
      float middle = (numbers[bits] + numbers[bits + 1]) / 2;
      add(middle, bits + (bits & 1));
      add(std::nextafter(middle, 0.0f), bits);
      add(std::nextafter(middle, INFINITY), bits + 1);
    }
    unsigned largest = numbers.size() - 1;
    for (float source :
         {numbers.back() * 1.01f, numbers.back() * 1.5f, 3e38f, INFINITY}) {
      add(source, largest);
      add(-source, largest | 0x80);
    }
    add(NAN, 0x7f);
    std::string opcode = std::string("cvt.rn.satfinite.") +
                         (isE4M3 ? "e4m3x2" : "e5m2x2") + ".f32";
    std::vector<uint32_t> ones(sources.size(), toBits(1.0f));
    auto lower = runInstruction<uint16_t, uint32_t>(opcode, {ones, sources});
    auto upper = runInstruction<uint16_t, uint32_t>(opcode, {sources, ones});
    unsigned one = isE4M3 ? 0x38 : 0x3c;
    for (size_t i = 0; i < sources.size(); ++i) {
      ASSERT_EQ(lower[i], one << 8 | expected[i])
          << opcode << fromBits(sources[i]);
      ASSERT_EQ(upper[i], expected[i] << 8 | one)
          << opcode << fromBits(sources[i]);
    }
  }
}

/// Infinities and NaN, which the round trip above leaves out.
TEST(Instruction, SpecialFloat8) {
  auto widen = [](const char *format, uint16_t bits) {
    return uint16_t(runInstruction<uint32_t, uint16_t>(
        std::string("cvt.rn.f16x2.") + format,
        {std::vector<uint16_t>{bits}})[0]);
  };
  EXPECT_EQ(widen("e5m2x2", 0x7c), 0x7c00u);
  EXPECT_EQ(widen("e5m2x2", 0xfc), 0xfc00u);
  EXPECT_TRUE(std::isnan(halfValue(widen("e5m2x2", 0x7d))));
  EXPECT_TRUE(std::isnan(halfValue(widen("e4m3x2", 0x7f))));
  EXPECT_TRUE(std::isnan(halfValue(widen("e4m3x2", 0xff))));
  // What is infinite in f16 is the largest in 8 bits.
  auto narrow = [](const char *format, uint32_t bits) {
    return uint16_t(runInstruction<uint16_t, uint32_t>(
        std::string("cvt.rn.satfinite.") + format + ".f16x2",
        {std::vector<uint32_t>{bits}})[0]);
  };
  EXPECT_EQ(narrow("e4m3x2", 0xfc007c00), 0xfe7eu);
  EXPECT_EQ(narrow("e5m2x2", 0xfc007c00), 0xfb7bu);
}

} // namespace

/// What lies beyond the signed numbers of 64 bits is a number all the same.
TEST(Instruction, UnsignedNumbersThatSaturate) {
  using Wide = std::vector<uint64_t>;
  const Wide values = {5, uint64_t(1) << 63, ~uint64_t(0)};
  EXPECT_EQ((runInstruction<uint64_t, uint64_t>("cvt.sat.u64.u64", {values})),
            values);
  EXPECT_EQ((runInstruction<uint64_t, uint64_t>("cvt.sat.s64.u64", {values})),
            (Wide{5, INT64_MAX, INT64_MAX}));
  EXPECT_EQ((runInstruction<uint32_t, uint64_t>("cvt.sat.u32.u64", {values})),
            (std::vector<uint32_t>{5, ~0u, ~0u}));
}
