//===- BoxKernel.h - An artifact whose kernel reads boxes -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_RUNTIME_BOXKERNEL_H
#define MIRAGE_TEST_UNIT_RUNTIME_BOXKERNEL_H

#include "Mirage/Artifact/Artifact.h"

namespace mlir::mirage {

/// square(X) of 30 x 32 f32: TMA brings boxes of 16 rows, the last one of which
/// reaches over the tensor's end, to each of two blocks.
inline Artifact makeBoxKernel() {
  Artifact artifact;
  artifact.target = "sm_90a";
  TensorSpec type{{30, 32}, ElementType::F32};
  ValueId x = artifact.program.addInput(type, "X");
  artifact.program.addOutput(artifact.program.add(Opcode::Square, {x}, type));
  artifact.inputs = {ArtifactTensor::makeRowMajor("X", type)};
  artifact.outputs = {ArtifactTensor::makeRowMajor("Y", type)};
  artifact.ptx = R"(.version 8.6
.target sm_90a
.address_size 64
.visible .entry boxes(
  .param .align 64 .b8 boxes_param_0[128],
  .param .u64 .ptr .global .align 16 boxes_param_1
)
{
  .shared .align 128 .b8 box[2048];
  .shared .align 8 .b8 full[8];
  .reg .pred %p<4>;
  .reg .b32 %r<10>;
  .reg .f32 %f<5>;
  .reg .b64 %rd<6>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  shl.b32 %r3, %r2, 4;
  setp.ne.s32 %p1, %r1, 0;
  mov.b64 %rd1, boxes_param_0;
  cvta.param.u64 %rd2, %rd1;
  @%p1 bra $L__BB_STARTED;
  mbarrier.init.shared.b64 [full], 1;
  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.shared.b64 %rd3, [full], 2048;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [box], [%rd2, {0, %r3}], [full];
$L__BB_STARTED:
  bar.sync 0;
$L__BB_WAIT:
  mbarrier.try_wait.parity.shared.b64 %p2, [full], 0;
  @!%p2 bra $L__BB_WAIT;
  mov.b32 %r4, box;
  shl.b32 %r5, %r1, 4;
  add.s32 %r6, %r4, %r5;
  shr.u32 %r7, %r1, 3;
  add.s32 %r7, %r7, %r3;
  setp.ge.s32 %p3, %r7, 30;
  @%p3 bra $L__BB_END;
  ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r6];
  mul.rn.f32 %f1, %f1, %f1;
  mul.rn.f32 %f2, %f2, %f2;
  mul.rn.f32 %f3, %f3, %f3;
  mul.rn.f32 %f4, %f4, %f4;
  ld.param.u64 %rd4, [boxes_param_1];
  shl.b32 %r8, %r3, 7;
  add.s32 %r8, %r8, %r5;
  cvt.u64.u32 %rd5, %r8;
  add.s64 %rd4, %rd4, %rd5;
  st.global.v4.f32 [%rd4], {%f1, %f2, %f3, %f4};
$L__BB_END:
  ret;
}
)";
  KernelLaunch launch;
  launch.kernel = "boxes";
  launch.grid = {2, 1, 1};
  launch.block = {128, 1, 1};
  launch.arguments = {{BufferRole::Input, 0, 0}, {BufferRole::Output, 0, 0}};
  launch.arguments[0].tensorMap =
      TensorMap{4, {32, 30}, {128}, {32, 16}, Swizzle::None};
  artifact.launches = {launch};
  return artifact;
}

} // namespace mlir::mirage

#endif // MIRAGE_TEST_UNIT_RUNTIME_BOXKERNEL_H
