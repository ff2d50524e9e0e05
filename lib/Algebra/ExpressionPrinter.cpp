//===- ExpressionPrinter.cpp - Forms as text -----------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
//   sum[k] x0[m,k] x1[k,n] / (sqrt(sum[k'] x0[m,k'] x0[m,k']))
//
// A letter's scope is shown by primes, one less than its number. Different
// forms have different texts: 2*x is x + x, and 2 x has the constant as a
// factor.
//
//===----------------------------------------------------------------------===//

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

std::string ExpressionContext::toString(Letter letter) const {
  unsigned primes = letter.scope == 0 ? 0 : letter.scope - 1;
  if (primes > 3)
    return names[letter.name] + "#" + std::to_string(letter.scope);
  return names[letter.name] + std::string(primes, '\'');
}

std::string ExpressionContext::toString(const SymbolPowers &powers) const {
  std::string text;
  for (auto [symbol, power] : powers) {
    text += power < 0 ? "/" : "*";
    text += symbols[symbol].first;
    if (std::abs(power) != 1)
      text += "^" + std::to_string(std::abs(power));
  }
  return text;
}

std::string ExpressionContext::toString(AtomId id) const {
  const Atom &atom = get(id);
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
    os << texts[atom.payload];
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

std::string ExpressionContext::toString(MonomialId id) const {
  const Monomial &monomial = get(id);
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
    text +=
        "sum[" + llvm::join(letters, ",") + toString(monomial.symbols) + "] ";
  }
  text += llvm::join(factors, " ");
  if (monomial.denominator != FormId::None)
    text += " / (" + toString(monomial.denominator) + ")";
  return text;
}

std::string ExpressionContext::toString(FormId id) const {
  SmallVector<std::string> terms;
  for (auto [monomial, count] : get(id).monomials)
    terms.push_back((count > 1 ? std::to_string(count) + "*" : "") +
                    toString(monomial));
  llvm::sort(terms);
  return llvm::join(terms, " + ");
}
