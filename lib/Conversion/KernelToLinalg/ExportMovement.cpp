//===- ExportMovement.cpp - Operators that move elements ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExportMovement.h"
#include "Mirage/Dialect/Kernel/IR/Kernel.h"
#include "StructuredOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include <limits>

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
  Attributes attributes = readOperatorAttributes(op);
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

static Value writeSlice(OpBuilder &builder, OperatorOpInterface op) {
  Attributes attributes = readOperatorAttributes(op);
  auto fold = [&](ArrayRef<int64_t> numbers) {
    return getAsIndexOpFoldResult(builder.getContext(), numbers);
  };
  Value slice = tensor::ExtractSliceOp::create(
      builder, op.getLoc(), op->getOperand(0), fold(attributes.offsets),
      fold(getResultType(op).getShape()), fold(attributes.strides));
  return writeCast(builder, op.getLoc(), slice, getResultType(op));
}

/// Operands are put where they belong one after the other.
static Value writeConcat(OpBuilder &builder, OperatorOpInterface op) {
  RankedTensorType type = getResultType(op);
  int64_t dim = readOperatorAttributes(op).dims[0];
  Value joined = tensor::EmptyOp::create(builder, op.getLoc(), type.getShape(),
                                         type.getElementType());
  SmallVector<int64_t> offsets(type.getRank(), 0), ones(type.getRank(), 1);
  auto fold = [&](ArrayRef<int64_t> numbers) {
    return getAsIndexOpFoldResult(builder.getContext(), numbers);
  };
  for (Value part : op->getOperands()) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(part.getType()).getShape();
    Value stored = writeCast(builder, op.getLoc(), part, type.clone(shape));
    joined =
        tensor::InsertSliceOp::create(builder, op.getLoc(), stored, joined,
                                      fold(offsets), fold(shape), fold(ones));
    offsets[dim] += shape[dim];
  }
  return joined;
}

/// Element (.., i, j) is minus infinity where j > i + offset.
static Value writeCausalMask(OpBuilder &builder, OperatorOpInterface op) {
  RankedTensorType type = getResultType(op);
  int64_t offset = cast<kernel::CausalMaskOp>(op.getOperation()).getOffset();
  auto mask = [&](OpBuilder &inner, Location location, ValueRange element) {
    Value row = linalg::IndexOp::create(inner, location, type.getRank() - 2);
    Value column = linalg::IndexOp::create(inner, location, type.getRank() - 1);
    Value shift = arith::ConstantIndexOp::create(inner, location, offset);
    Value last = arith::AddIOp::create(inner, location, row, shift);
    Value isKept = arith::CmpIOp::create(
        inner, location, arith::CmpIPredicate::sle, column, last);
    Value lowest = arith::ConstantOp::create(
        inner, location,
        inner.getF32FloatAttr(-std::numeric_limits<float>::infinity()));
    return arith::SelectOp::create(inner, location, isKept, element[0], lowest)
        .getResult();
  };
  return writeElementwise(builder, op.getLoc(), type, op->getOperand(0), mask);
}

namespace {
struct MovementWriter {
  Opcode opcode;
  Value (*write)(OpBuilder &, OperatorOpInterface);
};
} // namespace

static constexpr MovementWriter kMovements[] = {
    {Opcode::Transpose, writeTranspose},   {Opcode::Reshape, writeReshape},
    {Opcode::Broadcast, writeCopy},        {Opcode::Cast, writeCopy},
    {Opcode::Slice, writeSlice},           {Opcode::Concat, writeConcat},
    {Opcode::CausalMask, writeCausalMask},
};

FailureOr<Value> mlir::mirage::exportMovement(OpBuilder &builder,
                                              OperatorOpInterface op) {
  for (const MovementWriter &movement : kMovements)
    if (movement.opcode == op.getTableOpcode())
      return movement.write(builder, op);
  return op->emitOpError() << "expects to stay: linalg has no op for it";
}
