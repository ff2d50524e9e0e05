//===- HeldTileConversion.h - Held tiles as registers -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_THREADTOVECTOR_HELDTILECONVERSION_H
#define MIRAGE_LIB_CONVERSION_THREADTOVECTOR_HELDTILECONVERSION_H

#include "mlir/IR/Operation.h"

namespace mlir::mirage {

/// Makes a scalar for each register of the tensors that a block holds:
/// constants of one value, and what the control flow of `scf` carries. The
/// casts between tensors and registers that thread graphs have left behind are
/// gone then.
LogicalResult convertHeldTiles(Operation *root);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_THREADTOVECTOR_HELDTILECONVERSION_H
