//===- LawSupport.cpp - Laws applied to trees, for tests ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LawSupport.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;
using llvm::ArrayRef;

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

static IndexRange instantiate(const IndexRange &pattern,
                              const LawBinding &binding) {
  IndexRange range = *binding.ranges[pattern.name];
  for (SymbolId symbol : pattern.splits)
    range = range.split(*binding.symbols[symbol]);
  return range;
}

Expression mlir::mirage::test::instantiate(const Expression &pattern,
                                           const LawBinding &binding) {
  if (pattern->kind == ExpressionKind::Variable)
    return binding.variables[pattern->number];
  ExpressionNode node = *pattern;
  for (Expression &operand : node.operands)
    operand = instantiate(operand, binding);
  if (node.kind == ExpressionKind::Sum || node.kind == ExpressionKind::Max)
    node.range = ::instantiate(node.range, binding);
  if (node.kind == ExpressionKind::JoinSums ||
      node.kind == ExpressionKind::JoinMaxima)
    node.symbol = *binding.symbols[node.symbol];
  return std::make_shared<const ExpressionNode>(std::move(node));
}

template <typename T, typename U>
static bool bindOnce(std::optional<T> &variable, const U &value) {
  if (!variable)
    variable = value;
  return *variable == value;
}

static bool match(const IndexRange &pattern, const IndexRange &range,
                  LawBinding &binding) {
  if (pattern.splits.empty())
    return bindOnce(binding.ranges[pattern.name], range);
  for (SymbolId symbol : range.splits) {
    LawBinding trial = binding;
    if (bindOnce(trial.symbols[pattern.splits[0]], symbol) &&
        bindOnce(trial.ranges[pattern.name], range.join(symbol))) {
      binding = trial;
      return true;
    }
  }
  return false;
}

bool mlir::mirage::test::match(const Expression &pattern,
                               const Expression &expression,
                               LawBinding &binding) {
  const ExpressionNode &node = *pattern;
  if (node.kind == ExpressionKind::Variable) {
    Expression &variable = binding.variables[node.number];
    if (!variable)
      variable = expression;
    return isSameTree(variable, expression);
  }
  if (node.kind != expression->kind ||
      node.operands.size() != expression->operands.size())
    return false;
  switch (node.kind) {
  case ExpressionKind::Constant:
    return node.value == expression->value;
  case ExpressionKind::Sum:
  case ExpressionKind::Max:
    if (!::match(node.range, expression->range, binding))
      return false;
    break;
  case ExpressionKind::JoinSums:
  case ExpressionKind::JoinMaxima:
    if (!bindOnce(binding.symbols[node.symbol], expression->symbol))
      return false;
    break;
  case ExpressionKind::Function:
    if (!expression->commutes)
      return false;
    break;
  default:
    break;
  }
  return llvm::all_of(llvm::zip_equal(node.operands, expression->operands),
                      [&](const auto &pair) {
                        return match(std::get<0>(pair), std::get<1>(pair),
                                     binding);
                      });
}

bool mlir::mirage::test::holds(const ExpressionLaw &law,
                               const LawBinding &binding) {
  if (law.needsDifferentNames &&
      binding.ranges[0]->name == binding.ranges[1]->name)
    return false;
  return llvm::all_of(law.independent, [&](auto condition) {
    auto [variable, range] = condition;
    return !dependsOn(binding.variables[variable], binding.ranges[range]->name);
  });
}

LawBinding mlir::mirage::test::bindToInputs(const ExpressionContext &context,
                                            const ExpressionLaw &law,
                                            bool breaksConditions) {
  LawBinding binding;
  for (NameId name = 0; name < binding.ranges.size(); ++name)
    binding.ranges[name] = IndexRange{name, {}};
  SymbolId next = 0;
  for (SymbolId symbol = 0; symbol < context.getNumSymbols(); ++symbol)
    if (context.getSplitName(symbol) == 0 && next < binding.symbols.size())
      binding.symbols[next++] = symbol;
  for (unsigned i = 0; i < binding.variables.size(); ++i) {
    llvm::SmallVector<NameId> names;
    for (NameId name = 0; name < binding.ranges.size(); ++name)
      if (breaksConditions ||
          !llvm::is_contained(law.independent, std::make_pair(i, name)))
        names.push_back(name);
    binding.variables[i] = expression::input(i, names);
  }
  return binding;
}

//===----------------------------------------------------------------------===//
// Random expressions
//===----------------------------------------------------------------------===//

RandomExpressions::RandomExpressions(ExpressionContext &context, unsigned seed,
                                     Shape shape)
    : context(context), shape(shape), random(seed) {
  for (const char *text : {"i", "j"}) {
    NameId name = context.addName(text);
    names.push_back(name);
    context.addSymbol(std::string("g") + text, name);
    context.addSymbol(std::string("l") + text, name);
  }
  if (shape.hasNames)
    inputs = {{names[0]}, {names[1]}, {names[0], names[1]}, {}};
  else
    inputs = {{}, {}, {}, {}};
}

Expression RandomExpressions::makeLeaf() {
  if (pick(12) == 0)
    return expression::constant(2);
  unsigned which = pick(inputs.size());
  return expression::input(which, inputs[which]);
}

/// Over a name that the operand has; over any where no input has names.
Expression RandomExpressions::makeOverName(Expression operand, unsigned kind) {
  NameId name = names[pick(names.size())];
  if (shape.hasNames && !dependsOn(operand, name))
    return operand;
  if (kind == 0 && shape.hasNames)
    return expression::max({name, {}}, operand);
  if (kind == 1)
    return expression::function("rms", {operand}, false, {name});
  return expression::sum({name, {}}, operand);
}

Expression RandomExpressions::make(unsigned size) {
  if (size <= 1)
    return makeLeaf();
  switch (pick(10)) {
  case 0:
  case 1:
  case 2:
    return makeOverName(make(size - 1), shape.hasFunctions ? pick(6) : 2);
  case 3:
    return expression::exp(make(size - 1));
  case 4:
    return expression::sqrt(make(size - 1));
  case 5:
    if (shape.hasSigns)
      return expression::negate(make(size - 1));
    break;
  default:
    break;
  }
  unsigned left = 1 + pick(size - 1);
  Expression lhs = make(left), rhs = make(size - left);
  switch (pick(shape.hasFunctions ? 10 : 8)) {
  case 0:
  case 1:
  case 2:
    return expression::add(lhs, rhs);
  case 3:
  case 4:
  case 5:
    return expression::mul(lhs, rhs);
  case 6:
  case 7:
    return expression::div(lhs, rhs);
  case 8:
    return expression::function("maximum", {lhs, rhs}, /*commutes=*/true);
  default:
    return expression::function("pow", {lhs, rhs});
  }
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// An axis that has split the range not yet, where the law names one that is
/// only on its other side.
bool RandomExpressions::bindSymbol(LawBinding &binding) {
  if (binding.symbols[0] || !binding.ranges[0])
    return true;
  llvm::SmallVector<SymbolId> free;
  for (SymbolId symbol = 0; symbol < context.getNumSymbols(); ++symbol)
    if (context.getSplitName(symbol) == binding.ranges[0]->name &&
        !llvm::is_contained(binding.ranges[0]->splits, symbol))
      free.push_back(symbol);
  if (free.empty())
    return false;
  binding.symbols[0] = free[pick(free.size())];
  return true;
}

std::optional<Expression>
RandomExpressions::applyLaw(const ExpressionLaw &law, const Expression &from,
                            const Expression &to,
                            const Expression &expression) {
  LawBinding binding;
  if (!match(from, expression, binding) || !holds(law, binding) ||
      !bindSymbol(binding))
    return std::nullopt;
  if (to->kind != ExpressionKind::Function)
    return instantiate(to, binding);
  ExpressionNode swapped = *expression;
  std::swap(swapped.operands[0], swapped.operands[1]);
  return std::make_shared<const ExpressionNode>(std::move(swapped));
}

std::vector<Expression>
RandomExpressions::rewriteRoot(const Expression &expression,
                               const ExpressionLaw &law) {
  std::vector<Expression> results;
  if (auto result = applyLaw(law, law.lhs, law.rhs, expression))
    results.push_back(*result);
  if (auto result = applyLaw(law, law.rhs, law.lhs, expression))
    results.push_back(*result);
  return results;
}

Expression RandomExpressions::rewrite(const Expression &expression,
                                      ArrayRef<const ExpressionLaw *> laws,
                                      unsigned maxNodes) {
  if (expression->operands.empty() || pick(3) == 0) {
    std::vector<Expression> here;
    for (const ExpressionLaw *law : laws)
      for (Expression &result : rewriteRoot(expression, *law))
        here.push_back(std::move(result));
    if (!here.empty()) {
      Expression result = here[pick(here.size())];
      return countNodes(result) <= maxNodes ? result : expression;
    }
  }
  if (expression->operands.empty())
    return expression;
  ExpressionNode copy = *expression;
  unsigned others = countNodes(expression);
  Expression &operand = copy.operands[pick(copy.operands.size())];
  others -= countNodes(operand);
  operand = rewrite(operand, laws, maxNodes > others ? maxNodes - others : 0);
  return std::make_shared<const ExpressionNode>(std::move(copy));
}

bool mlir::mirage::test::isSignedMaximum(const ExpressionContext &context,
                                         FormId id) {
  const Form &form = context.get(id);
  if (form.total != 1 || context.getBareMax(id))
    return false;
  const Monomial &only = context.get(form.monomials.front().first);
  return only.atoms.size() == 1 && only.bound.empty() &&
         only.exponent == FormId::None &&
         context.isFunction(context.get(only.atoms[0]), "max");
}

static void addSubterms(const Expression &expression,
                        std::vector<Expression> &subterms) {
  subterms.push_back(expression);
  for (const Expression &operand : expression->operands)
    addSubterms(operand, subterms);
}

std::vector<Expression>
mlir::mirage::test::listSubterms(const Expression &expression) {
  std::vector<Expression> subterms;
  addSubterms(expression, subterms);
  return subterms;
}
