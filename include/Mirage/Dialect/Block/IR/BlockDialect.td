//===- BlockDialect.td - The block level ------------------------*- tablegen -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_BLOCK_IR_BLOCKDIALECT_TD
#define MIRAGE_DIALECT_BLOCK_IR_BLOCKDIALECT_TD

include "mlir/IR/DialectBase.td"

def MirageBlockDialect : Dialect {
  let name = "mirage_block";
  let cppNamespace = "::mlir::mirage::block";
  let summary = "what one thread block does";
  let description = [{
    Values are tiles in shared memory or in the registers of the block. Results
    of arithmetic are f32 whatever the operands; rounding happens where a value
    leaves the graph, or at a `cast`. `mirage_block.graph` is one kernel.

    A graph that is nothing but a matmul may say which call of a library computes the same,
    so that whoever runs the kernel may call that instead:
    ```mlir
    mirage_block.library_matmul = {
      batch = 1, m = 8, n = 6144, k = 4096,
      operands = f16, result_type = f16, accumulate = f32,
      lhs = {argument = 0, offset = 0, transposed = false, leading_dimension = 4096, batch_stride = 0},
      rhs = {argument = 1, offset = 0, transposed = false, leading_dimension = 6144, batch_stride = 0},
      result = {argument = 2, offset = 0, transposed = false, leading_dimension = 6144, batch_stride = 0}}
    ```
    `--mirage-assign-default-blocks` writes it; docs/Runtime.md says what becomes of it.
    - (C1) it is at a `mirage_block.graph` of two operands and one result, with these members
      and no others (Mirage/Graph/LibraryMatmul.h) but `f32_products = "tf32"`, of f32 operands
      that the library may round to tf32.
    - (C2) operands are both f16, both bf16 or both f32, the result has their type or f32, and
      products are accumulated in f32.
    - (C3) the arguments are the operands' and the result's numbers, extents and types are
      theirs, and no element of the result is written twice.
  }];
  let hasCanonicalizer = 1;
  let dependentDialects = ["::mlir::mirage::MirageDialect"];
  let hasOperationAttrVerify = 1;
}

#endif // MIRAGE_DIALECT_BLOCK_IR_BLOCKDIALECT_TD
