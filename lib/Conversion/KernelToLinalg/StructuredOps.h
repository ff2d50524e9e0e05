//===- StructuredOps.h - linalg.generic over tensors ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_KERNELTOLINALG_STRUCTUREDOPS_H
#define MIRAGE_LIB_CONVERSION_KERNELTOLINALG_STRUCTUREDOPS_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::mirage {

/// What a generic does at one point: from the operands' elements, in f32, to
/// the result's.
using BodyFn = llvm::function_ref<Value(OpBuilder &, Location, ValueRange)>;

/// The dimensions `first`, `first` + 1, ... of a loop nest as they index an
/// operand of shape `from` that broadcasts to `to`: 0 where a size is
/// stretched.
SmallVector<AffineExpr> broadcastExprs(MLIRContext *context,
                                       ArrayRef<int64_t> from,
                                       ArrayRef<int64_t> to);

/// `value` in f32, or f32 in `element`.
Value castElement(OpBuilder &builder, Location location, Value value,
                  Type element);

/// An op of one loop for each dimension of `type`, over which operands
/// broadcast.
Value writeElementwise(OpBuilder &builder, Location location,
                       RankedTensorType type, ValueRange operands, BodyFn body);

/// A tensor of `type` with all elements `number`.
Value writeFill(OpBuilder &builder, Location location, RankedTensorType type,
                double number);

/// `tensor` in another element type; itself if it has it.
Value writeCast(OpBuilder &builder, Location location, Value tensor,
                RankedTensorType type);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_KERNELTOLINALG_STRUCTUREDOPS_H
