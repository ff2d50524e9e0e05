//===- Canonicalization.h - Identities of the operator table ----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Identities that hold for every bit of every float. The levels share their
// operators, so these stand once: folds where a result is a value that is there
// already, rewrites where an op takes the place of two. Which ones, and which
// not because of signed zeros, rounding or NaN:
// docs/rationale/Canonicalization.md.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_OPERATOR_CANONICALIZATION_H
#define MIRAGE_DIALECT_OPERATOR_CANONICALIZATION_H

#include "mlir/IR/Dialect.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::mirage {

/// Whether every number of one float type is a number of another.
bool holdsExactly(Type from, Type to);

/// Adds the folds to a dialect, in its initialize().
void addOperatorFolds(Dialect &dialect);

/// The rewrites, for the canonicalization patterns of one dialect: of kernels
/// or of blocks. What warps hold in registers is laid out for the ops that
/// there are.
/// \param dialect  the namespace of the ops that are changed.
void populateOperatorCanonicalizationPatterns(RewritePatternSet &patterns,
                                              StringRef dialect);

} // namespace mlir::mirage

#endif // MIRAGE_DIALECT_OPERATOR_CANONICALIZATION_H
