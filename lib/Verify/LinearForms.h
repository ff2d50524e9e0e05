//===- LinearForms.h - Linear relations between exponents -------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_LINEARFORMS_H
#define MIRAGE_LIB_VERIFY_LINEARFORMS_H

#include "TermTable.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <optional>

namespace mlir::mirage {

/// An exact rational number. `isValid` is false after an overflow.
struct Rational {
  int64_t numerator = 0, denominator = 1;
  bool isValid = true;

  bool isZero() const { return isValid && numerator == 0; }
  friend Rational operator+(Rational a, Rational b);
  friend Rational operator*(Rational a, Rational b);
  Rational inverse() const;
  Rational negate() const { return {-numerator, denominator, isValid}; }
};

/// A basis of the exponents that feed one output element, such that each is a
/// combination of the basis with integer coefficients:
///   arguments[j] = Σ_i coefficients[j][i] · arguments[basis[i]] / divisors[i]
/// So exp(arguments[j]) is a product of powers of as many independent variables
/// as the basis has elements.
struct ExponentBasis {
  llvm::SmallVector<unsigned> basis;
  std::vector<llvm::SmallVector<int64_t>> coefficients;
};

/// Multiplies terms out into polynomials over *atoms*: input elements, roots,
/// exponentials, reciprocals of what is divided by, and whatever else is not
/// sums and products. Relations between atoms are not seen, so ranks are
/// upper bounds.
class LinearForms {
public:
  /// Which operand a maximum or minimum picks.
  using Resolve = llvm::function_ref<TermId(TermId)>;

  explicit LinearForms(const TermTable &table) : table(table) {}

  /// The operands whose polynomials make up a term's; none for atoms.
  static llvm::ArrayRef<TermId> getExpandedOperands(const TermTable &table,
                                                    TermId term);

  /// None if a polynomial is too long or a coefficient too large.
  std::optional<ExponentBasis> findBasis(llvm::ArrayRef<TermId> arguments,
                                         Resolve resolve);

private:
  /// Powers of atoms, by atom. Monomials are numbered.
  using Monomial = llvm::SmallVector<std::pair<TermId, int>, 2>;
  using MonomialId = uint32_t;
  struct Summand {
    MonomialId monomial;
    Rational coefficient;
  };
  /// Ascending by monomial; no coefficient is zero.
  using Polynomial = std::vector<Summand>;
  static constexpr size_t kMaxMonomials = 1024;

  MonomialId getNumber(const Monomial &monomial);
  MonomialId multiply(MonomialId lhs, MonomialId rhs);
  Polynomial makeAtom(TermId term, int power, Rational coefficient = {1});
  Polynomial makeConstant(Rational value);
  static const Rational *find(const Polynomial &polynomial,
                              MonomialId monomial);

  const Polynomial &expand(TermId term, Resolve resolve);
  Polynomial expandNew(TermId term, Resolve resolve);
  Polynomial multiply(const Polynomial &lhs, const Polynomial &rhs);
  Polynomial invert(TermId term);
  static bool isValid(const Polynomial &polynomial);
  static void addTo(Polynomial &sum, const Polynomial &other, Rational factor);

  const TermTable &table;
  std::map<Monomial, MonomialId> numbers;
  std::vector<Monomial> monomials; ///< by number
  std::map<TermId, Polynomial> expanded;
  /// Those that depend on what was picked; of one findBasis.
  std::map<TermId, Polynomial> resolved;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_LINEARFORMS_H
