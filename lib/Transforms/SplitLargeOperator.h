//===- SplitLargeOperator.h - Operators that no block can hold --*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_TRANSFORMS_SPLITLARGEOPERATOR_H
#define MIRAGE_LIB_TRANSFORMS_SPLITLARGEOPERATOR_H

#include "Mirage/Dialect/Operator/OperatorInterface.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::mirage {

/// A block graph has three axes for the dimensions of a result and one loop for
/// those that are reduced; what it does not cut, a block holds whole. Puts
/// operators of the kernel level that leave less uncut in the place of one for
/// which that is too much. In this order:
///
///   sum dims [0, 1, 2]       sum dims [2], of that sum dims [1], of that sum
///                            dims [0], in f32 between them
///   exp : 9x9x9x9x9x9        exp : 531441, between two reshapes: neighbouring
///                            dimensions that all operands have, or lack
///   transpose dims [3, 2, 1, 0]   its two halves along the smallest dimension
///                            of the result, of slices, put together by a
///                            concat
///
/// All views in it are such as --mirage-materialize-views leaves.
/// \returns the new operators that are not views; none, with nothing changed,
/// where there is nothing left to split.
SmallVector<OperatorOpInterface> splitLargeOperator(RewriterBase &rewriter,
                                                    OperatorOpInterface op);

/// Whether the tensors of a kernel have other shapes: not elements that lie
/// apart, those of a slice, and of what is written as a part of another tensor.
bool canReshape(Operation *kernel);

/// Whether rows of tensors of a kernel end inside sectors of device memory.
bool hasOddRows(Operation *kernel);

/// Makes one dimension of the rows of what is computed element by element, if
/// their ends are parts of sectors and no operand tells any apart:
///
///   exp : 16x1001       exp : 16016, between two reshapes
///
/// Tiles that cut such rows would have two parts of sectors for each.
/// \returns the new operator; null, with nothing changed, for others.
OperatorOpInterface joinOddRows(RewriterBase &rewriter, OperatorOpInterface op);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_TRANSFORMS_SPLITLARGEOPERATOR_H
