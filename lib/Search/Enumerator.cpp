//===- Enumerator.cpp - All structures of one kernel, each once -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Enumerator.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;
using llvm::SmallVector;

llvm::StringRef mlir::mirage::search::getPruneReasonName(PruneReason reason) {
  static constexpr llvm::StringLiteral kNames[] = {
      "expression", "size", "place", "duplicate", "open"};
  return kNames[static_cast<unsigned>(reason)];
}

//===----------------------------------------------------------------------===//
// Spaces and kernels
//===----------------------------------------------------------------------===//

EnumerationSpace::EnumerationSpace(const TargetProgram &program,
                                   AtomReading reading)
    : program(program), forms(context, reading, kMaxProgramTotal) {
  declareNames(context, program);
  TargetForms all = computeForms(context, program, reading);
  hasAtomFunctions = all.hasAtoms;
  for (ValueId input : program.inputs)
    inputForms.push_back(all.ofValues[input]);
  for (ValueId output : program.graph.getOutputs())
    targets.push_back(all.ofValues[output]);
  if (llvm::is_contained(targets, FormId::None))
    return;
  test.emplace(context, targets);
  forms.setMaxTotal(test->getMaxTotal());
  functions.emplace(context, test->getLevelForms());
  offers = collectOffers(context, forms, program, test->getLevelForms());
}

static void addGridChoices(const TargetProgram &program, ArrayRef<NameId> names,
                           unsigned maxGridAxes, KernelChoice &choice,
                           std::vector<KernelChoice> &choices) {
  for (NameId loop : toList(program.reducedNames)) {
    choices.push_back(choice);
    choices.back().loopName = loop;
  }
  choices.push_back(choice);
  if (choice.gridNames.size() == maxGridAxes)
    return;
  for (size_t next = 0; next < names.size(); ++next) {
    choice.gridNames.push_back(names[next]);
    addGridChoices(program, names.drop_front(next + 1), maxGridAxes, choice,
                   choices);
    choice.gridNames.pop_back();
  }
}

std::vector<KernelChoice>
mlir::mirage::search::enumerateKernelChoices(const TargetProgram &program,
                                             unsigned maxGridAxes,
                                             bool allowSummedOutputs) {
  NameSet names = 0;
  for (ValueId value : allowSummedOutputs
                           ? llvm::ArrayRef<ValueId>(program.inputs)
                           : program.graph.getOutputs())
    names |= program.getNames(value);
  std::vector<KernelChoice> choices;
  KernelChoice choice;
  addGridChoices(program, toList(names), maxGridAxes, choice, choices);
  return choices;
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

bool Enumerator::Step::operator<(const Step &other) const {
  return std::tie(larger, smaller, offer, variant) <
         std::tie(other.larger, other.smaller, other.offer, other.variant);
}

bool Enumerator::run(const KernelChoice &kernel,
                     llvm::function_ref<void(const Structure &)> callback) {
  structure = Structure();
  structure.gridNames = kernel.gridNames;
  structure.loopName = kernel.loopName;
  tensors.clear();
  steps.clear();
  builtForms.clear();
  found = callback;
  addInputs();
  extend();
  return !isOverLimit;
}

void Enumerator::addInputs() {
  for (auto [position, input] : llvm::enumerate(space.program.inputs)) {
    Tensor tensor;
    tensor.form = space.inputForms[position];
    tensor.names = space.program.getNames(input);
    if (structure.loopName != kNoName &&
        contains(tensor.names, structure.loopName))
      tensor.phase = Phase::Loop;
    for (auto [axis, name] : llvm::enumerate(structure.gridNames))
      if (contains(tensor.names, name))
        tensor.axes |= 1u << axis;
    tensors.push_back(tensor);
    structure.inputs.push_back(input);
  }
}

void Enumerator::extend() {
  if (isOverLimit || structure.operators.size() == limits.numOperators)
    return;
  bool isFree = steps.empty() || limits.inAnyOrder;
  unsigned first = isFree ? 0 : steps.back().larger - 1;
  for (unsigned larger = first; larger < tensors.size(); ++larger) {
    tryUnary(larger);
    for (unsigned smaller = 0; smaller <= larger; ++smaller)
      tryBinary(smaller, larger);
  }
}

void Enumerator::tryUnary(unsigned operand) {
  const Tensor tensor = tensors[operand];
  for (auto [number, offer] : llvm::enumerate(space.offers)) {
    Step step{operand + 1, 0, static_cast<unsigned>(number), 0};
    StructureOperator op;
    op.opcode = offer.row->opcode;
    op.operands = {operand};
    op.scalars = offer.scalars;
    if (offer.row->kind == OperatorKind::Elementwise &&
        offer.row->numOperands == 1) {
      tryStep(step, op, false);
      continue;
    }
    if (offer.row->kind != OperatorKind::Reduction)
      continue;
    for (NameId name : toList(tensor.names & space.program.reducedNames)) {
      if (tensor.phase == Phase::Loop && name == structure.loopName)
        continue;
      op.over = name;
      step.variant = 2 * name;
      tryStep(step, op, false);
    }
    if (tensor.phase != Phase::Loop)
      continue;
    bool isWhole = !contains(tensor.names, structure.loopName);
    if (isWhole && !offer.joinsParts)
      continue;
    op.opcode = Opcode::Accumulate;
    op.reduction = offer.row->opcode;
    op.over = isWhole ? kNoName : structure.loopName;
    step.variant = 2 * structure.loopName + 1;
    tryStep(step, op, true);
  }
}

void Enumerator::tryBinary(unsigned lhs, unsigned rhs) {
  for (auto [number, offer] : llvm::enumerate(space.offers)) {
    Step step{rhs + 1, lhs + 1, static_cast<unsigned>(number), 0};
    StructureOperator op;
    op.opcode = offer.row->opcode;
    op.operands = {lhs, rhs};
    op.scalars = offer.scalars;
    if (offer.row->kind == OperatorKind::Contraction) {
      for (NameId name : toList(tensors[lhs].names & tensors[rhs].names &
                                space.program.reducedNames)) {
        op.over = name;
        step.variant = 2 * name;
        tryStep(step, op, false);
      }
      continue;
    }
    if (offer.row->kind != OperatorKind::Elementwise ||
        offer.row->numOperands != 2 ||
        (lhs == rhs && offer.refusesEqualOperands))
      continue;
    tryStep(step, op, false);
    if (offer.row->commutes || lhs == rhs)
      continue;
    op.operands = {rhs, lhs};
    step.variant = 1;
    tryStep(step, op, false);
  }
}

//===----------------------------------------------------------------------===//
// One step
//===----------------------------------------------------------------------===//

/// Elementwise operators take two tensors if one has all names of the other,
/// or if the names they have together are neither reduced nor too many.
static bool mayMeet(const TargetProgram &program, NameSet lhs, NameSet rhs) {
  NameSet both = lhs | rhs;
  if (both == lhs || both == rhs)
    return true;
  return !(both & program.reducedNames) &&
         unsigned(llvm::popcount(both)) <= program.maxTensorNames;
}

std::optional<Enumerator::Tensor>
Enumerator::makeTensor(const OperatorOffer &offer, const StructureOperator &op,
                       bool accumulates) const {
  Tensor result;
  bool inLoop = false, after = false;
  for (unsigned operand : op.operands) {
    const Tensor &tensor = tensors[operand];
    inLoop |= tensor.phase == Phase::Loop;
    after |= tensor.phase == Phase::After;
    result.phase = std::max(result.phase, tensor.phase);
    result.names |= tensor.names;
    result.axes |= tensor.axes;
  }
  if (inLoop && after)
    return std::nullopt;
  if (op.operands.size() == 2) {
    NameSet lhs = tensors[op.operands[0]].names,
            rhs = tensors[op.operands[1]].names;
    if (op.over == kNoName ? !mayMeet(space.program, lhs, rhs) : lhs == rhs)
      return std::nullopt;
  }
  if (op.over != kNoName)
    result.names &= ~toSet(op.over);
  if (accumulates)
    result.phase = Phase::After;
  result.offer = &offer;
  result.isAccumulated = accumulates;
  if (offer.isLinearReduction)
    result.reducedName = op.over;
  return result;
}

/// The rules that give factors, signs, reciprocals and sums one place each.
bool Enumerator::isPlaced(const OperatorOffer &offer,
                          ArrayRef<unsigned> operands,
                          const StructureOperator &op, bool accumulates) const {
  using Position = OperatorOffer::Position;
  for (auto [index, operand] : llvm::enumerate(operands)) {
    const Tensor &tensor = tensors[operand];
    if (!tensor.offer)
      continue;
    const OperatorOffer &from = *tensor.offer;
    Position position = offer.row->kind == OperatorKind::Contraction
                            ? Position::Factor
                            : offer.positions[index];
    if (from.isFactor && !tensor.isAccumulated &&
        (position == Position::Factor ||
         (from.isNegation && position == Position::Summand)))
      return false;
    if (from.isReciprocal && offer.multiplies())
      return false;
    if (offer.isLinearReduction && from.isLinearReduction && !accumulates &&
        (tensor.isAccumulated || tensor.reducedName > op.over))
      return false;
  }
  return true;
}

bool Enumerator::isFactorPlaced(const OperatorOffer &offer, FormId form) {
  return !offer.isFactor ||
         space.test->containsWhole(form, /*orAsSummand=*/!offer.isNegation);
}

/// What part of `name` one block (and one iteration) sees.
SymbolPowers Enumerator::getPart(NameId name, bool withLoop) const {
  SymbolPowers part;
  if (llvm::is_contained(structure.gridNames, name))
    part.push_back({getGridSymbol(name), -1});
  if (withLoop && name == structure.loopName)
    part.push_back({getLoopSymbol(name), -1});
  return part;
}

FormId Enumerator::buildForm(const OperatorOffer &offer,
                             const StructureOperator &op, bool accumulates) {
  SmallVector<FormId, 2> forms;
  for (unsigned operand : op.operands)
    forms.push_back(tensors[operand].form);
  unsigned number = &offer - space.offers.data();
  std::array<unsigned, 4> key = {
      2 * number + accumulates, op.over, static_cast<unsigned>(forms.front()),
      forms.size() > 1 ? static_cast<unsigned>(forms.back()) : ~0u};
  auto [it, isNew] = builtForms.try_emplace(key, FormId::None);
  if (!isNew)
    return it->second;
  FormId form;
  if (offer.row->kind == OperatorKind::Elementwise)
    form = space.forms.elementwise(*offer.row, op.scalars, forms);
  else if (offer.row->kind == OperatorKind::Contraction)
    form = space.forms.contraction(forms[0], forms[1], op.over,
                                   getPart(op.over, /*withLoop=*/true));
  else if (op.over == kNoName)
    form = space.forms.join(*offer.row, forms[0],
                            getLoopSymbol(structure.loopName));
  else
    form = space.forms.reduction(*offer.row, forms[0], {op.over},
                                 getPart(op.over, /*withLoop=*/false));
  it->second = form;
  return form;
}

bool Enumerator::isDuplicate(const Tensor &tensor) const {
  return llvm::any_of(tensors, [&](const Tensor &other) {
    return other.form == tensor.form && other.names == tensor.names &&
           other.phase == tensor.phase && other.axes == tensor.axes;
  });
}

void Enumerator::tryStep(const Step &step, const StructureOperator &op,
                         bool accumulates) {
  bool isInOrder = steps.empty() || steps.back() < step || limits.inAnyOrder;
  if (isOverLimit || !isInOrder)
    return;
  const OperatorOffer &offer = space.offers[step.offer];
  std::optional<Tensor> tensor = makeTensor(offer, op, accumulates);
  if (!tensor)
    return;
  ++counts.trials;
  if (!isPlaced(offer, op.operands, op, accumulates))
    return prune(PruneReason::Place);
  tensor->form = buildForm(offer, op, accumulates);
  if (tensor->form == FormId::None ||
      space.context.get(tensor->form).total > space.test->getMaxTotal())
    return prune(PruneReason::Size);
  if (!space.test->contains(tensor->form))
    return prune(PruneReason::Expression);
  if (!isFactorPlaced(offer, tensor->form))
    return prune(PruneReason::Place);
  if (isDuplicate(*tensor))
    return prune(PruneReason::Duplicate);
  push(step, op, *tensor);
}

void Enumerator::push(const Step &step, const StructureOperator &op,
                      Tensor tensor) {
  for (unsigned operand : op.operands)
    ++tensors[operand].numUses;
  tensors.push_back(tensor);
  steps.push_back(step);
  structure.operators.push_back(op);
  if (structure.operators.size() + getOperatorsNeeded() <=
      limits.numOperators) {
    if (++counts.states >= limits.maxStates)
      isOverLimit = true;
    checkComplete();
    extend();
  } else {
    prune(PruneReason::Open);
  }
  structure.operators.pop_back();
  steps.pop_back();
  tensors.pop_back();
  for (unsigned operand : op.operands)
    --tensors[operand].numUses;
}

/// A lower bound: joining two open tensors takes an operator, leaving the loop
/// takes one, and so does each function that is still missing; a missing
/// reduction may be the one that leaves the loop.
unsigned Enumerator::getOperatorsNeeded() const {
  unsigned open = 0;
  bool inLoop = false;
  FunctionBound::FunctionSet present = 0;
  for (const Tensor &tensor : tensors) {
    present |= space.functions->find(tensor.form);
    if (tensor.numUses > 0)
      continue;
    ++open;
    inLoop |= tensor.phase == Phase::Loop;
  }
  FunctionBound::FunctionSet missing = space.functions->getAll() & ~present;
  unsigned outputs = space.targets.size();
  unsigned needed = open > outputs ? open - outputs : 0;
  needed += llvm::popcount(missing);
  if (inLoop && !(missing & space.functions->getReductions()))
    ++needed;
  return needed;
}

//===----------------------------------------------------------------------===//
// Complete structures
//===----------------------------------------------------------------------===//

/// Whether the tensor, put together over the grid, is the program's output.
bool Enumerator::isOutput(const Tensor &tensor, unsigned output) {
  ValueId value = space.program.graph.getOutputs()[output];
  if (tensor.phase == Phase::Loop ||
      (tensor.names & ~space.program.getNames(value)))
    return false;
  FormId form = tensor.form;
  for (auto [axis, name] : llvm::enumerate(structure.gridNames)) {
    if (!(tensor.axes >> axis & 1) || contains(tensor.names, name))
      continue;
    if (!limits.allowSummedOutputs)
      return false;
    form = space.context.multiplySymbol(form, getGridSymbol(name));
  }
  return form == space.targets[output];
}

void Enumerator::checkComplete() {
  if (structure.operators.size() != limits.numOperators)
    return;
  structure.outputs.clear();
  for (unsigned output = 0; output < space.targets.size(); ++output) {
    auto it = llvm::find_if(
        tensors, [&](const Tensor &t) { return isOutput(t, output); });
    if (it == tensors.end())
      return;
    structure.outputs.push_back(it - tensors.begin());
  }
  for (auto [number, tensor] : llvm::enumerate(tensors))
    if (tensor.numUses == 0 && !llvm::is_contained(structure.outputs, number))
      return;
  found(structure);
}
