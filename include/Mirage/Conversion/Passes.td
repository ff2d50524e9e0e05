//===- Passes.td - Passes of Conversion --------------------------*- tablegen -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_CONVERSION_PASSES_TD
#define MIRAGE_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertBlockToThreadPass : Pass<"convert-mirage-block-to-thread"> {
  let summary = "turns the steps of block graphs into thread graphs";
  let description = [{
    Each elementwise operation, reduction, matrix product, transpose, broadcast
    and cast in the body of a `mirage_block.graph` becomes a
    `mirage_thread.graph` on the same tiles: fragments with layouts, work items
    that the block's warps share, steps along the reduced dimension. Products
    of 16-bit operands, and of one with an f32 operand, which is rounded to its
    type, use the fragments of `mma.sync.m16n8k16`; others are exact in f32.
    `accumulate`, `mask` and `reshape` are left: they concern the block's loop,
    its coordinates and its memory.
    Example: test/Conversion/BlockToThread/block-to-thread.mlir
  }];
  let dependentDialects = ["::mlir::mirage::thread::MirageThreadDialect"];
}

def LowerMathPass : Pass<"mirage-lower-math"> {
  let summary = "lowers math operations of kernels without libdevice";
  let description = [{
    Replaces `math` operations on f16, bf16 and f32, scalars and vectors, by
    arithmetic and LLVM intrinsics that the PTX back end has instructions for
    (include/Mirage/Conversion/F32Functions.h states the error of each). To run
    before `convert-gpu-to-nvvm`, which turns what it finds into calls of
    CUDA's libdevice. An operation of the dialect that is left inside a
    `gpu.module` and would need the library is an error.
    Example: test/Conversion/LowerMath/lower-math.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // MIRAGE_CONVERSION_PASSES_TD
