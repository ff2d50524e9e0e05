//===- Quotient.cpp - Exact division of monomials and forms --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Algebra/Subexpression.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::SmallVectorImpl;

static bool isTarget(const LetterMap &map, Letter letter) {
  return llvm::any_of(
      map, [&](const auto &entry) { return entry.second == letter; });
}

static unsigned countName(ArrayRef<Letter> letters, NameId name) {
  return llvm::count_if(letters, [&](Letter l) { return l.name == name; });
}

/// Only −1 does, and only where signs are complete: 1 = (−1)·(−1).
bool QuotientFinder::dividesOne(FormId factor) const {
  return !options.strictSigns && factor == context.minusOne();
}

/// A cheap necessary condition, before letters are tried.
bool QuotientFinder::mayDivide(const Monomial &t, const Monomial &c) const {
  if (options.strictSigns && !options.flipsTerms && c.isNegative &&
      !t.isNegative)
    return false;
  if (c.atoms.size() > t.atoms.size() || c.bound.size() > t.bound.size())
    return false;
  auto misses = [](FormId inT, FormId inC) {
    return inC != FormId::None && inT == FormId::None;
  };
  auto missesFactor = [&](FormId inT, FormId inC) {
    return misses(inT, inC) && !dividesOne(inC);
  };
  return !misses(t.exponent, c.exponent) &&
         !missesFactor(t.radicand, c.radicand) &&
         !missesFactor(t.denominator, c.denominator);
}

/// V with V·c = t for denominators and radicands, where None is 1.
bool QuotientFinder::divideFactor(FormId t, FormId c, FormId &result) {
  if (c == FormId::None) {
    result = t;
    return true;
  }
  if (t == FormId::None && dividesOne(c)) {
    result = c;
    return true;
  }
  std::optional<FormId> quotient = divide(t, c);
  if (!quotient)
    return false;
  result = *quotient == context.one() ? FormId::None : *quotient;
  return true;
}

/// An exponent of a symbol may fall to minus the number of sums that are left
/// over the name it splits: part of a sum is a sum, part of nothing is not.
static bool isValidSize(const ExpressionContext &context,
                        const Monomial &monomial) {
  return llvm::all_of(monomial.symbols, [&](const auto &entry) {
    NameId name = context.getSplitName(entry.first);
    return entry.second >= -int(countName(monomial.bound, name));
  });
}

/// No letter that c binds may be left in what multiplies c (the index rule).
static bool dependsOnBound(const ExpressionContext &context,
                           const Monomial &rest, ArrayRef<Letter> bound) {
  auto depends = [&](const Letters &letters) {
    return llvm::any_of(letters,
                        [&](Letter l) { return llvm::is_contained(bound, l); });
  };
  for (AtomId atom : rest.atoms)
    if (depends(context.get(atom).freeLetters))
      return true;
  for (FormId part : {rest.exponent, rest.radicand, rest.denominator})
    if (part != FormId::None && depends(context.get(part).freeLetters))
      return true;
  return false;
}

std::optional<Monomial> QuotientFinder::divideParts(const Monomial &t,
                                                    MonomialId id,
                                                    const LetterMap &map) {
  Monomial c = context.get(id);
  context.renameParts(c, map);
  Monomial rest = t;
  rest.isNegative ^= c.isNegative;
  for (AtomId atom : c.atoms) {
    auto *it = llvm::find(rest.atoms, atom);
    if (it == rest.atoms.end())
      return std::nullopt;
    rest.atoms.erase(it);
  }
  Letters taken;
  for (Letter letter : c.bound)
    for (auto [from, to] : map)
      if (from == letter) {
        taken.push_back(to);
        llvm::erase(rest.bound, to);
      }
  rest.symbols = mirage::divide(t.symbols, c.symbols);
  if (!isValidSize(context, rest))
    return std::nullopt;
  if (c.exponent != FormId::None) {
    if (c.exponent == t.exponent) {
      rest.exponent = FormId::None;
    } else if (auto left = context.subtract(t.exponent, c.exponent)) {
      rest.exponent = *left;
    } else {
      return std::nullopt;
    }
  }
  if (!divideFactor(t.radicand, c.radicand, rest.radicand) ||
      !divideFactor(t.denominator, c.denominator, rest.denominator) ||
      dependsOnBound(context, rest, taken))
    return std::nullopt;
  if (options.strictSigns && c.isNegative && rest.isNegative &&
      !context.isConstant(rest))
    return std::nullopt;
  return rest;
}

void QuotientFinder::assignLetters(const Monomial &t, MonomialId c,
                                   ArrayRef<Letter> todo, const Letters &places,
                                   LetterMap &map,
                                   SmallVectorImpl<Match> &matches) {
  if (todo.empty()) {
    if (std::optional<Monomial> rest = divideParts(t, c, map))
      matches.push_back({std::move(*rest), map});
    return;
  }
  Letter letter = todo.front();
  auto tryPlace = [&](Letter place) {
    if (place.name != letter.name || isTarget(map, place))
      return;
    map.push_back({letter, place});
    assignLetters(t, c, todo.drop_front(), places, map, matches);
    map.pop_back();
  };
  for (Letter place : t.bound)
    tryPlace(place);
  if (letter.isFree())
    for (Letter place : places)
      tryPlace(place);
}

SmallVector<QuotientFinder::Match>
QuotientFinder::divide(const Monomial &t, MonomialId c,
                       const Letters &freeLetters, const Letters &places) {
  SmallVector<Match> matches;
  if (!mayDivide(t, context.get(c)))
    return matches;
  Letters todo = freeLetters;
  llvm::append_range(todo, context.get(c).bound);
  LetterMap map;
  assignLetters(t, c, todo, places, map, matches);
  return matches;
}

/// What the letters of another monomial have to be kept apart from.
static Letters getUsedLetters(const ExpressionContext &context,
                              const Monomial &monomial) {
  Letters used = monomial.bound;
  for (AtomId atom : monomial.atoms)
    llvm::append_range(used, context.get(atom).freeLetters);
  for (FormId part :
       {monomial.exponent, monomial.radicand, monomial.denominator})
    if (part != FormId::None)
      llvm::append_range(used, context.get(part).freeLetters);
  return used;
}

/// rest · c with c's free letters renamed, as a form; `rest` stays open.
FormId QuotientFinder::multiply(const Monomial &rest, FormId c,
                                const LetterMap &map) {
  LetterMap freeMap;
  for (const auto &entry : map)
    if (entry.first.isFree())
      freeMap.push_back(entry);
  Form form = context.get(context.rename(c, freeMap));
  Letters used = getUsedLetters(context, rest);
  llvm::append_range(used, form.freeLetters);
  uint16_t scope = ExpressionContext::getFreshScope(used);
  MonomialCounts products;
  for (auto [id, count] : form.monomials) {
    Monomial product = context.multiplyOpen(rest, context.open(id, scope));
    products.push_back({context.close(std::move(product)), count});
  }
  return context.makeForm(std::move(products));
}

bool QuotientFinder::containsProduct(FormId level, const Match &match,
                                     FormId c) {
  auto isNegative = [&](const auto &entry) {
    return context.get(entry.first).isNegative;
  };
  bool mayFlip = options.flipsDifferences && context.isConstant(match.rest);
  if (options.strictSigns && match.rest.isNegative && !mayFlip &&
      llvm::any_of(context.get(c).monomials, isNegative))
    return false;
  FormId product = multiply(match.rest, c, match.letters);
  return product == level || context.subtract(level, product).has_value();
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

std::optional<FormId> QuotientFinder::divide(FormId t, FormId c) {
  if (t == FormId::None)
    return std::nullopt;
  if (t == c)
    return context.one();
  auto key = std::make_pair(static_cast<uint32_t>(t), static_cast<uint32_t>(c));
  auto it = memo.find(key);
  if (it != memo.end())
    return it->second;
  std::optional<FormId> result = divideUncached(t, c);
  memo[key] = result;
  return result;
}

std::optional<FormId> QuotientFinder::divideUncached(FormId t, FormId c) {
  if (context.get(t).total % context.get(c).total != 0)
    return std::nullopt;
  FormId quotient = FormId::None;
  if (!divideRest(t, c, quotient))
    return std::nullopt;
  bool hasSizeOnly =
      llvm::any_of(context.get(quotient).monomials, [&](const auto &entry) {
        const Monomial &monomial = context.get(entry.first);
        return monomial.isOnlySize() &&
               !(options.onesInQuotients && monomial.isOne());
      });
  if (hasSizeOnly && !options.sizeOnlyQuotients && quotient != context.one())
    return std::nullopt;
  return quotient;
}

/// Finds the quotient's monomials one by one: the first one of what is left is
/// some monomial of c times one of the quotient.
bool QuotientFinder::divideRest(FormId rest, FormId c, FormId &quotient) {
  auto key =
      std::make_pair(static_cast<uint32_t>(rest), static_cast<uint32_t>(c));
  if (indivisible.contains(key))
    return false;
  Letters letters = context.get(rest).freeLetters;
  llvm::append_range(letters, context.get(c).freeLetters);
  uint16_t scope = ExpressionContext::getFreshScope(letters);
  Monomial first =
      context.open(context.get(rest).monomials.front().first, scope);
  for (auto [candidate, count] : Form(context.get(c)).monomials)
    for (const Match &match : divide(first, candidate, {}, {})) {
      FormId product = multiply(match.rest, c, {});
      FormId found = context.makeForm(match.rest);
      FormId sum =
          quotient == FormId::None ? found : context.add(quotient, found);
      if (product == rest) {
        quotient = sum;
        return true;
      }
      std::optional<FormId> left = context.subtract(rest, product);
      if (left && divideRest(*left, c, sum)) {
        quotient = sum;
        return true;
      }
    }
  indivisible.insert(key);
  return false;
}
