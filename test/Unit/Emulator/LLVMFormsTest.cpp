//===- LLVMFormsTest.cpp - Everything that LLVM prints is understood ------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace mlir::mirage::emulator;

namespace {

TEST(LLVMForms, AllParse) {
  auto file = llvm::MemoryBuffer::getFile(MIRAGE_TEST_INPUTS "/llvm-forms.ptx");
  ASSERT_TRUE(file) << file.getError().message();
  std::unique_ptr<Module> module = parseOrFail((*file)->getBuffer().str());
  ASSERT_TRUE(module);
  EXPECT_GT(module->kernels()[0].numInstructions, 350u);
}

/// Inputs/matrix-forms.ptx is what llc makes of matrix-forms.ll; made anew by
///   llc -mcpu=sm_90a -mattr=+ptx86 matrix-forms.ll -o matrix-forms.ptx
/// where an intrinsic is added there. A name that LLVM does not know becomes a
/// call, which does not parse.
TEST(LLVMForms, MatricesParse) {
  auto file =
      llvm::MemoryBuffer::getFile(MIRAGE_TEST_INPUTS "/matrix-forms.ptx");
  ASSERT_TRUE(file) << file.getError().message();
  std::unique_ptr<Module> module = parseOrFail((*file)->getBuffer().str());
  ASSERT_TRUE(module);
  EXPECT_EQ(module->kernels().size(), 63u);
  for (const char *name : {"wgmma_f16", "wgmma_s8_fragments",
                           "setmaxnreg_dec_sync_aligned_u32", "idp2a_u_s"})
    EXPECT_TRUE(module->findKernel(name)) << name;
}

/// 128-bit sums go through carries.
TEST(LLVMForms, WideSums) {
  std::string body = "ld.global.v2.b64 {%rd1, %rd2}, [%a0];\n"
                     "add.cc.s64 %rd3, %rd1, -1;\naddc.cc.s64 %rd4, %rd2, 0;\n"
                     "sub.cc.s64 %rd5, %rd1, 2;\nsubc.s64 %rd6, %rd2, 0;\n"
                     "st.global.v2.b64 [%a1], {%rd3, %rd4};\n"
                     "st.global.v2.b64 [%a1+16], {%rd5, %rd6};\n";
  std::unique_ptr<Module> module = parseOrFail(kernelText(2, body));
  std::vector<uint64_t> in = {1, 5}, out(4);
  LaunchResult result = run(*module,
                            {bufferOf("in", in, BufferKind::Input),
                             bufferOf("out", out, BufferKind::Output)},
                            blocksOf(1));
  EXPECT_EQ(findingsText(result), "");
  EXPECT_EQ(out, (std::vector<uint64_t>{0, 6, ~uint64_t(0), 4}));
}

} // namespace
