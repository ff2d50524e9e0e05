//===- ExactPolynomials.cpp - Sums, products and their laws ---------------===//
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
// Powers
//===----------------------------------------------------------------------===//

static Power *findPower(Powers &powers, AtomId atom) {
  return llvm::lower_bound(
      powers, atom, [](Power power, AtomId atom) { return power.atom < atom; });
}

void Polynomials::addPower(Powers &powers, AtomId atom, NumberId exponent) {
  Power *place = findPower(powers, atom);
  if (place == powers.end() || place->atom != atom) {
    if (exponent != Tables::kZero)
      powers.insert(place, {atom, exponent});
    return;
  }
  place->exponent = tables.add(place->exponent, exponent);
  if (place->exponent == Tables::kZero)
    powers.erase(place);
}

NumberId Polynomials::getExponent(llvm::ArrayRef<Power> powers,
                                  AtomId atom) const {
  auto place = llvm::lower_bound(
      powers, atom, [](Power power, AtomId atom) { return power.atom < atom; });
  return place != powers.end() && place->atom == atom ? place->exponent
                                                      : Tables::kZero;
}

//===----------------------------------------------------------------------===//
// Laws of powers
//===----------------------------------------------------------------------===//

bool Polynomials::hasLaws(llvm::ArrayRef<Power> powers) const {
  return llvm::any_of(powers, [&](Power power) {
    AtomKind kind = tables.getKind(power.atom);
    return kind == AtomKind::Integer || kind == AtomKind::Root ||
           kind == AtomKind::Abs || kind == AtomKind::Factor;
  });
}

void Polynomials::multiplyByPower(NumberId &coefficient, NumberId base,
                                  int64_t exponent) {
  NumberId factor = exponent < 0 ? tables.invert(base) : base;
  for (int64_t i = std::abs(exponent); i > 0 && !tables.isExhausted(); --i) {
    tables.charge(1);
    coefficient = tables.multiply(coefficient, factor);
  }
}

/// Whole, and so that `exponent - 2 · half` is 0 or 1.
static int64_t halve(int64_t exponent) {
  return (exponent - (exponent & 1)) / 2;
}

bool Polynomials::applyLawOfAtom(Powers &powers, size_t number,
                                 NumberId &coefficient) {
  Power power = powers[number];
  AtomKind kind = tables.getKind(power.atom);
  if (kind != AtomKind::Integer && kind != AtomKind::Root &&
      kind != AtomKind::Abs)
    return false;
  int64_t exponent = tables.getWhole(power.exponent), half = halve(exponent);
  llvm::ArrayRef<uint32_t> operands = tables.getOperands(power.atom);
  if (kind == AtomKind::Integer) {
    powers.erase(powers.begin() + number);
    multiplyByPower(coefficient, static_cast<NumberId>(operands[0]), exponent);
    return true;
  }
  if (half == 0)
    return false;
  addPower(powers, power.atom, tables.intern(-2 * half));
  if (kind == AtomKind::Abs) {
    addPower(powers, static_cast<AtomId>(operands[0]), tables.intern(2 * half));
    return true;
  }
  bool isMinus = static_cast<RadicandSign>(operands[0]) == RadicandSign::Minus;
  if (isMinus && half & 1)
    coefficient = tables.negate(coefficient);
  for (uint32_t base : operands.drop_front())
    addPower(powers, static_cast<AtomId>(base), tables.intern(half));
  return true;
}

/// √(s·x)·√(t·y) = |z|·√(s·t·x·y/z²), z what x and y have in common. If that
/// leaves √-1, both x and -x are not negative: zero.
void Polynomials::joinRoots(Powers &powers, AtomId x, AtomId y,
                            NumberId &coefficient) {
  llvm::ArrayRef<uint32_t> left = tables.getOperands(x),
                           right = tables.getOperands(y);
  addPower(powers, x, Tables::kMinusOne);
  addPower(powers, y, Tables::kMinusOne);
  auto sign = static_cast<uint32_t>(left[0] == right[0] ? RadicandSign::Plus
                                                        : RadicandSign::Minus);
  llvm::SmallVector<uint32_t> radicand = {sign};
  left = left.drop_front();
  right = right.drop_front();
  std::set_symmetric_difference(left.begin(), left.end(), right.begin(),
                                right.end(), std::back_inserter(radicand));
  llvm::SmallVector<uint32_t> common;
  std::set_intersection(left.begin(), left.end(), right.begin(), right.end(),
                        std::back_inserter(common));
  for (uint32_t atom : common)
    addPower(powers, tables.makeAtom(AtomKind::Abs, {atom}, {true, false}),
             Tables::kOne);
  if (radicand.size() > 1)
    addPower(powers, tables.makeAtom(AtomKind::Root, radicand, {true, false}),
             Tables::kOne);
  else if (radicand[0] == static_cast<uint32_t>(RadicandSign::Minus))
    coefficient = Tables::kZero;
}

/// Roots of one atom of known sign stay alone.
static bool isJoined(const Tables &tables, AtomId atom) {
  if (tables.getKind(atom) != AtomKind::Root)
    return false;
  llvm::ArrayRef<uint32_t> operands = tables.getOperands(atom);
  return operands.size() > 2 ||
         static_cast<RadicandSign>(operands[0]) == RadicandSign::Minus ||
         !tables.getSign(static_cast<AtomId>(operands[1])).isNonnegative;
}

bool Polynomials::joinRoots(Powers &powers, NumberId &coefficient) {
  std::optional<AtomId> first;
  for (Power power : powers) {
    if (!isJoined(tables, power.atom))
      continue;
    if (first) {
      joinRoots(powers, *first, power.atom, coefficient);
      return true;
    }
    first = power.atom;
  }
  return false;
}

bool Polynomials::applyLaw(Powers &powers, NumberId &coefficient) {
  for (size_t number = 0; number < powers.size(); ++number)
    if (applyLawOfAtom(powers, number, coefficient))
      return true;
  return joinRoots(powers, coefficient);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

void Polynomials::addTerm(Sum &sum, Term term) {
  tables.charge(1);
  auto [entry, isNew] =
      sum.try_emplace(static_cast<uint32_t>(term.monomial), term.coefficient);
  if (!isNew)
    entry->second = tables.add(entry->second, term.coefficient);
}

FormId Polynomials::finish(const Sum &sum) {
  llvm::SmallVector<Term> terms;
  for (auto [monomial, coefficient] : sum)
    if (coefficient != Tables::kZero)
      terms.push_back({static_cast<MonomialId>(monomial), coefficient});
  llvm::sort(terms, [](Term x, Term y) { return x.monomial < y.monomial; });
  return tables.intern(terms);
}

void Polynomials::addMultiple(Sum &sum, FormId form, Term factor) {
  for (Term term : tables.getTerms(form)) {
    if (tables.isExhausted())
      return;
    if (factor.monomial == MonomialId::One)
      addTerm(sum, {term.monomial,
                    tables.multiply(term.coefficient, factor.coefficient)});
    else
      addProduct(sum, term, factor);
  }
}

FormId Polynomials::add(llvm::ArrayRef<FormId> summands) {
  Sum sum;
  for (FormId summand : summands)
    addMultiple(sum, summand, {MonomialId::One, Tables::kOne});
  return finish(sum);
}

FormId Polynomials::subtract(FormId x, FormId y) {
  Sum sum;
  addMultiple(sum, x, {MonomialId::One, Tables::kOne});
  addMultiple(sum, y, {MonomialId::One, Tables::kMinusOne});
  return finish(sum);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

FormId Polynomials::raise(FormId base, int64_t exponent) {
  FormId result = base;
  for (int64_t i = 1; i < exponent && !tables.isExhausted(); ++i)
    result = multiply(result, base);
  return result;
}

/// One factor; others are met again.
void Polynomials::writeOutFactor(Sum &sum, NumberId coefficient, Powers powers,
                                 Power factor) {
  constexpr unsigned kMaxNesting = 200;
  if (nesting == kMaxNesting)
    return tables.exhaust();
  ++nesting;
  addPower(powers, factor.atom, tables.negate(factor.exponent));
  FormId polynomial = raise(tables.getPolynomial(factor.atom),
                            tables.getWhole(factor.exponent));
  for (Term term : tables.getTerms(polynomial)) {
    if (tables.isExhausted())
      break;
    Powers product = powers;
    for (Power power : tables.getPowers(term.monomial))
      addPower(product, power.atom, power.exponent);
    addProduct(sum, tables.multiply(coefficient, term.coefficient),
               std::move(product));
  }
  --nesting;
}

void Polynomials::addProduct(Sum &sum, NumberId coefficient, Powers powers) {
  tables.charge(1 + powers.size() / 8);
  if (!hasLaws(powers))
    return addTerm(sum, {tables.intern(powers), coefficient});
  while (applyLaw(powers, coefficient) && !tables.isExhausted())
    tables.charge(1);
  if (coefficient == Tables::kZero || tables.isExhausted())
    return;
  Power *factor = llvm::find_if(powers, [&](Power power) {
    return tables.isFactor(power.atom) && tables.getSign(power.exponent) > 0;
  });
  if (factor == powers.end())
    return addTerm(sum, {tables.intern(powers), coefficient});
  writeOutFactor(sum, coefficient, powers, *factor);
}

void Polynomials::addProduct(Sum &sum, Term x, Term y) {
  llvm::ArrayRef<Power> left = tables.getPowers(x.monomial),
                        right = tables.getPowers(y.monomial);
  Powers powers;
  powers.reserve(left.size() + right.size());
  while (!left.empty() && !right.empty()) {
    Power a = left.front(), b = right.front();
    if (a.atom == b.atom) {
      NumberId exponent = tables.add(a.exponent, b.exponent);
      if (exponent != Tables::kZero)
        powers.push_back({a.atom, exponent});
    } else {
      powers.push_back(a.atom < b.atom ? a : b);
    }
    if (a.atom <= b.atom)
      left = left.drop_front();
    if (b.atom <= a.atom)
      right = right.drop_front();
  }
  powers.append(left.begin(), left.end());
  powers.append(right.begin(), right.end());
  addProduct(sum, tables.multiply(x.coefficient, y.coefficient),
             std::move(powers));
}

FormId Polynomials::makeProduct(NumberId coefficient, Powers powers) {
  Sum sum;
  addProduct(sum, coefficient, std::move(powers));
  return finish(sum);
}

FormId Polynomials::multiply(FormId x, FormId y) {
  if (x == FormId::One || y == FormId::One)
    return x == FormId::One ? y : x;
  Sum sum;
  llvm::SmallVector<Term> left = listTerms(x, y), right = listTerms(y, x);
  for (Term a : left)
    for (Term b : right) {
      if (tables.isExhausted())
        return FormId::Zero;
      addProduct(sum, a, b);
    }
  return finish(sum);
}
