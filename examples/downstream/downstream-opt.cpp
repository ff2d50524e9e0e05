//===- downstream-opt.cpp - A compiler that uses Mirage as a library ------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   downstream-opt in.mlir [folder]
//   downstream-opt in.mlir --in-place
//
// Cleans its input up with passes of its own choosing, lets Mirage
// superoptimize the tensor programs it finds, and says of each what became of
// it; with a folder, lets Mirage compile them too and writes the artifact
// there, for mirage-run. Programs may hold toy.swiglu, an op of this compiler.
//
// With --in-place functions may hold anything beside tensor programs. It goes
// its own way, all of it on memrefs, and launches stand where the programs
// stood.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/InitAll.h"
#include "Mirage/Pipelines/Pipelines.h"
#include "Mirage/Transforms/SearchGraph.h"
#include "Toy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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

/// Mirage up to the search; bufferization as we want it; then Mirage again, for
/// the graphs that are on memrefs now.
static LogicalResult compileInPlace(ModuleOp module) {
  PassManager passManager(module.getContext());
  auto onError = [](const Twine &message) {
    llvm::errs() << "downstream-opt: " << message << '\n';
    return failure();
  };
  mirage::CompileInPlaceOptions before, after;
  before.to = std::string("search");
  after.from = std::string("optimize");
  after.ptxas = std::string("never"); // the driver makes code of PTX
  if (failed(mirage::buildCompileInPlacePipeline(passManager, before, onError)))
    return failure();
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.allowReturnAllocsFromLoops = true;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  passManager.addPass(bufferization::createOneShotBufferizePass(options));
  if (failed(mirage::buildCompileInPlacePipeline(passManager, after, onError)))
    return failure();
  return passManager.run(module);
}

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3) {
    llvm::errs() << "usage: downstream-opt in.mlir [folder | --in-place]\n";
    return 2;
  }
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, bufferization::BufferizationDialect,
                  func::FuncDialect, linalg::LinalgDialect, math::MathDialect,
                  memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect,
                  toy::ToyDialect>();
  toy::registerToyExtensions(registry);
  mirage::registerAllDialects(registry);
  mirage::registerAllExtensions(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  if (argc == 3 && StringRef(argv[2]) == "--in-place") {
    if (failed(compileInPlace(*module)))
      return 1;
    module->print(llvm::outs());
    return 0;
  }
  OwningOpRef<ModuleOp> original = module->clone();
  if (failed(runOwnPipeline(*module)) || failed(superoptimize(*module)) ||
      (argc == 3 && failed(compile(*original, argv[2]))))
    return 1;
  module->print(llvm::outs());
  return 0;
}
