//===- KernelOps.td - Ops of the kernel level ------------------*- tablegen -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_KERNEL_IR_KERNELOPS_TD
#define MIRAGE_DIALECT_KERNEL_IR_KERNELOPS_TD

include "Mirage/Dialect/Kernel/IR/KernelDialect.td"
include "Mirage/Dialect/Operator/ComposedOps.td"
include "Mirage/Dialect/Operator/ElementwiseOps.td"
include "Mirage/Dialect/Operator/PartOps.td"
include "Mirage/Dialect/Operator/TensorOps.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"

defm Kernel_ : Mirage_ElementwiseOps<MirageKernelDialect, 0>;
defm Kernel_ : Mirage_ReductionOps<MirageKernelDialect, 0>;
defm Kernel_ : Mirage_ContractionOps<MirageKernelDialect, 0>;
defm Kernel_ : Mirage_MovementOps<MirageKernelDialect, 0>;
defm Kernel_ : Mirage_PartOps<MirageKernelDialect, 0>;
defm Kernel_ : Mirage_ComposedOps<MirageKernelDialect>;

def Kernel_GraphOp : Op<MirageKernelDialect, "graph", [
    Pure, IsolatedFromAbove, SingleBlock, AttrSizedOperandSegments,
    DestinationStyleOpInterface]> {
  let summary = "a tensor program: the unit that is superoptimized";
  let description = [{
    The region computes on the tensors of `inputs`; what it yields is written
    into `inits`, whose types are the results'. Ops in the region are kernels:
    operators of the table, and `mirage_block.graph`s.
    - (C1) the region has an argument for each input, of its type.
    - (C2) it yields a value for each init, of its type; at least one.
    - (C3) it holds operators of `mirage_kernel` and block graphs alone.

    Cost: that of its kernels, one after the other.
    ```mlir
    %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : tensor<8x64xf16>) {
    ^bb0(%a: tensor<8x64xf16>):
      %0 = mirage_kernel.exp %a : (tensor<8x64xf16>) -> tensor<8x64xf16>
      mirage_kernel.yield %0 : tensor<8x64xf16>
    } : tensor<8x64xf16>
    ```
  }];
  let arguments = (ins Variadic<Mirage_Tensor>:$inputs,
                       Variadic<Mirage_Tensor>:$inits);
  let results = (outs Variadic<Mirage_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` ($inits^ `:` type($inits))? `)` attr-dict-with-keyword
    $body (`:` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitsMutable(); }
    YieldOp getYield();
  }];
  let hasRegionVerifier = 1;
}

def Kernel_YieldOp : Op<MirageKernelDialect, "yield", [
    Pure, Terminator, HasParent<"GraphOp">]> {
  let summary = "ends a kernel graph with its results";
  let description = [{
    What is yielded is written into the graph's `inits`.
    - (C1) it stands in a `mirage_kernel.graph`.

    Cost: none. Here an input is handed on as it is:
    ```mlir
    %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : tensor<8x64xf16>) {
    ^bb0(%a: tensor<8x64xf16>):
      mirage_kernel.yield %a : tensor<8x64xf16>
    } : tensor<8x64xf16>
    ```
  }];
  let arguments = (ins Variadic<Mirage_Tensor>:$operands);
  let assemblyFormat = "$operands attr-dict (`:` type($operands)^)?";
}

#endif // MIRAGE_DIALECT_KERNEL_IR_KERNELOPS_TD
