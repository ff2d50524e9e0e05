//===- RealTerms.h - Terms that are equal over the real numbers -*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One graph takes the roots of two norms, another one root of their product. No
// bound speaks of the two: whether √s·√t − √(s·t) is zero depends on signs that
// hang together. One graph takes the maximum of a row out of the exponents of a
// softmax, another one that of each tile: a bound that holds whatever maxima
// pick is worth little. But the terms are equal over the real numbers, wherever
// both are defined (TermTable::Laws): each graph is, where it has a value, what
// its term is by these laws, and those are one.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_REALTERMS_H
#define MIRAGE_LIB_VERIFY_REALTERMS_H

#include "TermTable.h"

namespace mlir::mirage {

class RealTerms {
public:
  /// \param maxCost  of the terms by these laws; where they are more, no two
  ///                 terms are equal but those that are one.
  RealTerms(const TermTable &table, size_t maxCost)
      : table(table), maxCost(maxCost) {}

  bool areEqual(TermId lhs, TermId rhs);

private:
  bool rebuild();

  const TermTable &table;
  size_t maxCost;
  TermTable real{TermTable::Laws::Reals};
  std::vector<TermId> ofTerms; ///< in `real`, once they were asked for
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_REALTERMS_H
