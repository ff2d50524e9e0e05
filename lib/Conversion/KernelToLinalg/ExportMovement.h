//===- ExportMovement.h - Operators that move elements ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_KERNELTOLINALG_EXPORTMOVEMENT_H
#define MIRAGE_LIB_CONVERSION_KERNELTOLINALG_EXPORTMOVEMENT_H

#include "Mirage/Dialect/Operator/OperatorInterface.h"
#include "mlir/IR/Builders.h"

namespace mlir::mirage {

/// Each movement by a writer of its own. Fails after a diagnostic where there
/// is none.
FailureOr<Value> exportMovement(OpBuilder &builder, OperatorOpInterface op);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_KERNELTOLINALG_EXPORTMOVEMENT_H
