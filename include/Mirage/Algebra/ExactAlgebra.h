//===- ExactAlgebra.h - Real expressions in canonical form ------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Proves that two expressions over real variables are equal wherever both are
// defined. An expression is kept as a polynomial with rational coefficients
//
//   Σ coefficient · Π atom^exponent
//
// Atoms are variables, ln 2, and what the laws below leave of functions.
// Polynomials and atoms are interned. Example, a softmax of two columns with m
// subtracted, m = max(a, b):
//
//   exp(a - m) = E_a · E_m^-1       E_x the atom exp(x)
//   exp(a - m) + exp(b - m) = E_m^-1 · F       F the factor E_a + E_b
//   the quotient: E_a · E_m^-1 · E_m · F^-1 = E_a · F^-1
//
//   exp      exp(Σ c·M) = Π exp(M)^c: an atom for each monomial M, with a
//            rational exponent
//   1/x      the content of x (its coefficient, and the smallest exponent of
//            every atom) is inverted; what remains is a factor, an atom with a
//            negative exponent, whose polynomial is known. A factor meets its
//            inverse where a product shows it whole; x/f with x a multiple of f
//            otherwise stays Σ .. · f^-1 until `areEqual` multiplies by f
//   sqrt     squares of the content leave the root (as an absolute value where
//            the sign is not known), and so do parts that are not negative:
//            √(f·x) = √f·√x. Roots of what may be negative are joined:
//            √x·√y = √(x·y). A root's square is its radicand
//   abs      |x·y| = |x|·|y|, |x|² = x²
//   max      nested ones are joined, and equal operands; likewise min. And
//            max(x, min(x, y)) = x
//   log, erf, pow   of equal operands are equal, and that is all
//
// Operands of functions are divided by the factors that they hold inverses of,
// with a remainder, so that they have one form in most cases.
//
// Each law holds wherever the expression that it is applied to is defined; so
// equality here is proof. That forms differ proves nothing: functions may have
// relations that are not among the laws. docs/Verification.md argues both.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ALGEBRA_EXACTALGEBRA_H
#define MIRAGE_ALGEBRA_EXACTALGEBRA_H

#include "Mirage/Algebra/Rational.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>
#include <string>
#include <vector>

namespace mlir::mirage::exact {

/// An expression in canonical form, valid in the algebra that made it. Equal
/// identities are equal expressions; for the converse see `areEqual`.
enum class FormId : uint32_t {
  Undefined,     ///< nowhere defined: x/0, arithmetic with minus infinity
  MinusInfinity, ///< everywhere
  Zero,
  One,
};

/// What an algebra may use; counts, so that answers do not depend on machines.
struct Limits {
  /// Products and sums of terms; those of long numbers count several times.
  /// A million take 0.1 to 1 s.
  size_t maxWork = size_t(1) << 23;
  /// Atoms, exponents and coefficients that are kept.
  size_t maxSize = size_t(1) << 24;
  /// Of a numerator or denominator.
  unsigned maxBits = 2048;
};

class Algebra {
public:
  explicit Algebra(const Limits &limits = {});
  ~Algebra();

  FormId getVariable(uint32_t index);
  FormId getConstant(const Rational &value);
  FormId getLn2();

  FormId add(FormId x, FormId y) { return add({x, y}); }
  FormId add(llvm::ArrayRef<FormId> summands);
  /// Minus infinity times a constant c > 0 is minus infinity, else undefined.
  FormId multiply(FormId x, FormId y);
  FormId divide(FormId x, FormId y);
  FormId exp(FormId x);
  FormId sqrt(FormId x);
  FormId abs(FormId x);
  FormId max(llvm::ArrayRef<FormId> operands); ///< of one at least
  FormId min(llvm::ArrayRef<FormId> operands);
  FormId log(FormId x);
  FormId erf(FormId x);
  FormId pow(FormId x, FormId y);

  /// Whether it is proved that two expressions are equal wherever both are
  /// defined: their difference is zero once multiplied by all factors that it
  /// holds inverses of. False of what is nowhere defined.
  bool areEqual(FormId x, FormId y);

  /// Whether a limit was met. All forms that were made since are undefined.
  bool isExhausted() const;
  size_t getWork() const; ///< so far

  /// What has to be true for the expressions made since the last call to be
  /// defined, where that is not known: divisors other than zero, radicands that
  /// are not negative, operands of log and pow. Sorted; numbers of this
  /// algebra's, good for comparing.
  std::vector<uint64_t> takeConditions();

  /// "2·x0·x1^-1 + exp(x0·x1)^1/2".
  std::string toString(FormId form) const;

private:
  class Functions;
  std::unique_ptr<Functions> functions;
};

} // namespace mlir::mirage::exact

#endif // MIRAGE_ALGEBRA_EXACTALGEBRA_H
