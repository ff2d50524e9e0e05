//===- RecordProgram.h - The original program beside the compiled one -----===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_TRANSFORMS_RECORDPROGRAM_H
#define MIRAGE_LIB_TRANSFORMS_RECORDPROGRAM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::mirage {

/// Keeps what a function computes as its attribute kProgramAttr, unless it has
/// one. \returns failure after a diagnostic where it is no tensor program.
LogicalResult recordProgram(func::FuncOp function);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_TRANSFORMS_RECORDPROGRAM_H
