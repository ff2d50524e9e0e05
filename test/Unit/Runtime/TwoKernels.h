//===- TwoKernels.h - An artifact written by hand ------------- -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_RUNTIME_TWOKERNELS_H
#define MIRAGE_TEST_UNIT_RUNTIME_TWOKERNELS_H

#include "Mirage/Artifact/Artifact.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::mirage {

/// A kernel of one input and one output, f32, that applies an instruction to
/// each of 910 elements.
inline std::string makeElementwiseKernel(llvm::StringRef name,
                                         llvm::StringRef instruction,
                                         int bound = 910) {
  std::string text = R"(
.visible .entry NAME(
  .param .u64 .ptr .global .align 16 NAME_param_0,
  .param .u64 .ptr .global .align 16 NAME_param_1
)
{
  .reg .pred %p<2>;
  .reg .b32 %r<5>;
  .reg .f32 %f<3>;
  .reg .b64 %rd<6>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  setp.ge.s32 %p1, %r4, BOUND;
  @%p1 bra $L__BB_NAME;
  ld.param.u64 %rd1, [NAME_param_0];
  ld.param.u64 %rd2, [NAME_param_1];
  mul.wide.s32 %rd3, %r4, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f1, [%rd4];
  INSTRUCTION
  st.global.f32 [%rd5], %f2;
$L__BB_NAME:
  ret;
}
)";
  auto replace = [&](llvm::StringRef from, llvm::StringRef to) {
    for (size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  replace("NAME", name);
  replace("INSTRUCTION", instruction);
  replace("BOUND", llvm::itostr(bound));
  return text;
}

/// sqrt(square(X)) of 7 x 130 elements: one kernel squares into the workspace,
/// 256 bytes from its start, and another one takes the root from there.
inline Artifact makeTwoKernels() {
  Artifact artifact;
  artifact.target = "sm_90a";
  TensorSpec type{{7, 130}, ElementType::F32};
  ValueId x = artifact.program.addInput(type, "X");
  ValueId square = artifact.program.add(Opcode::Square, {x}, type);
  artifact.program.addOutput(
      artifact.program.add(Opcode::Sqrt, {square}, type));
  artifact.inputs = {ArtifactTensor::makeRowMajor("X", type)};
  artifact.outputs = {ArtifactTensor::makeRowMajor("Y", type)};
  artifact.workspaceBytes = 256 + 910 * 4;
  artifact.ptx = ".version 8.6\n.target sm_90a\n.address_size 64\n" +
                 makeElementwiseKernel("squares", "mul.rn.f32 %f2, %f1, %f1;") +
                 makeElementwiseKernel("roots", "sqrt.rn.f32 %f2, %f1;");
  KernelLaunch squares, roots;
  squares.kernel = "squares";
  roots.kernel = "roots";
  squares.grid = roots.grid = {8, 1, 1};
  squares.block = roots.block = {128, 1, 1};
  squares.arguments = {{BufferRole::Input, 0, 0},
                       {BufferRole::Workspace, 0, 256}};
  roots.arguments = {{BufferRole::Workspace, 0, 256},
                     {BufferRole::Output, 0, 0}};
  artifact.launches = {squares, roots};
  return artifact;
}

} // namespace mlir::mirage

#endif // MIRAGE_TEST_UNIT_RUNTIME_TWOKERNELS_H
