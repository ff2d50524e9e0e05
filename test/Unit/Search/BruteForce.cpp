//===- BruteForce.cpp - All kernels of a few operators --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BruteForce.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;
using llvm::ArrayRef;

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

TermTable::TermTable(const TargetProgram &program, AtomReading reading,
                     const KernelChoice &choice)
    : program(program), choice(choice),
      forms(context, reading, kMaxProgramTotal),
      numInputs(program.inputs.size()) {
  declareNames(context, program);
  TargetForms all = computeForms(context, program, reading);
  if (all.hasVariances)
    forms.useVariances();
  target = all.ofValues[program.graph.getOutputs()[0]];
  for (ValueId input : program.inputs) {
    Term term;
    term.isInput = true;
    term.names = program.getNames(input);
    if (choice.loopName != kNoName && contains(term.names, choice.loopName))
      term.phase = Phase::Loop;
    for (auto [axis, name] : llvm::enumerate(choice.gridNames))
      term.axes |= unsigned(contains(term.names, name)) << axis;
    formOfTerm[terms.size()] = all.ofValues[input];
    terms.push_back(term);
  }
}

bool TermTable::joinsParts(Opcode reduction) const {
  const OperatorInfo &row = getOperatorInfo(reduction);
  return row.definition.nodes().size() == 1 && row.finish.nodes().size() == 1;
}

/// What a kernel may compute, by the meaning of its operators.
std::optional<Term> TermTable::make(const StructureOperator &op) const {
  Term term = terms[op.operands[0]];
  term.isInput = false;
  term.op = op;
  if (op.operands.size() == 2) {
    const Term &other = terms[op.operands[1]];
    auto [low, high] = std::minmax(term.phase, other.phase);
    if (low == Phase::Loop && high > Phase::Loop)
      return std::nullopt;
    if (op.over != kNoName && !contains(other.names, op.over))
      return std::nullopt;
    if (op.over != kNoName && term.names == other.names &&
        !program.hasRowProducts)
      return std::nullopt; // no matrix product
    term.phase = high;
    term.axes |= other.axes;
    if (op.over != kNoName && !contains(term.names, op.over))
      return std::nullopt;
    term.names |= other.names;
  } else if (op.over != kNoName && !contains(term.names, op.over)) {
    return std::nullopt;
  }
  bool isLooped = term.phase == Phase::Loop;
  if (op.over != kNoName)
    term.names &= ~toSet(op.over);
  if (op.opcode != Opcode::Accumulate)
    return term;
  if (op.gridAxis) {
    bool hasParts = (term.axes >> *op.gridAxis & 1) &&
                    !contains(term.names, choice.gridNames[*op.gridAxis]);
    if (isLooped || !hasParts || !joinsParts(op.reduction))
      return std::nullopt;
    term.phase = getPhaseOfJoin(term.phase);
    term.axes &= ~(1u << *op.gridAxis);
    return term;
  }
  bool reducesTiles = op.over == choice.loopName;
  if (!isLooped || contains(term.names, choice.loopName) ||
      (op.over != kNoName && !reducesTiles) ||
      (op.over == kNoName && !joinsParts(op.reduction)))
    return std::nullopt;
  term.phase = Phase::After;
  return term;
}

/// All that an operator is but its operands.
uint64_t TermTable::getKey(const StructureOperator &op) {
  auto it = llvm::find(scalars, op.scalars);
  uint64_t key = it - scalars.begin();
  if (it == scalars.end())
    scalars.push_back(op.scalars);
  key = key << 8 | uint64_t(op.opcode);
  key = key << 8 | uint64_t(op.reduction);
  key = key << 16 | op.over;
  return key << 8 | (op.gridAxis ? *op.gridAxis + 1 : 0);
}

std::optional<TermId> TermTable::add(StructureOperator op) {
  const OperatorInfo &row = getOperatorInfo(op.opcode);
  if (row.commutes || row.kind == OperatorKind::Contraction)
    llvm::sort(op.operands);
  uint64_t rhs = op.operands.size() == 2 ? op.operands[1] : ~0u;
  auto [it, isNew] = numbers.try_emplace(
      {getKey(op), uint64_t(op.operands[0]) << 32 | rhs}, ~0u);
  if (isNew) {
    if (std::optional<Term> term = make(op)) {
      it->second = terms.size();
      terms.push_back(*term);
    }
  }
  return it->second == ~0u ? std::nullopt : std::optional<TermId>(it->second);
}

SymbolPowers TermTable::getPart(NameId name) const {
  SymbolPowers part;
  if (llvm::is_contained(choice.gridNames, name))
    part.push_back({getGridSymbol(name, 0), -1});
  return part;
}

FormId TermTable::computeForm(const Term &term) {
  const StructureOperator &op = term.op;
  llvm::SmallVector<FormId, 2> operands;
  for (TermId operand : op.operands) {
    operands.push_back(getForm(operand));
    if (operands.back() == FormId::None)
      return FormId::None;
  }
  const OperatorInfo &row = getOperatorInfo(
      op.opcode == Opcode::Accumulate ? op.reduction : op.opcode);
  if (op.gridAxis)
    return forms.join(row, operands[0],
                      getGridSymbol(choice.gridNames[*op.gridAxis], 0));
  if (op.opcode == Opcode::Accumulate && op.over == kNoName)
    return forms.join(row, operands[0], getLoopSymbol(choice.loopName));
  if (op.over == kNoName)
    return forms.elementwise(row, op.scalars, operands);
  SymbolPowers part = getPart(op.over);
  if (op.over == choice.loopName && op.opcode != Opcode::Accumulate)
    part.insert(part.begin(), {getLoopSymbol(op.over), -1});
  return row.kind == OperatorKind::Contraction
             ? forms.contraction(operands[0], operands[1], op.over, part)
             : forms.reduction(row, operands[0], {op.over}, part);
}

FormId TermTable::getForm(TermId term) {
  auto it = formOfTerm.find(term);
  if (it != formOfTerm.end())
    return it->second;
  FormId form = computeForm(Term(terms[term]));
  return formOfTerm[term] = form;
}

bool TermTable::isOutput(TermId number) {
  const Term &term = terms[number];
  NameSet names = program.getNames(program.graph.getOutputs()[0]);
  FormId form = getForm(number);
  if (term.phase == Phase::Loop || form == FormId::None ||
      (term.names & ~names))
    return false;
  for (auto [axis, name] : llvm::enumerate(choice.gridNames))
    if ((term.axes >> axis & 1) && !contains(term.names, name))
      form = context.multiplySymbol(form, getGridSymbol(name, 0));
  return form == target;
}

bool TermTable::isSame(TermId a, TermId b) {
  return terms[a].names == terms[b].names && terms[a].phase == terms[b].phase &&
         terms[a].axes == terms[b].axes && getForm(a) != FormId::None &&
         getForm(a) == getForm(b);
}

std::string TermTable::toString(TermId number) const {
  if (number < numInputs)
    return "%" + std::to_string(number);
  const StructureOperator &op = terms[number].op;
  auto getText = [](NameId name) { return std::string(1, char('a' + name)); };
  std::string text = getOperatorInfo(op.opcode).name.str();
  if (op.opcode == Opcode::Accumulate)
    text += " " + getOperatorInfo(op.reduction).name.str();
  if (op.over != kNoName)
    text += " over " + getText(op.over);
  if (op.gridAxis)
    text += " across " + getText(choice.gridNames[*op.gridAxis]);
  text += "(";
  for (auto [position, operand] : llvm::enumerate(op.operands))
    text += (position ? ", " : "") + toString(operand);
  return text + ")";
}

std::string mlir::mirage::test::toString(const TermTable &table,
                                         const BruteKernel &kernel) {
  std::string text = "grid {";
  for (NameId name : table.choice.gridNames)
    text += char('a' + name);
  text += "} loop ";
  text += table.choice.loopName == kNoName ? '-'
                                           : char('a' + table.choice.loopName);
  return text + " " + std::to_string(kernel.operators.size()) +
         " operators: " + table.toString(kernel.output);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
class BruteForce {
public:
  BruteForce(TermTable &table, ArrayRef<OperatorKindOf> operators)
      : table(table), operators(operators) {}

  std::set<BruteKernel> run(unsigned maxOperators) {
    std::set<std::vector<TermId>> level = {{}};
    for (unsigned size = 1; size <= maxOperators; ++size) {
      std::set<std::vector<TermId>> next;
      for (const std::vector<TermId> &kernel : level)
        extend(kernel, size < maxOperators ? &next : nullptr);
      level = std::move(next);
    }
    return std::move(found);
  }

private:
  /// The kernel with one more operator, in every way.
  void extend(const std::vector<TermId> &kernel,
              std::set<std::vector<TermId>> *next) {
    std::vector<TermId> tensors(table.getNumInputs());
    for (TermId input = 0; input < tensors.size(); ++input)
      tensors[input] = input;
    llvm::append_range(tensors, kernel);
    std::vector<TermId> open = findOpen(tensors);
    auto tryOperator = [&](const StructureOperator &op) {
      bool isClosed = llvm::all_of(open, [&](TermId tensor) {
        return llvm::is_contained(op.operands, tensor);
      });
      if (!next && !isClosed)
        return;
      std::optional<TermId> term = table.add(op);
      if (!term || llvm::is_contained(kernel, *term))
        return;
      std::vector<TermId> more = kernel;
      more.insert(llvm::upper_bound(more, *term), *term);
      if (isClosed && table.isOutput(*term))
        found.insert({{more.begin(), more.end()}, *term});
      if (next)
        next->insert(std::move(more));
    };
    for (const OperatorKindOf &kind : operators)
      for (TermId lhs : tensors)
        addEach(kind, lhs, tensors, tryOperator);
  }

  /// The tensors that nothing reads.
  std::vector<TermId> findOpen(ArrayRef<TermId> tensors) {
    std::vector<TermId> open(tensors.begin(), tensors.end());
    for (TermId term : tensors)
      for (TermId operand : table.get(term).op.operands)
        llvm::erase(open, operand);
    return open;
  }

  void addEach(const OperatorKindOf &kind, TermId lhs, ArrayRef<TermId> tensors,
               llvm::function_ref<void(const StructureOperator &)> use) {
    const OperatorInfo &row = getOperatorInfo(kind.opcode);
    StructureOperator op;
    op.opcode = kind.opcode;
    op.scalars = kind.scalars;
    op.operands = {lhs};
    if (row.kind == OperatorKind::Reduction)
      return addReductions(op, use);
    if (row.numOperands == 1)
      return use(op);
    for (TermId rhs : tensors) {
      op.operands = {lhs, rhs};
      if (row.kind == OperatorKind::Elementwise)
        use(op);
      else
        forEachName([&](NameId name) {
          StructureOperator product = op;
          product.over = name;
          use(product);
        });
    }
  }

  void addReductions(const StructureOperator &op,
                     llvm::function_ref<void(const StructureOperator &)> use) {
    StructureOperator joined = op;
    joined.opcode = Opcode::Accumulate;
    joined.reduction = op.opcode;
    use(joined);
    for (unsigned axis = 0; axis < table.choice.gridNames.size(); ++axis) {
      StructureOperator across = joined;
      across.gridAxis = axis;
      use(across);
    }
    forEachName([&](NameId name) {
      StructureOperator reduced = op;
      reduced.over = name;
      use(reduced);
      joined.over = name;
      use(joined);
    });
  }

  void forEachName(llvm::function_ref<void(NameId)> use) {
    for (NameId name = 0; name < table.program.names.getNumNames(); ++name)
      use(name);
  }

  TermTable &table;
  ArrayRef<OperatorKindOf> operators;
  std::set<BruteKernel> found;
};
} // namespace

std::set<BruteKernel>
mlir::mirage::test::enumerateByForce(TermTable &table,
                                     ArrayRef<OperatorKindOf> operators,
                                     unsigned maxOperators) {
  return BruteForce(table, operators).run(maxOperators);
}

BruteKernel mlir::mirage::test::toTerms(TermTable &table,
                                        const KernelStructure &kernel) {
  std::vector<TermId> tensors(table.getNumInputs());
  for (TermId input = 0; input < tensors.size(); ++input)
    tensors[input] = input;
  BruteKernel result;
  for (StructureOperator op : kernel.operators) {
    for (unsigned &operand : op.operands)
      operand = tensors[operand];
    std::optional<TermId> term = table.add(op);
    assert(term && "the search finds kernels that can be computed");
    tensors.push_back(*term);
    result.operators.insert(*term);
  }
  result.output = tensors[kernel.results[0]];
  return result;
}
