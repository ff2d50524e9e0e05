//===- FaultSupport.h - Kernels that are at fault or not --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_EMULATOR_FAULTSUPPORT_H
#define MIRAGE_TEST_UNIT_EMULATOR_FAULTSUPPORT_H

#include "TestSupport.h"

namespace mlir::mirage::emulator {

/// What a kernel of two words per thread of output is found guilty of. The body
/// may use `%rd20`, the address of this thread's output, and must set %r50.
inline LaunchResult runBody(const std::string &body, uint32_t threads = 128,
                            uint32_t grid = 1, LaunchConfig config = {}) {
  std::string text = kernelText(2, R"(
    mov.u32 %r59, %ctaid.x;
    mov.u32 %r58, %ntid.x;
    mad.lo.s32 %r59, %r59, %r58, %tid;
    mad.wide.u32 %rd20, %r59, 4, %a0;
    mov.b32 %r57, smem;
    mad.lo.s32 %r57, %tid, 4, %r57;
    mov.b32 %r50, 0;
    )" + body + R"(
    st.global.b32 [%rd20], %r50;
  )");
  std::unique_ptr<Module> module = parseOrFail(text);
  if (!module)
    return {};
  std::vector<uint32_t> out(threads * grid);
  std::vector<uint32_t> extra(1024);
  LaunchConfig shape = blocksOf(threads, grid, 16384);
  config.grid = shape.grid;
  config.block = shape.block;
  if (!config.dynamicSharedBytes)
    config.dynamicSharedBytes = shape.dynamicSharedBytes;
  return run(*module,
             {bufferOf("out", out, BufferKind::Output),
              bufferOf("extra", extra, BufferKind::InOut)},
             config);
}

inline void expectFault(const std::string &body, FindingKind kind,
                        uint32_t threads = 128, uint32_t grid = 1) {
  LaunchResult result = runBody(body, threads, grid);
  EXPECT_TRUE(hasFinding(result, kind))
      << "expected " << findingKindName(kind).str() << " in:" << body
      << "\nfound: " << findingsText(result);
  // A fault is not buried under others.
  EXPECT_LE(result.findings.size(), 3u) << findingsText(result);
}

inline void expectClean(const std::string &body, uint32_t threads = 128,
                        uint32_t grid = 1) {
  for (AsyncDelivery delivery :
       {AsyncDelivery::WhenWaitedFor, AsyncDelivery::AtOnce}) {
    LaunchConfig config;
    config.asyncDelivery = delivery;
    LaunchResult result = runBody(body, threads, grid, config);
    EXPECT_EQ(findingsText(result), "") << body;
    EXPECT_TRUE(result.completed);
  }
}

} // namespace mlir::mirage::emulator

#endif // MIRAGE_TEST_UNIT_EMULATOR_FAULTSUPPORT_H
