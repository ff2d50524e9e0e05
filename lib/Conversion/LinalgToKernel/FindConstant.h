//===- FindConstant.h - Numbers that a program states -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_FINDCONSTANT_H
#define MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_FINDCONSTANT_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace mlir::mirage {

/// The number that a scalar of floating point, or every element of a tensor of
/// these, is known to be. Front ends state one number in many ways: a constant
/// of rank 0 that is extracted, a size that is cast, a fill, a splat.
std::optional<double> findConstant(Value value);

/// The same for a scalar integer or index.
std::optional<int64_t> findInteger(Value value);

/// Whether an op does nothing but state a number or give a place to write to;
/// what reads it needs no kernel for it.
bool isSource(Operation *op);

/// `number` in a type, rounded to nearest.
APFloat roundTo(double number, FloatType type);
double toDouble(APFloat value);
/// What `roundTo` gives, in double precision.
double getRounded(double number, FloatType type);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_LINALGTOKERNEL_FINDCONSTANT_H
