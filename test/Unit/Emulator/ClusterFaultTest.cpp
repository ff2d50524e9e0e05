//===- ClusterFaultTest.cpp - Faults between blocks of a cluster ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels with planted faults around shared memory of other blocks, each with a
// twin that has none (AsyncSupport.h).
//
//===----------------------------------------------------------------------===//

#include "AsyncSupport.h"

using namespace mlir::mirage;
using namespace mlir::mirage::emulator;

namespace {

TEST(ClusterFault, PeersThatHaveNotStartedOrHaveEnded) { // 21
  expectFault(pair(storeToPeer + meet + readOwn), FindingKind::ClusterMisuse,
              "known that it has started");
  std::vector<uint32_t> out =
      expectClean(pair(meet + storeToPeer + meet + readOwn));
  EXPECT_EQ(out[0], 128u);
  EXPECT_EQ(out[128], 0u);
  const std::string readPeer =
      "ld.shared::cluster.b32 %r1, [%r42];\nst.global.b32 [%rd5], %r1;\n";
  // One leaves, the other comes back: before it has left, or after.
  for (const char *leaver : {"0", "1"})
    expectFault(pair(writeMine + meet + "setp.eq.s32 %p3, %r40, " + leaver +
                     ";\n@%p3 bra END;\n" + readPeer + "END:\n"),
                FindingKind::ClusterMisuse, "end");
  expectClean(pair(writeMine + meet + readPeer + meet));
}

TEST(ClusterFault, RelaxedArrivalsPublishNothing) { // 22
  const std::string relaxed = "barrier.cluster.arrive.relaxed.aligned;\n"
                              "barrier.cluster.wait.aligned;\n";
  expectFault(pair(meet + storeToPeer + relaxed + readOwn),
              FindingKind::SharedRace);
  expectClean(pair(meet + storeToPeer + "fence.acq_rel.cluster;\n" + relaxed +
                   readOwn));
}

TEST(ClusterFault, RelaxedArrivalsAfterAFenceOfTheBlock) {
  const std::string relaxed = "barrier.cluster.arrive.relaxed.aligned;\n"
                              "barrier.cluster.wait.aligned;\n";
  const std::string fence = "fence.acq_rel.cta;\n";
  expectFault(pair(meet + storeToPeer + fence + relaxed + readOwn + meet),
              FindingKind::SharedRace);
  // Other warps of the block are in its scope.
  const std::string readOpposite =
      "xor.b32 %r46, %tid, 64;\nmad.lo.s32 %r46, %r46, 4, %sm;\n"
      "ld.shared.b32 %r1, [%r46];\nst.global.b32 [%rd5], %r1;\n";
  std::vector<uint32_t> out =
      expectClean(pair(writeMine + fence + relaxed + readOpposite));
  EXPECT_EQ(out[0], 64u);
  EXPECT_EQ(out[128 + 64], 0u);
}

/// It is of mbarriers alone: other stores in front of it are not handed out.
TEST(ClusterFault, WhatAFenceOfInitialisationsReleases) {
  const std::string relaxed = "barrier.cluster.arrive.relaxed.aligned;\n"
                              "barrier.cluster.wait.aligned;\n";
  auto text = [&](const std::string &fences, const std::string &read) {
    return writeMine + "@%p0 mbarrier.init.shared::cta.b64 [%full], 1;\n" +
           fences + relaxed + read +
           "@%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
           "[%r43];\n" +
           waitFor("%full", "0", "W") + meet;
  };
  const std::string readPeer =
      "ld.shared::cluster.b32 %r1, [%r42];\nst.global.b32 [%rd5], %r1;\n";
  const std::string initFence = "@%p0 fence.mbarrier_init.release.cluster;\n";
  expectFault(pair(text(initFence, readPeer)), FindingKind::SharedRace);
  expectClean(pair(text(initFence, "")));
  for (const std::string &fences : {initFence + "fence.acq_rel.cluster;\n",
                                    "fence.acq_rel.cluster;\n" + initFence})
    EXPECT_EQ(expectClean(pair(text(fences, readPeer)))[128 + 7], 7u);
  // Of the lane that executes it.
  expectFault(pair(text("setp.eq.s32 %p1, %tid, 1;\n@%p1 "
                        "fence.mbarrier_init.release.cluster;\n",
                        "")),
              FindingKind::SharedRace);
}

/// Block 0 loads a box into both blocks, each of which waits at home.
TEST(ClusterFault, Multicast) { // 21
  auto text = [](const std::string &fence, const std::string &between) {
    return "@%p0 mbarrier.init.shared::cta.b64 [%full], 1;\n" + fence +
           between + expectBytes(8192) +
           "setp.eq.s32 %p3, %r40, 0;\nand.pred %p3, %p3, %p0;\n"
           "mov.b16 %h1, 3;\n"
           "@%p3 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
           "complete_tx::bytes.multicast::cluster [%sm], [%map, {0, 0}], "
           "[%full], %h1;\n" +
           waitFor("%full", "0", "W") + readOwn + meet;
  };
  const std::string fence = "@%p0 fence.mbarrier_init.release.cluster;\n";
  const std::string relaxed = "barrier.cluster.arrive.relaxed.aligned;\n"
                              "barrier.cluster.wait.aligned;\n";
  std::vector<uint32_t> out = expectClean(pair(text(fence, meet)));
  EXPECT_EQ(out[0], 1u);
  EXPECT_EQ(out[128], 1u);
  // The fence releases at the scope of the cluster.
  expectClean(pair(text(fence, relaxed + barSync)));
  expectFault(pair(text(fence, barSync)), FindingKind::ClusterMisuse);
  expectFault(pair(text("", meet)), FindingKind::MissingProxyFence,
              "fence.mbarrier_init");
}

TEST(ClusterFault, RemoteArrivalsAndCopies) {
  // Each block copies its own words into the other's memory, which waits.
  auto text = [](const std::string &fence) {
    return "@%p0 mbarrier.init.shared::cta.b64 [%full], 1;\n"
           "@%p0 fence.mbarrier_init.release.cluster;\n"
           "st.shared.b32 [%mine], %r45;\n" +
           fence + meet + expectBytes(512) +
           "add.s32 %r46, %r42, 1024;\n"
           "@%p0 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_"
           "tx::bytes [%r46], [%sm], 512, [%r43];\n" +
           waitFor("%full", "0", "W") +
           "ld.shared.b32 %r1, [%mine+1024];\n"
           "st.global.b32 [%rd5], %r1;\n" +
           meet;
  };
  std::vector<uint32_t> out =
      expectClean(pair(text("fence.proxy.async.shared::cta;\n")));
  EXPECT_EQ(out[0], 128u);
  EXPECT_EQ(out[128], 0u);
  expectFault(pair(text("")), FindingKind::MissingProxyFence);
  // Writes, then an arrival at the other's mbarrier.
  auto arriveAt = [](const std::string &scope) {
    return "@%p0 mbarrier.init.shared::cta.b64 [%full], 128;\n" + meet +
           storeToPeer + "mbarrier.arrive.release." + scope +
           ".shared::cluster.b64 _, [%r43];\nW:\nmbarrier.try_wait.parity."
           "acquire.cluster.shared::cta.b64 %p9, [%full], 0;\n@!%p9 bra W;\n" +
           readOwn + meet;
  };
  EXPECT_EQ(expectClean(pair(arriveAt("cluster")))[0], 128u);
  expectFault(pair(arriveAt("cta")), FindingKind::SharedRace);
}

/// Block 0 copies from its shared memory to that of block 1, which waits.
TEST(ClusterFault, SourceOfACopyToAPeerEnds) {
  auto text = [](const std::string &afterWait, const std::string &end) {
    return "@%p0 mbarrier.init.shared::cta.b64 [%full], 1;\n"
           "@%p0 fence.mbarrier_init.release.cluster;\n" +
           writeMine + "fence.proxy.async.shared::cta;\n" + meet +
           "setp.eq.s32 %p1, %r40, 0;\n@%p1 bra SENDER;\n" + expectBytes(512) +
           waitFor("%full", "0", "W") +
           "ld.shared.b32 %r1, [%mine+1024];\nst.global.b32 [%rd5], %r1;\n" +
           afterWait +
           "bra END;\nSENDER:\nadd.s32 %r46, %r42, 1024;\n"
           "@%p0 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_"
           "tx::bytes [%r46], [%sm], 512, [%r43];\n" +
           end + "END:\n";
  };
  EXPECT_EQ(expectClean(pair(text(meet, meet)))[128 + 5], 5u);
  expectFault(pair(text("", "")), FindingKind::CopyMisuse,
              "may end before a bulk copy has read its shared memory");
  // They meet before the receiver waits.
  AsyncKernel early = pair(text("", meet));
  early.body.insert(early.body.find("W:\n"), meet);
  expectFault(early, FindingKind::CopyMisuse, "may end before a bulk copy");
}

TEST(ClusterFault, RanksAndAddresses) {
  std::vector<uint32_t> out = expectClean(pair(
      "getctarank.shared::cluster.u32 %r1, %r42;\n"
      "getctarank.shared::cluster.u32 %r2, %mine;\n"
      "cvt.u64.u32 %rd1, %mine;\ncvta.shared.u64 %rd1, %rd1;\n"
      "mapa.u64 %rd2, %rd1, %r41;\ngetctarank.u64 %r3, %rd2;\n"
      "isspacep.shared::cluster %p1, %rd2;\nisspacep.shared::cta %p2, %rd2;\n"
      "isspacep.shared::cta %p3, %rd1;\n"
      "selp.b32 %r4, 4, 0, %p1;\nselp.b32 %r5, 2, 0, %p2;\n"
      "selp.b32 %r6, 1, 0, %p3;\nor.b32 %r4, %r4, %r5;\nor.b32 %r4, %r4, %r6;\n"
      "mad.lo.s32 %r7, %r1, 10, %r2;\nmad.lo.s32 %r7, %r7, 10, %r3;\n"
      "mad.lo.s32 %r7, %r7, 10, %r4;\nst.global.b32 [%rd5], %r7;\n"));
  EXPECT_EQ(out[0], 1015u);
  EXPECT_EQ(out[128], 105u);
  expectFault(pair("mapa.shared::cluster.u32 %r1, %mine, 2;\n"),
              FindingKind::ClusterMisuse, "one of 2 blocks, found 2");
}

} // namespace
