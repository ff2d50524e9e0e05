//===- mirage-opt.cpp - The optimizer driver ------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/InitAll.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"
#include <sched.h>

static llvm::cl::opt<unsigned> threads(
    "mirage-threads",
    llvm::cl::desc("Run on at most so many cores; 0: as many as there are "
                   "(--mlir-disable-threading: one thread)"),
    llvm::cl::init(0));

/// Keeps this process to `count` of the cores it may run on. MLIR's thread
/// pool, which sizes itself by them, has no option of its own.
static void limitCores(unsigned count) {
  cpu_set_t allowed, chosen;
  CPU_ZERO(&chosen);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
    return;
  for (unsigned core = 0; core < CPU_SETSIZE && count > 0; ++core)
    if (CPU_ISSET(core, &allowed)) {
      CPU_SET(core, &chosen);
      --count;
    }
  if (sched_setaffinity(0, sizeof(chosen), &chosen) != 0)
    llvm::errs() << "warning: --mirage-threads has no effect here\n";
}

/// Diagnostics come with their location; the whole op below each, which may be
/// a module of kernels, is for those who ask (--mlir-print-op-on-diagnostic).
static void keepDiagnosticsShort() {
  auto *option = static_cast<llvm::cl::opt<bool> *>(
      llvm::cl::getRegisteredOptions().lookup("mlir-print-op-on-diagnostic"));
  if (option && option->getNumOccurrences() == 0)
    option->setValue(false);
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::mirage::registerAllDialects(registry);
  mlir::mirage::registerAllExtensions(registry);
  mlir::registerAllPasses();
  mlir::mirage::registerAllPasses();
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "Mirage: a superoptimizer for tensor programs\n", registry);
  keepDiagnosticsShort();
  if (threads > 0)
    limitCores(threads);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, input, output, registry));
}
