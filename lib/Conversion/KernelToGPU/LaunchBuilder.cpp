//===- LaunchBuilder.cpp - Kernels and their launches ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchBuilder.h"
#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Analysis/LoadingWarps.h"
#include "Mirage/Analysis/Multicast.h"
#include "Mirage/Conversion/BlockToGPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::mirage;

static MemRefType getBufferType(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return MemRefType::get(type.getShape(), type.getElementType());
}

std::string mlir::mirage::getKernelName(StringRef function, unsigned number) {
  std::string name;
  if (function.empty() || !llvm::isAlpha(function.front()))
    name = "kernel_";
  for (char character : function)
    name += llvm::isAlnum(character) ? character : '_';
  return name + "_" + std::to_string(number);
}

/// What a kernel has as parameters, in the order of `lowerLaunch`.
static SmallVector<KernelParameter> getParameters(Launch &launch) {
  SmallVector<KernelParameter> parameters;
  for (block::GraphOp kernel : launch.kernels)
    for (Value tensor :
         llvm::concat<Value>(kernel->getOperands(), kernel->getResults()))
      parameters.push_back({tensor});
  for (block::GraphOp kernel : launch.kernels)
    for (unsigned input : getBoxedInputs(kernel)) {
      KernelParameter &parameter =
          parameters.emplace_back(KernelParameter{kernel.getInputs()[input]});
      // If there are none, lowering the kernel says so.
      if (std::optional<TileBoxes> boxes = findLoadedBoxes(kernel, input))
        parameter.map = boxes->map;
    }
  return parameters;
}

/// The buffer of a tensor, as its user sees it.
Value LaunchBuilder::getMemRef(Value tensor) {
  DeviceBuffer buffer = sequence.getBuffer(tensor, plan);
  MemRefType type = sequence.getBufferType(tensor);
  Value memref;
  if (buffer.role == DeviceBuffer::Role::Workspace) {
    Value offset = arith::ConstantIndexOp::create(builder, buffer.offsetBytes);
    memref = memref::ViewOp::create(
        builder, getBufferType(sequence.getRoot(tensor).getType()),
        buffers.workspace, offset, ValueRange());
  } else {
    memref = buffer.role == DeviceBuffer::Role::Input
                 ? buffers.inputs[buffer.index]
                 : buffers.results[buffer.index];
  }
  if (memref.getType() == type)
    return memref;
  auto [strides, offset] = type.getStridesAndOffset();
  return memref::ReinterpretCastOp::create(builder, type, memref, offset,
                                           type.getShape(), strides);
}

SmallVector<int64_t, 3> mlir::mirage::getExtents(ArrayRef<int64_t> byAxis) {
  SmallVector<int64_t, 3> extents(byAxis);
  extents.resize(3, 1);
  return extents;
}

SmallVector<int64_t, 3> mlir::mirage::getGridExtents(Launch &launch) {
  if (launch.isPersistent())
    return getExtents(*launch.numPersistent);
  return getExtents(
      llvm::map_to_vector<3>(launch.getGridOrder(), [&](int64_t axis) {
        return launch.getGrid()[axis];
      }));
}

int64_t mlir::mirage::getSharedBytes(Launch &launch) {
  int64_t bytes = 0;
  for (block::GraphOp kernel : launch.kernels)
    bytes = std::max(
        bytes, kernel->getAttrOfType<IntegerAttr>(kSharedBytesAttr).getInt());
  return bytes;
}

gpu::LaunchFuncOp
LaunchBuilder::createLaunch(Launch &launch, gpu::GPUFuncOp kernel,
                            ArrayRef<KernelParameter> parameters) {
  block::GraphOp first = launch.kernels.front();
  builder.setLoc(first.getLoc());
  SmallVector<Value> arguments;
  for (const KernelParameter &parameter : parameters)
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
    cluster = makeDim3(launch.getLaunchedCluster());
  return gpu::LaunchFuncOp::create(
      builder, kernel, makeDim3(getGridExtents(launch)),
      makeDim3({getLaunchedThreads(first)}), sharedBytes, arguments,
      /*asyncTokenType=*/nullptr, /*asyncDependencies=*/{}, cluster);
}

FailureOr<BuiltLaunch> LaunchBuilder::build(Launch &launch, StringRef name) {
  BuiltLaunch built;
  // While steps are still in their graphs: these say what is boxed.
  built.parameters = getParameters(launch);
  built.types =
      llvm::map_to_vector(built.parameters, [&](KernelParameter &parameter) {
        return sequence.getBufferType(parameter.tensor);
      });
  FailureOr<gpu::GPUFuncOp> kernel =
      lowerLaunch(launch, module, name, built.types);
  if (failed(kernel))
    return failure();
  built.op = createLaunch(launch, *kernel, built.parameters);
  return built;
}
