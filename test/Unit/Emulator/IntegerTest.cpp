//===- IntegerTest.cpp - Integer instructions against definitions ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstructionSupport.h"

using namespace mlir::mirage::emulator;

namespace {

/// One result of one instruction, all operands of one width.
template <typename Result = uint32_t, typename Source = uint32_t>
Result one(const std::string &opcode, std::vector<Source> operands) {
  std::vector<std::vector<Source>> lists;
  for (Source operand : operands)
    lists.push_back({operand});
  return runInstruction<Result, Source>(opcode, lists)[0];
}
uint64_t one64(const std::string &opcode, std::vector<uint64_t> operands) {
  return one<uint64_t, uint64_t>(opcode, operands);
}
uint16_t one16(const std::string &opcode, std::vector<uint16_t> operands) {
  return one<uint16_t, uint16_t>(opcode, operands);
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

/// 16 and 64 bits: the type decides on width and sign.
TEST(Instruction, IntegersOfOtherWidths) {
  EXPECT_EQ(one16("add.u16", {0xffff, 3}), 2u);
  EXPECT_EQ(one16("mul.lo.s16", {0xffff, 7}), 0xfff9u);
  EXPECT_EQ(one16("mul.hi.s16", {0x8000, 2}), 0xffffu);
  EXPECT_EQ(one16("mul.hi.u16", {0x8000, 2}), 1u);
  EXPECT_EQ(one16("min.s16", {0x8000, 1}), 0x8000u);
  EXPECT_EQ(one16("min.u16", {0x8000, 1}), 1u);
  EXPECT_EQ(one16("div.s16", {0xfff8, 2}), 0xfffcu);
  EXPECT_EQ(one16("rem.u16", {0xfff8, 10}), 8u);
  EXPECT_EQ(one16("neg.s16", {5}), 0xfffbu);
  EXPECT_EQ(one16("not.b16", {0x00f0}), 0xff0fu);
  uint64_t minus = ~uint64_t(0);
  EXPECT_EQ(one64("sub.s64", {1, 2}), minus);
  EXPECT_EQ(one64("mul.hi.u64", {minus, minus}), minus - 1);
  EXPECT_EQ(one64("mul.hi.s64", {minus, minus}), 0u);
  EXPECT_EQ(one64("mad.lo.s64", {minus, 3, 10}), 7u);
  EXPECT_EQ(one64("mad.hi.u64", {minus, 2, 10}), 11u);
  EXPECT_EQ(one64("max.s64", {minus, 1}), 1u);
  EXPECT_EQ(one64("max.u64", {minus, 1}), minus);
  EXPECT_EQ(one64("div.s64", {minus - 6, 2}), minus - 2);
  EXPECT_EQ(one64("rem.u64", {minus, 10}), 5u);
  EXPECT_EQ(one64("abs.s64", {minus}), 1u);
  EXPECT_EQ(one64("sad.s64", {minus, 1, 10}), 12u);
  EXPECT_EQ(one64("sad.u64", {minus, 1, 10}), 8u);
  EXPECT_EQ(one64("cnot.b64", {0}), 1u);
  EXPECT_EQ(one64("and.b64", {minus, 0xf0f0'00000000}), 0xf0f0'00000000u);
  EXPECT_EQ((one<uint32_t, uint64_t>("popc.b64", {minus << 7})), 57u);
  EXPECT_EQ((one<uint32_t, uint64_t>("clz.b64", {1})), 63u);
  EXPECT_EQ((one<uint32_t, uint64_t>("bfind.s64", {minus << 7})), 6u);
  EXPECT_EQ((one<uint32_t, uint64_t>("bfind.shiftamt.u64", {1})), 63u);
}

TEST(Instruction, ProductsOfTwiceTheWidth) {
  EXPECT_EQ((one<uint64_t>("mul.wide.u32", {~0u, ~0u})), 0xfffffffe'00000001u);
  EXPECT_EQ((one<uint64_t>("mul.wide.s32", {~0u, ~0u})), 1u);
  EXPECT_EQ((one<uint32_t, uint16_t>("mul.wide.s16", {0xffff, 2})), ~0u - 1);
  EXPECT_EQ((one<uint32_t, uint16_t>("mul.wide.u16", {0xffff, 2})), 0x1fffeu);
  EXPECT_EQ(one("mul24.lo.u32", {0xff000003, 0x01000005}), 15u);
  EXPECT_EQ(one("mul24.lo.s32", {0x00ffffff, 5}), uint32_t(-5));
}

TEST(Instruction, TwoIntegersInOneRegister) {
  EXPECT_EQ(one("add.s16x2", {0xffff0001, 0x00020003}), 0x00010004u);
  EXPECT_EQ(one("min.s16x2", {0xffff0001, 0x0002fffe}), 0xfffffffeu);
  EXPECT_EQ(one("min.u16x2", {0xffff0001, 0x0002fffe}), 0x00020001u);
  EXPECT_EQ(one("max.s16x2", {0xffff0001, 0x0002fffe}), 0x00020001u);
  EXPECT_EQ(one("max.u16x2", {0xffff0001, 0x0002fffe}), 0xfffffffeu);
}

/// dp4a and dp2a over corner values and random ones, by the definition.
TEST(Instruction, ProductsOfBytes) {
  std::vector<uint32_t> a, b, c;
  allPairs(a, b);
  for (size_t i = 0; i < a.size(); ++i)
    c.push_back(a[i] * 2654435761u ^ b[i]);
  auto part = [](uint32_t bits, unsigned from, unsigned width, bool isSigned) {
    int64_t value = bits >> from & ((1u << width) - 1);
    return isSigned && value >> (width - 1) ? value - (int64_t(1) << width)
                                            : value;
  };
  for (bool aSigned : {false, true})
    for (bool bSigned : {false, true}) {
      std::string types =
          std::string(aSigned ? ".s32" : ".u32") + (bSigned ? ".s32" : ".u32");
      auto four = runInstruction<uint32_t, uint32_t>("dp4a" + types, {a, b, c});
      for (unsigned high : {0, 1}) {
        auto two = runInstruction<uint32_t, uint32_t>(
            std::string("dp2a.") + (high ? "hi" : "lo") + types, {a, b, c});
        for (size_t i = 0; i < a.size(); ++i) {
          int64_t sum = c[i];
          for (unsigned k = 0; k < 2; ++k)
            sum += part(a[i], 16 * k, 16, aSigned) *
                   part(b[i], 8 * k + 16 * high, 8, bSigned);
          ASSERT_EQ(two[i], uint32_t(sum)) << types << high;
        }
      }
      for (size_t i = 0; i < a.size(); ++i) {
        int64_t sum = c[i];
        for (unsigned k = 0; k < 4; ++k)
          sum += part(a[i], 8 * k, 8, aSigned) * part(b[i], 8 * k, 8, bSigned);
        ASSERT_EQ(four[i], uint32_t(sum)) << types;
      }
    }
}

/// Modes of prmt: bytes of (b:a) from 0 to 7, by the table of the ISA.
TEST(Instruction, PermutationsByMode) {
  uint32_t a = 0x33221100, b = 0x77665544;
  auto permute = [&](const char *mode, uint32_t n) {
    return one(std::string("prmt.b32.") + mode, {a, b, n});
  };
  uint64_t both = uint64_t(b) << 32 | a;
  for (uint32_t n = 0; n < 4; ++n) {
    EXPECT_EQ(permute("f4e", n), uint32_t(both >> (8 * n)));
    EXPECT_EQ(permute("rc8", n), 0x11111111 * n);
    EXPECT_EQ(permute("rc16", n), n % 2 ? 0x33223322u : 0x11001100u);
    for (unsigned i = 0; i < 4; ++i) {
      auto byte = [&](const char *mode) {
        return permute(mode, n | 0xfc) >> (8 * i) & 0xff;
      };
      EXPECT_EQ(byte("b4e"), 0x11 * ((n + 8 - i) % 8));
      EXPECT_EQ(byte("ecl"), 0x11 * std::max(n, i));
      EXPECT_EQ(byte("ecr"), 0x11 * std::min(n, i));
    }
  }
}

TEST(Instruction, FindsTheNthSetBit) {
  EXPECT_EQ(one("fns.b32", {0xaaaa, 3, 1}), 3u);
  EXPECT_EQ(one("fns.b32", {0xaaaa, 3, uint32_t(-1)}), 3u);
  EXPECT_EQ(one("fns.b32", {0xaaaa, 0, 2}), 3u);
  EXPECT_EQ(one("fns.b32", {0xaaaa, 31, uint32_t(-2)}), 13u);
  EXPECT_EQ(one("fns.b32", {0xaaaa, 4, 0}), ~0u);
  EXPECT_EQ(one("fns.b32", {0xaaaa, 5, 0}), 5u);
  EXPECT_EQ(one("fns.b32", {0xaaaa, 0, 9}), ~0u);
  EXPECT_EQ(one("fns.b32", {0xffffffff, 31, 0x80000000}), ~0u);
}

TEST(Instruction, LogicByTruthTable) {
  // Of these operands the result is the table itself.
  for (uint32_t table = 0; table < 256; ++table)
    EXPECT_EQ((runInstruction<uint32_t, uint32_t>(
                   "lop3.b32", {{0xf0}, {0xcc}, {0xaa}}, "sm_90a",
                   std::to_string(table))[0] &
               0xff),
              table);
  // 0xe8 is the majority.
  EXPECT_EQ((runInstruction<uint32_t, uint32_t>(
                "lop3.b32", {{0xffff0000}, {0xff00ff00}, {0xf0f0f0f0}},
                "sm_90a", "0xe8")[0]),
            0xfff0f000u);
  EXPECT_EQ(one("bmsk.wrap.b32", {33, 3}), 0xeu);
  EXPECT_EQ(one("bmsk.clamp.b32", {33, 3}), 0u);
}

} // namespace
