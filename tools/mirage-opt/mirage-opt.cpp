//===- mirage-opt.cpp - The optimizer driver ------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ToolMains.h"
#include "Mirage/InitAll.h"
#include "Mirage/Options/CheckedOptions.h"
#include "Mirage/Version/Version.h"
#include "OptMain.h"
#include "SearchConsole.h"
#include "SearchFiles.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

// More than any machine has cores.
static constexpr unsigned kMaxThreads = 1024;

/// Diagnostics come with their location; the whole op below each, which may be
/// a module of kernels, is for those who ask (--mlir-print-op-on-diagnostic).
static void keepDiagnosticsShort() {
  auto *option = static_cast<llvm::cl::opt<bool> *>(
      llvm::cl::getRegisteredOptions().lookup("mlir-print-op-on-diagnostic"));
  if (option && option->getNumOccurrences() == 0)
    option->setValue(false);
}

int mirageOptMain(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  mlir::mirage::setVersionPrinter("mirage-opt");
  if (std::optional<int> code = mlir::mirage::runMergeCommand(argc, argv))
    return *code;
  mlir::mirage::FileOptions files;
  llvm::cl::opt<mlir::mirage::NumberOption<unsigned, 0, kMaxThreads>> threads(
      "mirage-threads",
      llvm::cl::desc("Threads of MLIR's pool; 0: one for each core "
                     "(--mlir-disable-threading: no pool)"),
      llvm::cl::init(0u));
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::mirage::registerAllDialects(registry);
  mlir::mirage::registerAllExtensions(registry);
  mirage::registerSearchConsole(registry);
  mlir::registerAllPasses();
  mlir::mirage::registerAllPasses();
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "Mirage: a superoptimizer for tensor programs\n", registry);
  keepDiagnosticsShort();
  if (!files.apply())
    return 1;
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  bool hasInput = !config.shouldShowDialects() && !config.shouldListPasses();
  return mlir::asMainReturnCode(
      hasInput ? mlir::mirage::runOptMain(input, output, registry, threads)
               : mlir::MlirOptMain(argc, argv, input, output, registry));
}
