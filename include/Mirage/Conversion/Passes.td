//===- Passes.td - Passes of Conversion --------------------------*- tablegen -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_CONVERSION_PASSES_TD
#define MIRAGE_CONVERSION_PASSES_TD

include "Mirage/Options/CheckedPass.td"
include "mlir/Pass/PassBase.td"

def ConvertLinalgToMirageKernelPass : Pass<"convert-linalg-to-mirage-kernel"> {
  let summary = "imports tensor programs from linalg";
  let description = [{
    In each function, wraps maximal convex regions of ops that it understands
    into `mirage_kernel.graph`s, in destination style on `tensor.empty`. Ops are
    understood by their indexing maps and bodies: contractions, elementwise
    operators, broadcasts, transposes and reductions, whether they are written as
    named ops, as `linalg.generic` or with `arith` and `math` on tensors; also
    `linalg.softmax`, and the ops of `tensor` that reshape, slice, concatenate,
    insert and pad. What follows from indices alone is read as a causal mask,
    where it chooses between values and minus infinity. Fills and constants that only
    these read disappear, as does what nothing reads. The rest stays as it was, each op
    with a remark that says why (`include/Mirage/Conversion/LinalgToKernel.h`).
    Example: test/Conversion/LinalgToKernel/matmul.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::mirage::kernel::MirageKernelDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ConvertMirageKernelToLinalgPass : Pass<"convert-mirage-kernel-to-linalg"> {
  let summary = "exports kernel graphs to linalg";
  let description = [{
    Replaces each `mirage_kernel.graph` by `linalg`, `tensor`, `arith` and `math`
    ops that compute the same, for a compiler that goes on from there: elementwise
    operators and reductions as `linalg.generic` by the operator table's
    definitions, matrix products and transposes by name where linalg has one,
    reshapes as ops of `tensor`, norms and softmax as what they stand for. Arithmetic is
    f32, and rounds where an operator stores. Block graphs are an error: what was
    superoptimized is compiled.
    Example: test/Conversion/KernelToLinalg/kernel-to-linalg.mlir
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

def ConvertBlockToThreadPass : Pass<"convert-mirage-block-to-thread"> {
  let summary = "turns the steps of block graphs into thread graphs";
  let description = [{
    Each elementwise operation, reduction, matrix product, transpose, broadcast
    and cast in the body of a `mirage_block.graph` becomes a
    `mirage_thread.graph` on the same tiles: fragments with layouts, work items
    that the block's warps share, steps along the reduced dimension. Products
    whose operands f16, or bf16, can hold (of 16 or 8 bits) use the fragments of
    `mma.sync.m16n8k16`; others are multiplied and added in f32, to which nothing
    is rounded.
    One thread graph computes what is elementwise before a reduction, or behind a
    reduction or product, with it, where nobody else reads what lies between
    (test/Conversion/BlockToThread/fused-steps.mlir). A product that is summed over the
    loop and has fewer items, of up to 32 columns, than the block has warps is shared by
    these, if registers and shared memory allow: each sums a part of k, and the parts are
    summed behind the loop.
    `accumulate`, `mask` and `reshape` are left: they concern the block's loop,
    its coordinates and its memory. So is an operation whose tiles would be cut
    along more than the three dimensions that a thread graph has axes for.
    Example: test/Conversion/BlockToThread/block-to-thread.mlir
  }];
  let dependentDialects = ["::mlir::mirage::thread::MirageThreadDialect"];
}

def ConvertThreadToVectorPass : Pass<"convert-mirage-thread-to-vector"> {
  let summary = "turns thread graphs on placed tiles into code of one lane";
  let description = [{
    Each `mirage_thread.graph` whose tiles are memrefs, or tensors with a layout, which the
    block holds in registers, becomes loops over work
    items and steps, loads and stores as wide as layouts and strides allow,
    `nvgpu.ldmatrix` for fragments of 8x8 matrices, scalar arithmetic on
    registers, `nvvm.mma.sync` and shuffles. To run on a
    function that blocks of one dimension execute with all threads; items are
    dealt to warps by `gpu.thread_id x`. The number of warps is that of
    `known_block_size` or `nvvm.reqntid`, or the block's at run time. No barrier
    is put in; but lanes wait for their warp (`nvvm.bar.warp.sync`) where a step reads again what
    others before it have read, and no registers are left to keep that. Where tiles are held, a warp's items follow each other without a loop, and
    constants and the loops of `scf` that carry such tensors carry registers. Warps that
    have no share in the last round (`dealt` in the layout) pass it over.
    Examples: test/Conversion/ThreadToVector/thread-to-vector.mlir, held-tiles.mlir,
    test/Pipelines/repeated-reads.test
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::nvgpu::NVGPUDialect",
    "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def LowerFloat8Pass : CheckedPass<"mirage-lower-float8"> {
  let summary = "lowers casts of 8-bit floats to instructions";
  let description = [{
    Replaces `arith.extf` from, and `arith.truncf` to, f8E4M3FN and f8E5M2, for
    which the PTX back end has no lowering, by conversions of two numbers at a
    time: `cvt` on chips that have it (sm_89 and later), else arithmetic on bits.
    The other type is f16, bf16 or f32. Rounding is to nearest, ties to even, and
    saturates: a number beyond the largest, infinities too, becomes the largest.
    Example: test/Conversion/LowerFloat8/lower-float8.mlir
  }];
  let options = [
    TargetOption<"Chip to make code for">];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect",
                           "::mlir::vector::VectorDialect"];
}

def PassTensorMapsPass : Pass<"mirage-pass-tensor-maps"> {
  let summary = "hands tensor maps to kernels by value";
  let description = [{
    A kernel of LLVM's dialect with `mirage.tensor_map_parameters` takes these
    parameters, pointers so far, as 128 bytes that all blocks share (`llvm.byval`,
    `nvvm.grid_constant`), from which the copy engine reads how a tensor lies. To run
    behind `convert-gpu-to-nvvm`: `gpu.func` has no such parameters. Numbers of
    parameters that are no pointers are an error.
    Example: test/Conversion/PassTensorMaps/pass-tensor-maps.mlir
  }];
}

def LowerMathPass : Pass<"mirage-lower-math"> {
  let summary = "lowers math operations of kernels without libdevice";
  let description = [{
    Replaces `math` operations and divisions on f16, bf16 and f32, scalars and vectors, by
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

def ConvertKernelToGPUPass
    : CheckedPass<"convert-mirage-kernel-to-gpu", "::mlir::ModuleOp"> {
  let summary = "turns planned kernel graphs into kernels and their launches";
  let description = [{
    Each function of kernel graphs becomes a list of `gpu.launch_func`s on
    memrefs (inputs, outputs, one workspace for what lies between kernels) and a
    `gpu.module` with a kernel for each block graph. Block graphs carry a
    schedule and a plan of shared memory; `mirage_thread.graph`s inside stay, on
    memrefs. Loops with several stages load ahead, by cp.async where an access has 4,
    8 or 16 bytes. What a launch needs to know stands in its attribute `mirage.launch`
    (include/Mirage/Dialect/Operator/LaunchAttributes.h). A plan that wants of the
    GPU what it has not is an error
    (test/Conversion/KernelToGPU/plan-for-another-target.mlir).
    Example: test/Conversion/KernelToGPU/kernel-to-gpu.mlir
  }];
  let options = [TargetOption<"GPU that kernels are for">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::nvgpu::NVGPUDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

def ConvertGraphsToLaunchesPass
    : CheckedPass<"convert-mirage-graphs-to-launches", "::mlir::ModuleOp"> {
  let summary = "turns planned kernel graphs on memrefs into launches, where they stand";
  let description = [{
    Each `mirage_kernel.graph` on memrefs, in the midst of whatever else there is,
    becomes `gpu.launch_func`s on these memrefs; the kernels of a function go to one
    `gpu.module` before it. What lies between kernels gets one `memref.alloc` before
    the first launch and a `memref.dealloc` behind the last: by the same means as
    bufferization's buffers, so that whatever a compiler does with these to have them
    on the device it does with this one (docs/rationale/Kernel.md). Nothing of the
    artifact's manifest is left, a host has no need of it. Bare pointers are handed over
    (`--gpu-to-llvm=use-bare-pointers-for-kernels`), the addresses of the memrefs'
    aligned pointers, which are multiples of 16.

    Where kernels join blocks, counters in the module's memory are zero when it is
    loaded and again after each launch; launches of one kernel must not overlap.

    Graphs are planned as for --convert-mirage-kernel-to-gpu, but without the copy
    engine (--mirage-plan-shared-memory{copy-engine=false}). A library's matmul is
    done by its block graph. Errors: a graph on tensors, for which somebody has to
    bufferize; one in a `gpu.module`; a kernel whose tiles the copy engine loads; a plan
    that wants of the GPU what it has not.
    Example: test/Conversion/KernelToGPU/graphs-to-launches.mlir
  }];
  let options = [TargetOption<"GPU that kernels are for">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::nvgpu::NVGPUDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

#endif // MIRAGE_CONVERSION_PASSES_TD
