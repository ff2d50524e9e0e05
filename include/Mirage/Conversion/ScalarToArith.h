//===- ScalarToArith.h - Scalar definitions as arith and math ---*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_CONVERSION_SCALARTOARITH_H
#define MIRAGE_CONVERSION_SCALARTOARITH_H

#include "Mirage/Graph/Operators.h"
#include "mlir/IR/Builders.h"

namespace mlir::mirage {

/// Computes a scalar definition by operations of `arith` and `math` at the
/// builder's insertion point.
/// \param arguments   one value of type f32 for each operand.
/// \param parameters  the scalar attributes of the operation.
/// \param size        what Size stands for: the elements that a reduction ran
///                    over.
/// \returns a value of type f32.
Value emitScalarDefinition(OpBuilder &builder, Location location,
                           const ScalarDefinition &definition,
                           ValueRange arguments,
                           llvm::ArrayRef<double> parameters = {},
                           int64_t size = 1);

/// Computes an elementwise operator: by its definition, but by a function of
/// `math` where the definition, exact over the reals, cancels in f32. Arguments
/// and result as above.
Value emitElementwise(OpBuilder &builder, Location location, Opcode opcode,
                      ValueRange arguments,
                      llvm::ArrayRef<double> parameters = {});

/// Joins two values of type f32. Maxima propagate NaN.
Value emitCombine(OpBuilder &builder, Location location, Combiner combiner,
                  Value lhs, Value rhs);

/// An f32 constant, rounded to nearest.
Value emitConstant(OpBuilder &builder, Location location, double value);

} // namespace mlir::mirage

#endif // MIRAGE_CONVERSION_SCALARTOARITH_H
