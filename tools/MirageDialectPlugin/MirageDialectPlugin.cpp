//===- MirageDialectPlugin.cpp - Mirage inside the stock mlir-opt ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
//   mlir-opt --load-dialect-plugin=MirageDialectPlugin.so \
//            --pass-pipeline='builtin.module(mirage-superoptimize)' in.mlir
//
//===----------------------------------------------------------------------===//

#include "Mirage/InitAll.h"
#include "Mirage/Version/Version.h"
#include "mlir/Config/mlir-config.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Support/Compiler.h"

static void registerDialects(mlir::DialectRegistry *registry) {
  mlir::mirage::registerAllDialects(*registry);
  mlir::mirage::registerAllExtensions(*registry);
  // One plugin serves both: passes are known as soon as the dialects are.
  mlir::mirage::registerAllPasses();
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Mirage",
          mlir::mirage::getMirageVersion().data(), registerDialects};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Mirage",
          mlir::mirage::getMirageVersion().data(),
          mlir::mirage::registerAllPasses};
}
