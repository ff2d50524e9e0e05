//===- MBarrierFaultTest.cpp - What mbarriers must not be used for --------===//
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

/// Only arrivals and byte counts go to other blocks: a generic address is not
/// said to be of the own one.
/// A limit of the emulator is no fault of the kernel.
TEST(MBarrierFault, MoreThanTheEmulatorHas) {
  auto messageFor = [](unsigned count) {
    std::unique_ptr<Module> module = parseOrFail(kernelText(
        0, "mov.b32 %r1, smem;\nmov.b32 %r2, 0;\nLOOP:\n"
           "mbarrier.init.shared.b64 [%r1], 1;\nadd.s32 %r1, %r1, 8;\n"
           "add.s32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, " +
               std::to_string(count) + ";\n@%p1 bra LOOP;"));
    LaunchConfig config = blocksOf(1, 3);
    config.kernel = "k";
    llvm::Expected<LaunchResult> result = launch(*module, config);
    return result ? findingsText(*result) : llvm::toString(result.takeError());
  };
  EXPECT_EQ(messageFor(768), "");
  EXPECT_EQ(messageFor(769),
            "test.ptx:17:1: error: not supported by the emulator: mbarriers at "
            "more than 768 places of a block");
}

TEST(MBarrierFault, OthersMayOnlyArrive) {
  auto text = [](const std::string &place, const std::string &operation) {
    return init({{0, 1}}) +
           "cvt.u64.u32 %rd10, %full;\ncvta.shared.u64 %rd10, %rd10;\n"
           "mapa.u64 %rd11, %rd10, %r41;\n" +
           meet + "mov.b64 %rd12, " + place + ";\n@%p0 " + operation + meet;
  };
  const std::string inval = "mbarrier.inval.b64 [%rd12];\n";
  const std::string initOther = "mbarrier.inval.shared::cta.b64 [%full];\n" +
                                meet + "@%p0 mbarrier.init.b64 [%rd12], 1;\n";
  const std::string arriveAtOwn =
      "mbarrier.arrive.shared::cta.b64 %state, [%full];\n" + meet;
  const std::string poll =
      "@%p0 mbarrier.test_wait.b64 %p1, [%rd12], %state;\n";
  const std::string wait =
      "@%p0 mbarrier.try_wait.parity.b64 %p1, [%rd12], 0;\n";
  const std::string noComplete =
      "mbarrier.arrive.noComplete.b64 %state, [%rd12], 1;\n";
  const std::string arriveAfterCopies =
      "cp.async.mbarrier.arrive.b64 [%rd12];\n";
  for (const std::string &operation :
       {inval, initOther, arriveAtOwn + poll, arriveAtOwn + wait, noComplete,
        arriveAfterCopies})
    expectFault(pair(text("%rd11", operation)), FindingKind::MBarrierMisuse,
                "of the block, found one of another block of the cluster");
  for (const std::string &operation : {inval, initOther, arriveAtOwn + poll,
                                       arriveAtOwn + wait, arriveAfterCopies})
    expectClean(pair(text("%rd10", operation)));
  // An arrival may.
  expectClean(
      pair(text("%rd11", "mbarrier.arrive.release.cluster.b64 _, [%rd12];\n")));
}

/// Thread 0 fills 512 bytes by a copy of which the mbarrier is told by
/// `announce`, and makes it invalid after `wait`.
std::string copyAndInvalidate(const std::string &announce,
                              const std::string &wait) {
  return "@%p0 mbarrier." + announce +
         " [%full], 512;\n@%p0 cp.async.bulk.shared::cluster.global.mbarrier::"
         "complete_tx::bytes [%sm], [%in], 512, [%full];\n" +
         wait + "@%p0 mbarrier.inval.shared::cta.b64 [%full];\n";
}

TEST(MBarrierFault, InvalidWhileCopiesAreUnderWay) {
  const std::string arrive = "arrive.expect_tx.shared::cta.b64 %state,",
                    announce = "expect_tx.relaxed.cta.shared::cta.b64";
  const std::string wait = waitFor("%full", "0", "W");
  const FindingKind misuse = FindingKind::MBarrierMisuse;
  expectFault(AsyncKernel(init({{0, 1}}) + copyAndInvalidate(arrive, "")),
              misuse, "is made invalid");
  // Nobody arrives: the phase goes on though the bytes may be there.
  expectFault(AsyncKernel(init({{0, 1}}) + copyAndInvalidate(announce, "")),
              misuse, "is made invalid");
  expectFault(AsyncKernel(init({{0, 1}}) + expectBytes(16) +
                          "@%p0 mbarrier.inval.shared::cta.b64 [%full];\n"),
              misuse, "while 16 bytes are missing");
  // Another warp has waited, and nothing says so.
  expectFault(AsyncKernel(init({{0, 1}}) + expectBytes(8192) + loadBox +
                          "setp.ge.s32 %p1, %tid, 96;\n@!%p1 bra OTHERS;\n" +
                          wait +
                          "OTHERS:\nsetp.eq.s32 %p2, %tid, 32;\n"
                          "@%p2 mbarrier.inval.shared::cta.b64 [%full];\n"),
              misuse, "is made invalid by a warp that does not know");
  // After a wait, or a barrier with who has waited. Then it is a new one.
  const std::string again = init({{0, 1}}) + expectBytes(8192) + loadBox +
                            waitFor("%full", "0", "V") +
                            "ld.shared.b32 %r1, [%mine];\n";
  expectClean(AsyncKernel(init({{0, 1}}) +
                          copyAndInvalidate(arrive, wait + barSync) + again));
  expectClean(AsyncKernel(init({{0, 1}}) +
                          copyAndInvalidate(arrive, "@%p0 bra MEET;\n" + wait +
                                                        "MEET:\n" + barSync) +
                          again));
}

/// Warp 3, which comes last to the barrier, goes on first.
TEST(MBarrierFault, InvalidWhileOthersWait) {
  auto text = [](const std::string &arrival) {
    return init({{0, 1}}) + "setp.ge.s32 %p1, %tid, 96;\n@%p1 bra WAIT;\n" +
           "@!%p0 bra END;\n" + arrival + "bra END;\nWAIT:\n" +
           waitFor("%full", "0", "W") + "END:\n";
  };
  const std::string inval = "mbarrier.inval.shared::cta.b64 [%full];\n";
  expectFault(AsyncKernel(text(inval)), FindingKind::MBarrierMisuse,
              "while warp 3 waits for it");
  expectClean(
      AsyncKernel(text("mbarrier.arrive.shared::cta.b64 %state, [%full];\n") +
                  barSync + "@%p0 " + inval));
}

/// Nobody can go on there.
TEST(MBarrierFault, WaitWhereThereIsNone) {
  AsyncKernel kernel(waitFor("%full", "0", "W"));
  LaunchConfig config;
  config.stepLimitPerBlock = 1000;
  LaunchResult result = kernel.run(config);
  EXPECT_TRUE(hasFinding(result, FindingKind::MBarrierMisuse));
  EXPECT_FALSE(hasFinding(result, FindingKind::StepLimit));
  EXPECT_FALSE(result.completed);
}

} // namespace
