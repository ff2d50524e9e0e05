//===- ExportMovement.cpp - Operators that move elements ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExportMovement.h"
#include "StructuredOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace mlir::mirage;

static RankedTensorType getResultType(OperatorOpInterface op) {
  return cast<RankedTensorType>(op->getResult(0).getType());
}

/// Elements as they are, in the result's element type, operands stretched.
static Value writeCopy(OpBuilder &builder, OperatorOpInterface op) {
  return writeElementwise(
      builder, op.getLoc(), getResultType(op), op->getOperand(0),
      [](OpBuilder &, Location, ValueRange element) { return element[0]; });
}

static Value writeTranspose(OpBuilder &builder, OperatorOpInterface op) {
  RankedTensorType type = getResultType(op);
  Value operand = op->getOperand(0);
  auto source = cast<RankedTensorType>(operand.getType());
  Attributes attributes =
      readOperatorAttributes(op.getTableOpcode(), op->getAttrDictionary());
  Value empty = tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(),
                                        source.getElementType());
  auto transposed = linalg::TransposeOp::create(builder, op.getLoc(), operand,
                                                empty, attributes.dims);
  return writeCast(builder, op.getLoc(), transposed->getResult(0), type);
}

/// One way, if dimensions can be merged or split to get there; else by way of
/// one dimension.
static Value writeReshape(OpBuilder &builder, OperatorOpInterface op) {
  Location location = op.getLoc();
  Value operand = op->getOperand(0);
  auto source = cast<RankedTensorType>(operand.getType());
  RankedTensorType type = getResultType(op).clone(source.getElementType());
  auto groups = getReassociationIndicesForReshape(source, type);
  Value reshaped = operand;
  if (source == type) {
    // Stays.
  } else if (groups && source.getRank() > type.getRank()) {
    reshaped = tensor::CollapseShapeOp::create(builder, location, type, operand,
                                               *groups);
  } else if (groups) {
    reshaped = tensor::ExpandShapeOp::create(builder, location, type, operand,
                                             *groups);
  } else {
    auto all = [](int64_t rank) {
      return SmallVector<ReassociationIndices>{
          llvm::to_vector<2>(llvm::seq<int64_t>(0, rank))};
    };
    auto flat = RankedTensorType::get({source.getNumElements()},
                                      source.getElementType());
    reshaped = tensor::CollapseShapeOp::create(builder, location, flat, operand,
                                               all(source.getRank()));
    reshaped = tensor::ExpandShapeOp::create(builder, location, type, reshaped,
                                             all(type.getRank()));
  }
  return writeCast(builder, location, reshaped, getResultType(op));
}

namespace {
struct MovementWriter {
  Opcode opcode;
  Value (*write)(OpBuilder &, OperatorOpInterface);
};
} // namespace

static constexpr MovementWriter kMovements[] = {
    {Opcode::Transpose, writeTranspose},
    {Opcode::Reshape, writeReshape},
    {Opcode::Broadcast, writeCopy},
    {Opcode::Cast, writeCopy},
};

FailureOr<Value> mlir::mirage::exportMovement(OpBuilder &builder,
                                              OperatorOpInterface op) {
  for (const MovementWriter &movement : kMovements)
    if (movement.opcode == op.getTableOpcode())
      return movement.write(builder, op);
  return op->emitOpError() << "expects to stay: linalg has no op for it";
}
