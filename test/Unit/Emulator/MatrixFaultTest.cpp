//===- MatrixFaultTest.cpp - Faults of wgmma ------------------------------===//
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

const std::string fence = "wgmma.fence.sync.aligned;\n";
const std::string commit = "wgmma.commit_group.sync.aligned;\n";
std::string waitGroups(unsigned pending) {
  return "wgmma.wait_group.sync.aligned " + std::to_string(pending) + ";\n";
}
const std::string proxyFence = "fence.proxy.async.shared::cta;\n";

/// Names for what follows: a descriptor %desc of a tile of 128-byte rows with
/// the swizzle of 128 bytes at `smem`, accumulators %d0-%d3 and %e0-%e3, and a
/// left operand %f0-%f3.
const std::string names =
    ".reg .b32 %d<4>, %e<4>, %f<4>;\n.reg .b64 %desc;\n.reg .pred %all;\n"
    "cvt.u64.u32 %desc, %sm;\nshr.u64 %desc, %desc, 4;\n"
    "or.b64 %desc, %desc, 0x4000004000000000;\n"
    "setp.eq.s32 %all, %tid, %tid;\n";
std::string clear(const std::string &prefix, const std::string &value = "0") {
  std::string text;
  for (unsigned i = 0; i < 4; ++i)
    text += "mov.b32 " + prefix + std::to_string(i) + ", " + value + ";\n";
  return text;
}
/// As f32. Of two wgmma that are alike, with accumulators of zero, ptxas 13.0
/// drops the second and stores registers that nothing has written.
const std::string one = "0x3f800000";
std::string listOf(const std::string &prefix) {
  return "{" + prefix + "0, " + prefix + "1, " + prefix + "2, " + prefix + "3}";
}
std::string multiply(const std::string &sum = "%d",
                     const std::string &left = "%desc",
                     const std::string &right = "%desc") {
  bool isFragment = left != "%desc";
  return "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " + listOf(sum) +
         ", " + (isFragment ? listOf(left) : left) + ", " + right +
         ", %all, 1, 1, " + (isFragment ? "0;\n" : "0, 0;\n");
}
std::string store(const std::string &prefix = "%d", unsigned offset = 0) {
  return "mad.wide.u32 %rd1, %tid, 16, %out;\nst.global.v4.b32 [%rd1+" +
         std::to_string(offset) + "], " + listOf(prefix) + ";\n";
}

AsyncKernel kernelOf(const std::string &body) {
  AsyncKernel kernel(names + body);
  for (uint32_t &word : kernel.in) // f16 of 1 and 2
    word = word % 3 ? 0x3c003c00 : 0x3c004000;
  return kernel;
}

/// The tile of 64 rows comes by TMA.
std::string loaded(const std::string &wait = waitFor("%full", "0", "W")) {
  return init({{0, 1}}) + expectBytes(8192) + loadBox + wait;
}

float asFloat(uint32_t bits) { return llvm::bit_cast<float>(bits); }

TEST(MatrixFault, ResultsArrive) {
  std::vector<uint32_t> out =
      expectClean(kernelOf(loaded() + clear("%d") + fence + multiply() +
                           multiply() + commit + waitGroups(0) + store()));
  // Row 0 and column 0 of the tile are the same: sum of squares, twice.
  float sum = 0;
  AsyncKernel kernel = kernelOf("");
  for (unsigned k = 0; k < 16; ++k) {
    uint32_t half = kernel.in[k / 2] >> (k % 2 * 16) & 0xffff;
    sum += half == 0x3c00 ? 1 : 4;
  }
  EXPECT_EQ(asFloat(out[0]), 2 * sum);
}

TEST(MatrixFault, TileReadBeforeItArrived) {
  expectFault(kernelOf(loaded("") + clear("%d") + fence + multiply() + commit +
                       waitGroups(0) + store()),
              FindingKind::SharedRace);
  // One warp has waited, and the others have not heard of it.
  expectFault(kernelOf(init({{0, 1}}) + expectBytes(8192) + loadBox +
                       "setp.ge.s32 %p3, %tid, 32;\n@%p3 bra GO;\n" +
                       waitFor("%full", "0", "W") + "GO:\n" + clear("%d") +
                       fence + multiply() + commit + waitGroups(0) + store()),
              FindingKind::SharedRace);
}

/// A ring of 2 boxes of 8 rows that a thread of warp 4 fills and warps 0-3
/// multiply by: full[slot] counts the producer's arrival, empty[slot] all of
/// the consumers'.
AsyncKernel ring(const std::string &beforeArrival,
                 const std::string &afterArrival) {
  AsyncKernel kernel = kernelOf(init({{0, 1}, {8, 1}, {64, 128}, {72, 128}}) +
                                clear("%f", "0x3c003c00") + clear("%d") + R"(
    mov.b32 %r10, 0;
    setp.lt.s32 %p1, %tid, 128;
    setp.eq.s32 %p2, %tid, 128;
    @%p1 bra CONSUMER;
    @!%p2 bra END;
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
    setp.lt.s32 %p3, %r10, 8;
    @%p3 bra PRODUCER;
    bra END;
  CONSUMER:
    and.b32 %r11, %r10, 1;
    shl.b32 %r12, %r11, 3;
    add.s32 %r13, %full, %r12;
    add.s32 %r14, %empty, %r12;
    shr.u32 %r15, %r10, 1;
    and.b32 %r15, %r15, 1;
)" + waitFor("%r13", "%r15", "FULL") +
                                R"(
    mul.wide.u32 %rd5, %r11, 64;
    add.s64 %rd5, %rd5, %desc;
)" + fence + multiply("%d", "%f", "%rd5") +
                                commit + beforeArrival + R"(
    mbarrier.arrive.shared::cta.b64 %state, [%r14];
)" + afterArrival + R"(
    add.s32 %r10, %r10, 1;
    setp.lt.s32 %p3, %r10, 8;
    @%p3 bra CONSUMER;
)" + waitGroups(0) + store() + "  END:\n");
  kernel.map.box = {64, 8};
  kernel.threads = 160;
  return kernel;
}

TEST(MatrixFault, RingRefilledBeforeItWasRead) { // 13
  expectFault(ring("", waitGroups(0)), FindingKind::SharedRace);
  expectFault(ring(waitGroups(1), ""), FindingKind::SharedRace);
  // No proxy fence is needed: wgmma reads as the copies write.
  std::vector<uint32_t> out = expectClean(ring(waitGroups(0), ""));
  AsyncKernel kernel = kernelOf("");
  // Element 0 of thread 0: column 0, that is, row 0 of each box.
  float sum = 0;
  for (unsigned box = 0; box < 8; ++box)
    for (unsigned k = 0; k < 16; ++k)
      sum += (kernel.in[box * 256 + k / 2] >> (k % 2 * 16) & 0xffff) == 0x3c00
                 ? 1
                 : 2;
  EXPECT_EQ(asFloat(out[0]), sum);
}

TEST(MatrixFault, OperandStoredWithoutProxyFence) { // 16
  const std::string write =
      "mov.b32 %r1, 0;\nFILL:\nmad.lo.s32 %r2, %r1, 512, %mine;\n"
      "st.shared.b32 [%r2], 0x3c003c00;\nadd.s32 %r1, %r1, 1;\n"
      "setp.lt.s32 %p3, %r1, 16;\n@%p3 bra FILL;\n";
  const std::string rest =
      clear("%d") + fence + multiply() + commit + waitGroups(0);
  expectFault(kernelOf(write + barSync + rest + store()),
              FindingKind::MissingProxyFence);
  expectFault(kernelOf(write + barSync + proxyFence + rest + store()),
              FindingKind::MissingProxyFence);
  expectFault(kernelOf(write + proxyFence + rest + store()),
              FindingKind::SharedRace);
  std::vector<uint32_t> out =
      expectClean(kernelOf(write + proxyFence + barSync + rest + store()));
  EXPECT_EQ(asFloat(out[5]), 16.0f);
  // By stmatrix.
  const std::string matrices =
      "mov.b32 %r5, 0x3c003c00;\nand.b32 %r1, %tid, 31;\nshr.u32 %r2, %tid, "
      "5;\nshl.b32 %r1, %r1, 4;\nshl.b32 %r2, %r2, 11;\nadd.s32 %r1, %r1, "
      "%r2;\nadd.s32 %r1, %r1, %sm;\nmov.b32 %r3, 0;\nNEXT:\n"
      "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r1], {%r5, %r5, %r5, %r5};\n"
      "add.s32 %r1, %r1, 512;\nadd.s32 %r3, %r3, 1;\nsetp.lt.s32 %p3, %r3, 4;\n"
      "@%p3 bra NEXT;\n";
  expectFault(kernelOf(matrices + barSync + rest + store()),
              FindingKind::MissingProxyFence);
  expectClean(kernelOf(matrices + proxyFence + barSync + rest + store()));
}

TEST(MatrixFault, OperandOverwritten) {
  const std::string start =
      loaded() + clear("%d") + fence + multiply() + commit;
  const std::string write = "st.shared.b32 [%mine], %tid;\n";
  expectFault(kernelOf(start + write + waitGroups(0) + store()),
              FindingKind::SharedRace);
  // A wgmma is one of the whole warpgroup: it is done for all when one has
  // waited.
  expectClean(kernelOf(start + waitGroups(0) + write + store()));
  // A warp that has no part in it has to hear of it.
  auto other = [&](const std::string &sync) {
    AsyncKernel kernel = kernelOf(
        loaded() + clear("%d") +
        "setp.eq.s32 %p10, %tid, 128;\nsetp.ge.s32 %p3, %tid, 128;\n@%p3 bra " +
        "OTHER;\n" + fence + multiply() + commit + waitGroups(0) + store() +
        sync + "bra END;\nOTHER:\n" + sync +
        "@%p10 st.shared.b32 [%sm], %tid;\n" + "END:\n");
    kernel.threads = 160;
    return kernel;
  };
  expectFault(other(""), FindingKind::SharedRace);
  expectClean(other("bar.sync 1, 160;\n"));
}

TEST(MatrixFault, AccumulatorsTouched) { // 17
  const std::string head = loaded() + clear("%d");
  const std::string tail = commit + waitGroups(0) + store();
  expectFault(
      kernelOf(head + fence + multiply() + commit + store() + waitGroups(0)),
      FindingKind::MatrixMisuse, "use of %d0, an accumulator of a wgmma");
  expectFault(kernelOf(head + fence + multiply() + commit + waitGroups(1) +
                       store() + waitGroups(0)),
              FindingKind::MatrixMisuse, "use of %d0");
  expectFault(kernelOf(loaded() + fence + clear("%d") + multiply() + tail),
              FindingKind::MatrixMisuse,
              "accumulator %d0 of wgmma was used with no wgmma.fence");
  expectFault(kernelOf(head + multiply() + tail), FindingKind::MatrixMisuse,
              "no wgmma.fence");
  expectClean(kernelOf(head + fence + multiply() + tail));
  // Between two groups.
  const std::string add = "add.f32 %d1, %d1, 0f3F800000;\n";
  const std::string twice =
      head + fence + multiply() + commit + waitGroups(0) + add;
  expectFault(kernelOf(twice + multiply() + tail), FindingKind::MatrixMisuse,
              "accumulator %d1");
  expectClean(kernelOf(twice + fence + multiply() + tail));
}

TEST(MatrixFault, FragmentsTouched) { // 17
  const std::string head = loaded() + clear("%d") + clear("%f", "0x3c003c00");
  const std::string change = "mov.b32 %f2, 0;\n";
  const std::string start = head + fence + multiply("%d", "%f") + commit;
  expectFault(kernelOf(start + change + waitGroups(0) + store()),
              FindingKind::MatrixMisuse,
              "use of %f2, a left operand of a wgmma");
  expectClean(kernelOf(start + waitGroups(0) + change + store()));
  expectFault(kernelOf(head + fence + change + multiply("%d", "%f") + commit +
                       waitGroups(0) + store()),
              FindingKind::MatrixMisuse, "left operand %f2");
  // Two may read them.
  expectClean(kernelOf(head + clear("%e", one) + fence + multiply("%d", "%f") +
                       multiply("%e", "%f") + commit + waitGroups(0) + store() +
                       store("%e", 2048)));
}

TEST(MatrixFault, GroupsAreWaitedForInOrder) {
  const std::string start = loaded() + clear("%d") + clear("%e", one) + fence +
                            multiply() + commit + multiply("%e") + commit;
  expectFault(kernelOf(start + waitGroups(1) + store("%e") + waitGroups(0)),
              FindingKind::MatrixMisuse, "use of %e0");
  std::vector<uint32_t> out = expectClean(kernelOf(
      start + waitGroups(1) + store() + waitGroups(0) + store("%e", 2048)));
  EXPECT_EQ(asFloat(out[0]) + 1, asFloat(out[512]));
  // What is not committed is not waited for.
  expectFault(kernelOf(loaded() + clear("%d") + fence + multiply() +
                       waitGroups(0) + store() + commit + waitGroups(0)),
              FindingKind::MatrixMisuse, "use of %d0");
  expectFault(kernelOf(loaded() + clear("%d") + fence + multiply() + commit),
              FindingKind::UnwaitedCopy, "never waited for");
}

TEST(MatrixFault, OtherRegistersOfAPendingAccumulator) {
  // The next one may go on with the same registers, and with these alone.
  const std::string other =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, "
      "%e3}, %desc, %desc, %all, 1, 1, 0, 0;\n";
  const std::string shape =
      "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%d0, %d1, %d2, "
      "%d3}, %desc, %desc, %all, 1, 1;\n";
  const std::string head =
      loaded() + clear("%d") + clear("%e") + fence + multiply();
  for (const std::string &next : {other, shape})
    expectFault(kernelOf(head + next + commit + waitGroups(0) + store()),
                FindingKind::MatrixMisuse, "belongs to another");
  expectClean(kernelOf(head + commit + waitGroups(0) + fence + shape + commit +
                       waitGroups(0) + store()));
}

TEST(MatrixFault, WarpsThatAreMissing) {
  const std::string head = loaded() + clear("%d") + fence;
  const std::string work = multiply() + commit + waitGroups(0);
  expectFault(kernelOf(head + "setp.ge.s32 %p3, %tid, 96;\n@%p3 bra END;\n" +
                       work + "END:\n"),
              FindingKind::Deadlock, "not issued by warp 3");
  expectFault(kernelOf(head + "setp.eq.s32 %p3, %tid, 70;\n@%p3 bra END;\n" +
                       work + "END:\n"),
              FindingKind::DivergentAligned);
  AsyncKernel few = kernelOf(head + work + store());
  few.threads = 96;
  expectFault(few, FindingKind::MatrixMisuse,
              "expected wgmma in a warpgroup of four whole warps");
}

TEST(MatrixFault, OperandsThatDiffer) {
  const std::string head = loaded() + clear("%d") + fence;
  const std::string tail = commit + waitGroups(0) + store();
  expectFault(kernelOf(head +
                       "setp.ge.s32 %p3, %tid, 64;\n@%p3 add.s64 "
                       "%desc, %desc, 2;\n" +
                       multiply() + tail),
              FindingKind::MatrixMisuse, "expected one operands");
  expectFault(kernelOf(head +
                       "setp.eq.s32 %p3, %tid, 70;\n@%p3 add.s64 "
                       "%desc, %desc, 2;\n" +
                       multiply() + tail),
              FindingKind::MatrixMisuse, "expected one left descriptor");
  // Other instructions of the same kind, by halves of the warpgroup.
  expectFault(kernelOf(head + "setp.ge.s32 %p3, %tid, 64;\n@%p3 bra B;\n" +
                       multiply() + "bra JOIN;\nB:\n" + multiply() + "JOIN:\n" +
                       tail),
              FindingKind::MatrixMisuse, "expected one instruction");
  expectFault(
      kernelOf(head + "add.s64 %desc, %desc, 3600;\n" + multiply() + tail),
      FindingKind::OutOfBounds, "wgmma would read 16 bytes");
}

} // namespace
