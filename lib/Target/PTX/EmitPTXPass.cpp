//===- EmitPTXPass.cpp - The pass --mirage-emit-ptx -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/FindLocation.h"
#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Analysis/TargetDemands.h"
#include "Mirage/Dialect/Operator/LaunchAttributes.h"
#include "Mirage/Planning/Target.h"
#include "Mirage/Target/PTX/BuildArtifact.h"
#include "Mirage/Target/PTX/EmitPTX.h"
#include "Mirage/Target/PTX/Passes.h"
#include "Mirage/Target/PTX/Ptxas.h"
#include "SourceLines.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Path.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_EMITPTXPASS
#include "Mirage/Target/PTX/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

namespace {
struct EmitPTXPass : mirage::impl::EmitPTXPassBase<EmitPTXPass> {
  using EmitPTXPassBase::EmitPTXPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    EmitPTXPassBase::getDependentDialects(registry);
    registerBuiltinDialectTranslation(registry);
    registerGPUDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    registerNVVMDialectTranslation(registry);
  }

  void runOnOperation() override {
    if (failed(readOptions()))
      return signalPassFailure();
    for (gpu::GPUModuleOp module :
         llvm::make_early_inc_range(getOperation().getOps<gpu::GPUModuleOp>()))
      if (failed(emit(module)))
        return signalPassFailure();
    if (!artifact.empty() && failed(write()))
      signalPassFailure();
  }

private:
  LogicalResult readOptions();
  LogicalResult emit(gpu::GPUModuleOp module);
  FailureOr<std::string> assemble(gpu::GPUModuleOp module, StringRef ptx,
                                  StringRef chip,
                                  const llvm::StringMap<Location> &locations);
  SmallVector<func::FuncOp> findFunctions();
  LogicalResult write();

  PtxasChoice assembler;
};
} // namespace

LogicalResult EmitPTXPass::readOptions() {
  if (failed(resolveTarget(getOperation(), target)))
    return failure();
  llvm::Expected<PtxasChoice> choice = choosePtxas(ptxas);
  if (!choice)
    return mlir::emitError(findLocation(getOperation()))
           << llvm::toString(choice.takeError());
  assembler = *choice;
  return success();
}

/// The cubin, or "" after a warning where the ptxas that was found gives none.
/// \param locations  of kernels, by name.
FailureOr<std::string>
EmitPTXPass::assemble(gpu::GPUModuleOp module, StringRef ptx, StringRef chip,
                      const llvm::StringMap<Location> &locations) {
  llvm::Expected<AssembledModule> assembled =
      assemblePTX(*assembler.path, ptx, chip);
  if (!assembled) {
    std::string problem = llvm::toString(assembled.takeError());
    if (assembler.isRequired)
      return module.emitError()
             << "expects a cubin for " << chip << ", but " << problem;
    module.emitWarning() << "there is PTX for " << chip
                         << " and no cubin: " << problem;
    return std::string();
  }
  // Slow code is right all the same.
  for (const BrokenPromise &broken : findBrokenPromises(*assembled)) {
    auto kernel = locations.find(broken.kernel);
    mlir::emitWarning(kernel == locations.end() ? module.getLoc()
                                                : kernel->second)
        << broken.message;
  }
  return std::move(assembled->cubin);
}

LogicalResult EmitPTXPass::emit(gpu::GPUModuleOp module) {
  FailureOr<std::string> chip = resolveTarget(module, target);
  if (failed(chip))
    return failure();
  if (failed(checkLoweredFor(module, llvm::cantFail(getTarget(*chip)))))
    return failure();
  GPUTarget gpuTarget;
  gpuTarget.chip = *chip;
  // What is said of kernels is at the ops they were made of, and errors at the
  // module, which keeps its location.
  llvm::StringMap<Location> locations;
  for (auto kernel : module.getOps<FunctionOpInterface>())
    locations.try_emplace(kernel.getName(), kernel.getLoc());
  ArrayAttr opLocations = numberSourceLines(module);
  FailureOr<std::string> ptx = emitPTX(module, gpuTarget);
  if (failed(ptx))
    return failure();
  OpBuilder builder(module);
  auto targetAttr = NVVM::NVVMTargetAttr::get(
      &getContext(), gpuTarget.optLevel, "nvptx64-nvidia-cuda", gpuTarget.chip,
      gpuTarget.getFeatures());
  auto makeObject = [&](gpu::CompilationTarget format, StringRef text) {
    return gpu::ObjectAttr::get(&getContext(), targetAttr, format,
                                builder.getStringAttr(text), nullptr, nullptr);
  };
  SmallVector<Attribute> objects = {
      makeObject(gpu::CompilationTarget::Assembly, *ptx)};
  if (assembler.path) {
    FailureOr<std::string> cubin = assemble(module, *ptx, *chip, locations);
    if (failed(cubin))
      return failure();
    if (!cubin->empty())
      objects.push_back(makeObject(gpu::CompilationTarget::Binary, *cubin));
  }
  auto binary =
      gpu::BinaryOp::create(builder, module.getLoc(), module.getName(), nullptr,
                            builder.getArrayAttr(objects));
  if (opLocations)
    binary->setAttr(kOpLocationsAttr, opLocations);
  module.erase();
  return success();
}

SmallVector<func::FuncOp> EmitPTXPass::findFunctions() {
  SmallVector<func::FuncOp> functions;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (!function.getOps<gpu::LaunchFuncOp>().empty())
      functions.push_back(function);
  return functions;
}

static LogicalResult writeFunction(func::FuncOp function, StringRef directory) {
  FailureOr<Artifact> built = buildArtifact(function);
  if (failed(built))
    return failure();
  if (llvm::Error error = writeArtifact(*built, directory))
    return function.emitError() << llvm::toString(std::move(error));
  return success();
}

/// Whether a folder in another one may be called so.
static bool isFolderName(StringRef name) {
  return name != "." && name != ".." && llvm::sys::path::filename(name) == name;
}

LogicalResult EmitPTXPass::write() {
  SmallVector<func::FuncOp> functions = findFunctions();
  if (functions.empty())
    return mlir::emitError(findLocation(getOperation()))
           << "expects a function that launches kernels, for an artifact, got "
              "none";
  if (functions.size() == 1)
    return writeFunction(functions.front(), artifact);
  for (func::FuncOp function : functions)
    if (!isFolderName(function.getName()))
      return function.emitError()
             << "expects a name that a folder of '" << artifact
             << "' may have, as each of " << functions.size()
             << " functions has an artifact, got '" << function.getName()
             << "'";
  for (func::FuncOp function : functions) {
    SmallString<128> directory(artifact);
    llvm::sys::path::append(directory, function.getName());
    if (failed(writeFunction(function, directory)))
      return failure();
  }
  return success();
}
