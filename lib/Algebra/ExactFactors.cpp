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
