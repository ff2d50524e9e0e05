//===- MeasureCandidates.h - Candidates race on the GPU ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_PIPELINES_MEASURECANDIDATES_H
#define MIRAGE_LIB_PIPELINES_MEASURECANDIDATES_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace mlir::mirage {

/// Has searches with `measure=` measure on this machine
/// (Mirage/Transforms/CandidateEvaluator.h).
void registerCandidateEvaluator(DialectRegistry &registry);

/// A pass that changes nothing. It stands before such a search, which compiles
/// what it finds, for the dialects of all passes that do that: MLIR loads them
/// before a pipeline runs.
std::unique_ptr<Pass> createPrepareMeasuringPass();
/// Makes it known as --mirage-prepare-measuring.
void registerPrepareMeasuringPass();

} // namespace mlir::mirage

#endif // MIRAGE_LIB_PIPELINES_MEASURECANDIDATES_H
