//===- JoinedRoots.h - Terms that are equal by laws of roots ----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One graph takes the roots of two norms, another one root of their product. No
// bound speaks of the two: whether √s·√t − √(s·t) is zero depends on signs that
// hang together. But the terms are equal over the real numbers, wherever both
// are defined (TermTable::RootLaws): each graph is, where it has a value, what
// its term with joined roots is, and these are one.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_JOINEDROOTS_H
#define MIRAGE_LIB_VERIFY_JOINEDROOTS_H

#include "TermTable.h"

namespace mlir::mirage {

class JoinedRoots {
public:
  /// \param maxCost  of the terms with joined roots; where they are more, no
  /// two
  ///                 terms are equal but those that are one.
  JoinedRoots(const TermTable &table, size_t maxCost)
      : table(table), maxCost(maxCost) {}

  bool areEqual(TermId lhs, TermId rhs);

private:
  bool join();

  const TermTable &table;
  size_t maxCost;
  TermTable joined{TermTable::RootLaws::Joined};
  std::vector<TermId> ofTerms; ///< in `joined`, once they were asked for
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_JOINEDROOTS_H
