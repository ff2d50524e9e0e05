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

namespace mlir::mirage {

/// \returns failure after an error at the first kernel, or op of one, whose
/// plan is none for the target; it says what the plan wants, and what the
/// target lacks.
LogicalResult checkDemands(const LaunchSequence &sequence,
                           const Target &target);

} // namespace mlir::mirage

#endif // MIRAGE_ANALYSIS_TARGETDEMANDS_H
