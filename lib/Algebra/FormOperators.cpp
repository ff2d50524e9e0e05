//===- FormOperators.cpp - Operators on normal forms ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Algebra/Expression.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace mlir::mirage;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

FormId ExpressionContext::atomForm(Atom atom) {
  Monomial monomial;
  monomial.atoms.push_back(internAtom(std::move(atom)));
  return makeForm(std::move(monomial));
}

FormId ExpressionContext::input(unsigned number, ArrayRef<NameId> dimensions) {
  Atom atom;
  atom.payload = number;
  for (NameId name : dimensions)
    atom.letters.push_back({name, 0});
  return atomForm(std::move(atom));
}

FormId ExpressionContext::constant(double value) {
  if (std::signbit(value) && value != 0)
    return negate(constant(-value));
  if (value == 1)
    return oneForm;
  Atom atom;
  atom.kind = Atom::Kind::Constant;
  atom.payload = llvm::bit_cast<uint64_t>(value == 0 ? 0.0 : value);
  return atomForm(std::move(atom));
}

FormId ExpressionContext::namedConstant(StringRef text) {
  return function(text, {});
}

FormId ExpressionContext::extent(ArrayRef<NameId> dimensions) {
  Monomial monomial;
  for (NameId name : dimensions) {
    Atom atom;
    atom.kind = Atom::Kind::Extent;
    atom.letters.push_back({name, 0});
    monomial.atoms.push_back(internAtom(std::move(atom)));
  }
  return makeForm(std::move(monomial));
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

FormId ExpressionContext::add(FormId lhs, FormId rhs) {
  MonomialCounts all = get(lhs).monomials;
  llvm::append_range(all, get(rhs).monomials);
  return makeForm(std::move(all));
}

std::optional<FormId> ExpressionContext::subtract(FormId lhs, FormId rhs) {
  MonomialCounts left = get(lhs).monomials;
  for (auto [monomial, count] : get(rhs).monomials) {
    auto *it = llvm::find_if(
        left, [m = monomial](const auto &entry) { return entry.first == m; });
    if (it == left.end() || it->second < count)
      return std::nullopt;
    it->second -= count;
  }
  llvm::erase_if(left, [](const auto &entry) { return entry.second == 0; });
  return makeForm(std::move(left));
}

uint64_t ExpressionContext::countProduct(FormId lhs, FormId rhs) const {
  return get(lhs).total * get(rhs).total;
}

Monomial ExpressionContext::multiplyOpen(const Monomial &lhs,
                                         const Monomial &rhs) {
  Monomial product = lhs;
  llvm::append_range(product.bound, rhs.bound);
  llvm::append_range(product.atoms, rhs.atoms);
  product.symbols = multiply(lhs.symbols, rhs.symbols);
  product.isNegative ^= rhs.isNegative;
  auto join = [](FormId &part, FormId other, auto operation) {
    if (other != FormId::None)
      part = part == FormId::None ? other : operation(part, other);
  };
  auto times = [&](FormId a, FormId b) { return mul(a, b); };
  join(product.exponent, rhs.exponent,
       [&](FormId a, FormId b) { return add(a, b); });
  join(product.radicand, rhs.radicand, times);
  join(product.denominator, rhs.denominator, times);
  return product;
}

FormId ExpressionContext::mul(FormId lhs, FormId rhs) {
  std::pair<uint32_t, uint32_t> factors =
      std::minmax({static_cast<uint32_t>(lhs), static_cast<uint32_t>(rhs)});
  auto known = products.find(factors);
  if (known != products.end())
    return known->second;
  FormId product = multiplyOut(lhs, rhs);
  products.try_emplace(factors, product);
  return product;
}

FormId ExpressionContext::multiplyOut(FormId lhs, FormId rhs) {
  const Form &left = get(lhs), &right = get(rhs);
  uint16_t scope = std::max(getFreshScope(left.freeLetters),
                            getFreshScope(right.freeLetters));
  MonomialCounts terms;
  for (auto [l, leftCount] : left.monomials) {
    Monomial opened = open(l, scope);
    for (auto [r, rightCount] : right.monomials) {
      Monomial other = open(r, scope + opened.bound.size());
      terms.push_back(
          {close(multiplyOpen(opened, other)), leftCount * rightCount});
    }
  }
  return makeForm(std::move(terms));
}

FormId
ExpressionContext::mapMonomials(FormId operand,
                                llvm::function_ref<void(Monomial &)> change) {
  const Form &form = get(operand);
  uint16_t scope = getFreshScope(form.freeLetters);
  MonomialCounts changed;
  for (auto [id, count] : form.monomials) {
    Monomial monomial = open(id, scope);
    change(monomial);
    changed.push_back({close(std::move(monomial)), count});
  }
  return makeForm(std::move(changed));
}

FormId ExpressionContext::div(FormId lhs, FormId rhs) {
  return mapMonomials(lhs, [&](Monomial &monomial) {
    FormId &below = monomial.denominator;
    below = below == FormId::None ? rhs : mul(below, rhs);
  });
}

FormId ExpressionContext::negate(FormId operand) {
  return mapMonomials(operand, [](Monomial &m) { m.isNegative ^= true; });
}

FormId ExpressionContext::sum(FormId operand, NameId over,
                              const SymbolPowers &part) {
  return mapMonomials(operand, [&](Monomial &monomial) {
    uint16_t scope = getFreshScope(monomial.bound);
    Letter bound = {over,
                    std::max(scope, getFreshScope(get(operand).freeLetters))};
    renameParts(monomial, {{Letter{over, 0}, bound}});
    monomial.bound.push_back(bound);
    monomial.symbols = multiply(monomial.symbols, part);
  });
}

FormId ExpressionContext::multiplySymbol(FormId operand, SymbolId symbol) {
  return mapMonomials(operand, [&](Monomial &monomial) {
    monomial.symbols = multiply(monomial.symbols, {{symbol, 1}});
  });
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

FormId ExpressionContext::exp(FormId operand) {
  Monomial monomial;
  monomial.exponent = operand;
  return makeForm(std::move(monomial));
}

FormId ExpressionContext::sqrt(FormId operand) {
  Monomial monomial;
  monomial.radicand = operand;
  return makeForm(std::move(monomial));
}

FormId ExpressionContext::bindFunction(Atom atom, ArrayRef<NameId> over,
                                       uint16_t scope) {
  LetterMap map;
  for (NameId name : over) {
    map.push_back({Letter{name, 0}, Letter{name, scope}});
    atom.letters.push_back({name, scope});
  }
  llvm::sort(atom.letters);
  for (FormId &argument : atom.arguments)
    argument = rename(argument, map);
  if (atom.commutes)
    llvm::sort(atom.arguments);
  return atomForm(std::move(atom));
}

FormId ExpressionContext::function(StringRef text, ArrayRef<FormId> arguments,
                                   bool commutes, ArrayRef<NameId> over,
                                   const SymbolPowers &part) {
  Atom atom;
  atom.kind = Atom::Kind::Function;
  atom.payload = internText(text);
  atom.commutes = commutes;
  atom.symbols = part;
  atom.arguments.assign(arguments.begin(), arguments.end());
  uint16_t height = 0;
  for (FormId argument : arguments)
    height = std::max(height, get(argument).height);
  return bindFunction(std::move(atom), over, height + 1);
}

static constexpr StringRef kMax = "max";

const Atom *ExpressionContext::getBareMax(FormId id) const {
  const Form &form = get(id);
  if (form.total != 1)
    return nullptr;
  const Monomial &only = get(form.monomials.front().first);
  if (only.atoms.size() != 1 || only.isNegative || !only.bound.empty() ||
      !only.symbols.empty() || only.exponent != FormId::None ||
      only.radicand != FormId::None || only.denominator != FormId::None)
    return nullptr;
  const Atom &atom = get(only.atoms.front());
  return isFunction(atom, kMax) ? &atom : nullptr;
}

FormId ExpressionContext::max(FormId operand, NameId over,
                              const SymbolPowers &part) {
  const Atom *inner = getBareMax(operand);
  bool isBoundInside = inner && llvm::any_of(inner->letters, [&](Letter l) {
                         return l.name == over;
                       });
  if (!inner || isBoundInside)
    return function(kMax, {operand}, /*commutes=*/false, {over}, part);
  Atom merged = *inner;
  merged.symbols = multiply(merged.symbols, part);
  return bindFunction(std::move(merged), {over}, inner->letters[0].scope);
}

std::optional<FormId> ExpressionContext::joinMax(FormId operand,
                                                 SymbolId symbol) {
  const Atom *inner = getBareMax(operand);
  if (!inner)
    return std::nullopt;
  Atom joined = *inner;
  joined.symbols = multiply(joined.symbols, {{symbol, 1}});
  return atomForm(std::move(joined));
}
