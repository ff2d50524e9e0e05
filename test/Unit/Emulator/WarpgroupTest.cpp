//===- WarpgroupTest.cpp - What wgmma computes ----------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are laid out element by element from the rules measured on an H200,
// with small integers as values, so that sums are exact in any order.
//
//===----------------------------------------------------------------------===//

#include "InstructionSupport.h"

using namespace mlir::mirage;
using namespace mlir::mirage::emulator;

namespace {

/// A binary format, and how its name is written.
struct Format {
  std::string name;
  unsigned bits, exponentBits, fractionBits; ///< no exponent: integers
  bool isSigned = true;

  unsigned bytes() const { return bits / 8; }
  /// Of an integer that the format holds.
  uint32_t encode(int value) const {
    if (exponentBits == 0)
      return uint32_t(value) & 0xff;
    if (value == 0)
      return 0;
    uint32_t single = toBits(float(value));
    int exponent = int(single >> 23 & 0xff) - 127;
    uint32_t bias = (1u << (exponentBits - 1)) - 1;
    uint32_t fraction = (single & 0x7fffff) >> (23 - fractionBits);
    uint32_t magnitude = (exponent + bias) << fractionBits | fraction;
    unsigned used = 1 + exponentBits + fractionBits;
    uint32_t code = (single >> 31) << (used - 1) | magnitude;
    return code << (bits - used); // tf32 is left-aligned
  }
};
const Format f16 = {"f16", 16, 5, 10}, bf16 = {"bf16", 16, 8, 7},
             tf32 = {"tf32", 32, 8, 10}, e4m3 = {"e4m3", 8, 4, 3},
             e5m2 = {"e5m2", 8, 5, 2}, s8 = {"s8", 8, 0, 0},
             u8 = {"u8", 8, 0, 0, false};

/// Where an operand lies: the rules of the descriptor, by element.
struct Place {
  Swizzle swizzle = Swizzle::Bytes128;
  bool isMNMajor = false;
  uint32_t start = 0, leading = 0, stride = 0;

  uint32_t addressOf(unsigned mn, unsigned k, unsigned bytes) const {
    unsigned span = getSpanBytes(swizzle);
    unsigned x = (isMNMajor ? mn : k) * bytes, y = isMNMajor ? k : mn;
    uint32_t offset = 0;
    if (!isMNMajor)
      offset = span ? y % 8 * span + y / 8 * stride + x
                    : y % 8 * 16 + y / 8 * stride + x / 16 * leading + x % 16;
    else
      offset =
          span ? x % span + x / span * leading + y % 8 * span + y / 8 * stride
               : x % 16 + x / 16 * stride + y % 8 * 16 + y / 8 * leading;
    return applySwizzle(swizzle, start + offset);
  }

  /// With an address that counts from `smem`.
  std::string descriptor() const {
    uint64_t mode = swizzle == Swizzle::None       ? 0
                    : swizzle == Swizzle::Bytes128 ? 1
                    : swizzle == Swizzle::Bytes64  ? 2
                                                   : 3;
    return std::to_string(start / 16 | uint64_t(leading / 16) << 16 |
                          uint64_t(stride / 16) << 32 | mode << 62);
  }
};

/// Without overlaps, strides of either kind, for an operand of 256 at most.
Place placeAt(uint32_t start, Swizzle swizzle, bool isMNMajor,
              unsigned padding = 0) {
  Place place{swizzle, isMNMajor, start};
  unsigned span = getSpanBytes(swizzle);
  if (span == 0) { // 8 rows are 128 bytes
    place.stride = 128 + padding;
    place.leading = 33 * place.stride;
  } else {
    place.stride = 8 * span + padding;
    place.leading = isMNMajor ? 2 * place.stride : 16;
  }
  return place;
}

struct Product {
  Format a = f16, b = f16;
  std::string sum = "f32";
  unsigned columns = 64;
  Place left, right;
  bool hasFragments = false, accumulates = true;
  int scaleA = 1, scaleB = 1;
  bool saturates = false;
  int largest = 4;
  std::vector<int> valuesA, valuesB, valuesC;

  unsigned depth() const { return 32 / a.bytes(); }
  bool isTransposable() const { return a.bytes() == 2; }

  void fill() {
    uint32_t state = columns * 77 + 5;
    auto next = [&](const Format &format) {
      state = state * 1664525 + 1013904223;
      int value = int(state >> 16) % (2 * largest + 1);
      return format.isSigned ? value - largest : value;
    };
    for (unsigned i = 0; i < 64 * depth(); ++i)
      valuesA.push_back(next(a));
    for (unsigned i = 0; i < columns * depth(); ++i)
      valuesB.push_back(next(b));
    for (unsigned i = 0; i < 64 * columns; ++i)
      valuesC.push_back(next(s8));
  }

  int64_t expected(unsigned row, unsigned col) const {
    int64_t sum = 0;
    for (unsigned k = 0; k < depth(); ++k)
      sum += valuesA[row * depth() + k] * valuesB[col * depth() + k];
    return sum * scaleA * scaleB +
           (accumulates ? valuesC[row * columns + col] : 0);
  }

  std::string opcode() const {
    return "wgmma.mma_async.sync.aligned.m64n" + std::to_string(columns) + "k" +
           std::to_string(depth()) + (saturates ? ".satfinite." : ".") + sum +
           "." + a.name + "." + b.name;
  }
  std::string scales() const {
    if (sum == "s32")
      return "";
    std::string text =
        ", " + std::to_string(scaleA) + ", " + std::to_string(scaleB);
    if (isTransposable() && !hasFragments)
      text += left.isMNMajor ? ", 1" : ", 0";
    if (isTransposable())
      text += right.isMNMajor ? ", 1" : ", 0";
    return text;
  }
};

/// Shared memory with both operands in it.
std::vector<uint32_t> makeImage(const Product &product) {
  std::vector<uint32_t> image(12288);
  auto put = [&](const Format &format, uint32_t address, int value) {
    ASSERT_LT(address / 4, image.size());
    image[address / 4] |= format.encode(value) << (address % 4 * 8);
  };
  unsigned depth = product.depth();
  for (unsigned k = 0; k < depth; ++k) {
    for (unsigned m = 0; m < 64; ++m)
      if (!product.hasFragments)
        put(product.a, product.left.addressOf(m, k, product.a.bytes()),
            product.valuesA[m * depth + k]);
    for (unsigned n = 0; n < product.columns; ++n)
      put(product.b, product.right.addressOf(n, k, product.b.bytes()),
          product.valuesB[n * depth + k]);
  }
  return image;
}

/// The left operand in registers, [register][thread]: bits of the element
/// number first count along k inside of a register, then row + 8, then k.
std::vector<uint32_t> makeFragments(const Product &product) {
  std::vector<uint32_t> registers(4 * 128);
  unsigned per = 4 / product.a.bytes();
  for (unsigned thread = 0; thread < 128; ++thread)
    for (unsigned e = 0; e < 4 * per; ++e) {
      unsigned lane = thread % 32, row = thread / 32 * 16 + lane / 4;
      unsigned k = e % per + lane % 4 * per;
      row += e / per % 2 * 8;
      k += e / per / 2 * 4 * per;
      registers[e / per * 128 + thread] |=
          product.a.encode(product.valuesA[row * product.depth() + k])
          << (e % per * product.a.bits);
    }
  return registers;
}

unsigned rowOf(unsigned thread, unsigned e) {
  return thread / 32 * 16 + thread % 32 / 4 + (e >> 1 & 1) * 8;
}
unsigned columnOf(unsigned thread, unsigned e) {
  return thread % 4 * 2 + (e & 1) + (e >> 2) * 8;
}

/// Accumulators as registers, [register][thread].
std::vector<uint32_t> makeAccumulators(const Product &product) {
  std::vector<uint32_t> registers(128 * product.columns / 2);
  for (unsigned thread = 0; thread < 128; ++thread)
    for (unsigned e = 0; e < product.columns / 2; ++e) {
      int value = product.valuesC[rowOf(thread, e) * product.columns +
                                  columnOf(thread, e)];
      if (product.sum == "f16")
        registers[e / 2 * 128 + thread] |= f16.encode(value) << (e % 2 * 16);
      else
        registers[e * 128 + thread] =
            product.sum == "s32" ? uint32_t(value) : toBits(float(value));
    }
  return registers;
}

std::string list(const std::string &prefix, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "") + prefix + std::to_string(i);
  return text + "}";
}

std::string makeBody(const Product &product, unsigned numRegisters) {
  std::string body =
      ".reg .b32 %d<128>, %f<4>;\nshl.b32 %r1, %tid, 4;\nmov.b32 %r2, smem;\n"
      "COPY:\ncvt.u64.u32 %rd1, %r1;\nadd.s64 %rd1, %rd1, %a1;\n"
      "ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd1];\nadd.s32 %r3, %r2, %r1;\n"
      "st.shared.v4.b32 [%r3], {%r4, %r5, %r6, %r7};\nadd.s32 %r1, %r1, 2048;\n"
      "setp.lt.s32 %p1, %r1, 49152;\n@%p1 bra COPY;\n"
      "fence.proxy.async.shared::cta;\nbar.sync 0;\n";
  auto access = [&](const std::string &opcode, const std::string &prefix,
                    const char *base, unsigned count) {
    body += std::string("mad.wide.u32 %rd1, %tid, 4, ") + base + ";\n";
    for (unsigned i = 0; i < count; ++i) {
      std::string place = "[%rd1+" + std::to_string(i * 512) + "]";
      std::string name = prefix + std::to_string(i);
      body += opcode == "ld" ? "ld.global.b32 " + name + ", " + place + ";\n"
                             : "st.global.b32 " + place + ", " + name + ";\n";
    }
  };
  access("ld", "%d", "%a2", numRegisters);
  if (product.hasFragments)
    access("ld", "%f", "%a3", 4);
  body += "mov.b64 %rd2, " + product.left.descriptor() + ";\nmov.b64 %rd3, " +
          product.right.descriptor() +
          ";\nshr.u32 %r2, %r2, 4;\ncvt.u64.u32 %rd1, %r2;\n"
          "add.s64 %rd2, %rd2, %rd1;\nadd.s64 %rd3, %rd3, %rd1;\n"
          "setp.ne.b32 %p2, " +
          (product.accumulates ? "1" : "0") +
          ", 0;\nwgmma.fence.sync.aligned;\n" + product.opcode() + "\n\t" +
          list("%d", numRegisters) + ", " +
          (product.hasFragments ? list("%f", 4) : "%rd2") + ", %rd3, %p2" +
          product.scales() +
          ";\nwgmma.commit_group.sync.aligned;\n"
          "wgmma.wait_group.sync.aligned 0;\n";
  access("st", "%d", "%a0", numRegisters);
  return body;
}

void check(Product product,
           AsyncDelivery delivery = AsyncDelivery::WhenWaitedFor) {
  product.fill();
  unsigned numRegisters = product.columns / (product.sum == "f16" ? 4 : 2);
  std::vector<uint32_t> image = makeImage(product),
                        fragments = makeFragments(product),
                        accumulators = makeAccumulators(product),
                        out(128 * numRegisters);
  std::unique_ptr<Module> module =
      parseOrFail(kernelText(4, makeBody(product, numRegisters)));
  ASSERT_TRUE(module);
  LaunchConfig config = blocksOf(128);
  config.asyncDelivery = delivery;
  LaunchResult result = run(*module,
                            {bufferOf("out", out, BufferKind::Output),
                             bufferOf("image", image, BufferKind::Input),
                             bufferOf("c", accumulators, BufferKind::Input),
                             bufferOf("a", fragments, BufferKind::Input)},
                            config);
  EXPECT_EQ(findingsText(result), "") << product.opcode();
  EXPECT_EQ(result.counters.matrixFlops,
            2u * 64 * product.columns * product.depth());
  for (unsigned thread = 0; thread < 128; ++thread)
    for (unsigned e = 0; e < product.columns / 2; ++e) {
      int64_t expected =
          product.expected(rowOf(thread, e), columnOf(thread, e));
      uint32_t bits = product.sum == "f16"
                          ? out[e / 2 * 128 + thread] >> (e % 2 * 16) & 0xffff
                          : out[e * 128 + thread];
      double found = product.sum == "f16"   ? halfValue(bits)
                     : product.sum == "s32" ? int32_t(bits)
                                            : fromBits(bits);
      ASSERT_EQ(found, double(expected))
          << product.opcode() << " thread " << thread << " element " << e;
    }
}

const Swizzle swizzles[] = {Swizzle::None, Swizzle::Bytes32, Swizzle::Bytes64,
                            Swizzle::Bytes128};
constexpr uint32_t rightStart = 20480;

TEST(Warpgroup, AllWidths) {
  for (unsigned columns = 8; columns <= 256; columns += 8) {
    Product product;
    product.columns = columns;
    product.left = placeAt(0, Swizzle::Bytes32, false);
    product.right = placeAt(rightStart, Swizzle::Bytes32, false);
    check(product);
    product.hasFragments = true;
    product.sum = "f16";
    check(product);
  }
}

TEST(Warpgroup, AllPlacesOf16BitOperands) {
  for (Swizzle left : swizzles)
    for (Swizzle right : swizzles)
      for (unsigned majors = 0; majors < 4; ++majors)
        for (unsigned padding : {0, 16}) {
          Product product;
          product.columns = left == right ? 128 : 48;
          product.a = product.b = majors % 2 ? f16 : bf16;
          product.left = placeAt(0, left, majors & 1, padding);
          product.right = placeAt(rightStart, right, majors & 2, padding);
          check(product);
        }
}

TEST(Warpgroup, StartsOffThePeriod) {
  for (Swizzle swizzle : swizzles)
    for (uint32_t offset : {16, 32, 128, 640}) {
      if (getSpanBytes(swizzle) && offset % 128 + 32 > getSpanBytes(swizzle))
        continue; // would cross an atom along k
      Product product;
      product.left = placeAt(offset, swizzle, false);
      product.right = placeAt(rightStart + offset, swizzle, false);
      check(product);
    }
}

TEST(Warpgroup, OtherFormats) {
  struct Case {
    Format a, b;
    std::string sum;
  };
  for (const Case &entry :
       {Case{tf32, tf32, "f32"}, Case{e4m3, e4m3, "f32"},
        Case{e4m3, e5m2, "f32"}, Case{e5m2, e4m3, "f32"},
        Case{e5m2, e5m2, "f32"}, Case{e4m3, e5m2, "f16"}, Case{s8, s8, "s32"},
        Case{s8, u8, "s32"}, Case{u8, s8, "s32"}, Case{u8, u8, "s32"},
        Case{bf16, bf16, "f32"}})
    for (Swizzle swizzle : swizzles)
      for (bool hasFragments : {false, true}) {
        Product product;
        product.a = entry.a;
        product.b = entry.b;
        product.sum = entry.sum;
        product.columns = 32;
        product.hasFragments = hasFragments;
        product.left = placeAt(0, swizzle, false);
        product.right = placeAt(rightStart, swizzle, false);
        product.largest = entry.sum == "s32" ? 100 : 4;
        check(product);
      }
}

TEST(Warpgroup, ScalesAndDelivery) {
  for (int scaleA : {1, -1})
    for (int scaleB : {1, -1})
      for (bool accumulates : {false, true})
        for (AsyncDelivery delivery :
             {AsyncDelivery::WhenWaitedFor, AsyncDelivery::AtOnce}) {
          Product product;
          product.scaleA = scaleA;
          product.scaleB = scaleB;
          product.accumulates = accumulates;
          product.left = placeAt(0, Swizzle::Bytes128, false);
          product.right = placeAt(rightStart, Swizzle::Bytes64, true);
          check(product, delivery);
        }
}

/// Real numbers: the sum of 16 products and the accumulator differs from the
/// exact one by 17 roundings at most.
TEST(Warpgroup, SumsAreRoundedToF32) {
  std::vector<uint32_t> out(128 * 4), image(12288);
  uint32_t state = 3;
  for (unsigned i = 0; i < 64 * 128 / 4; ++i) {
    state = state * 1664525 + 1013904223;
    // f16 of any sign with exponents around 1.
    image[i] = (state & 0x8fff8fff) | 0x30003000;
  }
  Product product;
  product.columns = 8;
  product.accumulates = false;
  product.left = product.right = placeAt(0, Swizzle::Bytes128, false);
  std::vector<uint32_t> unused(512);
  std::unique_ptr<Module> module =
      parseOrFail(kernelText(4, makeBody(product, 4)));
  LaunchResult result = run(*module,
                            {bufferOf("out", out, BufferKind::Output),
                             bufferOf("image", image, BufferKind::Input),
                             bufferOf("c", unused, BufferKind::Input),
                             bufferOf("a", unused, BufferKind::Input)},
                            blocksOf(128));
  EXPECT_EQ(findingsText(result), "");
  auto element = [&](unsigned row, unsigned k) {
    uint32_t address = product.left.addressOf(row, k, 2);
    return halfValue(image[address / 4] >> (address % 4 * 8) & 0xffff);
  };
  for (unsigned thread = 0; thread < 128; ++thread)
    for (unsigned e = 0; e < 4; ++e) {
      double sum = 0, magnitude = 0;
      for (unsigned k = 0; k < 16; ++k) {
        double term =
            element(rowOf(thread, e), k) * element(columnOf(thread, e), k);
        sum += term;
        magnitude += std::fabs(term);
      }
      EXPECT_NEAR(fromBits(out[e * 128 + thread]), sum,
                  magnitude * 17 * 0x1p-24);
    }
}

TEST(Warpgroup, IntegerSumsSaturate) {
  for (bool saturates : {false, true}) {
    std::string body =
        ".reg .b32 %d<4>;\nmov.b32 %r1, 0x7f7f7f7f;\n"
        "mov.b32 %r3, smem;\nmad.lo.s32 %r2, %tid, 16, %r3;\n"
        "st.shared.v4.b32 [%r2], {%r1, %r1, %r1, "
        "%r1};\nfence.proxy.async;\nbar.sync 0;\nmov.b32 %d0, 2147483000;\n"
        "mov.b32 %d1, 5;\nmov.b32 %d2, 0;\nmov.b32 %d3, -5;\n"
        "setp.ne.b32 %p1, 1, 0;\nshr.u32 %r3, %r3, 4;\n"
        "cvt.u64.u32 %rd1, %r3;\nadd.s64 %rd1, %rd1, 34363932672;\n"
        "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k32" +
        std::string(saturates ? ".satfinite" : "") +
        ".s32.s8.s8 {%d0, %d1, %d2, %d3}, %rd1, %rd1, %p1;\n"
        "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
        "mad.wide.u32 %rd2, %tid, 16, %a0;\n"
        "st.global.v4.b32 [%rd2], {%d0, %d1, %d2, %d3};\n";
    std::vector<int32_t> out(512);
    std::unique_ptr<Module> module = parseOrFail(kernelText(1, body));
    LaunchResult result =
        run(*module, {bufferOf("out", out, BufferKind::Output)}, blocksOf(128));
    EXPECT_EQ(findingsText(result), "");
    constexpr int sum = 32 * 127 * 127;
    for (unsigned thread = 0; thread < 128; ++thread) {
      EXPECT_EQ(out[thread * 4],
                saturates ? 2147483647 : int32_t(2147483000u + unsigned(sum)));
      EXPECT_EQ(out[thread * 4 + 1], 5 + sum);
      EXPECT_EQ(out[thread * 4 + 3], sum - 5);
    }
  }
}

TEST(Warpgroup, FormsThatDoNotExist) {
  auto errors = [](const std::string &statement) {
    return parseErrors(kernelText(0, ".reg .b32 %d<128>;\n" + statement));
  };
  std::string operands = ", %rd1, %rd2, %p1, 1, 1, 0, 0;";
  EXPECT_NE(errors("wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 " +
                   list("%d", 6) + operands)
                .find("unexpected '.m64n12k16'"),
            std::string::npos);
  EXPECT_NE(errors("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 " +
                   list("%d", 4) + operands)
                .find("expected 8 registers, found 4"),
            std::string::npos);
  EXPECT_NE(errors("wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 " +
                   list("%d", 4) + operands)
                .find("found 8"),
            std::string::npos);
}

} // namespace
