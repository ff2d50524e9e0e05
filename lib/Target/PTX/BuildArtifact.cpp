//===- BuildArtifact.cpp - An artifact out of compiled IR -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Target/PTX/BuildArtifact.h"
#include "Mirage/Dialect/Operator/LaunchAttributes.h"
#include "Mirage/Dialect/Operator/LibraryMatmulAttribute.h"
#include "Mirage/Dialect/Operator/OperatorInterface.h"
#include "Mirage/Graph/GraphJSON.h"
#include "Mirage/Graph/JSONCursor.h"
#include "SourceLines.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

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
  LogicalResult readOpLocations(gpu::BinaryOp binary);

  func::FuncOp function;
  Artifact artifact;
};
} // namespace

/// An attribute made of dictionaries, arrays, numbers and strings. JSON has no
/// infinite numbers: these are strings, and so is whatever else there is.
static llvm::json::Value toJSON(Attribute attribute) {
  if (auto members = dyn_cast<DictionaryAttr>(attribute)) {
    llvm::json::Object object;
    for (NamedAttribute member : members)
      object[member.getName().getValue()] = toJSON(member.getValue());
    return object;
  }
  if (auto elements = dyn_cast<ArrayAttr>(attribute)) {
    llvm::json::Array list;
    for (Attribute element : elements)
      list.push_back(toJSON(element));
    return list;
  }
  if (auto truth = dyn_cast<BoolAttr>(attribute))
    return truth.getValue();
  if (auto number = dyn_cast<IntegerAttr>(attribute))
    return number.getInt();
  if (auto number = dyn_cast<FloatAttr>(attribute))
    if (double value = number.getValueAsDouble(); std::isfinite(value))
      return value;
  if (auto text = dyn_cast<StringAttr>(attribute))
    return text.getValue();
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return llvm::formatv("{0}", number.getValueAsDouble()).str();
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

LogicalResult ArtifactBuilder::readProgram() {
  auto text = function->getAttrOfType<StringAttr>(kProgramAttr);
  if (!text)
    return function.emitError("expects the program that is computed; "
                              "--mirage-record-program leaves it here");
  llvm::Expected<llvm::json::Value> json = parseJSON(text.getValue());
  if (!json)
    return function.emitError() << llvm::toString(json.takeError());
  llvm::Expected<Graph> program = graphFromJSON(*json);
  if (!program)
    return function.emitError() << llvm::toString(program.takeError());
  artifact.program = std::move(*program);
  if (Attribute certificate = function->getAttr(kCertificateAttr))
    artifact.certificate = toJSON(certificate);
  return success();
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
    std::optional<ElementType> element =
        convertElementType(type.getElementType());
    if (!element || !type.hasStaticShape() ||
        (role != "input" && role != "output"))
      return function.emitError()
             << "expects argument " << number
             << " to be an input, an output or the workspace, of static shape "
                "and elements of the dialects, got "
             << role << " of type " << type;
    auto &tensors = role == "input" ? artifact.inputs : artifact.outputs;
    Strides strides;
    int64_t offset = 0;
    if (failed(type.getStridesAndOffset(strides, offset)) || offset != 0)
      return function.emitError()
             << "expects argument " << number
             << " to lie by strides, from its first byte on, got " << type;
    auto name = function.getArgAttrOfType<StringAttr>(number, kNameAttr);
    tensors.push_back(
        {name ? name.str()
              : (role.getValue() + llvm::Twine(tensors.size())).str(),
         TensorSpec{Shape(type.getShape()), *element}, std::move(strides)});
  }
  return success();
}

namespace {
/// Reads the members of a `mirage.launch`, which are in the IR and may be
/// anything; afterwards `missing` names the first that is not as it should be.
struct LaunchReader {
  template <typename AttrT>
  AttrT get(DictionaryAttr attributes, StringRef name) {
    auto attribute = attributes ? attributes.getAs<AttrT>(name) : AttrT();
    if (!attribute && missing.empty())
      missing = name.str();
    return attribute;
  }

  int64_t getInt(DictionaryAttr attributes, StringRef name) {
    auto attribute = get<IntegerAttr>(attributes, name);
    return attribute ? attribute.getInt() : 0;
  }

  std::array<int64_t, 3> getExtents(DictionaryAttr attributes, StringRef name) {
    auto extents = get<DenseI64ArrayAttr>(attributes, name);
    if (extents && extents.size() == 3)
      return {extents[0], extents[1], extents[2]};
    if (missing.empty())
      missing = name.str();
    return {};
  }

  LaunchArgument getArgument(Attribute attribute);

  std::string missing;
};
} // namespace

static BufferRole convertRole(DeviceBuffer::Role role) {
  switch (role) {
  case DeviceBuffer::Role::Input:
    return BufferRole::Input;
  case DeviceBuffer::Role::Output:
    return BufferRole::Output;
  case DeviceBuffer::Role::Workspace:
    return BufferRole::Workspace;
  }
  llvm_unreachable("all roles are handled");
}

LaunchArgument LaunchReader::getArgument(Attribute attribute) {
  std::string member;
  std::optional<DeviceBuffer> buffer = DeviceBuffer::read(attribute, member);
  if (missing.empty())
    missing = member;
  return buffer ? LaunchArgument{convertRole(buffer->role), buffer->index,
                                 buffer->offsetBytes, buffer->tensorMap}
                : LaunchArgument();
}

LogicalResult ArtifactBuilder::readLaunch(gpu::LaunchFuncOp op) {
  auto attributes = op->getAttrOfType<DictionaryAttr>(kLaunchAttr);
  if (!attributes)
    return op.emitError() << "expects the attribute '" << kLaunchAttr << "'";
  LaunchReader reader;
  KernelLaunch launch;
  if (auto kernel = reader.get<StringAttr>(attributes, "kernel"))
    launch.kernel = kernel.str();
  launch.grid = reader.getExtents(attributes, "grid");
  launch.block = reader.getExtents(attributes, "block");
  launch.cluster = reader.getExtents(attributes, "cluster");
  launch.dynamicSharedBytes = reader.getInt(attributes, "dynamic_shared_bytes");
  if (attributes.contains(kLaunchRequestedBytes))
    launch.requestedSharedBytes =
        reader.getInt(attributes, kLaunchRequestedBytes);
  if (auto arguments = reader.get<ArrayAttr>(attributes, "arguments"))
    for (Attribute argument : arguments)
      launch.arguments.push_back(reader.getArgument(argument));
  if (!reader.missing.empty())
    return op.emitError() << "expects '" << reader.missing << "' in '"
                          << kLaunchAttr
                          << "' as --convert-mirage-kernel-to-gpu writes it, "
                             "got "
                          << attributes;
  if (Attribute dependent = attributes.get(kLaunchDependent)) {
    if (!isa<UnitAttr>(dependent) || artifact.launches.empty())
      return op.emitError()
             << "with '" << kLaunchDependent << "' in '" << kLaunchAttr
             << "' expects a unit attribute, and a launch before this one, got "
             << attributes;
    launch.dependent = true;
  }
  if (Attribute matmul = attributes.get(kLaunchLibraryMatmul)) {
    std::string problem;
    launch.libraryMatmul = readLibraryMatmul(matmul, problem);
    if (!launch.libraryMatmul)
      return op.emitError() << "with '" << kLaunchLibraryMatmul << "' in '"
                            << kLaunchAttr << "' expects " << problem;
  }
  artifact.launches.push_back(std::move(launch));
  return success();
}

LogicalResult ArtifactBuilder::readOpLocations(gpu::BinaryOp binary) {
  Attribute attribute = binary->getAttr(kOpLocationsAttr);
  if (!attribute)
    return success();
  for (Attribute line : isa<ArrayAttr>(attribute)
                            ? cast<ArrayAttr>(attribute).getValue()
                            : ArrayRef<Attribute>(attribute)) {
    auto pair = dyn_cast<ArrayAttr>(line);
    if (!pair || pair.size() != 2 || !isa<StringAttr>(pair[0]) ||
        !isa<StringAttr>(pair[1]))
      return binary.emitError()
             << "expects pairs of an op and where it was written as '"
             << kOpLocationsAttr << "', got " << attribute;
    artifact.opLocations.push_back(
        {cast<StringAttr>(pair[0]).str(), cast<StringAttr>(pair[1]).str()});
  }
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
  return readOpLocations(binary);
}

FailureOr<Artifact> mlir::mirage::buildArtifact(func::FuncOp function) {
  return ArtifactBuilder(function).run();
}
