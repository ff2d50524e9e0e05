//===- ExpressionTree.cpp - Abstract expressions as written ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Algebra/ExpressionTree.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::mirage;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

IndexRange IndexRange::split(SymbolId symbol) const {
  IndexRange result = *this;
  result.splits.push_back(symbol);
  llvm::sort(result.splits);
  return result;
}

IndexRange IndexRange::join(SymbolId symbol) const {
  IndexRange result = *this;
  auto *it = llvm::find(result.splits, symbol);
  assert(it != result.splits.end() && "joins what the symbol has split");
  result.splits.erase(it);
  return result;
}

SymbolPowers IndexRange::getPart() const {
  SymbolPowers part;
  for (SymbolId symbol : splits)
    part.push_back({symbol, -1});
  return part;
}

//===----------------------------------------------------------------------===//
// Makers
//===----------------------------------------------------------------------===//

static Expression make(ExpressionNode node) {
  return std::make_shared<const ExpressionNode>(std::move(node));
}

static Expression make(ExpressionKind kind, ArrayRef<Expression> operands) {
  ExpressionNode node;
  node.kind = kind;
  node.operands.assign(operands.begin(), operands.end());
  return make(std::move(node));
}

static Expression makeOver(ExpressionKind kind, IndexRange range,
                           Expression operand) {
  ExpressionNode node;
  node.kind = kind;
  node.range = std::move(range);
  node.operands.push_back(std::move(operand));
  return make(std::move(node));
}

static Expression makeJoin(ExpressionKind kind, SymbolId symbol,
                           Expression operand) {
  ExpressionNode node;
  node.kind = kind;
  node.symbol = symbol;
  node.operands.push_back(std::move(operand));
  return make(std::move(node));
}

static Expression makeLeaf(ExpressionKind kind, unsigned number,
                           ArrayRef<NameId> names) {
  ExpressionNode node;
  node.kind = kind;
  node.number = number;
  node.names.assign(names.begin(), names.end());
  return make(std::move(node));
}

Expression expression::variable(unsigned number) {
  return makeLeaf(ExpressionKind::Variable, number, {});
}
Expression expression::input(unsigned number, ArrayRef<NameId> names) {
  return makeLeaf(ExpressionKind::Input, number, names);
}
Expression expression::constant(double value) {
  ExpressionNode node;
  node.value = value;
  return make(std::move(node));
}
Expression expression::one() { return constant(1); }
Expression expression::extent(ArrayRef<NameId> names) {
  return makeLeaf(ExpressionKind::Extent, 0, names);
}
Expression expression::add(Expression lhs, Expression rhs) {
  return make(ExpressionKind::Add, {lhs, rhs});
}
Expression expression::mul(Expression lhs, Expression rhs) {
  return make(ExpressionKind::Mul, {lhs, rhs});
}
Expression expression::div(Expression lhs, Expression rhs) {
  return make(ExpressionKind::Div, {lhs, rhs});
}
Expression expression::negate(Expression operand) {
  return make(ExpressionKind::Negate, {operand});
}
Expression expression::exp(Expression operand) {
  return make(ExpressionKind::Exp, {operand});
}
Expression expression::sqrt(Expression operand) {
  return make(ExpressionKind::Sqrt, {operand});
}
Expression expression::sum(IndexRange range, Expression operand) {
  return makeOver(ExpressionKind::Sum, std::move(range), std::move(operand));
}
Expression expression::max(IndexRange range, Expression operand) {
  return makeOver(ExpressionKind::Max, std::move(range), std::move(operand));
}
Expression expression::joinSums(SymbolId symbol, Expression operand) {
  return makeJoin(ExpressionKind::JoinSums, symbol, std::move(operand));
}
Expression expression::joinMaxima(SymbolId symbol, Expression operand) {
  return makeJoin(ExpressionKind::JoinMaxima, symbol, std::move(operand));
}
Expression expression::function(StringRef text, ArrayRef<Expression> operands,
                                bool commutes, ArrayRef<NameId> over,
                                const SymbolPowers &part) {
  ExpressionNode node;
  node.kind = ExpressionKind::Function;
  node.text = text.str();
  node.commutes = commutes;
  node.names.assign(over.begin(), over.end());
  node.part = part;
  node.operands.assign(operands.begin(), operands.end());
  return make(std::move(node));
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static bool isSameNode(const ExpressionNode &lhs, const ExpressionNode &rhs) {
  return lhs.kind == rhs.kind && lhs.number == rhs.number &&
         lhs.value == rhs.value && lhs.names == rhs.names &&
         lhs.range == rhs.range && lhs.symbol == rhs.symbol &&
         lhs.text == rhs.text && lhs.part == rhs.part &&
         lhs.commutes == rhs.commutes &&
         lhs.operands.size() == rhs.operands.size();
}

bool mlir::mirage::isSameTree(const Expression &lhs, const Expression &rhs) {
  if (lhs == rhs)
    return true;
  return isSameNode(*lhs, *rhs) &&
         llvm::all_of(llvm::zip_equal(lhs->operands, rhs->operands),
                      [](const auto &pair) {
                        return isSameTree(std::get<0>(pair), std::get<1>(pair));
                      });
}

static bool binds(const ExpressionNode &node, NameId name) {
  switch (node.kind) {
  case ExpressionKind::Sum:
  case ExpressionKind::Max:
    return node.range.name == name;
  case ExpressionKind::Function:
    return llvm::is_contained(node.names, name);
  default:
    return false;
  }
}

bool mlir::mirage::dependsOn(const Expression &expression, NameId name) {
  if (expression->kind == ExpressionKind::Input)
    return llvm::is_contained(expression->names, name);
  return !binds(*expression, name) &&
         llvm::any_of(expression->operands, [&](const Expression &operand) {
           return dependsOn(operand, name);
         });
}

unsigned mlir::mirage::countNodes(const Expression &expression) {
  unsigned count = 1;
  for (const Expression &operand : expression->operands)
    count += countNodes(operand);
  return count;
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

FormId mlir::mirage::toForm(ExpressionContext &context,
                            const Expression &expression) {
  const ExpressionNode &node = *expression;
  SmallVector<FormId, 2> operands;
  for (const Expression &operand : node.operands)
    operands.push_back(toForm(context, operand));
  switch (node.kind) {
  case ExpressionKind::Variable:
    break;
  case ExpressionKind::Input:
    return context.input(node.number, node.names);
  case ExpressionKind::Constant:
    return context.constant(node.value);
  case ExpressionKind::Extent:
    return context.extent(node.names);
  case ExpressionKind::Add:
    return context.add(operands[0], operands[1]);
  case ExpressionKind::Mul:
    return context.mul(operands[0], operands[1]);
  case ExpressionKind::Div:
    return context.div(operands[0], operands[1]);
  case ExpressionKind::Negate:
    return context.negate(operands[0]);
  case ExpressionKind::Exp:
    return context.exp(operands[0]);
  case ExpressionKind::Sqrt:
    return context.sqrt(operands[0]);
  case ExpressionKind::Sum:
    return context.sum(operands[0], node.range.name, node.range.getPart());
  case ExpressionKind::Max:
    return context.max(operands[0], node.range.name, node.range.getPart());
  case ExpressionKind::JoinSums:
    return context.multiplySymbol(operands[0], node.symbol);
  case ExpressionKind::JoinMaxima: {
    std::optional<FormId> joined = context.joinMax(operands[0], node.symbol);
    assert(joined && "joins parts of a maximum");
    return *joined;
  }
  case ExpressionKind::Function:
    return context.function(node.text, operands, node.commutes, node.names,
                            node.part);
  }
  assert(false && "variables have no form");
  return FormId::None;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {
class TreePrinter {
public:
  TreePrinter(const ExpressionContext &context, llvm::raw_ostream &os)
      : context(context), os(os) {}

  void print(const Expression &expression) {
    const ExpressionNode &node = *expression;
    switch (node.kind) {
    case ExpressionKind::Variable:
      os << "?" << node.number;
      return;
    case ExpressionKind::Input:
      os << "x" << node.number;
      return printNames(node.names);
    case ExpressionKind::Constant:
      os << llvm::format("%.9g", node.value);
      return;
    case ExpressionKind::Extent:
      os << "extent";
      return printNames(node.names);
    case ExpressionKind::Add:
      return printInfix(node, " + ");
    case ExpressionKind::Mul:
      return printInfix(node, " * ");
    case ExpressionKind::Div:
      return printInfix(node, " / ");
    case ExpressionKind::Negate:
      return printCall("-", node);
    case ExpressionKind::Exp:
      return printCall("exp", node);
    case ExpressionKind::Sqrt:
      return printCall("sqrt", node);
    case ExpressionKind::Sum:
      return printCall("sum" + toText(node.range), node);
    case ExpressionKind::Max:
      return printCall("max" + toText(node.range), node);
    case ExpressionKind::JoinSums:
      return printCall("join[" + context.getSymbol(node.symbol).str() + "]",
                       node);
    case ExpressionKind::JoinMaxima:
      return printCall("joinmax[" + context.getSymbol(node.symbol).str() + "]",
                       node);
    case ExpressionKind::Function:
      os << node.text;
      printNames(node.names);
      return printCall("", node);
    }
  }

private:
  void printNames(ArrayRef<NameId> names) {
    if (names.empty())
      return;
    os << "[";
    llvm::interleaveComma(names, os,
                          [&](NameId name) { os << context.getName(name); });
    os << "]";
  }
  std::string toText(const IndexRange &range) const {
    std::string text = "[" + context.getName(range.name).str();
    for (SymbolId symbol : range.splits)
      text += "/" + context.getSymbol(symbol).str();
    return text + "]";
  }
  void printInfix(const ExpressionNode &node, StringRef symbol) {
    os << "(";
    llvm::interleave(
        node.operands, os, [&](const Expression &e) { print(e); }, symbol);
    os << ")";
  }
  void printCall(StringRef name, const ExpressionNode &node) {
    os << name << "(";
    llvm::interleaveComma(node.operands, os,
                          [&](const Expression &e) { print(e); });
    os << ")";
  }

  const ExpressionContext &context;
  llvm::raw_ostream &os;
};
} // namespace

std::string mlir::mirage::toString(const ExpressionContext &context,
                                   const Expression &expression) {
  std::string text;
  llvm::raw_string_ostream os(text);
  TreePrinter(context, os).print(expression);
  return text;
}
