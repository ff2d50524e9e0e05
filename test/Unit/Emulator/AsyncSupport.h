//===- AsyncSupport.h - Kernels with asynchronous work ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels with planted faults and twins that have none, for tests of mbarriers,
// bulk copies, TMA and wgmma. Twins run under several schedules, and what is
// asynchronous is done late, at once or at random: results do not change.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_EMULATOR_ASYNCSUPPORT_H
#define MIRAGE_TEST_UNIT_EMULATOR_ASYNCSUPPORT_H

#include "TestSupport.h"

#include <numeric>

namespace mlir::mirage::emulator {

/// `k(map, out, in)`: a tensor map of `in`, 64 rows of 64 f16 (or as `map`
/// says), in `%map`; `%out` and `%in`; `%tid`; shared memory from `smem` on,
/// mbarriers from its end at 60000 on: `full + 8 i`, `empty + 8 i`. %p0 is true
/// in thread 0.
struct AsyncKernel {
  std::string body;
  uint32_t threads = 128, grid = 1, cluster = 1;
  TensorMap map = {2, {64, 64}, {128}, {64, 64}, Swizzle::Bytes128};
  std::vector<uint32_t> in, out = std::vector<uint32_t>(4096);
  BufferKind outKind = BufferKind::InOut;

  explicit AsyncKernel(std::string text) : body(std::move(text)), in(4096) {
    std::iota(in.begin(), in.end(), 1);
  }

  LaunchResult run(LaunchConfig config = {}) {
    std::string text = ".version 8.6\n.target sm_90a\n.address_size 64\n"
                       ".extern .shared .align 1024 .b8 smem[];\n"
                       ".visible .entry k(.param .align 64 .b8 map[128], "
                       ".param .u64 p1, .param .u64 p2)\n{\n"
                       ".reg .pred %p<20>;\n.reg .b16 %h<20>;\n"
                       ".reg .b32 %r<60>;\n.reg .b64 %rd<40>;\n"
                       ".reg .b32 %tid, %full, %empty, %sm, %mine;\n"
                       ".reg .b64 %map, %out, %in, %state;\n"
                       "mov.u32 %tid, %tid.x;\nmov.b64 %rd0, map;\n"
                       "cvta.param.u64 %map, %rd0;\n"
                       "ld.param.b64 %out, [p1];\nld.param.b64 %in, [p2];\n"
                       "mov.b32 %sm, smem;\nadd.s32 %full, %sm, 60000;\n"
                       "add.s32 %empty, %sm, 60064;\n"
                       "mad.lo.s32 %mine, %tid, 4, %sm;\n"
                       "setp.eq.s32 %p0, %tid, 0;\n" +
                       body + "\nret;\n}\n";
    std::unique_ptr<Module> module = parseOrFail(text);
    if (!module)
      return {};
    config.kernel = "k";
    config.grid = {grid, 1, 1};
    config.block = {threads, 1, 1};
    config.cluster = {cluster, 1, 1};
    config.dynamicSharedBytes = 60160;
    config.buffers = {bufferOf("in", in, BufferKind::Input),
                      bufferOf("out", out, outKind)};
    config.arguments = {Argument::tensorMap(0, map), Argument::pointer(1),
                        Argument::pointer(0)};
    return launchOrFail(*module, config);
  }
};

inline void expectFault(AsyncKernel kernel, FindingKind kind,
                        llvm::StringRef message = "") {
  for (AsyncDelivery delivery :
       {AsyncDelivery::WhenWaitedFor, AsyncDelivery::AtOnce}) {
    LaunchConfig config;
    config.asyncDelivery = delivery;
    LaunchResult result = kernel.run(config);
    bool isFound = false;
    for (const Finding &finding : result.findings)
      isFound |= finding.kind == kind &&
                 llvm::StringRef(finding.message).contains(message);
    EXPECT_TRUE(isFound) << "expected " << findingKindName(kind).str() << " '"
                         << message.str() << "' in:\n"
                         << kernel.body << "\nfound:\n"
                         << findingsText(result);
    // A fault is not buried under others.
    EXPECT_LE(result.findings.size(), 4u) << findingsText(result);
  }
}

/// \returns what the kernel wrote.
inline std::vector<uint32_t> expectClean(AsyncKernel kernel) {
  std::vector<uint32_t> first;
  for (AsyncDelivery delivery : {AsyncDelivery::WhenWaitedFor,
                                 AsyncDelivery::AtOnce, AsyncDelivery::Mixed})
    for (uint64_t seed : {0, 1, 2}) {
      AsyncKernel fresh = kernel;
      LaunchConfig config;
      config.asyncDelivery = delivery;
      config.scheduleSeed = seed;
      LaunchResult result = fresh.run(config);
      EXPECT_EQ(findingsText(result), "") << kernel.body;
      EXPECT_TRUE(result.completed);
      if (first.empty())
        first = fresh.out;
      EXPECT_EQ(fresh.out, first) << "seed " << seed << " of:\n" << kernel.body;
    }
  return first;
}

inline const std::string barSync = "bar.sync 0;\n";

/// Thread 0 initialises mbarriers at these offsets from %full.
inline std::string
init(const std::vector<std::pair<int, int>> &offsetsAndCounts,
     const std::string &fence = "fence.mbarrier_init.release."
                                "cluster;\n") {
  std::string text;
  for (auto [offset, count] : offsetsAndCounts)
    text += "@%p0 mbarrier.init.shared::cta.b64 [%full+" +
            std::to_string(offset) + "], " + std::to_string(count) + ";\n";
  text += fence.empty() ? "" : "@%p0 " + fence;
  return text + barSync;
}
inline std::string expectBytes(unsigned bytes,
                               const std::string &barrier = "%full") {
  return "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 %state, [" + barrier +
         "], " + std::to_string(bytes) + ";\n";
}
inline const std::string loadBox =
    "@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
    "complete_tx::bytes [%sm], [%map, {0, 0}], [%full];\n";
inline std::string waitFor(const std::string &barrier,
                           const std::string &parity,
                           const std::string &label) {
  return label + ":\nmbarrier.try_wait.parity.shared::cta.b64 %p9, [" +
         barrier + "], " + parity + ";\n@!%p9 bra " + label + ";\n";
}
inline const std::string writeMine = "st.shared.b32 [%mine], %tid;\n";

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

inline const std::string meet = "barrier.cluster.arrive.aligned;\n"
                                "barrier.cluster.wait.aligned;\n";

/// Two blocks of one cluster: ranks of the own and the other one in %r40 and
/// %r41; the other's %mine and %full in %r42 and %r43; a place of each thread
/// in `out` at %rd5, and its number in %r45.
inline AsyncKernel pair(std::string body) {
  AsyncKernel kernel("mov.u32 %r40, %cluster_ctarank;\nxor.b32 %r41, %r40, 1;\n"
                     "mapa.shared::cluster.u32 %r42, %mine, %r41;\n"
                     "mapa.shared::cluster.u32 %r43, %full, %r41;\n"
                     "mov.u32 %r44, %ctaid.x;\n"
                     "mad.lo.s32 %r45, %r44, 128, %tid;\n"
                     "mad.wide.u32 %rd5, %r45, 4, %out;\n" +
                     std::move(body));
  kernel.grid = kernel.cluster = 2;
  return kernel;
}
inline const std::string storeToPeer = "st.shared::cluster.b32 [%r42], %r45;\n";
inline const std::string readOwn = "ld.shared.b32 %r1, [%mine];\n"
                                   "st.global.b32 [%rd5], %r1;\n";

} // namespace mlir::mirage::emulator

#endif // MIRAGE_TEST_UNIT_EMULATOR_ASYNCSUPPORT_H
