//===- KernelToGPU.cpp - Kernel graphs as launches ------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CarryLibraryMatmul.h"
#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Analysis/LaunchSequence.h"
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
#include "llvm/ADT/StringExtras.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_CONVERTKERNELTOGPUPASS
#include "Mirage/Conversion/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

static MemRefType getBufferType(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return MemRefType::get(type.getShape(), type.getElementType());
}

/// The name of a kernel of a function, such as PTX takes (PTX ISA, section
/// "Identifiers"): MLIR's symbols may have any character, "main.1" for one.
static std::string getKernelName(StringRef function, unsigned number) {
  std::string name;
  if (function.empty() || !llvm::isAlpha(function.front()))
    name = "kernel_";
  for (char character : function)
    name += llvm::isAlnum(character) ? character : '_';
  return name + "_" + std::to_string(number);
}

namespace {
/// Of a kernel: a tensor, handed over by its address or as a tensor map.
struct Parameter {
  Value tensor;
  std::optional<TensorMap> map = std::nullopt;
};

} // namespace

/// What a kernel has as parameters, in the order of `lowerLaunch`.
static SmallVector<Parameter> getParameters(Launch &launch) {
  SmallVector<Parameter> parameters;
  for (block::GraphOp kernel : launch.kernels)
    for (Value tensor :
         llvm::concat<Value>(kernel->getOperands(), kernel->getResults()))
      parameters.push_back({tensor});
  for (block::GraphOp kernel : launch.kernels)
    for (unsigned input : getBoxedInputs(kernel)) {
      Parameter &parameter =
          parameters.emplace_back(Parameter{kernel.getInputs()[input]});
      // If there are none, lowering the kernel says so.
      if (std::optional<TileBoxes> boxes = findInputBoxes(kernel, input))
        parameter.map = boxes->map;
    }
  return parameters;
}

namespace {
/// Builds the host function on memrefs: inputs, outputs, and the workspace if
/// there is one.
class LaunchBuilder {
public:
  LaunchBuilder(const LaunchSequence &sequence, const StoragePlan &plan,
                gpu::GPUModuleOp module)
      : sequence(sequence), plan(plan), source(sequence.getFunction()),
        module(module), builder(source.getLoc(), source.getContext()) {}

  LogicalResult run() {
    createFunction();
    SmallVector<Launch> launches(sequence.getLaunches());
    for (auto [number, launch] : llvm::enumerate(launches)) {
      // While steps are still in their graphs: these say what is boxed.
      SmallVector<Parameter> parameters = getParameters(launch);
      SmallVector<MemRefType> types = getBufferTypes(parameters);
      FailureOr<gpu::GPUFuncOp> kernel = lowerLaunch(
          launch, module, getKernelName(source.getName(), number), types);
      if (failed(kernel))
        return failure();
      gpu::LaunchFuncOp op = createLaunch(launch, *kernel, parameters);
      if (failed(carryLibraryMatmul(launch.kernels.front(), types, op)))
        return failure();
    }
    func::ReturnOp::create(builder);
    return success();
  }

private:
  void createFunction();
  gpu::LaunchFuncOp createLaunch(Launch &launch, gpu::GPUFuncOp kernel,
                                 ArrayRef<Parameter> parameters);
  DeviceBuffer getBuffer(const Parameter &parameter) const;
  SmallVector<MemRefType> getBufferTypes(ArrayRef<Parameter> parameters) const;
  Value getMemRef(Value tensor);
  void describe(gpu::LaunchFuncOp op, Launch &launch, StringRef kernel,
                ArrayRef<Parameter> parameters);

  const LaunchSequence &sequence;
  const StoragePlan &plan;
  func::FuncOp source;
  gpu::GPUModuleOp module;
  ImplicitLocOpBuilder builder;
  func::FuncOp function;
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

void LaunchBuilder::createFunction() {
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
  function = func::FuncOp::create(builder, source.getName(),
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
}

/// Of each kernel of a launch, what it reads, and then what it writes.
SmallVector<MemRefType>
LaunchBuilder::getBufferTypes(ArrayRef<Parameter> parameters) const {
  return llvm::map_to_vector(parameters, [&](const Parameter &parameter) {
    return sequence.getBufferType(parameter.tensor);
  });
}

DeviceBuffer LaunchBuilder::getBuffer(const Parameter &parameter) const {
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

/// The buffer of a tensor, as its user sees it.
Value LaunchBuilder::getMemRef(Value tensor) {
  DeviceBuffer buffer = sequence.getBuffer(tensor, plan);
  MemRefType type = sequence.getBufferType(tensor);
  unsigned numInputs = source.getNumArguments();
  Value memref;
  if (buffer.role == DeviceBuffer::Role::Workspace) {
    Value offset = arith::ConstantIndexOp::create(builder, buffer.offsetBytes);
    memref = memref::ViewOp::create(
        builder, getBufferType(sequence.getRoot(tensor).getType()),
        function.getArguments().back(), offset, ValueRange());
  } else {
    memref = function.getArgument(buffer.role == DeviceBuffer::Role::Input
                                      ? buffer.index
                                      : numInputs + buffer.index);
  }
  if (memref.getType() == type)
    return memref;
  auto [strides, offset] = type.getStridesAndOffset();
  return memref::ReinterpretCastOp::create(builder, type, memref, offset,
                                           type.getShape(), strides);
}

/// Extents along x, y and z.
static SmallVector<int64_t, 3> getExtents(ArrayRef<int64_t> byAxis) {
  SmallVector<int64_t, 3> extents(byAxis);
  extents.resize(3, 1);
  return extents;
}

/// Of the grid, in the order in which the GPU counts blocks.
static SmallVector<int64_t, 3> getGridExtents(Launch &launch) {
  return getExtents(
      llvm::map_to_vector<3>(launch.getGridOrder(), [&](int64_t axis) {
        return launch.getGrid()[axis];
      }));
}

/// Dynamic shared memory, which kernels have one after the other.
static int64_t getSharedBytes(Launch &launch) {
  int64_t bytes = 0;
  for (block::GraphOp kernel : launch.kernels)
    bytes = std::max(
        bytes, kernel->getAttrOfType<IntegerAttr>(kSharedBytesAttr).getInt());
  return bytes;
}

void LaunchBuilder::describe(gpu::LaunchFuncOp op, Launch &launch,
                             StringRef kernel, ArrayRef<Parameter> parameters) {
  SmallVector<Attribute> arguments;
  for (const Parameter &parameter : parameters)
    arguments.push_back(getBuffer(parameter).getAttr(builder.getContext()));
  int64_t threads = launch.kernels.front().getThreads();
  NamedAttrList members;
  members.set("kernel", builder.getStringAttr(kernel));
  members.set("grid", builder.getDenseI64ArrayAttr(getGridExtents(launch)));
  members.set("block", builder.getDenseI64ArrayAttr({threads, 1, 1}));
  members.set("cluster",
              builder.getDenseI64ArrayAttr(getExtents(launch.getCluster())));
  members.set("dynamic_shared_bytes",
              builder.getI64IntegerAttr(getSharedBytes(launch)));
  members.set("arguments", builder.getArrayAttr(arguments));
  if (launch.isDependent)
    members.set(kLaunchDependent, builder.getUnitAttr());
  op->setAttr(kLaunchAttr, members.getDictionary(builder.getContext()));
}

gpu::LaunchFuncOp LaunchBuilder::createLaunch(Launch &launch,
                                              gpu::GPUFuncOp kernel,
                                              ArrayRef<Parameter> parameters) {
  block::GraphOp first = launch.kernels.front();
  builder.setLoc(first.getLoc());
  SmallVector<Value> arguments;
  for (const Parameter &parameter : parameters)
    arguments.push_back(getMemRef(parameter.tensor));
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, value);
  };
  auto makeDim3 = [&](ArrayRef<int64_t> byAxis) {
    SmallVector<int64_t, 3> extents = getExtents(byAxis);
    return gpu::KernelDim3{index(extents[0]), index(extents[1]),
                           index(extents[2])};
  };
  Value sharedBytes = arith::ConstantOp::create(
      builder, builder.getI32IntegerAttr(getSharedBytes(launch)));
  std::optional<gpu::KernelDim3> cluster;
  if (!launch.getCluster().empty())
    cluster = makeDim3(launch.getCluster());
  auto op = gpu::LaunchFuncOp::create(
      builder, kernel, makeDim3(getGridExtents(launch)),
      makeDim3({static_cast<int64_t>(first.getThreads())}), sharedBytes,
      arguments, /*asyncTokenType=*/nullptr, /*asyncDependencies=*/{}, cluster);
  describe(op, launch, kernel.getName(), parameters);
  return op;
}

namespace {
struct ConvertKernelToGPUPass
    : mirage::impl::ConvertKernelToGPUPassBase<ConvertKernelToGPUPass> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.getOps<kernel::GraphOp>().empty())
        functions.push_back(function);
    for (func::FuncOp function : functions)
      if (failed(convert(function)))
        return signalPassFailure();
  }

private:
  LogicalResult convert(func::FuncOp function) {
    FailureOr<LaunchSequence> sequence = LaunchSequence::read(function);
    if (failed(sequence))
      return failure();
    FailureOr<StoragePlan> plan = sequence->readPlan();
    if (failed(plan))
      return failure();
    OpBuilder builder(function);
    auto module = gpu::GPUModuleOp::create(
        builder, function.getLoc(), (function.getName() + "_kernels").str());
    getOperation()->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                            builder.getUnitAttr());
    if (failed(LaunchBuilder(*sequence, *plan, module).run()))
      return failure();
    function.erase();
    return success();
  }
};
} // namespace
