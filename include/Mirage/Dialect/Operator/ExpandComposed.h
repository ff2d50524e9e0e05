//===- ExpandComposed.h - Norms and softmax as what they are ----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_OPERATOR_EXPANDCOMPOSED_H
#define MIRAGE_DIALECT_OPERATOR_EXPANDCOMPOSED_H

#include "Mirage/Dialect/Operator/OperatorInterface.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::mirage {

/// Puts the ops of a composed operator's definition
/// (`Mirage/Graph/ComposedOperators.h`), of the same dialect, in its place.
void expandComposed(RewriterBase &rewriter, OperatorOpInterface op);

/// Those that are composed in an op, at all depths.
SmallVector<OperatorOpInterface> findComposed(Operation *op);

} // namespace mlir::mirage

#endif // MIRAGE_DIALECT_OPERATOR_EXPANDCOMPOSED_H
