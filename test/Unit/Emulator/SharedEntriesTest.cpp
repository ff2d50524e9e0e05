//===- SharedEntriesTest.cpp - Several accesses to a few bytes ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is remembered of one access to a granule of 16 bytes must not hide what
// another did there, and must not be taken for it.
//
//===----------------------------------------------------------------------===//

#include "AsyncSupport.h"

using namespace mlir::mirage::emulator;

namespace {

/// All warps add up in one word that thread 0 has made 0.
TEST(SharedEntries, UpdatesDoNotHideAPlainWrite) {
  auto text = [](const std::string &sync) {
    return "mov.b32 %r1, 0;\n@%p0 st.shared.b32 [%sm], %r1;\n" + sync +
           "mov.b32 %r2, 1;\nred.shared.add.u32 [%sm], %r2;\n" + barSync +
           "ld.shared.b32 %r3, [%sm];\n@%p0 st.global.b32 [%out], %r3;\n";
  };
  EXPECT_EQ(expectClean(AsyncKernel(text(barSync)))[0], 128u);
  expectFault(AsyncKernel(text("")), FindingKind::SharedRace);
}

/// Nor a plain read.
TEST(SharedEntries, UpdatesDoNotHideAPlainRead) {
  auto text = [](const std::string &sync) {
    return "mov.b32 %r1, 5;\n@%p0 st.shared.b32 [%sm], %r1;\n" + barSync +
           "setp.lt.s32 %p1, %tid, 32;\n@%p1 ld.shared.b32 %r3, [%sm];\n" +
           sync + "mov.b32 %r2, 1;\nred.shared.add.u32 [%sm], %r2;\n";
  };
  expectClean(AsyncKernel(text(barSync)));
  expectFault(AsyncKernel(text("")), FindingKind::SharedRace);
}

/// Each block adds to a word, and the last to take a ticket reads it. One block
/// of a hundred has no fence between.
TEST(SharedEntries, OneOfManyUpdatesIsNotReleased) {
  auto kernel = [](const std::string &whoFences) {
    AsyncKernel kernel("mov.b32 %r1, 1;\nmov.u32 %r2, %ctaid.x;\n"
                       "red.global.add.u32 [%out], %r1;\n"
                       "setp." +
                       whoFences +
                       ".u32 %p1, %r2, 0;\n@%p1 fence.acq_rel.gpu;\n"
                       "atom.global.add.u32 %r3, [%out+64], %r1;\n"
                       // expectFault runs it twice on one buffer.
                       "rem.u32 %r3, %r3, 100;\nsetp.eq.u32 %p2, %r3, 99;\n"
                       "@%p2 fence.acq_rel.gpu;\n"
                       "@%p2 ld.global.b32 %r4, [%out];\n"
                       "@%p2 st.global.b32 [%out+128], %r4;\n");
    kernel.threads = 1;
    kernel.grid = 100;
    return kernel;
  };
  EXPECT_EQ(expectClean(kernel("ge"))[32], 100u);
  expectFault(kernel("ne"), FindingKind::GlobalRace);
}

/// Four warps read a place, one of them once more after it has met another, and
/// writes there: the other two may not have read yet.
TEST(SharedEntries, AReaderThatComesBackDoesNotHideOthers) {
  auto text = [](const std::string &sync) {
    return "mov.b32 %r1, 5;\n@%p0 st.shared.b32 [%sm], %r1;\n" + barSync +
           "ld.shared.b32 %r2, [%sm];\n" + sync +
           "setp.lt.s32 %p2, %tid, 32;\n@!%p2 bra END;\n"
           "ld.shared.b32 %r3, [%sm];\nbar.warp.sync -1;\n"
           "st.shared.b32 [%sm], %r1;\nEND:\n";
  };
  expectClean(AsyncKernel(text(barSync)));
  expectFault(AsyncKernel(text("and.b32 %r4, %tid, 32;\n"
                               "setp.eq.s32 %p1, %r4, 0;\n"
                               "@%p1 bar.sync 1, 64;\n")),
              FindingKind::SharedRace);
}

/// A warning about one word of a granule is not all there is to say of it.
TEST(SharedEntries, AWarningDoesNotHideARace) {
  // Warp 1 reads the second word, and then warp 0 writes the first one twice
  // and all four.
  AsyncKernel kernel("mov.b32 %r1, 5;\nsetp.lt.u32 %p2, %tid, 4;\n"
                     "@%p2 st.shared.b32 [%mine], %r1;\n" +
                     barSync +
                     "setp.eq.s32 %p1, %tid, 32;\n"
                     "@%p1 ld.shared.b32 %r2, [%sm+4];\n"
                     "setp.eq.s32 %p1, %tid, 31;\n"
                     "@%p1 st.shared.b32 [%sm], %r1;\n"
                     "@%p2 st.shared.b32 [%mine], %r1;\n");
  kernel.threads = 64;
  expectFault(kernel, FindingKind::SharedRace);
}

/// Of accesses that count as one the last is named, and that it is the last;
/// and of warps that count as one only who they are.
TEST(SharedEntries, LinesThatAreNotKeptAreNotNamed) {
  auto find = [](const std::string &text) {
    LaunchResult result = AsyncKernel(text).run();
    for (const Finding &finding : result.findings)
      if (finding.kind == FindingKind::SharedRace)
        return finding;
    ADD_FAILURE() << text << findingsText(result);
    return Finding();
  };
  const std::string first = "setp.lt.s32 %p1, %tid, 32;\n"
                            "setp.ge.s32 %p2, %tid, 32;\n";
  Finding one = find(first + "@%p0 st.shared.b32 [%sm], %tid;\n" +
                     "@%p2 ld.shared.b32 %r2, [%sm];\n");
  EXPECT_NE(one.otherPlace.line, 0u);
  EXPECT_EQ(one.message.find("the last of several"), std::string::npos);
  Finding several = find(first +
                         "@%p0 st.shared.b32 [%sm], %tid;\n"
                         "@%p0 st.shared.b32 [%sm+4], %tid;\n" +
                         "@%p2 ld.shared.b32 %r2, [%sm];\n");
  EXPECT_EQ(several.otherPlace.line, one.otherPlace.line + 1);
  EXPECT_NE(several.message.find("the last of several"), std::string::npos);
  // Warps 0 and 1 read, each elsewhere, and then warp 2 writes, which has met
  // warp 1.
  Finding other = find("@%p0 st.shared.b32 [%sm], %tid;\n" + barSync +
                       "setp.lt.s32 %p1, %tid, 32;\n"
                       "@%p1 ld.shared.b32 %r2, [%sm];\n"
                       "and.b32 %r3, %tid, 96;\nsetp.eq.s32 %p2, %r3, 32;\n"
                       "@%p2 ld.shared.b32 %r2, [%sm];\n"
                       "sub.s32 %r4, %tid, 32;\nsetp.lt.u32 %p4, %r4, 64;\n"
                       "@%p4 bar.sync 1, 64;\n"
                       "setp.eq.s32 %p3, %tid, 64;\n"
                       "@%p3 st.shared.b32 [%sm], %tid;\n");
  EXPECT_NE(other.message.find("an earlier read by warp 0"), std::string::npos)
      << other.str();
  EXPECT_EQ(other.otherPlace.line, 0u) << other.str();
}

/// Lanes that have read before the warp met do not stand for one that has read
/// since.
TEST(SharedEntries, ReadsOfTwoStepsStayApart) {
  auto text = [](const std::string &sync, const std::string &writer) {
    // With a bulk copy, so that readers are kept by their lanes.
    return init({{0, 1}}) + expectBytes(8192, "%full") +
           "@%p0 st.shared.b32 [%sm+16384], %tid;\n" + barSync +
           "setp.eq.s32 %p1, %tid, 1;\nsetp.eq.s32 %p2, %tid, 2;\n"
           "@%p0 ld.shared.b32 %r2, [%sm+16384];\nbar.warp.sync -1;\n"
           "@%p1 ld.shared.b32 %r2, [%sm+16384];\n" +
           sync + "@" + writer + " st.shared.b32 [%sm+16384], %tid;\n" +
           loadBox + waitFor("%full", "0", "W");
  };
  expectClean(AsyncKernel(text("bar.warp.sync -1;\n", "%p2")));
  expectFault(AsyncKernel(text("", "%p2")), FindingKind::IntraWarpRace);
  // Lane 1 has read itself, and lane 0 before they met.
  expectClean(AsyncKernel(text("", "%p1")));
}

/// Each warp has a word of one granule.
TEST(SharedEntries, NeighboursAreNotTheSame) {
  auto text = [](const char *word) {
    return "and.b32 %r5, %tid, 31;\nsetp.eq.s32 %p1, %r5, 0;\n"
           "shr.u32 %r6, %tid, 5;\nmad.lo.s32 %r6, %r6, " +
           std::string(word) +
           ", %sm;\n"
           "@%p1 st.shared.b32 [%r6], %tid;\n"
           "@%p1 ld.shared.b32 %r7, [%r6];\n" +
           // Warps 0 and 2 meet, 1 and 3: there are reads of all before a
           // write.
           "and.b32 %r8, %tid, 32;\nsetp.eq.s32 %p2, %r8, 0;\n"
           "@%p2 bar.sync 1, 64;\n@!%p2 bar.sync 2, 64;\n"
           "@%p1 st.shared.b32 [%r6], %r7;\n";
  };
  expectClean(AsyncKernel(text("4")));
  expectFault(AsyncKernel(text("0")), FindingKind::SharedRace);
}

/// What a lane read before it met the others is not what it reads now.
TEST(SharedEntries, LanesThatHaveMet) {
  auto text = [](const std::string &sync) {
    return "mov.b32 %r1, 5;\nst.shared.b32 [%mine], %r1;\n" + barSync +
           "@%p0 ld.shared.b32 %r2, [%sm];\n" + sync +
           "@%p0 ld.shared.b32 %r3, [%sm+4];\n"
           "setp.eq.s32 %p1, %tid, 1;\n@%p1 st.shared.b32 [%sm], %r1;\n";
  };
  expectClean(AsyncKernel(text("bar.warp.sync -1;\n")));
  expectFault(AsyncKernel(text("")), FindingKind::IntraWarpRace);
}

/// A lane of a store by the whole warp is told from its neighbours.
TEST(SharedEntries, LanesOfAWholeWarp) {
  for (const char *width : {".b32", ".v2.b32", ".v4.b32"}) {
    std::string value = width == std::string(".b32") ? "%r1"
                        : width == std::string(".v2.b32")
                            ? "{%r1, %r1}"
                            : "{%r1, %r1, %r1, %r1}";
    unsigned bytes = width[1] == 'b' ? 4 : width[2] == '2' ? 8 : 16;
    auto text = [&](unsigned neighbour) {
      return "mov.b32 %r1, 5;\nmad.lo.s32 %r8, %tid, " + std::to_string(bytes) +
             ", %sm;\nst.shared" + width + " [%r8], " + value +
             ";\nand.b32 %r9, %tid, 24;\nsetp.eq.s32 %p1, %r9, 8;\n"
             "@%p1 ld.shared.b32 %r2, [%r8+" +
             std::to_string(neighbour * bytes) + "];\n";
    };
    expectClean(AsyncKernel(text(0)));
    expectFault(AsyncKernel(text(1)), FindingKind::IntraWarpRace);
  }
}

/// Half a warp reads one place, and just these lanes execute the fence.
TEST(SharedEntries, LanesThatReadOnePlaceFenceIt) {
  auto text = [](const std::string &fence) {
    return "mov.b32 %r1, 1;\n@%p0 mbarrier.init.shared.b64 [%full], %r1;\n"
           "@%p0 st.shared.b32 [%sm+128], %r1;\n" +
           fence + barSync + "setp.lt.u32 %p1, %tid, 16;\n" +
           "@%p1 ld.shared.b32 %r2, [%sm+128];\n" + "@%p1 " + fence + barSync +
           "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%full], 256;\n"
           "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx"
           "::bytes [%sm], [%in], 256, [%full];\n"
           "W: mbarrier.try_wait.parity.shared.b64 %p3, [%full], 0;\n"
           "@!%p3 bra W;\n";
  };
  expectClean(AsyncKernel(text("fence.proxy.async;\n")));
  expectFault(AsyncKernel(text("fence.proxy.alias;\n")),
              FindingKind::MissingProxyFence);
}

/// One warp reads, with no fence or one of its own, and then another, which
/// executes one. A bulk copy writes there.
TEST(SharedEntries, AFencedReaderDoesNotHideOneThatIsNot) {
  auto text = [](const std::string &fence) {
    return "mov.b32 %r1, 1;\n@%p0 mbarrier.init.shared.b64 [%full], %r1;\n"
           "@%p0 st.shared.b32 [%sm+128], %r1;\nfence.proxy.async;\n" +
           barSync + "setp.lt.u32 %p1, %tid, 32;\n" +
           "@%p1 ld.shared.b32 %r2, [%sm+128];\n@%p1 " + fence + barSync +
           "@!%p1 ld.shared.b32 %r2, [%sm+128];\n@!%p1 fence.proxy.async;\n" +
           barSync +
           "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%full], 256;\n"
           "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx"
           "::bytes [%sm], [%in], 256, [%full];\n"
           "W: mbarrier.try_wait.parity.shared.b64 %p3, [%full], 0;\n"
           "@!%p3 bra W;\n";
  };
  expectClean(AsyncKernel(text("fence.proxy.async;\n")));
  expectFault(AsyncKernel(text("fence.proxy.alias;\n")),
              FindingKind::MissingProxyFence);
}

/// What is added to must be there, what is replaced need not.
TEST(SharedEntries, UpdatesOfUndefinedBytes) {
  expectFault(AsyncKernel("mov.b32 %r1, 1;\nred.shared.add.u32 [%sm], %r1;\n"),
              FindingKind::UninitializedRead);
  expectClean(AsyncKernel("mov.b32 %r1, 1;\n"
                          "atom.shared.exch.b32 %r2, [%sm], %r1;\n"));
}

TEST(SharedEntries, MoreBytesThanACopyHas) {
  auto text = [](const std::string &size) {
    return "mov.b32 %r1, " + size +
           ";\nmad.lo.s32 %r8, %tid, 16, %sm;\nmad.wide.u32 %rd3, %tid, 16, "
           "%in;\ncp.async.cg.shared.global [%r8], [%rd3], 16, %r1;\n"
           "cp.async.wait_all;\n";
  };
  expectClean(AsyncKernel(text("16")));
  expectFault(AsyncKernel(text("17")), FindingKind::CopyMisuse);
}

} // namespace
