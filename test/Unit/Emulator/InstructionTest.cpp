//===- InstructionTest.cpp - Single instructions against definitions written a
// second time -===//
//
// Part of the Mirage project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace mlir::mirage::emulator;

namespace {

float fromBits(uint32_t bits) { return llvm::bit_cast<float>(bits); }
uint32_t toBits(float value) { return llvm::bit_cast<uint32_t>(value); }

/// 0, subnormals, one and its neighbours, ties, largest, infinities, NaN, of
/// both signs, and random bits.
std::vector<uint32_t> cornersF32() {
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
void allPairs(std::vector<uint32_t> &a, std::vector<uint32_t> &b) {
  for (uint32_t x : cornersF32())
    for (uint32_t y : cornersF32()) {
      a.push_back(x);
      b.push_back(y);
    }
}

uint32_t canonicalBits(float value) {
  return value != value ? 0x7fffffff : toBits(value);
}

void expectFloat(const std::string &opcode, float (*reference)(float, float)) {
  std::vector<uint32_t> a, b;
  allPairs(a, b);
  std::vector<uint32_t> result =
      runInstruction<uint32_t, uint32_t>(opcode, {a, b});
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_EQ(result[i],
              canonicalBits(reference(fromBits(a[i]), fromBits(b[i]))))
        << opcode << " of " << std::hex << a[i] << ", " << b[i];
}

float minNumber(float a, float b) {
  if (std::isnan(a))
    return b;
  if (std::isnan(b))
    return a;
  if (a == 0 && b == 0)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

TEST(Instruction, FloatArithmetic) {
  expectFloat("add.rn.f32", [](float a, float b) { return a + b; });
  expectFloat("sub.f32", [](float a, float b) { return a - b; });
  expectFloat("mul.rn.f32", [](float a, float b) { return a * b; });
  expectFloat("div.rn.f32", [](float a, float b) { return a / b; });
  expectFloat("min.f32", minNumber);
  expectFloat("max.f32", [](float a, float b) { return -minNumber(-a, -b); });
  expectFloat("min.NaN.f32", [](float a, float b) {
    return std::isnan(a) || std::isnan(b) ? NAN : minNumber(a, b);
  });
}

TEST(Instruction, FlushAndSaturate) {
  expectFloat("add.rn.ftz.f32", [](float a, float b) {
    auto flushed = [](float x) {
      return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
    };
    return flushed(flushed(a) + flushed(b));
  });
  expectFloat("add.rn.sat.f32", [](float a, float b) {
    float sum = a + b;
    return std::isnan(sum) ? 0.0f
                           : std::fmin(std::fmax(sum, 0.0f), 1.0f) + 0.0f;
  });
}

TEST(Instruction, FusedMultiplyAdd) {
  std::vector<uint32_t> a, b, c;
  allPairs(a, b);
  uint32_t state = 5;
  for (size_t i = 0; i < a.size(); ++i) {
    state = state * 1664525 + 1013904223;
    // Half of the addends nearly cancel the product.
    float product = fromBits(a[i]) * fromBits(b[i]);
    c.push_back(i % 2 ? toBits(-product) + state % 5 - 2 : state);
  }
  std::vector<uint32_t> result =
      runInstruction<uint32_t, uint32_t>("fma.rn.f32", {a, b, c});
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_EQ(result[i], canonicalBits(std::fma(fromBits(a[i]), fromBits(b[i]),
                                                fromBits(c[i]))))
        << std::hex << a[i] << ", " << b[i] << ", " << c[i];
}

TEST(Instruction, RoundingTowardsZeroAndInfinity) {
  std::vector<uint32_t> a, b;
  allPairs(a, b);
  struct Direction {
    const char *name;
    int sign; ///< 1: up, -1: down, 0: towards zero
  };
  for (Direction direction :
       {Direction{"rp", 1}, Direction{"rm", -1}, Direction{"rz", 0}}) {
    std::vector<uint32_t> result = runInstruction<uint32_t, uint32_t>(
        std::string("mul.") + direction.name + ".f32", {a, b});
    for (size_t i = 0; i < a.size(); ++i) {
      double exact = double(fromBits(a[i])) * double(fromBits(b[i]));
      if (!std::isfinite(exact) || exact == 0)
        continue;
      double found = fromBits(result[i]);
      bool isAbove = direction.sign > 0 || (direction.sign == 0 && exact < 0);
      // On the right side, and its neighbour towards the exact value is not.
      ASSERT_TRUE(isAbove ? found >= exact : found <= exact)
          << std::hex << a[i] << ", " << b[i];
      float next = std::nextafter(float(found), isAbove ? -INFINITY : INFINITY);
      ASSERT_TRUE(isAbove ? double(next) < exact : double(next) > exact)
          << std::hex << a[i] << ", " << b[i];
    }
  }
}

/// Every f16, by the definition of the format.
double halfValue(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
                     : exponent == 0
                         ? std::ldexp(fraction, -24)
                         : std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

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

TEST(Instruction, ApproximateFunctionsStayInTheirBounds) {
  std::vector<uint32_t> a;
  for (int i = -2000; i <= 2000; ++i)
    a.push_back(toBits(float(i) * 0.037f));
  struct Case {
    const char *opcode;
    double (*reference)(double);
    double bound;
  };
  const Case cases[] = {
      {"ex2.approx.f32", [](double x) { return std::exp2(x); }, 0x1p-22},
      {"rcp.approx.f32", [](double x) { return 1 / x; }, 0x1p-23},
      {"tanh.approx.f32", [](double x) { return std::tanh(x); }, 0x1p-11},
      {"sqrt.approx.f32", [](double x) { return std::sqrt(x); }, 0x1p-23},
      {"rsqrt.approx.f32", [](double x) { return 1 / std::sqrt(x); }, 0x1p-22},
      {"lg2.approx.f32", [](double x) { return std::log2(x); }, 0x1p-22},
  };
  for (const Case &test : cases) {
    auto result = runInstruction<uint32_t, uint32_t>(test.opcode, {a});
    for (size_t i = 0; i < a.size(); ++i) {
      double expected = test.reference(fromBits(a[i]));
      double found = fromBits(result[i]);
      if (std::isnan(expected))
        ASSERT_EQ(result[i], 0x7fffffffu) << test.opcode;
      else if (std::isinf(expected))
        ASSERT_EQ(found, expected) << test.opcode;
      else
        ASSERT_LE(std::fabs(found - expected),
                  test.bound * std::fmax(std::fabs(expected), 0x1p-126))
            << test.opcode << " of " << fromBits(a[i]);
    }
  }
}

TEST(Instruction, Integers) {
  std::vector<uint32_t> a, b;
  allPairs(a, b);
  auto expect = [&](const std::string &opcode, auto reference) {
    auto result = runInstruction<uint32_t, uint32_t>(opcode, {a, b});
    for (size_t i = 0; i < a.size(); ++i)
      ASSERT_EQ(result[i], uint32_t(reference(a[i], b[i])))
          << opcode << " of " << std::hex << a[i] << ", " << b[i];
  };
  using U = uint32_t;
  expect("add.s32", [](U x, U y) { return x + y; });
  expect("sub.u32", [](U x, U y) { return x - y; });
  expect("mul.lo.s32", [](U x, U y) { return x * y; });
  expect("mul.hi.u32", [](U x, U y) { return uint64_t(x) * y >> 32; });
  expect("mul.hi.s32", [](U x, U y) {
    return uint64_t(int64_t(int32_t(x)) * int32_t(y)) >> 32;
  });
  expect("min.s32", [](U x, U y) { return std::min(int32_t(x), int32_t(y)); });
  expect("max.u32", [](U x, U y) { return std::max(x, y); });
  expect("xor.b32", [](U x, U y) { return x ^ y; });
  expect("shl.b32", [](U x, U y) { return y > 31 ? 0 : x << y; });
  expect("shr.u32", [](U x, U y) { return y > 31 ? 0 : x >> y; });
  expect("shr.s32",
         [](U x, U y) { return int64_t(int32_t(x)) >> std::min(y, 31u); });
}

TEST(Instruction, BitFields) {
  auto one = [](const std::string &opcode, std::vector<uint32_t> operands) {
    std::vector<std::vector<uint32_t>> lists;
    for (uint32_t operand : operands)
      lists.push_back({operand});
    return runInstruction<uint32_t, uint32_t>(opcode, lists)[0];
  };
  EXPECT_EQ(one("bfe.u32", {0xabcd1234, 8, 8}), 0x12u);
  EXPECT_EQ(one("bfe.s32", {0x0000f000, 12, 4}), 0xffffffffu);
  EXPECT_EQ(one("bfe.u32", {0xabcd1234, 28, 8}), 0xau);
  EXPECT_EQ(one("bfe.s32", {0x80000000, 28, 8}), 0xfffffff8u);
  EXPECT_EQ(one("bfe.u32", {0xffffffff, 40, 4}), 0u);
  EXPECT_EQ(one("bfi.b32", {0xf, 0, 28, 8}), 0xf0000000u);
  EXPECT_EQ(one("prmt.b32", {0x33221100, 0x77665544, 0x7531}), 0x77553311u);
  EXPECT_EQ(one("prmt.b32", {0x00008000, 0, 0x9999}), 0xffffffffu);
  EXPECT_EQ(one("shf.l.wrap.b32", {0x80000000, 1, 33}), 3u);
  EXPECT_EQ(one("shf.r.clamp.b32", {1, 2, 32}), 2u);
  EXPECT_EQ(one("popc.b32", {0xf0f0}), 8u);
  EXPECT_EQ(one("clz.b32", {0}), 32u);
  EXPECT_EQ(one("bfind.u32", {0}), 0xffffffffu);
  EXPECT_EQ(one("bfind.s32", {0xfffffff0}), 3u);
  EXPECT_EQ(one("brev.b32", {1}), 0x80000000u);
  EXPECT_EQ(one("div.s32", {0x80000000, 0xffffffff}), 0x80000000u);
  EXPECT_EQ(one("rem.s32", {uint32_t(-7), 3}), uint32_t(-1));
  EXPECT_EQ(one("dp4a.s32.s32", {0x01ff02fe, 0x01010101, 10}), 10u);
}

} // namespace
