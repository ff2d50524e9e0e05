//===- FunctionBound.h - Functions that a prefix still has to apply *- C++
//-*-===//
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

  FunctionSet getAll() const { return all; }
  /// Those of them that reductions give, so that an accumulation may.
  FunctionSet getReductions() const { return reductions; }
  /// Which of the target's functions stand in the form.
  FunctionSet find(FormId form);

private:
  FunctionSet compute(FormId form, bool isTarget);
  FunctionSet computeAtom(const Atom &atom, bool isTarget);
  FunctionSet note(std::string key, bool isTarget, bool isReduction);

  const ExpressionContext &context;
  std::vector<std::string> keys; ///< by bit
  FunctionSet all = 0, reductions = 0;
  llvm::DenseMap<uint32_t, FunctionSet> memo;
};

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_FUNCTIONBOUND_H
