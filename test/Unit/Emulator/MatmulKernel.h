//===- MatmulKernel.h - A matrix product as Hopper likes it -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C[M, N] = A[M, K] · B[N, K]^T of f16 with sums of f32. A block computes 128 x
// 256 of C. One thread fills a ring of four stages by TMA, two warpgroups
// multiply 64 x 256 x 64 out of a stage at a time by wgmma:
//
//   producer    wait empty[s]    expect bytes, load A, load B  -> full[s]
//   consumers   wait full[s]     4 wgmma of k16, wait          -> empty[s]
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_UNIT_EMULATOR_MATMULKERNEL_H
#define MIRAGE_TEST_UNIT_EMULATOR_MATMULKERNEL_H

#include "Mirage/Emulator/Launch.h"

#include <string>

namespace mlir::mirage::emulator {

struct MatmulKernel {
  static constexpr uint32_t rows = 128, columns = 256, depth = 64, stages = 4;
  static constexpr uint32_t leftBytes = 2 * rows * depth,
                            stageBytes = leftBytes + 2 * columns * depth,
                            barriers = stages * stageBytes,
                            sharedBytes = barriers + 16 * stages;

  uint32_t m = rows, n = columns, k = depth;

  static std::string getText() {
    auto number = [](uint64_t value) { return std::to_string(value); };
    std::string sums, text;
    for (unsigned i = 0; i < columns / 2; ++i)
      sums += (i ? ", %d" : "%d") + number(i);
    text = ".version 8.6\n.target sm_90a\n.address_size 64\n"
           ".extern .shared .align 1024 .b8 smem[];\n"
           ".visible .entry matmul(.param .align 64 .b8 mapA[128],\n"
           "  .param .align 64 .b8 mapB[128], .param .u64 out,\n"
           "  .param .u32 steps, .param .u32 pitch)\n"
           ".reqntid 384\n{\n"
           ".reg .pred %first, %more, %done;\n"
           ".reg .b32 %thread, %group, %lane, %steps, %i, %stage, %parity, "
           "%base;\n"
           ".reg .b32 %full, %empty, %left, %right, %x, %y, %kk, %t<4>;\n"
           ".reg .b32 %d<" +
           number(columns / 2) +
           ">;\n"
           ".reg .b64 %a, %b, %mapA, %mapB, %out, %t64, %descriptor;\n"
           "mov.u32 %thread, %tid.x;\n"
           "shr.u32 %group, %thread, 7;\n"
           "and.b32 %lane, %thread, 31;\n"
           "ld.param.u32 %steps, [steps];\n"
           "mov.b32 %base, smem;\n"
           "add.u32 %full, %base, " +
           number(barriers) + ";\nadd.u32 %empty, %full, " +
           number(8 * stages) +
           ";\n"
           "setp.ne.u32 %more, %thread, 0;\n"
           "@%more bra READY;\n";
    for (unsigned i = 0; i < stages; ++i)
      text += "mbarrier.init.shared.b64 [%full+" + number(8 * i) +
              "], 1;\nmbarrier.init.shared.b64 [%empty+" + number(8 * i) +
              "], 8;\n";
    text += "fence.mbarrier_init.release.cluster;\n"
            "fence.proxy.async;\n"
            "READY:\n"
            "bar.sync 0;\n"
            "mov.b32 %i, 0;\nmov.b32 %stage, 0;\nmov.b32 %parity, 0;\n"
            "mov.u32 %x, %ctaid.x;\nshl.b32 %x, %x, 8;\n"
            "mov.u32 %y, %ctaid.y;\nshl.b32 %y, %y, 7;\n"
            "setp.ne.u32 %more, %group, 0;\n"
            "@%more bra CONSUMER;\n"
            "setmaxnreg.dec.sync.aligned.u32 40;\n"
            "setp.ne.u32 %more, %thread, 0;\n"
            "@%more bra END;\n"
            "mov.b64 %mapA, mapA;\ncvta.param.u64 %mapA, %mapA;\n"
            "mov.b64 %mapB, mapB;\ncvta.param.u64 %mapB, %mapB;\n"
            "xor.b32 %parity, %parity, 1;\n"
            "LOAD:\n"
            "shl.b32 %t0, %stage, 3;\n"
            "add.u32 %t1, %full, %t0;\nadd.u32 %t2, %empty, %t0;\n"
            "FREE: mbarrier.try_wait.parity.shared.b64 %done, [%t2], %parity;\n"
            "@!%done bra FREE;\n"
            "mbarrier.arrive.expect_tx.shared.b64 _, [%t1], " +
            number(stageBytes) + ";\nmad.lo.u32 %left, %stage, " +
            number(stageBytes) + ", %base;\nadd.u32 %right, %left, " +
            number(leftBytes) +
            ";\n"
            "shl.b32 %kk, %i, 6;\n"
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier"
            "::complete_tx::bytes [%left], [%mapA, {%kk, %y}], [%t1];\n"
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier"
            "::complete_tx::bytes [%right], [%mapB, {%kk, %x}], [%t1];\n" +
            advance("LOAD") +
            "bra END;\n"
            "CONSUMER:\n"
            "setmaxnreg.inc.sync.aligned.u32 232;\n"
            "sub.u32 %group, %group, 1;\n"
            "COMPUTE:\n"
            "shl.b32 %t0, %stage, 3;\n"
            "add.u32 %t1, %full, %t0;\nadd.u32 %t2, %empty, %t0;\n"
            "FILLED: mbarrier.try_wait.parity.shared.b64 %done, [%t1], "
            "%parity;\n"
            "@!%done bra FILLED;\n"
            "mad.lo.u32 %right, %stage, " +
            number(stageBytes) +
            ", %base;\n"
            "shl.b32 %left, %group, 13;\nadd.u32 %left, %left, %right;\n"
            "add.u32 %right, %right, " +
            number(leftBytes) +
            ";\n"
            "cvt.u64.u32 %a, %left;\nshr.u64 %a, %a, 4;\n"
            "cvt.u64.u32 %b, %right;\nshr.u64 %b, %b, 4;\n"
            // Swizzle of 128 bytes, eight rows of 128 bytes apart.
            "mov.b64 %descriptor, 0x4000004000010000;\n"
            "or.b64 %a, %a, %descriptor;\nor.b64 %b, %b, %descriptor;\n"
            "setp.ne.u32 %more, %i, 0;\n"
            "wgmma.fence.sync.aligned;\n";
    for (unsigned step = 0; step < depth / 16; ++step)
      text += "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {" + sums +
              "}, %a, %b, " + (step ? "1" : "%more") +
              ", 1, 1, 0, 0;\nadd.u64 %a, %a, 2;\nadd.u64 %b, %b, 2;\n";
    text += "wgmma.commit_group.sync.aligned;\n"
            "wgmma.wait_group.sync.aligned 0;\n"
            "setp.eq.u32 %first, %lane, 0;\n"
            "@%first mbarrier.arrive.shared.b64 _, [%t2];\n" +
            advance("COMPUTE") +
            // Row group * 64 + warp * 16 + lane / 4, columns 2 * (lane % 4).
            "ld.param.u64 %out, [out];\ncvta.to.global.u64 %out, %out;\n"
            "shl.b32 %t0, %group, 6;\nadd.u32 %y, %y, %t0;\n"
            "shr.u32 %t0, %thread, 5;\nand.b32 %t0, %t0, 3;\n"
            "mad.lo.u32 %y, %t0, 16, %y;\n"
            "shr.u32 %t0, %lane, 2;\nadd.u32 %y, %y, %t0;\n"
            "and.b32 %t0, %lane, 3;\nmad.lo.u32 %x, %t0, 2, %x;\n"
            "ld.param.u32 %t0, [pitch];\n"
            "mad.lo.u32 %x, %y, %t0, %x;\n"
            "mad.wide.u32 %out, %x, 2, %out;\n"
            "mul.wide.u32 %t64, %t0, 16;\nadd.u64 %t64, %out, %t64;\n";
    for (unsigned i = 0; i < columns / 2; i += 4)
      for (unsigned half : {0, 1}) {
        unsigned sum = i + 2 * half;
        text += "cvt.rn.f16x2.f32 %t1, %d" + number(sum + 1) + ", %d" +
                number(sum) + ";\nst.global.b32 [" + (half ? "%t64" : "%out") +
                "+" + number(i * 4) + "], %t1;\n";
      }
    return text + "END:\nret;\n}\n";
  }

  /// A and B are the first two buffers, C the third.
  LaunchConfig configure(void *a, void *b, void *c) const {
    LaunchConfig config;
    config.kernel = "matmul";
    config.grid = {n / columns, m / rows, 1};
    config.block = {384, 1, 1};
    config.dynamicSharedBytes = sharedBytes;
    config.buffers = {{"a", a, 2ull * m * k, BufferKind::Input},
                      {"b", b, 2ull * n * k, BufferKind::Input},
                      {"c", c, 2ull * m * n, BufferKind::Output}};
    auto map = [&](uint32_t size, uint32_t box) {
      return TensorMap{
          2, {k, size}, {2ull * k}, {depth, box}, Swizzle::Bytes128};
    };
    config.arguments = {Argument::tensorMap(0, map(m, rows)),
                        Argument::tensorMap(1, map(n, columns)),
                        Argument::pointer(2), Argument::scalar(k / depth),
                        Argument::scalar(n)};
    return config;
  }

private:
  /// To the next step and stage, and back to the label if there is one.
  static std::string advance(const std::string &label) {
    return "add.u32 %i, %i, 1;\nadd.u32 %stage, %stage, 1;\n"
           "setp.eq.u32 %done, %stage, " +
           std::to_string(stages) +
           ";\n"
           "selp.b32 %stage, 0, %stage, %done;\n"
           "selp.b32 %t3, 1, 0, %done;\nxor.b32 %parity, %parity, %t3;\n"
           "setp.lt.u32 %done, %i, %steps;\n@%done bra " +
           label + ";\n";
  }
};

} // namespace mlir::mirage::emulator

#endif // MIRAGE_TEST_UNIT_EMULATOR_MATMULKERNEL_H
