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
      "expression", "size", "place", "duplicate", "open", "outer product"};
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

std::vector<KernelChoice> mlir::mirage::search::enumerateKernelChoices(
    const TargetProgram &program, unsigned maxGridAxes, GridJoins joins) {
  NameSet names = 0;
  for (ValueId value : joins.any() ? llvm::ArrayRef<ValueId>(program.inputs)
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

bool Enumerator::Step::ranksBelow(const Step &other) const {
  auto getRank = [](const Step &step) {
    unsigned larger = step.getLarger();
    int smaller = step.isBinary ? int(step.lhs + step.rhs - larger) : -1;
    return std::make_tuple(larger, smaller, step.offer, step.lhs, step.over,
                           step.accumulates, step.gridAxis);
  };
  return getRank(*this) < getRank(other);
}

bool Enumerator::run(const KernelChoice &kernel,
                     llvm::function_ref<void(const Structure &)> callback) {
  structure = Structure();
  structure.gridNames = kernel.gridNames;
  structure.loopName = kernel.loopName;
  tensors.clear();
  steps.clear();
  judgements.clear();
  found = callback;
  joinedAxes = 0;
  NameSet outputNames = 0;
  for (ValueId output : space.program.graph.getOutputs())
    outputNames |= space.program.getNames(output);
  for (auto [axis, name] : llvm::enumerate(kernel.gridNames))
    if (!contains(outputNames, name))
      joinedAxes |= 1u << axis;
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
  if (isOverLimit || steps.size() == limits.numOperators)
    return;
  bool isFree = steps.empty() || limits.inAnyOrder;
  unsigned first = isFree ? 0 : steps.back().getLarger();
  for (unsigned larger = first; larger < tensors.size(); ++larger) {
    tryUnary(larger);
    for (unsigned smaller = 0; smaller <= larger; ++smaller)
      tryBinary(smaller, larger);
  }
}

void Enumerator::tryUnary(unsigned operand) {
  for (unsigned number = 0; number < space.offers.size(); ++number) {
    const OperatorInfo &row = *space.offers[number].row;
    Step step{number, operand};
    if (row.kind == OperatorKind::Elementwise && row.numOperands == 1)
      tryStep(step);
    else if (row.kind == OperatorKind::Reduction)
      tryReductions(step);
  }
}

/// Over names, over the loop, over axes of the grid.
void Enumerator::tryReductions(Step step) {
  const Tensor &operand = tensors[step.lhs];
  Phase phase = operand.phase;
  NameSet names = operand.names;
  for (NameSet left = names & space.program.reducedNames; left;
       left &= left - 1) {
    step.over = llvm::countr_zero(left);
    if (phase != Phase::Loop || step.over != structure.loopName)
      tryStep(step);
  }
  step.over = kNoName;
  if (phase != Phase::Loop)
    return tryGridAccumulations(step);
  bool isReducedAlready = !contains(names, structure.loopName);
  if (isReducedAlready && !space.offers[step.offer].joinsParts)
    return;
  step.over = isReducedAlready ? kNoName : structure.loopName;
  step.accumulates = true;
  tryStep(step);
}

/// Joins parts that blocks along an axis have of what has been reduced: what
/// varies along the axis without having its name.
void Enumerator::tryGridAccumulations(Step step) {
  if (!limits.joins.inKernel || !space.offers[step.offer].joinsParts)
    return;
  step.accumulates = true;
  unsigned axes = tensors[step.lhs].axes;
  NameSet names = tensors[step.lhs].names;
  for (auto [axis, name] : llvm::enumerate(structure.gridNames))
    if ((axes >> axis & 1) && !contains(names, name)) {
      step.gridAxis = axis;
      tryStep(step);
    }
}

void Enumerator::tryBinary(unsigned lhs, unsigned rhs) {
  NameSet common =
      tensors[lhs].names & tensors[rhs].names & space.program.reducedNames;
  for (unsigned number = 0; number < space.offers.size(); ++number) {
    const OperatorOffer &offer = space.offers[number];
    Step step{number, lhs, rhs, /*isBinary=*/true};
    if (offer.row->kind == OperatorKind::Contraction) {
      for (NameSet left = common; left; left &= left - 1) {
        step.over = llvm::countr_zero(left);
        tryStep(step);
      }
      continue;
    }
    if (offer.row->kind != OperatorKind::Elementwise ||
        offer.row->numOperands != 2 ||
        (lhs == rhs && offer.refusesEqualOperands))
      continue;
    tryStep(step);
    if (offer.row->commutes || lhs == rhs)
      continue;
    std::swap(step.lhs, step.rhs);
    tryStep(step);
  }
}

//===----------------------------------------------------------------------===//
// One step
//===----------------------------------------------------------------------===//

/// Elementwise operators take two tensors if one has all names of the other, if
/// some value of the program has what they have together, or if that is neither
/// reduced nor too much.
static bool mayMeet(const TargetProgram &program, NameSet lhs, NameSet rhs) {
  NameSet both = lhs | rhs;
  if (both == lhs || both == rhs || program.hasValueWithNames(both))
    return true;
  return !(both & program.reducedNames) &&
         unsigned(llvm::popcount(both)) <= program.maxTensorNames;
}

/// Whether factors are multiplied, or divided, that together have names of
/// which neither has all and which are somewhere reduced.
bool Enumerator::isOuterProduct(const Step &step) const {
  const OperatorOffer &offer = space.offers[step.offer];
  if (!step.isBinary || step.over != kNoName || limits.joinsAnyNames ||
      space.program.hasOuterOperations ||
      !llvm::is_contained(offer.positions, OperatorOffer::Position::Factor))
    return false;
  NameSet lhs = tensors[step.lhs].names, rhs = tensors[step.rhs].names;
  NameSet both = lhs | rhs;
  return both != lhs && both != rhs && (both & space.program.reducedNames);
}

std::optional<Enumerator::Tensor>
Enumerator::makeTensor(const Step &step) const {
  Tensor result = tensors[step.lhs];
  if (step.isBinary) {
    const Tensor &other = tensors[step.rhs];
    Phase low = std::min(result.phase, other.phase);
    Phase high = std::max(result.phase, other.phase);
    if (low == Phase::Loop && high > Phase::Loop)
      return std::nullopt;
    bool mayJoin = step.over == kNoName
                       ? limits.joinsAnyNames ||
                             mayMeet(space.program, result.names, other.names)
                       : result.names != other.names;
    if (!mayJoin)
      return std::nullopt;
    result.phase = high;
    result.names |= other.names;
    result.axes |= other.axes;
  }
  if (step.over != kNoName)
    result.names &= ~toSet(step.over);
  if (step.accumulates)
    result.phase = step.gridAxis ? Phase::AfterGrid : Phase::After;
  if (step.gridAxis)
    result.axes &= ~(1u << *step.gridAxis);
  result.joinedAxis = step.gridAxis;
  result.numUses = 0;
  result.offer = &space.offers[step.offer];
  result.isAccumulated = step.accumulates;
  result.reducedName = result.offer->isLinearReduction ? step.over : kNoName;
  return result;
}

/// The rules that give factors, signs, reciprocals and sums one place each.
bool Enumerator::isPlaced(const Step &step, unsigned operand,
                          unsigned position) const {
  using Position = OperatorOffer::Position;
  const OperatorOffer &offer = space.offers[step.offer];
  const Tensor &tensor = tensors[operand];
  if (!tensor.offer)
    return true;
  const OperatorOffer &from = *tensor.offer;
  Position place = offer.row->kind == OperatorKind::Contraction
                       ? Position::Factor
                       : offer.positions[position];
  if (from.isFactor && (place == Position::Factor ||
                        (from.isNegation && place == Position::Summand)))
    return false;
  if (from.isReciprocal && offer.multiplies())
    return false;
  return !offer.isLinearReduction || !from.isLinearReduction ||
         isInOrderOfSums(step, tensor);
}

/// Sums of sums: first over names in ascending order, then over the loop, then
/// over axes of the grid in ascending order.
bool Enumerator::isInOrderOfSums(const Step &step,
                                 const Tensor &operand) const {
  if (step.gridAxis)
    return !operand.joinedAxis || *operand.joinedAxis < *step.gridAxis;
  if (step.accumulates)
    return true;
  return !operand.isAccumulated && operand.reducedName <= step.over;
}

bool Enumerator::isPlaced(const Step &step) const {
  return isPlaced(step, step.lhs, 0) &&
         (!step.isBinary || isPlaced(step, step.rhs, 1));
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

FormId Enumerator::buildForm(const Step &step) {
  const OperatorOffer &offer = space.offers[step.offer];
  FormId lhs = tensors[step.lhs].form;
  FormId rhs = tensors[step.rhs].form;
  if (offer.row->kind == OperatorKind::Elementwise)
    return space.forms.elementwise(
        *offer.row, offer.scalars,
        ArrayRef<FormId>({lhs, rhs}).take_front(step.isBinary ? 2 : 1));
  if (offer.row->kind == OperatorKind::Contraction)
    return space.forms.contraction(lhs, rhs, step.over,
                                   getPart(step.over, /*withLoop=*/true));
  if (step.gridAxis)
    return space.forms.join(*offer.row, lhs,
                            getGridSymbol(structure.gridNames[*step.gridAxis]));
  if (step.over == kNoName)
    return space.forms.join(*offer.row, lhs, getLoopSymbol(structure.loopName));
  return space.forms.reduction(*offer.row, lhs, {step.over},
                               getPart(step.over, /*withLoop=*/false));
}

Enumerator::Judgement Enumerator::judgeUncached(const Step &step) {
  const OperatorOffer &offer = space.offers[step.offer];
  FormId form = buildForm(step);
  if (form == FormId::None ||
      space.context.get(form).total > space.test->getMaxTotal())
    return {form, PruneReason::Size};
  if (!space.test->contains(form))
    return {form, PruneReason::Expression};
  if (offer.isFactor &&
      !space.test->containsWhole(form, /*orAsSummand=*/!offer.isNegation))
    return {form, PruneReason::Place};
  return {form, std::nullopt};
}

Enumerator::Judgement Enumerator::judge(const Step &step) {
  uint64_t axis = step.gridAxis ? *step.gridAxis + 1 : 0;
  uint64_t what = (uint64_t(step.offer) << 32) | (uint64_t(step.over) << 8) |
                  (axis << 2) | (step.isBinary << 1) |
                  uint64_t(step.accumulates);
  uint64_t forms = uint64_t(tensors[step.lhs].form) << 32;
  if (step.isBinary)
    forms |= uint64_t(tensors[step.rhs].form);
  auto [it, isNew] = judgements.try_emplace({what, forms});
  if (isNew)
    it->second = judgeUncached(step);
  return it->second;
}

bool Enumerator::isDuplicate(const Tensor &tensor) const {
  return llvm::any_of(tensors, [&](const Tensor &other) {
    return other.form == tensor.form && other.names == tensor.names &&
           other.phase == tensor.phase && other.axes == tensor.axes;
  });
}

void Enumerator::tryStep(const Step &step) {
  bool isInOrder =
      steps.empty() || limits.inAnyOrder || steps.back().ranksBelow(step);
  if (isOverLimit || !isInOrder)
    return;
  std::optional<Tensor> tensor = makeTensor(step);
  if (!tensor)
    return;
  if (++counts.trials % 1024 == 0 && limits.isOutOfTime)
    isOverLimit |= limits.isOutOfTime();
  if (!isPlaced(step))
    return prune(PruneReason::Place);
  Judgement judgement = judge(step);
  if (judgement.refusal)
    return prune(*judgement.refusal);
  tensor->form = judgement.form;
  if (isDuplicate(*tensor))
    return prune(PruneReason::Duplicate);
  if (isOuterProduct(step))
    return prune(PruneReason::OuterProduct);
  push(step, *tensor);
}

StructureOperator Enumerator::makeOperator(const Step &step) const {
  const OperatorOffer &offer = space.offers[step.offer];
  StructureOperator op;
  op.opcode = step.accumulates ? Opcode::Accumulate : offer.row->opcode;
  if (step.accumulates)
    op.reduction = offer.row->opcode;
  op.scalars = offer.scalars;
  op.operands.push_back(step.lhs);
  if (step.isBinary)
    op.operands.push_back(step.rhs);
  op.over = step.over;
  op.gridAxis = step.gridAxis;
  return op;
}

void Enumerator::push(const Step &step, Tensor tensor) {
  auto countUse = [&](int change) {
    tensors[step.lhs].numUses += change;
    if (step.isBinary)
      tensors[step.rhs].numUses += change;
  };
  countUse(1);
  tensors.push_back(tensor);
  steps.push_back(step);
  if (steps.size() + getOperatorsNeeded() <= limits.numOperators) {
    isOverLimit |= ++counts.states >= limits.maxStates;
    checkComplete();
    extend();
  } else {
    prune(PruneReason::Open);
  }
  steps.pop_back();
  tensors.pop_back();
  countUse(-1);
}

/// Axes that something open varies along and no output may: an accumulation
/// over each has to come, unless sums in outputs do it.
unsigned Enumerator::countAxesToLeave(unsigned axes) const {
  return limits.joins.inOutputs ? 0 : llvm::popcount(axes & joinedAxes);
}

/// A lower bound: joining two open tensors takes an operator, leaving the loop
/// takes one, leaving a grid axis one more, and so does each function that is
/// still missing; a missing reduction may be the one that leaves the loop.
unsigned Enumerator::getOperatorsNeeded() const {
  unsigned open = 0, axes = 0;
  bool inLoop = false;
  FunctionBound::FunctionSet present = 0;
  for (const Tensor &tensor : tensors) {
    present |= space.functions->find(tensor.form);
    if (tensor.numUses > 0)
      continue;
    ++open;
    inLoop |= tensor.phase == Phase::Loop;
    axes |= tensor.axes;
  }
  FunctionBound::FunctionSet missing = space.functions->getAll() & ~present;
  unsigned outputs = space.targets.size();
  unsigned needed = open > outputs ? open - outputs : 0;
  needed += llvm::popcount(missing) + countAxesToLeave(axes);
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
    if (!limits.joins.inOutputs)
      return false;
    form = space.context.multiplySymbol(form, getGridSymbol(name));
  }
  return form == space.targets[output];
}

void Enumerator::checkComplete() {
  if (steps.size() != limits.numOperators)
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
  structure.operators.clear();
  for (const Step &step : steps)
    structure.operators.push_back(makeOperator(step));
  found(structure);
}
