//===- LowerToNVVM.cpp - The pipeline from gpu.module to NVVM -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Conversion/Passes.h"
#include "Mirage/Options/CheckedPass.h"
#include "Mirage/Pipelines/Pipelines.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::mirage;

/// The order matters: 8-bit floats before anything folds a cast, which would
/// not saturate; then math, since convert-gpu-to-nvvm would make libdevice
/// calls of it; convert-vector-to-llvm after convert-gpu-to-nvvm, for the
/// values of nvgpu.mma.sync. Locations stay what they are: --mirage-emit-ptx
/// makes of them such as the translation takes.
void mlir::mirage::buildLowerToNVVMPipeline(OpPassManager &passManager,
                                            const LowerToNVVMOptions &options) {
  LowerFloat8PassOptions float8;
  float8.target = options.target;
  passManager.addPass(createLowerFloat8Pass(float8));
  passManager.addPass(createLowerMathPass());
  passManager.addPass(createConvertNVGPUToNVVMPass());
  passManager.addPass(createConvertVectorToSCFPass());
  passManager.addPass(createSCFToControlFlowPass());
  ConvertGpuOpsToNVVMOpsOptions gpuOptions;
  gpuOptions.useBarePtrCallConv = true;
  gpuOptions.hasRedux = true;
  passManager.addPass(createConvertGpuOpsToNVVMOps(gpuOptions));
  passManager.addPass(createPassTensorMapsPass());
  passManager.addPass(createConvertVectorToLLVMPass());
  passManager.addPass(createConvertMathToLLVMPass());
  passManager.addPass(memref::createExpandStridedMetadataPass());
  passManager.addPass(createLowerAffinePass());
  passManager.addPass(createArithToLLVMConversionPass());
  passManager.addPass(createConvertIndexToLLVMPass());
  passManager.addPass(createConvertNVVMToLLVMPass());
  passManager.addPass(createCanonicalizerPass());
  passManager.addPass(createCSEPass());
  passManager.addPass(createReconcileUnrealizedCastsPass());
}

void mlir::mirage::registerLowerToNVVMPipeline() {
  registerCheckedPipeline<LowerToNVVMOptions>(
      "mirage-lower-to-nvvm",
      "lowers the contents of every gpu.module to the LLVM and NVVM dialects",
      [](OpPassManager &passManager, const LowerToNVVMOptions &options,
         OnOptionError) {
        buildLowerToNVVMPipeline(passManager.nest<gpu::GPUModuleOp>(), options);
        return success();
      });
}
