//===- ExpressionReader.cpp - Forms read back as trees --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A monomial is a sum over all its letters at once; a tree has one letter per
// name at any place. So the sums are put back one by one, each around the
// factors that depend on its letter, in an order in which no two letters of one
// name meet: Σ_{k,k'} x[k]·y[k'] is (Σ_k x[k])·(Σ_k y[k]).
//
//===----------------------------------------------------------------------===//

#include "Mirage/Algebra/ExpressionTree.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace mlir::mirage;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::SmallVectorImpl;

namespace {
class FormReader {
public:
  explicit FormReader(const ExpressionContext &context) : context(context) {}

  std::optional<Expression> read(FormId id);

private:
  /// What is multiplied, or divided by, and the letters it depends on.
  struct Factor {
    Expression expression;
    bool isDivisor;
    Letters letters;
  };
  using Factors = SmallVector<Factor, 4>;
  using Ranges = SmallVector<IndexRange, 4>;

  std::optional<Expression> read(MonomialId id);
  std::optional<Expression> read(AtomId id);
  std::optional<Expression> readFunction(const Atom &atom);
  std::optional<Expression> readMaximum(const Atom &atom, Expression operand);
  std::optional<Factors> readFactors(const Monomial &monomial);
  /// One range per letter; symbols with positive exponents go to `joins`.
  std::optional<Ranges> giveSymbols(ArrayRef<Letter> letters,
                                    const SymbolPowers &symbols,
                                    SmallVectorImpl<SymbolId> &joins);
  bool sumOver(Letter letter, const IndexRange &range, Factors &factors);
  bool sumOverAll(ArrayRef<Letter> bound, ArrayRef<IndexRange> ranges,
                  Factors &factors);

  const ExpressionContext &context;
};
} // namespace

static bool hasTwoOfOneName(const Letters &letters) {
  for (size_t i = 1; i < letters.size(); ++i)
    if (letters[i - 1].name == letters[i].name)
      return true;
  return false;
}

static SmallVector<NameId> getNames(ArrayRef<Letter> letters) {
  SmallVector<NameId> names;
  for (Letter letter : letters)
    names.push_back(letter.name);
  return names;
}

/// The product of `factors`, some of which divide it.
template <typename Range>
static Expression multiplyAll(const Range &factors) {
  Expression above, below;
  for (const auto &factor : factors) {
    Expression &product = factor.isDivisor ? below : above;
    product = product ? expression::mul(product, factor.expression)
                      : factor.expression;
  }
  if (!above)
    above = expression::one();
  return below ? expression::div(above, below) : above;
}

std::optional<FormReader::Ranges>
FormReader::giveSymbols(ArrayRef<Letter> letters, const SymbolPowers &symbols,
                        SmallVectorImpl<SymbolId> &joins) {
  Ranges ranges;
  for (Letter letter : letters)
    ranges.push_back({letter.name, {}});
  for (auto [symbol, power] : symbols) {
    if (power > 0)
      joins.append(power, symbol);
    int missing = std::max(-power, 0);
    for (IndexRange &range : ranges)
      if (missing > 0 && range.name == context.getSplitName(symbol)) {
        range = range.split(symbol);
        --missing;
      }
    if (missing > 0)
      return std::nullopt;
  }
  return ranges;
}

//===----------------------------------------------------------------------===//
// Atoms
//===----------------------------------------------------------------------===//

std::optional<Expression> FormReader::readMaximum(const Atom &atom,
                                                  Expression operand) {
  SmallVector<SymbolId> joins;
  std::optional<Ranges> ranges = giveSymbols(atom.letters, atom.symbols, joins);
  if (!ranges)
    return std::nullopt;
  for (const IndexRange &range : *ranges)
    operand = expression::max(range, std::move(operand));
  for (SymbolId symbol : joins)
    operand = expression::joinMaxima(symbol, std::move(operand));
  return operand;
}

std::optional<Expression> FormReader::readFunction(const Atom &atom) {
  SmallVector<Expression> operands;
  for (FormId argument : atom.arguments) {
    std::optional<Expression> operand = read(argument);
    if (!operand)
      return std::nullopt;
    operands.push_back(*operand);
  }
  if (context.isFunction(atom, "max"))
    return readMaximum(atom, operands[0]);
  return expression::function(context.getFunctionName(atom), operands,
                              atom.commutes, getNames(atom.letters),
                              atom.symbols);
}

std::optional<Expression> FormReader::read(AtomId id) {
  const Atom &atom = context.get(id);
  if (hasTwoOfOneName(atom.freeLetters))
    return std::nullopt;
  switch (atom.kind) {
  case Atom::Kind::Input:
    return expression::input(atom.payload, getNames(atom.letters));
  case Atom::Kind::Constant:
    return expression::constant(llvm::bit_cast<double>(atom.payload));
  case Atom::Kind::Extent:
    return expression::extent(getNames(atom.letters));
  case Atom::Kind::Function:
    return readFunction(atom);
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Monomials
//===----------------------------------------------------------------------===//

/// exp(a + b) is taken as exp(a)·exp(b): a and b may stand under two sums.
std::optional<FormReader::Factors>
FormReader::readFactors(const Monomial &monomial) {
  Factors factors;
  bool isRead = true;
  auto addFactor = [&](std::optional<Expression> expression,
                       const Letters &letters, bool isDivisor = false) {
    isRead &= expression.has_value();
    if (expression)
      factors.push_back({*expression, isDivisor, letters});
  };
  for (AtomId atom : monomial.atoms)
    addFactor(read(atom), context.get(atom).freeLetters);
  if (monomial.exponent != FormId::None)
    for (auto [part, count] : context.get(monomial.exponent).monomials) {
      std::optional<Expression> exponent = read(part);
      for (unsigned i = 0; i < count && exponent; ++i)
        addFactor(expression::exp(*exponent), context.get(part).freeLetters);
      isRead &= exponent.has_value();
    }
  if (monomial.radicand != FormId::None) {
    std::optional<Expression> radicand = read(monomial.radicand);
    if (radicand)
      radicand = expression::sqrt(*radicand);
    addFactor(radicand, context.get(monomial.radicand).freeLetters);
  }
  if (monomial.denominator != FormId::None)
    addFactor(read(monomial.denominator),
              context.get(monomial.denominator).freeLetters,
              /*isDivisor=*/true);
  if (!isRead)
    return std::nullopt;
  return factors;
}

/// Puts one factor, the sum, in place of all that depend on the letter. False
/// if letters of one name would meet.
bool FormReader::sumOver(Letter letter, const IndexRange &range,
                         Factors &factors) {
  Factors inside, outside;
  Letters letters;
  for (const Factor &factor : factors) {
    bool depends = llvm::is_contained(factor.letters, letter);
    (depends ? inside : outside).push_back(factor);
    if (depends)
      llvm::append_range(letters, factor.letters);
  }
  llvm::sort(letters);
  letters.erase(llvm::unique(letters), letters.end());
  if (hasTwoOfOneName(letters))
    return false;
  llvm::erase(letters, letter);
  outside.push_back(
      {expression::sum(range, multiplyAll(inside)), false, letters});
  factors = std::move(outside);
  return true;
}

bool FormReader::sumOverAll(ArrayRef<Letter> bound, ArrayRef<IndexRange> ranges,
                            Factors &factors) {
  SmallVector<bool> isDone(bound.size(), false);
  for (size_t round = 0; round < bound.size(); ++round) {
    size_t i = 0;
    while (i < bound.size() &&
           (isDone[i] || !sumOver(bound[i], ranges[i], factors)))
      ++i;
    if (i == bound.size())
      return false;
    isDone[i] = true;
  }
  return true;
}

std::optional<Expression> FormReader::read(MonomialId id) {
  const Monomial &monomial = context.get(id);
  SmallVector<SymbolId> joins;
  std::optional<Ranges> ranges =
      giveSymbols(monomial.bound, monomial.symbols, joins);
  std::optional<Factors> factors = readFactors(monomial);
  if (!ranges || !factors || hasTwoOfOneName(monomial.freeLetters) ||
      !sumOverAll(monomial.bound, *ranges, *factors))
    return std::nullopt;
  Expression result = multiplyAll(*factors);
  for (SymbolId symbol : joins)
    result = expression::joinSums(symbol, std::move(result));
  return monomial.isNegative ? expression::negate(result) : result;
}

std::optional<Expression> FormReader::read(FormId id) {
  const Form &form = context.get(id);
  if (hasTwoOfOneName(form.freeLetters))
    return std::nullopt;
  Expression result;
  for (auto [monomial, count] : form.monomials) {
    std::optional<Expression> term = read(monomial);
    if (!term)
      return std::nullopt;
    for (unsigned i = 0; i < count; ++i)
      result = result ? expression::add(result, *term) : *term;
  }
  return result;
}

std::optional<Expression>
mlir::mirage::toExpression(const ExpressionContext &context, FormId form) {
  return FormReader(context).read(form);
}
