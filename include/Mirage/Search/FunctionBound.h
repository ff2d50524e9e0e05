//===- FunctionBound.h - Functions still to be applied ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target with exp(q·k) in it needs an operator for that exponential until
// some tensor has it. The functions of the target that no tensor has bound from
// below how many operators are missing.
//
// Roots are no functions to the laws, as √x·√y is √(x·y): which ones there are
// is no matter of single operators. How many of them stand inside one another
// is: products and quotients make no root of a root, and an operator that takes
// roots takes one. Two for norm(x + norm(h)), with norm(x) = x/√(mean x²).
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_FUNCTIONBOUND_H
#define MIRAGE_SEARCH_FUNCTIONBOUND_H

#include "Mirage/Algebra/Expression.h"

namespace mlir::mirage::search {

class FunctionBound {
public:
  /// A set of the target's functions, one bit each.
  using FunctionSet = uint64_t;

  FunctionBound(const ExpressionContext &context,
                llvm::ArrayRef<FormId> levels);

  /// Those of them that reductions give, so that an accumulation may.
  FunctionSet getReductions() const { return reductions; }
  /// Which of the target's functions stand in the form.
  FunctionSet find(FormId form);
  /// How many roots stand inside one another in the form.
  unsigned getRootDepth(FormId form);

private:
  FunctionSet compute(FormId form, bool isTarget);
  FunctionSet computeAtom(const Atom &atom, bool isTarget);
  std::string getArgumentText(FormId argument) const;
  FunctionSet note(std::string key, bool isTarget, bool isReduction);

  const ExpressionContext &context;
  std::vector<std::string> keys; ///< by bit
  FunctionSet reductions = 0;
  llvm::DenseMap<uint32_t, FunctionSet> memo;
  llvm::DenseMap<uint32_t, unsigned> rootDepths;
};

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_FUNCTIONBOUND_H
