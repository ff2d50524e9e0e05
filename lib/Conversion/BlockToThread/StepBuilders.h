//===- StepBuilders.h - Steps of a block as thread graphs -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_BLOCKTOTHREAD_STEPBUILDERS_H
#define MIRAGE_LIB_CONVERSION_BLOCKTOTHREAD_STEPBUILDERS_H

#include "Mirage/Dialect/Operator/OperatorInterface.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::mirage {

/// Each builds the thread graph of one operation of a block graph at the
/// rewriter's insertion point.
/// \param numWarps  that share the step.
/// \returns the tile that takes the place of the operation's result; null, with
/// nothing built, where its tiles would be cut along more dimensions than a
/// thread graph has axes: the operation stays, and is computed element by
/// element.
Value buildElementwiseStep(RewriterBase &rewriter, Operation *op,
                           unsigned numWarps);
Value buildReductionStep(RewriterBase &rewriter, Operation *op,
                         unsigned numWarps);
Value buildMatmulStep(RewriterBase &rewriter, Operation *op, unsigned numWarps);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_BLOCKTOTHREAD_STEPBUILDERS_H
