//===- StructuredOps.cpp - linalg.generic over tensors --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StructuredOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::mirage;

SmallVector<AffineExpr> mlir::mirage::broadcastExprs(MLIRContext *context,
                                                     ArrayRef<int64_t> from,
                                                     ArrayRef<int64_t> to) {
  SmallVector<AffineExpr> exprs;
  unsigned added = to.size() - from.size();
  for (auto [dim, size] : llvm::enumerate(from)) {
    bool isStretched = size == 1 && to[added + dim] != 1;
    exprs.push_back(isStretched ? getAffineConstantExpr(0, context)
                                : getAffineDimExpr(added + dim, context));
  }
  return exprs;
}

Value mlir::mirage::castElement(OpBuilder &builder, Location location,
                                Value value, Type element) {
  if (value.getType() == element)
    return value;
  if (element.isF32())
    return arith::ExtFOp::create(builder, location, element, value);
  return arith::TruncFOp::create(builder, location, element, value);
}

static Value writeEmpty(OpBuilder &builder, Location location,
                        RankedTensorType type) {
  return tensor::EmptyOp::create(builder, location, type.getShape(),
                                 type.getElementType());
}

Value mlir::mirage::writeElementwise(OpBuilder &builder, Location location,
                                     RankedTensorType type, ValueRange operands,
                                     BodyFn body) {
  MLIRContext *context = builder.getContext();
  unsigned rank = type.getRank();
  SmallVector<AffineMap> maps;
  for (Type operand : operands.getTypes())
    maps.push_back(AffineMap::get(
        rank, 0,
        broadcastExprs(context, cast<RankedTensorType>(operand).getShape(),
                       type.getShape()),
        context));
  maps.push_back(builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto write = [&](OpBuilder &inner, Location, ValueRange arguments) {
    SmallVector<Value> elements;
    for (Value argument : arguments.drop_back())
      elements.push_back(
          castElement(inner, location, argument, inner.getF32Type()));
    Value result = body(inner, location, elements);
    linalg::YieldOp::create(
        inner, location,
        castElement(inner, location, result, type.getElementType()));
  };
  return linalg::GenericOp::create(builder, location, type, operands,
                                   writeEmpty(builder, location, type), maps,
                                   loops, write)
      .getResult(0);
}

Value mlir::mirage::writeFill(OpBuilder &builder, Location location,
                              RankedTensorType type, double number) {
  Value scalar = arith::ConstantOp::create(
      builder, location, builder.getFloatAttr(type.getElementType(), number));
  return linalg::FillOp::create(builder, location, scalar,
                                writeEmpty(builder, location, type))
      .getResult(0);
}

Value mlir::mirage::writeCast(OpBuilder &builder, Location location,
                              Value tensor, RankedTensorType type) {
  if (tensor.getType() == type)
    return tensor;
  return writeElementwise(
      builder, location, type, tensor,
      [](OpBuilder &, Location, ValueRange element) { return element[0]; });
}
