//===- Z3Encoding.cpp - Expressions and laws as Z3 terms ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Z3Encoding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir::mirage;

constexpr unsigned kNumVariables = 3; // of each sort in a law

static z3::sort makeSort(z3::context &z3, const char *name) {
  return z3.uninterpreted_sort(name);
}

Z3Encoding::Z3Encoding(const ExpressionContext &context, z3::solver &solver,
                       ProverOptions options)
    : context(context), solver(solver), options(options), z3(solver.ctx()),
      expressionSort(makeSort(z3, "Expression")),
      rangeSort(makeSort(z3, "Range")), symbolSort(makeSort(z3, "Symbol")),
      independent(z3.function("independent", expressionSort, rangeSort,
                              z3.bool_sort())),
      differ(z3.function("differ", rangeSort, rangeSort, z3.bool_sort())),
      containedPredicate(
          z3.function("contained", expressionSort, z3.bool_sort())),
      partOf(z3.function("part", rangeSort, symbolSort, rangeSort)),
      nameOf(z3.function("name", rangeSort, rangeSort)) {
  auto makeVariables = [&](const char *prefix, const z3::sort &sort) {
    std::vector<z3::expr> made;
    for (unsigned i = 0; i < kNumVariables; ++i)
      made.push_back(z3.constant((prefix + std::to_string(i)).c_str(), sort));
    return made;
  };
  variables = {makeVariables("?x", expressionSort),
               makeVariables("?i", rangeSort), makeVariables("?l", symbolSort)};
}

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

static const char *getOperationName(ExpressionKind kind) {
  switch (kind) {
  case ExpressionKind::Add:
    return "add";
  case ExpressionKind::Mul:
    return "mul";
  case ExpressionKind::Div:
    return "div";
  case ExpressionKind::Negate:
    return "negate";
  case ExpressionKind::Exp:
    return "exp";
  case ExpressionKind::Sqrt:
    return "sqrt";
  case ExpressionKind::Sum:
    return "sum";
  case ExpressionKind::Max:
    return "max";
  case ExpressionKind::JoinSums:
    return "join";
  case ExpressionKind::JoinMaxima:
    return "joinmax";
  case ExpressionKind::Variable:
  case ExpressionKind::Input:
  case ExpressionKind::Constant:
  case ExpressionKind::Extent:
  case ExpressionKind::Function:
    break;
  }
  assert(false && "leaves and functions have names of their own");
  return "";
}

z3::expr Z3Encoding::encode(const Expression &expression) {
  encodesLaw = false;
  return encodeTree(expression);
}

z3::expr Z3Encoding::getName(NameId name) {
  if (encodesLaw)
    return variables.ranges[name];
  names.insert(name);
  return z3.constant(("n" + std::to_string(name)).c_str(), rangeSort);
}

z3::expr Z3Encoding::getSymbol(SymbolId symbol) {
  if (encodesLaw)
    return variables.symbols[symbol];
  return z3.constant(("s" + std::to_string(symbol)).c_str(), symbolSort);
}

z3::expr Z3Encoding::encodeRange(const IndexRange &range) {
  z3::expr result = getName(range.name);
  for (SymbolId symbol : range.splits)
    result = partOf(result, getSymbol(symbol));
  return result;
}

static z3::expr call(const z3::func_decl &function,
                     const std::vector<z3::expr> &operands) {
  std::vector<Z3_ast> arguments(operands.begin(), operands.end());
  Z3_ast applied =
      Z3_mk_app(function.ctx(), function, arguments.size(), arguments.data());
  function.check_error();
  return z3::expr(function.ctx(), applied);
}

z3::expr Z3Encoding::apply(const char *name,
                           const std::vector<z3::expr> &operands) {
  auto it = operations.find(name);
  if (it == operations.end()) {
    z3::sort_vector domain(z3);
    for (const z3::expr &operand : operands)
      domain.push_back(operand.get_sort());
    it = operations.emplace(name, z3.function(name, domain, expressionSort))
             .first;
  }
  return call(it->second, operands);
}

static std::string describe(const ExpressionNode &node) {
  std::string text;
  for (NameId name : node.names)
    text += "," + std::to_string(name);
  return text;
}

z3::expr Z3Encoding::encodeLeaf(const ExpressionNode &node) {
  std::string name;
  std::set<NameId> free;
  if (node.kind == ExpressionKind::Input) {
    name = llvm::formatv("x{0}{1}", node.number, describe(node));
    free.insert(node.names.begin(), node.names.end());
    names.insert(node.names.begin(), node.names.end());
  } else if (node.kind == ExpressionKind::Extent) {
    name = "extent" + describe(node);
  } else {
    name = llvm::formatv("{0:e17}", node.value);
  }
  z3::expr leaf = z3.constant(name.c_str(), expressionSort);
  leaves.insert({name, {leaf, free}});
  return leaf;
}

z3::func_decl Z3Encoding::declareFunction(const ExpressionNode &node) {
  std::string name = "f:" + node.text + describe(node);
  for (auto [symbol, power] : node.part)
    name += llvm::formatv(";{0}^{1}", symbol, power);
  name +=
      llvm::formatv("/{0}{1}", node.operands.size(), node.commutes ? "c" : "");
  z3::sort_vector domain(z3);
  for (size_t i = 0; i < node.operands.size(); ++i)
    domain.push_back(expressionSort);
  functions.insert({name, node});
  names.insert(node.names.begin(), node.names.end());
  return z3.function(name.c_str(), domain, expressionSort);
}

z3::expr Z3Encoding::encodeTree(const Expression &expression) {
  const ExpressionNode &node = *expression;
  std::vector<z3::expr> operands;
  for (const Expression &operand : node.operands)
    operands.push_back(encodeTree(operand));
  switch (node.kind) {
  case ExpressionKind::Variable:
    return variables.expressions[node.number];
  case ExpressionKind::Constant:
    if (node.value < 0)
      return apply("negate", {encodeTree(expression::constant(-node.value))});
    [[fallthrough]];
  case ExpressionKind::Input:
  case ExpressionKind::Extent:
    return encodeLeaf(node);
  case ExpressionKind::Function:
    return call(declareFunction(node), operands);
  case ExpressionKind::Sum:
  case ExpressionKind::Max:
    operands.insert(operands.begin(), encodeRange(node.range));
    break;
  case ExpressionKind::JoinSums:
  case ExpressionKind::JoinMaxima:
    operands.insert(operands.begin(), getSymbol(node.symbol));
    break;
  default:
    break;
  }
  return apply(getOperationName(node.kind), operands);
}

//===----------------------------------------------------------------------===//
// Quantifiers
//===----------------------------------------------------------------------===//

static void collectConstants(const z3::expr &term, std::set<unsigned> &ids) {
  if (term.is_const())
    ids.insert(term.id());
  for (unsigned i = 0; i < term.num_args(); ++i)
    collectConstants(term.arg(i), ids);
}

std::vector<z3::expr> Z3Encoding::findVariables(const z3::expr &term) const {
  std::set<unsigned> ids;
  collectConstants(term, ids);
  std::vector<z3::expr> found;
  for (const auto *all :
       {&variables.expressions, &variables.ranges, &variables.symbols})
    for (const z3::expr &variable : *all)
      if (ids.count(variable.id()))
        found.push_back(variable);
  return found;
}

std::optional<z3::expr> Z3Encoding::findTrigger(const z3::expr &side,
                                                size_t numVariables) {
  if (side.is_const() || findVariables(side).size() < numVariables)
    return std::nullopt;
  for (unsigned i = 0; i < side.num_args(); ++i) {
    if (std::optional<z3::expr> inner = findTrigger(side.arg(i), numVariables))
      return inner;
  }
  return side;
}

void Z3Encoding::assertForAll(const std::vector<z3::expr> &conditions,
                              const z3::expr &conclusion,
                              const std::vector<z3::expr> &patterns) {
  z3::expr body = conclusion;
  if (!conditions.empty()) {
    z3::expr_vector all(z3);
    for (const z3::expr &condition : conditions)
      all.push_back(condition);
    body = z3::implies(z3::mk_and(all), conclusion);
  }
  std::vector<z3::expr> bound = findVariables(body);
  if (bound.empty()) {
    solver.add(body);
    return;
  }
  std::vector<Z3_app> apps;
  for (const z3::expr &variable : bound)
    apps.push_back(Z3_to_app(z3, variable));
  std::vector<Z3_pattern> made;
  std::vector<z3::ast> kept; // patterns are freed with what holds them
  for (const z3::expr &pattern : patterns) {
    Z3_ast term = pattern;
    made.push_back(Z3_mk_pattern(z3, 1, &term));
    kept.emplace_back(z3, Z3_pattern_to_ast(z3, made.back()));
  }
  Z3_ast quantified =
      Z3_mk_forall_const(z3, /*weight=*/1, apps.size(), apps.data(),
                         made.size(), made.data(), body);
  z3.check_error();
  solver.add(z3::expr(z3, quantified));
}

//===----------------------------------------------------------------------===//
// Axioms
//===----------------------------------------------------------------------===//

static bool mentionsFunction(const Expression &expression) {
  return expression->kind == ExpressionKind::Function ||
         llvm::any_of(expression->operands, mentionsFunction);
}

/// Instances are made from whatever side has all variables.
void Z3Encoding::assertLaw(const ExpressionLaw &law) {
  z3::expr lhs = encodeTree(law.lhs), rhs = encodeTree(law.rhs);
  std::vector<z3::expr> conditions;
  if (options.indexRule)
    for (auto [variable, range] : law.independent)
      conditions.push_back(independent(variables.expressions[variable],
                                       nameOf(variables.ranges[range])));
  if (law.needsDifferentNames)
    conditions.push_back(
        differ(nameOf(variables.ranges[0]), nameOf(variables.ranges[1])));
  size_t numVariables = findVariables(lhs == rhs).size();
  std::vector<z3::expr> patterns;
  for (const z3::expr &side : {lhs, rhs})
    if (std::optional<z3::expr> trigger = findTrigger(side, numVariables))
      patterns.push_back(*trigger);
  assertForAll(conditions, lhs == rhs, patterns);
}

void Z3Encoding::assertRule(const SubexpressionRule &rule) {
  z3::expr whole = contained(encodeTree(rule.whole));
  assertForAll({whole}, contained(encodeTree(rule.part)), {whole});
}

void Z3Encoding::assertFunction(const ExpressionNode &node,
                                const z3::func_decl &declaration) {
  std::vector<z3::expr> arguments(variables.expressions.begin(),
                                  variables.expressions.begin() +
                                      node.operands.size());
  z3::expr whole = call(declaration, arguments);
  for (const z3::expr &argument : arguments)
    assertForAll({contained(whole)}, contained(argument), {contained(whole)});
  if (node.commutes && arguments.size() == 2)
    assertForAll({}, whole == declaration(arguments[1], arguments[0]), {whole});
  for (NameId name : node.names)
    assertForAll({}, independent(whole, getName(name)), {whole});
  assertIndependence(declaration);
}

/// What no operand depends on, the operation does not depend on.
void Z3Encoding::assertIndependence(const z3::func_decl &operation) {
  std::vector<z3::expr> operands, conditions;
  const z3::expr &range = variables.ranges[1];
  for (unsigned i = 0; i < operation.arity(); ++i) {
    bool isExpression = z3::eq(operation.domain(i), expressionSort);
    bool isRange = z3::eq(operation.domain(i), rangeSort);
    operands.push_back(isExpression ? variables.expressions[i]
                       : isRange    ? variables.ranges[0]
                                    : variables.symbols[0]);
    if (isExpression)
      conditions.push_back(independent(operands.back(), range));
  }
  if (operands.empty())
    return;
  z3::expr conclusion = independent(call(operation, operands), range);
  assertForAll(conditions, conclusion, {conclusion});
}

void Z3Encoding::assertRanges() {
  const z3::expr &i = variables.ranges[0], &x = variables.expressions[0];
  const z3::expr &l = variables.symbols[0], &g = variables.symbols[1];
  z3::expr part = partOf(i, l), twice = partOf(part, g);
  assertForAll({}, nameOf(part) == nameOf(i), {part});
  assertForAll({}, twice == partOf(partOf(i, g), l), {twice});
  for (const char *binder : {"sum", "max"}) {
    z3::expr whole = apply(binder, {i, x});
    assertForAll({}, independent(whole, nameOf(i)), {whole});
  }
}

void Z3Encoding::assertNames() {
  for (NameId name : names) {
    z3::expr range = getName(name);
    solver.add(nameOf(range) == range);
    for (NameId other : names)
      if (other != name)
        solver.add(differ(range, getName(other)));
    for (const auto &[text, leaf] : leaves)
      if (!leaf.second.count(name))
        solver.add(independent(leaf.first, range));
  }
}

void Z3Encoding::assertAxioms() {
  encodesLaw = true;
  for (const ExpressionLaw &law : getExpressionLaws())
    if (!mentionsFunction(law.lhs))
      assertLaw(law);
  for (const SubexpressionRule &rule : getSubexpressionRules())
    if (!mentionsFunction(rule.whole))
      assertRule(rule);
  assertRanges();
  for (const auto &[name, operation] : operations)
    assertIndependence(operation);
  encodesLaw = false;
  for (const auto &[name, node] : std::map(functions))
    assertFunction(node, declareFunction(node));
  assertNames();
}
