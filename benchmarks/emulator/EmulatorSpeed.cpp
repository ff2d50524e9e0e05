//===- EmulatorSpeed.cpp - How fast the emulator runs PTX -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Runs loops of one kind of work each, without checks and with all of them, on
// one thread of the host. Prints nanoseconds of the processor for each
// instruction of a warp, the loop's own left out of the count but not of the
// time, and the millions of thread instructions a second that this is. Then how
// long a large product takes that is computed by TMA and wgmma ("matmul").
//
//===----------------------------------------------------------------------===//

#include "MatmulKernel.h"

#include "Mirage/Emulator/Launch.h"
#include "Mirage/Emulator/Parser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <ctime>

using namespace mlir::mirage::emulator;

namespace {
struct Mix {
  const char *name;
  unsigned instructions; ///< of `body`
  std::string body;
  /// Before the loop: has %tid, %lane, %input, %output (bytes of the warp's own
  /// part), and 48 KiB of zeros in shared memory from %shared on.
  std::string setUp = "";
  unsigned iterations = 2000;
};
} // namespace

static constexpr unsigned kWarps = 4, kRuns = 15;
static constexpr unsigned kSharedBytes = 48 * 1024;

static std::string repeat(unsigned count, const std::string &text) {
  std::string result;
  for (unsigned i = 0; i < count; ++i)
    for (char c : text)
      result += c == '#' ? std::to_string(i) : std::string(1, c);
  return result;
}

/// Four copies of 16 bytes a lane, into parts of their own.
static std::string makeCopies() {
  std::string body;
  for (unsigned part = 0; part < 4; ++part)
    body += "cp.async.cg.shared.global [%row+" + std::to_string(part * 2048) +
            "], [%rd0], 16;\ncp.async.commit_group;\n";
  return body + "cp.async.wait_group 0;\nbar.sync 0;\n";
}

/// `wgmma` of 64 x 256 x 16 with operands at the start of shared memory, in
/// rows of 128 bytes and the swizzle of that name.
static std::string makeWarpgroupProduct() {
  std::string registers;
  for (unsigned i = 0; i < 128; ++i)
    registers += (i ? ", %d" : "%d") + std::to_string(i);
  return "wgmma.fence.sync.aligned;\n"
         "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {" +
         registers +
         "}, %descriptor, %descriptor, 1, 1, 1, 0, 0;\n"
         "wgmma.commit_group.sync.aligned;\n"
         "wgmma.wait_group.sync.aligned 0;\n";
}

static std::vector<Mix> makeMixes() {
  const std::string rows = "and.b32 %r0, %lane, 15;\n"
                           "mad.lo.s32 %row, %r0, 1040, %shared;\n"
                           "shr.u32 %r0, %lane, 4;\n"
                           "mad.lo.s32 %row, %r0, 16, %row;\n";
  const std::string pieces = "mad.lo.s32 %row, %tid, 16, %shared;\n"
                             "mul.wide.u32 %rd0, %tid, 16;\n"
                             "add.u64 %rd0, %rd0, %input;\n";
  return {
      {"fma.rn.f32", 16, repeat(16, "fma.rn.f32 %f#, %f#, %f1, %f2;\n")},
      {"elementwise", 15,
       "ld.global.v4.b32 {%f0, %f1, %f2, %f3}, [%rd0];\n"
       "fma.rn.f32 %f0, %f0, %f1, %f2;\n"
       "fma.rn.f32 %f1, %f1, %f2, %f3;\n"
       "ex2.approx.f32 %f4, %f0;\n"
       "ex2.approx.f32 %f5, %f1;\n"
       "cvt.rn.f16x2.f32 %r1, %f4, %f5;\n"
       "st.shared.b32 [%row], %r1;\n"
       "ld.shared.b32 %r2, [%row];\n"
       "shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;\n"
       "add.s32 %r4, %r3, %r2;\n"
       "xor.b32 %r5, %r4, %r2;\n"
       "setp.ne.s32 %p1, %r5, 0;\n"
       "selp.b32 %r6, %r5, %r4, %p1;\n"
       "st.global.b32 [%rd1], %r6;\n"
       "add.f32 %f6, %f4, %f5;\n",
       pieces + "mad.lo.s32 %row, %tid, 4, %shared;\n"
                "mul.wide.u32 %rd1, %tid, 4;\n"
                "add.u64 %rd1, %rd1, %output;\n"},
      {"st.shared, ld.shared", 16,
       repeat(8, "st.shared.b32 [%row], %r1;\nld.shared.b32 %r1, [%row];\n"),
       "mad.lo.s32 %row, %tid, 4, %shared;\n"},
      {"ldmatrix.x4", 8,
       repeat(8, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, "
                 "%r4}, [%row];\n"),
       rows},
      {"mma.m16n8k16.f16", 8,
       repeat(8, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, "
                 "%f2, %f3}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f0, %f1, %f2, "
                 "%f3};\n"),
       repeat(8, "mov.b32 %r#, 0x3c003c00;\n")},
      {"ld.global, st.shared", 8,
       repeat(4, "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd0];\n"
                 "st.shared.v4.b32 [%row], {%r1, %r2, %r3, %r4};\n"),
       pieces},
      {"cp.async, bar.sync", 10, makeCopies(), pieces, 500},
      {"bulk copy of 8 KB", 4,
       "bar.sync 0;\n"
       "@%leads mbarrier.arrive.expect_tx.shared.b64 _, [bar], 8192;\n"
       "@%leads cp.async.bulk.shared::cluster.global.mbarrier"
       "::complete_tx::bytes [smem], [%input], 8192, [bar];\n"
       "WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [bar], %r9;\n"
       "@!%p1 bra WAIT;\n"
       "xor.b32 %r9, %r9, 1;\n",
       "@%leads mbarrier.init.shared.b64 [bar], 1;\n"
       "fence.proxy.async;\nmov.b32 %r9, 0;\n",
       500},
      {"wgmma.m64n256k16", 4, makeWarpgroupProduct(),
       "mov.b64 %descriptor, 0x4000004000010000;\n"
       "cvt.u64.u32 %rd0, %shared;\n"
       "shr.u64 %rd0, %rd0, 4;\n"
       "or.b64 %descriptor, %descriptor, %rd0;\n" +
           repeat(128, "mov.b32 %d#, 0;\n"),
       200},
  };
}

static std::string makeKernel(const Mix &mix) {
  return ".version 8.6\n.target sm_90a\n.address_size 64\n"
         ".extern .shared .align 1024 .b8 smem[];\n"
         ".shared .align 8 .b8 bar[8];\n"
         ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
         ".reg .pred %p<4>, %loop, %leads;\n"
         ".reg .b32 %r<16>, %f<16>, %d<128>, %tid, %lane, %row, %shared, %n;\n"
         ".reg .b64 %rd<8>, %input, %output, %descriptor;\n"
         "mov.u32 %tid, %tid.x;\n"
         "and.b32 %lane, %tid, 31;\n"
         "setp.eq.u32 %leads, %tid, 0;\n"
         "ld.param.b64 %input, [in];\n"
         "ld.param.b64 %output, [out];\n"
         "mov.b32 %shared, smem;\n"
         "mad.lo.s32 %row, %tid, 16, %shared;\n"
         "mov.b32 %n, 0;\n"
         "mov.b32 %r0, 0;\n"
         "ZERO:\n"
         "st.shared.v4.b32 [%row], {%r0, %r0, %r0, %r0};\n"
         "add.s32 %row, %row, 2048;\n"
         "add.s32 %n, %n, 1;\n"
         "setp.ne.s32 %loop, %n, 24;\n"
         "@%loop bra ZERO;\n"
         "fence.proxy.async;\n" +
         mix.setUp + "bar.sync 0;\nmov.b32 %n, 0;\nLOOP:\n" + mix.body +
         "add.s32 %n, %n, 1;\n"
         "setp.ne.s32 %loop, %n, " +
         std::to_string(mix.iterations) + ";\n@%loop bra LOOP;\nret;\n}\n";
}

/// Nanoseconds of an iteration of a warp: the least of some runs, to which
/// whatever else the machine does only adds.
static double measure(const Mix &mix, const Module &module, Checks checks) {
  std::vector<uint8_t> input(65536), output(65536);
  LaunchConfig config;
  config.kernel = "k";
  config.block = {32 * kWarps, 1, 1};
  config.dynamicSharedBytes = kSharedBytes;
  config.checks = checks;
  config.buffers = {{"in", input.data(), input.size(), BufferKind::Input},
                    {"out", output.data(), output.size(), BufferKind::InOut}};
  config.arguments = {Argument::pointer(0), Argument::pointer(1)};
  std::vector<double> times;
  for (unsigned run = 0; run < kRuns; ++run) {
    std::clock_t start = std::clock();
    LaunchResult result = llvm::cantFail(launch(module, config));
    double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
    times.push_back(seconds * 1e9 / (mix.iterations * kWarps));
    for (const Finding &finding : result.findings)
      llvm::errs() << mix.name << ": " << finding.str() << "\n";
    if (!result.findings.empty() || !result.completed)
      exit(1);
  }
  return *llvm::min_element(times);
}

/// Seconds of a 4096 x 4096 x 4096 product of f16, by the clock.
static void measureMatmul() {
  MatmulKernel kernel{4096, 4096, 4096};
  std::vector<uint16_t> a(kernel.m * kernel.k), b(kernel.n * kernel.k),
      c(kernel.m * kernel.n);
  std::unique_ptr<Module> module =
      llvm::cantFail(parsePTX(MatmulKernel::getText(), "matmul"));
  LaunchConfig config = kernel.configure(a.data(), b.data(), c.data());
  for (unsigned threads : {1, 2})
    for (Checks checks : {Checks::None, Checks::All}) {
      config.threads = threads;
      config.checks = checks;
      auto start = std::chrono::steady_clock::now();
      LaunchResult result = llvm::cantFail(launch(*module, config));
      std::chrono::duration<double> time =
          std::chrono::steady_clock::now() - start;
      llvm::outs() << llvm::formatv(
          "matmul of 4096^3, {0} threads, {1}: {2:f1} s\n", threads,
          checks == Checks::None ? "unchecked" : "checked", time.count());
      if (!result.findings.empty())
        exit(1);
    }
}

/// Arguments are the names of what is to be measured; none: all.
int main(int argc, char **argv) {
  llvm::ArrayRef<char *> names(argv + 1, argc - 1);
  llvm::outs() << "| work | ns unchecked | ns checked | M/s unchecked | M/s "
                  "checked |\n|---|---|---|---|---|\n";
  for (const Mix &mix : makeMixes()) {
    if (!names.empty() && !llvm::is_contained(names, llvm::StringRef(mix.name)))
      continue;
    std::unique_ptr<Module> module =
        llvm::cantFail(parsePTX(makeKernel(mix), mix.name));
    double none = measure(mix, *module, Checks::None) / mix.instructions;
    double all = measure(mix, *module, Checks::All) / mix.instructions;
    llvm::outs() << llvm::formatv(
        "| {0} | {1:f1} | {2:f1} | {3:f0} | {4:f0} |\n", mix.name, none, all,
        32e3 / none, 32e3 / all);
  }
  if (names.empty() || llvm::is_contained(names, llvm::StringRef("matmul")))
    measureMatmul();
  return 0;
}
