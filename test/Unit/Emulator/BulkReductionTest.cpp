//===- BulkReductionTest.cpp - cp.reduce.async.bulk -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsyncSupport.h"

using namespace mlir::mirage;
using namespace mlir::mirage::emulator;

namespace {

const std::string fence = "fence.proxy.async.shared::cta;\n";

/// Thread 0 reduces the 512 bytes at %sm into `out`.
std::string reduce(const std::string &operation) {
  return "@%p0 cp.reduce.async.bulk.global.shared::cta.bulk_group." +
         operation + " [%out], [%sm], 512;\n" +
         "@%p0 cp.async.bulk.commit_group;\n";
}
const std::string waitForGroup = "@%p0 cp.async.bulk.wait_group 0;\n";

/// The first four words of `out`, all words of which were `there`, after a
/// reduction of words that are `given` each.
std::vector<uint32_t> reduceWords(const std::string &operation,
                                  std::array<uint32_t, 4> there,
                                  std::array<uint32_t, 4> given) {
  std::string words;
  for (uint32_t word : given)
    words += (words.empty() ? "" : ", ") + std::to_string(word);
  AsyncKernel kernel("shl.b32 %r1, %tid, 4;\nadd.s32 %r1, %r1, %sm;\n"
                     "setp.lt.s32 %p1, %tid, 32;\n"
                     "@%p1 st.shared.v4.b32 [%r1], {" +
                     words + "};\n" + fence + barSync + reduce(operation) +
                     waitForGroup);
  for (size_t i = 0; i < kernel.out.size(); ++i)
    kernel.out[i] = there[i % 4];
  std::vector<uint32_t> out = expectClean(kernel);
  for (size_t i = 4; i < 128; ++i)
    EXPECT_EQ(out[i], out[i % 4]) << operation;
  EXPECT_EQ(out[128], there[0]) << operation;
  out.resize(4);
  return out;
}

using Words = std::vector<uint32_t>;

TEST(BulkReduction, Integers) {
  const uint32_t minus = uint32_t(-5);
  EXPECT_EQ(reduceWords("add.u32", {1, 2, minus, ~0u}, {10, 20, 6, 1}),
            (Words{11, 22, 1, 0}));
  EXPECT_EQ(reduceWords("add.s32", {1, 2, minus, 0}, {minus, 0, 6, 0}),
            (Words{uint32_t(-4), 2, 1, 0}));
  EXPECT_EQ(reduceWords("add.u64", {~0u, 0, 5, 7}, {1, 0, 1, 1}),
            (Words{0, 1, 6, 8}));
  EXPECT_EQ(reduceWords("min.u32", {1, 9, minus, 0}, {2, 8, 3, minus}),
            (Words{1, 8, 3, 0}));
  EXPECT_EQ(reduceWords("min.s32", {1, 9, minus, 0}, {2, 8, 3, minus}),
            (Words{1, 8, minus, minus}));
  EXPECT_EQ(reduceWords("max.s32", {1, 9, minus, 0}, {2, 8, 3, minus}),
            (Words{2, 9, 3, 0}));
  EXPECT_EQ(reduceWords("max.u64", {0, 1, 5, 5}, {9, 0, 6, 5}),
            (Words{0, 1, 6, 5}));
  EXPECT_EQ(reduceWords("min.s64", {0, 1, 0, ~0u}, {9, 0, 6, 5}),
            (Words{9, 0, 0, ~0u}));
  EXPECT_EQ(reduceWords("inc.u32", {0, 4, 5, 9}, {5, 5, 5, 5}),
            (Words{1, 5, 0, 0}));
  EXPECT_EQ(reduceWords("dec.u32", {0, 4, 5, 9}, {5, 5, 5, 5}),
            (Words{5, 3, 4, 5}));
  EXPECT_EQ(reduceWords("and.b32", {12, 1, 0, 7}, {10, 3, 1, 7}),
            (Words{8, 1, 0, 7}));
  EXPECT_EQ(reduceWords("or.b64", {12, 1, 0, 7}, {10, 3, 1, 7}),
            (Words{14, 3, 1, 7}));
  EXPECT_EQ(reduceWords("xor.b32", {12, 1, 0, 7}, {10, 3, 1, 7}),
            (Words{6, 2, 1, 0}));
}

TEST(BulkReduction, Floats) {
  // 1.5, 2, -1, 0.25 of f32; sums.
  EXPECT_EQ(reduceWords("add.f32",
                        {0x3fc00000, 0x40000000, 0xbf800000, 0x3e800000},
                        {0x3fc00000, 0xc0000000, 0xbf800000, 0x3e800000}),
            (Words{0x40400000, 0, 0xc0000000, 0x3f000000}));
  // 1.0 + 2.0 of f64.
  EXPECT_EQ(reduceWords("add.f64", {0, 0x3ff00000, 0, 0},
                        {0, 0x40000000, 0, 0x3ff00000}),
            (Words{0, 0x40080000, 0, 0x3ff00000}));
  // Pairs of 1 and 2, of f16 and bf16.
  EXPECT_EQ(reduceWords("add.noftz.f16", {0x40003c00, 0, 0x3c003c00, 0},
                        {0x3c003c00, 0, 0xbc00bc00, 1}),
            (Words{0x42004000, 0, 0, 1}));
  EXPECT_EQ(reduceWords("add.noftz.bf16", {0x40003f80, 0, 0, 0},
                        {0x3f803f80, 0, 0, 0}),
            (Words{0x40404000, 0, 0, 0}));
  // Of a NaN and a number the number; -0 is less than +0.
  EXPECT_EQ(reduceWords("min.f16", {0x40003c00, 0x7fff3c00, 0x80000000, 0},
                        {0x3c004000, 0x3c007fff, 0x00008000, 0}),
            (Words{0x3c003c00, 0x3c003c00, 0x80008000, 0}));
  EXPECT_EQ(reduceWords("max.bf16", {0x40003f80, 0x7fff3f80, 0x80000000, 0},
                        {0x3f804000, 0x3f807fff, 0x00008000, 0}),
            (Words{0x40004000, 0x3f803f80, 0, 0}));
}

TEST(BulkReduction, OrderOfSourceAndDestination) {
  auto text = [](const std::string &before, const std::string &after) {
    return "@%p0 st.global.b32 [%out], 5;\n" + before + writeMine + fence +
           barSync + reduce("add.u32") + after;
  };
  const std::string readBack =
      "ld.global.b32 %r1, [%out+4];\nst.shared.b32 [%mine+1024], %r1;\n";
  const std::string globalFence = "@%p0 fence.proxy.async.global;\n";
  EXPECT_EQ(expectClean(AsyncKernel(
                text(globalFence, waitForGroup + barSync + readBack)))[0],
            5u);
  expectFault(AsyncKernel(text("", waitForGroup)),
              FindingKind::MissingProxyFence);
  expectFault(AsyncKernel(text(globalFence, barSync + readBack + waitForGroup)),
              FindingKind::GlobalRace);
  expectFault(
      AsyncKernel(text(globalFence, barSync + writeMine + waitForGroup)),
      FindingKind::SharedRace);
  AsyncKernel noFence(writeMine + barSync + reduce("add.u32") + waitForGroup);
  expectFault(noFence, FindingKind::MissingProxyFence);
  expectFault(AsyncKernel(writeMine + fence + barSync +
                          "mov.b32 %r9, 24;\n"
                          "@%p0 cp.reduce.async.bulk.global.shared::cta."
                          "bulk_group.add.u32 [%out], [%sm], %r9;\n"),
              FindingKind::CopyMisuse, "multiple of 16 bytes");
}

/// Blocks reduce into one place: they are atomic among themselves, and nothing
/// else is.
TEST(BulkReduction, BlocksShareADestination) {
  const std::string body = writeMine + fence + barSync;
  AsyncKernel kernel(body + reduce("add.u32") + waitForGroup);
  kernel.grid = 6;
  std::vector<uint32_t> out = expectClean(kernel);
  EXPECT_EQ(out[1], 6u);
  EXPECT_EQ(out[127], 6 * 127u);
  AsyncKernel mixed(body +
                    "mov.u32 %r5, %ctaid.x;\nsetp.eq.s32 %p2, %r5, 1;\n"
                    "@%p2 bra STORE;\n" +
                    reduce("add.u32") + waitForGroup +
                    "bra END;\nSTORE:\n@%p0 st.global.b32 [%out], 1;\nEND:\n");
  mixed.grid = 2;
  expectFault(mixed, FindingKind::GlobalRace);
}

/// Each block adds its words to the other's.
TEST(BulkReduction, IntoAPeer) {
  auto text = [](const std::string &between) {
    return "@%p0 mbarrier.init.shared::cta.b64 [%full], 1;\n"
           "@%p0 fence.mbarrier_init.release.cluster;\n"
           "st.shared.b32 [%mine], %r45;\nst.shared.b32 [%mine+1024], 1000;\n" +
           between + meet + expectBytes(512) +
           "add.s32 %r46, %r42, 1024;\n"
           "@%p0 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::"
           "complete_tx::bytes.add.u32 [%r46], [%sm], 512, [%r43];\n" +
           waitFor("%full", "0", "W") +
           "ld.shared.b32 %r1, [%mine+1024];\n"
           "st.global.b32 [%rd5], %r1;\n" +
           meet;
  };
  std::vector<uint32_t> out = expectClean(pair(text(fence)));
  EXPECT_EQ(out[0], 1128u);
  EXPECT_EQ(out[128 + 3], 1003u);
  expectFault(pair(text("")), FindingKind::MissingProxyFence);
}

} // namespace
