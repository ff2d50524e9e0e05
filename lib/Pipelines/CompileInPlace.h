//===- CompileInPlace.h - What pipelines share ------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stretches of the way from program to PTX that both --mirage-compile and
// --mirage-compile-in-place go.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_PIPELINES_COMPILEINPLACE_H
#define MIRAGE_LIB_PIPELINES_COMPILEINPLACE_H

#include "Mirage/Pipelines/Pipelines.h"

namespace mlir::mirage {

/// The search may take minutes, so what only later phases look at is looked at
/// first: fails after `onError` where the target or ptxas is none, or is asked
/// for with target=native and the pipeline runs on no module.
LogicalResult checkTarget(const OpPassManager &passManager,
                          const CompileOptions &options,
                          function_ref<LogicalResult(const Twine &)> onError);

/// Where the search is not among the phases, whose pass would say it: fails
/// after `onError` if it would not take its options.
template <typename Phase>
LogicalResult
checkUnusedSearch(ArrayRef<Phase> stretch, const CompileOptions &options,
                  function_ref<LogicalResult(const Twine &)> onError) {
  if (llvm::any_of(stretch,
                   [](const Phase &phase) { return phase.name == "search"; }))
    return success();
  if (llvm::Error error = checkSearchFlags(options.search))
    return onError(llvm::toString(std::move(error)));
  return success();
}

/// For target=native: the GPU is asked when the pipeline runs; all that comes
/// later goes by what stands in the module then.
void askForTarget(OpPassManager &passManager, SuperoptimizeOptions &options);

/// Has kernel graphs say how products of f32 are taken, where the option does.
void setF32Products(OpPassManager &passManager,
                    const SuperoptimizeOptions &options);

void addSearch(OpPassManager &passManager, const SuperoptimizeOptions &options);

/// From a µGraph to a planned one: functions of kernel graphs, or kernel graphs
/// on memrefs wherever they stand.
/// \param usesCopyEngine  whether whoever launches encodes tensor maps.
void addPlanning(OpPassManager &passManager, const CompileOptions &options,
                 bool usesCopyEngine);

/// From gpu.modules to gpu.binaries.
void addEmit(OpPassManager &passManager, const CompileOptions &options);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_PIPELINES_COMPILEINPLACE_H
