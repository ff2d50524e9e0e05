//===- OptMain.cpp - mlir-opt, with places and threads --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptMain.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

using namespace mlir;

/// Builds the pipeline. What upstream says of it at no place is said where the
/// module is, which is parsed by then, as passes say what is wrong with theirs.
static LogicalResult setUp(const MlirOptMainConfig &config,
                           PassManager &passManager, StringRef file) {
  MLIRContext *context = passManager.getContext();
  SmallVector<std::string> errors;
  LogicalResult result = success();
  {
    ScopedDiagnosticHandler collect(context, [&](Diagnostic &diagnostic) {
      if (!isa<UnknownLoc>(diagnostic.getLocation()) ||
          diagnostic.getSeverity() != DiagnosticSeverity::Error)
        return failure(); // is for the handler behind this one
      errors.push_back(diagnostic.str());
      return success();
    });
    result = config.setupPassPipeline(passManager);
  }
  for (const std::string &error : errors)
    emitError(FileLineColLoc::get(context, file, /*line=*/1, /*column=*/1))
        << error;
  return result;
}

/// The contexts are upstream's own. The first that a caller sees of one is the
/// pass manager, and passes are what runs in parallel.
static void usePool(MLIRContext &context, llvm::ThreadPoolInterface &pool) {
  if (!context.isMultithreadingEnabled())
    return;
  context.disableMultithreading();
  context.setThreadPool(pool);
}

LogicalResult mirage::runOptMain(StringRef inputFile, StringRef outputFile,
                                 DialectRegistry &registry, unsigned threads) {
  if (inputFile == "-" &&
      llvm::sys::Process::FileDescriptorIsDisplayed(STDIN_FILENO))
    llvm::errs() << "(reading standard input)\n";
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputFile, &error);
  std::unique_ptr<llvm::ToolOutputFile> output;
  if (input)
    output = openOutputFile(outputFile, &error);
  if (!output) {
    llvm::errs() << error << '\n';
    return failure();
  }
  std::optional<llvm::StdThreadPool> pool;
  if (threads > 0)
    pool.emplace(llvm::hardware_concurrency(threads));
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  config.setPassPipelineSetupFn(
      [&, setup = config,
       file = input->getBufferIdentifier().str()](PassManager &passManager) {
        if (pool)
          usePool(*passManager.getContext(), *pool);
        return setUp(setup, passManager, file);
      });
  if (failed(MlirOptMain(output->os(), std::move(input), registry, config)))
    return failure();
  output->keep();
  return success();
}
