//===- DeadOps.cpp - Ops that say nothing about a program -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Operator/DeadOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

DenseSet<mlir::Operation *> mlir::mirage::findDeadOps(Block &block) {
  DenseSet<mlir::Operation *> dead;
  for (mlir::Operation &op : llvm::reverse(block)) {
    auto isDead = [&](mlir::Operation *user) { return dead.contains(user); };
    if (wouldOpBeTriviallyDead(&op) && llvm::all_of(op.getUsers(), isDead))
      dead.insert(&op);
  }
  return dead;
}
