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

// Passes run on any op, a module as well as one function in it, so that a plain
// flag of mirage-opt works and other pipelines may nest them where they like.

def ConvertLinalgToMirageKernelPass : Pass<"convert-linalg-to-mirage-kernel"> {
  let summary = "imports tensor programs from linalg";
  let description = [{
    In each function, wraps maximal convex regions of ops that it understands
    into `mirage_kernel.graph`s, in destination style on `tensor.empty`. Ops are
    understood by their indexing maps and bodies: contractions, elementwise
    operators, broadcasts, transposes and reductions, whether they are written as
    named ops, as `linalg.generic` or with `arith` and `math` on tensors; also
    `tensor.expand_shape` and `tensor.collapse_shape`. Fills and constants that
    only these read disappear. The rest stays as it was, each op with a remark
    that says why (`include/Mirage/Conversion/LinalgToKernel.h`).
    Example: test/Conversion/LinalgToKernel/matmul.mlir
  }];
  let dependentDialects = ["::mlir::mirage::kernel::MirageKernelDialect",
                           "::mlir::tensor::TensorDialect"];
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
