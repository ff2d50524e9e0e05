//===- Letter.h - Index letters and axis symbols ----------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The indices of abstract expressions. A *name* stands for one dimension of a
// program: in O[m,n] = Σ_k X[m,k] W[k,n] there are three, whatever their sizes.
// A *letter* is a name in one scope: the two sums in (Σ_k x[k]) / (Σ_k y[k])
// run over the same name, but over two letters. A *symbol* is the unknown
// extent of a grid axis or of the loop, which splits one name: a sum over the
// part of k that one iteration sees has size k·l⁻¹.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ALGEBRA_LETTER_H
#define MIRAGE_ALGEBRA_LETTER_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <utility>

namespace mlir::mirage {

using NameId = uint16_t;
using SymbolId = uint16_t;

/// A name in one scope. Scope 0 is free: an index of the tensor that the
/// expression describes. Scopes below `kFirstOpenScope` are bound by a sum or a
/// maximum; a binder's scope is larger than those of all binders of that term
/// inside it, so that equal terms have equal scopes wherever they stand.
/// Larger scopes are binders that were opened for a moment.
struct Letter {
  NameId name = 0;
  uint16_t scope = 0;

  bool isFree() const { return scope == 0; }
  bool operator==(Letter o) const { return name == o.name && scope == o.scope; }
  bool operator!=(Letter o) const { return !(*this == o); }
  bool operator<(Letter o) const {
    return name != o.name ? name < o.name : scope < o.scope;
  }
};

/// Different for different letters.
inline uint32_t toWord(Letter letter) {
  return uint32_t(letter.name) << 16 | letter.scope;
}

constexpr uint16_t kFirstOpenScope = 256;

/// Letters in ascending order, each at most once.
using Letters = llvm::SmallVector<Letter, 4>;

/// A product of powers of symbols: ascending by symbol, no exponent 0.
using SymbolPowers = llvm::SmallVector<std::pair<SymbolId, int>, 2>;

SymbolPowers multiply(const SymbolPowers &lhs, const SymbolPowers &rhs);
SymbolPowers divide(const SymbolPowers &lhs, const SymbolPowers &rhs);

/// A renaming: pairs of old and new letter.
using LetterMap = llvm::SmallVector<std::pair<Letter, Letter>, 4>;

} // namespace mlir::mirage

#endif // MIRAGE_ALGEBRA_LETTER_H
