//===- ThreadMatrixOps.td - Tensor cores -------------------*- tablegen -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_THREAD_IR_THREADMATRIXOPS_TD
#define MIRAGE_DIALECT_THREAD_IR_THREADMATRIXOPS_TD

include "Mirage/Dialect/Operator/OperatorBase.td"
include "Mirage/Dialect/Thread/IR/ThreadAttributes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Thread_MmaOp : Mirage_OperatorOp<MirageThreadDialect, 0, "mma", "Mma"> {
  let summary = "matrix product by the tensor cores of a warp";
  let description = [{
    Computes `result[m, n] = Σ_k lhs[m, k] · rhs[k, n]` in f32, by instructions of the
    sizes `shape` (mma.sync), as many as the fragments have tiles. An `accumulate`
    of the product is the instructions' third operand. Leading dimensions have size 1.
    8-bit elements are multiplied as f16, where [16, 8, 32] is two instructions of
    [16, 8, 16], on all targets (docs/rationale/Thread.md), those of f32
    as the tf32 that they are rounded to, to the nearest, with ties away from zero.
    - (C1) shapes are those of a matrix product.
    - (C2) both operands have 16-bit elements of one type, 8-bit floats, or f32; the
      result has f32.
    - (C3) `shape` is [16, 8, 8] or [16, 8, 16] for 16 bits, [16, 8, 32] for 8,
      [16, 8, 8] for 32.
    - (C4) fragments are made of whole tiles of the instruction, with its lanes.

    Cost: `2·M·N·K` flops.
    ```mlir
    %d = mirage_thread.mma %a, %b shape [16, 8, 16] : (tensor<16x16xf16, #a>, tensor<16x8xf16, #b>) -> tensor<16x8xf32, #c>
    ```
  }];
  let arguments = (ins Mirage_Tensor:$lhs, Mirage_Tensor:$rhs, DenseI64ArrayAttr:$shape);
  let assemblyFormat = "$lhs `,` $rhs `shape` $shape attr-dict " # typeFormat;
  let hasVerifier = 1;
}

def Thread_WgmmaOp : Mirage_OperatorOp<MirageThreadDialect, 0, "wgmma", "Wgmma"> {
  let summary = "matrix product by the tensor cores of four warps together";
  let description = [{
    Computes `result[m, n] = Σ_k lhs[m, k] · rhs[k, n]` in f32 by instructions of a
    warpgroup (wgmma.mma_async), of whose 64 rows each warp has 16. The right operand is
    the same for all four, and is read where it lies in shared memory: a window, or the
    `transpose` of one. The left one is in registers, or read in the same way. An
    `accumulate` of the product is the instructions' third operand. Leading dimensions have
    size 1.
    - (C1) shapes are those of a matrix product.
    - (C2) both operands have 16-bit elements of one type; the result has f32.
    - (C3) `m` is 16, `n` a power of two from 8 to 256, `k` a multiple of 16.
    - (C4) `lhs` is a fragment made of left operands of mma.m16n8k16, or read in place as
      `rhs` is: a window of the graph, or the transpose of one.
    - (C5) the result is made of accumulators of mma.m16n8k16.
    - (C6) four items of the graph that follow each other, from a multiple of four on,
      have the same window of `rhs`: the last axis has a multiple of four, and does not
      move it. It moves a window of `lhs` along `m`, so that these follow each other.

    Cost: `2·M·N·K` flops.
    ```mlir
    %d = mirage_thread.wgmma %a, %w : (tensor<16x16xf16, #a>, tensor<16x8xf16>) -> tensor<16x8xf32, #c>
    ```
  }];
  let arguments = (ins Mirage_Tensor:$lhs, Mirage_Tensor:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict " # typeFormat;
  let hasVerifier = 1;
}

def Thread_AwaitOp : Op<MirageThreadDialect, "await", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "what graphs of products in flight have left, once they are done";
  let description = [{
    A thread graph that says `mirage.in_flight` starts its products (`wgmma`) and goes on
    without them; until they are done nothing may touch what it leaves, nor what it reads.
    The results are the operands when all products that a warp has started are done, but
    for the last `pending` items of graphs (wgmma.wait_group). An operand that is there
    already may go through it so that nothing that is computed of it comes before; without
    operands, only what the products have read is free.
    - (C1) operands are held in registers, in f32: they have layouts.
    - (C2) `pending` is 0 or more.

    Cost: the time until the products are done.
    ```mlir
    %s = mirage_thread.await %d pending 0 : tensor<16x8xf32, #c>
    ```
  }];
  let arguments = (ins Variadic<Mirage_Tensor>:$operands, I64Attr:$pending);
  let results = (outs Variadic<Mirage_Tensor>:$results);
  let assemblyFormat = "($operands^)? `pending` $pending attr-dict (`:` type($operands)^)?";
  let hasVerifier = 1;
}

#endif // MIRAGE_DIALECT_THREAD_IR_THREADMATRIXOPS_TD
