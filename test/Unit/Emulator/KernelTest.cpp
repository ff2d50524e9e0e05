//===- KernelTest.cpp - Small kernels with a known answer -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

#include <cmath>
#include <numeric>
#include <thread>

using namespace mlir::mirage::emulator;

namespace {

/// c[i] = a[i] + b[i] for i < n, as LLVM prints it.
const char *vectorAdd = R"(
.version 8.6
.target sm_90a
.address_size 64
.visible .entry add(
	.param .u64 .ptr .global .align 4 add_param_0,
	.param .u64 .ptr .align 1 add_param_1,
	.param .u64 .ptr .global .align 4 add_param_2,
	.param .u32 add_param_3
)
.maxntid 128
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<9>;
	.reg .b64 	%rd<9>;
// %bb.0:
	ld.param.b32 	%r2, [add_param_3];
	mov.u32 	%r3, %ctaid.x;
	mov.u32 	%r4, %ntid.x;
	mov.u32 	%r5, %tid.x;
	mad.lo.s32 	%r1, %r3, %r4, %r5;
	setp.ge.s32 	%p1, %r1, %r2;
	@%p1 bra 	$L__BB0_2;
	ld.param.b64 	%rd1, [add_param_0];
	ld.param.b64 	%rd2, [add_param_1];
	cvta.to.global.u64 	%rd3, %rd2;
	ld.param.b64 	%rd4, [add_param_2];
	mul.wide.s32 	%rd5, %r1, 4;
	add.s64 	%rd6, %rd1, %rd5;
	ld.global.b32 	%r6, [%rd6];
	add.s64 	%rd7, %rd3, %rd5;
	ld.global.b32 	%r7, [%rd7];
	add.rn.f32 	%r8, %r6, %r7;
	add.s64 	%rd8, %rd4, %rd5;
	st.global.b32 	[%rd8], %r8;
$L__BB0_2:                              // %exit
	ret;
}
)";

LaunchResult addVectors(const Module &module, unsigned threads,
                        std::vector<float> &c, unsigned n) {
  std::vector<float> a(n), b(n);
  std::iota(a.begin(), a.end(), 0.0f);
  std::iota(b.begin(), b.end(), 0.5f);
  LaunchConfig config;
  config.kernel = "add";
  config.grid = {(n + 127) / 128, 1, 1};
  config.block = {128, 1, 1};
  config.threads = threads;
  config.buffers = {bufferOf("a", a, BufferKind::Input),
                    bufferOf("b", b, BufferKind::Input),
                    bufferOf("c", c, BufferKind::Output)};
  config.arguments = {Argument::pointer(0), Argument::pointer(1),
                      Argument::pointer(2), Argument::scalar(int32_t(n))};
  llvm::Expected<LaunchResult> result = launch(module, config);
  if (result)
    return *result;
  ADD_FAILURE() << llvm::toString(result.takeError());
  return {};
}

LaunchResult addVectors(unsigned threads, std::vector<float> &c, unsigned n) {
  return addVectors(*parseOrFail(vectorAdd), threads, c, n);
}

TEST(Kernel, VectorAddWithTail) {
  std::vector<float> c(1000);
  LaunchResult result = addVectors(1, c, 1000);
  EXPECT_EQ(findingsText(result), "");
  EXPECT_TRUE(result.isClean());
  for (unsigned i = 0; i < c.size(); ++i)
    EXPECT_EQ(c[i], 2 * i + 0.5f);
  // 1000 elements of 4 bytes: 125 sectors for each of three arrays.
  EXPECT_EQ(result.counters.globalLoadSectors, 250u);
  EXPECT_EQ(result.counters.globalStoreSectors, 125u);
  EXPECT_EQ(result.counters.globalIdealSectors, 375u);
  EXPECT_EQ(result.counters.globalLoadBytes, 8000u);
  // The last of 32 warps has 8 lanes beyond the tail, none is wholly outside.
  EXPECT_EQ(result.counters.divergentBranches, 1u);
  EXPECT_EQ(result.counters.of(InstructionClass::Float32), 32u);
}

TEST(Kernel, ResultsDoNotDependOnHostThreads) {
  std::vector<float> one(100000), two(100000);
  LaunchResult first = addVectors(1, one, 100000);
  LaunchResult second = addVectors(4, two, 100000);
  EXPECT_EQ(one, two);
  EXPECT_EQ(first.counters.warpInstructions, second.counters.warpInstructions);
  EXPECT_EQ(first.counters.globalLoadSectors,
            second.counters.globalLoadSectors);
}

/// A module does not change: it may be launched and parsed from any thread.
TEST(Kernel, LaunchesFromSeveralThreads) {
  std::unique_ptr<Module> module = parseOrFail(vectorAdd);
  constexpr unsigned numThreads = 4, n = 5000;
  std::vector<std::vector<float>> sums(numThreads, std::vector<float>(n));
  std::vector<std::thread> threads;
  for (std::vector<float> &sum : sums)
    threads.emplace_back([&module, &sum] {
      EXPECT_TRUE(addVectors(*module, 2, sum, n).isClean());
      EXPECT_TRUE(parseOrFail(vectorAdd));
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::vector<float> &sum : sums)
    for (unsigned i = 0; i < n; ++i)
      ASSERT_EQ(sum[i], 2 * i + 0.5f);
}

/// A 32x32 transpose through shared memory; rows of the tile are `pitch` bytes.
LaunchResult transpose(unsigned pitch, std::vector<uint32_t> &out) {
  std::string text = kernelText(2, R"(
    mov.u32 %r1, %tid.y;
    mad.lo.s32 %r2, %r1, 32, %tid;
    mad.wide.u32 %rd1, %r2, 4, %a0;
    ld.global.b32 %r3, [%rd1];
    mul.lo.s32 %r4, %r1, )" + std::to_string(pitch) +
                                       R"(;
    mad.lo.s32 %r4, %tid, 4, %r4;
    mov.b32 %r5, smem;
    add.s32 %r4, %r4, %r5;
    st.shared.b32 [%r4], %r3;
    bar.sync 0;
    mul.lo.s32 %r6, %tid, )" + std::to_string(pitch) +
                                       R"(;
    mad.lo.s32 %r6, %r1, 4, %r6;
    add.s32 %r6, %r6, %r5;
    ld.shared.b32 %r7, [%r6];
    mad.wide.u32 %rd2, %r2, 4, %a1;
    st.global.b32 [%rd2], %r7;
  )");
  std::unique_ptr<Module> module = parseOrFail(text);
  std::vector<uint32_t> in(1024);
  std::iota(in.begin(), in.end(), 0);
  LaunchConfig config = blocksOf(32);
  config.block = {32, 32, 1};
  return run(*module,
             {bufferOf("in", in, BufferKind::Input),
              bufferOf("out", out, BufferKind::Output)},
             config);
}

TEST(Kernel, SharedTransposeCountsBankConflicts) {
  for (bool padded : {false, true}) {
    std::vector<uint32_t> out(1024);
    LaunchResult result = transpose(padded ? 132 : 128, out);
    EXPECT_EQ(findingsText(result), "");
    for (unsigned i = 0; i < 1024; ++i)
      EXPECT_EQ(out[i], i % 32 * 32 + i / 32);
    // 32 warps: stores take one pass each, loads down a column 32 or 1.
    EXPECT_EQ(result.counters.sharedWavefronts, padded ? 64u : 32u + 32 * 32);
    EXPECT_EQ(result.counters.sharedBankConflicts, padded ? 0u : 31 * 32u);
    EXPECT_EQ(result.counters.barriers, 1u);
  }
}

TEST(Kernel, BlockReductionWithShuffles) {
  std::string body = R"(
    mad.wide.u32 %rd1, %tid, 4, %a0;
    ld.global.b32 %r1, [%rd1];
    shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;
    add.f32 %r1, %r1, %r2;
    shfl.sync.bfly.b32 %r2, %r1, 8, 31, -1;
    add.f32 %r1, %r1, %r2;
    shfl.sync.bfly.b32 %r2, %r1, 4, 31, -1;
    add.f32 %r1, %r1, %r2;
    shfl.sync.down.b32 %r2|%p2, %r1, 2, 31, -1;
    add.f32 %r1, %r1, %r2;
    shfl.sync.down.b32 %r2, %r1, 1, 31, -1;
    add.f32 %r1, %r1, %r2;
    and.b32 %r3, %tid, 31;
    setp.ne.b32 %p1, %r3, 0;
    @%p1 bra SKIP;
    shr.u32 %r4, %tid, 3;
    mov.b64 %rd2, smem;
    cvt.u64.u32 %rd3, %r4;
    add.s64 %rd2, %rd2, %rd3;
    st.shared.b32 [%rd2], %r1;
SKIP:
    bar.sync 0;
    ld.shared.v4.b32 {%r5, %r6, %r7, %r8}, [smem];
    add.f32 %r5, %r5, %r6;
    add.f32 %r7, %r7, %r8;
    add.f32 %r5, %r5, %r7;
    mad.wide.u32 %rd4, %tid, 4, %a1;
    st.global.b32 [%rd4], %r5;
  )";
  std::unique_ptr<Module> module = parseOrFail(kernelText(2, body));
  std::vector<float> in(128), out(128);
  std::iota(in.begin(), in.end(), 1.0f);
  LaunchResult result = run(*module,
                            {bufferOf("in", in, BufferKind::Input),
                             bufferOf("out", out, BufferKind::Output)},
                            blocksOf(128));
  EXPECT_EQ(findingsText(result), "");
  for (float value : out)
    EXPECT_EQ(value, 128 * 129 / 2);
  EXPECT_EQ(result.counters.divergentBranches, 4u);
  EXPECT_EQ(result.counters.of(InstructionClass::Shuffle), 20u);
}

/// Each lane leaves a loop after another number of turns, and they meet again.
TEST(Kernel, LoopWithDifferentTripCounts) {
  std::string body = R"(
    mov.b32 %r1, 0;
    mov.b32 %r2, 0;
LOOP:
    add.s32 %r2, %r2, %r1;
    add.s32 %r1, %r1, 1;
    setp.le.s32 %p1, %r1, %tid;
    @%p1 bra LOOP;
    activemask.b32 %r3;
    mad.wide.u32 %rd1, %tid, 8, %a0;
    st.global.v2.b32 [%rd1], {%r2, %r3};
  )";
  std::unique_ptr<Module> module = parseOrFail(kernelText(1, body));
  std::vector<uint32_t> out(64);
  LaunchResult result =
      run(*module, {bufferOf("out", out, BufferKind::Output)}, blocksOf(32));
  EXPECT_EQ(findingsText(result), "");
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(out[2 * lane], lane * (lane + 1) / 2);
    EXPECT_EQ(out[2 * lane + 1], ~0u) << "lanes did not meet behind the loop";
  }
}

TEST(Kernel, IndexedBranch) {
  std::string body = R"(
    and.b32 %r1, %tid, 3;
    TARGETS: .branchtargets ZERO, ONE, TWO, ONE;
    brx.idx %r1, TARGETS;
ZERO:
    mov.b32 %r2, 100;
    bra DONE;
ONE:
    mov.b32 %r2, 101;
    bra DONE;
TWO:
    mov.b32 %r2, 102;
DONE:
    mad.wide.u32 %rd1, %tid, 4, %a0;
    st.global.b32 [%rd1], %r2;
  )";
  std::unique_ptr<Module> module = parseOrFail(kernelText(1, body));
  std::vector<uint32_t> out(32);
  LaunchResult result =
      run(*module, {bufferOf("out", out, BufferKind::Output)}, blocksOf(32));
  EXPECT_EQ(findingsText(result), "");
  const uint32_t expected[] = {100, 101, 102, 101};
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(out[lane], expected[lane % 4]);
}

TEST(Kernel, GridOfThreeAxes) {
  std::string body = R"(
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ctaid.y;
    mov.u32 %r3, %ctaid.z;
    mov.u32 %r4, %nctaid.x;
    mov.u32 %r5, %nctaid.y;
    mad.lo.s32 %r6, %r3, %r5, %r2;
    mad.lo.s32 %r6, %r6, %r4, %r1;
    mad.wide.u32 %rd1, %r6, 4, %a0;
    mul.lo.s32 %r7, %r6, 7;
    setp.eq.s32 %p1, %tid, 0;
    @%p1 st.global.b32 [%rd1], %r7;
  )";
  std::unique_ptr<Module> module = parseOrFail(kernelText(1, body));
  std::vector<uint32_t> out(3 * 4 * 5);
  LaunchConfig config = blocksOf(32);
  config.grid = {3, 4, 5};
  LaunchResult result =
      run(*module, {bufferOf("out", out, BufferKind::Output)}, config);
  EXPECT_EQ(findingsText(result), "");
  for (unsigned i = 0; i < out.size(); ++i)
    EXPECT_EQ(out[i], 7 * i);
}

/// Of several kernels, the first: they are moved while the file is read. Lanes
/// that do not take part keep their addresses.
TEST(Kernel, AddressesInDivergentCodeOfOneOfManyKernels) {
  std::string text = kernelText(1, R"(
    mov.b64 %rd1, smem;
    mad.wide.u32 %rd1, %tid, 8, %rd1;
    mad.wide.u32 %rd4, %tid, 8, %a0;
    mov.b64 %rd2, 77;
    mov.b64 %rd3, 77;
    and.b32 %r1, %tid, 1;
    setp.eq.b32 %p1, %r1, 0;
    @%p1 bra MEET;
    cvta.shared.u64 %rd2, %rd1;
    cvta.to.shared.u64 %rd3, %rd2;
    isspacep.shared %p2, %rd2;
    @!%p2 mov.b64 %rd3, 99;
MEET:
    st.global.b64 [%rd4], %rd3;
  )");
  for (const char *name : {"second", "third", "fourth"})
    text += std::string(".visible .entry ") + name + "()\n{\nret;\n}\n";
  std::unique_ptr<Module> module = parseOrFail(text);
  ASSERT_TRUE(module);
  std::vector<uint64_t> addresses(40);
  LaunchResult result = run(
      *module, {bufferOf("d", addresses, BufferKind::Output)}, blocksOf(40));
  EXPECT_EQ(findingsText(result), "");
  for (uint64_t lane = 0; lane < addresses.size(); ++lane)
    EXPECT_EQ(addresses[lane], lane % 2 ? 1024 + lane * 8 : 77) << lane;
}

TEST(Kernel, LocalMemoryAndConstants) {
  std::string body = R"(
    .local .align 8 .b8 __local_depot0[16];
    .reg .b64 %SP;
    .reg .b64 %SPL;
    mov.b64 %SPL, __local_depot0;
    cvta.local.u64 %SP, %SPL;
    st.local.b32 [%SPL+4], %tid;
    add.u64 %rd1, %SP, 4;
    ld.b32 %r1, [%rd1];
    ld.const.b32 %r2, [table+8];
    add.s32 %r1, %r1, %r2;
    mad.wide.u32 %rd2, %tid, 4, %a0;
    st.b32 [%rd2], %r1;
  )";
  std::unique_ptr<Module> module = parseOrFail(kernelText(
      1, body, ".const .align 4 .b32 table[4] = {1, 2, 1000, 4};\n"));
  std::vector<uint32_t> out(64);
  LaunchResult result =
      run(*module, {bufferOf("out", out, BufferKind::Output)}, blocksOf(64));
  EXPECT_EQ(findingsText(result), "");
  for (unsigned i = 0; i < out.size(); ++i)
    EXPECT_EQ(out[i], i + 1000);
}

/// What a thread's local memory holds before it has written is not defined,
/// also where other threads have written theirs.
TEST(Kernel, LocalMemoryThatIsNotWritten) {
  auto find = [](const std::string &body, Checks checks = Checks::All) {
    std::unique_ptr<Module> module =
        parseOrFail(kernelText(1, ".local .align 8 .b8 depot[16];\n"
                                  "mad.wide.u32 %rd2, %tid, 4, %a0;\n"
                                  "setp.ne.u32 %p1, %tid, 3;\n" +
                                      body + "st.b32 [%rd2], %r1;\n"));
    std::vector<uint32_t> out(64);
    LaunchConfig config = blocksOf(64);
    config.checks = checks;
    return findingsText(
        run(*module, {bufferOf("out", out, BufferKind::Output)}, config));
  };
  const std::string load = "ld.local.b32 %r1, [depot+8];\n";
  EXPECT_EQ(find("st.local.b32 [depot+8], %tid;\n" + load), "");
  EXPECT_EQ(find("@%p1 st.local.b32 [depot+8], %tid;\n@%p1 " + load), "");
  std::string found = find("@%p1 st.local.b32 [depot+8], %tid;\n" + load);
  EXPECT_NE(found.find("uninitialized-read: read of byte 8 of the thread's "
                       "local memory, which it has not written"),
            std::string::npos)
      << found;
  EXPECT_NE(found.find("warp 0, lane 3"), std::string::npos) << found;
  EXPECT_NE(find("st.local.b16 [depot+8], %h1;\n" + load).find("of byte 10 "),
            std::string::npos);
  EXPECT_EQ(find(load, Checks::Race), "");
}

/// Addresses of 32 bits are sums of 32 bits.
TEST(Kernel, SharedAddressesWrapAround) {
  // Of whole warps and of others; in order, and not.
  for (const char *lanes : {"mov.b32 %r6, %tid;\n", "xor.b32 %r6, %tid, 5;\n"})
    for (unsigned threads : {16, 32, 64}) {
      std::unique_ptr<Module> module = parseOrFail(
          kernelText(1, ".shared .align 4 .b8 words[256];\n"
                        "mov.b32 %r1, words;\nsub.s32 %r2, %r1, 4096;\n" +
                            std::string(lanes) +
                            "shl.b32 %r3, %r6, 2;\nadd.s32 %r2, %r2, %r3;\n"
                            "st.shared.b32 [%r2+4096], %r6;\n"
                            "shl.b32 %r3, %tid, 2;\nadd.s32 %r2, %r1, %r3;\n"
                            "bar.sync 0;\nld.shared.b32 %r5, [%r2];\n"
                            "mad.wide.u32 %rd2, %tid, 4, %a0;\n"
                            "st.b32 [%rd2], %r5;\n"));
      ASSERT_TRUE(module);
      std::vector<uint32_t> out(threads);
      LaunchResult result =
          run(*module, {bufferOf("out", out, BufferKind::Output)},
              blocksOf(threads));
      EXPECT_EQ(findingsText(result), "") << lanes << threads;
      for (unsigned i = 0; i < out.size(); ++i)
        EXPECT_EQ(out[i], i) << lanes << threads;
    }
}

/// The number of a list's labels did not fit 8 bits.
TEST(Kernel, BranchListsOfHundredsOfLabels) {
  for (unsigned index : {299u, 300u}) {
    std::string body = "T: .branchtargets ";
    for (unsigned i = 0; i < 299; ++i)
      body += "END, ";
    body += "LAST;\nmov.b32 %r1, " + std::to_string(index) +
            ";\nbrx.idx %r1, T;\nLAST:\nst.global.b32 [%a0], %r1;\nEND:\n";
    std::unique_ptr<Module> module = parseOrFail(kernelText(1, body));
    std::vector<uint32_t> out(1);
    LaunchResult result =
        run(*module, {bufferOf("out", out, BufferKind::InOut)}, blocksOf(1));
    EXPECT_EQ(out[0], index == 299 ? 299u : 0u);
    EXPECT_EQ(hasFinding(result, FindingKind::OutOfBounds), index == 300);
  }
}

/// What is no register was read as if it had 64 bits.
TEST(Kernel, StoresOfSpecialRegistersAndAddresses) {
  std::string body = R"(
    .shared .align 16 .b8 first[16];
    .shared .align 16 .b8 second[16];
    mad.wide.u32 %rd1, %tid, 8, %a0;
    st.global.b32 [%rd1], %laneid;
    st.global.b32 [%rd1+4], second;
  )";
  std::unique_ptr<Module> module = parseOrFail(kernelText(1, body));
  std::vector<uint32_t> out(64);
  LaunchResult result =
      run(*module, {bufferOf("out", out, BufferKind::Output)}, blocksOf(32));
  EXPECT_EQ(findingsText(result), "");
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(out[2 * lane], lane);
    EXPECT_EQ(out[2 * lane + 1], 1040u);
  }
}

/// The place of `_` was narrower than what the load wrote there; behind it is
/// %rd9, which is set before.
TEST(Kernel, SinkAmongWiderRegisters) {
  std::string body = R"(
    mov.b64 %rd1, 0;
    bra SET;
LOAD:
    ld.global.v2.b32 {_, %rd1}, [%a0];
    st.global.b64 [%a1], %rd9;
    bra END;
SET:
    mov.b64 %rd9, 5;
    bra LOAD;
END:
  )";
  std::unique_ptr<Module> module = parseOrFail(kernelText(2, body));
  std::vector<uint64_t> in = {~uint64_t(0)}, out(1);
  LaunchResult result = run(*module,
                            {bufferOf("in", in, BufferKind::Input),
                             bufferOf("out", out, BufferKind::Output)},
                            blocksOf(1));
  EXPECT_EQ(findingsText(result), "");
  EXPECT_EQ(out[0], 5u);
}

TEST(Kernel, AtomicsOfManyBlocks) {
  std::string body = R"(
    atom.global.add.u32 %r1, [%a0], 1;
    atom.global.max.u32 %r2, [%a0+4], %tid;
    red.global.add.f32 [%a0+8], 0f3F000000;
  )";
  std::unique_ptr<Module> module = parseOrFail(kernelText(1, body));
  std::vector<uint32_t> out(3);
  LaunchConfig config = blocksOf(96, 5);
  config.threads = 4;
  LaunchResult result =
      run(*module, {bufferOf("out", out, BufferKind::InOut)}, config);
  EXPECT_EQ(findingsText(result), "");
  EXPECT_TRUE(result.blocksCommunicate);
  EXPECT_EQ(out[0], 480u);
  EXPECT_EQ(out[1], 95u);
  float sum;
  std::memcpy(&sum, &out[2], 4);
  EXPECT_EQ(sum, 240.0f);
}

/// Lane 0 spins until lanes 1-31 of its warp have passed: threads make progress
/// one by one.
TEST(Kernel, LaneSpinsForItsOwnWarp) {
  std::string body = R"(
    setp.ne.b32 %p1, %tid, 0;
    mov.b32 %r2, 1;
    @!%p1 st.volatile.shared.b32 [smem], 0;
    bar.warp.sync -1;
    @%p1 bra OTHERS;
SPIN:
    ld.volatile.shared.b32 %r1, [smem];
    setp.eq.b32 %p2, %r1, 0;
    @%p2 bra SPIN;
OTHERS:
    @%p1 st.volatile.shared.b32 [smem], %r2;
    mad.wide.u32 %rd1, %tid, 4, %a0;
    st.global.b32 [%rd1], %r2;
  )";
  std::unique_ptr<Module> module = parseOrFail(kernelText(1, body));
  std::vector<uint32_t> out(32);
  LaunchResult result =
      run(*module, {bufferOf("out", out, BufferKind::Output)}, blocksOf(32));
  EXPECT_EQ(findingsText(result), "");
  for (uint32_t value : out)
    EXPECT_EQ(value, 1u);
}

/// The work is split over blocks; the last one to arrive adds everything up.
TEST(Kernel, CounterInGlobalMemory) {
  std::string body = R"(
    mov.u32 %r1, %ctaid.x;
    add.s32 %r2, %r1, 1;
    mad.wide.u32 %rd1, %r1, 4, %a0;
    st.global.b32 [%rd1], %r2;
    fence.acq_rel.gpu;
    atom.global.add.u32 %r3, [%a1], 1;
    setp.ne.b32 %p1, %r3, 9;
    @%p1 ret;
    fence.acq_rel.gpu;
    mov.b32 %r4, 0;
    mov.b32 %r5, 0;
LOOP:
    mad.wide.u32 %rd1, %r4, 4, %a0;
    ld.global.b32 %r6, [%rd1];
    add.s32 %r5, %r5, %r6;
    add.s32 %r4, %r4, 1;
    setp.lt.u32 %p2, %r4, 10;
    @%p2 bra LOOP;
    st.global.b32 [%a2], %r5;
  )";
  std::unique_ptr<Module> module = parseOrFail(kernelText(3, body));
  std::vector<uint32_t> partial(10), counter(1), out(1);
  LaunchResult result =
      run(*module,
          {bufferOf("partial", partial, BufferKind::Workspace),
           bufferOf("counter", counter, BufferKind::InOut),
           bufferOf("out", out, BufferKind::Output)},
          blocksOf(1, 10));
  EXPECT_EQ(findingsText(result), "");
  EXPECT_EQ(out[0], 55u);
}

} // namespace
