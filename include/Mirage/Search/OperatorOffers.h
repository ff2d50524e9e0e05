//===- OperatorOffers.h - What the operator table offers --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of the operator table that can have a part in computing a target:
// those whose definition needs nothing (a constant, a function, a sign) that
// the target does not have. Constants come from the program. How a row behaves
// in sums and products is read off its form on a probe, so that the search
// names no operator.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_OPERATOROFFERS_H
#define MIRAGE_SEARCH_OPERATOROFFERS_H

#include "Mirage/Search/TargetProgram.h"

namespace mlir::mirage::search {

struct OperatorOffer {
  const OperatorInfo *row = nullptr;
  llvm::SmallVector<double, 2> scalars;
  std::optional<CausalNames> mask; ///< of a causal mask

  /// x times a constant: placed last among the factors of a term.
  bool isFactor = false;
  bool isNegation = false; ///< a factor that is only a sign
  /// 1/x, or 1/f(x) with f on offer: multiplied where a division is not as
  /// good.
  bool isReciprocal = false;
  bool invertsFunction = false; ///< it is 1/f(x)
  /// A sum and nothing else: passes through products and other sums.
  bool isLinearReduction = false;
  /// A reduction that joins parts of what is reduced already.
  bool joinsParts = false;
  /// Two equal operands are some other offer's work (x·x is a square).
  bool refusesEqualOperands = false;

  /// What the result is with respect to an operand.
  enum class Position : uint8_t {
    Factor,  ///< a product with it
    Summand, ///< a sum with it
    Inside,  ///< anything else
  };
  llvm::SmallVector<Position, 2> positions; ///< by operand
  bool multiplies() const;
  bool isOwn = false; ///< an operation of the program
  /// What the result has besides the operand: some term with a sign; 1 as a
  /// term.
  bool hasSign = false, addsOne = false;
};

/// In the order of the table; their order ranks operators (Enumerator.h).
/// \param levels      the target's (SubexpressionTest::getLevelForms).
/// \param contracted  what the program's matrix products read: a reciprocal is
///                    on offer if one stands there or in a level.
std::vector<OperatorOffer> collectOffers(ExpressionContext &context,
                                         OperatorForms &forms,
                                         const TargetProgram &program,
                                         llvm::ArrayRef<FormId> levels,
                                         llvm::ArrayRef<FormId> contracted);

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_OPERATOROFFERS_H
