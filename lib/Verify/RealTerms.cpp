//===- RealTerms.cpp - Terms that are equal over the real numbers ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RealTerms.h"

using namespace mlir::mirage;

/// \returns whether all terms could be had.
bool RealTerms::rebuild() {
  llvm::SmallVector<TermId> list;
  while (ofTerms.size() < table.size() && real.getCost() <= maxCost) {
    TermId term = ofTerms.size();
    list.clear();
    for (TermId operand : table.getOperands(term))
      list.push_back(ofTerms[operand]);
    ofTerms.push_back(real.rebuild(table[term], list));
  }
  return ofTerms.size() == table.size();
}

bool RealTerms::areEqual(TermId lhs, TermId rhs) {
  return lhs == rhs || (rebuild() && ofTerms[lhs] == ofTerms[rhs]);
}
