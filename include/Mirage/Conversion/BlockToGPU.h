//===- BlockToGPU.h - Block graphs as a kernel ------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_CONVERSION_BLOCKTOGPU_H
#define MIRAGE_CONVERSION_BLOCKTOGPU_H

#include "Mirage/Analysis/LaunchSequence.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::mirage {

/// The dynamic shared memory of all kernels of a module, an external symbol of
/// no size in address space 3. One symbol for everything a block keeps there:
/// tiles lie at the offsets of the plan.
inline constexpr llvm::StringLiteral kSharedMemorySymbol = "smem";

/// Of a kernel: the numbers of the parameters that are tensor maps (PTX ISA
/// 5.5.8), which are handed over by value. --mirage-pass-tensor-maps says so of
/// the LLVM function.
inline constexpr llvm::StringLiteral kTensorMapParametersAttr =
    "mirage.tensor_map_parameters";
inline constexpr int64_t kTensorMapBytes = 128, kTensorMapAlignBytes = 64;

/// Of a kernel: the number of its first threads, which share out items of
/// `mirage_thread.graph`s, an i32; all of them where it is not stated.
/// --convert-mirage-thread-to-vector takes it off.
inline constexpr llvm::StringLiteral kComputingThreadsAttr =
    "mirage.computing_threads";

/// Builds the kernel of a launch at the end of `module`. Of each planned block
/// graph tiles are loaded into shared memory, computed on between the barriers
/// of the schedule, and stored; between two graphs stands the launch's barrier,
/// behind which all can be read that blocks wrote before. The kernel's
/// parameters are memrefs of the inputs and results of each graph, in this
/// order, with bare pointers aligned to 16 bytes in mind; behind them are those
/// of the boxed inputs of each graph once more, as tensor maps.
/// \param launch   of a sequence that was read for a target.
/// \param buffers  their types; layouts say where the elements of views lie,
///                 those of results are contiguous along rows.
/// `mirage_thread.graph`s stay, on memrefs in shared memory; other ops of the
/// body become loops in which threads share out elements.
/// \returns failure after an error at an op that has no lowering, and for a
/// graph without a plan (`--mirage-plan-shared-memory`).
FailureOr<gpu::GPUFuncOp> lowerLaunch(Launch &launch, gpu::GPUModuleOp module,
                                      StringRef name,
                                      ArrayRef<MemRefType> buffers);

} // namespace mlir::mirage

#endif // MIRAGE_CONVERSION_BLOCKTOGPU_H
