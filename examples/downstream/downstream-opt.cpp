//===- downstream-opt.cpp - A compiler that uses Mirage as a library ------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   downstream-opt in.mlir [folder]
//
// Cleans its input up with passes of its own choosing, lets Mirage
// superoptimize the tensor programs it finds, and says of each what became of
// it; with a folder, lets Mirage compile them too and writes the artifact
// there, for mirage-run. Programs may hold toy.swiglu, an op of this compiler.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/InitAll.h"
#include "Mirage/Pipelines/Pipelines.h"
#include "Mirage/Transforms/SearchGraph.h"
#include "Toy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

/// Our own passes around Mirage's import.
static LogicalResult runOwnPipeline(ModuleOp module) {
  PassManager passManager(module.getContext());
  passManager.addPass(createCanonicalizerPass());
  mirage::buildImportPipeline(passManager);
  passManager.addPass(createCSEPass());
  return passManager.run(module);
}

/// The search as a plain function, without a pass manager.
static LogicalResult superoptimize(ModuleOp module) {
  mirage::SearchGraphOptions options;
  options.search.target = "sm_90a";
  WalkResult walked = module.walk([&](mirage::kernel::GraphOp graph) {
    FailureOr<mirage::SearchGraphResult> result =
        mirage::searchGraph(graph, options);
    if (failed(result))
      return WalkResult::interrupt();
    llvm::errs() << "superoptimized: " << (result->isReplaced ? "yes" : "no")
                 << ", structures: " << result->search.report.structures
                 << '\n';
    return WalkResult::skip();
  });
  return failure(walked.wasInterrupted());
}

/// All of Mirage's way, down to the artifact.
static LogicalResult compile(ModuleOp module, StringRef folder) {
  mirage::CompileOptions options;
  options.artifact = folder.str();
  PassManager passManager(module.getContext());
  auto onError = [](const Twine &message) {
    llvm::errs() << "downstream-opt: " << message << '\n';
    return failure();
  };
  if (failed(mirage::buildCompilePipeline(passManager, options, onError)))
    return failure();
  return passManager.run(module);
}

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3) {
    llvm::errs() << "usage: downstream-opt in.mlir [folder]\n";
    return 2;
  }
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect,
                  math::MathDialect, tensor::TensorDialect, toy::ToyDialect>();
  toy::registerToyExtensions(registry);
  mirage::registerAllDialects(registry);
  mirage::registerAllExtensions(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  OwningOpRef<ModuleOp> original = module->clone();
  if (failed(runOwnPipeline(*module)) || failed(superoptimize(*module)) ||
      (argc == 3 && failed(compile(*original, argv[2]))))
    return 1;
  module->print(llvm::outs());
  return 0;
}
