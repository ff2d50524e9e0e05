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
include "mlir/Interfaces/SideEffectInterfaces.td"

defm Kernel_ : Mirage_ElementwiseOps<MirageKernelDialect, 0>;
defm Kernel_ : Mirage_ReductionOps<MirageKernelDialect, 0>;
defm Kernel_ : Mirage_ContractionOps<MirageKernelDialect, 0>;
defm Kernel_ : Mirage_MovementOps<MirageKernelDialect, 0>;
defm Kernel_ : Mirage_PartOps<MirageKernelDialect, 0>;
defm Kernel_ : Mirage_ComposedOps<MirageKernelDialect>;

def Kernel_GraphOp : Op<MirageKernelDialect, "graph", [
    IsolatedFromAbove, SingleBlock, AttrSizedOperandSegments,
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a tensor program: the unit that is superoptimized";
  let description = [{
    The region computes on the tensors of `inputs`; what it yields is written
    into `inits`, whose types are the results'. Ops in the region are kernels:
    operators of the table, and `mirage_block.graph`s.

    Inputs and inits are tensors; or, once a compiler has bufferized what stands
    around the graph (`--one-shot-bufferize`), memrefs: these are read and written,
    and there are no results. The region is on tensors all the same, which lie as the
    memrefs' types say.
    - (C1) the region has an argument for each input: a tensor of its type, or of its
      shape and elements.
    - (C2) it yields a value for each init, likewise; at least one.
    - (C3) it holds operators of `mirage_kernel` and block graphs alone.
    - (C4) inputs and inits are all tensors, or all memrefs.
    - (C5) memrefs are of the default memory space and lie by strides; these and the
      offset are static, with `mirage_kernel.strides`' constraints C2 and, for inits, C3.
    - (C6) the memref of an init is no other operand. (Nor may it overlap one, which no
      verifier can see.)

    Cost: that of its kernels, one after the other.
    ```mlir
    %r = mirage_kernel.graph ins(%x : tensor<8x64xf16>) outs(%e : tensor<8x64xf16>) {
    ^bb0(%a: tensor<8x64xf16>):
      %0 = mirage_kernel.exp %a : (tensor<8x64xf16>) -> tensor<8x64xf16>
      mirage_kernel.yield %0 : tensor<8x64xf16>
    } : tensor<8x64xf16>
    ```
    The same on memrefs; rows of the result are 40 elements apart:
    ```mlir
    mirage_kernel.graph ins(%x : memref<8x32xf16>)
        outs(%e : memref<8x32xf16, strided<[40, 1]>>) {
    ^bb0(%a: tensor<8x32xf16>):
      %0 = mirage_kernel.exp %a : (tensor<8x32xf16>) -> tensor<8x32xf16>
      mirage_kernel.yield %0 : tensor<8x32xf16>
    }
    ```
  }];
  let arguments = (ins
      Variadic<AnyTypeOf<[Mirage_Tensor, Mirage_Buffer]>>:$inputs,
      Variadic<AnyTypeOf<[Mirage_Tensor, Mirage_Buffer]>>:$inits);
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
    /// Whether it computes on memrefs.
    bool isOnBuffers() { return hasPureBufferSemantics(); }
  }];
  let hasVerifier = 1;
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
