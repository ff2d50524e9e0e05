//===- TargetDemands.h - What a plan wants of a GPU -------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program is planned for one GPU, and may be compiled for another one. That
// is well where the other has the instructions which the plan stands for. Where
// it has not, LLVM would stop the compiler, or write what no assembler takes.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ANALYSIS_TARGETDEMANDS_H
#define MIRAGE_ANALYSIS_TARGETDEMANDS_H

#include "Mirage/Analysis/LaunchSequence.h"
#include "Mirage/Planning/Target.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::mirage {

/// \returns failure after an error at the first kernel, or op of one, whose
/// plan is none for the target; it says what the plan wants, and what the
/// target lacks.
LogicalResult checkDemands(const LaunchSequence &sequence,
                           const Target &target);

/// Of a `gpu.module`: the GPU that kernels were lowered for, whose instructions
/// they may have.
inline constexpr llvm::StringLiteral kLoweredForAttr = "mirage.lowered_for";

/// \returns failure after an error at a module that was lowered for a GPU which
/// has what the target lacks, be it that kernels need it or not; it names both.
LogicalResult checkLoweredFor(gpu::GPUModuleOp module, const Target &target);

} // namespace mlir::mirage

#endif // MIRAGE_ANALYSIS_TARGETDEMANDS_H
