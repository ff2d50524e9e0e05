//===- KernelDialect.td - The kernel level ------------------------*- tablegen -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_KERNEL_IR_KERNELDIALECT_TD
#define MIRAGE_DIALECT_KERNEL_IR_KERNELDIALECT_TD

include "mlir/IR/DialectBase.td"

def MirageKernelDialect : Dialect {
  let name = "mirage_kernel";
  let cppNamespace = "::mlir::mirage::kernel";
  let summary = "what runs on the whole GPU, one kernel after the other";
  let description = [{
    Values are tensors in device memory; an op is a kernel: an operator, which has
    a default block graph and may be left to a library, or a `mirage_block.graph`,
    which says what one thread block does. `mirage_kernel.graph` is the unit that
    is superoptimized.

    An argument or a result of a function may say how its elements lie in device
    memory, where that is not row-major and without gaps:
    ```mlir
    func.func @linear(%x: tensor<8x64xf16>,
                      %w: tensor<64x32xf16> {mirage_kernel.strides = array<i64: 1, 64>})
        -> (tensor<8x32xf16> {mirage_kernel.strides = array<i64: 40, 1>})
    ```
    - (C1) `mirage_kernel.strides` is an array of i64, at a tensor of rank 1 or
      more and static shape: elements from one to the next, by dimension.
    - (C2) none is negative; 0 shows the same elements again, and all lie within
      2^50 of the first one.
    - (C3) no two elements of a result share a place: its dimensions, ordered by
      stride, lie inside one another.

    A graph may let tensor cores round operands of its products to tf32, where these are
    no products of f16 or of bf16 (docs/Architecture.md, "Semantics that everything relies
    on"); so it is with all that block graphs in it multiply:
    ```mlir
    mirage_kernel.graph ins(%x, %w : ...) outs(%e : ...)
        attributes {mirage_kernel.f32_products = "tf32"} {...}
    ```
    - (C4) `mirage_kernel.f32_products` is "tf32", or "exact" as without it, at a
      `mirage_kernel.graph`.
  }];
  let hasCanonicalizer = 1;
  let dependentDialects = ["::mlir::mirage::MirageDialect"];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

#endif // MIRAGE_DIALECT_KERNEL_IR_KERNELDIALECT_TD
