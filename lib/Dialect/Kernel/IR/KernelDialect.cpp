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
#include "Mirage/Dialect/Operator/TileGraphInterface.h"
#include "Mirage/Graph/Strides.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

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

LogicalResult GraphOp::verifyRegions() {
  for (Operation &op : getBody().front().without_terminator())
    if (!isKernel(op))
      return op.emitOpError() << "expects to stand elsewhere: a kernel graph "
                                 "holds operators of mirage_kernel and block "
                                 "graphs";
  // C1
  if (getBody().getArgumentTypes() != getInputs().getTypes())
    return emitOpError() << "expects region arguments of the inputs' types, ("
                         << getInputs().getTypes() << "), got ("
                         << getBody().getArgumentTypes() << ")";
  // C2
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield)
    return emitOpError()
           << "expects a region that ends with mirage_kernel.yield";
  if (getInits().empty())
    return emitOpError() << "expects at least one result, got none";
  if (yield.getOperandTypes() != getInits().getTypes())
    return yield.emitOpError()
           << "expects values of the results' types, (" << getInits().getTypes()
           << "), got (" << yield.getOperandTypes() << ")";
  return success();
}
