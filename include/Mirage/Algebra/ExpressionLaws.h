//===- ExpressionLaws.h - The laws of abstract expressions ------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The laws as data: pairs of trees with variables. The normal form holds them
// by construction (docs/Expressions.md argues it); a solver asserts them, a
// rewriting system applies them, and tests ask each by its name of all three.
//
// In a law, Variable nodes are any expressions (x, y, z), names are any ranges
// (i, j) and symbols any axes (l, g). A range "i split by l" is any range that
// some axis l splits. The function f stands for any function.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ALGEBRA_EXPRESSIONLAWS_H
#define MIRAGE_ALGEBRA_EXPRESSIONLAWS_H

#include "Mirage/Algebra/ExpressionTree.h"

namespace mlir::mirage {

/// lhs = rhs, for all values of the variables that meet the conditions.
struct ExpressionLaw {
  llvm::StringRef name;
  Expression lhs, rhs;
  /// Pairs of a variable and a range whose name must not be free in it.
  llvm::SmallVector<std::pair<unsigned, NameId>, 1> independent = {};
  /// Ranges 0 and 1 have different names.
  bool needsDifferentNames = false;
};

/// `part` is a subexpression of `whole`, for all values of the variables.
struct SubexpressionRule {
  llvm::StringRef name;
  Expression part, whole;
};

/// In the order of docs/Expressions.md, which numbers them.
llvm::ArrayRef<ExpressionLaw> getExpressionLaws();
/// One step each; being a subexpression is the reflexive and transitive closure
/// of steps and of equality by the laws.
llvm::ArrayRef<SubexpressionRule> getSubexpressionRules();

} // namespace mlir::mirage

#endif // MIRAGE_ALGEBRA_EXPRESSIONLAWS_H
