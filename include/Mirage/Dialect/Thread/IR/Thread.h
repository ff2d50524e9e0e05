//===- Thread.h - The thread level ------------------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_THREAD_IR_THREAD_H
#define MIRAGE_DIALECT_THREAD_IR_THREAD_H

#include "Mirage/Dialect/Operator/OperatorInterface.h"
#include "Mirage/Dialect/Operator/PlanAttributes.h"
#include "Mirage/Dialect/Operator/TileGraphInterface.h"
#include "Mirage/Dialect/Thread/IR/Fragments.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Mirage/Dialect/Thread/IR/ThreadDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Mirage/Dialect/Thread/IR/ThreadAttributes.h.inc"

#define GET_OP_CLASSES
#include "Mirage/Dialect/Thread/IR/ThreadOps.h.inc"

namespace mlir::mirage::thread {

/// An operand of `wgmma` that is read from the tile where it lies.
struct OperandWindow {
  BlockArgument window;
  bool isLhs = false;
  /// The operand is the transpose of the window.
  bool isTransposed = false;

  /// The dimensions of the window that count k, and rows of the result on the
  /// left or its columns on the right: the last one and that before it.
  unsigned getKDim() const { return getLastDim() - !isKMajor(); }
  unsigned getOuterDim() const { return getLastDim() - isKMajor(); }
  /// Whether k runs along the window's rows.
  bool isKMajor() const { return isLhs != isTransposed; }
  int64_t getSize(unsigned dim) const {
    return cast<ShapedType>(window.getType()).getDimSize(dim);
  }

private:
  unsigned getLastDim() const {
    return cast<ShapedType>(window.getType()).getRank() - 1;
  }
};

/// \returns none where the operand is a fragment.
std::optional<OperandWindow> findOperandWindow(Value operand, bool isLhs);

/// Whether `wgmma` is all that reads a window, and does.
bool isReadByWgmma(BlockArgument window);

/// Where the last axis of a graph's items moves a window; none where there is
/// no axis, or the graph says nothing of the window.
std::optional<int64_t> getLastMap(mirage::thread::GraphOp graph,
                                  BlockArgument window);

/// Whether items that follow each other by the last axis have windows that
/// follow each other along a dimension: nothing that counts faster cuts it.
bool followsLastAxis(mirage::thread::GraphOp graph, BlockArgument window,
                     int64_t dim);

} // namespace mlir::mirage::thread

#endif // MIRAGE_DIALECT_THREAD_IR_THREAD_H
