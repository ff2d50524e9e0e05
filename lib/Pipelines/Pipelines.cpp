//===- Pipelines.cpp - Which passes, in which order -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Pipelines/Pipelines.h"
#include "Mirage/Conversion/Passes.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace mlir::mirage;

void mlir::mirage::buildImportPipeline(OpPassManager &passManager) {
  passManager.addPass(createConvertLinalgToMirageKernelPass());
}

static void addSearch(OpPassManager &passManager,
                      const SuperoptimizeOptions &options) {
  SearchGraphPassOptions search;
  search.target = options.target;
  search.maxBlockOps = options.maxBlockOps;
  search.errorBound = options.errorBound;
  search.seed = options.seed;
  search.timeLimitS = options.timeLimitS;
  search.report = options.report;
  passManager.addPass(createSearchGraphPass(search));
}

void mlir::mirage::buildSuperoptimizePipeline(
    OpPassManager &passManager, const SuperoptimizeOptions &options) {
  buildImportPipeline(passManager);
  addSearch(passManager, options);
}

void mlir::mirage::registerPipelines() {
  PassPipelineRegistration<SuperoptimizeOptions>(
      "mirage-superoptimize",
      "Imports tensor programs and replaces each by the cheapest equal µGraph "
      "found",
      buildSuperoptimizePipeline);
}
