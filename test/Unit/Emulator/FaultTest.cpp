//===- FaultTest.cpp - Kernels with planted faults, and twins without -----===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FaultSupport.h"

using namespace mlir::mirage::emulator;

namespace {

std::string readOpposite() {
  return "mov.b32 %r1, smem;\nsub.s32 %r2, 127, %tid;\n"
         "mad.lo.s32 %r1, %r2, 4, %r1;\nld.shared.b32 %r50, [%r1];\n";
}

/// The launch before this one writes `extra` and reads the second half of it.
LaunchConfig afterAnother(bool hasWaited = true) {
  LaunchConfig config;
  config.unfinished = {{{1, {0, 2048}, /*isWrite=*/true}, hasWaited},
                       {{1, {2048, 4096}, /*isWrite=*/false}, hasWaited}};
  return config;
}

TEST(Fault, EarlierGridsThatMayNotHaveEnded) { // 27
  const std::string wait = "griddepcontrol.wait;\n";
  const std::string read = "ld.global.b32 %r50, [%a1+1024];\n";
  auto kinds = [](const std::string &body, LaunchConfig config) {
    return findingsText(runBody(body, 64, 2, config));
  };
  EXPECT_NE(kinds(read, afterAnother()).find("expected griddepcontrol.wait"),
            std::string::npos);
  EXPECT_EQ(kinds(wait + read, afterAnother()), "");
  EXPECT_EQ(kinds(read, {}), "");
  // One warp waits for all, if a barrier tells the others.
  const std::string first = "setp.lt.u32 %p1, %tid, 32;\n@%p1 " + wait;
  EXPECT_NE(kinds(first + read, afterAnother()), "");
  EXPECT_EQ(kinds(first + "bar.sync 0;\n" + read, afterAnother()), "");
  // What is only read may be read; a store takes the wait.
  EXPECT_EQ(kinds("ld.global.b32 %r50, [%a1+2048];\n", afterAnother()), "");
  const std::string store = "mad.wide.u32 %rd1, %r59, 4, %a1;\n"
                            "st.global.b32 [%rd1+2048], %tid;\n";
  EXPECT_NE(kinds(store, afterAnother()).find("write of byte 2048"),
            std::string::npos);
  EXPECT_EQ(kinds(wait + store, afterAnother()), "");
  // Three grids, and the middle one never waited.
  EXPECT_NE(kinds(wait + read, afterAnother(false)).find("each grid between"),
            std::string::npos);
}

/// One block waits for all of its cluster, if their barrier tells the others.
TEST(Fault, EarlierGridsThatAnotherBlockWaitsFor) {
  auto findings = [](const std::string &arrive) {
    LaunchConfig config = afterAnother();
    config.cluster = {2, 1, 1};
    return findingsText(
        runBody("mov.u32 %r1, %cluster_ctarank;\nsetp.eq.b32 %p1, %r1, 0;\n"
                "@%p1 griddepcontrol.wait;\nbarrier.cluster.arrive" +
                    arrive +
                    ".aligned;\nbarrier.cluster.wait.aligned;\n"
                    "ld.global.b32 %r50, [%a1+1024];\n",
                64, 2, config));
  };
  EXPECT_EQ(findings(".release"), "");
  EXPECT_NE(findings(".relaxed").find("expected griddepcontrol.wait"),
            std::string::npos);
}

TEST(Fault, WhatALaunchTellsTheNext) {
  LaunchResult result = runBody("st.global.b32 [%a1+64], 7;\n", 1, 1);
  EXPECT_FALSE(result.waitedForEarlierGrids);
  ASSERT_EQ(result.uses.size(), 2u);
  EXPECT_EQ(result.uses[1].buffer, 1u);
  EXPECT_EQ(result.uses[1].bytes.begin, 64u);
  EXPECT_EQ(result.uses[1].bytes.end, 68u);
  EXPECT_TRUE(result.uses[1].isWrite);
  EXPECT_TRUE(runBody("griddepcontrol.wait;\n", 32, 3).waitedForEarlierGrids);
  // Not in all blocks.
  EXPECT_FALSE(
      runBody("setp.eq.u32 %p1, %r59, 0;\n@%p1 griddepcontrol.wait;\n", 32, 3)
          .waitedForEarlierGrids);
}

TEST(Fault, ReadAfterWriteWithoutBarrier) { // 1
  std::string store = "st.shared.b32 [%r57], %tid;\n";
  expectFault(store + readOpposite(), FindingKind::SharedRace);
  expectClean(store + "bar.sync 0;\n" + readOpposite());
}

TEST(Fault, WriteAfterReadInALoop) { // 2
  auto loop = [](bool isRight) {
    return "mov.b32 %r10, 0;\nLOOP:\nst.shared.b32 [%r57], %r10;\n"
           "bar.sync 0;\n" +
           readOpposite() + (isRight ? "bar.sync 0;\n" : "") +
           "add.s32 %r10, %r10, 1;\nsetp.lt.s32 %p1, %r10, 4;\n"
           "@%p1 bra LOOP;\n";
  };
  expectFault(loop(false), FindingKind::SharedRace);
  expectClean(loop(true));
}

TEST(Fault, NamedBarrierLeavesOutAReader) { // 3
  auto text = [](const char *count, const char *members) {
    return std::string("setp.ge.u32 %p1, %tid, 96;\n@%p1 bra END;\n"
                       "setp.ge.u32 %p2, %tid, 64;\n"
                       "@!%p2 st.shared.b32 [%r57], %tid;\n"
                       "setp.ge.u32 %p3, %tid, ") +
           members + ";\n@%p3 bra READ;\nbar.sync 1, " + count +
           ";\nREAD:\n@%p2 ld.shared.b32 %r50, [%r57+-256];\nEND:\n";
  };
  expectFault(text("64", "64"), FindingKind::SharedRace);
  expectClean(text("96", "96"));
}

TEST(Fault, ArrivesBeforeItsStore) { // 4
  auto text = [](bool isRight) {
    std::string store = "st.shared.b32 [%r57], %tid;\n";
    std::string arrive = "bar.arrive 1, 128;\n";
    return "setp.ge.u32 %p1, %tid, 64;\n@%p1 bra CONSUME;\n" +
           (isRight ? store + arrive : arrive + store) +
           "bra END;\nCONSUME:\nbar.sync 1, 128;\n"
           "ld.shared.b32 %r50, [%r57+-256];\nEND:\n";
  };
  expectFault(text(false), FindingKind::SharedRace);
  expectClean(text(true));
}

TEST(Fault, AlignedBarrierInDivergentCode) { // 5
  expectFault("setp.ge.u32 %p1, %tid, 16;\n@%p1 bra END;\nbar.sync 0;\nEND:\n",
              FindingKind::DivergentAligned);
  expectClean("setp.ge.u32 %p1, %tid, 16;\n@%p1 bra END;\nEND:\nbar.sync 0;\n");
}

TEST(Fault, LanesOfOneWarpWithoutSync) { // 6
  auto text = [](const char *sync) {
    return std::string("setp.ne.b32 %p1, %tid, 0;\n"
                       "@!%p1 st.shared.b32 [smem], 7;\n") +
           sync +
           "setp.eq.b32 %p2, %tid, 1;\n@%p2 ld.shared.b32 %r50, [smem];\n";
  };
  LaunchResult result = runBody(text(""), 32);
  EXPECT_TRUE(hasFinding(result, FindingKind::IntraWarpRace))
      << findingsText(result);
  EXPECT_TRUE(result.isClean()) << "a warning must not fail the launch";
  expectClean(text("bar.warp.sync -1;\n"), 32);
}

TEST(Fault, HalvesOfOneWord) { // 7
  auto text = [](const char *stride) {
    return std::string("cvt.u16.u32 %h1, %tid;\nmov.b32 %r1, smem;\n"
                       "mad.lo.s32 %r1, %tid, ") +
           stride + ", %r1;\nst.shared.b16 [%r1], %h1;\n";
  };
  expectClean(text("2"));
  // Warps too: each 16-bit half belongs to another warp.
  expectClean("cvt.u16.u32 %h1, %tid;\nmov.b32 %r1, smem;\n"
              "and.b32 %r2, %tid, 31;\nmad.lo.s32 %r1, %r2, 8, %r1;\n"
              "shr.u32 %r3, %tid, 5;\nmad.lo.s32 %r1, %r3, 2, %r1;\n"
              "st.shared.b16 [%r1], %h1;\nld.shared.b16 %h2, [%r1];\n");
  expectFault(text("0"), FindingKind::StoreConflict, 32);
  expectFault(text("0"), FindingKind::SharedRace, 64);
}

std::string copyOwn(const std::string &wait) {
  return "mad.wide.u32 %rd1, %tid, 4, %a1;\nmad.lo.s32 %r1, %tid, 4, 0;\n"
         "cvt.u64.u32 %rd2, %r57;\n"
         "cp.async.ca.shared.global [%rd2], [%rd1], 4;\n"
         "cp.async.commit_group;\n" +
         wait;
}

TEST(Fault, AsyncCopyNotWaitedFor) { // 8
  std::string read = "ld.shared.b32 %r50, [%r57];\n";
  LaunchResult result = runBody(copyOwn("bar.sync 0;\n") + read);
  EXPECT_TRUE(hasFinding(result, FindingKind::SharedRace))
      << findingsText(result);
  EXPECT_TRUE(hasFinding(result, FindingKind::UnwaitedCopy))
      << findingsText(result);
  expectFault(copyOwn("cp.async.wait_group 1;\nbar.sync 0;\n") + read,
              FindingKind::SharedRace);
  expectClean(copyOwn("cp.async.wait_group 0;\nbar.sync 0;\n") + read);
  expectClean(copyOwn("cp.async.wait_all;\nbar.sync 0;\n") + read);
}

/// An address may be a variable itself.
TEST(Fault, AsyncCopyToAVariable) {
  std::string copy =
      "setp.ne.b32 %p1, %tid, 0;\n"
      "@!%p1 cp.async.ca.shared.global [smem+512], [%a1+16], 4;\n"
      "cp.async.wait_all;\nbar.sync 0;\n";
  expectClean(copy + "ld.shared.b32 %r50, [smem+512];\n");
  expectFault(copy + "ld.shared.b32 %r50, [smem+516];\n",
              FindingKind::UninitializedRead);
}

TEST(Fault, AsyncCopyReadByAnotherWarpWithoutBarrier) { // 9
  std::string wait = "cp.async.wait_group 0;\n";
  expectFault(copyOwn(wait) + readOpposite(), FindingKind::SharedRace);
  expectClean(copyOwn(wait + "bar.sync 0;\n") + readOpposite());
}

/// A block adds what all blocks left; `publish` and `poll` differ.
std::string splitWork(const std::string &publish, const std::string &poll) {
  return R"(
    mad.wide.u32 %rd1, %r59, 4, %a1;
    st.global.b32 [%rd1+64], %tid;
    bar.sync 0;
    setp.ne.b32 %p1, %tid, 0;
    @%p1 bra MEET;
  )" + publish +
         "POLL:\n" + poll + R"(
    setp.lt.u32 %p2, %r1, 4;
    @%p2 bra POLL;
MEET:
    bar.sync 0;
    ld.global.b32 %r50, [%a1+64];
    ld.global.b32 %r51, [%a1+568];
    add.s32 %r50, %r50, %r51;
  )";
}

TEST(Fault, RelaxedCounterPublishesNothing) { // 23
  std::string poll = "ld.acquire.gpu.global.b32 %r1, [%a1];\n";
  // As LLVM prints `atomicrmw ... acq_rel`.
  expectFault(splitWork("atom.global.add.u32 %r1, [%a1], 1;\n", poll),
              FindingKind::GlobalRace, 32, 4);
  expectClean(splitWork("red.release.gpu.global.add.u32 [%a1], 1;\n", poll), 32,
              4);
  expectClean(
      splitWork("fence.release.gpu;\natom.global.add.u32 %r1, [%a1], 1;\n",
                poll),
      32, 4);
}

TEST(Fault, ScopeTooNarrowOrPollTooWeak) { // 24
  std::string release = "red.release.gpu.global.add.u32 [%a1], 1;\n";
  expectFault(splitWork("red.release.cta.global.add.u32 [%a1], 1;\n",
                        "ld.acquire.gpu.global.b32 %r1, [%a1];\n"),
              FindingKind::GlobalRace, 32, 4);
  expectFault(splitWork(release, "ld.acquire.cta.global.b32 %r1, [%a1];\n"),
              FindingKind::GlobalRace, 32, 4);
  expectFault(splitWork(release, "ld.volatile.global.b32 %r1, [%a1];\n"),
              FindingKind::GlobalRace, 32, 4);
  expectClean(splitWork(release, "ld.volatile.global.b32 %r1, [%a1];\n"
                                 "fence.acq_rel.gpu;\n"),
              32, 4);
}

TEST(Fault, CounterBarrierOverMoreBlocksThanFit) { // 25
  auto text = [](const char *blocks) {
    return std::string("setp.ne.b32 %p1, %tid, 0;\n@%p1 bra MEET;\n"
                       "red.release.gpu.global.add.u32 [%a1], 1;\nPOLL:\n"
                       "ld.acquire.gpu.global.b32 %r1, [%a1];\n"
                       "setp.lt.u32 %p2, %r1, ") +
           blocks + ";\n@%p2 bra POLL;\nMEET:\nbar.sync 0;\n";
  };
  LaunchConfig config;
  config.dynamicSharedBytes = 200 * 1024; // one block per SM
  LaunchResult result = runBody(text("133"), 32, 133, config);
  EXPECT_TRUE(hasFinding(result, FindingKind::Deadlock));
  EXPECT_FALSE(result.completed);
  EXPECT_NE(findingsText(result).find("1 of the grid were not started"),
            std::string::npos)
      << findingsText(result);
  result = runBody(text("132"), 32, 132, config);
  EXPECT_EQ(findingsText(result), "");
}

TEST(Fault, BlocksStoreToOnePlace) { // 26
  // Kernels whose blocks cannot talk are judged at their end.
  expectFault("st.global.b32 [%a1], %r59;\n", FindingKind::GlobalRace, 1, 4);
  expectFault("ld.global.b32 %r50, [%a1];\nsetp.eq.b32 %p1, %r59, 3;\n"
              "@%p1 st.global.b32 [%a1], %r59;\n",
              FindingKind::GlobalRace, 1, 4);
  expectClean("mad.wide.u32 %rd1, %r59, 4, %a1;\n"
              "st.global.b32 [%rd1], %r59;\n",
              1, 4);
  // Halves of one word do not meet.
  expectClean("mad.wide.u32 %rd1, %r59, 2, %a1;\ncvt.u16.u32 %h1, %r59;\n"
              "st.global.b16 [%rd1], %h1;\n",
              1, 4);
  expectFault("atom.global.add.u32 %r1, [%a1], 1;\nsetp.eq.b32 %p1, %r59, 3;\n"
              "@%p1 st.global.b32 [%a1], %r59;\n",
              FindingKind::GlobalRace, 1, 4);
  expectClean("atom.global.add.u32 %r1, [%a1], 1;\n", 1, 4);
}

TEST(Fault, OneOfManyReadersReachesAStore) {
  // 64 blocks read 8 bytes, one reads 16, and one stores into the last 8.
  auto text = [](const char *offset) {
    return std::string("setp.eq.b32 %p1, %r59, 65;\n@%p1 bra STORE;\n"
                       "setp.eq.b32 %p1, %r59, 64;\n@%p1 bra WIDE;\n"
                       "ld.global.v2.b32 {%r50, %r51}, [%a1];\nbra DONE;\n"
                       "WIDE:\n"
                       "ld.global.v4.b32 {%r50, %r51, %r52, %r53}, [%a1];\n"
                       "add.s32 %r50, %r52, %r53;\nbra DONE;\n"
                       "STORE:\nst.global.b32 [%a1+") +
           offset + "], %r59;\nDONE:\n";
  };
  expectFault(text("8"), FindingKind::GlobalRace, 1, 66);
  expectClean(text("16"), 1, 66);
}

TEST(Fault, WarpsOfOneBlockInGlobalMemory) {
  auto text = [](const char *barrier) {
    return std::string("mad.wide.u32 %rd1, %tid, 4, %a1;\n"
                       "st.global.b32 [%rd1], %tid;\n") +
           barrier +
           "sub.s32 %r1, 127, %tid;\nmad.wide.u32 %rd2, %r1, 4, %a1;\n"
           "ld.global.b32 %r50, [%rd2];\n";
  };
  expectFault(text(""), FindingKind::GlobalRace);
  expectClean(text("bar.sync 0;\n"));
}

TEST(Fault, Uninitialized) { // 30
  expectFault("ld.shared.b32 %r50, [%r57];\n", FindingKind::UninitializedRead);
  expectFault("ld.global.b32 %r50, [%rd20];\n", FindingKind::UninitializedRead);
  // One byte of a word is enough.
  expectFault("mov.b16 %h1, 0;\nst.shared.b8 [%r57], %h1;\n"
              "st.shared.b8 [%r57+1], %h1;\nst.shared.b8 [%r57+3], %h1;\n"
              "ld.shared.b32 %r50, [%r57];\n",
              FindingKind::UninitializedRead);
}

TEST(Fault, WhatNothingUsesNeedNotBeWritten) {
  // LLVM reads four where the program reads three.
  auto text = [](const char *use) {
    return std::string("shl.b32 %r9, %tid, 4;\nmov.b32 %r8, smem;\n"
                       "add.s32 %r9, %r9, %r8;\n"
                       "st.shared.v2.b32 [%r9], {%tid, %tid};\n"
                       "st.shared.b32 [%r9+8], %tid;\n"
                       "ld.shared.v4.b32 {%r1, %r2, %r3, %r4}, [%r9];\n"
                       "add.s32 %r50, %r1, %r2;\n"
                       "add.s32 %r50, %r50, %r3;\n") +
           use;
  };
  expectClean(text(""));
  expectFault(text("add.s32 %r50, %r50, %r4;\n"),
              FindingKind::UninitializedRead);
  // The same in one word, and a load that nobody could have widened.
  std::string half = "mov.b16 %h1, 0;\nst.shared.b16 [%r57], %h1;\n"
                     "ld.shared.v2.b16 {%h2, %h3}, [%r57];\n"
                     "cvt.u32.u16 %r50, %h2;\n";
  expectClean(half);
  expectFault(half + "cvt.u32.u16 %r50, %h3;\n",
              FindingKind::UninitializedRead);
  expectFault("ld.shared.v2.b32 {%r1, %r2}, [smem];\n",
              FindingKind::UninitializedRead);
}

TEST(Fault, OutOfBounds) { // 30
  expectFault("ld.global.b32 %r50, [%a1+4096];\n", FindingKind::OutOfBounds);
  expectFault("st.global.b32 [%a1+-4], %r50;\n", FindingKind::OutOfBounds);
  expectFault("st.shared.b32 [%r57+16380], %r50;\n", FindingKind::OutOfBounds);
  LaunchResult result = runBody("ld.global.b32 %r50, [%a1+4096];\n");
  EXPECT_NE(findingsText(result).find(
                "read of 4 bytes at offset 4096 of buffer 'extra', which has "
                "4096 bytes"),
            std::string::npos)
      << findingsText(result);
}

TEST(Fault, Misaligned) { // 30
  expectFault("ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%a1+8];\n",
              FindingKind::Misaligned);
  expectClean("ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%a1+16];\n");
}

TEST(Fault, UnwrittenOutput) {
  LaunchResult result = runBody("setp.eq.b32 %p1, %tid, 5;\n@%p1 bra END;\n"
                                "st.global.b32 [%rd20], %r50;\nEND:\nret;\n");
  EXPECT_TRUE(hasFinding(result, FindingKind::UnwrittenOutput));
  EXPECT_NE(findingsText(result).find("4 of 512 bytes of output buffer 'out' "
                                      "were never written, the first at offset "
                                      "20"),
            std::string::npos)
      << findingsText(result);
}

/// What lies between elements need not be written, and must not be.
TEST(Fault, GapsOfOutputs) {
  std::unique_ptr<Module> module =
      parseOrFail(kernelText(1, "mul.wide.u32 %rd20, %tid, 8;\n"
                                "add.s64 %rd20, %a0, %rd20;\n"
                                "st.global.b32 [%rd20], %tid;\n"));
  std::vector<uint32_t> out(63);
  Buffer buffer = bufferOf("out", out, BufferKind::Output);
  for (uint64_t begin = 4; begin < 252; begin += 8)
    buffer.gaps.push_back({begin, begin + 4});
  EXPECT_TRUE(run(*module, {buffer}, blocksOf(32)).isClean());
  buffer.gaps[5] = {40, 48};
  LaunchResult result = run(*module, {buffer}, blocksOf(32));
  EXPECT_TRUE(hasFinding(result, FindingKind::OutOfBounds));
  EXPECT_NE(findingsText(result).find("byte 40 of buffer 'out', which lies "
                                      "between elements, is written"),
            std::string::npos)
      << findingsText(result);
}

TEST(Fault, WriteToInput) {
  std::unique_ptr<Module> module =
      parseOrFail(kernelText(1, "st.global.b32 [%a0], %tid;\n"));
  std::vector<uint32_t> in = {42};
  LaunchResult result =
      run(*module, {bufferOf("in", in, BufferKind::Input)}, blocksOf(1));
  EXPECT_TRUE(hasFinding(result, FindingKind::WriteToInput));
  EXPECT_EQ(in[0], 42u);
}

TEST(Fault, BarrierThatNotAllReach) {
  std::string text = "setp.ge.u32 %p1, %tid, 96;\n@%p1 bra END;\n"
                     "bar.sync 0;\nEND:\n";
  LaunchResult result = runBody(text);
  EXPECT_TRUE(hasFinding(result, FindingKind::Deadlock));
  EXPECT_FALSE(result.completed);
  EXPECT_NE(findingsText(result).find("96 of 128 threads have arrived"),
            std::string::npos)
      << findingsText(result);
}

TEST(Fault, BarrierCounts) {
  expectFault("bar.sync 1, 100;\n", FindingKind::BarrierMisuse);
  expectFault("bar.sync 1, 256;\n", FindingKind::BarrierMisuse);
  expectFault("setp.ge.u32 %p1, %tid, 64;\n@%p1 bra B;\nbar.sync 1, 128;\n"
              "bra END;\nB:\nbar.sync 1, 96;\nEND:\n",
              FindingKind::BarrierMisuse);
}

TEST(Fault, ShuffleMask) {
  // Lanes 16-31 have ended when the others name them.
  expectFault("setp.ge.u32 %p1, %tid, 16;\n"
              "@%p1 st.global.b32 [%rd20], %r50;\n@%p1 ret;\n"
              "shfl.sync.bfly.b32 %r1, %tid, 1, 31, -1;\n",
              FindingKind::WarpSyncMisuse, 32);
  // Two halves that meet at one instruction from different branches are fine.
  expectClean("setp.ge.u32 %p1, %tid, 16;\n@%p1 bra UPPER;\n"
              "shfl.sync.bfly.b32 %r50, %tid, 1, 31, 65535;\nbra END;\n"
              "UPPER:\nshfl.sync.bfly.b32 %r50, %tid, 1, 31, 0xFFFF0000;\n"
              "END:\n",
              32);
}

TEST(Fault, DivisionByZero) {
  expectFault("div.s32 %r50, 7, %tid;\n", FindingKind::DivisionByZero);
}

/// Each warp's result was written as the last one's.
TEST(Fault, ReductionsMixedAtABarrier) {
  std::string first = "setp.lt.u32 %p1, %tid, 32;\n@%p1 bra FIRST;\n"
                      "bar.red.popc.u32 %r50, 0, %p1;\nbra END;\nFIRST:\n";
  expectFault(first + "bar.red.and.pred %p2, 0, %p1;\nEND:\n",
              FindingKind::BarrierMisuse, 64);
  expectFault(first + "bar.sync 0;\nEND:\n", FindingKind::BarrierMisuse, 64);
}

TEST(Fault, FindingsNameTheSourceLine) {
  LaunchResult result = runBody(".file 1 \"graph.mlir\"\n.loc 1 12 3\n"
                                "ld.global.b32 %r50, [%a1+4096];\n");
  ASSERT_EQ(result.findings.size(), 1u);
  const Finding &finding = result.findings[0];
  EXPECT_EQ(finding.place.sourceFile, "graph.mlir");
  EXPECT_EQ(finding.place.sourceLine, 12u);
  EXPECT_EQ(finding.place.sourceColumn, 3u);
  EXPECT_EQ(finding.count, 128u) << "one per lane";
}

/// Blocks on other host threads wrote between a store and the look at what its
/// lanes had left there. Lanes of one block write the same number here.
TEST(Fault, RacingBlocksAreNoConflictWithinAStore) {
  LaunchConfig config;
  config.threads = 4;
  LaunchResult result =
      runBody("mov.b32 %r1, 0;\nmov.u32 %r2, %ctaid.x;\nLOOP:\n"
              "st.global.b32 [%a1], %r2;\nadd.s32 %r1, %r1, 1;\n"
              "setp.lt.s32 %p1, %r1, 2000;\n@%p1 bra LOOP;\n",
              32, 8, config);
  EXPECT_TRUE(hasFinding(result, FindingKind::GlobalRace));
  EXPECT_FALSE(hasFinding(result, FindingKind::StoreConflict));
}

/// The same findings, whatever the number of host threads.
TEST(Fault, FindingsDoNotDependOnHostThreads) {
  std::string body = "ld.shared.b32 %r50, [%r57];\nst.global.b32 [%a1], %r59;\n"
                     "ld.global.b32 %r1, [%a1+8000];\n";
  LaunchConfig config;
  std::string one = findingsText(runBody(body, 64, 50, config));
  config.threads = 4;
  std::string four = findingsText(runBody(body, 64, 50, config));
  EXPECT_EQ(one, four);
}

} // namespace
