//===- LinearForms.cpp - Linear relations between exponents ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinearForms.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>
#include <cmath>
#include <numeric>

using namespace mlir::mirage;

static Rational makeRational(__int128 numerator, __int128 denominator) {
  if (denominator != 1) { // most are integers
    __int128 a = numerator < 0 ? -numerator : numerator, b = denominator;
    while (b != 0) {
      __int128 rest = a % b;
      a = b;
      b = rest;
    }
    if (a != 0)
      numerator /= a, denominator /= a;
  }
  constexpr int64_t kLimit = int64_t(1) << 62;
  if (numerator > kLimit || numerator < -kLimit || denominator > kLimit)
    return {0, 1, false};
  return {static_cast<int64_t>(numerator), static_cast<int64_t>(denominator)};
}

namespace mlir::mirage {
Rational operator+(Rational a, Rational b) {
  if (!a.isValid || !b.isValid)
    return {0, 1, false};
  // Each product is below 2^124, so their sum does not overflow.
  return makeRational(__int128(a.numerator) * b.denominator +
                          __int128(b.numerator) * a.denominator,
                      __int128(a.denominator) * b.denominator);
}

Rational operator*(Rational a, Rational b) {
  if (!a.isValid || !b.isValid)
    return {0, 1, false};
  return makeRational(__int128(a.numerator) * b.numerator,
                      __int128(a.denominator) * b.denominator);
}
} // namespace mlir::mirage

Rational Rational::inverse() const {
  if (!isValid || numerator == 0)
    return {0, 1, false};
  return numerator < 0 ? Rational{-denominator, -numerator}
                       : Rational{denominator, numerator};
}

/// The number as a fraction of small integers, if it is one.
static std::optional<Rational> toSmallRational(double value) {
  double scaled = std::ldexp(value, 16);
  if (scaled != std::floor(scaled) || std::fabs(scaled) >= std::ldexp(1.0, 40))
    return std::nullopt;
  return makeRational(static_cast<int64_t>(scaled), 1 << 16);
}

LinearForms::MonomialId LinearForms::getNumber(const Monomial &monomial) {
  auto [entry, isNew] = numbers.try_emplace(monomial, monomials.size());
  if (isNew)
    monomials.push_back(monomial);
  return entry->second;
}

LinearForms::MonomialId LinearForms::multiply(MonomialId lhs, MonomialId rhs) {
  const Monomial &a = monomials[lhs], &b = monomials[rhs];
  Monomial product;
  auto i = a.begin(), j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->first < j->first)) {
      product.push_back(*i++);
    } else if (i == a.end() || j->first < i->first) {
      product.push_back(*j++);
    } else {
      if (int power = i->second + j->second)
        product.push_back({i->first, power});
      ++i, ++j;
    }
  }
  return getNumber(product);
}

LinearForms::Polynomial LinearForms::makeAtom(TermId term, int power,
                                              Rational coefficient) {
  return {{getNumber({{term, power}}), coefficient}};
}

LinearForms::Polynomial LinearForms::makeConstant(Rational value) {
  if (value.isZero())
    return {};
  return {{getNumber({}), value}};
}

const Rational *LinearForms::find(const Polynomial &polynomial,
                                  MonomialId monomial) {
  auto entry = llvm::lower_bound(
      polynomial, monomial,
      [](const Summand &s, MonomialId m) { return s.monomial < m; });
  bool isFound = entry != polynomial.end() && entry->monomial == monomial;
  return isFound ? &entry->coefficient : nullptr;
}

bool LinearForms::isValid(const Polynomial &polynomial) {
  return llvm::all_of(polynomial, [](const Summand &summand) {
    return summand.coefficient.isValid;
  });
}

void LinearForms::addTo(Polynomial &sum, const Polynomial &other,
                        Rational factor) {
  Polynomial result;
  result.reserve(sum.size() + other.size());
  auto i = sum.begin();
  for (const Summand &summand : other) {
    while (i != sum.end() && i->monomial < summand.monomial)
      result.push_back(*i++);
    Rational coefficient = summand.coefficient * factor;
    if (i != sum.end() && i->monomial == summand.monomial)
      coefficient = coefficient + (i++)->coefficient;
    if (!coefficient.isZero())
      result.push_back({summand.monomial, coefficient});
  }
  result.insert(result.end(), i, sum.end());
  sum = std::move(result);
}

LinearForms::Polynomial LinearForms::multiply(const Polynomial &lhs,
                                              const Polynomial &rhs) {
  Polynomial product;
  for (const Summand &a : lhs) {
    Polynomial row;
    for (const Summand &b : rhs)
      row.push_back(
          {multiply(a.monomial, b.monomial), a.coefficient * b.coefficient});
    llvm::sort(row, [](const Summand &x, const Summand &y) {
      return x.monomial < y.monomial;
    });
    addTo(product, row, {1});
  }
  return product;
}

/// One over a term: a product's factors one by one.
LinearForms::Polynomial LinearForms::invert(TermId term) {
  if (table[term].kind == TermKind::Constant)
    if (std::optional<Rational> value = toSmallRational(table[term].value))
      if (!value->isZero())
        return makeConstant(value->inverse());
  if (table[term].kind != TermKind::Mul)
    return makeAtom(term, -1);
  Polynomial product = makeConstant({1});
  for (TermId factor : table.getOperands(term))
    product = multiply(product, invert(factor));
  return product;
}

const LinearForms::Polynomial &LinearForms::expand(TermId term,
                                                   Resolve resolve) {
  for (auto *known : {&expanded, &resolved})
    if (auto entry = known->find(term); entry != known->end())
      return entry->second;
  Polynomial result = expandNew(term, resolve);
  if (result.size() > kMaxMonomials)
    result = makeAtom(term, 1, {0, 1, false});
  TermKind kind = table[term].kind;
  bool dependsOnPick =
      kind == TermKind::Max || kind == TermKind::Min ||
      llvm::any_of(getExpandedOperands(table, term),
                   [&](TermId operand) { return resolved.count(operand); });
  return (dependsOnPick ? resolved : expanded)[term] = std::move(result);
}

LinearForms::Polynomial LinearForms::expandNew(TermId id, Resolve resolve) {
  llvm::ArrayRef<TermId> operands = table.getOperands(id);
  Polynomial result;
  switch (table[id].kind) {
  case TermKind::Constant:
    if (std::optional<Rational> value = toSmallRational(table[id].value))
      return makeConstant(*value);
    break;
  case TermKind::Add:
    for (TermId operand : operands)
      addTo(result, expand(operand, resolve), {1});
    return result;
  case TermKind::Mul:
    result = makeConstant({1});
    for (TermId operand : operands) {
      const Polynomial &factor = expand(operand, resolve);
      if (result.size() * factor.size() > kMaxMonomials)
        return makeAtom(id, 1, {0, 1, false});
      result = multiply(result, factor);
    }
    return result;
  case TermKind::Div:
    return multiply(expand(operands[0], resolve), invert(operands[1]));
  case TermKind::Max:
  case TermKind::Min:
    return expand(resolve(id), resolve);
  default:
    break;
  }
  return makeAtom(id, 1);
}

llvm::ArrayRef<TermId> LinearForms::getExpandedOperands(const TermTable &table,
                                                        TermId term) {
  llvm::ArrayRef<TermId> operands = table.getOperands(term);
  switch (table[term].kind) {
  case TermKind::Add:
  case TermKind::Mul:
  case TermKind::Max:
  case TermKind::Min:
    return operands;
  case TermKind::Div:
    return operands.take_front();
  default:
    return {};
  }
}

std::optional<ExponentBasis>
LinearForms::findBasis(llvm::ArrayRef<TermId> arguments, Resolve resolve) {
  resolved.clear();
  // Gauss, one argument after the other. `rows` are reduced, with a leading 1;
  // `origins` express them in the basis.
  struct Row {
    MonomialId pivot;
    Polynomial form;
    std::vector<Rational> origin;
  };
  std::vector<Row> rows;
  ExponentBasis result;
  std::vector<std::vector<Rational>> combinations;
  for (unsigned j = 0; j < arguments.size(); ++j) {
    Polynomial rest = expand(arguments[j], resolve);
    std::vector<Rational> combination(arguments.size());
    for (const Row &row : rows) {
      const Rational *pivot = find(rest, row.pivot);
      if (!pivot)
        continue;
      Rational factor = *pivot;
      addTo(rest, row.form, factor.negate());
      for (auto [entry, origin] : llvm::zip(combination, row.origin))
        if (!origin.isZero())
          entry = entry + factor * origin;
    }
    if (!isValid(rest))
      return std::nullopt;
    if (!rest.empty()) {
      unsigned number = result.basis.size();
      result.basis.push_back(j);
      Rational scale = rest.front().coefficient.inverse();
      Row row{rest.front().monomial, {}, combination};
      addTo(row.form, rest, scale);
      for (Rational &entry : row.origin)
        entry = entry.negate();
      row.origin[number] = row.origin[number] + Rational{1};
      for (Rational &entry : row.origin)
        entry = entry * scale;
      rows.push_back(std::move(row));
      combination.assign(arguments.size(), Rational());
      combination[number] = {1};
    }
    combinations.push_back(std::move(combination));
  }
  // Divide basis elements so that all coefficients become integers.
  constexpr int64_t kMostDivisor = 1 << 20;
  result.coefficients.resize(arguments.size());
  for (unsigned i = 0; i < result.basis.size(); ++i) {
    int64_t divisor = 1;
    for (const auto &combination : combinations) {
      const Rational &entry = combination[i];
      if (!entry.isValid || entry.denominator > kMostDivisor)
        return std::nullopt;
      divisor = std::lcm(divisor, entry.denominator);
      if (divisor > kMostDivisor)
        return std::nullopt;
    }
    for (unsigned j = 0; j < arguments.size(); ++j) {
      Rational power = combinations[j][i] * Rational{divisor};
      if (!power.isValid)
        return std::nullopt;
      assert(power.denominator == 1 && "a divisor that does not divide");
      result.coefficients[j].push_back(power.numerator);
    }
  }
  return result;
}
