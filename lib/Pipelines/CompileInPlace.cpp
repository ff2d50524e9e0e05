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
#include "Mirage/Transforms/Passes.h"
#include "Stretch.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::mirage;

/// A function's arguments are row-major buffers: a layout that is known at run
/// time only would cost a copy of each that a graph reads.
static void addBufferize(OpPassManager &passManager, const CompileOptions &) {
  // One-Shot Bufferize takes no elementwise ops of arith and math.
  passManager.addPass(createConvertElementwiseToLinalgPass());
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

static void addLower(OpPassManager &passManager,
                     const CompileOptions &options) {
  ConvertGraphsToLaunchesPassOptions convert;
  convert.target = options.search.target;
  passManager.addPass(createConvertGraphsToLaunchesPass(convert));
  passManager.addPass(createReadAnewPass());
  passManager.addPass(createConvertThreadToVectorPass());
}

namespace {
/// A stretch of the way that `from=` and `to=` can name.
struct InPlacePhase {
  StringRef name;
  /// What it works on; whoever begins with it is owed some. Else empty.
  StringRef expected;
  void (*add)(OpPassManager &, const CompileOptions &);
};
} // namespace

static constexpr StringLiteral kGraph = "mirage_kernel.graph";

static const InPlacePhase kPhases[] = {
    {"import", "",
     [](OpPassManager &passManager, const CompileOptions &options) {
       buildImportPipeline(passManager);
       setF32Products(passManager, options);
     }},
    {"search", kGraph,
     [](OpPassManager &passManager, const CompileOptions &options) {
       addSearch(passManager, options);
     }},
    {"bufferize", kGraph, addBufferize},
    {"deallocate", kGraph, addDeallocate},
    {"optimize", kGraph,
     [](OpPassManager &passManager, const CompileOptions &options) {
       addPlanning(passManager, options, /*usesCopyEngine=*/false);
     }},
    {"lower", kGraph, addLower},
    {"emit", "gpu.module", addEmit},
};

LogicalResult mlir::mirage::buildCompileInPlacePipeline(
    OpPassManager &passManager, const CompileInPlaceOptions &given,
    function_ref<LogicalResult(const Twine &)> onError) {
  FailureOr<ArrayRef<InPlacePhase>> stretch = findStretch(
      ArrayRef(kPhases), given.from.getValue(), given.to.getValue(), onError);
  if (failed(stretch))
    return failure();
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
  if (failed(checkTarget(passManager, options, onError)) ||
      failed(checkUnusedSearch(*stretch, options, onError)))
    return failure();
  askForTarget(passManager, options);
  const InPlacePhase &first = stretch->front();
  if (!first.expected.empty()) {
    ExpectOpsPassOptions expect;
    expect.phase = first.name.str();
    expect.ops.push_back(first.expected.str());
    passManager.addPass(createExpectOpsPass(expect));
  }
  if (first.name != "import") // which does it for what it makes
    setF32Products(passManager, options);
  for (const InPlacePhase &phase : *stretch)
    phase.add(passManager, options);
  return success();
}
