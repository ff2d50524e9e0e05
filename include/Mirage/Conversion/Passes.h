//===- Passes.h - Passes of Conversion --------------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_CONVERSION_PASSES_H
#define MIRAGE_CONVERSION_PASSES_H

#include "Mirage/Options/CheckedPass.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace mlir::mirage {

#define GEN_PASS_DECL
#include "Mirage/Conversion/Passes.h.inc"

/// Patterns of --mirage-lower-math.
void populateLowerMathPatterns(RewritePatternSet &patterns);

#define GEN_PASS_REGISTRATION
#include "Mirage/Conversion/Passes.h.inc"

} // namespace mlir::mirage

#endif // MIRAGE_CONVERSION_PASSES_H
