//===- ExpressionLaws.cpp - The laws of abstract expressions --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Algebra/ExpressionLaws.h"

using namespace mlir::mirage;
using namespace mlir::mirage::expression;

namespace {
/// The variables that laws are written in.
struct LawVariables {
  enum : unsigned { X, Y, Z };
  enum : NameId { I, J };
  enum : SymbolId { L, G };

  Expression x = variable(X), y = variable(Y), z = variable(Z);
  IndexRange i{I, {}}, j{J, {}};
  IndexRange partOfI = i.split(L);

  Expression f(Expression lhs, Expression rhs) const {
    return function("f", {lhs, rhs}, /*commutes=*/true);
  }
};
} // namespace

static std::vector<ExpressionLaw> makeLaws() {
  LawVariables v;
  const Expression &x = v.x, &y = v.y, &z = v.z;
  auto onAddition = [&](auto apply) {
    return std::make_pair(apply(add(x, y)), add(apply(x), apply(y)));
  };
  auto sumOver = [&](IndexRange range) {
    return [=](Expression operand) { return sum(range, operand); };
  };
  auto joinAlong = [](SymbolId symbol) {
    return [=](Expression operand) { return joinSums(symbol, operand); };
  };
  auto sumI = sumOver(v.i), sumJ = sumOver(v.j);
  auto sumPart = sumOver(v.partOfI);
  auto joinL = joinAlong(v.L), joinG = joinAlong(v.G);
  auto maxI = [&](Expression operand) { return max(v.i, operand); };
  auto maxJ = [&](Expression operand) { return max(v.j, operand); };

  std::vector<ExpressionLaw> laws;
  auto law = [&](llvm::StringRef name, Expression lhs, Expression rhs) {
    laws.push_back({name, std::move(lhs), std::move(rhs)});
  };
  auto lawOfSums = [&](llvm::StringRef name, Expression lhs, Expression rhs) {
    laws.push_back({name, std::move(lhs), std::move(rhs), {{v.Y, v.I}}});
  };

  law("AdditionCommutes", add(x, y), add(y, x));
  law("AdditionAssociates", add(add(x, y), z), add(x, add(y, z)));
  law("MultiplicationCommutes", mul(x, y), mul(y, x));
  law("MultiplicationAssociates", mul(mul(x, y), z), mul(x, mul(y, z)));
  law("MultiplicationDistributes", mul(x, add(y, z)),
      add(mul(x, y), mul(x, z)));
  law("FractionsAdd", add(div(x, z), div(y, z)), div(add(x, y), z));
  law("FactorEntersFraction", mul(x, div(y, z)), div(mul(x, y), z));
  law("FractionOfFraction", div(div(x, y), z), div(x, mul(y, z)));
  law("SumsMerge", sumI(sumJ(x)), sumJ(sumI(x)));
  auto [sumOfAdd, addOfSums] = onAddition(sumI);
  law("SumDistributes", sumOfAdd, addOfSums);
  lawOfSums("FactorLeavesSum", sumI(mul(x, y)), mul(sumI(x), y));
  lawOfSums("DenominatorLeavesSum", sumI(div(x, y)), div(sumI(x), y));
  law("ExponentialsMerge", mul(exp(x), exp(y)), exp(add(x, y)));
  law("RootsMerge", mul(sqrt(x), sqrt(y)), sqrt(mul(x, y)));
  laws.push_back({"MaximaMerge", maxI(maxJ(x)), maxJ(maxI(x)), {}, true});

  law("OneTimes", mul(one(), x), x);
  law("OverOne", div(x, one()), x);
  law("TimesReciprocal", mul(x, div(one(), y)), div(x, y));
  law("RootOfOne", sqrt(one()), one());

  law("SignTwice", negate(negate(x)), x);
  law("SignOfProduct", mul(negate(x), y), negate(mul(x, y)));
  law("SignOfFraction", div(negate(x), y), negate(div(x, y)));
  auto [signOfAdd, addOfSigns] = onAddition(negate);
  law("SignOfAddition", signOfAdd, addOfSigns);
  law("SignOfSum", sumI(negate(x)), negate(sumI(x)));

  law("PartsJoin", joinL(sumPart(x)), sumI(x));
  law("EitherIsSplit", mul(sumPart(x), sumI(y)), mul(sumI(x), sumPart(y)));
  auto [joinOfAdd, addOfJoins] = onAddition(joinL);
  law("JoinDistributes", joinOfAdd, addOfJoins);
  law("FactorLeavesJoin", joinL(mul(x, y)), mul(joinL(x), y));
  law("DenominatorLeavesJoin", joinL(div(x, y)), div(joinL(x), y));
  law("SignOfJoin", joinL(negate(x)), negate(joinL(x)));
  law("SumOfJoin", sumI(joinL(x)), joinL(sumI(x)));
  law("JoinsCommute", joinL(joinG(x)), joinG(joinL(x)));
  law("PartsOfMaximumJoin", joinMaxima(v.L, max(v.partOfI, x)), maxI(x));

  law("FunctionCommutes", v.f(x, y), v.f(y, x));
  return laws;
}

static std::vector<SubexpressionRule> makeRules() {
  LawVariables v;
  const Expression &x = v.x, &y = v.y;
  return {
      {"SummandOfAddition", x, add(x, y)},
      {"FactorOfProduct", x, mul(x, y)},
      {"Numerator", x, div(x, y)},
      {"Denominator", y, div(x, y)},
      {"OperandOfSign", x, negate(x)},
      {"OperandOfSum", x, sum(v.i, x)},
      {"OperandOfJoin", x, joinSums(v.L, x)},
      {"Exponent", x, exp(x)},
      {"Radicand", x, sqrt(x)},
      {"OperandOfMaximum", x, max(v.i, x)},
      {"OperandOfJoinedMaximum", x, joinMaxima(v.L, x)},
      {"ArgumentOfFunction", x, v.f(x, y)},
  };
}

llvm::ArrayRef<ExpressionLaw> mlir::mirage::getExpressionLaws() {
  static const std::vector<ExpressionLaw> laws = makeLaws();
  return laws;
}

llvm::ArrayRef<SubexpressionRule> mlir::mirage::getSubexpressionRules() {
  static const std::vector<SubexpressionRule> rules = makeRules();
  return rules;
}
