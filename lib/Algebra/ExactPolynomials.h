//===- ExactPolynomials.h - Polynomials over interned atoms -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums and products of polynomials whose atoms obey laws: a root's square is
// its radicand, a factor with a positive exponent is its polynomial. Exponents
// may be negative, of factors they are nothing else. The special forms,
// Undefined and MinusInfinity, are no polynomials and not known here.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_ALGEBRA_EXACTPOLYNOMIALS_H
#define MIRAGE_LIB_ALGEBRA_EXACTPOLYNOMIALS_H

#include "ExactTables.h"

namespace mlir::mirage::exact {

/// A polynomial as coefficient · Π powers · primitive.
struct Content {
  NumberId coefficient;
  /// The smallest exponent of each atom in any term. Laws are not applied.
  Powers powers;
  /// With the first coefficient 1, and without factors. Zero if the polynomial
  /// is, once it is multiplied by its factors.
  FormId primitive;
};

class Polynomials {
public:
  explicit Polynomials(Tables &tables) : tables(tables) {}

  FormId add(llvm::ArrayRef<FormId> summands);
  FormId subtract(FormId x, FormId y);
  FormId multiply(FormId x, FormId y);
  /// coefficient · Π powers, which may have any exponents that their atoms
  /// take.
  FormId makeProduct(NumberId coefficient, Powers powers);

  /// Multiplies a product by atom^exponent. Laws are not applied.
  void addPower(Powers &powers, AtomId atom, NumberId exponent);

  Content takeContent(FormId form);
  /// The factor that a primitive polynomial of more than one term is.
  AtomId makeFactor(FormId primitive);

  /// What is known of the values that a polynomial takes.
  Sign findSign(FormId form) const;

  /// Divides by factors with a remainder: a term that holds f^-1 and a multiple
  /// of f's leading monomial is written with the other terms of f. Additive,
  /// and the same for equal forms in most cases.
  FormId reduce(FormId form);
  /// The last term in an order that products keep.
  Term findLeading(FormId form) const;
  /// A polynomial whose square a primitive polynomial is, or none.
  std::optional<FormId> findRoot(FormId form);
  /// Whether a polynomial is zero once it is multiplied by its factors.
  bool isZero(FormId form);

private:
  /// A sum that is being made.
  using Sum = llvm::DenseMap<uint32_t, NumberId>;
  void addTerm(Sum &sum, Term term);
  /// Adds a product on which the laws have not been applied.
  void addProduct(Sum &sum, NumberId coefficient, Powers powers);
  void addProduct(Sum &sum, Term x, Term y);
  /// The same where a factor has a positive exponent.
  void writeOutFactor(Sum &sum, NumberId coefficient, Powers powers,
                      Power factor);
  FormId raise(FormId base, int64_t exponent);
  void addMultiple(Sum &sum, FormId form, Term factor);
  FormId finish(const Sum &sum);

  // Laws.
  bool hasLaws(llvm::ArrayRef<Power> powers) const;
  bool applyLaw(Powers &powers, NumberId &coefficient);
  bool applyLawOfAtom(Powers &powers, size_t number, NumberId &coefficient);
  bool joinRoots(Powers &powers, NumberId &coefficient);
  void joinRoots(Powers &powers, AtomId x, AtomId y, NumberId &coefficient);
  void multiplyByPower(NumberId &coefficient, NumberId base, int64_t exponent);

  // Factors.
  Powers findCommonPowers(FormId form);
  void cancelFactors(Content &content);
  std::optional<FormId> divideExactly(FormId form, AtomId factor);
  FormId divideByPowers(FormId form, llvm::ArrayRef<Power> divisor);
  bool holdsInverse(FormId form, AtomId factor) const;
  bool holdsInverses(FormId form) const;
  bool isContentCheap(FormId form) const;
  /// The terms of a form; one if it is a multiple of a factor whose inverse all
  /// terms of `other` hold, as far as that is seen at little cost.
  llvm::SmallVector<Term> listTerms(FormId form, FormId other);
  std::optional<AtomId> chooseFactor(FormId form);
  FormId multiplyOut(FormId form, AtomId factor);

  // Reduction.
  bool comesBefore(MonomialId x, MonomialId y) const;
  Term getLeading(AtomId factor);
  bool isMultiple(llvm::ArrayRef<Power> powers, llvm::ArrayRef<Power> of) const;
  std::optional<AtomId> findReducing(MonomialId monomial);
  void reduceTerm(Term term, AtomId factor, Sum &sum);
  std::optional<Powers> takeRoot(llvm::ArrayRef<Power> powers);

  NumberId getExponent(llvm::ArrayRef<Power> powers, AtomId atom) const;

  Tables &tables;
  unsigned nesting = 0; ///< of factors in factors that are being written out
  llvm::DenseMap<uint32_t, uint32_t> contentByForm;
  std::vector<Content> contents;
  llvm::DenseMap<uint32_t, Term> leading; ///< by factor
  llvm::DenseMap<uint32_t, FormId> reduced;
};

} // namespace mlir::mirage::exact

#endif // MIRAGE_LIB_ALGEBRA_EXACTPOLYNOMIALS_H
