//===- OperandForms.h - How operands of thread graphs lie -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The swizzles that a placed thread graph states of its inputs
// (Mirage/Analysis/TileForms.h). What stays free behind rows is in the strides
// of their memrefs.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_THREADTOVECTOR_OPERANDFORMS_H
#define MIRAGE_LIB_CONVERSION_THREADTOVECTOR_OPERANDFORMS_H

#include "Mirage/Analysis/TileForms.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"

namespace mlir::mirage {

/// How an input's tile lies, but for what stays free behind rows.
TileForm readForm(thread::GraphOp graph, unsigned input);

/// The same of one that is swizzled; else none.
std::optional<BoxedTile> findSwizzled(thread::GraphOp graph, unsigned input);

/// Whether tiles can have the swizzles that are stated of them, of which each
/// has one at most: of a tile that lay otherwise other elements would be read.
/// \returns failure after an error at the graph.
LogicalResult checkSwizzles(thread::GraphOp graph);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_THREADTOVECTOR_OPERANDFORMS_H
