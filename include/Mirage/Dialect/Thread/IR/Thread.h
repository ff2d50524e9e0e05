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
  /// The operand is the transpose of the window: k is the window's last
  /// dimension on the right, its last but one on the left.
  bool isTransposed = false;

  /// The dimension of the window that counts k, from the last one back.
  unsigned getKFromBack(bool isLhs) const { return isLhs == isTransposed; }
};

/// \returns none where the operand is a fragment.
std::optional<OperandWindow> findOperandWindow(Value operand);

/// Whether `wgmma` is all that reads a window.
bool isReadByWgmma(BlockArgument window);

} // namespace mlir::mirage::thread

#endif // MIRAGE_DIALECT_THREAD_IR_THREAD_H
