//===- FloatTest.cpp - Float instructions against their definitions -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstructionSupport.h"

using namespace mlir::mirage::emulator;

namespace {

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

/// As an H100 does it (driver 580.159), and IEEE 754-2008 says (6.3).
TEST(Instruction, ZerosOfDirectedSums) {
  using Bits = std::vector<uint32_t>;
  const uint32_t zero = 0, minusZero = 0x80000000, one = 0x3f800000,
                 minusOne = 0xbf800000;
  const Bits a = {one, zero, zero, minusZero},
             b = {minusOne, minusZero, zero, minusZero};
  auto add = [&](const std::string &opcode) {
    return runInstruction<uint32_t, uint32_t>(opcode, {a, b});
  };
  EXPECT_EQ(add("add.rm.f32"), (Bits{minusZero, minusZero, zero, minusZero}));
  for (const char *opcode : {"add.rn.f32", "add.rz.f32", "add.rp.f32"})
    EXPECT_EQ(add(opcode), (Bits{zero, zero, zero, minusZero})) << opcode;
  EXPECT_EQ((runInstruction<uint32_t, uint32_t>("sub.rm.f32", {a, a})),
            (Bits{minusZero, minusZero, minusZero, minusZero}));
  EXPECT_EQ(
      (runInstruction<uint32_t, uint32_t>("fma.rm.f32", {a, Bits(4, one), b})),
      (Bits{minusZero, minusZero, zero, minusZero}));
}

/// Directions go with the other modifiers.
TEST(Instruction, DirectedAndSaturatedOrFlushed) {
  using Bits = std::vector<uint32_t>;
  const Bits a = {toBits(0.75f), toBits(2.0f), toBits(-1.0f), 0x00400000},
             b = {toBits(0x1p-30f), toBits(1.0f), toBits(0.5f), 0},
             ones(4, toBits(1.0f));
  auto apply = [&](const std::string &opcode) {
    return opcode[0] == 'f'
               ? runInstruction<uint32_t, uint32_t>(opcode, {a, ones, b})
               : runInstruction<uint32_t, uint32_t>(opcode, {a, b});
  };
  const uint32_t up = toBits(0.75f) + 1, one = toBits(1.0f);
  EXPECT_EQ(apply("add.rp.sat.f32"), (Bits{up, one, 0, 0x00400000}));
  EXPECT_EQ(apply("fma.rp.sat.f32"), (Bits{up, one, 0, 0x00400000}));
  EXPECT_EQ(apply("fma.rm.sat.f32"), (Bits{toBits(0.75f), one, 0, 0x00400000}));
  EXPECT_EQ(apply("sub.rz.ftz.f32"),
            (Bits{toBits(0.75f) - 1, one, toBits(-1.5f), 0}));
  EXPECT_EQ(apply("add.rp.ftz.sat.f32"), (Bits{up, one, 0, 0}));
  // 2^-126 (1 - 2^-24), 2^-126 (1 - 2^-26): 24 bits have the one, and not the
  // other.
  const Bits factors = {toBits(1 - 0x1p-24f),
                        toBits((1 - 0x1p-13f) * 0x1p-74f)},
             others = {0x00800000, toBits((1 + 0x1p-13f) * 0x1p-52f)};
  auto multiply = [&](const std::string &opcode) {
    return runInstruction<uint32_t, uint32_t>(opcode, {factors, others});
  };
  EXPECT_EQ(multiply("mul.rp.ftz.f32"), (Bits{0, 0x00800000}));
  EXPECT_EQ(multiply("mul.rz.ftz.f32"), (Bits{0, 0}));
  EXPECT_EQ(multiply("mul.rp.f32"), (Bits{0x00800000, 0x00800000}));
}

/// A product just below the least normal number is one of 24 bits there, and
/// flushed; one that is rounded up to the least normal number is not (H100).
TEST(Instruction, ProductsAtTheLeastNormalNumber) {
  using Bits = std::vector<uint32_t>;
  const uint32_t least = 0x00800000;
  const Bits factors = {toBits(1 - 0x1p-24f),
                        toBits((1 - 0x1p-13f) * 0x1p-74f)};
  const Bits others = {least, toBits((1 + 0x1p-13f) * 0x1p-52f)};
  EXPECT_EQ(
      (runInstruction<uint32_t, uint32_t>("mul.rn.ftz.f32", {factors, others})),
      (Bits{0, least}));
  EXPECT_EQ(
      (runInstruction<uint32_t, uint32_t>("mul.rn.f32", {factors, others})),
      (Bits{least, least}));
  const Bits parts = {toBits(-0x1p-24f), toBits(-0x1p-25f), toBits(-0x1p-26f)};
  EXPECT_EQ((runInstruction<uint32_t, uint32_t>(
                "fma.rn.ftz.f32", {parts, Bits(3, least), Bits(3, least)})),
            (Bits{0, least, least}));
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

TEST(Instruction, LeastAndLargestOfThree) {
  std::vector<uint32_t> a, b, c;
  allPairs(a, b);
  for (size_t i = 0; i < a.size(); ++i)
    c.push_back(a[(i * 7 + 3) % a.size()]);
  for (bool isMax : {false, true})
    for (bool propagates : {false, true}) {
      std::vector<uint32_t> result = runInstruction<uint32_t, uint32_t>(
          std::string(isMax ? "max" : "min") + (propagates ? ".NaN" : "") +
              ".f32",
          {a, b, c}, "sm_100");
      for (size_t i = 0; i < a.size(); ++i) {
        float x = fromBits(a[i]), y = fromBits(b[i]), z = fromBits(c[i]);
        float expected = isMax ? -minNumber(minNumber(-x, -y), -z)
                               : minNumber(minNumber(x, y), z);
        if (propagates && (std::isnan(x) || std::isnan(y) || std::isnan(z)))
          expected = NAN;
        ASSERT_EQ(result[i], canonicalBits(expected)) << i;
      }
    }
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

/// Pairs of corner values: each with another in the upper half.
std::vector<uint64_t> pairUp(const std::vector<uint32_t> &values) {
  std::vector<uint64_t> pairs;
  for (size_t i = 0; i < values.size(); ++i)
    pairs.push_back(uint64_t(values[(i + 37) % values.size()]) << 32 |
                    values[i]);
  return pairs;
}

/// Both halves of `.f32x2` are what the instruction of one f32 gives, of which
/// other tests judge the value.
void expectTwice(const std::string &opcode,
                 const std::vector<std::vector<uint32_t>> &operands) {
  auto single = runInstruction<uint32_t, uint32_t>(opcode, operands);
  std::vector<std::vector<uint64_t>> pairs;
  for (const std::vector<uint32_t> &operand : operands)
    pairs.push_back(pairUp(operand));
  auto both =
      runInstruction<uint64_t, uint64_t>(opcode + "x2", pairs, "sm_100");
  EXPECT_EQ(both, pairUp(single)) << opcode;
}

TEST(Instruction, TwoFloatsInOneRegister) {
  std::vector<uint32_t> a, b, c;
  allPairs(a, b);
  for (size_t i = 0; i < a.size(); ++i)
    c.push_back(i % 2 ? toBits(-(fromBits(a[i]) * fromBits(b[i]))) + 1 : b[i]);
  for (const char *name : {"add", "sub", "mul"})
    for (const char *modifier : {"", ".rn", ".rz", ".rm", ".rp", ".rn.ftz"})
      expectTwice(std::string(name) + modifier + ".f32", {a, b});
  for (const char *modifier : {".rn", ".rz", ".rm", ".rp", ".rn.ftz"})
    expectTwice(std::string("fma") + modifier + ".f32", {a, b, c});
  // The first of the pair is the low half.
  EXPECT_EQ((runInstruction<uint64_t, uint64_t>(
                "sub.rn.f32x2", {{0x40000000'40800000}, {0x3f800000'3f800000}},
                "sm_100")),
            (std::vector<uint64_t>{0x3f800000'40400000}));
}

/// A guard keeps both halves of lanes that do not execute.
TEST(Instruction, TwoFloatsUnderAGuard) {
  std::string body = "setp.lt.u32 %p1, %tid, 7;\n"
                     "mov.b64 %rd1, 0x4000000040400000;\n"
                     "mov.b64 %rd2, %rd1;\n"
                     "@%p1 fma.rn.f32x2 %rd2, %rd1, %rd1, %rd1;\n"
                     "mad.wide.u32 %rd0, %tid, 8, %a0;\n"
                     "st.global.b64 [%rd0], %rd2;\n";
  std::unique_ptr<Module> module =
      parseOrFail(kernelText(1, body, "", "sm_100"));
  std::vector<uint64_t> out(32);
  LaunchResult result =
      run(*module, {bufferOf("out", out, BufferKind::Output)}, blocksOf(32));
  EXPECT_EQ(findingsText(result), "");
  EXPECT_EQ(result.counters.of(InstructionClass::Float32), 1u);
  for (unsigned lane = 0; lane < 32; ++lane) // 2·2 + 2 = 6, 3·3 + 3 = 12
    EXPECT_EQ(out[lane], lane < 7 ? 0x40c00000'41400000 : 0x40000000'40400000);
}

/// Every number of 16 bits, beside f32: as the instruction of f32 has it of the
/// same number, of which other tests judge the value.
TEST(Instruction, MixedPrecision) {
  std::vector<uint32_t> halves[2], others, wide[2];
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    halves[0].push_back(bits);
    halves[1].push_back(bits);
    others.push_back(bits * 2654435761u);
    wide[1].push_back(bits << 16);
  }
  wide[0] = runInstruction<uint32_t, uint32_t>(
      "{.reg .b16 %l; cvt.u16.u32 %l, %r10; cvt.f32.f16 %r1, %l;} //",
      {halves[0]}, "sm_100");
  for (unsigned format : {0, 1}) {
    std::string suffix = format ? ".f32.bf16 " : ".f32.f16 ";
    auto runMixed = [&](const std::string &opcode,
                        const std::vector<std::vector<uint32_t>> &operands) {
      bool isFused = operands.size() == 3;
      return runInstruction<uint32_t, uint32_t>(
          "{.reg .b16 %l, %m; cvt.u16.u32 %l, %r10; cvt.u16.u32 %m, %r11;\n" +
              opcode + suffix +
              (isFused ? "%r1, %l, %m, %r12;} //" : "%r1, %l, %r11;} //"),
          operands, "sm_100");
    };
    for (const char *opcode : {"add.rn", "sub.rz", "add.rm", "sub.rn.sat"})
      EXPECT_EQ(runMixed(opcode, {halves[format], others}),
                (runInstruction<uint32_t, uint32_t>(
                    std::string(opcode) + ".f32", {wide[format], others})))
          << opcode << suffix;
    std::vector<uint32_t> turned(halves[format].rbegin(),
                                 halves[format].rend()),
        turnedWide(wide[format].rbegin(), wide[format].rend());
    for (const char *opcode : {"fma.rn", "fma.rp", "fma.rn.sat"})
      EXPECT_EQ(runMixed(opcode, {halves[format], turned, others}),
                (runInstruction<uint32_t, uint32_t>(
                    std::string(opcode) + ".f32",
                    {wide[format], turnedWide, others})))
          << opcode << suffix;
  }
  EXPECT_NE(parseErrors(kernelText(0, "add.rn.f32.f16 %r1, %h1, %r2;"))
                .find("sm_100"),
            std::string::npos);
}

TEST(Instruction, TwoFloatsHaveNoSaturation) {
  EXPECT_NE(parseErrors(kernelText(0, "add.rn.sat.f32x2 %rd1, %rd2, %rd3;"))
                .find("in 'add.rn.sat.f32x2'"),
            std::string::npos);
  EXPECT_NE(
      parseErrors(kernelText(0, "add.rn.f32x2 %rd1, %r2, %rd3;", "", "sm_100"))
          .find("expected a 64-bit register, found '%r2'"),
      std::string::npos);
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

} // namespace
