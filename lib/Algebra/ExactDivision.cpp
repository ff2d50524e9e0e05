//===- ExactDivision.cpp - Remainders, roots, in an order of monomials ----===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExactPolynomials.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::exact;

//===----------------------------------------------------------------------===//
// The order of monomials
//===----------------------------------------------------------------------===//

/// By the exponents of later atoms first. Multiplying by a monomial keeps the
/// order.
bool Polynomials::comesBefore(MonomialId x, MonomialId y) const {
  llvm::ArrayRef<Power> left = tables.getPowers(x), right = tables.getPowers(y);
  while (!left.empty() && !right.empty() && left.back() == right.back()) {
    left = left.drop_back();
    right = right.drop_back();
  }
  auto get = [&](llvm::ArrayRef<Power> own, llvm::ArrayRef<Power> other) {
    bool isMissing =
        own.empty() || (!other.empty() && own.back().atom < other.back().atom);
    return tables.get(isMissing ? Tables::kZero : own.back().exponent);
  };
  return get(left, right) < get(right, left);
}

Term Polynomials::findLeading(FormId form) const {
  return *llvm::max_element(tables.getTerms(form), [&](Term x, Term y) {
    return comesBefore(x.monomial, y.monomial);
  });
}

Term Polynomials::getLeading(AtomId factor) {
  auto [entry, isNew] = leading.try_emplace(static_cast<uint32_t>(factor));
  if (isNew)
    entry->second = findLeading(tables.getPolynomial(factor));
  return entry->second;
}

/// Powers `of` are positive.
bool Polynomials::isMultiple(llvm::ArrayRef<Power> powers,
                             llvm::ArrayRef<Power> of) const {
  return llvm::all_of(of, [&](Power power) {
    NumberId own = getExponent(powers, power.atom);
    return own == power.exponent ||
           tables.get(power.exponent) < tables.get(own);
  });
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

/// From the leading term on.
std::optional<FormId> Polynomials::divideExactly(FormId form, AtomId factor) {
  Term first = getLeading(factor);
  llvm::ArrayRef<Power> divisor = tables.getPowers(first.monomial);
  NumberId inverse = tables.invert(first.coefficient);
  Sum quotient;
  std::optional<MonomialId> last;
  while (form != FormId::Zero) {
    tables.charge(tables.getTerms(form).size());
    Term next = findLeading(form);
    Powers powers(tables.getPowers(next.monomial));
    // Where roots are multiplied, a product need not keep the order.
    bool isLess = !last || comesBefore(next.monomial, *last);
    if (tables.isExhausted() || !isLess || !isMultiple(powers, divisor))
      return std::nullopt;
    last = next.monomial;
    for (Power power : divisor)
      addPower(powers, power.atom, tables.negate(power.exponent));
    Term term{tables.intern(powers),
              tables.multiply(next.coefficient, inverse)};
    addTerm(quotient, term);
    Sum rest;
    addMultiple(rest, form, {MonomialId::One, Tables::kOne});
    term.coefficient = tables.negate(term.coefficient);
    addMultiple(rest, tables.getPolynomial(factor), term);
    form = finish(rest);
  }
  return finish(quotient);
}

std::optional<AtomId> Polynomials::findReducing(MonomialId monomial) {
  llvm::ArrayRef<Power> powers = tables.getPowers(monomial);
  for (Power power : powers)
    if (tables.isFactor(power.atom) &&
        isMultiple(powers, tables.getPowers(getLeading(power.atom).monomial)))
      return power.atom;
  return std::nullopt;
}

/// With f = l + rest, l the leading term: l·y·f^-k = y·f^(1-k) - rest·y·f^-k.
void Polynomials::reduceTerm(Term term, AtomId factor, Sum &sum) {
  Term first = getLeading(factor);
  Powers powers(tables.getPowers(term.monomial));
  for (Power power : tables.getPowers(first.monomial))
    addPower(powers, power.atom, tables.negate(power.exponent));
  NumberId coefficient =
      tables.multiply(term.coefficient, tables.invert(first.coefficient));
  Term quotient{tables.intern(powers), coefficient};
  addPower(powers, factor, Tables::kOne);
  addProduct(sum, coefficient, powers);
  quotient.coefficient = tables.negate(coefficient);
  for (Term other : tables.getTerms(tables.getPolynomial(factor)))
    if (other.monomial != first.monomial)
      addProduct(sum, quotient, other);
}

FormId Polynomials::reduce(FormId form) {
  if (!holdsInverses(form))
    return form;
  auto known = reduced.find(static_cast<uint32_t>(form));
  if (known != reduced.end())
    return known->second;
  FormId result = form;
  for (bool isDone = false; !isDone && !tables.isExhausted();) {
    Sum sum;
    isDone = true;
    for (Term term : tables.getTerms(result)) {
      tables.charge(1);
      if (std::optional<AtomId> factor = findReducing(term.monomial)) {
        reduceTerm(term, *factor, sum);
        isDone = false;
      } else {
        addTerm(sum, term);
      }
    }
    result = finish(sum);
  }
  return reduced[static_cast<uint32_t>(form)] = result;
}

//===----------------------------------------------------------------------===//
// Squares
//===----------------------------------------------------------------------===//

static std::optional<Rational> findRoot(const Rational &number) {
  if (number.getSign() < 0)
    return std::nullopt;
  llvm::DynamicAPInt top = takeFloorOfRoot(number.getNumerator()),
                     bottom = takeFloorOfRoot(number.getDenominator());
  Rational root(top, bottom);
  return root * root == number ? std::optional(root) : std::nullopt;
}

/// The root of a monomial, if its exponents are even.
std::optional<Powers> Polynomials::takeRoot(llvm::ArrayRef<Power> powers) {
  Powers halves;
  NumberId half = tables.intern(Rational(2).getInverse());
  for (Power power : powers) {
    NumberId exponent = tables.multiply(power.exponent, half);
    bool isWhole = tables.get(exponent).getInteger().has_value();
    if (!isWhole && tables.getKind(power.atom) != AtomKind::Exp)
      return std::nullopt;
    halves.push_back({power.atom, exponent});
  }
  return halves;
}

/// From the leading term on: with g what there is of the root, the next term is
/// the leading one of f - g², over twice that of g.
std::optional<FormId> Polynomials::findRoot(FormId form) {
  size_t length = tables.getTerms(form).size();
  Term first = findLeading(form);
  std::optional<Rational> coefficient =
      ::findRoot(tables.get(first.coefficient));
  std::optional<Powers> powers = takeRoot(tables.getPowers(first.monomial));
  if (!coefficient || !powers)
    return std::nullopt;
  FormId root = makeProduct(tables.intern(*coefficient), *powers);
  NumberId twice = tables.invert(tables.intern(Rational(2) * *coefficient));
  // A square has fewer terms than its root in odd cases only.
  for (size_t i = 0; i < length && !tables.isExhausted(); ++i) {
    FormId rest = subtract(form, multiply(root, root));
    if (rest == FormId::Zero)
      return root;
    Term next = findLeading(rest);
    Powers quotient(tables.getPowers(next.monomial));
    for (Power power : *powers)
      addPower(quotient, power.atom, tables.negate(power.exponent));
    if (llvm::any_of(quotient, [&](Power power) {
          return tables.getSign(power.exponent) < 0;
        }))
      return std::nullopt;
    root = add({root, makeProduct(tables.multiply(next.coefficient, twice),
                                  quotient)});
  }
  return std::nullopt;
}
