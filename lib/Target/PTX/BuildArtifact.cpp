//===- BuildArtifact.cpp - An artifact out of compiled IR -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Target/PTX/BuildArtifact.h"
#include "Mirage/Dialect/Operator/LaunchAttributes.h"
#include "Mirage/Dialect/Operator/OperatorInterface.h"
#include "Mirage/Graph/GraphJSON.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::mirage;

namespace {
class ArtifactBuilder {
public:
  explicit ArtifactBuilder(func::FuncOp function) : function(function) {}

  FailureOr<Artifact> run() {
    if (failed(readProgram()) || failed(readArguments()))
      return failure();
    for (auto launch : function.getOps<gpu::LaunchFuncOp>())
      if (failed(readLaunch(launch)) || failed(readCode(launch)))
        return failure();
    if (llvm::Error error = verify(artifact))
      return function.emitError() << "the artifact does not hold together: "
                                  << llvm::toString(std::move(error));
    return std::move(artifact);
  }

private:
  LogicalResult readProgram();
  LogicalResult readArguments();
  LogicalResult readLaunch(gpu::LaunchFuncOp op);
  LogicalResult readCode(gpu::LaunchFuncOp op);

  func::FuncOp function;
  Artifact artifact;
};
} // namespace

LogicalResult ArtifactBuilder::readProgram() {
  auto text = function->getAttrOfType<StringAttr>(kProgramAttr);
  if (!text)
    return function.emitError("expects the program that is computed; "
                              "--mirage-record-program leaves it here");
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(text.getValue());
  if (!json)
    return function.emitError() << llvm::toString(json.takeError());
  llvm::Expected<Graph> program = graphFromJSON(*json);
  if (!program)
    return function.emitError() << llvm::toString(program.takeError());
  artifact.program = std::move(*program);
  return success();
}

static TensorSpec readTensor(MemRefType type) {
  return {Shape(type.getShape()), *convertElementType(type.getElementType())};
}

LogicalResult ArtifactBuilder::readArguments() {
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto role = function.getArgAttrOfType<StringAttr>(number, kRoleAttr);
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!role || !type)
      return function.emitError()
             << "expects a memref with the attribute '" << kRoleAttr
             << "' as argument " << number << ", got " << argument.getType();
    if (role == "workspace") {
      artifact.workspaceBytes = type.getNumElements();
      continue;
    }
    auto &tensors = role == "input" ? artifact.inputs : artifact.outputs;
    auto name = function.getArgAttrOfType<StringAttr>(number, kNameAttr);
    tensors.push_back(
        {name ? name.str()
              : (role.getValue() + llvm::Twine(tensors.size())).str(),
         readTensor(type)});
  }
  return success();
}

static std::array<int64_t, 3> readExtents(DictionaryAttr launch,
                                          StringRef name) {
  ArrayRef<int64_t> extents =
      launch.getAs<DenseI64ArrayAttr>(name).asArrayRef();
  return {extents[0], extents[1], extents[2]};
}

static LaunchArgument readArgument(DictionaryAttr attributes) {
  StringRef role = attributes.getAs<StringAttr>("role").getValue();
  return {
      role == "input"    ? BufferRole::Input
      : role == "output" ? BufferRole::Output
                         : BufferRole::Workspace,
      static_cast<unsigned>(attributes.getAs<IntegerAttr>("index").getInt()),
      attributes.getAs<IntegerAttr>("offset_bytes").getInt()};
}

LogicalResult ArtifactBuilder::readLaunch(gpu::LaunchFuncOp op) {
  auto attributes = op->getAttrOfType<DictionaryAttr>(kLaunchAttr);
  if (!attributes)
    return op.emitError() << "expects the attribute '" << kLaunchAttr << "'";
  KernelLaunch launch;
  launch.kernel = attributes.getAs<StringAttr>("kernel").str();
  launch.grid = readExtents(attributes, "grid");
  launch.block = readExtents(attributes, "block");
  launch.dynamicSharedBytes =
      attributes.getAs<IntegerAttr>("dynamic_shared_bytes").getInt();
  for (auto argument :
       attributes.getAs<ArrayAttr>("arguments").getAsRange<DictionaryAttr>())
    launch.arguments.push_back(readArgument(argument));
  artifact.launches.push_back(std::move(launch));
  return success();
}

/// All launches of a function are of one binary.
LogicalResult ArtifactBuilder::readCode(gpu::LaunchFuncOp op) {
  if (!artifact.ptx.empty())
    return success();
  auto binary = SymbolTable::lookupNearestSymbolFrom<gpu::BinaryOp>(
      op, op.getKernelModuleName());
  if (!binary)
    return op.emitError() << "expects a gpu.binary '"
                          << op.getKernelModuleName()
                          << "'; --mirage-emit-ptx makes it";
  for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>()) {
    StringRef chip = cast<NVVM::NVVMTargetAttr>(object.getTarget()).getChip();
    StringRef bytes = object.getObject().getValue();
    if (object.getFormat() == gpu::CompilationTarget::Assembly) {
      artifact.target = chip.str();
      artifact.ptx = bytes.str();
    } else {
      artifact.cubins[chip.str()] =
          std::vector<uint8_t>(bytes.bytes_begin(), bytes.bytes_end());
    }
  }
  return success();
}

FailureOr<Artifact> mlir::mirage::buildArtifact(func::FuncOp function) {
  return ArtifactBuilder(function).run();
}
