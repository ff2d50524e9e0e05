//===- OperatorFolds.cpp - Results that are there already -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Operator/Canonicalization.h"
#include "Mirage/Dialect/Operator/OperatorInterface.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FoldInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <cmath>

using namespace mlir;
using namespace mlir::mirage;

bool mlir::mirage::holdsExactly(Type from, Type to) {
  return APFloat::isRepresentableBy(
      cast<FloatType>(getElementTypeOrSelf(from)).getFloatSemantics(),
      cast<FloatType>(getElementTypeOrSelf(to)).getFloatSemantics());
}

/// The op that gives a value, if it is this row of the table.
static OperatorOpInterface getRow(Value value, Opcode opcode) {
  auto row = value.getDefiningOp<OperatorOpInterface>();
  return row && row.getTableOpcode() == opcode ? row : OperatorOpInterface();
}

/// What the op of the same row that gives `value` is applied to, provided that
/// it rounds nothing.
static Value lookThrough(Value value, Opcode opcode) {
  OperatorOpInterface inner = getRow(value, opcode);
  if (!inner || !holdsExactly(inner->getOperand(0).getType(), value.getType()))
    return {};
  return inner->getOperand(0);
}

static bool isSame(OperatorOpInterface lhs, OperatorOpInterface rhs) {
  return readOperatorAttributes(lhs) == readOperatorAttributes(rhs);
}

/// A value that the result equals, provided that it has the result's type.
static Value findEqual(OperatorOpInterface op) {
  Opcode opcode = op.getTableOpcode();
  Attributes attributes = readOperatorAttributes(op);
  Value operand = op->getNumOperands() > 0 ? op->getOperand(0) : Value();
  switch (opcode) {
  case Opcode::Cast:
    if (operand.getType() != op->getResult(0).getType())
      return lookThrough(operand, Opcode::Cast);
    return operand;
  // Of the operand's own type these move nothing.
  case Opcode::Reshape:
  case Opcode::Broadcast:
  case Opcode::Slice:
  case Opcode::Repeat:
    return operand;
  case Opcode::Transpose:
    return llvm::equal(attributes.dims,
                       llvm::seq<int64_t>(0, attributes.dims.size()))
               ? operand
               : Value();
  case Opcode::Concat:
    return op->getNumOperands() == 1 ? operand : Value();
  case Opcode::Scale:
  case Opcode::Unscale:
    return attributes.scalars[0] == 1 ? operand : Value();
  // x + 0 is 0 where x is -0; x + -0 is x.
  case Opcode::Offset:
    return attributes.scalars[0] == 0 && std::signbit(attributes.scalars[0])
               ? operand
               : Value();
  case Opcode::Neg:
    return lookThrough(operand, Opcode::Neg);
  case Opcode::Maximum:
  case Opcode::Minimum:
    return operand == op->getOperand(1) ? operand : Value();
  // Once is as often as you like.
  case Opcode::Abs:
  case Opcode::Relu:
  case Opcode::CausalMask: {
    OperatorOpInterface inner = getRow(operand, opcode);
    return inner && isSame(inner, op) ? operand : Value();
  }
  default:
    return {};
  }
}

namespace {
struct OperatorFolds : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;

  LogicalResult fold(Operation *op, ArrayRef<Attribute>,
                     SmallVectorImpl<OpFoldResult> &results) const final {
    auto row = dyn_cast<OperatorOpInterface>(op);
    Value equal = row ? findEqual(row) : Value();
    if (!equal || equal.getType() != op->getResult(0).getType())
      return failure();
    results.push_back(equal);
    return success();
  }
};
} // namespace

void mlir::mirage::addOperatorFolds(Dialect &dialect) {
  dialect.addInterface<OperatorFolds>();
}
