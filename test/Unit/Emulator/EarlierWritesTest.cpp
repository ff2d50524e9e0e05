//===- EarlierWritesTest.cpp - What launches leave to later ones ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

using namespace mlir::mirage::emulator;

namespace {

/// What a kernel of 32 threads says that does `body` with a workspace of 4096
/// bytes at %a0, of which some were written before.
LaunchResult runOn(const std::vector<ByteRange> &written,
                   const std::string &body,
                   BufferKind kind = BufferKind::Workspace) {
  std::unique_ptr<Module> module = parseOrFail(kernelText(1, body));
  std::vector<uint32_t> memory(1024);
  Buffer buffer = bufferOf("memory", memory, kind);
  buffer.written = written;
  return run(*module, {buffer}, blocksOf(32));
}

void expectUninitialized(const LaunchResult &result, unsigned byte) {
  ASSERT_EQ(result.findings.size(), 1u) << findingsText(result);
  EXPECT_EQ(result.findings[0].kind, FindingKind::UninitializedRead);
  EXPECT_EQ(result.findings[0].message,
            "read of byte " + std::to_string(byte) +
                " of buffer 'memory', which nobody has written");
  EXPECT_NE(result.findings[0].place.line, 0u);
}

TEST(EarlierWrites, AreDefinedByTheByte) {
  const std::string words = "mad.wide.u32 %rd1, %tid, 4, %a0;\n"
                            "ld.global.b32 %r1, [%rd1+32];\n";
  expectUninitialized(runOn({}, words), 32);
  EXPECT_TRUE(runOn({{32, 160}}, words).isClean());
  EXPECT_TRUE(runOn({{0, 4096}}, words).isClean());
  expectUninitialized(runOn({{33, 160}}, words), 32);
  expectUninitialized(runOn({{0, 159}, {160, 4096}}, words), 159);
  expectUninitialized(runOn({{0, 70}, {71, 4096}}, words), 70);
}

TEST(EarlierWrites, OfEachLane) {
  // From the last word down.
  const std::string apart = "sub.s32 %r1, 31, %tid;\n"
                            "mad.wide.u32 %rd1, %r1, 128, %a0;\n"
                            "ld.global.v2.b32 {%r2, %r3}, [%rd1];\n"
                            "add.s32 %r4, %r2, %r3;\n"
                            "st.shared.b32 [smem], %r4;\n";
  std::vector<ByteRange> written;
  for (uint64_t row = 0; row < 32; ++row)
    written.push_back({row * 128, row * 128 + 8});
  EXPECT_FALSE(
      hasFinding(runOn(written, apart), FindingKind::UninitializedRead));
  written[7].end -= 4;
  EXPECT_NE(findingsText(runOn(written, apart))
                .find("read of byte 900 of buffer 'memory', which nobody has "
                      "written"),
            std::string::npos);
}

TEST(EarlierWrites, ThisLaunchWritesTheRest) {
  const std::string body = "mad.wide.u32 %rd1, %tid, 4, %a0;\n"
                           "st.global.b32 [%rd1+64], %tid;\n"
                           "ld.global.b32 %r1, [%rd1+64];\n"
                           "red.global.add.u32 [%rd1+256], %r1;\n";
  EXPECT_TRUE(runOn({{0, 8}, {256, 384}}, body).isClean());
  expectUninitialized(runOn({{0, 8}, {260, 384}}, body), 256);
}

TEST(EarlierWrites, OfWhatIsCopied) {
  const std::string copy = R"(
    setp.eq.s32 %p1, %tid, 0;
    @!%p1 bra WAIT;
    mbarrier.init.shared.b64 [smem], 1;
    fence.mbarrier_init.release.cluster;
    mbarrier.arrive.expect_tx.shared.b64 _, [smem], 64;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [smem+64], [%a0+16], 64, [smem];
    WAIT:
    bar.warp.sync -1;
    AGAIN:
    mbarrier.try_wait.parity.shared.b64 %p2, [smem], 0;
    @!%p2 bra AGAIN;
  )";
  EXPECT_EQ(findingsText(runOn({{16, 80}}, copy)), "");
  expectUninitialized(runOn({{8, 40}, {41, 80}}, copy), 40);
}

TEST(EarlierWrites, CompleteAnOutput) {
  const std::string body = "mad.wide.u32 %rd1, %tid, 4, %a0;\n"
                           "st.global.b32 [%rd1+64], %tid;\n";
  EXPECT_TRUE(
      runOn({{0, 64}, {192, 4096}}, body, BufferKind::Output).isClean());
  EXPECT_NE(
      findingsText(runOn({{0, 64}, {200, 4096}}, body, BufferKind::Output))
          .find("8 of 4096 bytes of output buffer 'memory' were never "
                "written, the first at offset 192"),
      std::string::npos);
}

} // namespace
