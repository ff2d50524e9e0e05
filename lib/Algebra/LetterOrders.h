//===- LetterOrders.h - Namings of bound letters ----------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_ALGEBRA_LETTERORDERS_H
#define MIRAGE_LIB_ALGEBRA_LETTERORDERS_H

#include "Mirage/Algebra/Letter.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace mlir::mirage {

/// All ways to give bound letters their scopes, one name after the other.
class LetterOrders {
public:
  LetterOrders(Letters bound, uint16_t height)
      : order(std::move(bound)), height(height) {
    llvm::sort(order);
  }

  /// The renaming of the current order.
  LetterMap getMap() const {
    LetterMap map;
    for (unsigned i = 0; i < order.size(); ++i)
      map.push_back({order[i], getClosedLetter(i)});
    return map;
  }
  Letters getClosedLetters() const {
    Letters letters;
    for (unsigned i = 0; i < order.size(); ++i)
      letters.push_back(getClosedLetter(i));
    return letters;
  }
  /// Goes to the next order; false after the last one. Past `kMaxOrders`
  /// orders it gives up: equal terms may then have two forms.
  bool advance() {
    if (++numSeen > kMaxOrders)
      return false;
    for (unsigned begin = 0; begin < order.size();) {
      unsigned end = getGroupEnd(begin);
      if (std::next_permutation(&order[begin], &order[begin] + (end - begin)))
        return true;
      begin = end;
    }
    return false;
  }

private:
  static constexpr unsigned kMaxOrders = 720;

  unsigned getGroupEnd(unsigned begin) const {
    unsigned end = begin;
    while (end < order.size() && order[end].name == order[begin].name)
      ++end;
    return end;
  }
  Letter getClosedLetter(unsigned i) const {
    unsigned rank = 0;
    while (rank < i && order[i - rank - 1].name == order[i].name)
      ++rank;
    return {order[i].name, static_cast<uint16_t>(height + 1 + rank)};
  }

  Letters order;
  uint16_t height;
  unsigned numSeen = 0;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_ALGEBRA_LETTERORDERS_H
