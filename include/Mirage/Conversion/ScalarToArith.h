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

/// An f32 constant, rounded to nearest.
Value emitConstant(OpBuilder &builder, Location location, double value);
/// The same, but where that would round, a double that is rounded at run time:
/// whoever reads the IR finds the number itself.
Value emitLiteral(OpBuilder &builder, Location location, double value);
using EmitNumberFn = llvm::function_ref<Value(OpBuilder &, Location, double)>;

/// Computes a scalar definition by operations of `arith` and `math` at the
/// builder's insertion point.
/// \param arguments   one value of type f32 for each operand.
/// \param parameters  the scalar attributes of the operation.
/// \param size        what Size stands for: the elements that a reduction ran
///                    over.
/// \param emitNumber  how constants and parameters are written.
/// \returns a value of type f32.
Value emitScalarDefinition(OpBuilder &builder, Location location,
                           const ScalarDefinition &definition,
                           ValueRange arguments,
                           llvm::ArrayRef<double> parameters = {},
                           int64_t size = 1,
                           EmitNumberFn emitNumber = emitConstant);

/// Computes an elementwise operator: by its definition, but by a function of
/// `math` where the definition, exact over the reals, cancels in f32. Arguments
/// and result as above.
Value emitElementwise(OpBuilder &builder, Location location, Opcode opcode,
                      ValueRange arguments,
                      llvm::ArrayRef<double> parameters = {},
                      EmitNumberFn emitNumber = emitConstant);

/// Joins two values of type f32. Maxima propagate NaN.
Value emitCombine(OpBuilder &builder, Location location, Combiner combiner,
                  Value lhs, Value rhs);

} // namespace mlir::mirage

#endif // MIRAGE_CONVERSION_SCALARTOARITH_H
