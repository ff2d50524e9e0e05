//===- Expression.cpp - Interning of normal forms ------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Algebra/Expression.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::SmallVectorImpl;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Symbols and letters
//===----------------------------------------------------------------------===//

static SymbolPowers combine(const SymbolPowers &lhs, const SymbolPowers &rhs,
                            int sign) {
  SymbolPowers result = lhs;
  for (auto [symbol, power] : rhs) {
    auto *it = llvm::find_if(
        result, [s = symbol](const auto &entry) { return entry.first >= s; });
    if (it != result.end() && it->first == symbol)
      it->second += sign * power;
    else
      result.insert(it, {symbol, sign * power});
  }
  llvm::erase_if(result, [](const auto &entry) { return entry.second == 0; });
  return result;
}

SymbolPowers mlir::mirage::multiply(const SymbolPowers &lhs,
                                    const SymbolPowers &rhs) {
  return combine(lhs, rhs, 1);
}
SymbolPowers mlir::mirage::divide(const SymbolPowers &lhs,
                                  const SymbolPowers &rhs) {
  return combine(lhs, rhs, -1);
}

static void addLetters(Letters &to, ArrayRef<Letter> letters) {
  to.append(letters.begin(), letters.end());
  llvm::sort(to);
  to.erase(llvm::unique(to), to.end());
}

//===----------------------------------------------------------------------===//
// Interning
//===----------------------------------------------------------------------===//

std::pair<uint32_t, bool> WordListInterner::intern(ArrayRef<uint32_t> words) {
  auto it = numbers.find(words);
  if (it != numbers.end())
    return {it->second, false};
  uint32_t number = numbers.size();
  numbers.try_emplace(words.copy(storage), number);
  return {number, true};
}

static void addWords(SmallVectorImpl<uint32_t> &words,
                     ArrayRef<Letter> letters) {
  words.push_back(letters.size());
  for (Letter letter : letters)
    words.push_back(toWord(letter));
}

static void addWords(SmallVectorImpl<uint32_t> &words,
                     const SymbolPowers &powers) {
  words.push_back(powers.size());
  for (auto [symbol, power] : powers)
    words.append({symbol, static_cast<uint32_t>(power)});
}

ExpressionContext::ExpressionContext() {
  oneForm = makeForm(Monomial());
  minusOneForm = negate(oneForm);
}

NameId ExpressionContext::addName(StringRef text) {
  names.push_back(text.str());
  return names.size() - 1;
}

SymbolId ExpressionContext::addSymbol(StringRef text, NameId splits) {
  symbols.push_back({text.str(), splits});
  return symbols.size() - 1;
}

uint64_t ExpressionContext::internText(StringRef text) {
  auto it = llvm::find(texts, text);
  if (it == texts.end())
    it = texts.insert(it, text.str());
  return it - texts.begin();
}

bool ExpressionContext::isFunction(const Atom &atom, StringRef text) const {
  return atom.kind == Atom::Kind::Function && texts[atom.payload] == text;
}

Monomial ExpressionContext::dropConstants(Monomial monomial) const {
  llvm::erase_if(monomial.atoms, [&](AtomId id) {
    const Atom &atom = get(id);
    bool isNamed = atom.kind == Atom::Kind::Function && atom.arguments.empty();
    return isNamed || atom.kind == Atom::Kind::Constant ||
           atom.kind == Atom::Kind::Extent;
  });
  monomial.isNegative = false;
  if (monomial.denominator == FormId::None)
    return monomial;
  const Form &below = get(monomial.denominator);
  if (below.total == 1 && isConstant(get(below.monomials.front().first)))
    monomial.denominator = FormId::None;
  return monomial;
}

bool ExpressionContext::isConstant(const Monomial &monomial) const {
  return dropConstants(monomial).isOne();
}

AtomId ExpressionContext::internAtom(Atom atom) {
  SmallVector<uint32_t, 16> words = {
      static_cast<uint32_t>(atom.kind), static_cast<uint32_t>(atom.payload),
      static_cast<uint32_t>(atom.payload >> 32), atom.commutes};
  addWords(words, atom.letters);
  addWords(words, atom.symbols);
  for (FormId argument : atom.arguments)
    words.push_back(static_cast<uint32_t>(argument));
  auto [number, isNew] = atomNumbers.intern(words);
  if (!isNew)
    return AtomId(number);
  atom.freeLetters.clear();
  atom.height = 0;
  if (atom.kind == Atom::Kind::Input)
    addLetters(atom.freeLetters, atom.letters);
  for (FormId argument : atom.arguments) {
    addLetters(atom.freeLetters, get(argument).freeLetters);
    atom.height = std::max(atom.height, get(argument).height);
    atom.namings += get(argument).namings;
  }
  if (atom.kind == Atom::Kind::Function)
    for (Letter letter : atom.letters) {
      llvm::erase(atom.freeLetters, letter);
      atom.height = std::max(atom.height, letter.scope);
    }
  atoms.push_back(std::move(atom));
  return AtomId(number);
}

/// In how many orders letters of the same names can be: a factor n for the n-th
/// letter of a name.
static double countOrders(ArrayRef<Letter> letters) {
  double orders = 1;
  for (size_t i = 0; i < letters.size(); ++i)
    orders *= 1 + llvm::count_if(letters.take_front(i), [&](Letter other) {
                return other.name == letters[i].name;
              });
  return orders;
}

MonomialId ExpressionContext::internMonomial(Monomial monomial) {
  SmallVector<uint32_t, 16> words = {monomial.isNegative};
  addWords(words, monomial.bound);
  addWords(words, monomial.symbols);
  for (FormId part :
       {monomial.exponent, monomial.radicand, monomial.denominator})
    words.push_back(static_cast<uint32_t>(part));
  for (AtomId atom : monomial.atoms)
    words.push_back(static_cast<uint32_t>(atom));
  auto [number, isNew] = monomialNumbers.intern(words);
  if (!isNew)
    return MonomialId(number);
  monomial.freeLetters.clear();
  monomial.height = 0;
  monomial.namings = 1;
  auto addPart = [&](const auto &part) {
    monomial.namings += part.namings;
    addLetters(monomial.freeLetters, part.freeLetters);
    monomial.height = std::max(monomial.height, part.height);
  };
  for (AtomId atom : monomial.atoms)
    addPart(get(atom));
  for (FormId part :
       {monomial.exponent, monomial.radicand, monomial.denominator})
    if (part != FormId::None)
      addPart(get(part));
  for (Letter letter : monomial.bound) {
    llvm::erase(monomial.freeLetters, letter);
    monomial.height = std::max(monomial.height, letter.scope);
  }
  monomial.namings *= countOrders(monomial.bound);
  monomials.push_back(std::move(monomial));
  return MonomialId(number);
}

uint64_t ExpressionContext::countFactors(const Monomial &monomial) const {
  uint64_t count = monomial.atoms.size();
  for (FormId part :
       {monomial.exponent, monomial.radicand, monomial.denominator})
    if (part != FormId::None)
      count += get(part).length;
  return count;
}

FormId ExpressionContext::makeForm(MonomialCounts entries) {
  llvm::sort(entries);
  Form form;
  SmallVector<uint32_t, 8> words;
  for (auto [monomial, count] : entries) {
    if (!form.monomials.empty() && form.monomials.back().first == monomial)
      form.monomials.back().second += count;
    else
      form.monomials.push_back({monomial, count});
  }
  for (auto [monomial, count] : form.monomials)
    words.append({static_cast<uint32_t>(monomial), count});
  auto [number, isNew] = formNumbers.intern(words);
  if (!isNew)
    return FormId(number);
  for (auto [monomial, count] : form.monomials) {
    addLetters(form.freeLetters, get(monomial).freeLetters);
    form.height = std::max(form.height, get(monomial).height);
    form.total += count;
    form.length = std::max(form.length, countFactors(get(monomial)));
    form.namings += get(monomial).namings;
  }
  forms.push_back(std::move(form));
  return FormId(number);
}

FormId ExpressionContext::makeForm(Monomial monomial) {
  MonomialCounts entries = {{close(std::move(monomial)), 1}};
  return makeForm(entries);
}
