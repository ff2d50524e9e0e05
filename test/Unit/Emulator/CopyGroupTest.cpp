//===- CopyGroupTest.cpp - Groups of copies, lane by lane -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread waits for its own copies. Kernels in which some lanes of a warp copy
// and wait, and others do not or not yet.
//
//===----------------------------------------------------------------------===//

#include "AsyncSupport.h"

using namespace mlir::mirage;
using namespace mlir::mirage::emulator;

namespace {

/// Lanes for which %p1 holds: the first of each warp. Source and destination of
/// a thread's 4 bytes.
const std::string firstLanes = "and.b32 %r5, %tid, 31;\n"
                               "setp.eq.s32 %p1, %r5, 0;\n"
                               "mad.wide.u32 %rd1, %tid, 4, %in;\n"
                               "mad.wide.u32 %rd2, %tid, 4, %out;\n";
const std::string copyMine = "cp.async.ca.shared.global [%mine], [%rd1], 4;\n";
const std::string commit = "cp.async.commit_group;\n";

/// Each thread reads what lane 0 of the warp after its own copied.
const std::string readOfNext = "add.s32 %r6, %tid, 32;\n"
                               "and.b32 %r6, %r6, 96;\n"
                               "mad.lo.s32 %r6, %r6, 4, %sm;\n"
                               "ld.shared.b32 %r7, [%r6];\n"
                               "st.global.b32 [%rd2], %r7;\n";

std::string on(const char *predicate, const std::string &instruction) {
  return std::string("@") + predicate + " " + instruction;
}
std::string waitGroup(unsigned pending) {
  return "cp.async.wait_group " + std::to_string(pending) + ";\n";
}

TEST(CopyGroup, OneLaneCopiesAndWaits) {
  auto text = [](unsigned pending) {
    return firstLanes + on("%p1", copyMine) + on("%p1", commit) +
           on("%p1", waitGroup(pending)) + barSync + readOfNext;
  };
  std::vector<uint32_t> out = expectClean(AsyncKernel(text(0)));
  EXPECT_EQ(out[0], 33u);
  EXPECT_EQ(out[127], 1u);
  expectFault(AsyncKernel(text(1)), FindingKind::SharedRace);
}

TEST(CopyGroup, OneLaneWaitsForAll) {
  auto text = [](const std::string &wait) {
    return firstLanes + copyMine + commit + wait + barSync +
           "xor.b32 %r6, %tid, 65;\nmad.lo.s32 %r6, %r6, 4, %sm;\n"
           "ld.shared.b32 %r7, [%r6];\nst.global.b32 [%rd2], %r7;\n" +
           waitGroup(0);
  };
  expectFault(AsyncKernel(text(on("%p1", waitGroup(0)))),
              FindingKind::SharedRace);
  // Lanes may wait one after the other.
  EXPECT_EQ(expectClean(AsyncKernel(
                text(on("%p1", waitGroup(0)) + on("!%p1", waitGroup(0)))))[0],
            66u);
}

/// The first lanes close two groups while others close one, of copies that come
/// later.
TEST(CopyGroup, LanesCountTheirOwnGroups) {
  auto text = [](unsigned pendingOfOthers) {
    return firstLanes + on("%p1", copyMine) + on("%p1", commit) +
           on("%p1", waitGroup(0)) + on("!%p1", copyMine) + commit +
           on("!%p1", waitGroup(pendingOfOthers)) + barSync +
           "xor.b32 %r6, %tid, 65;\nmad.lo.s32 %r6, %r6, 4, %sm;\n"
           "ld.shared.b32 %r7, [%r6];\nst.global.b32 [%rd2], %r7;\n" +
           waitGroup(0);
  };
  EXPECT_EQ(expectClean(AsyncKernel(text(0)))[0], 66u);
  expectFault(AsyncKernel(text(1)), FindingKind::SharedRace);
}

//===----------------------------------------------------------------------===//
// cp.async.mbarrier.arrive
//===----------------------------------------------------------------------===//

/// All lanes copy, and `arrive` tells an mbarrier that expects `count`
/// arrivals; whoever waits for it reads what another warp's lanes copied.
std::string tellMBarrier(unsigned count, const std::string &copy,
                         const std::string &arrive) {
  return "@%p0 mbarrier.init.shared::cta.b64 [%full], " +
         std::to_string(count) + ";\n" + barSync + firstLanes + copy + arrive +
         waitFor("%full", "0", "W") +
         "xor.b32 %r6, %tid, 65;\nmad.lo.s32 %r6, %r6, 4, %sm;\n"
         "ld.shared.b32 %r7, [%r6];\nst.global.b32 [%rd2], %r7;\n" +
         "cp.async.wait_all;\n";
}
const std::string arriveAfterCopies =
    "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%full];\n";

TEST(CopyGroup, MBarriersAreToldOfTheLanesThatArrive) {
  expectFault(
      AsyncKernel(tellMBarrier(4, copyMine, on("%p1", arriveAfterCopies))),
      FindingKind::SharedRace);
  EXPECT_EQ(expectClean(
                AsyncKernel(tellMBarrier(128, copyMine, arriveAfterCopies)))[0],
            66u);
  // One after the other; and no lanes but those have copied.
  EXPECT_EQ(
      expectClean(AsyncKernel(tellMBarrier(
          128, copyMine,
          on("%p1", arriveAfterCopies) + on("!%p1", arriveAfterCopies))))[0],
      66u);
  const std::string fourWords =
      on("%p1", "cp.async.ca.shared.global [%mine], [%rd1], 16;\n");
  AsyncKernel few(tellMBarrier(4, fourWords, on("%p1", arriveAfterCopies)));
  few.body.replace(few.body.find("xor.b32 %r6, %tid, 65;\n"), 23,
                   "add.s32 %r6, %tid, 32;\nand.b32 %r6, %r6, 99;\n");
  EXPECT_EQ(expectClean(few)[1], 34u);
}

TEST(CopyGroup, CopiesAfterAnArrivalAreNoPartOfIt) {
  const std::string later =
      "cp.async.ca.shared.global [%mine+512], [%rd1], 4;\n";
  AsyncKernel kernel(tellMBarrier(128, copyMine, arriveAfterCopies + later));
  expectClean(kernel);
  kernel.body.replace(kernel.body.find("[%r6]"), 5, "[%r6+512]");
  expectFault(kernel, FindingKind::SharedRace);
}

//===----------------------------------------------------------------------===//
// Bulk groups
//===----------------------------------------------------------------------===//

/// Threads 0 and 1 store 256 bytes each, the first in a group that it waits for
/// at the end.
TEST(CopyGroup, BulkGroupsOfTwoLanes) {
  auto text = [](const std::string &overwrite) {
    return firstLanes + writeMine + "fence.proxy.async.shared::cta;\n" +
           barSync + "setp.eq.s32 %p2, %tid, 1;\n" +
           on("%p0", "cp.async.bulk.global.shared::cta.bulk_group [%out], "
                     "[%sm], 256;\n") +
           on("%p2", "cp.async.bulk.global.shared::cta.bulk_group [%out+256], "
                     "[%sm+256], 256;\n") +
           on("%p2", "cp.async.bulk.commit_group;\n") +
           on("%p2", "cp.async.bulk.wait_group.read 0;\n") + barSync +
           overwrite + on("%p0", "cp.async.bulk.commit_group;\n") +
           on("%p0", "cp.async.bulk.wait_group 0;\n");
  };
  const std::string upper = "setp.ge.s32 %p3, %tid, 64;\n",
                    store = "st.shared.b32 [%mine], 7;\n";
  std::vector<uint32_t> out =
      expectClean(AsyncKernel(text(upper + on("%p3", store))));
  EXPECT_EQ(out[63], 63u);
  EXPECT_EQ(out[127], 127u);
  expectFault(AsyncKernel(text(upper + on("!%p3", store))),
              FindingKind::SharedRace, "a bulk copy of warp 0");
}

/// Of 16 bytes some are copied and the rest are zeros, whatever lies behind.
TEST(CopyGroup, PartsAtTheEndOfABuffer) {
  auto text = [](const std::string &size) {
    return firstLanes + "mad.lo.s32 %r8, %tid, 16, %sm;\n" + // tid < 32
           "setp.eq.s32 %p2, %tid, 31;\n"
           "selp.b32 %r9, " +
           size +
           ", 16, %p2;\n"
           "mad.wide.u32 %rd3, %tid, 16, %in;\n"
           "cp.async.cg.shared.global [%r8], [%rd3+15872], 16, %r9;\n"
           "cp.async.wait_all;\n"
           "ld.shared.v4.b32 {%r10, %r11, %r12, %r13}, [%r8];\n"
           "mad.wide.u32 %rd3, %tid, 16, %out;\n"
           "st.global.v4.b32 [%rd3], {%r10, %r11, %r12, %r13};\n";
  };
  auto kernel = [&](const std::string &size) {
    AsyncKernel kernel(text(size));
    kernel.threads = 32;
    kernel.in.resize(4094);
    kernel.map.sizes[1] = 63;
    return kernel;
  };
  // The last lane reads from word 4092 on.
  std::vector<uint32_t> out = expectClean(kernel("8"));
  EXPECT_EQ(
      llvm::ArrayRef(out).slice(120, 8),
      llvm::ArrayRef<uint32_t>({4089, 4090, 4091, 4092, 4093, 4094, 0, 0}));
  expectFault(kernel("10"), FindingKind::OutOfBounds);
  EXPECT_EQ(expectClean(kernel("6"))[125], 4094u & 0xffffu);
}

} // namespace
