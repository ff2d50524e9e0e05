//===- Pruner.h - What decides whether a prefix is kept ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ALGEBRA_PRUNER_H
#define MIRAGE_ALGEBRA_PRUNER_H

#include "Mirage/Algebra/Expression.h"
#include <functional>
#include <memory>

namespace mlir::mirage {

/// Answers for the outputs of one program which tensors are worth computing.
/// SubexpressionTest decides it by normal forms; SolverPruner (AlgebraZ3) asks
/// a solver.
class Pruner {
public:
  virtual ~Pruner() = default;
  /// Whether something equal to an output contains `candidate`, a form of the
  /// context that the pruner was made with, with free letters of scope 0.
  virtual bool contains(FormId candidate) = 0;
};

/// Makes the pruner of a program, for the context of its outputs' forms.
using PrunerFactory = std::function<std::unique_ptr<Pruner>(
    ExpressionContext &context, llvm::ArrayRef<FormId> targets)>;

} // namespace mlir::mirage

#endif // MIRAGE_ALGEBRA_PRUNER_H
