//===- FindLocation.h - Where to report -------------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ANALYSIS_FINDLOCATION_H
#define MIRAGE_ANALYSIS_FINDLOCATION_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

namespace mlir::mirage {

/// Where to report what concerns all of `op`. This is the op's own location,
/// but for the module that a parser puts around a file without one, which
/// stands at line 0: there it is that of the first op in it, and line 1 of a
/// file without any.
Location findLocation(mlir::Operation *op);

} // namespace mlir::mirage

#endif // MIRAGE_ANALYSIS_FINDLOCATION_H
