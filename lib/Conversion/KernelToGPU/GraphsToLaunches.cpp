//===- GraphsToLaunches.cpp - Graphs on memrefs as launches ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchBuilder.h"
#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Analysis/TargetDemands.h"
#include "Mirage/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_CONVERTGRAPHSTOLAUNCHESPASS
#include "Mirage/Conversion/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

namespace {
/// The kernels of one function.
struct KernelModule {
  gpu::GPUModuleOp module;
  StringRef functionName;
  unsigned numKernels = 0;
};

struct ConvertGraphsToLaunchesPass
    : mirage::impl::ConvertGraphsToLaunchesPassBase<
          ConvertGraphsToLaunchesPass> {
  using ConvertGraphsToLaunchesPassBase::ConvertGraphsToLaunchesPassBase;

  void runOnOperation() override {
    if (failed(resolveTarget(getOperation(), target)))
      return signalPassFailure();
    SmallVector<kernel::GraphOp> graphs;
    getOperation()->walk(
        [&](kernel::GraphOp graph) { graphs.push_back(graph); });
    for (kernel::GraphOp graph : graphs)
      if (failed(convert(graph)))
        return signalPassFailure();
  }

private:
  LogicalResult check(kernel::GraphOp graph);
  LogicalResult convert(kernel::GraphOp graph);
  KernelModule &getKernelModule(kernel::GraphOp graph);

  DenseMap<Operation *, KernelModule> modules; ///< by function
};
} // namespace

LogicalResult ConvertGraphsToLaunchesPass::check(kernel::GraphOp graph) {
  if (!graph.isOnBuffers())
    return graph.emitError(
        "expects a kernel graph on memrefs; --one-shot-bufferize makes one");
  if (graph->getParentOfType<gpu::GPUModuleOp>())
    return graph.emitError("expects a kernel graph on the host, got one in a "
                           "gpu.module");
  if (!graph->getParentOfType<FunctionOpInterface>())
    return graph.emitError("expects a kernel graph in a function");
  return success();
}

/// Tensor maps are encoded on the host, by a call of the driver that no op of
/// `gpu` stands for.
static LogicalResult checkParameters(Launch &launch) {
  for (block::GraphOp kernel : launch.kernels)
    for (unsigned input : getBoxedInputs(kernel))
      return kernel.emitError()
             << "expects tiles that threads load "
                "(--mirage-plan-shared-memory{copy-engine=false}), got input "
             << input << " for the copy engine";
  return success();
}

LogicalResult ConvertGraphsToLaunchesPass::convert(kernel::GraphOp graph) {
  if (failed(check(graph)))
    return failure();
  FailureOr<std::string> name = resolveTarget(graph, target);
  if (failed(name))
    return failure();
  const Target gpu = llvm::cantFail(getTarget(*name));
  FailureOr<LaunchSequence> sequence = LaunchSequence::read(graph, &gpu);
  if (failed(sequence) || failed(checkDemands(*sequence, gpu)))
    return failure();
  FailureOr<StoragePlan> plan = sequence->readPlan();
  if (failed(plan))
    return failure();
  KernelModule &kernels = getKernelModule(graph);
  ImplicitLocOpBuilder builder(graph.getLoc(), graph);
  HostBuffers buffers{llvm::to_vector(graph.getInputs()),
                      llvm::to_vector(graph.getInits()), Value()};
  if (plan->sizeBytes > 0)
    buffers.workspace = memref::AllocOp::create(
        builder, MemRefType::get({plan->sizeBytes}, builder.getI8Type()),
        builder.getI64IntegerAttr(kBufferAlignment));
  Value workspace = buffers.workspace;
  LaunchBuilder launches(builder, *sequence, *plan, kernels.module,
                         std::move(buffers));
  for (Launch launch : sequence->getLaunches())
    if (failed(checkParameters(launch)) ||
        failed(launches.build(
            launch, getKernelName(kernels.functionName, kernels.numKernels++))))
      return failure();
  builder.setLoc(graph.getLoc());
  if (workspace)
    memref::DeallocOp::create(builder, workspace);
  graph.erase();
  return success();
}

KernelModule &
ConvertGraphsToLaunchesPass::getKernelModule(kernel::GraphOp graph) {
  Operation *function = graph->getParentOfType<FunctionOpInterface>();
  KernelModule &kernels = modules[function];
  if (kernels.module)
    return kernels;
  kernels.functionName = SymbolTable::getSymbolName(function).getValue();
  // A function may stand in a module of its own.
  auto host = function->getParentOfType<ModuleOp>();
  OpBuilder builder(function);
  host->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                builder.getUnitAttr());
  kernels.module = gpu::GPUModuleOp::create(
      builder, function->getLoc(), (kernels.functionName + "_kernels").str());
  kernels.module->remove();
  // Renames it where somebody else has the name.
  SymbolTable(host).insert(
      kernels.module,
      Block::iterator(host.getBody()->findAncestorOpInBlock(*function)));
  return kernels;
}
