//===- ScalarTensors.cpp - Tensors of rank 0 beside graphs ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Operator/ScalarTensors.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::mirage;

bool mlir::mirage::isScalarTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0;
}

Type mlir::mirage::getTypeInGraph(Type type) {
  if (!isScalarTensor(type))
    return type;
  return RankedTensorType::get({1},
                               cast<RankedTensorType>(type).getElementType());
}

/// Whether an op reshapes a tensor of type `lower` into what that is in graphs,
/// or back.
static bool reshapesScalar(Type lower, Type higher) {
  return isScalarTensor(lower) && getTypeInGraph(lower) == higher;
}

bool mlir::mirage::reshapesScalar(Operation *op) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return ::reshapesScalar(expand.getSrcType(), expand.getResultType());
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return ::reshapesScalar(collapse.getResultType(), collapse.getSrcType());
  return false;
}

Value mlir::mirage::skipScalarReshapes(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (!reshapesScalar(op))
      break;
    tensor = op->getOperand(0);
  }
  return tensor;
}

/// An op before the place of insertion that makes [1] of a tensor of rank 0.
static Operation *findExpansion(OpBuilder &builder, Value scalar) {
  for (Operation *user : scalar.getUsers())
    if (user->getBlock() == builder.getInsertionBlock() &&
        reshapesScalar(user) &&
        (builder.getInsertionPoint() == user->getBlock()->end() ||
         user->isBeforeInBlock(&*builder.getInsertionPoint())))
      return user;
  return nullptr;
}

Value mlir::mirage::expandScalar(OpBuilder &builder, Location location,
                                 Value tensor) {
  if (!isScalarTensor(tensor.getType()))
    return tensor;
  if (Operation *expansion = findExpansion(builder, tensor))
    return expansion->getResult(0);
  return tensor::ExpandShapeOp::create(builder, location,
                                       getTypeInGraph(tensor.getType()), tensor,
                                       ArrayRef<ReassociationIndices>());
}

Value mlir::mirage::collapseScalar(OpBuilder &builder, Location location,
                                   Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return tensor::CollapseShapeOp::create(
      builder, location, RankedTensorType::get({}, type.getElementType()),
      tensor, ArrayRef<ReassociationIndices>());
}
