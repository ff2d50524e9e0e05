//===- TermDegree.cpp - The degree of a difference of terms ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TermDegree.h"
#include "AddLog2.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <map>
#include <tuple>

using namespace mlir::mirage;

namespace {
/// A factor of denominators: a term that is divided by, a variable of an
/// exponential, or 2.
struct Factor {
  enum Kind : uint8_t { Term, Exponential, Two } kind;
  uint32_t number;
  bool operator<(const Factor &other) const {
    return std::tie(kind, number) < std::tie(other.kind, other.number);
  }
};
struct Size {
  double degree = 0;
  double log2Norm = 0; ///< of the sum of absolute coefficients
};
/// The power of each factor, with the factor's own size.
struct Power {
  double exponent = 0;
  Size size;
};
using Denominator = std::map<Factor, Power>;
/// Of a term as a fraction.
struct Degree {
  Size numerator;
  Denominator denominator;
};
} // namespace

static Size measure(const Denominator &denominator) {
  Size total;
  for (const auto &[factor, power] : denominator) {
    total.degree += power.exponent * power.size.degree;
    total.log2Norm += power.exponent * power.size.log2Norm;
  }
  return total;
}

static void multiplyInto(Denominator &product, const Denominator &other) {
  for (const auto &[factor, power] : other) {
    Power &entry = product[factor];
    entry.size = power.size;
    entry.exponent += power.exponent;
  }
}

static void joinInto(Denominator &multiple, const Denominator &other) {
  for (const auto &[factor, power] : other) {
    Power &entry = multiple[factor];
    entry.size = power.size;
    entry.exponent = std::max(entry.exponent, power.exponent);
  }
}

/// Over the least common denominator of some fractions: the degree of the
/// largest numerator, and the norm of all together.
static Degree joinFractions(llvm::ArrayRef<const Degree *> list) {
  Degree result;
  for (const Degree *entry : list)
    joinInto(result.denominator, entry->denominator);
  Size common = measure(result.denominator);
  result.numerator.log2Norm = -HUGE_VAL;
  for (const Degree *entry : list) {
    Size own = measure(entry->denominator);
    result.numerator.degree =
        std::max(result.numerator.degree,
                 entry->numerator.degree + common.degree - own.degree);
    result.numerator.log2Norm =
        addLog2(result.numerator.log2Norm,
                entry->numerator.log2Norm + common.log2Norm - own.log2Norm);
  }
  return result;
}

/// A finite double as an odd integer over a power of two.
static Degree degreeOfConstant(double value) {
  Degree result;
  if (value == 0)
    return result;
  int exponent;
  double mantissa = std::ldexp(std::frexp(std::fabs(value), &exponent), 53);
  exponent -= 53;
  while (std::fmod(mantissa, 2) == 0)
    mantissa /= 2, ++exponent;
  result.numerator.log2Norm = std::log2(mantissa) + std::max(exponent, 0);
  if (exponent < 0)
    result.denominator[{Factor::Two, 0}] = {double(-exponent), {0, 1}};
  return result;
}

namespace {
/// Walks terms from the operands to their users.
class DegreeWalk {
public:
  DegreeWalk(const TermTable &table, llvm::ArrayRef<TermId> arguments,
             const ExponentPowers &powers, double perPower = 1)
      : table(table), arguments(arguments), powers(powers), perPower(perPower) {
  }

  void visit(TermId term) { degrees[term] = compute(term); }
  const Degree &get(TermId term) const { return degrees.at(term); }
  /// N/D - N'/D' has the numerator N·D' - N'·D.
  double getArgumentDegree() const { return argumentDegree + divisorDegree; }
  double getArgumentLog2Norm() const { return 1 + argumentNorm + divisorNorm; }
  double getComparedDegree() const { return comparedDegree + comparedDivisor; }
  /// What arguments of random functions divide by.
  const Denominator &getArgumentDenominator() const {
    return argumentDenominator;
  }

private:
  Degree compute(TermId term);
  Degree multiply(llvm::ArrayRef<const Degree *> factors) const;
  Degree divide(TermId term) const;
  Degree exponentiate(TermId argument) const;
  static Degree takeRoot(const Degree &radicand);
  Degree applyRandomFunction(llvm::ArrayRef<const Degree *> operands);

  const TermTable &table;
  llvm::ArrayRef<TermId> arguments;
  const ExponentPowers &powers;
  double perPower;
  std::map<TermId, Degree> degrees;
  double comparedDegree = 0, comparedDivisor = 0;
  /// The largest, of numerators and of denominators; norms as logarithms.
  double argumentDegree = 0, divisorDegree = 0;
  double argumentNorm = 0, divisorNorm = 0;
  Denominator argumentDenominator;
};
} // namespace

static Degree makeVariable() { return {{/*degree=*/1, /*log2Norm=*/0}, {}}; }

Degree DegreeWalk::compute(TermId term) {
  if (table[term].kind == TermKind::Exp)
    return exponentiate(table.getOperands(term)[0]);
  llvm::SmallVector<const Degree *> operands;
  for (TermId operand : table.getOperands(term))
    operands.push_back(&get(operand));
  switch (table[term].kind) {
  case TermKind::Constant:
    return degreeOfConstant(table[term].value);
  case TermKind::Max:
  case TermKind::Min:
    for (const Degree *operand : operands) {
      comparedDegree = std::max(comparedDegree, operand->numerator.degree);
      comparedDivisor =
          std::max(comparedDivisor, measure(operand->denominator).degree);
    }
    return joinFractions(operands);
  case TermKind::Add:
    return joinFractions(operands);
  case TermKind::Mul:
    return multiply(operands);
  case TermKind::Div:
    return divide(term);
  case TermKind::Sqrt:
    return takeRoot(*operands[0]);
  case TermKind::Abs:
    return *operands[0];
  case TermKind::Log:
  case TermKind::Erf:
  case TermKind::Pow:
    return applyRandomFunction(operands);
  case TermKind::Input:
  case TermKind::Ln2:
    return makeVariable();
  case TermKind::Exp:
  case TermKind::MinusInfinity:
  case TermKind::Undefined:
    break;
  }
  return {};
}

Degree DegreeWalk::multiply(llvm::ArrayRef<const Degree *> factors) const {
  Degree product;
  for (const Degree *factor : factors) {
    product.numerator.degree += factor->numerator.degree;
    product.numerator.log2Norm += factor->numerator.log2Norm;
    multiplyInto(product.denominator, factor->denominator);
  }
  return product;
}

Degree DegreeWalk::divide(TermId term) const {
  llvm::ArrayRef<TermId> operands = table.getOperands(term);
  const Degree &divisor = get(operands[1]);
  Size above = measure(divisor.denominator);
  Degree quotient = get(operands[0]);
  quotient.numerator.degree += above.degree;
  quotient.numerator.log2Norm += above.log2Norm;
  multiplyInto(quotient.denominator,
               {{{Factor::Term, operands[1]}, {1, divisor.numerator}}});
  return quotient;
}

Degree DegreeWalk::exponentiate(TermId argument) const {
  size_t number = llvm::lower_bound(arguments, argument) - arguments.begin();
  Degree result;
  for (auto [i, power] : llvm::enumerate(powers[number]))
    if (power > 0)
      result.numerator.degree += perPower * double(power);
    else if (power < 0)
      result.denominator[{Factor::Exponential, uint32_t(i)}] = {
          perPower * -double(power), {1, 0}};
  return result;
}

/// sqrt(N/D) = sqrt(N·D)/D.
Degree DegreeWalk::takeRoot(const Degree &radicand) {
  Size below = measure(radicand.denominator);
  Degree root;
  root.denominator = radicand.denominator;
  root.numerator.degree = (radicand.numerator.degree + below.degree) / 2;
  root.numerator.log2Norm = (radicand.numerator.log2Norm + below.log2Norm) / 2;
  return root;
}

/// A fresh variable, as long as arguments that differ have different values.
Degree
DegreeWalk::applyRandomFunction(llvm::ArrayRef<const Degree *> operands) {
  for (const Degree *operand : operands) {
    Size below = measure(operand->denominator);
    argumentDegree = std::max(argumentDegree, operand->numerator.degree);
    divisorDegree = std::max(divisorDegree, below.degree);
    joinInto(argumentDenominator, operand->denominator);
    argumentNorm = std::max(argumentNorm, operand->numerator.log2Norm);
    divisorNorm = std::max(divisorNorm, below.log2Norm);
  }
  return makeVariable();
}

DegreeOfDifference mlir::mirage::computeDegree(const TermTable &table,
                                               TermId lhs, TermId rhs,
                                               llvm::ArrayRef<TermId> terms,
                                               llvm::ArrayRef<TermId> arguments,
                                               const ExponentPowers &powers) {
  DegreeWalk walk(table, arguments, powers);
  for (TermId term : terms)
    walk.visit(term);
  Degree result = joinFractions({&walk.get(lhs), &walk.get(rhs)});
  Denominator all = result.denominator;
  joinInto(all, walk.getArgumentDenominator());
  return {result.numerator.degree,   measure(all).degree,
          result.numerator.log2Norm, walk.getArgumentDegree(),
          walk.getComparedDegree(),  walk.getArgumentLog2Norm()};
}

double mlir::mirage::computeDegreeOfCharacters(const TermTable &table,
                                               llvm::ArrayRef<TermId> operands,
                                               llvm::ArrayRef<TermId> terms,
                                               llvm::ArrayRef<TermId> arguments,
                                               const ExponentPowers &powers,
                                               double perPower) {
  DegreeWalk walk(table, arguments, powers, perPower);
  for (TermId term : terms)
    walk.visit(term);
  double degree = 0;
  for (TermId operand : operands) {
    const Degree &own = walk.get(operand);
    degree += own.numerator.degree + measure(own.denominator).degree;
  }
  return degree;
}

double mlir::mirage::computeDegreeOfDivisors(const TermTable &table,
                                             llvm::ArrayRef<TermId> list,
                                             llvm::ArrayRef<TermId> terms) {
  DegreeWalk walk(table, {}, {});
  for (TermId term : terms)
    walk.visit(term);
  Denominator all = walk.getArgumentDenominator();
  for (TermId term : list)
    joinInto(all, walk.get(term).denominator);
  return measure(all).degree;
}
