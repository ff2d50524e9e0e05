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
  additions.clear();
  joinedAxes = 0;
  NameSet outputNames = 0;
  goal = {};
  for (auto [output, value] :
       llvm::enumerate(space.program.graph.getOutputs())) {
    if (site->isLast() && !llvm::is_contained(site->outputs, output))
      continue;
    outputNames |= space.program.getNames(value);
    goal |= space.findFunctions(space.targets[output]);
  }
  for (auto [axis, name] : llvm::enumerate(kernel.gridNames))
    if (!contains(outputNames, name))
      joinedAxes |= 1u << axis;
  addInputs();
}

bool Enumerator::run(const KernelSite &where, const KernelChoice &kernel,
                     Callback callback) {
  start(where, kernel);
  found = callback;
  walk(/*depth=*/0, [&] {
    if (std::optional<PruneReason> shortage = findShortage())
      return prune(*shortage);
    for (unsigned input = 0; input < tensors.size(); ++input)
      offerWith(input);
    extend(0);
  });
  if (limits.shares && !isOverLimit)
    limits.shares->setAllTaken();
  return !isOverLimit;
}

/// None if nothing like it is on offer.
std::optional<Enumerator::Step>
Enumerator::findStep(const StructureOperator &op) const {
  bool accumulates = op.opcode == Opcode::Accumulate;
  Opcode opcode = accumulates ? op.reduction : op.opcode;
  auto offer = llvm::find_if(space.offers, [&](const auto &offer) {
    return offer.row->opcode == opcode && offer.scalars == op.scalars &&
           offer.mask == op.mask;
  });
  if (offer == space.offers.end())
    return std::nullopt;
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

void Enumerator::retrace(
    const KernelSite &where, const KernelChoice &choice,
    const KernelStructure &kernel,
    llvm::function_ref<void(ArrayRef<KernelResult>)> callback) {
  std::vector<Step> recorded;
  for (const StructureOperator &op : kernel.operators)
    if (std::optional<Step> step = findStep(op))
      recorded.push_back(*step);
  if (recorded.size() != kernel.operators.size() ||
      recorded.size() != limits.numOperators)
    return;
  wanted = &recorded;
  run(where, choice,
      [&](const KernelStructure &found, ArrayRef<KernelResult> left) {
        if (found == kernel)
          callback(left);
      });
  wanted = nullptr;
}

std::vector<KernelResult> Enumerator::replay(const KernelSite &where,
                                             const KernelStructure &kernel) {
  start(where, {kernel.gridNames, kernel.loopName});
  for (const StructureOperator &op : kernel.operators) {
    std::optional<Step> step = findStep(op);
    assert(step && "a structure of another program");
    std::optional<Tensor> tensor = makeTensor(*step);
    assert(tensor && "the kernel was found in a space like this");
    tensor->form = judge(*step).form;
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
    tensor.present = space.findFunctions(input.form);
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

/// Walks a state with so many operators and all that follow, if they are this
/// enumerator's. A short prefix that somebody else has is walked as well, for
/// those that follow it, and not counted.
void Enumerator::walk(unsigned depth, llvm::function_ref<void()> walkState) {
  unsigned sharedDepth = 0;
  if (limits.shares)
    sharedDepth = std::min(limits.shares->getDepth(), limits.numOperators);
  if (!limits.shares || depth > sharedDepth)
    return walkState();
  bool isOwn = limits.shares->take(numPrefixes++);
  if (!isOwn && (depth == sharedDepth || limits.shares->isAllTaken()))
    return;
  EnumerationCounts *before =
      std::exchange(counts, isOwn ? &ownCounts : &othersCounts);
  walkState();
  counts = before;
}

/// Adds each operator that ranks above the last one.
void Enumerator::extend(size_t first) {
  for (size_t i = first; i < additions.size() && !isOverLimit; ++i)
    if (!wanted || additions[i].step == (*wanted)[steps.size()])
      walk(steps.size() + 1, [&] { add(i); });
}

/// What may be added once the tensor is there, in ascending rank: it is the
/// larger operand, so all ranks above what may be added already.
void Enumerator::offerWith(unsigned tensor) {
  size_t before = additions.size();
  tryUnary(tensor);
  for (unsigned smaller = 0; smaller <= tensor; ++smaller)
    tryBinary(smaller, tensor);
  llvm::sort(llvm::drop_begin(additions, before),
             [](const Addition &lhs, const Addition &rhs) {
               return lhs.step.ranksBelow(rhs.step);
             });
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
// Steps
//===----------------------------------------------------------------------===//

/// What is asked here, no state that has the operands answers in another way.
void Enumerator::tryStep(const Step &step) {
  if (isOverLimit || (wanted && !llvm::is_contained(*wanted, step)))
    return;
  std::optional<Tensor> tensor = makeTensor(step);
  if (!tensor)
    return;
  if (++counts->trials % trialsPerQuestion == 0 && limits.isOutOfTime)
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
  tensor->present = space.findFunctions(tensor->form);
  additions.push_back({step, *tensor});
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
  op.mask = offer.mask;
  return op;
}

void Enumerator::countUses(const Step &step, int change) {
  auto count = [&](unsigned operand, unsigned position) {
    Tensor &tensor = tensors[operand];
    tensor.numUses += change;
    if (getPlace(step, operand, position) == Place::Shared)
      tensor.numUsesToShare += change;
  };
  count(step.lhs, 0);
  if (step.isBinary)
    count(step.rhs, 1);
}

void Enumerator::add(size_t number) {
  Addition addition = additions[number]; // its place moves as others come
  // Of what came since it was offered.
  if (isDuplicate(addition.tensor))
    return prune(PruneReason::Duplicate);
  countUses(addition.step, 1);
  tensors.push_back(addition.tensor);
  steps.push_back(addition.step);
  if (!mayBeUsed(tensors.size() - 1))
    prune(PruneReason::Expression);
  else if (std::optional<PruneReason> shortage = findShortage())
    prune(*shortage);
  else
    goOn(limits.off.inAnyOrder ? 0 : number + 1);
  steps.pop_back();
  tensors.pop_back();
  countUses(addition.step, -1);
}

/// Those of a prefix that somebody else has are theirs.
void Enumerator::countState() {
  ++counts->states;
  if (counts != &ownCounts)
    return;
  uint64_t numStates =
      limits.shares ? limits.shares->countState() : ownCounts.states;
  isOverLimit |= numStates >= limits.maxStates;
}

/// From a state, with additions from that one on.
void Enumerator::goOn(size_t first) {
  countState();
  if (steps.size() == limits.numOperators) {
    if (!checkComplete())
      prune(PruneReason::Open);
    return;
  }
  size_t before = additions.size();
  offerWith(tensors.size() - 1);
  extend(first);
  additions.resize(before);
}
