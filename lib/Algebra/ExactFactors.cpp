//===- ExactFactors.cpp - Contents, factors and division ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExactPolynomials.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include <map>

using namespace mlir::mirage;
using namespace mlir::mirage::exact;

//===----------------------------------------------------------------------===//
// Contents
//===----------------------------------------------------------------------===//

Powers Polynomials::findCommonPowers(FormId form) {
  struct Smallest {
    NumberId exponent;
    size_t count;
  };
  std::map<AtomId, Smallest> byAtom;
  llvm::ArrayRef<Term> terms = tables.getTerms(form);
  auto isLess = [&](NumberId x, NumberId y) {
    return x != y && tables.get(x) < tables.get(y);
  };
  for (Term term : terms)
    for (Power power : tables.getPowers(term.monomial)) {
      tables.charge(1);
      auto [entry, isNew] =
          byAtom.try_emplace(power.atom, Smallest{power.exponent, 0});
      Smallest &smallest = entry->second;
      ++smallest.count;
      if (isLess(power.exponent, smallest.exponent))
        smallest.exponent = power.exponent;
    }
  Powers common;
  for (auto [atom, smallest] : byAtom) {
    // Where an atom is missing, its exponent is 0.
    bool isMissing = smallest.count < terms.size();
    if (!isMissing || isLess(smallest.exponent, Tables::kZero))
      common.push_back({atom, smallest.exponent});
  }
  return common;
}

FormId Polynomials::divideByPowers(FormId form, llvm::ArrayRef<Power> divisor) {
  Sum sum;
  for (Term term : tables.getTerms(form)) {
    Powers powers(tables.getPowers(term.monomial));
    for (Power power : divisor)
      addPower(powers, power.atom, tables.negate(power.exponent));
    addProduct(sum, term.coefficient, std::move(powers));
  }
  return finish(sum);
}

Content Polynomials::takeContent(FormId form) {
  auto known = contentByForm.find(static_cast<uint32_t>(form));
  if (known != contentByForm.end())
    return contents[known->second];
  Content content{Tables::kOne, {}, form};
  // Without its factors, what is left may have atoms in common again.
  while (content.primitive != FormId::Zero && !tables.isExhausted()) {
    Powers common = findCommonPowers(content.primitive);
    if (common.empty())
      break;
    content.primitive = divideByPowers(content.primitive, common);
    for (Power power : common)
      addPower(content.powers, power.atom, power.exponent);
  }
  if (content.primitive != FormId::Zero) {
    cancelFactors(content);
    content.coefficient = tables.getTerms(content.primitive)[0].coefficient;
    Sum sum;
    addMultiple(sum, content.primitive,
                {MonomialId::One, tables.invert(content.coefficient)});
    content.primitive = finish(sum);
  }
  contentByForm[static_cast<uint32_t>(form)] = contents.size();
  contents.push_back(content);
  return content;
}

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

/// What was multiplied by a factor may be a multiple of it.
void Polynomials::cancelFactors(Content &content) {
  Powers powers = content.powers;
  for (Power power : powers) {
    if (!tables.isFactor(power.atom))
      continue;
    for (int64_t i = tables.getWhole(power.exponent); i < 0; ++i) {
      std::optional<FormId> quotient =
          divideExactly(content.primitive, power.atom);
      if (!quotient)
        break;
      content.primitive = *quotient;
      addPower(content.powers, power.atom, Tables::kOne);
    }
  }
}

/// Of a sum of what has a sign.
Sign Polynomials::findSign(FormId form) const {
  Sign sign{true, false};
  for (Term term : tables.getTerms(form)) {
    bool isPositive = true;
    for (Power power : tables.getPowers(term.monomial)) {
      Sign own = tables.getSign(power.atom);
      std::optional<int64_t> whole = tables.get(power.exponent).getInteger();
      if (!own.isNonnegative && (!whole || *whole % 2 != 0))
        return {};
      isPositive &= own.isPositive;
    }
    if (tables.getSign(term.coefficient) < 0)
      return {};
    sign.isPositive |= isPositive;
  }
  return sign;
}

AtomId Polynomials::makeFactor(FormId primitive) {
  return tables.makeAtom(AtomKind::Factor, {static_cast<uint32_t>(primitive)},
                         findSign(primitive));
}

//===----------------------------------------------------------------------===//
// Factors that meet their inverses
//===----------------------------------------------------------------------===//

bool Polynomials::holdsInverse(FormId form, AtomId factor) const {
  return llvm::all_of(tables.getTerms(form), [&](Term term) {
    return getExponent(tables.getPowers(term.monomial), factor) !=
           Tables::kZero;
  });
}

bool Polynomials::holdsInverses(FormId form) const {
  return llvm::any_of(tables.getTerms(form), [&](Term term) {
    return llvm::any_of(tables.getPowers(term.monomial), [&](Power power) {
      return tables.isFactor(power.atom);
    });
  });
}

/// Many factors would make many terms, if these do not have them in common.
bool Polynomials::isContentCheap(FormId form) const {
  constexpr size_t kMaxFactors = 2;
  auto list = [&](Term term) {
    Powers factors;
    llvm::copy_if(tables.getPowers(term.monomial), std::back_inserter(factors),
                  [&](Power power) { return tables.isFactor(power.atom); });
    return factors;
  };
  llvm::ArrayRef<Term> terms = tables.getTerms(form);
  Powers first = list(terms[0]);
  bool areSame = true;
  llvm::SmallSetVector<AtomId, 4> all;
  for (Term term : terms) {
    Powers factors = list(term);
    areSame &= factors == first;
    for (Power power : factors)
      all.insert(power.atom);
    if (!areSame && all.size() > kMaxFactors)
      return false;
  }
  return true;
}

llvm::SmallVector<Term> Polynomials::listTerms(FormId form, FormId other) {
  llvm::ArrayRef<Term> terms = tables.getTerms(form);
  llvm::ArrayRef<Term> others = tables.getTerms(other);
  bool mayMeet =
      terms.size() > 1 && !others.empty() &&
      llvm::any_of(tables.getPowers(others[0].monomial),
                   [&](Power power) { return tables.isFactor(power.atom); });
  if (!mayMeet || !isContentCheap(form))
    return llvm::to_vector(terms);
  Content content = takeContent(form);
  std::optional<AtomId> factor = tables.findAtom(
      AtomKind::Factor, {static_cast<uint32_t>(content.primitive)});
  if (!factor || !holdsInverse(other, *factor))
    return llvm::to_vector(terms);
  addPower(content.powers, *factor, Tables::kOne);
  return {{tables.intern(content.powers), content.coefficient}};
}

//===----------------------------------------------------------------------===//
// Multiplying by all factors
//===----------------------------------------------------------------------===//

/// That which makes the fewest terms, by a rough count.
std::optional<AtomId> Polynomials::chooseFactor(FormId form) {
  std::map<AtomId, size_t> counts;
  llvm::ArrayRef<Term> terms = tables.getTerms(form);
  for (Term term : terms)
    for (Power power : tables.getPowers(term.monomial))
      if (tables.isFactor(power.atom))
        ++counts[power.atom];
  tables.charge(terms.size());
  std::optional<AtomId> best;
  size_t least = 0;
  for (auto [atom, count] : counts) {
    size_t length = tables.getTerms(tables.getPolynomial(atom)).size();
    size_t cost = (terms.size() - count) * length;
    if (!best || cost < least)
      best = atom, least = cost;
  }
  return best;
}

/// With G_k what f^-k is multiplied by: G_n + f·(G_{n-1} + f·(.. + f·G_0)).
FormId Polynomials::multiplyOut(FormId form, AtomId factor) {
  std::map<int64_t, Sum> byExponent;
  for (Term term : tables.getTerms(form)) {
    Powers powers(tables.getPowers(term.monomial));
    NumberId exponent = getExponent(powers, factor);
    addPower(powers, factor, tables.negate(exponent));
    addTerm(byExponent[-tables.getWhole(exponent)],
            {tables.intern(powers), term.coefficient});
  }
  FormId polynomial = tables.getPolynomial(factor), result = FormId::Zero;
  int64_t last = byExponent.rbegin()->first;
  for (int64_t k = 0; k <= last; ++k) {
    if (k > 0)
      result = multiply(result, polynomial);
    if (tables.isExhausted())
      return FormId::Zero;
    auto part = byExponent.find(k);
    if (part != byExponent.end())
      result = add({result, finish(part->second)});
  }
  return result;
}

bool Polynomials::isZero(FormId form) {
  while (form != FormId::Zero && !tables.isExhausted()) {
    std::optional<AtomId> factor = chooseFactor(form);
    if (!factor)
      return false;
    form = multiplyOut(form, *factor);
  }
  return form == FormId::Zero && !tables.isExhausted();
}

//===----------------------------------------------------------------------===//
// Division with a remainder
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

Term Polynomials::getLeading(AtomId factor) {
  auto [entry, isNew] = leading.try_emplace(static_cast<uint32_t>(factor));
  if (isNew)
    entry->second = *llvm::max_element(
        tables.getTerms(tables.getPolynomial(factor)),
        [&](Term x, Term y) { return comesBefore(x.monomial, y.monomial); });
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

Term Polynomials::findLeading(FormId form) const {
  return *llvm::max_element(tables.getTerms(form), [&](Term x, Term y) {
    return comesBefore(x.monomial, y.monomial);
  });
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
  // A square of n terms has no more than n(n + 1)/2.
  for (size_t i = 0; i * i <= 2 * length && !tables.isExhausted(); ++i) {
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
