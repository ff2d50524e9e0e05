//===- RegisterCountTest.cpp - setmaxnreg and counted reductions ----------===//
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

std::string change(const std::string &action, unsigned count) {
  return "setmaxnreg." + action + ".sync.aligned.u32 " + std::to_string(count) +
         ";\n";
}

/// Three warpgroups, of 168 registers a thread at the start: the first is to
/// give some to the others.
AsyncKernel kernelOf(const std::string &first, const std::string &others) {
  AsyncKernel kernel("setp.lt.s32 %p1, %tid, 128;\n@%p1 bra FIRST;\n" + others +
                     "bra END;\nFIRST:\n" + first + "END:\n");
  kernel.threads = 384;
  return kernel;
}

TEST(RegisterCount, MoveBetweenWarpgroups) {
  expectClean(kernelOf(change("dec", 40), change("inc", 232)));
  // 8 more than there are.
  expectFault(kernelOf(change("dec", 40), change("inc", 240)),
              FindingKind::Deadlock, "waits for registers");
  expectFault(kernelOf("", change("inc", 176)), FindingKind::Deadlock,
              "of which its threads have 168 each");
}

TEST(RegisterCount, CountsThatThereAreNot) {
  expectFault(kernelOf(change("dec", 42), ""), FindingKind::RegisterMisuse,
              "a multiple of 8 from 24 to 256, found 42");
  expectFault(kernelOf(change("dec", 16), ""), FindingKind::RegisterMisuse,
              "found 16");
  expectFault(kernelOf(change("dec", 176), ""), FindingKind::RegisterMisuse,
              "at most the 168 registers");
  expectFault(kernelOf(change("inc", 160), ""), FindingKind::RegisterMisuse,
              "at least the 168 registers");
}

/// They are reported, and not waited for, though so many are not free.
TEST(RegisterCount, CountsThatNothingWillFree) {
  expectFault(kernelOf("", change("inc", 264)), FindingKind::RegisterMisuse,
              "a multiple of 8 from 24 to 256, found 264");
  expectFault(kernelOf("", change("inc", 172)), FindingKind::RegisterMisuse,
              "found 172");
  AsyncKernel few("setp.lt.s32 %p1, %tid, 256;\n@%p1 bra END;\n" +
                  change("inc", 256) + "END:\n");
  few.threads = 288;
  expectFault(few, FindingKind::RegisterMisuse, "a warpgroup of four warps");
}

TEST(RegisterCount, WholeWarpgroups) {
  const std::string half = "setp.lt.s32 %p2, %tid, 64;\n@%p2 bra HALF;\n";
  expectFault(kernelOf(half + change("dec", 40) + "HALF:\n", ""),
              FindingKind::RegisterMisuse, "all warps of a warpgroup");
  expectFault(kernelOf(half + change("dec", 40) + "bra END;\nHALF:\n" +
                           change("dec", 40),
                       ""),
              FindingKind::RegisterMisuse, "expected one setmaxnreg");
  AsyncKernel few(change("dec", 40));
  few.threads = 96;
  expectFault(few, FindingKind::RegisterMisuse, "a warpgroup of four warps");
}

TEST(RegisterCount, ReductionOfSomeWarps) {
  const std::string odd = "and.b32 %r1, %tid, 1;\nsetp.eq.s32 %p2, %r1, 1;\n";
  std::vector<uint32_t> out = expectClean(AsyncKernel(
      odd + "setp.ge.s32 %p3, %tid, 64;\n@%p3 bra END;\n"
            "bar.red.popc.u32 %r2, 1, 64, %p2;\nbar.red.or.pred %p4, 1, 64, "
            "%p2;\nselp.b32 %r3, 100, 0, %p4;\nadd.s32 %r2, %r2, %r3;\n"
            "mad.wide.u32 %rd1, %tid, 4, %out;\nst.global.b32 [%rd1], %r2;\n"
            "END:\n"));
  EXPECT_EQ(out[0], 132u);
  EXPECT_EQ(out[63], 132u);
  EXPECT_EQ(out[64], 0u);
}

} // namespace
