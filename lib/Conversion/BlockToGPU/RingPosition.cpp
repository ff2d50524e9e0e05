//===- RingPosition.cpp - Where an iteration is in its rings --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RingPosition.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::mirage;

static Value emitConstant(ImplicitLocOpBuilder &builder, int64_t value) {
  return arith::ConstantIndexOp::create(builder, value);
}

static Value emitSum(ImplicitLocOpBuilder &builder, Value number,
                     int64_t distance) {
  return arith::AddIOp::create(builder, number,
                               emitConstant(builder, distance));
}

static Value emitCompare(ImplicitLocOpBuilder &builder,
                         arith::CmpIPredicate predicate, Value number,
                         int64_t other) {
  return arith::CmpIOp::create(builder, predicate, number,
                               emitConstant(builder, other));
}

RingPosition RingPosition::emitNext(ImplicitLocOpBuilder &builder,
                                    int64_t numPlaces) const {
  Value isLast =
      emitCompare(builder, arith::CmpIPredicate::eq, number, numPlaces - 1);
  RingPosition next;
  next.number = arith::SelectOp::create(
      builder, isLast, emitConstant(builder, 0), emitSum(builder, number, 1));
  next.parity = emitParity(builder, isLast);
  return next;
}

RingPosition RingPosition::emitAhead(ImplicitLocOpBuilder &builder,
                                     int64_t numPlaces,
                                     int64_t numAhead) const {
  Value beginsAnew = emitCompare(builder, arith::CmpIPredicate::uge, number,
                                 numPlaces - numAhead);
  RingPosition ahead;
  ahead.number = arith::SelectOp::create(
      builder, beginsAnew, emitSum(builder, number, numAhead - numPlaces),
      emitSum(builder, number, numAhead));
  ahead.parity = emitParity(builder, beginsAnew);
  return ahead;
}

Value RingPosition::emitNumberBefore(ImplicitLocOpBuilder &builder,
                                     int64_t numPlaces) const {
  Value isFirst = emitCompare(builder, arith::CmpIPredicate::eq, number, 0);
  return arith::SelectOp::create(builder, isFirst,
                                 emitConstant(builder, numPlaces - 1),
                                 emitSum(builder, number, -1));
}

Value RingPosition::emitParity(ImplicitLocOpBuilder &builder,
                               Value beginsAnew) const {
  if (!parity)
    return {};
  Value one = arith::ConstantIntOp::create(builder, builder.getI32Type(), 1);
  Value other = arith::XOrIOp::create(builder, parity, one);
  return arith::SelectOp::create(builder, beginsAnew, other, parity);
}
