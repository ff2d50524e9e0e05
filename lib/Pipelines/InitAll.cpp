//===- InitAll.cpp - Registration of everything ---------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/InitAll.h"
#include "Mirage/Conversion/Passes.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Pipelines/Pipelines.h"
#include "Mirage/Target/PTX/Passes.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;

void mirage::registerAllDialects(DialectRegistry &registry) {
  registry.insert<kernel::MirageKernelDialect, block::MirageBlockDialect,
                  thread::MirageThreadDialect>();
}

void mirage::registerAllExtensions(DialectRegistry &registry) {}

void mirage::registerAllPasses() {
  registerMirageConversionPasses();
  registerMirageTargetPTXPasses();
  registerLowerToNVVMPipeline();
  registerMirageTransformsPasses();
  registerPipelines();
}
