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

/// One shape of mma.sync.
struct MmaCase {
  const char *opcode;
  unsigned k, elementBits;
  Layout a, b;
  bool isBfloat = false;
};

const MmaCase mmaCases[] = {
    {"m16n8k16.row.col.f32.f16.f16.f32",
     16,
     16,
     {{{0, 1}, {8, 0}, {0, 8}}, fourLanesPerRow},
     {{{1, 0}, {8, 0}}, fourLanesPerColumn}},
    {"m16n8k16.row.col.f32.bf16.bf16.f32",
     16,
     16,
     {{{0, 1}, {8, 0}, {0, 8}}, fourLanesPerRow},
     {{{1, 0}, {8, 0}}, fourLanesPerColumn},
     true},
    {"m16n8k8.row.col.f32.f16.f16.f32",
     8,
     16,
     {{{0, 1}, {8, 0}}, fourLanesPerRow},
     {{{1, 0}}, fourLanesPerColumn}},
    {"m16n8k8.row.col.f32.bf16.bf16.f32",
     8,
     16,
     {{{0, 1}, {8, 0}}, fourLanesPerRow},
     {{{1, 0}}, fourLanesPerColumn},
     true},
    {"m16n8k8.row.col.f32.tf32.tf32.f32",
     8,
     32,
     {{{8, 0}, {0, 4}}, {{0, 1}, {0, 2}, {1, 0}, {2, 0}, {4, 0}}},
     {{{4, 0}}, {{1, 0}, {2, 0}, {0, 1}, {0, 2}, {0, 4}}}},
};

/// Small integers as bits of an element type.
uint32_t encode(const MmaCase &mma, int value) {
  float number = float(value);
  uint32_t bits = llvm::bit_cast<uint32_t>(number);
  if (mma.elementBits == 32)
    return bits;
  if (mma.isBfloat)
    return bits >> 16;
  if (value == 0)
    return 0;
  // The exponent moves from a bias of 127 to one of 15.
  return (bits >> 16 & 0x8000) | (((bits >> 23 & 0xff) - 112) << 10) |
         (bits >> 13 & 0x3ff);
}

/// The registers of a fragment, [register][lane].
std::vector<uint32_t> pack(const MmaCase &mma, const Layout &layout,
                           const std::vector<int> &matrix, unsigned columns) {
  unsigned perRegister = 32 / mma.elementBits;
  std::vector<uint32_t> registers(layout.numElements() / perRegister * 32);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned e = 0; e < layout.numElements(); ++e) {
      auto [row, col] = layout.of(e, lane);
      registers[e / perRegister * 32 + lane] |=
          encode(mma, matrix[row * columns + col])
          << (e % perRegister * mma.elementBits);
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
    std::vector<int> a(16 * mma.k), b(mma.k * 8), c(16 * 8);
    unsigned state = 7;
    for (std::vector<int> *matrix : {&a, &b, &c})
      for (int &value : *matrix) {
        state = state * 1664525 + 1013904223;
        value = int(state >> 16) % 17 - 8;
      }
    MmaCase accumulator = mma;
    accumulator.elementBits = 32;
    std::vector<uint32_t> fragmentA = pack(mma, mma.a, a, mma.k);
    std::vector<uint32_t> fragmentB = pack(mma, mma.b, b, 8);
    std::vector<uint32_t> fragmentC = pack(accumulator, layoutC, c, 8);
    std::vector<float> out(128);
    unsigned numA = fragmentA.size() / 32, numB = fragmentB.size() / 32;
    std::string body = loadRegisters(1, 10, numA) + loadRegisters(2, 20, numB) +
                       loadRegisters(3, 30, 4) + "mma.sync.aligned." +
                       mma.opcode + "\n\t" + list("%r", 40, 4) + ",\n\t" +
                       list("%r", 10, numA) + ",\n\t" + list("%r", 20, numB) +
                       ",\n\t" + list("%r", 30, 4) + ";\n" +
                       storeRegisters(0, 40, 4);
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
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned e = 0; e < 4; ++e) {
        auto [row, col] = layoutC.of(e, lane);
        int expected = c[row * 8 + col];
        for (unsigned i = 0; i < mma.k; ++i)
          expected += a[row * mma.k + i] * b[i * 8 + col];
        ASSERT_EQ(out[e * 32 + lane], float(expected))
            << mma.opcode << " row " << row << " col " << col;
      }
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
    auto wavefronts = [&](const std::string &load) {
      std::unique_ptr<Module> module =
          parseOrFail(kernelText(1, head + load + storeRegisters(0, 10, 4)));
      return run(*module, {bufferOf("out", out, BufferKind::Output)},
                 blocksOf(32))
          .counters.sharedWavefronts;
    };
    std::string moves = "mov.b32 %r10, 0;\nmov.b32 %r11, 0;\n"
                        "mov.b32 %r12, 0;\nmov.b32 %r13, 0;\n";
    uint64_t passes =
        wavefronts("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, "
                   "%r12, %r13}, [%r1];\n") -
        wavefronts(moves);
    EXPECT_EQ(passes, pitch == 128 ? 32u : 4u) << pitch;
  }
}

TEST(Matrix, StmatrixIsTheInverseOfLdmatrix) {
  for (const char *form : {"x4", "x4.trans"}) {
    std::vector<uint16_t> out(256);
    std::string body =
        fillMatrices(16) + "ldmatrix.sync.aligned.m8n8." + form +
        ".shared.b16 {%r10, %r11, %r12, %r13}, [%r1];\n"
        "stmatrix.sync.aligned.m8n8." +
        form +
        ".shared.b16 [%r1+4096], {%r10, %r11, %r12, %r13};\nbar.sync 0;\n"
        "mad.wide.u32 %rd1, %tid, 16, %a0;\n"
        "ld.shared.v4.b32 {%r20, %r21, %r22, %r23}, [%r1+4096];\n"
        "st.global.v4.b32 [%rd1], {%r20, %r21, %r22, %r23};\n";
    std::unique_ptr<Module> module = parseOrFail(kernelText(1, body));
    LaunchResult result =
        run(*module, {bufferOf("out", out, BufferKind::Output)}, blocksOf(32));
    EXPECT_EQ(findingsText(result), "");
    for (unsigned i = 0; i < 256; ++i)
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
