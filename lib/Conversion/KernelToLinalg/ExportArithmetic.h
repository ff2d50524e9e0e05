//===- ExportArithmetic.h - Operators that compute --------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_KERNELTOLINALG_EXPORTARITHMETIC_H
#define MIRAGE_LIB_CONVERSION_KERNELTOLINALG_EXPORTARITHMETIC_H

#include "Mirage/Dialect/Operator/OperatorInterface.h"
#include "mlir/IR/Builders.h"

namespace mlir::mirage {

/// By the row's definition.
Value exportElementwise(OpBuilder &builder, OperatorOpInterface op);
/// By the row's definition, combiner and finish.
Value exportReduction(OpBuilder &builder, OperatorOpInterface op);
/// As the named op of linalg where there is one for the ranks.
Value exportMatmul(OpBuilder &builder, OperatorOpInterface op);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_KERNELTOLINALG_EXPORTARITHMETIC_H
