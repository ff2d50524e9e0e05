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
    Values are tensors in device memory; an op is a kernel: a library operator,
    which has a default block graph, or a `mirage_block.graph`, which says what
    one thread block does. `mirage_kernel.graph` is the unit that is
    superoptimized.
  }];
  let hasCanonicalizer = 1;
}

#endif // MIRAGE_DIALECT_KERNEL_IR_KERNELDIALECT_TD
