//===- Respelling.cpp - What the search leaves out, rewritten -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Respelling.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

llvm::StringRef mlir::mirage::test::getRuleName(RespellingRule rule) {
  static constexpr llvm::StringLiteral kNames[] = {
      "duplicate",     "square", "reciprocal", "partial sum",
      "order of sums", "factor", "difference"};
  return kNames[unsigned(rule)];
}

namespace {
using Rule = RespellingRule;

class Respeller {
public:
  Respeller(TermTable &table, const BruteKernel &kernel)
      : table(table), kernel(kernel) {
    for (TermId term : kernel.operators)
      for (TermId operand : table.get(term).op.operands)
        ++numUses[operand];
    ++numUses[kernel.output];
  }

  std::optional<Respelled> run() {
    for (TermId term : kernel.operators)
      if (std::optional<TermId> earlier = findEqual(term))
        return replace(term, *earlier, Rule::Duplicate);
    for (TermId term : kernel.operators)
      for (unsigned rule = 1; rule < kNumRespellingRules; ++rule)
        if (std::optional<TermId> other = apply(Rule(rule), term))
          return replace(term, *other, Rule(rule));
    return std::nullopt;
  }

private:
  const StructureOperator &getOp(TermId term) const {
    return table.get(term).op;
  }
  bool isAlone(TermId term) { return numUses[term] == 1; }
  std::optional<TermId> add(StructureOperator like,
                            std::initializer_list<TermId> operands) {
    like.operands.assign(operands.begin(), operands.end());
    return table.add(like);
  }
  std::optional<TermId> add(Opcode opcode,
                            std::initializer_list<TermId> operands) {
    StructureOperator op;
    op.opcode = opcode;
    return add(op, operands);
  }

  /// Operands have smaller numbers than what reads them.
  std::optional<TermId> findEqual(TermId term) {
    for (TermId input = 0; input < table.getNumInputs(); ++input)
      if (table.isSame(input, term))
        return input;
    for (TermId other : kernel.operators)
      if (other < term && table.isSame(other, term))
        return other;
    return std::nullopt;
  }

  std::optional<TermId> apply(Rule rule, TermId term) {
    switch (rule) {
    case Rule::Duplicate:
      return std::nullopt;
    case Rule::Square:
      return applySquare(getOp(term));
    case Rule::Reciprocal:
      return applyReciprocal(getOp(term));
    case Rule::PartialSum:
      return applyPartialSum(getOp(term));
    case Rule::OrderOfSums:
      return applyOrderOfSums(getOp(term));
    case Rule::Factor:
      return applyFactor(getOp(term));
    case Rule::Difference:
      return applyDifference(getOp(term));
    }
    return std::nullopt;
  }

  std::optional<TermId> applySquare(const StructureOperator &op) {
    if (op.opcode != Opcode::Mul || op.operands[0] != op.operands[1])
      return std::nullopt;
    return add(Opcode::Square, {op.operands[0]});
  }

  std::optional<TermId> applyReciprocal(const StructureOperator &op) {
    auto isReciprocal = [&](TermId term) {
      return !table.get(term).isInput &&
             getOp(term).opcode == Opcode::Reciprocal;
    };
    if (op.opcode == Opcode::Div && isReciprocal(op.operands[0])) {
      TermId below = getOp(op.operands[0]).operands[0];
      if (!isAlone(op.operands[0]))
        return std::nullopt;
      std::optional<TermId> both = add(Opcode::Mul, {below, op.operands[1]});
      return both ? add(Opcode::Reciprocal, {*both}) : std::nullopt;
    }
    bool isContraction = op.opcode == Opcode::Matmul;
    if (op.opcode != Opcode::Mul && !isContraction)
      return std::nullopt;
    for (unsigned position = 0; position < 2; ++position) {
      TermId factor = op.operands[position], other = op.operands[1 - position];
      if (!isReciprocal(factor))
        continue;
      TermId below = getOp(factor).operands[0];
      NameSet names = table.get(below).names | table.get(other).names;
      // A quotient with names that no value has is none of the search's.
      if (isContraction && !table.program.hasValueWithNames(names))
        continue;
      std::optional<TermId> quotient = add(Opcode::Div, {other, below});
      if (!quotient || !isContraction)
        return quotient;
      StructureOperator sum;
      sum.opcode = Opcode::Sum;
      sum.over = op.over;
      return add(sum, {*quotient});
    }
    return std::nullopt;
  }

  std::optional<TermId> applyPartialSum(const StructureOperator &op) {
    if (op.opcode != Opcode::Accumulate || op.gridAxis || op.over != kNoName ||
        table.get(op.operands[0]).isInput)
      return std::nullopt;
    const StructureOperator &inner = getOp(op.operands[0]);
    if (inner.opcode != op.reduction || inner.over != table.choice.loopName)
      return std::nullopt;
    StructureOperator joined = op;
    joined.over = inner.over;
    return add(joined, {inner.operands[0]});
  }

  /// Where a linear reduction stands in the order.
  std::optional<std::tuple<int, int>> getPlace(TermId term) {
    if (table.get(term).isInput)
      return std::nullopt;
    const StructureOperator &op = getOp(term);
    bool accumulates = op.opcode == Opcode::Accumulate;
    if ((accumulates ? op.reduction : op.opcode) != Opcode::Sum)
      return std::nullopt;
    if (op.gridAxis)
      return std::tuple(2, int(*op.gridAxis));
    return accumulates ? std::tuple(1, 0) : std::tuple(0, int(op.over));
  }

  std::optional<TermId> applyOrderOfSums(const StructureOperator &op) {
    TermId operand = op.operands[0];
    StructureOperator outer = op;
    outer.operands = {operand};
    std::optional<std::tuple<int, int>> inside = getPlace(operand);
    std::optional<TermId> self = table.add(op);
    std::optional<std::tuple<int, int>> outside = getPlace(*self);
    if (!inside || !outside || *inside <= *outside || !isAlone(operand))
      return std::nullopt;
    std::optional<TermId> first = add(outer, {getOp(operand).operands[0]});
    return first ? add(StructureOperator(getOp(operand)), {*first})
                 : std::nullopt;
  }

  bool isFactor(TermId term) {
    return !table.get(term).isInput && (getOp(term).opcode == Opcode::Scale ||
                                        getOp(term).opcode == Opcode::Neg);
  }

  /// c·x in a product, or under a sum, or x/y of it: c goes outside.
  std::optional<TermId> applyFactor(const StructureOperator &op) {
    const OperatorInfo &row = getOperatorInfo(op.opcode);
    bool isProduct =
        op.opcode == Opcode::Mul || row.kind == OperatorKind::Contraction;
    bool isSum = op.opcode == Opcode::Sum || (op.opcode == Opcode::Accumulate &&
                                              op.reduction == Opcode::Sum);
    if (!isProduct && !isSum && op.opcode != Opcode::Div &&
        !isFactor(*table.add(op)))
      return std::nullopt;
    unsigned numPlaces = isProduct ? 2 : 1;
    for (unsigned position = 0; position < numPlaces; ++position) {
      TermId factor = op.operands[position];
      if (!isFactor(factor) || !isAlone(factor))
        continue;
      bool isInPlace =
          isFactor(*table.add(op)) && op.opcode >= getOp(factor).opcode;
      if (isInPlace)
        continue;
      StructureOperator inner = op;
      inner.operands[position] = getOp(factor).operands[0];
      std::optional<TermId> first = table.add(inner);
      if (first)
        return add(StructureOperator(getOp(factor)), {*first});
    }
    return std::nullopt;
  }

  std::optional<TermId> applyDifference(const StructureOperator &op) {
    if (op.opcode != Opcode::Add && op.opcode != Opcode::Sub)
      return std::nullopt;
    for (unsigned position : {1, 0}) {
      TermId negated = op.operands[position], other = op.operands[1 - position];
      if (table.get(negated).isInput || getOp(negated).opcode != Opcode::Neg ||
          !isAlone(negated))
        continue;
      TermId operand = getOp(negated).operands[0];
      if (op.opcode == Opcode::Add)
        return add(Opcode::Sub, {other, operand});
      std::optional<TermId> sum = add(Opcode::Add, {other, operand});
      return sum && position == 0 ? add(Opcode::Neg, {*sum}) : sum;
    }
    return std::nullopt;
  }

  /// `term` rebuilt on what stands in for its operands.
  std::optional<TermId> rebuild(TermId term, std::map<TermId, TermId> &done) {
    auto it = done.find(term);
    if (it != done.end())
      return it->second;
    StructureOperator op = getOp(term);
    for (unsigned &operand : op.operands) {
      std::optional<TermId> other = rebuild(operand, done);
      if (!other)
        return std::nullopt;
      operand = *other;
    }
    std::optional<TermId> rebuilt = table.add(op);
    if (rebuilt)
      done[term] = *rebuilt;
    return rebuilt;
  }

  void collect(TermId term, std::set<TermId> &operators) {
    if (table.get(term).isInput || !operators.insert(term).second)
      return;
    for (TermId operand : getOp(term).operands)
      collect(operand, operators);
  }

  std::optional<Respelled> replace(TermId term, TermId other, Rule rule) {
    std::map<TermId, TermId> done = {{term, other}};
    for (TermId input = 0; input < table.getNumInputs(); ++input)
      done[input] = input;
    std::optional<TermId> output = rebuild(kernel.output, done);
    if (!output)
      return std::nullopt;
    Respelled respelled = {{{}, *output}, rule};
    collect(*output, respelled.kernel.operators);
    return respelled;
  }

  TermTable &table;
  const BruteKernel &kernel;
  std::map<TermId, unsigned> numUses;
};
} // namespace

std::optional<Respelled>
mlir::mirage::test::respell(TermTable &table, const BruteKernel &kernel) {
  return Respeller(table, kernel).run();
}
