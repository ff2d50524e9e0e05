//===- ExportArithmetic.cpp - Operators that compute ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExportArithmetic.h"
#include "Mirage/Conversion/ScalarToArith.h"
#include "StructuredOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage;

static RankedTensorType getTensorType(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

static Attributes readAttributes(OperatorOpInterface op) {
  return readOperatorAttributes(op);
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// Definitions are written in a dozen primitives. Where upstream has an op for
/// the whole, readers know it; exp2 must be one, since ln 2 is no number.
static Value emitNamed(OpBuilder &builder, Location location, Opcode opcode,
                       ValueRange x) {
  switch (opcode) {
  case Opcode::Exp2:
    return math::Exp2Op::create(builder, location, x[0]);
  case Opcode::Rsqrt:
    return math::RsqrtOp::create(builder, location, x[0]);
  case Opcode::Neg:
    return arith::NegFOp::create(builder, location, x[0]);
  case Opcode::Sub:
    return arith::SubFOp::create(builder, location, x[0], x[1]);
  default:
    return {};
  }
}

Value mlir::mirage::exportElementwise(OpBuilder &builder,
                                      OperatorOpInterface op) {
  Opcode opcode = op.getTableOpcode();
  Attributes attributes = readAttributes(op);
  auto body = [&](OpBuilder &inner, Location location, ValueRange elements) {
    if (Value named = emitNamed(inner, location, opcode, elements))
      return named;
    return emitElementwise(inner, location, opcode, elements,
                           attributes.scalars, emitLiteral);
  };
  return writeElementwise(builder, op.getLoc(), getTensorType(op->getResult(0)),
                          op->getOperands(), body);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// What is joined, before it is finished, in f32.
static Value writeJoined(OpBuilder &builder, OperatorOpInterface op,
                         ArrayRef<int64_t> dims) {
  const OperatorInfo &info = getOperatorInfo(op.getTableOpcode());
  Location outer = op.getLoc();
  Value operand = op->getOperand(0);
  auto joined = getTensorType(op->getResult(0)).clone(builder.getF32Type());
  unsigned rank = joined.getRank();
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  SmallVector<AffineExpr> kept;
  for (unsigned dim = 0; dim < rank; ++dim)
    kept.push_back(builder.getAffineDimExpr(dim));
  for (int64_t dim : dims) {
    loops[dim] = utils::IteratorType::reduction;
    kept[dim] = builder.getAffineConstantExpr(0);
  }
  AffineMap maps[] = {builder.getMultiDimIdentityMap(rank),
                      AffineMap::get(rank, 0, kept, builder.getContext())};
  auto body = [&](OpBuilder &inner, Location, ValueRange arguments) {
    Value element = castElement(inner, outer, arguments[0], inner.getF32Type());
    Value term = emitScalarDefinition(inner, outer, info.definition, element,
                                      {}, 1, emitLiteral);
    linalg::YieldOp::create(
        inner, outer,
        emitCombine(inner, outer, info.combiner, arguments[1], term));
  };
  Value start = writeFill(builder, outer, joined, getNeutral(info.combiner));
  return linalg::GenericOp::create(builder, outer, joined, operand, start, maps,
                                   loops, body)
      .getResult(0);
}

Value mlir::mirage::exportReduction(OpBuilder &builder,
                                    OperatorOpInterface op) {
  const OperatorInfo &info = getOperatorInfo(op.getTableOpcode());
  Attributes attributes = readAttributes(op);
  Value joined = writeJoined(builder, op, attributes.dims);
  RankedTensorType type = getTensorType(op->getResult(0));
  if (info.finish.countArithmetic() == 0)
    return writeCast(builder, op.getLoc(), joined, type);
  int64_t size =
      getAveragedCount(attributes, getTensorType(op->getOperand(0)).getShape());
  auto finish = [&](OpBuilder &inner, Location location, ValueRange element) {
    return emitScalarDefinition(inner, location, info.finish, element, {}, size,
                                emitLiteral);
  };
  return writeElementwise(builder, op.getLoc(), type, joined, finish);
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

/// Loops are the result's dimensions, the sum's last.
static Value writeBroadcastMatmul(OpBuilder &builder, Location location,
                                  Value lhs, Value rhs, Value start) {
  MLIRContext *context = builder.getContext();
  RankedTensorType type = getTensorType(start);
  unsigned rank = type.getRank(), numLoops = rank + 1;
  AffineExpr m = builder.getAffineDimExpr(rank - 2),
             n = builder.getAffineDimExpr(rank - 1),
             k = builder.getAffineDimExpr(rank);
  auto getMap = [&](Value factor, AffineExpr row, AffineExpr column) {
    SmallVector<AffineExpr> exprs =
        broadcastExprs(context, getTensorType(factor).getShape().drop_back(2),
                       type.getShape().drop_back(2));
    exprs.append({row, column});
    return AffineMap::get(numLoops, 0, exprs, context);
  };
  AffineMap maps[] = {
      getMap(lhs, m, k), getMap(rhs, k, n),
      AffineMap::getMultiDimIdentityMap(numLoops, context).dropResult(rank)};
  SmallVector<utils::IteratorType> loops(numLoops,
                                         utils::IteratorType::parallel);
  loops.back() = utils::IteratorType::reduction;
  auto body = [&](OpBuilder &inner, Location, ValueRange arguments) {
    Value x = castElement(inner, location, arguments[0], inner.getF32Type());
    Value y = castElement(inner, location, arguments[1], inner.getF32Type());
    Value product = arith::MulFOp::create(inner, location, x, y);
    linalg::YieldOp::create(
        inner, location,
        emitCombine(inner, location, Combiner::Add, arguments[2], product));
  };
  return linalg::GenericOp::create(builder, location, type,
                                   ValueRange{lhs, rhs}, start, maps, loops,
                                   body)
      .getResult(0);
}

Value mlir::mirage::exportMatmul(OpBuilder &builder, OperatorOpInterface op) {
  Location location = op.getLoc();
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  RankedTensorType type = getTensorType(op->getResult(0));
  RankedTensorType product = type.clone(builder.getF32Type());
  Value start = writeFill(builder, location, product, 0);
  int64_t rank = type.getRank();
  bool haveBatch =
      rank == 3 && getTensorType(lhs).getRank() == 3 &&
      getTensorType(rhs).getRank() == 3 &&
      getTensorType(lhs).getDimSize(0) == getTensorType(rhs).getDimSize(0);
  Value result;
  if (rank == 2)
    result = linalg::MatmulOp::create(builder, location, product,
                                      ValueRange{lhs, rhs}, start)
                 .getResult(0);
  else if (haveBatch)
    result = linalg::BatchMatmulOp::create(builder, location, product,
                                           ValueRange{lhs, rhs}, start)
                 .getResult(0);
  else
    result = writeBroadcastMatmul(builder, location, lhs, rhs, start);
  return writeCast(builder, location, result, type);
}
