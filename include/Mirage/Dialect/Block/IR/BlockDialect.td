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
  }];
  let hasCanonicalizer = 1;
}

#endif // MIRAGE_DIALECT_BLOCK_IR_BLOCKDIALECT_TD
