//===- EmitPTXPass.cpp - The pass --mirage-emit-ptx -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Target/PTX/BuildArtifact.h"
#include "Mirage/Target/PTX/EmitPTX.h"
#include "Mirage/Target/PTX/Passes.h"
#include "Mirage/Target/PTX/Ptxas.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"

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
    if (failed(checkOptions()))
      return signalPassFailure();
    for (gpu::GPUModuleOp module :
         llvm::make_early_inc_range(getOperation().getOps<gpu::GPUModuleOp>()))
      if (failed(emit(module)))
        return signalPassFailure();
    if (!artifact.empty() && failed(write()))
      signalPassFailure();
  }

private:
  LogicalResult checkOptions();
  FailureOr<GPUTarget> chooseTarget(gpu::GPUModuleOp module);
  LogicalResult emit(gpu::GPUModuleOp module);
  LogicalResult write();
  FailureOr<std::string> assemble(gpu::GPUModuleOp module, StringRef ptx,
                                  const GPUTarget &target);

  std::optional<std::string> assembler; ///< path of ptxas, if it is to be used
};
} // namespace

LogicalResult EmitPTXPass::checkOptions() {
  if (!llvm::is_contained({"auto", "never", "always"}, ptxas.getValue()))
    return getOperation().emitError()
           << "expects ptxas=auto, never or always, got '" << ptxas << "'";
  if (ptxas == "never")
    return success();
  assembler = findPtxas();
  if (ptxas == "always" && !assembler)
    return getOperation().emitError()
           << "expects ptxas in PATH, under $CUDA_HOME or from the Python "
              "package nvidia-cuda-nvcc, found none";
  return success();
}

/// The option, else the target that is attached to the module, else sm_90a.
FailureOr<GPUTarget> EmitPTXPass::chooseTarget(gpu::GPUModuleOp module) {
  std::string chip = target;
  if (ArrayAttr attached = module.getTargetsAttr(); chip.empty() && attached)
    for (auto attribute : attached.getAsRange<NVVM::NVVMTargetAttr>())
      chip = attribute.getChip().str();
  if (chip.empty())
    return GPUTarget();
  if (std::optional<GPUTarget> known = parseGPUTarget(chip))
    return *known;
  return module.emitError()
         << "expects a target from sm_80 on, got '" << chip << "'";
}

FailureOr<std::string> EmitPTXPass::assemble(gpu::GPUModuleOp module,
                                             StringRef ptx,
                                             const GPUTarget &target) {
  llvm::Expected<AssembledModule> assembled =
      assemblePTX(*assembler, ptx, target.chip);
  if (!assembled)
    return module.emitError() << llvm::toString(assembled.takeError());
  return std::move(assembled->cubin);
}

LogicalResult EmitPTXPass::emit(gpu::GPUModuleOp module) {
  FailureOr<GPUTarget> target = chooseTarget(module);
  if (failed(target))
    return failure();
  FailureOr<std::string> ptx = emitPTX(module, *target);
  if (failed(ptx))
    return failure();
  OpBuilder builder(module);
  auto targetAttr = NVVM::NVVMTargetAttr::get(
      &getContext(), target->optLevel, "nvptx64-nvidia-cuda", target->chip,
      target->getFeatures());
  auto makeObject = [&](gpu::CompilationTarget format, StringRef text) {
    return gpu::ObjectAttr::get(&getContext(), targetAttr, format,
                                builder.getStringAttr(text), nullptr, nullptr);
  };
  SmallVector<Attribute> objects = {
      makeObject(gpu::CompilationTarget::Assembly, *ptx)};
  if (assembler) {
    FailureOr<std::string> cubin = assemble(module, *ptx, *target);
    if (failed(cubin))
      return failure();
    objects.push_back(makeObject(gpu::CompilationTarget::Binary, *cubin));
  }
  gpu::BinaryOp::create(builder, module.getLoc(), module.getName(), nullptr,
                        builder.getArrayAttr(objects));
  module.erase();
  return success();
}

LogicalResult EmitPTXPass::write() {
  SmallVector<func::FuncOp> functions;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (!function.getOps<gpu::LaunchFuncOp>().empty())
      functions.push_back(function);
  if (functions.size() != 1)
    return getOperation().emitError()
           << "expects one function that launches kernels, got "
           << functions.size();
  FailureOr<Artifact> built = buildArtifact(functions.front());
  if (failed(built))
    return failure();
  if (llvm::Error error = writeArtifact(*built, artifact))
    return functions.front().emitError() << llvm::toString(std::move(error));
  return success();
}
