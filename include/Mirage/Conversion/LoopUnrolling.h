//===- LoopUnrolling.h - What LLVM is told of loops -------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_CONVERSION_LOOPUNROLLING_H
#define MIRAGE_CONVERSION_LOOPUNROLLING_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::mirage {

/// Has LLVM let so many iterations of a loop follow each other; with one it is
/// to stay as it is.
void setUnrolling(scf::ForOp loop, int count);

} // namespace mlir::mirage

#endif // MIRAGE_CONVERSION_LOOPUNROLLING_H
