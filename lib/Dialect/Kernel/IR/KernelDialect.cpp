//===- KernelDialect.cpp - The kernel level -------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "Mirage/Dialect/Operator/BytecodeVersion.h"
#include "Mirage/Dialect/Operator/Canonicalization.h"
#include "Mirage/Dialect/Operator/F32ProductsAttribute.h"
#include "Mirage/Dialect/Operator/TileGraphInterface.h"
#include "Mirage/Graph/Strides.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage::kernel;

#include "Mirage/Dialect/Kernel/IR/KernelDialect.cpp.inc"

#define GET_OP_CLASSES
#include "Mirage/Dialect/Kernel/IR/KernelOps.cpp.inc"

void MirageKernelDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Mirage/Dialect/Kernel/IR/KernelOps.cpp.inc"
      >();
  mirage::addOperatorFolds(*this);
  // Version 1 has nothing to be upgraded from.
  addInterface<mirage::VersionedBytecode>(ArrayRef<mirage::UpgradeStep>());
}

void MirageKernelDialect::getCanonicalizationPatterns(
    RewritePatternSet &patterns) const {
  mirage::populateOperatorCanonicalizationPatterns(patterns, getNamespace());
}

/// \param place  "argument" or "result".
static LogicalResult verifyStrides(Operation *op, StringRef place,
                                   unsigned number, Type type,
                                   NamedAttribute attribute, bool isWritten) {
  if (attribute.getName() != kStridesAttr)
    return op->emitError() << "expects no attribute '"
                           << attribute.getName().getValue() << "' at " << place
                           << " " << number << "; mirage_kernel has '"
                           << kStridesAttr << "'";
  // C1
  auto strides = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!strides || !tensor || !tensor.hasStaticShape() || tensor.getRank() == 0)
    return op->emitError() << "expects '" << kStridesAttr
                           << "' to be array<i64: ...> at a tensor of rank 1 "
                              "or more and static shape, got "
                           << attribute.getValue() << " at " << place << " "
                           << number << " of type " << type;
  // C2, C3
  if (auto problem = mirage::explainBadStrides(tensor.getShape(),
                                               strides.asArrayRef(), isWritten))
    return op->emitError() << "'" << kStridesAttr << "' at " << place << " "
                           << number << ": " << *problem;
  return success();
}

/// The type of an argument or a result; null where the op is no function, which
/// alone has them.
static Type getSignatureType(Operation *op, unsigned number, bool isArgument) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return Type();
  ArrayRef<Type> types =
      isArgument ? function.getArgumentTypes() : function.getResultTypes();
  return number < types.size() ? types[number] : Type();
}

LogicalResult MirageKernelDialect::verifyRegionArgAttribute(
    Operation *op, unsigned, unsigned number, NamedAttribute attribute) {
  return verifyStrides(op, "argument", number,
                       getSignatureType(op, number, /*isArgument=*/true),
                       attribute, /*isWritten=*/false);
}

LogicalResult MirageKernelDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned number, NamedAttribute attribute) {
  return verifyStrides(op, "result", number,
                       getSignatureType(op, number, /*isArgument=*/false),
                       attribute, /*isWritten=*/true);
}

LogicalResult
MirageKernelDialect::verifyOperationAttribute(Operation *op,
                                              NamedAttribute attribute) {
  // C4
  if (attribute.getName() != mirage::kF32ProductsAttr || !isa<GraphOp>(op))
    return op->emitError() << "expects no attribute '"
                           << attribute.getName().getValue()
                           << "'; mirage_kernel has '"
                           << mirage::kF32ProductsAttr
                           << "' of mirage_kernel.graph";
  if (mirage::readF32Products(attribute.getValue()))
    return success();
  return op->emitOpError() << "expects '" << mirage::kF32ProductsAttr
                           << "' to be \"exact\" or \"tf32\", got "
                           << attribute.getValue();
}

YieldOp GraphOp::getYield() {
  return cast<YieldOp>(getBody().front().getTerminator());
}

/// A kernel: a row of the operator table at this level, or a block graph.
static bool isKernel(Operation &op) {
  if (auto tiles = dyn_cast<mirage::TileGraphOpInterface>(op))
    return tiles.getLevel() == mirage::Level::Block;
  return isa<mirage::OperatorOpInterface>(op) &&
         isa<MirageKernelDialect>(op.getDialect());
}

//===----------------------------------------------------------------------===//
// Tensors and memrefs
//===----------------------------------------------------------------------===//

Speculation::Speculatability GraphOp::getSpeculatability() {
  return isOnBuffers() ? Speculation::NotSpeculatable
                       : Speculation::Speculatable;
}

/// As an op of destination style has them: on tensors none.
void GraphOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  auto add = [&](OpOperand &operand, MemoryEffects::Effect *effect) {
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(effect, &operand, /*stage=*/0,
                           /*effectOnFullRegion=*/true,
                           SideEffects::DefaultResource::get());
  };
  for (OpOperand &input : getInputsMutable())
    add(input, MemoryEffects::Read::get());
  for (OpOperand &init : getInitsMutable())
    add(init, MemoryEffects::Write::get());
}

/// What is wrong with how a memref lies, as "expects ..., got ...".
static std::optional<std::string> explainBadBuffer(MemRefType type,
                                                   bool isWritten) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (type.getMemorySpace())
    stream << "expects a memref of the default memory space, got " << type;
  else if (failed(type.getStridesAndOffset(strides, offset)))
    stream << "expects a memref that lies by strides, got " << type;
  else if (ShapedType::isDynamic(offset) ||
           llvm::any_of(strides, ShapedType::isDynamic))
    stream << "expects a memref whose strides and offset are static, got "
           << type;
  else
    return mirage::explainBadStrides(type.getShape(), strides, isWritten);
  return text;
}

LogicalResult GraphOp::verify() {
  // C4
  bool hasTensors = llvm::any_of(getOperandTypes(), llvm::IsaPred<TensorType>),
       hasMemRefs = llvm::any_of(getOperandTypes(), llvm::IsaPred<MemRefType>);
  if (hasTensors && hasMemRefs)
    return emitOpError() << "expects inputs and inits that are all tensors or "
                            "all memrefs, got ("
                         << getOperandTypes() << ")";
  if (!isOnBuffers())
    return success();
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    bool isInit = isDpsInit(&operand);
    // C5
    if (auto problem =
            explainBadBuffer(cast<MemRefType>(operand.get().getType()), isInit))
      return emitOpError() << "operand " << operand.getOperandNumber() << ": "
                           << *problem;
    // C6
    auto same =
        llvm::find_if(getOperation()->getOpOperands(), [&](OpOperand &other) {
          return &other != &operand && other.get() == operand.get();
        });
    if (isInit && same != getOperation()->getOpOperands().end())
      return emitOpError() << "expects a memref of its own to write to, got "
                              "operand "
                           << same->getOperandNumber() << " again as operand "
                           << operand.getOperandNumber();
  }
  return success();
}

/// What the region has for an operand: how a memref lies is nothing that it
/// sees.
static RankedTensorType getRegionType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor;
  auto memref = cast<MemRefType>(type);
  return RankedTensorType::get(memref.getShape(), memref.getElementType());
}

static SmallVector<Type> getRegionTypes(ValueRange operands) {
  return llvm::map_to_vector(operands.getTypes(), [](Type type) -> Type {
    return getRegionType(type);
  });
}

LogicalResult GraphOp::verifyRegions() {
  for (Operation &op : getBody().front().without_terminator())
    if (!isKernel(op))
      return op.emitOpError() << "expects to stand elsewhere: a kernel graph "
                                 "holds operators of mirage_kernel and block "
                                 "graphs";
  // C1
  SmallVector<Type> arguments = getRegionTypes(getInputs());
  if (getBody().getArgumentTypes() != TypeRange(arguments))
    return emitOpError() << "expects region arguments of the inputs' types, ("
                         << arguments << "), got ("
                         << getBody().getArgumentTypes() << ")";
  // C2
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield)
    return emitOpError()
           << "expects a region that ends with mirage_kernel.yield";
  if (getInits().empty())
    return emitOpError() << "expects at least one result, got none";
  SmallVector<Type> yielded = getRegionTypes(getInits());
  if (yield.getOperandTypes() != TypeRange(yielded))
    return yield.emitOpError()
           << "expects values of the results' types, (" << yielded << "), got ("
           << yield.getOperandTypes() << ")";
  return success();
}
