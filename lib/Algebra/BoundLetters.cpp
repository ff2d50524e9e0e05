//===- BoundLetters.cpp - Opening, renaming, closing ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Names that a term binds may be renamed freely, so each term gets one naming
// by rule: binders are numbered from the inside out (a binder's scope is one
// more than the largest inside), and of several binders of one name in one
// monomial the order is the one that gives the smallest identities.
//
//===----------------------------------------------------------------------===//

#include "LetterOrders.h"
#include "Mirage/Algebra/Expression.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>

using namespace mlir::mirage;
using llvm::ArrayRef;
using llvm::SmallVector;

static Letter lookUp(const LetterMap &map, Letter letter) {
  for (auto [from, to] : map)
    if (from == letter)
      return to;
  return letter;
}

static bool mentions(const Letters &letters, const LetterMap &map) {
  return llvm::any_of(map, [&](const auto &entry) {
    return llvm::is_contained(letters, entry.first);
  });
}

uint16_t ExpressionContext::getFreshScope(const Letters &letters) {
  uint16_t scope = kFirstOpenScope;
  for (Letter letter : letters)
    scope = std::max<uint16_t>(scope, letter.scope + 1);
  return scope;
}

AtomId ExpressionContext::rename(AtomId id, const LetterMap &map) {
  if (!mentions(get(id).freeLetters, map))
    return id;
  Atom atom = get(id);
  if (atom.kind == Atom::Kind::Input)
    for (Letter &letter : atom.letters)
      letter = lookUp(map, letter);
  for (FormId &argument : atom.arguments)
    argument = rename(argument, map);
  if (atom.commutes)
    llvm::sort(atom.arguments);
  return internAtom(std::move(atom));
}

void ExpressionContext::renameParts(Monomial &monomial, const LetterMap &map) {
  for (AtomId &atom : monomial.atoms)
    atom = rename(atom, map);
  for (FormId *part :
       {&monomial.exponent, &monomial.radicand, &monomial.denominator})
    if (*part != FormId::None)
      *part = rename(*part, map);
}

/// The form's number, and what becomes of those of its free letters that
/// change: equal for all maps that rename the form alike. No map names a letter
/// that is bound inside, whose scope is smaller than those that are closed.
static SmallVector<uint32_t, 16>
describeRenaming(FormId id, const Letters &freeLetters, const LetterMap &map) {
  SmallVector<uint32_t, 16> words = {static_cast<uint32_t>(id)};
  for (Letter from : freeLetters) {
    Letter to = lookUp(map, from);
    if (to != from)
      words.append({toWord(from), toWord(to)});
  }
  return words;
}

FormId ExpressionContext::rename(FormId id, const LetterMap &map) {
  SmallVector<uint32_t, 16> renaming =
      describeRenaming(id, get(id).freeLetters, map);
  if (renaming.size() == 1)
    return id;
  auto [number, isNew] = renamingNumbers.intern(renaming);
  if (!isNew) {
    assert(renamedForms[number] != FormId::None && "a form contains itself");
    return renamedForms[number];
  }
  renamedForms.push_back(FormId::None); // until its parts are renamed
  MonomialCounts renamed;
  for (auto [monomialId, count] : get(id).monomials) {
    Monomial monomial = get(monomialId);
    renameParts(monomial, map);
    renamed.push_back({close(std::move(monomial)), count});
  }
  return renamedForms[number] = makeForm(std::move(renamed));
}

Monomial ExpressionContext::open(MonomialId id, uint16_t firstScope) {
  Monomial monomial = get(id);
  LetterMap map;
  for (Letter &letter : monomial.bound) {
    Letter fresh = {letter.name, firstScope++};
    map.push_back({letter, fresh});
    letter = fresh;
  }
  renameParts(monomial, map);
  return monomial;
}

/// The largest scope that a part of the monomial binds.
static uint16_t getPartHeight(const ExpressionContext &context,
                              const Monomial &monomial) {
  uint16_t height = 0;
  for (AtomId atom : monomial.atoms)
    height = std::max(height, context.get(atom).height);
  for (FormId part :
       {monomial.exponent, monomial.radicand, monomial.denominator})
    if (part != FormId::None)
      height = std::max(height, context.get(part).height);
  return height;
}

/// Orders namings of one monomial; which one wins is of no consequence.
static bool isSmaller(const Monomial &lhs, const Monomial &rhs) {
  return std::tie(lhs.atoms, lhs.exponent, lhs.radicand, lhs.denominator) <
         std::tie(rhs.atoms, rhs.exponent, rhs.radicand, rhs.denominator);
}

MonomialId ExpressionContext::close(Monomial monomial) {
  if (monomial.radicand == oneForm)
    monomial.radicand = FormId::None;
  if (monomial.denominator == oneForm)
    monomial.denominator = FormId::None;
  LetterOrders orders(monomial.bound, getPartHeight(*this, monomial));
  std::optional<Monomial> best;
  do {
    Monomial renamed = monomial;
    renameParts(renamed, orders.getMap());
    renamed.bound = orders.getClosedLetters();
    llvm::sort(renamed.atoms);
    if (!best || isSmaller(renamed, *best))
      best = std::move(renamed);
  } while (orders.advance());
  return internMonomial(std::move(*best));
}
