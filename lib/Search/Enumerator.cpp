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

EnumerationCounts &
EnumerationCounts::operator+=(const EnumerationCounts &other) {
  states += other.states;
  trials += other.trials;
  for (unsigned i = 0; i < kNumPruneReasons; ++i)
    pruned[i] += other.pruned[i];
  return *this;
}

//===----------------------------------------------------------------------===//
// Sites and choices
//===----------------------------------------------------------------------===//

KernelSite mlir::mirage::search::makeWholeSite(const EnumerationSpace &space) {
  const TargetProgram &program = space.getProgram();
  KernelSite site;
  for (ValueId input : program.inputs)
    site.inputs.push_back(space.getInput(input));
  for (unsigned i = 0; i < program.graph.getOutputs().size(); ++i)
    site.outputs.push_back(i);
  return site;
}

static void addGridChoices(ArrayRef<NameId> loops, ArrayRef<NameId> names,
                           unsigned maxGridAxes, KernelChoice &choice,
                           std::vector<KernelChoice> &choices) {
  for (NameId loop : loops) {
    choices.push_back(choice);
    choices.back().loopName = loop;
  }
  choices.push_back(choice);
  if (choice.gridNames.size() == maxGridAxes)
    return;
  for (size_t next = 0; next < names.size(); ++next) {
    choice.gridNames.push_back(names[next]);
    addGridChoices(loops, names.drop_front(next + 1), maxGridAxes, choice,
                   choices);
    choice.gridNames.pop_back();
  }
}

std::vector<KernelChoice> mlir::mirage::search::enumerateKernelChoices(
    const TargetProgram &program, const KernelSite &site, unsigned maxGridAxes,
    GridJoins joins) {
  NameSet read = 0, written = 0;
  for (const DeviceTensor &input : site.inputs)
    read |= input.names & ~program.getPartNames();
  for (unsigned output : site.outputs)
    written |= program.getNames(program.graph.getOutputs()[output]);
  bool needsNames = site.isLast() && !joins.any();
  std::vector<KernelChoice> choices;
  KernelChoice choice;
  addGridChoices(toList(read & program.reducedNames),
                 toList(needsNames ? read & written : read), maxGridAxes,
                 choice, choices);
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

void Enumerator::start(const KernelSite &where, const KernelChoice &kernel) {
  site = &where;
  structure = KernelStructure();
  structure.gridNames = kernel.gridNames;
  structure.loopName = kernel.loopName;
  tensors.clear();
  steps.clear();
  joinedAxes = 0;
  NameSet outputNames = 0;
  for (unsigned output : site->outputs)
    outputNames |=
        space.program.getNames(space.program.graph.getOutputs()[output]);
  for (auto [axis, name] : llvm::enumerate(kernel.gridNames))
    if (!contains(outputNames, name))
      joinedAxes |= 1u << axis;
  addInputs();
}

bool Enumerator::run(const KernelSite &where, const KernelChoice &kernel,
                     Callback callback) {
  start(where, kernel);
  found = callback;
  if (getOperatorsNeeded() <= limits.numOperators)
    extend();
  return !isOverLimit;
}

Enumerator::Step Enumerator::findStep(const StructureOperator &op) const {
  bool accumulates = op.opcode == Opcode::Accumulate;
  Opcode opcode = accumulates ? op.reduction : op.opcode;
  auto offer = llvm::find_if(space.offers, [&](const auto &offer) {
    return offer.row->opcode == opcode && offer.scalars == op.scalars;
  });
  assert(offer != space.offers.end() && "a structure of another program");
  Step step;
  step.offer = offer - space.offers.begin();
  step.lhs = op.operands[0];
  step.isBinary = op.operands.size() == 2;
  step.rhs = step.isBinary ? op.operands[1] : 0;
  step.accumulates = accumulates;
  step.over = op.over;
  step.gridAxis = op.gridAxis;
  return step;
}

std::vector<KernelResult> Enumerator::replay(const KernelSite &where,
                                             const KernelStructure &kernel) {
  start(where, {kernel.gridNames, kernel.loopName});
  for (const StructureOperator &op : kernel.operators) {
    Step step = findStep(op);
    std::optional<Tensor> tensor = makeTensor(step);
    assert(tensor && "the kernel was found in a space like this");
    tensor->form = judge(step).form;
    tensors.push_back(*tensor);
  }
  std::vector<KernelResult> replayed;
  for (unsigned result : kernel.results)
    replayed.push_back({tensors[result].form, getStoredNames(tensors[result])});
  return replayed;
}

void Enumerator::addInputs() {
  for (const DeviceTensor &input : site->inputs) {
    Tensor tensor;
    tensor.form = input.form;
    tensor.names = input.names;
    if (structure.loopName != kNoName &&
        contains(tensor.names, structure.loopName))
      tensor.phase = Phase::Loop;
    for (auto [axis, name] : llvm::enumerate(structure.gridNames))
      if (contains(tensor.names, name))
        tensor.axes |= 1u << axis;
    tensors.push_back(tensor);
    structure.inputs.push_back(input.number);
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
    else if (const auto &mask = space.offers[number].mask;
             mask && !(mask->getNames() & ~tensors[operand].names))
      tryStep(step);
  }
}

/// Over names, over parts, over the loop, over axes of the grid.
void Enumerator::tryReductions(Step step) {
  tryPartReductions(step);
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
  if (space.offers[step.offer].isVariance())
    return; // of all at once
  if (phase != Phase::Loop)
    return tryGridAccumulations(step);
  bool isReducedAlready = !contains(names, structure.loopName);
  if (isReducedAlready && !space.offers[step.offer].joinsParts)
    return;
  step.over = isReducedAlready ? kNoName : structure.loopName;
  step.accumulates = true;
  tryStep(step);
}

/// Joins parts that blocks of an earlier kernel left.
void Enumerator::tryPartReductions(Step step) {
  if (!space.offers[step.offer].joinsParts ||
      space.offers[step.offer].row->averages())
    return;
  for (NameSet left = tensors[step.lhs].names & space.partNames; left;
       left &= left - 1) {
    step.over = llvm::countr_zero(left);
    tryStep(step);
  }
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
/// reduced nor too much. Names of parts do not count.
bool Enumerator::mayMeet(NameSet lhs, NameSet rhs) const {
  const TargetProgram &program = space.program;
  lhs &= ~space.partNames;
  rhs &= ~space.partNames;
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
  NameSet lhs = tensors[step.lhs].names & ~space.partNames;
  NameSet rhs = tensors[step.rhs].names & ~space.partNames;
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
    bool mayJoin = step.over == kNoName ? limits.joinsAnyNames ||
                                              mayMeet(result.names, other.names)
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
    part.push_back({getGridSymbol(name, site->position), -1});
  if (withLoop && name == structure.loopName)
    part.insert(part.begin(), {getLoopSymbol(name), -1});
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
  if (offer.mask)
    return space.forms.causalMask(lhs, *offer.mask);
  if (offer.row->kind == OperatorKind::Contraction)
    return space.forms.contraction(lhs, rhs, step.over,
                                   getPart(step.over, /*withLoop=*/true));
  if (step.gridAxis)
    return space.forms.join(
        *offer.row, lhs,
        getGridSymbol(structure.gridNames[*step.gridAxis], site->position));
  if (step.over == kNoName)
    return space.forms.join(*offer.row, lhs, getLoopSymbol(structure.loopName));
  if (auto part = space.program.getPart(step.over))
    return space.forms.join(*offer.row, lhs,
                            getGridSymbol(part->of, part->kernel));
  return space.forms.reduction(*offer.row, lhs, {step.over},
                               getPart(step.over, /*withLoop=*/false));
}

Enumerator::Judgement Enumerator::judgeUncached(const Step &step) {
  const OperatorOffer &offer = space.offers[step.offer];
  FormId form = buildForm(step);
  if (form == FormId::None ||
      space.context.get(form).total > space.test->getMaxTotal())
    return {form, PruneReason::Size};
  if (!space.getPruner().contains(form))
    return {form, PruneReason::Expression};
  if (offer.isFactor &&
      !space.test->containsWhole(form, /*orAsSummand=*/!offer.isNegation))
    return {form, PruneReason::Place};
  return {form, std::nullopt};
}

/// All that a form depends on but its operands' forms: the offer, and the
/// symbols that it brings.
uint64_t Enumerator::getKey(const Step &step) const {
  NameId joined = kNoName;
  if (step.gridAxis)
    joined = structure.gridNames[*step.gridAxis];
  else if (step.accumulates)
    joined = structure.loopName;
  bool isOnGrid = llvm::is_contained(structure.gridNames, step.over);
  bool isLooped = step.over == structure.loopName;
  uint64_t key = step.offer;
  key = key << 16 | step.over;
  key = key << 16 | joined;
  key = key << 3 | site->position;
  for (bool flag : {step.isBinary, step.accumulates, step.gridAxis.has_value(),
                    isOnGrid, isLooped})
    key = key << 1 | flag;
  return key;
}

Enumerator::Judgement Enumerator::judge(const Step &step) {
  uint64_t forms = uint64_t(tensors[step.lhs].form) << 32;
  if (step.isBinary)
    forms |= uint64_t(tensors[step.rhs].form);
  auto [it, isNew] = space.judgements.try_emplace({getKey(step), forms});
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
  op.isVariance = offer.isVariance();
  op.mask = offer.mask;
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
  if (!site->isLast())
    return getOperatorsNeededBeforeOthers();
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
  unsigned outputs = site->outputs.size();
  unsigned needed = open > outputs ? open - outputs : 0;
  needed += llvm::popcount(missing) + countAxesToLeave(axes);
  if (inLoop && !(missing & space.functions->getReductions()))
    ++needed;
  return needed;
}

/// Of a kernel that may leave several tensors: each open one in the loop takes
/// an operator, to join another or to leave the loop as one.
unsigned Enumerator::getOperatorsNeededBeforeOthers() const {
  unsigned inLoop = 0, others = 0, unread = 0;
  for (auto [number, tensor] : llvm::enumerate(tensors)) {
    if (tensor.numUses > 0)
      continue;
    ++(tensor.phase == Phase::Loop ? inLoop : others);
    unread += tensor.phase != Phase::Loop && number < site->inputs.size();
  }
  unsigned left = others + (inLoop > 0 ? 1 : 0);
  unsigned toJoin = left > site->maxResults ? left - site->maxResults : 0;
  // An operator reads at most two inputs that nothing has read.
  return inLoop + std::max(toJoin, (unread + 1) / 2);
}

//===----------------------------------------------------------------------===//
// Complete structures
//===----------------------------------------------------------------------===//

/// Whether the tensor, put together over the grid, is the program's output.
bool Enumerator::isOutput(const Tensor &tensor, unsigned output) {
  if (tensor.phase == Phase::Loop)
    return false;
  FormId form = tensor.form;
  for (auto [axis, name] : llvm::enumerate(structure.gridNames)) {
    if (!(tensor.axes >> axis & 1) || contains(tensor.names, name))
      continue;
    if (!limits.joins.inOutputs)
      return false;
    form =
        space.context.multiplySymbol(form, getGridSymbol(name, site->position));
  }
  return space.isOutput(form, tensor.names, output);
}

/// The tensors that are outputs of the program. \returns false if one is
/// missing, or if something else is open.
bool Enumerator::collectOutputs() {
  for (unsigned output : site->outputs) {
    auto it = llvm::find_if(
        tensors, [&](const Tensor &t) { return isOutput(t, output); });
    if (it == tensors.end())
      return false;
    structure.results.push_back(it - tensors.begin());
  }
  for (auto [number, tensor] : llvm::enumerate(tensors))
    if (tensor.numUses == 0 && !llvm::is_contained(structure.results, number))
      return false;
  return true;
}

/// The names of what is stored: blocks along an axis that leave parts leave
/// them side by side.
NameSet Enumerator::getStoredNames(const Tensor &tensor) const {
  NameSet names = tensor.names;
  for (auto [axis, name] : llvm::enumerate(structure.gridNames))
    if ((tensor.axes >> axis & 1) && !contains(tensor.names, name))
      names |= toSet(space.program.getPartName(site->position, name));
  return names;
}

/// What is open is left to the next kernel. \returns false if something is in
/// the loop, an input, or too much.
bool Enumerator::collectResults() {
  results.clear();
  for (auto [number, tensor] : llvm::enumerate(tensors)) {
    if (tensor.numUses > 0)
      continue;
    if (tensor.phase == Phase::Loop || number < site->inputs.size())
      return false;
    structure.results.push_back(number);
    results.push_back({tensor.form, getStoredNames(tensor)});
  }
  return results.size() <= site->maxResults;
}

void Enumerator::checkComplete() {
  if (steps.size() != limits.numOperators)
    return;
  structure.results.clear();
  if (!(site->isLast() ? collectOutputs() : collectResults()))
    return;
  structure.operators.clear();
  for (const Step &step : steps)
    structure.operators.push_back(makeOperator(step));
  found(structure, results);
}
