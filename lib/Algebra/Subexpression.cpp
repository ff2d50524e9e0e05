//===- Subexpression.cpp - The subexpression test ------------------------===//
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

SubexpressionTest::SubexpressionTest(ExpressionContext &context,
                                     ArrayRef<FormId> targets,
                                     SubexpressionOptions options)
    : context(context), quotients(context, options) {
  for (FormId target : targets)
    addLevel(target);
}

/// What is found again has another place, and so has all that is in it.
void SubexpressionTest::addLevel(FormId form) {
  auto known =
      llvm::find_if(levels, [&](const Level &l) { return l.form == form; });
  if (known != levels.end()) {
    if (std::exchange(known->hasOnePlace, false))
      addLevelsInside(Level(*known));
    return;
  }
  maxTotal = std::max(maxTotal, context.get(form).total);
  uint16_t scope =
      ExpressionContext::getFreshScope(context.get(form).freeLetters);
  Level level = {form, {}};
  for (auto [monomial, count] : Form(context.get(form)).monomials)
    level.opened.push_back(context.open(monomial, scope));
  levels.push_back(level);
  addLevelsInside(level);
}

/// A monomial that occurs twice has two places for all that is in it.
void SubexpressionTest::addLevelsInside(const Level &level) {
  MonomialCounts monomials = context.get(level.form).monomials;
  for (auto [monomial, opened] : llvm::zip_equal(monomials, level.opened))
    for (unsigned i = 0; i < std::min(monomial.second, 2u); ++i)
      addLevelsInside(opened);
}

void SubexpressionTest::addLevelsInside(const Monomial &opened) {
  for (FormId part : {opened.exponent, opened.radicand, opened.denominator})
    if (part != FormId::None)
      addLevel(part);
  for (AtomId atom : opened.atoms)
    addLevelsInside(Atom(context.get(atom)),
                    ExpressionContext::getFreshScope(opened.bound));
}

void SubexpressionTest::addLevelsInside(const Atom &atom, uint16_t firstScope) {
  if (atom.kind != Atom::Kind::Function)
    return;
  uint16_t scope =
      std::max(firstScope, ExpressionContext::getFreshScope(atom.freeLetters));
  LetterMap map;
  for (Letter letter : atom.letters)
    map.push_back({letter, Letter{letter.name, scope++}});
  for (FormId argument : atom.arguments)
    addLevel(context.rename(argument, map));
}

/// Whether what multiplies the candidate is the candidate, but for numbers: the
/// candidate is squared.
bool SubexpressionTest::isTheSame(const QuotientFinder::Match &match,
                                  FormId candidate) {
  const Form &renamed = context.get(context.rename(candidate, match.letters));
  if (renamed.total != 1)
    return false;
  Monomial rest = context.dropConstants(match.rest),
           self = context.dropConstants(
               context.get(renamed.monomials.front().first));
  rest.bound.clear();
  return context.makeForm(std::move(rest)) == context.makeForm(std::move(self));
}

bool SubexpressionTest::isContainedIn(FormId candidate, const Level &level,
                                      bool asWhole) {
  const Form &form = context.get(candidate);
  if (form.total > context.get(level.form).total)
    return false;
  const Letters &places = context.get(level.form).freeLetters;
  MonomialId first = form.monomials.front().first;
  for (const Monomial &t : level.opened)
    for (const auto &match :
         quotients.divide(t, first, form.freeLetters, places))
      if (asWhole && !context.isConstant(match.rest) &&
          !isTheSame(match, candidate))
        continue;
      else if (form.total == 1 ||
               quotients.containsProduct(level.form, match, candidate))
        return true;
  return false;
}

bool SubexpressionTest::containsWhole(FormId candidate, bool orAsSummand) {
  return llvm::any_of(levels, [&](const Level &level) {
    bool isSum = context.get(level.form).total > 1;
    return isContainedIn(candidate, level, /*asWhole=*/!(orAsSummand && isSum));
  });
}

std::vector<FormId> SubexpressionTest::getLevelForms() const {
  std::vector<FormId> forms;
  for (const Level &level : levels)
    forms.push_back(level.form);
  return forms;
}

bool SubexpressionTest::isContainedInLevels(FormId candidate) {
  return llvm::any_of(levels, [&](const Level &level) {
    return isContainedIn(candidate, level);
  });
}

/// A maximum over part of what the target's maximum runs over is no term of the
/// target, yet on the way to it: the axis symbols go when blocks and iterations
/// are joined, the other names when the maximum over them is taken as well.
bool SubexpressionTest::isContainedAsMax(const Atom &bareMax) {
  ArrayRef<Letter> free = bareMax.freeLetters;
  NameId over = bareMax.letters.front().name;
  FormId argument = bareMax.arguments.front();
  LetterMap unbind;
  for (Letter letter : bareMax.letters)
    unbind.push_back({letter, Letter{letter.name, 0}});
  FormId whole = context.max(context.rename(argument, unbind), over);
  for (Letter letter : llvm::drop_begin(bareMax.letters))
    whole = context.max(whole, letter.name);
  for (unsigned subset = 0; subset < (1u << free.size()); ++subset) {
    FormId candidate = whole;
    for (unsigned i = 0; i < free.size(); ++i)
      if (subset >> i & 1)
        candidate = context.max(candidate, free[i].name);
    if (isContainedInLevels(candidate))
      return true;
  }
  return false;
}

bool SubexpressionTest::decide(FormId candidate) {
  if (const Atom *bareMax = context.getBareMax(candidate))
    return isContainedAsMax(Atom(*bareMax));
  return isContainedInLevels(candidate);
}

std::optional<FormId> SubexpressionTest::getOnlyPlace(FormId candidate) {
  if (context.getBareMax(candidate))
    return std::nullopt;
  auto [it, isNew] = onlyPlaces.try_emplace(static_cast<uint32_t>(candidate));
  if (!isNew)
    return it->second;
  const Level *only = nullptr;
  for (const Level &level : levels)
    if (isContainedIn(candidate, level)) {
      if (only || !level.hasOnePlace)
        return std::nullopt;
      only = &level;
    }
  if (!only)
    return std::nullopt;
  return onlyPlaces[static_cast<uint32_t>(candidate)] = only->form;
}

bool SubexpressionTest::contains(FormId candidate) {
  auto [it, isNew] = memo.try_emplace(static_cast<uint32_t>(candidate), false);
  if (!isNew)
    return it->second;
  bool result = decide(candidate);
  memo[static_cast<uint32_t>(candidate)] = result;
  return result;
}
