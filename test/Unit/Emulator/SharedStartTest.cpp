//===- SharedStartTest.cpp - Where shared memory starts -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On sm_90 the system keeps the first 1024 bytes of a block's shared memory, so
// that no variable is at address 0.
//
//===----------------------------------------------------------------------===//

#include "AsyncSupport.h"

using namespace mlir::mirage;
using namespace mlir::mirage::emulator;

namespace {

/// Runs a kernel of 32 threads, 48 static bytes of shared memory in front of
/// 4096 dynamic ones, for a target.
LaunchResult runFor(const std::string &target, const std::string &body,
                    std::vector<uint32_t> &out) {
  std::string text = kernelText(1, ".shared .align 16 .b8 first[48];\n" + body);
  text.replace(text.find("sm_90a"), 6, target);
  std::unique_ptr<Module> module = parseOrFail(text);
  if (!module)
    return {};
  return run(*module, {bufferOf("out", out, BufferKind::InOut)},
             blocksOf(32, 1, 4096));
}

/// What a store of thread 0 to a shared address is found guilty of.
std::string findAt(const std::string &target, const std::string &address) {
  std::vector<uint32_t> out(4);
  return findingsText(runFor(target,
                             "mov.b32 %r1, first;\nmov.b32 %r2, smem;\n"
                             "setp.eq.s32 %p1, %tid, 0;\nmov.b32 %r3, " +
                                 address + ";\n@%p1 st.shared.b32 [%r3], 1;\n",
                             out));
}

TEST(SharedStart, PlacesOfVariables) {
  const std::string text =
      "mov.b32 %r1, first;\nmov.b32 %r2, smem;\ncvt.u64.u32 %rd1, %r2;\n"
      "cvta.shared.u64 %rd1, %rd1;\ncvta.to.shared.u64 %rd1, %rd1;\n"
      "cvt.u32.u64 %r3, %rd1;\nmov.u32 %r4, %total_smem_size;\n"
      "setp.eq.s32 %p1, %tid, 0;\n"
      "@%p1 st.global.v4.b32 [%a0], {%r1, %r2, %r3, %r4};\n";
  for (auto [target, start] :
       {std::pair("sm_80", 0u), std::pair("sm_90", 1024u),
        std::pair("sm_90a", 1024u), std::pair("sm_100a", 1024u)}) {
    std::vector<uint32_t> out(4);
    EXPECT_EQ(findingsText(runFor(target, text, out)), "");
    EXPECT_EQ(out, (std::vector<uint32_t>{start, start + 1024, start + 1024,
                                          1024 + 4096}));
  }
}

TEST(SharedStart, BoundsOfAccesses) {
  EXPECT_EQ(findAt("sm_80", "0"), "");
  EXPECT_NE(findAt("sm_90a", "0")
                .find("write of 4 bytes at shared address 0, "
                      "the block has 5120 bytes from 1024 on"),
            std::string::npos);
  EXPECT_NE(findAt("sm_90a", "1020").find("shared address 1020"),
            std::string::npos);
  EXPECT_EQ(findAt("sm_90a", "1024"), "");
  EXPECT_EQ(findAt("sm_90a", "6140"), "");
  EXPECT_NE(findAt("sm_90a", "6144").find("shared address 6144"),
            std::string::npos);
  const std::string behind = findAt("sm_80", "5120");
  EXPECT_NE(behind.find("the block has 5120 bytes"), std::string::npos);
  EXPECT_EQ(behind.find("bytes from"), std::string::npos);
  // Bytes that nobody has written.
  std::vector<uint32_t> out(32);
  EXPECT_NE(findingsText(runFor("sm_90a",
                                "mov.b32 %r1, first;\nld.shared.b32 %r2, "
                                "[%r1];\nst.global.b32 [%a0], %r2;\n",
                                out))
                .find("shared byte 1024"),
            std::string::npos);
}

TEST(SharedStart, BoundsOfCopiesAndMatrices) {
  auto copyTo = [](const std::string &place) {
    return init({{0, 1}}) + expectBytes(16) + "mov.b32 %r1, " + place +
           ";\n@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx"
           "::bytes [%r1], [%in], 16, [%full];\n" +
           waitFor("%full", "0", "W");
  };
  expectClean(AsyncKernel(copyTo("1024")));
  expectFault(AsyncKernel(copyTo("1008")), FindingKind::OutOfBounds,
              "at shared address 1008");
  // A descriptor of operands from address 0 on.
  const std::string multiply =
      ".reg .b32 %d<4>;\nsetp.ne.b32 %p1, 1, 1;\nmov.b64 %rd1, " +
      std::to_string(uint64_t(16) << 32 | uint64_t(8) << 16) +
      ";\nwgmma.fence.sync.aligned;\n"
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, "
      "%rd1, %rd1, %p1, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\n"
      "wgmma.wait_group.sync.aligned 0;\n";
  expectFault(AsyncKernel(multiply), FindingKind::OutOfBounds,
              "at shared address 0, the block has");
}

} // namespace
