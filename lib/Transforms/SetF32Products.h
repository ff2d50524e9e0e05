//===- SetF32Products.h - How products of f32 are taken ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_TRANSFORMS_SETF32PRODUCTS_H
#define MIRAGE_LIB_TRANSFORMS_SETF32PRODUCTS_H

#include "mlir/IR/Operation.h"

namespace mlir::mirage {

/// Has all kernel graphs in an op, itself among them, say what the option
/// f32-products does, and programs that were recorded. Fails after an error at
/// the op where it is no choice.
LogicalResult setF32Products(Operation *root, StringRef choice);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_TRANSFORMS_SETF32PRODUCTS_H
