//===- DeadOps.h - Ops that say nothing about a program ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_DIALECT_OPERATOR_DEADOPS_H
#define MIRAGE_DIALECT_OPERATOR_DEADOPS_H

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::mirage {

/// Ops without effects whose results nothing needs, or only others of these.
/// They are no part of the program that a function computes, whatever they are.
DenseSet<mlir::Operation *> findDeadOps(Block &block);

} // namespace mlir::mirage

#endif // MIRAGE_DIALECT_OPERATOR_DEADOPS_H
