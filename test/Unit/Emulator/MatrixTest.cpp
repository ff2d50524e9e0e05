//===- MatrixTest.cpp - Fragments of mma, ldmatrix, stmatrix --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

#include "llvm/ADT/bit.h"

#include <array>
#include <cmath>

using namespace mlir::mirage::emulator;

namespace {

/// A linear map over F2 from (register, lane) bits to (row, col), as the
/// layouts measured on an H200 are written: the image of an index is the xor of
/// the images of its bits.
struct Layout {
  std::vector<std::array<unsigned, 2>> registerBases, laneBases;

  std::array<unsigned, 2> of(unsigned element, unsigned lane) const {
    std::array<unsigned, 2> place = {0, 0};
    auto apply = [&](unsigned index, const auto &bases) {
      for (unsigned bit = 0; bit < bases.size(); ++bit)
        if (index >> bit & 1) {
          place[0] ^= bases[bit][0];
          place[1] ^= bases[bit][1];
        }
    };
    apply(element, registerBases);
    apply(lane, laneBases);
    return place;
  }
  unsigned numElements() const { return 1u << registerBases.size(); }
};

using Bases = std::vector<std::array<unsigned, 2>>;
const Bases fourLanesPerRow = {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}};
const Bases fourLanesPerColumn = {{2, 0}, {4, 0}, {0, 1}, {0, 2}, {0, 4}};
const Layout layoutC = {{{0, 1}, {8, 0}}, fourLanesPerRow};

/// Where the exponent of a format is, among its bits; integers have none.
struct Format {
  unsigned bits, exponentBits, fractionBits;
};
const Format f16 = {16, 5, 10}, bf16 = {16, 8, 7}, f32 = {32, 8, 23},
             e4m3 = {8, 4, 3}, e5m2 = {8, 5, 2}, s8 = {8, 0, 0},
             s32 = {32, 0, 0};

/// One shape of mma.sync.
struct MmaCase {
  const char *opcode;
  unsigned k;
  Layout a, b;
  Format formatA, formatB, sum = f32;
  bool isUnsigned = false;
};

const Layout a16 = {{{0, 1}, {8, 0}, {0, 8}}, fourLanesPerRow};
const Layout b16 = {{{1, 0}, {8, 0}}, fourLanesPerColumn};
const Layout a8 = {{{0, 1}, {8, 0}}, fourLanesPerRow};
const Layout b8 = {{{1, 0}}, fourLanesPerColumn};
/// One element of tf32 in a register.
const Bases oneColumnPerLane = {{0, 1}, {0, 2}, {1, 0}, {2, 0}, {4, 0}};
const Bases oneRowPerLane = {{1, 0}, {2, 0}, {0, 1}, {0, 2}, {0, 4}};
/// Four elements of 8 bits.
const Bases fourBytesOfRow = {{0, 4}, {0, 8}, {1, 0}, {2, 0}, {4, 0}};
const Bases fourBytesOfColumn = {{4, 0}, {8, 0}, {0, 1}, {0, 2}, {0, 4}};
const Layout a32 = {{{0, 1}, {0, 2}, {8, 0}, {0, 16}}, fourBytesOfRow};
const Layout b32 = {{{1, 0}, {2, 0}, {16, 0}}, fourBytesOfColumn};
const Layout a16Bytes = {{{0, 1}, {0, 2}, {8, 0}}, fourBytesOfRow};
const Layout b16Bytes = {{{1, 0}, {2, 0}}, fourBytesOfColumn};

const MmaCase mmaCases[] = {
    {"m16n8k16.row.col.f32.f16.f16.f32", 16, a16, b16, f16, f16},
    {"m16n8k16.row.col.f32.bf16.bf16.f32", 16, a16, b16, bf16, bf16},
    {"m16n8k16.row.col.f16.f16.f16.f16", 16, a16, b16, f16, f16, f16},
    {"m16n8k8.row.col.f32.f16.f16.f32", 8, a8, b8, f16, f16},
    {"m16n8k8.row.col.f32.bf16.bf16.f32", 8, a8, b8, bf16, bf16},
    {"m16n8k8.row.col.f16.f16.f16.f16", 8, a8, b8, f16, f16, f16},
    {"m16n8k8.row.col.f32.tf32.tf32.f32",
     8,
     {{{8, 0}, {0, 4}}, oneColumnPerLane},
     {{{4, 0}}, oneRowPerLane},
     f32,
     f32},
    {"m16n8k4.row.col.f32.tf32.tf32.f32",
     4,
     {{{8, 0}}, oneColumnPerLane},
     {{}, oneRowPerLane},
     f32,
     f32},
    {"m16n8k32.row.col.s32.s8.s8.s32", 32, a32, b32, s8, s8, s32},
    {"m16n8k32.row.col.satfinite.s32.s8.s8.s32", 32, a32, b32, s8, s8, s32},
    {"m16n8k32.row.col.s32.u8.u8.s32", 32, a32, b32, s8, s8, s32, true},
    {"m16n8k16.row.col.s32.s8.s8.s32", 16, a16Bytes, b16Bytes, s8, s8, s32},
    {"m16n8k32.row.col.f32.e4m3.e4m3.f32", 32, a32, b32, e4m3, e4m3},
    {"m16n8k32.row.col.f32.e4m3.e5m2.f32", 32, a32, b32, e4m3, e5m2},
    {"m16n8k32.row.col.f32.e5m2.e4m3.f32", 32, a32, b32, e5m2, e4m3},
    {"m16n8k32.row.col.f32.e5m2.e5m2.f32", 32, a32, b32, e5m2, e5m2},
};

/// Small integers as bits of a format.
uint32_t encode(const Format &format, int value) {
  uint32_t mask = format.bits == 32 ? ~0u : (1u << format.bits) - 1;
  if (format.exponentBits == 0)
    return uint32_t(value) & mask;
  if (value == 0)
    return 0;
  uint32_t single = llvm::bit_cast<uint32_t>(float(value));
  int exponent = int(single >> 23 & 0xff) - 127;
  uint32_t bias = (1u << (format.exponentBits - 1)) - 1;
  uint32_t fraction = (single & 0x7fffff) >> (23 - format.fractionBits);
  return (single >> 31) << (format.bits - 1) |
         (exponent + bias) << format.fractionBits | fraction;
}

/// The registers of a fragment, [register][lane].
std::vector<uint32_t> pack(const Format &format, const Layout &layout,
                           const std::vector<int> &matrix, unsigned columns) {
  unsigned perRegister = 32 / format.bits;
  std::vector<uint32_t> registers(layout.numElements() / perRegister * 32);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned e = 0; e < layout.numElements(); ++e) {
      auto [row, col] = layout.of(e, lane);
      registers[e / perRegister * 32 + lane] |=
          encode(format, matrix[row * columns + col])
          << (e % perRegister * format.bits);
    }
  return registers;
}

std::string list(const char *prefix, unsigned first, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "") + (prefix + std::to_string(first + i));
  return text + "}";
}

/// Loads `count` registers of each lane from parameter `p`, [register][lane].
std::string loadRegisters(unsigned parameter, unsigned first, unsigned count) {
  std::string text =
      "mad.wide.u32 %rd1, %tid, 4, %a" + std::to_string(parameter) + ";\n";
  for (unsigned i = 0; i < count; ++i)
    text += "ld.global.b32 %r" + std::to_string(first + i) + ", [%rd1+" +
            std::to_string(128 * i) + "];\n";
  return text;
}

std::string storeRegisters(unsigned parameter, unsigned first, unsigned count) {
  std::string text =
      "mad.wide.u32 %rd1, %tid, 4, %a" + std::to_string(parameter) + ";\n";
  for (unsigned i = 0; i < count; ++i)
    text += "st.global.b32 [%rd1+" + std::to_string(128 * i) + "], %r" +
            std::to_string(first + i) + ";\n";
  return text;
}

TEST(Matrix, MmaFollowsTheMeasuredLayouts) {
  for (const MmaCase &mma : mmaCases) {
    std::vector<int> a(16 * mma.k), b(mma.k * 8), c(16 * 8), sums(16 * 8);
    // What all formats hold, and sums that f16 holds.
    unsigned state = 7;
    for (std::vector<int> *matrix : {&a, &b, &c})
      for (int &value : *matrix) {
        state = state * 1664525 + 1013904223;
        value = int(state >> 16) % 9 - (mma.isUnsigned ? 0 : 4);
      }
    for (unsigned i = 0; i < 128; ++i) {
      sums[i] = c[i];
      for (unsigned k = 0; k < mma.k; ++k)
        sums[i] += a[i / 8 * mma.k + k] * b[k * 8 + i % 8];
    }
    std::vector<uint32_t> fragmentA = pack(mma.formatA, mma.a, a, mma.k);
    std::vector<uint32_t> fragmentB = pack(mma.formatB, mma.b, b, 8);
    std::vector<uint32_t> fragmentC = pack(mma.sum, layoutC, c, 8);
    std::vector<uint32_t> expected = pack(mma.sum, layoutC, sums, 8);
    std::vector<uint32_t> out(expected.size());
    unsigned numA = fragmentA.size() / 32, numB = fragmentB.size() / 32,
             numC = out.size() / 32;
    std::string body = loadRegisters(1, 10, numA) + loadRegisters(2, 20, numB) +
                       loadRegisters(3, 30, numC) + "mma.sync.aligned." +
                       mma.opcode + "\n\t" + list("%r", 40, numC) + ",\n\t" +
                       list("%r", 10, numA) + ",\n\t" + list("%r", 20, numB) +
                       ",\n\t" + list("%r", 30, numC) + ";\n" +
                       storeRegisters(0, 40, numC);
    std::unique_ptr<Module> module = parseOrFail(kernelText(4, body));
    ASSERT_TRUE(module);
    LaunchResult result = run(*module,
                              {bufferOf("d", out, BufferKind::Output),
                               bufferOf("a", fragmentA, BufferKind::Input),
                               bufferOf("b", fragmentB, BufferKind::Input),
                               bufferOf("c", fragmentC, BufferKind::Input)},
                              blocksOf(32));
    EXPECT_EQ(findingsText(result), "");
    EXPECT_EQ(result.counters.matrixFlops, 2u * 16 * 8 * mma.k);
    EXPECT_EQ(out, expected) << mma.opcode;
  }
}

TEST(Matrix, IntegerSumsOfMmaSaturate) {
  for (const char *saturates : {"", ".satfinite"}) {
    std::vector<int32_t> out(128);
    std::string body = "mov.b32 %r1, 0x7f7f7f7f;\nmov.b32 %r2, 2147483000;\n"
                       "mov.b32 %r3, 7;\n"
                       "mma.sync.aligned.m16n8k16.row.col" +
                       std::string(saturates) +
                       ".s32.s8.s8.s32 {%r10, %r11, %r12, %r13}, {%r1, %r1}, "
                       "{%r1}, {%r2, %r3, %r3, %r3};\n" +
                       storeRegisters(0, 10, 4);
    std::unique_ptr<Module> module = parseOrFail(kernelText(1, body));
    LaunchResult result =
        run(*module, {bufferOf("d", out, BufferKind::Output)}, blocksOf(32));
    EXPECT_EQ(findingsText(result), "");
    constexpr unsigned sum = 16 * 127 * 127;
    EXPECT_EQ(out[0], *saturates ? 2147483647 : int32_t(2147483000u + sum));
    EXPECT_EQ(out[32], int32_t(7 + sum));
  }
}

/// Four matrices whose elements say where they are: matrix * 64 + row * 8 +
/// col. Lane l names row l % 8 of matrix l / 8, `pitch` bytes apart.
std::string fillMatrices(unsigned pitch) {
  return "mov.b32 %r1, smem;\nmad.lo.s32 %r1, %tid, " + std::to_string(pitch) +
         ", %r1;\nmul.lo.s32 %r2, %tid, 8;\n"
         "mov.b32 %r3, 0;\nFILL:\nadd.s32 %r4, %r2, %r3;\n"
         "cvt.u16.u32 %h1, %r4;\nmad.lo.s32 %r5, %r3, 2, %r1;\n"
         "st.shared.b16 [%r5], %h1;\nadd.s32 %r3, %r3, 1;\n"
         "setp.lt.u32 %p1, %r3, 8;\n@%p1 bra FILL;\nbar.sync 0;\n";
}

TEST(Matrix, LdmatrixFollowsTheMeasuredLayouts) {
  const Layout plain = {{{0, 1}}, fourLanesPerRow};
  const Layout transposed = {{{1, 0}}, fourLanesPerColumn};
  for (bool isTransposed : {false, true})
    for (unsigned count : {1u, 2u, 4u}) {
      std::vector<uint16_t> out(64 * count);
      std::string body = fillMatrices(16) + "ldmatrix.sync.aligned.m8n8.x" +
                         std::to_string(count) +
                         (isTransposed ? ".trans" : "") + ".shared.b16 " +
                         list("%r", 10, count) + ", [%r1];\n" +
                         storeRegisters(0, 10, count);
      std::unique_ptr<Module> module = parseOrFail(kernelText(1, body));
      LaunchResult result = run(
          *module, {bufferOf("out", out, BufferKind::Output)}, blocksOf(32));
      EXPECT_EQ(findingsText(result), "");
      const Layout &layout = isTransposed ? transposed : plain;
      for (unsigned matrix = 0; matrix < count; ++matrix)
        for (unsigned lane = 0; lane < 32; ++lane)
          for (unsigned e = 0; e < 2; ++e) {
            auto [row, col] = layout.of(e, lane);
            ASSERT_EQ(out[(matrix * 32 + lane) * 2 + e],
                      matrix * 64 + row * 8 + col);
          }
    }
}

TEST(Matrix, LdmatrixCountsBankConflicts) {
  for (unsigned pitch : {16u, 128u, 144u}) {
    std::vector<uint32_t> out(128);
    std::string head = fillMatrices(pitch);
    auto count = [&](const std::string &load) {
      std::unique_ptr<Module> module =
          parseOrFail(kernelText(1, head + load + storeRegisters(0, 10, 4)));
      return run(*module, {bufferOf("out", out, BufferKind::Output)},
                 blocksOf(32))
          .counters;
    };
    std::string moves = "mov.b32 %r10, 0;\nmov.b32 %r11, 0;\n"
                        "mov.b32 %r12, 0;\nmov.b32 %r13, 0;\n";
    Counters loaded =
        count("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, "
              "%r12, %r13}, [%r1];\n");
    Counters moved = count(moves);
    EXPECT_EQ(loaded.sharedWavefronts - moved.sharedWavefronts,
              pitch == 128 ? 32u : 4u)
        << pitch;
    // What filled the matrices is none of ldmatrix.
    EXPECT_EQ(moved.matrixRowWavefronts, 0u);
    EXPECT_EQ(loaded.matrixRowWavefronts, pitch == 128 ? 32u : 4u) << pitch;
    EXPECT_EQ(moved.sharedLoadWavefronts, 0u);
    EXPECT_EQ(loaded.sharedLoadWavefronts, pitch == 128 ? 32u : 4u) << pitch;
    EXPECT_EQ(loaded.sharedLoadBankConflicts, pitch == 128 ? 28u : 0u) << pitch;
    EXPECT_EQ(loaded.matrixRowBankConflicts, pitch == 128 ? 28u : 0u) << pitch;
  }
}

TEST(Matrix, StmatrixIsTheInverseOfLdmatrix) {
  for (unsigned count : {1, 2, 4})
    for (const char *transposes : {"", ".trans"}) {
      std::vector<uint16_t> out(64 * count);
      std::string form = "x" + std::to_string(count) + transposes;
      std::string body =
          fillMatrices(16) + "ldmatrix.sync.aligned.m8n8." + form +
          ".shared.b16 " + list("%r", 10, count) + ", [%r1];\n" +
          "stmatrix.sync.aligned.m8n8." + form + ".shared.b16 [%r1+4096], " +
          list("%r", 10, count) +
          ";\nbar.sync 0;\nmad.wide.u32 %rd1, %tid, 16, %a0;\n"
          "setp.lt.u32 %p3, %tid, " +
          std::to_string(8 * count) +
          ";\n@%p3 ld.shared.v4.b32 {%r20, %r21, %r22, %r23}, [%r1+4096];\n"
          "@%p3 st.global.v4.b32 [%rd1], {%r20, %r21, %r22, %r23};\n";
      std::unique_ptr<Module> module = parseOrFail(kernelText(1, body));
      LaunchResult result = run(
          *module, {bufferOf("out", out, BufferKind::Output)}, blocksOf(32));
      EXPECT_EQ(findingsText(result), "");
      for (unsigned i = 0; i < out.size(); ++i)
        ASSERT_EQ(out[i], i) << form;
    }
}

TEST(Matrix, MovmatrixTransposes) {
  std::vector<uint16_t> in(64), out(64);
  for (unsigned i = 0; i < 64; ++i)
    in[i] = i;
  std::string body = loadRegisters(1, 10, 1) +
                     "movmatrix.sync.aligned.m8n8.trans.b16 %r20, %r10;\n" +
                     storeRegisters(0, 20, 1);
  std::unique_ptr<Module> module = parseOrFail(kernelText(2, body));
  LaunchResult result = run(*module,
                            {bufferOf("out", out, BufferKind::Output),
                             bufferOf("in", in, BufferKind::Input)},
                            blocksOf(32));
  EXPECT_EQ(findingsText(result), "");
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], i % 8 * 8 + i / 8);
}

TEST(Matrix, MmaNeedsTheWholeWarp) {
  std::string body = "setp.eq.b32 %p1, %tid, 3;\n@%p1 bra END;\n"
                     "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
                     "{%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r7}, "
                     "{%r1, %r2, %r3, %r4};\nEND:\n";
  std::unique_ptr<Module> module = parseOrFail(kernelText(0, body));
  LaunchResult result = run(*module, {}, blocksOf(32));
  EXPECT_TRUE(hasFinding(result, FindingKind::DivergentAligned));
}

} // namespace
