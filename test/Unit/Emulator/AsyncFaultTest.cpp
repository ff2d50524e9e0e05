//===- AsyncFaultTest.cpp - Faults of copies that go on by themselves -----===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels with planted faults around mbarriers, bulk copies and TMA,
// each with a twin that has none. Twins run under several schedules, and copies
// arrive late, at once or at random: their results do not change.
//
//===----------------------------------------------------------------------===//

#include "AsyncSupport.h"

using namespace mlir::mirage;
using namespace mlir::mirage::emulator;

namespace {

using Kernel = AsyncKernel;

/// Each thread reads 4 bytes of the box and writes them out.
const std::string readBox = "ld.shared.b32 %r1, [%mine];\n"
                            "mad.wide.u32 %rd1, %tid, 4, %out;\n"
                            "st.global.b32 [%rd1], %r1;\n";

std::string loadOnce(const std::string &wait) {
  return init({{0, 1}}) + expectBytes(8192) + loadBox + wait + readBox;
}

TEST(AsyncFault, BoxReadBeforeItArrived) { // 10
  expectFault(Kernel(loadOnce("")), FindingKind::SharedRace);
  // The phase before the first is complete.
  expectFault(Kernel(loadOnce(waitFor("%full", "1", "W"))),
              FindingKind::SharedRace);
  std::vector<uint32_t> out =
      expectClean(Kernel(loadOnce(waitFor("%full", "0", "W"))));
  // Row 0 is not exchanged; row 1 by one piece of 16 bytes.
  EXPECT_EQ(out[0], 1u);
  EXPECT_EQ(out[31], 32u);
  EXPECT_EQ(out[32 + 4], 33u);
  EXPECT_EQ(out[32], 37u);
}

/// A ring of two slots of 8 rows, filled 8 times by thread 0 of warp 0 and read
/// by warps 1 to 3, each of which arrives with `release`.
Kernel ring(const std::string &read, const std::string &release,
            const std::string &consumerPhase = "0") {
  Kernel kernel(init({{0, 1}, {8, 1}, {64, 96}, {72, 96}}) + R"(
    mov.b32 %r10, 0;
    mov.b32 %r20, 0;
    setp.ge.s32 %p1, %tid, 32;
    @%p1 bra CONSUMER;
    @!%p0 bra END;
  PRODUCER:
    and.b32 %r11, %r10, 1;
    shl.b32 %r12, %r11, 3;
    add.s32 %r13, %full, %r12;
    add.s32 %r14, %empty, %r12;
    shr.u32 %r15, %r10, 1;
    and.b32 %r15, %r15, 1;
    xor.b32 %r15, %r15, 1;
)" + waitFor("%r14", "%r15", "FREE") +
                R"(
    mbarrier.arrive.expect_tx.shared::cta.b64 %state, [%r13], 1024;
    shl.b32 %r16, %r11, 10;
    add.s32 %r16, %r16, %sm;
    shl.b32 %r17, %r10, 3;
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r16], [%map, {0, %r17}], [%r13];
    add.s32 %r10, %r10, 1;
    setp.lt.s32 %p2, %r10, 8;
    @%p2 bra PRODUCER;
    bra END;
  CONSUMER:
    and.b32 %r11, %r10, 1;
    shl.b32 %r12, %r11, 3;
    add.s32 %r13, %full, %r12;
    add.s32 %r14, %empty, %r12;
    shr.u32 %r15, %r10, 1;
    and.b32 %r15, %r15, 1;
    xor.b32 %r15, %r15, )" +
                consumerPhase + ";\n" + waitFor("%r13", "%r15", "FULL") + R"(
    shl.b32 %r16, %r11, 10;
    add.s32 %r16, %r16, %mine;
)" + read + release +
                R"(
    add.s32 %r10, %r10, 1;
    setp.lt.s32 %p2, %r10, 8;
    @%p2 bra CONSUMER;
    mad.wide.u32 %rd1, %tid, 4, %out;
    st.global.b32 [%rd1], %r20;
  END:
)");
  kernel.map.box = {64, 8};
  return kernel;
}
const std::string arriveEmpty =
    "mbarrier.arrive.shared::cta.b64 %state, [%r14];\n";
const std::string readSlot = "ld.shared.b32 %r21, [%r16];\n"
                             "add.s32 %r20, %r20, %r21;\n";

TEST(AsyncFault, RefilledWithoutProxyFence) { // 11, 12
  const std::string fence = "fence.proxy.async.shared::cta;\n";
  expectFault(ring(readSlot, arriveEmpty), FindingKind::MissingProxyFence);
  // By one lane of each warp, for all of them.
  expectFault(ring(readSlot, "and.b32 %r30, %tid, 31;\n"
                             "setp.eq.s32 %p5, %r30, 0;\n"
                             "@%p5 " +
                                 fence + arriveEmpty),
              FindingKind::MissingProxyFence);
  expectFault(ring(readSlot, arriveEmpty + fence),
              FindingKind::MissingProxyFence);
  expectFault(ring(readSlot, "fence.proxy.async.global;\n" + arriveEmpty),
              FindingKind::MissingProxyFence);
  std::vector<uint32_t> out = expectClean(ring(readSlot, fence + arriveEmpty));
  // Word 0 of the first row that warp 1 reads (its piece 0 stands for piece 1)
  // over all boxes.
  uint32_t sum = 0;
  for (uint32_t box = 0; box < 8; ++box)
    sum += box * 256 + 32 + 4 + 1;
  EXPECT_EQ(out[32], sum);
}

TEST(AsyncFault, SlotReadAfterItsArrival) { // 20
  const std::string fence = "fence.proxy.async.shared::cta;\n";
  expectFault(ring("", arriveEmpty + readSlot + fence),
              FindingKind::SharedRace);
  // Wrong phase bit: the phase before the first is complete.
  expectFault(ring(readSlot, fence + arriveEmpty, "1"),
              FindingKind::SharedRace);
}

const std::string storeBox =
    "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%out], [%sm], 512;\n"
    "@%p0 cp.async.bulk.commit_group;\n";

TEST(AsyncFault, StoredWithoutProxyFence) { // 14
  const std::string wait = "@%p0 cp.async.bulk.wait_group 0;\n";
  const std::string fence = "fence.proxy.async.shared::cta;\n";
  expectFault(Kernel(writeMine + barSync + storeBox + wait),
              FindingKind::MissingProxyFence);
  // By thread 0 after the barrier: the writers have not.
  expectFault(Kernel(writeMine + barSync + fence + storeBox + wait),
              FindingKind::MissingProxyFence);
  expectFault(Kernel(writeMine + fence + storeBox + wait),
              FindingKind::SharedRace);
  std::vector<uint32_t> out =
      expectClean(Kernel(writeMine + fence + barSync + storeBox + wait));
  for (uint32_t i = 0; i < 128; ++i)
    EXPECT_EQ(out[i], i);
}

TEST(AsyncFault, SourceOverwritten) { // 15
  const std::string before =
      writeMine + "fence.proxy.async.shared::cta;\n" + barSync + storeBox;
  const std::string read = "@%p0 cp.async.bulk.wait_group.read 0;\n";
  const std::string done = "@%p0 cp.async.bulk.wait_group 0;\n";
  expectFault(Kernel(before + barSync + writeMine + done),
              FindingKind::SharedRace);
  expectClean(Kernel(before + read + barSync + writeMine + done));
  const std::string readBack =
      "ld.global.b32 %r5, [%out+256];\nst.shared.b32 [%mine+1024], %r5;\n";
  expectFault(Kernel(before + read + barSync + readBack),
              FindingKind::GlobalRace);
  expectClean(Kernel(before + done + barSync + readBack));
  // One group may be left.
  const std::string second =
      "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%out+4096], "
      "[%sm+256], 256;\n@%p0 cp.async.bulk.commit_group;\n";
  const std::string oneLeft = "@%p0 cp.async.bulk.wait_group.read 1;\n";
  const std::string overwriteFirst =
      "setp.lt.s32 %p3, %tid, 64;\n@%p3 st.shared.b32 [%mine], %tid;\n";
  expectFault(Kernel(before + second + oneLeft + barSync + writeMine + done),
              FindingKind::SharedRace);
  expectClean(
      Kernel(before + second + oneLeft + barSync + overwriteFirst + done));
  // A thread ends, and its copies go on.
  expectFault(Kernel(before), FindingKind::CopyMisuse);
  expectClean(Kernel(before + read));
}

TEST(AsyncFault, BytesThatWereAnnounced) { // 18
  auto text = [](unsigned bytes) {
    return init({{0, 1}}) + expectBytes(bytes) + loadBox +
           waitFor("%full", "0", "W") + readBox;
  };
  expectFault(Kernel(text(4096)), FindingKind::MBarrierMisuse,
              "4096 bytes more");
  expectFault(Kernel(text(16384)), FindingKind::Deadlock,
              "0 of 1 arrivals and 8192 bytes");
  expectClean(Kernel(text(8192)));
}

TEST(AsyncFault, ArrivalsThatWereCounted) { // 19
  auto text = [](unsigned count, const std::string &lanes) {
    return init({{0, int(count)}}) +
           "and.b32 %r5, %tid, 31;\nsetp.eq.s32 %p4, %r5, 0;\n" + lanes +
           "@%p4 mbarrier.arrive.shared::cta.b64 %state, [%full];\n" +
           waitFor("%full", "0", "W");
  };
  expectFault(Kernel(text(5, "")), FindingKind::Deadlock, "1 of 5 arrivals");
  expectClean(Kernel(text(4, "")));
  expectFault(
      Kernel(init({{0, 4}}) +
             "@%p0 mbarrier.arrive.shared::cta.b64 %state, [%full], 5;"),
      FindingKind::MBarrierMisuse, "misses 4 of 4");
}

TEST(AsyncFault, Orders) { // arrive and wait make writes known
  auto text = [](const std::string &arrive, const std::string &wait,
                 const std::string &fence = "") {
    return init({{0, 96}}) +
           "setp.ge.s32 %p1, %tid, 32;\n@%p1 bra PRODUCER;\nW:\nmbarrier.try_"
           "wait.parity" +
           wait + ".b64 %p9, [%full], 0;\n@!%p9 bra W;\n" + fence +
           "ld.shared.b32 %r5, [%mine+128];\nbra END;\nPRODUCER:\n" +
           writeMine + "mbarrier.arrive" + arrive +
           ".b64 %state, [%full];\nEND:\n";
  };
  expectClean(Kernel(text(".shared::cta", ".shared::cta")));
  expectClean(
      Kernel(text(".release.cta.shared::cta", ".acquire.cta.shared::cta")));
  expectFault(Kernel(text(".relaxed.cta.shared::cta", ".shared::cta")),
              FindingKind::SharedRace);
  expectFault(Kernel(text(".shared::cta", ".relaxed.cta.shared::cta")),
              FindingKind::SharedRace);
  // A relaxed wait and a fence behind it, or in front.
  for (const char *fence :
       {"fence.acquire.cluster;\n", "fence.acq_rel.cta;\n",
        "fence.acquire.sync_restrict::shared::cluster.cluster;\n"}) {
    expectClean(
        Kernel(text(".shared::cta", ".relaxed.cluster.shared::cta", fence)));
    expectFault(
        Kernel(fence + text(".shared::cta", ".relaxed.cluster.shared::cta")),
        FindingKind::SharedRace);
  }
}

TEST(AsyncFault, OrderOfWaits) { // 28
  auto text = [](const std::string &first, const std::string &second) {
    return init({{0, 1}, {8, 1}}) +
           "and.b32 %r5, %tid, 31;\nsetp.ne.s32 %p4, %r5, 0;\n@%p4 bra END;\n"
           "setp.eq.s32 %p5, %tid, 32;\n@%p5 bra OTHER;\n@!%p0 bra END;\n" +
           first + "bra END;\nOTHER:\n" + second + "END:\n";
  };
  auto arrive = [](const char *place) {
    return std::string("mbarrier.arrive.shared::cta.b64 %state, [") + place +
           "];\n";
  };
  expectFault(Kernel(text(waitFor("%full", "0", "A") + arrive("%full+8"),
                          waitFor("%full+8", "0", "B") + arrive("%full"))),
              FindingKind::Deadlock, "misses 1 of 1 arrivals");
  expectClean(Kernel(text(arrive("%full+8") + waitFor("%full", "0", "A"),
                          waitFor("%full+8", "0", "B") + arrive("%full"))));
}

/// Each lane that touched what the copy engine then overwrites needs a fence of
/// its own, also where others have touched the same bytes.
TEST(AsyncFault, LanesThatShareBytesNeedAFenceEach) {
  const std::string fence = "fence.proxy.async.shared::cta;\n";
  const std::string isLane = "and.b32 %r30, %tid, 31;\n"
                             "setp.eq.s32 %p5, %r30, 0;\n";
  auto refill = [&](const std::string &read, const std::string &fences) {
    return Kernel(isLane +
                  "mad.lo.s32 %r1, %tid, 16, %sm;\n"
                  "st.shared.v4.b32 [%r1], {%tid, %tid, %tid, "
                  "%tid};\n" +
                  fence + init({{0, 1}}) + read + fences + barSync +
                  expectBytes(8192) + loadBox + waitFor("%full", "0", "W"));
  };
  const std::string readOwn =
      "ld.shared.v4.b32 {%r2, %r3, %r4, %r5}, [%r1];\n"
      "add.s32 %r6, %r2, %r3;\nadd.s32 %r6, %r4, %r5;\n";
  const std::string readNext =
      "xor.b32 %r1, %r1, 16;\n" + readOwn + "xor.b32 %r1, %r1, 16;\n";
  const std::string meet = "bar.warp.sync -1;\n";
  for (const std::string &read :
       {readOwn, readOwn + readNext, readOwn + meet + readNext}) {
    expectClean(refill(read, fence));
    expectFault(refill(read, "@%p5 " + fence), FindingKind::MissingProxyFence);
    expectFault(refill(read, "@!%p5 " + fence), FindingKind::MissingProxyFence);
  }
  // Lanes 5 and 9 of warp 0, by one store.
  auto store = [&](const std::string &fences) {
    return Kernel("setp.eq.s32 %p5, %tid, 5;\nsetp.eq.or.s32 %p6, %tid, 9, "
                  "%p5;\nmov.b32 %r2, 7;\n" +
                  writeMine + fence + barSync +
                  "@%p6 st.shared.b32 [%sm+20], %r2;\n" + fences + barSync +
                  storeBox + "@%p0 cp.async.bulk.wait_group 0;\n");
  };
  expectClean(store("@%p6 " + fence));
  for (const char *some : {"@%p5 ", "@%p0 ", "@!%p6 "})
    expectFault(store(some + fence), FindingKind::MissingProxyFence);
}

/// Of a read by two groups of lanes, each of one place, those of the place that
/// is overwritten need a fence, and no others.
TEST(AsyncFault, GroupsOfLanesFenceWhatTheyRead) {
  auto refill = [&](const std::string &who) {
    return Kernel("and.b32 %r30, %tid, 31;\nsetp." + who +
                  "\nshr.u32 %r31, %r30, 1;\nsetp.lt.u32 %p6, %r31, 2;\n"
                  "mad.lo.s32 %r1, %r31, 16384, %sm;\n" +
                  "@%p0 st.shared.b32 [%sm], %tid;\n"
                  "@%p0 st.shared.b32 [%sm+16384], %tid;\n"
                  "fence.proxy.async.shared::cta;\n" +
                  init({{0, 1}}) +
                  "@%p6 ld.shared.b32 %r2, [%r1];\n"
                  "@%p5 fence.proxy.async.shared::cta;\n" +
                  barSync + expectBytes(8192) + loadBox +
                  waitFor("%full", "0", "W"));
  };
  expectClean(refill("lt.u32 %p5, %r30, 2;"));
  expectFault(refill("eq.u32 %p5, %r30, 0;"), FindingKind::MissingProxyFence);
  expectFault(refill("ge.u32 %p5, %r30, 2;"), FindingKind::MissingProxyFence);
}

/// Lanes 0, 2 and 4 read, and then lane 31, which executes the fence.
TEST(AsyncFault, OtherLanesDoNotStandForSomeThatRead) {
  auto refill = [](const std::string &whoFences) {
    return Kernel("and.b32 %r1, %tid, 31;\nmov.b32 %r30, 1;\n"
                  "shl.b32 %r30, %r30, %r1;\n"
                  "@%p0 st.shared.b32 [%sm], %tid;\n"
                  "fence.proxy.async.shared::cta;\n" +
                  init({{0, 1}}) +
                  "and.b32 %r31, %r30, 21;\nsetp.ne.s32 %p6, %r31, 0;\n"
                  "@%p6 ld.shared.b32 %r2, [%sm];\nbar.warp.sync -1;\n"
                  "setp.eq.s32 %p5, %r1, 31;\n"
                  "@%p5 ld.shared.b32 %r2, [%sm];\nsetp.eq.or.s32 %p6, %r1, "
                  "31, %p6;\n" +
                  whoFences + " fence.proxy.async.shared::cta;\n" + barSync +
                  expectBytes(8192) + loadBox + waitFor("%full", "0", "W"));
  };
  expectClean(refill("@%p6"));
  expectFault(refill("@%p5"), FindingKind::MissingProxyFence);
}

/// Who has seen a phase complete knows that its copies are done, in whatever
/// order; who has not, does not, however early they came.
TEST(AsyncFault, EndsOnceItHasSeenItsCopies) {
  const std::string copy = init({{0, 1}}) + expectBytes(8192) + loadBox;
  expectClean(Kernel(copy + waitFor("%full", "0", "W")));
  expectClean(Kernel(
      copy + "W:\nmbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p9, "
             "[%full], 0;\n@!%p9 bra W;\n"));
  expectFault(Kernel(copy), FindingKind::CopyMisuse,
              "ended before a warp had seen that copies are done");
}

/// The byte that is named is of a lane without a fence.
TEST(AsyncFault, NamesTheByteOfWhoHasNoFence) {
  expectFault(Kernel(writeMine +
                     "setp.ne.s32 %p5, %tid, 3;\n"
                     "@%p5 fence.proxy.async.shared::cta;\n" +
                     barSync + storeBox + "@%p0 cp.async.bulk.wait_group 0;\n"),
              FindingKind::MissingProxyFence, "read of shared byte 1036 ");
}

TEST(AsyncFault, MisusedMBarriers) {
  expectFault(Kernel("@%p0 mbarrier.arrive.shared::cta.b64 %state, [%full];"),
              FindingKind::MBarrierMisuse, "none was initialised");
  expectFault(Kernel(init({{0, 1}}) +
                     "@%p0 mbarrier.inval.shared::cta.b64 [%full];\n"
                     "@%p0 mbarrier.arrive.shared::cta.b64 %state, [%full];"),
              FindingKind::MBarrierMisuse, "none was initialised");
  expectFault(Kernel(init({{0, 1}, {0, 2}})), FindingKind::MBarrierMisuse,
              "initialised again");
  expectFault(Kernel(init({{0, 1}}) + "@%p0 st.shared.b32 [%full+4], %tid;"),
              FindingKind::MBarrierMisuse, "plain write");
  expectFault(Kernel(init({{0, 0}})), FindingKind::MBarrierMisuse,
              "expected 1 to 2^20 - 1 arrivals");
  expectFault(Kernel(init({{4, 1}})), FindingKind::Misaligned);
  // Initialised by one warp, used by another, and nothing between.
  expectFault(Kernel("@%p0 mbarrier.init.shared::cta.b64 [%full], 1;\n"
                     "setp.eq.s32 %p1, %tid, 32;\n"
                     "@%p1 mbarrier.arrive.shared::cta.b64 %state, [%full];"),
              FindingKind::SharedRace);
  // The copy engine does not see the initialisation.
  std::string copy = expectBytes(8192) + loadBox + waitFor("%full", "0", "W");
  expectFault(Kernel(init({{0, 1}}, "") + copy), FindingKind::MissingProxyFence,
              "fence.mbarrier_init");
  expectClean(
      Kernel(init({{0, 1}}, "fence.proxy.async.shared::cta;\n") + copy));
}

TEST(AsyncFault, PhaseStates) {
  // test_wait with the state that arrive gave; a phase that is over.
  std::vector<uint32_t> out = expectClean(Kernel(
      init({{0, 2}}) +
      "@!%p0 bra END;\nmbarrier.arrive.shared::cta.b64 %state, [%full];\n"
      "mbarrier.pending_count.b64 %r5, %state;\n"
      "mbarrier.test_wait.shared::cta.b64 %p1, [%full], %state;\n"
      "mbarrier.arrive.shared::cta.b64 %rd9, [%full];\n"
      "mbarrier.pending_count.b64 %r6, %rd9;\n"
      "mbarrier.test_wait.shared::cta.b64 %p2, [%full], %state;\n"
      "selp.b32 %r7, 1, 0, %p1;\nselp.b32 %r8, 1, 0, %p2;\n"
      "st.global.v4.b32 [%out], {%r5, %r6, %r7, %r8};\nEND:\n"));
  EXPECT_EQ(std::vector<uint32_t>(out.begin(), out.begin() + 4),
            (std::vector<uint32_t>{2, 1, 0, 1}));
  // arrive_drop: the second phase expects one arrival less.
  expectClean(Kernel(
      init({{0, 2}}) +
      "@!%p0 bra END;\nmbarrier.arrive_drop.shared::cta.b64 %state, [%full];\n"
      "mbarrier.arrive.shared::cta.b64 %state, [%full];\n" +
      waitFor("%full", "0", "A") +
      "mbarrier.arrive.shared::cta.b64 %state, [%full];\n" +
      waitFor("%full", "1", "B") + "END:\n"));
}

TEST(AsyncFault, CopiesOfLanesArrive) { // cp.async.mbarrier.arrive
  auto text = [](const std::string &count, const std::string &arrive) {
    return "@%p0 mbarrier.init.shared::cta.b64 [%full], " + count + ";\n" +
           barSync +
           "mad.wide.u32 %rd1, %tid, 4, %in;\n"
           "cp.async.ca.shared.global [%mine], [%rd1], 4;\n"
           "cp.async.mbarrier.arrive" +
           arrive + ".shared::cta.b64 [%full];\n" +
           (arrive.empty()
                ? "mbarrier.arrive.shared::cta.b64 %state, [%full];\n"
                : "") +
           waitFor("%full", "0", "W") +
           "xor.b32 %r5, %tid, 64;\nmad.lo.s32 %r5, %r5, 4, %sm;\n"
           "ld.shared.b32 %r1, [%r5];\nmad.wide.u32 %rd1, %tid, 4, %out;\n"
           "st.global.b32 [%rd1], %r1;\n";
  };
  for (const char *noinc : {"", ".noinc"}) {
    std::vector<uint32_t> out = expectClean(Kernel(text("128", noinc)));
    EXPECT_EQ(out[0], 65u);
    EXPECT_EQ(out[64], 1u);
  }
}

TEST(AsyncFault, PlacesOfBoxes) { // 30
  auto text = [](const std::string &to, const std::string &box) {
    return init({{0, 1}}) + expectBytes(8192) +
           "@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.tile."
           "mbarrier::complete_tx::bytes [%sm+" +
           to + "], [%map, {" + box + "}], [%full];\n" +
           waitFor("%full", "0", "W") + "ld.shared.b32 %r1, [%mine+" + to +
           "];\nmad.wide.u32 %rd1, %tid, 4, %out;\nst.global.b32 [%rd1], "
           "%r1;\n";
  };
  expectFault(Kernel(text("16", "0, 0")), FindingKind::Misaligned,
              "multiple of 128 bytes");
  expectFault(Kernel(text("53248", "0, 0")), FindingKind::OutOfBounds);
  // Beyond the tensor there are zeros, and before it.
  std::vector<uint32_t> out = expectClean(Kernel(text("0", "0, 62")));
  EXPECT_EQ(out[0], 62 * 32 + 1u);
  EXPECT_EQ(out[64], 0u);
  out = expectClean(Kernel(text("0", "0, -1")));
  EXPECT_EQ(out[0], 0u);
  EXPECT_EQ(out[32 + 4], 1u);
  // A tensor that is larger than its buffer.
  Kernel tooLarge(text("0", "0, 100"));
  tooLarge.map.sizes = {64, 200};
  expectFault(tooLarge, FindingKind::OutOfBounds, "buffer 'in'");
  // Its second row is where the next buffer starts.
  Kernel farApart(text("0", "0, 0"));
  farApart.map = {2, {64, 2}, {1 << 22}, {64, 64}, Swizzle::None};
  expectFault(farApart, FindingKind::OutOfBounds,
              "bulk copy would read 128 bytes of buffer 'out' by a tensor map "
              "of buffer 'in'");
  // No tensor map, and one of another rank.
  expectFault(Kernel("@%p0 cp.async.bulk.prefetch.tensor.2d.L2.global.tile "
                     "[%in, {0, 0}];"),
              FindingKind::CopyMisuse, "found other bytes");
  expectFault(Kernel("@%p0 cp.async.bulk.prefetch.tensor.3d.L2.global.tile "
                     "[%map, {0, 0, 0}];"),
              FindingKind::CopyMisuse, "3 dimensions");
}

TEST(AsyncFault, SizesOfPlainCopies) {
  auto text = [](const std::string &from, const std::string &bytes) {
    return init({{0, 1}}) + expectBytes(32) +
           "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
           "bytes [%sm], [%in+" +
           from + "], " + bytes + ", [%full];\n" + waitFor("%full", "0", "W");
  };
  LaunchResult result = Kernel(text("0", "24")).run();
  EXPECT_TRUE(hasFinding(result, FindingKind::CopyMisuse));
  result = Kernel(text("8", "32")).run();
  EXPECT_TRUE(hasFinding(result, FindingKind::Misaligned));
  expectClean(Kernel(text("16", "32")));
}

TEST(AsyncFault, TensorMapsThatKernelsWrite) { // 29
  auto text = [](const std::string &release, const std::string &acquire) {
    return init({{0, 1}}) +
           "setp.ge.s32 %p1, %tid, 8;\n@%p1 bra READY;\n"
           "mul.wide.u32 %rd9, %tid, 16;\nadd.s64 %rd8, %map, %rd9;\n"
           "ld.v2.b64 {%rd10, %rd11}, [%rd8];\nadd.s64 %rd8, %out, %rd9;\n"
           "st.global.v2.b64 [%rd8], {%rd10, %rd11};\n" +
           release + acquire + "READY:\nbar.warp.sync -1;\n" +
           expectBytes(8192) +
           "@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.tile."
           "mbarrier::complete_tx::bytes [%sm], [%out, {0, 0}], [%full];\n" +
           waitFor("%full", "0", "W") +
           "ld.shared.b32 %r1, [%mine];\n"
           "mad.wide.u32 %rd1, %tid, 4, %out;\nst.global.b32 [%rd1+256], "
           "%r1;\n";
  };
  const std::string release = "fence.proxy.tensormap::generic.release.gpu;\n";
  const std::string acquire =
      "fence.proxy.tensormap::generic.acquire.gpu [%out], 128;\n";
  expectFault(Kernel(text("", "")), FindingKind::MissingProxyFence);
  expectFault(Kernel(text(release, "")), FindingKind::MissingProxyFence,
              "tensormap::generic.acquire");
  expectFault(Kernel(text("", acquire)), FindingKind::MissingProxyFence);
  EXPECT_EQ(expectClean(Kernel(text(release, acquire)))[64], 1u);
  // An acquire of what was there before.
  expectFault(Kernel(text(acquire + release, "")),
              FindingKind::MissingProxyFence, "behind the last write");
}

/// Thread 0 writes the map again in each of two turns, as a grouped matmul
/// does.
TEST(AsyncFault, TensorMapsThatChangeInALoop) {
  auto text = [](const std::string &before, const std::string &inLoop) {
    return init({{0, 1}}) +
           "@!%p0 bra END;\nmov.b32 %r10, 0;\nadd.s64 %rd9, %out, 8192;\n" +
           before +
           "LOOP:\nmov.b32 %r11, 0;\nPIECE:\n"
           "mul.wide.u32 %rd7, %r11, 16;\nadd.s64 %rd8, %map, %rd7;\n"
           "ld.v2.b64 {%rd10, %rd11}, [%rd8];\nadd.s64 %rd8, %rd9, %rd7;\n"
           "st.global.v2.b64 [%rd8], {%rd10, %rd11};\n"
           "add.s32 %r11, %r11, 1;\nsetp.lt.s32 %p3, %r11, 8;\n"
           "@%p3 bra PIECE;\n"
           "fence.proxy.tensormap::generic.release.gpu;\n" +
           inLoop + expectBytes(8192) +
           "cp.async.bulk.tensor.2d.shared::cluster.global.tile."
           "mbarrier::complete_tx::bytes [%sm], [%rd9, {0, 0}], [%full];\n" +
           waitFor("%full", "%r10", "W") +
           "add.s32 %r10, %r10, 1;\nsetp.lt.s32 %p3, %r10, 2;\n"
           "@%p3 bra LOOP;\nld.shared.b32 %r1, [%sm];\n"
           "st.global.b32 [%out], %r1;\nEND:\n";
  };
  const std::string acquire =
      "fence.proxy.tensormap::generic.acquire.gpu [%rd9], 128;\n";
  EXPECT_EQ(expectClean(Kernel(text("", acquire)))[0], 1u);
  expectFault(Kernel(text(acquire, "")), FindingKind::MissingProxyFence,
              "behind the last write");
  // Only in the first turn.
  expectFault(Kernel(text("", "setp.eq.s32 %p4, %r10, 0;\n@%p4 " + acquire)),
              FindingKind::MissingProxyFence, "behind the last write");
}

} // namespace
