//===- CompileInPlace.cpp - In the midst of other ops ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileInPlace.h"
#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Conversion/Passes.h"
#include "Mirage/Target/PTX/Ptxas.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::mirage;

/// A function's arguments are row-major buffers: a layout that is known at run
/// time only would cost a copy of each that a graph reads.
static void addBufferize(OpPassManager &passManager, const CompileOptions &) {
  passManager.addPass(bufferization::createEmptyTensorEliminationPass());
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  // A loop may carry a tensor from buffer to buffer, as one that is computed
  // from itself must be.
  options.allowReturnAllocsFromLoops = true;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  passManager.addPass(bufferization::createOneShotBufferizePass(options));
}

static void addDeallocate(OpPassManager &passManager, const CompileOptions &) {
  bufferization::buildBufferDeallocationPipeline(passManager, {});
}

static void addLower(OpPassManager &passManager, const CompileOptions &) {
  passManager.addPass(createConvertGraphsToLaunchesPass());
  passManager.addPass(createConvertThreadToVectorPass());
}

namespace {
/// A stretch of the way that `from=` and `to=` can name.
struct InPlacePhase {
  StringRef name;
  void (*add)(OpPassManager &, const CompileOptions &);
};
} // namespace

static const InPlacePhase kPhases[] = {
    {"import",
     [](OpPassManager &passManager, const CompileOptions &) {
       buildImportPipeline(passManager);
     }},
    {"search",
     [](OpPassManager &passManager, const CompileOptions &options) {
       addSearch(passManager, options);
     }},
    {"bufferize", addBufferize},
    {"deallocate", addDeallocate},
    {"optimize",
     [](OpPassManager &passManager, const CompileOptions &options) {
       addPlanning(passManager, options, /*usesCopyEngine=*/false);
     }},
    {"lower", addLower},
    {"emit", addEmit},
};

static const InPlacePhase *findPhase(StringRef name) {
  return llvm::find_if(
      kPhases, [&](const InPlacePhase &phase) { return phase.name == name; });
}

LogicalResult mlir::mirage::buildCompileInPlacePipeline(
    OpPassManager &passManager, const CompileInPlaceOptions &given,
    function_ref<LogicalResult(const Twine &)> onError) {
  const InPlacePhase *first = findPhase(given.from),
                     *last = findPhase(given.to);
  for (auto [phase, name] :
       {std::pair(first, &given.from), std::pair(last, &given.to)})
    if (phase == std::end(kPhases))
      return onError("expects a phase among import, search, bufferize, "
                     "deallocate, optimize, lower and emit, got '" +
                     name->getValue() + "'");
  if (first > last)
    return onError("expects from= before to=, got from=" +
                   given.from.getValue() + " to=" + given.to.getValue());
  CompileOptions options;
  options.search.takeGiven(given.search);
  options.ptxas = given.ptxas.getValue();
  options.mergesLaunches = given.mergesLaunches.getValue();
  if (given.search.libraryKernels.hasValue() &&
      given.search.libraryKernels.getValue() != "never")
    return onError("expects library-kernels=never, as nobody calls a library "
                   "for kernels in place, got library-kernels=" +
                   given.search.libraryKernels.getValue());
  options.search.libraryKernels = std::string("never");
  if (failed(checkNative(passManager, options, onError)))
    return failure();
  if (!options.search.target.empty() &&
      options.search.target.getValue() != "native")
    if (auto problem = explainUnknownTarget(options.search.target))
      return onError(*problem);
  llvm::Expected<PtxasChoice> assembler = choosePtxas(options.ptxas);
  if (!assembler)
    return onError(llvm::toString(assembler.takeError()));
  askForTarget(passManager, options);
  for (const InPlacePhase &phase : llvm::make_range(first, last + 1))
    phase.add(passManager, options);
  return success();
}
