//===- JoinedRoots.cpp - Terms that are equal by laws of roots ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JoinedRoots.h"

using namespace mlir::mirage;

/// \returns whether all terms could be had.
bool JoinedRoots::join() {
  llvm::SmallVector<TermId> list;
  while (ofTerms.size() < table.size() && joined.getCost() <= maxCost) {
    TermId term = ofTerms.size();
    list.clear();
    for (TermId operand : table.getOperands(term))
      list.push_back(ofTerms[operand]);
    ofTerms.push_back(joined.rebuild(table[term], list));
  }
  return ofTerms.size() == table.size();
}

bool JoinedRoots::areEqual(TermId lhs, TermId rhs) {
  return lhs == rhs || (join() && ofTerms[lhs] == ofTerms[rhs]);
}
