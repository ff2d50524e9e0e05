//===- ThreadedMain.cpp - mlir-opt on so many threads ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadedMain.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

/// The contexts are upstream's own. The first that a caller sees of one is the
/// pass manager, and passes are what runs in parallel.
static void usePool(MlirOptMainConfig &config,
                    llvm::ThreadPoolInterface &pool) {
  config.setPassPipelineSetupFn(
      [&pool, setup = config](PassManager &passManager) {
        MLIRContext *context = passManager.getContext();
        if (context->isMultithreadingEnabled()) {
          context->disableMultithreading();
          context->setThreadPool(pool);
        }
        return setup.setupPassPipeline(passManager);
      });
}

LogicalResult mirage::runOptMain(StringRef inputFile, StringRef outputFile,
                                 DialectRegistry &registry, unsigned threads) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputFile, &error);
  std::unique_ptr<llvm::ToolOutputFile> output;
  if (input)
    output = openOutputFile(outputFile, &error);
  if (!output) {
    llvm::errs() << error << '\n';
    return failure();
  }
  llvm::StdThreadPool pool(llvm::hardware_concurrency(threads));
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  usePool(config, pool);
  if (failed(MlirOptMain(output->os(), std::move(input), registry, config)))
    return failure();
  output->keep();
  return success();
}
