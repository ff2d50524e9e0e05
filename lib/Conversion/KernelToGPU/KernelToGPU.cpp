//===- KernelToGPU.cpp - Kernel graphs as launches ------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CarryLibraryMatmul.h"
#include "LaunchBuilder.h"
#include "Mirage/Analysis/LaunchSequence.h"
#include "Mirage/Analysis/LoadingWarps.h"
#include "Mirage/Analysis/ModuleTarget.h"
#include "Mirage/Analysis/TargetDemands.h"
#include "Mirage/Conversion/BlockToGPU.h"
#include "Mirage/Conversion/Passes.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_CONVERTKERNELTOGPUPASS
#include "Mirage/Conversion/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

namespace {
/// Builds the host function on memrefs: inputs, outputs, and the workspace if
/// there is one.
class HostFunctionBuilder {
public:
  HostFunctionBuilder(const LaunchSequence &sequence, const StoragePlan &plan,
                      gpu::GPUModuleOp module)
      : sequence(sequence), plan(plan),
        source(cast<func::FuncOp>(sequence.getProgram())), module(module),
        builder(source.getLoc(), source.getContext()) {}

  LogicalResult run() {
    LaunchBuilder launches(builder, sequence, plan, module, createFunction());
    for (auto [number, launch] :
         llvm::enumerate(SmallVector<Launch>(sequence.getLaunches()))) {
      FailureOr<BuiltLaunch> built =
          launches.build(launch, getKernelName(source.getName(), number));
      if (failed(built))
        return failure();
      describe(*built, launch);
      if (failed(carryLibraryMatmul(launch.kernels.front(), built->types,
                                    built->op)))
        return failure();
    }
    func::ReturnOp::create(builder);
    return success();
  }

private:
  HostBuffers createFunction();
  DeviceBuffer getBuffer(const KernelParameter &parameter) const;
  void describe(BuiltLaunch &built, Launch &launch);

  const LaunchSequence &sequence;
  const StoragePlan &plan;
  func::FuncOp source;
  gpu::GPUModuleOp module;
  ImplicitLocOpBuilder builder;
};
} // namespace

/// What was proved of each kernel graph, in their order; null where nothing
/// was.
static ArrayAttr collectCertificates(func::FuncOp function) {
  SmallVector<Attribute> certificates;
  for (auto graph : function.getOps<kernel::GraphOp>())
    if (Attribute certificate = graph->getAttr(kCertificateAttr))
      certificates.push_back(certificate);
  return certificates.empty()
             ? ArrayAttr()
             : ArrayAttr::get(function.getContext(), certificates);
}

HostBuffers HostFunctionBuilder::createFunction() {
  SmallVector<Type> parameters;
  SmallVector<Attribute> attributes;
  auto add = [&](Type type, StringRef role, DictionaryAttr others) {
    parameters.push_back(type);
    NamedAttrList list(others);
    // From here on the types say it.
    list.erase(kernel::kStridesAttr);
    list.set(kRoleAttr, builder.getStringAttr(role));
    attributes.push_back(list.getDictionary(builder.getContext()));
  };
  for (BlockArgument argument : source.getArguments())
    add(sequence.getBufferType(argument),
        getRoleName(DeviceBuffer::Role::Input),
        source.getArgAttrDict(argument.getArgNumber()));
  for (unsigned index = 0; index < source.getNumResults(); ++index)
    add(sequence.getResultType(index), getRoleName(DeviceBuffer::Role::Output),
        source.getResultAttrDict(index));
  if (plan.sizeBytes > 0)
    add(MemRefType::get({plan.sizeBytes}, builder.getI8Type()),
        getRoleName(DeviceBuffer::Role::Workspace), {});
  builder.setInsertionPoint(source);
  auto function = func::FuncOp::create(builder, source.getName(),
                                       builder.getFunctionType(parameters, {}));
  function.setAllArgAttrs(attributes);
  // What others left at the function, such as the program it computes.
  for (NamedAttribute attribute : source->getDiscardableAttrs())
    if (attribute.getName() != kWorkspaceBytesAttr)
      function->setDiscardableAttr(attribute.getName(), attribute.getValue());
  if (ArrayAttr certificates = collectCertificates(source))
    function->setAttr(kCertificateAttr, certificates);
  function.setVisibility(source.getVisibility());
  builder.setInsertionPointToStart(function.addEntryBlock());
  ValueRange arguments = function.getArguments();
  unsigned numInputs = source.getNumArguments();
  return {llvm::to_vector(arguments.take_front(numInputs)),
          llvm::to_vector(arguments.slice(numInputs, source.getNumResults())),
          plan.sizeBytes > 0 ? arguments.back() : Value()};
}

DeviceBuffer
HostFunctionBuilder::getBuffer(const KernelParameter &parameter) const {
  DeviceBuffer buffer = sequence.getBuffer(parameter.tensor, plan);
  if (!parameter.map)
    return buffer;
  // A map is of what the tensor is a view of, from its first element on.
  auto [strides, offset] =
      sequence.getBufferType(parameter.tensor).getStridesAndOffset();
  buffer.offsetBytes += offset * parameter.map->elementBytes;
  buffer.tensorMap = parameter.map;
  return buffer;
}

void HostFunctionBuilder::describe(BuiltLaunch &built, Launch &launch) {
  SmallVector<Attribute> arguments;
  for (const KernelParameter &parameter : built.parameters)
    arguments.push_back(getBuffer(parameter).getAttr(builder.getContext()));
  int64_t threads = getLaunchedThreads(launch.kernels.front());
  NamedAttrList members;
  members.set("kernel", built.op.getKernelName());
  members.set("grid", builder.getDenseI64ArrayAttr(getGridExtents(launch)));
  members.set("block", builder.getDenseI64ArrayAttr({threads, 1, 1}));
  members.set("cluster", builder.getDenseI64ArrayAttr(
                             getExtents(launch.getLaunchedCluster())));
  members.set("dynamic_shared_bytes",
              builder.getI64IntegerAttr(getSharedBytes(launch)));
  members.set("arguments", builder.getArrayAttr(arguments));
  if (launch.isDependent)
    members.set(kLaunchDependent, builder.getUnitAttr());
  if (int64_t bytes = getRequestedSharedBytes(launch.kernels.front()))
    members.set(kLaunchRequestedBytes, builder.getI64IntegerAttr(bytes));
  built.op->setAttr(kLaunchAttr, members.getDictionary(builder.getContext()));
}

namespace {
struct ConvertKernelToGPUPass
    : mirage::impl::ConvertKernelToGPUPassBase<ConvertKernelToGPUPass> {
  using ConvertKernelToGPUPassBase::ConvertKernelToGPUPassBase;

  void runOnOperation() override {
    if (failed(resolveTarget(getOperation(), target)))
      return signalPassFailure();
    SmallVector<Operation *> programs = findPrograms(getOperation());
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (llvm::is_contained(programs, function.getOperation()))
        functions.push_back(function);
    for (func::FuncOp function : functions)
      if (failed(convert(function)))
        return signalPassFailure();
  }

private:
  LogicalResult convert(func::FuncOp function) {
    FailureOr<std::string> name = resolveTarget(function, target);
    if (failed(name))
      return failure();
    const Target gpu = llvm::cantFail(getTarget(*name));
    FailureOr<LaunchSequence> sequence = LaunchSequence::read(function, &gpu);
    if (failed(sequence) || failed(checkDemands(*sequence, gpu)))
      return failure();
    FailureOr<StoragePlan> plan = sequence->readPlan();
    if (failed(plan))
      return failure();
    OpBuilder builder(function);
    auto module = gpu::GPUModuleOp::create(
        builder, function.getLoc(), (function.getName() + "_kernels").str());
    module->setAttr(kLoweredForAttr, builder.getStringAttr(*name));
    getOperation()->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                            builder.getUnitAttr());
    if (failed(HostFunctionBuilder(*sequence, *plan, module).run()))
      return failure();
    function.erase();
    return success();
  }
};
} // namespace
