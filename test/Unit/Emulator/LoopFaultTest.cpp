//===- LoopFaultTest.cpp - Loops without an end, and limits ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FaultSupport.h"

using namespace mlir::mirage::emulator;

namespace {

/// Odd numbers come to no even one in 2^31 turns.
static const char *const longLoop =
    "mov.b32 %r1, 1;\nLOOP:\nadd.s32 %r1, %r1, 2;\n"
    "setp.ne.s32 %p1, %r1, 0;\n@%p1 bra LOOP;\n";

TEST(Fault, StepLimit) {
  LaunchConfig config;
  config.stepLimitPerBlock = 10000;
  LaunchResult result = runBody(longLoop, 128, 64, config);
  ASSERT_EQ(
      findingsText(result).find("step-limit: the block was stopped after "),
      0u);
  EXPECT_NE(findingsText(result).find("; --step-limit says how many it may "
                                      "execute, which was 10000; PTX line "),
            std::string::npos);
  EXPECT_EQ(result.findings[0].count, 1u) << "the launch ends with the block";
  // It fails the launch, and is no fault of the kernel's.
  EXPECT_FALSE(result.isClean());
  EXPECT_FALSE(isWarning(result.findings[0].kind));
  EXPECT_TRUE(isLimit(result.findings[0].kind));
  EXPECT_FALSE(isLimit(FindingKind::EndlessLoop));
  EXPECT_FALSE(result.completed);
}

TEST(Fault, LoopsThatNothingEnds) {
  expectFault("LOOP:\nadd.s32 %r1, %r1, 1;\nbra LOOP;\n",
              FindingKind::EndlessLoop, 128, 4);
  // A way out that is not taken, by all lanes or by some.
  for (std::string leave :
       {"setp.eq.u32 %p1, %tid, 4096;\n", "setp.eq.u32 %p1, %tid, 3;\n"})
    expectFault(leave + "mov.b32 %r1, 0;\nLOOP:\nadd.s32 %r1, %r1, 1;\n"
                        "rem.u32 %r1, %r1, 77;\n@!%p1 bra LOOP;\n",
                FindingKind::EndlessLoop, 128, 4);
  LaunchConfig config;
  config.scheduleSeed = 3;
  EXPECT_TRUE(hasFinding(
      runBody("setp.eq.u32 %p1, %tid, 4096;\nLOOP:\n@!%p1 bra LOOP;\n", 128, 1,
              config),
      FindingKind::EndlessLoop));
}

TEST(Fault, LongLoopsThatEnd) {
  expectClean("mov.b32 %r1, 0;\nLOOP:\nadd.s32 %r1, %r1, 1;\n"
              "setp.ne.s32 %p1, %r1, 50000;\n@%p1 bra LOOP;\n");
  // A clock that leaves nothing in the registers.
  expectClean("LOOP:\nmov.u32 %r1, %clock;\nsetp.lt.u32 %p1, %r1, 100000;\n"
              "mov.b32 %r1, 0;\n@%p1 bra LOOP;\n");
  // What others do ends it.
  expectClean("mov.b32 %r2, smem;\nsetp.lt.u32 %p1, %tid, 32;\n"
              "@!%p1 bra OTHERS;\nst.shared.b32 [%r2], 0;\nbar.sync 1, 32;\n"
              "mov.b32 %r1, 0;\nLOOP:\nadd.s32 %r1, %r1, 1;\n"
              "setp.ne.s32 %p2, %r1, 30000;\n@%p2 bra LOOP;\nOTHERS:\n");
}

} // namespace
