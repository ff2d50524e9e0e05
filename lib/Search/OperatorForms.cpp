//===- OperatorForms.cpp - Abstract expressions of the operator table -----===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/OperatorForms.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;

/// What repeated squaring leads to: 24 times is a monomial of 2^24 factors. So
/// do products of sums in sums, whose letters have many orders.
bool OperatorForms::isTooLong(FormId lhs, FormId rhs) const {
  const Form &a = context.get(lhs), &b = context.get(rhs);
  return a.length + b.length > kMaxFormLength ||
         a.namings * b.namings > kMaxFormNamings;
}

FormId OperatorForms::product(FormId lhs, FormId rhs) {
  if (context.countProduct(lhs, rhs) > maxTotal || isTooLong(lhs, rhs))
    return FormId::None;
  return context.mul(lhs, rhs);
}

/// Inner nodes of a definition; leaves are seen to by the caller.
FormId OperatorForms::apply(const ScalarNode &node, FormId lhs, FormId rhs) {
  switch (node.function) {
  case ScalarFunction::Add:
    return context.add(lhs, rhs);
  case ScalarFunction::Mul:
    return product(lhs, rhs);
  case ScalarFunction::Div:
    return isTooLong(lhs, rhs) ? FormId::None : context.div(lhs, rhs);
  case ScalarFunction::Exp:
    return context.exp(lhs);
  case ScalarFunction::Sqrt:
    return context.sqrt(lhs);
  case ScalarFunction::Max:
    return context.function("maximum", {lhs, rhs}, /*commutes=*/true);
  case ScalarFunction::Min:
    return context.function("minimum", {lhs, rhs}, /*commutes=*/true);
  case ScalarFunction::Abs:
    return context.function("abs", {lhs});
  case ScalarFunction::Log:
    return context.function("log", {lhs});
  case ScalarFunction::Erf:
    return context.function("erf", {lhs});
  case ScalarFunction::Pow:
    return context.function("pow", {lhs, rhs});
  case ScalarFunction::Vanish:
    return context.function("vanish", {lhs, rhs});
  case ScalarFunction::Argument:
  case ScalarFunction::Parameter:
  case ScalarFunction::Constant:
  case ScalarFunction::Ln2:
  case ScalarFunction::Size:
    break;
  }
  assert(false && "a leaf of a definition has no operands");
  return FormId::None;
}

FormId OperatorForms::evaluateDefinition(const ScalarDefinition &definition,
                                         ArrayRef<double> scalars,
                                         ArrayRef<FormId> operands,
                                         ArrayRef<NameId> over) {
  auto meaning = [&](const ScalarNode &node, FormId lhs, FormId rhs) {
    unsigned arity = getArity(node.function);
    if ((arity > 0 && lhs == FormId::None) ||
        (arity > 1 && rhs == FormId::None))
      return FormId::None;
    switch (node.function) {
    case ScalarFunction::Argument:
      return operands[node.index];
    case ScalarFunction::Parameter:
      return context.constant(scalars[node.index]);
    case ScalarFunction::Constant:
      return context.constant(node.value);
    case ScalarFunction::Ln2:
      return context.namedConstant("ln2");
    case ScalarFunction::Size:
      return over.empty() ? context.one() : context.extent(over);
    default:
      return apply(node, lhs, rhs);
    }
  };
  return evaluate<FormId>(definition, meaning);
}

FormId OperatorForms::elementwise(const OperatorInfo &row,
                                  ArrayRef<double> scalars,
                                  ArrayRef<FormId> operands) {
  if (row.isAtom && reading == AtomReading::Function)
    return context.function(row.name, operands, row.commutes);
  return evaluateDefinition(row.definition, scalars, operands, {});
}

bool OperatorForms::isFunction(const OperatorInfo &row) const {
  bool isAtom = row.isAtom || (hasVariances && row.averages());
  return isAtom && reading == AtomReading::Function;
}

FormId OperatorForms::writeVariance(FormId operand, ArrayRef<NameId> over) {
  const OperatorInfo &mean = getOperatorInfo(Opcode::Mean);
  FormId average = reduction(mean, operand, over, {});
  if (average == FormId::None)
    return average;
  FormId centred =
      elementwise(getOperatorInfo(Opcode::Sub), {}, {operand, average});
  FormId square = product(centred, centred);
  return square == FormId::None ? square : reduction(mean, square, over, {});
}

FormId OperatorForms::reduction(const OperatorInfo &row, FormId operand,
                                ArrayRef<NameId> over,
                                const SymbolPowers &part) {
  // The search reduces one name at a time, as functions cannot be.
  if (isFunction(row) && over.size() == 1)
    return context.function(row.name, {operand}, /*commutes=*/false, over,
                            part);
  if (row.combiner == Combiner::Moments)
    return writeVariance(operand, over);
  FormId form = evaluateDefinition(row.definition, {}, {operand}, over);
  if (form == FormId::None)
    return form;
  for (auto [position, name] : llvm::enumerate(over)) {
    SymbolPowers here = position == 0 ? part : SymbolPowers();
    form = row.combiner == Combiner::Add ? context.sum(form, name, here)
                                         : context.max(form, name, here);
  }
  return evaluateDefinition(row.finish, {}, {form}, over);
}

FormId OperatorForms::contraction(FormId lhs, FormId rhs, NameId over,
                                  const SymbolPowers &part) {
  FormId whole = product(lhs, rhs);
  return whole == FormId::None ? whole : context.sum(whole, over, part);
}

/// An input number that no program has.
static constexpr unsigned kPlaces = ~0u - 2;

FormId OperatorForms::causalMask(FormId operand, const CausalNames &mask) {
  DimensionList letters;
  std::string text = "causal_mask " + std::to_string(mask.offset);
  for (NameId name : {mask.rows, mask.columns}) {
    text += name == kNoName ? " one" : " many";
    if (name != kNoName)
      letters.push_back(name);
  }
  return context.function(text, {operand, context.input(kPlaces, letters)});
}

FormId OperatorForms::join(const OperatorInfo &row, FormId operand,
                           SymbolId symbol) {
  if (row.combiner == Combiner::Add)
    return context.multiplySymbol(operand, symbol);
  return context.joinMax(operand, symbol).value_or(FormId::None);
}
