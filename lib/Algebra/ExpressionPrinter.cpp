//===- ExpressionPrinter.cpp - Forms as text -----------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
//   sum[k''] x0[m,k''] x1[k'',n] / (sqrt(sum[k'] x0[m,k'] x0[m,k']))
//
// A letter's scope is shown by as many primes; one without any is free.
// Different forms have different texts: 2*x is x + x, and 2 x has the constant
// as a factor. Where a term binds one name several times the context has chosen
// which letter is which, by what it met first; the text has the choice that
// gives the smallest one, so that equal forms of two contexts read alike.
//
//===----------------------------------------------------------------------===//

#include "LetterOrders.h"
#include "Mirage/Algebra/Expression.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::mirage;
using llvm::SmallVector;

/// As few digits as tell the number from all others, from 9 on.
static std::string toText(double value) {
  std::string text;
  for (int digits : {9, 17}) {
    text.clear();
    llvm::raw_string_ostream(text) << llvm::format("%.*g", digits, value);
    double parsed;
    if (!llvm::StringRef(text).getAsDouble(parsed) && parsed == value)
      break;
  }
  return text;
}

namespace {
class Printer {
public:
  Printer(const ExpressionContext &context, bool showsScopes)
      : context(context), showsScopes(showsScopes) {}

  std::string toString(FormId id);

private:
  std::string toString(Letter letter) const;
  std::string toString(const SymbolPowers &powers) const;
  std::string toString(AtomId id);
  std::string toString(MonomialId id);
  std::string toString(const Monomial &monomial);

  const ExpressionContext &context;
  bool showsScopes;
  LetterMap shownAs; ///< what the letters of the terms around are called
};
} // namespace

std::string Printer::toString(Letter letter) const {
  for (auto [from, to] : llvm::reverse(shownAs))
    if (from == letter) {
      letter = to;
      break;
    }
  std::string name = context.getName(letter.name).str();
  if (!showsScopes)
    return name;
  constexpr unsigned kMaxPrimes = 4;
  if (letter.scope > kMaxPrimes)
    return name + "#" + std::to_string(letter.scope);
  return name + std::string(letter.scope, '\'');
}

std::string Printer::toString(const SymbolPowers &powers) const {
  std::string text;
  for (auto [symbol, power] : powers) {
    text += power < 0 ? "/" : "*";
    text += context.getSymbol(symbol);
    if (std::abs(power) != 1)
      text += "^" + std::to_string(std::abs(power));
  }
  return text;
}

std::string Printer::toString(AtomId id) {
  const Atom &atom = context.get(id);
  std::string text;
  llvm::raw_string_ostream os(text);
  auto printLetters = [&](llvm::StringRef open, llvm::StringRef close) {
    os << open;
    llvm::interleave(
        atom.letters, os, [&](Letter l) { os << toString(l); }, ",");
    os << toString(atom.symbols) << close;
  };
  switch (atom.kind) {
  case Atom::Kind::Input:
    os << "x" << atom.payload;
    printLetters("[", "]");
    break;
  case Atom::Kind::Constant:
    os << toText(llvm::bit_cast<double>(atom.payload));
    break;
  case Atom::Kind::Extent:
    printLetters("|", "|");
    break;
  case Atom::Kind::Function:
    os << context.getFunctionName(atom);
    if (!atom.letters.empty())
      printLetters("[", "]");
    SmallVector<std::string> arguments;
    for (FormId argument : atom.arguments)
      arguments.push_back(toString(argument));
    if (atom.commutes)
      llvm::sort(arguments);
    if (!arguments.empty())
      os << "(" << llvm::join(arguments, ", ") << ")";
    break;
  }
  return text;
}

/// Letters that a term binds, whose scopes follow on those inside it.
static LetterOrders getOrders(const Letters &bound) {
  uint16_t least = bound.front().scope;
  for (Letter letter : bound)
    least = std::min(least, letter.scope);
  return {bound, static_cast<uint16_t>(least - 1)};
}

std::string Printer::toString(MonomialId id) {
  const Monomial &monomial = context.get(id);
  if (!showsScopes || monomial.bound.empty())
    return toString(monomial);
  LetterOrders orders = getOrders(monomial.bound);
  size_t numAround = shownAs.size();
  std::string smallest;
  do {
    llvm::append_range(shownAs, orders.getMap());
    std::string text = toString(monomial);
    shownAs.truncate(numAround);
    if (smallest.empty() || text < smallest)
      smallest = std::move(text);
  } while (orders.advance());
  return smallest;
}

std::string Printer::toString(const Monomial &monomial) {
  SmallVector<std::string> factors;
  for (AtomId atom : monomial.atoms)
    factors.push_back(toString(atom));
  llvm::sort(factors);
  if (monomial.exponent != FormId::None)
    factors.push_back("exp(" + toString(monomial.exponent) + ")");
  if (monomial.radicand != FormId::None)
    factors.push_back("sqrt(" + toString(monomial.radicand) + ")");
  if (factors.empty())
    factors.push_back("1");
  std::string text = monomial.isNegative ? "-" : "";
  if (!monomial.bound.empty() || !monomial.symbols.empty()) {
    SmallVector<std::string> letters;
    for (Letter letter : monomial.bound)
      letters.push_back(toString(letter));
    llvm::sort(letters);
    text +=
        "sum[" + llvm::join(letters, ",") + toString(monomial.symbols) + "] ";
  }
  text += llvm::join(factors, " ");
  if (monomial.denominator != FormId::None)
    text += " / (" + toString(monomial.denominator) + ")";
  return text;
}

std::string Printer::toString(FormId id) {
  SmallVector<std::string> terms;
  for (auto [monomial, count] : context.get(id).monomials)
    terms.push_back((count > 1 ? std::to_string(count) + "*" : "") +
                    toString(monomial));
  llvm::sort(terms);
  return llvm::join(terms, " + ");
}

std::string ExpressionContext::toString(FormId id) const {
  return Printer(*this, /*showsScopes=*/true).toString(id);
}

std::string ExpressionContext::toStringWithoutScopes(FormId id) const {
  return Printer(*this, /*showsScopes=*/false).toString(id);
}
