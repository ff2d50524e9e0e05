//===- EnumeratorStep.cpp - Whether an operator may be added --------------===//
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

/// The rule on names. Those of parts do not count.
bool Enumerator::mayMeet(NameSet lhs, NameSet rhs) const {
  return space.program.mayMeet(lhs & ~space.partNames, rhs & ~space.partNames);
}

/// Whether factors are multiplied, or divided, that together have names of
/// which neither has all and which are somewhere reduced.
bool Enumerator::isOuterProduct(const Step &step) const {
  const OperatorOffer &offer = space.offers[step.offer];
  if (!step.isBinary || step.over != kNoName || limits.off.joinsAnyNames ||
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
    bool mayJoin =
        step.over == kNoName
            ? limits.off.joinsAnyNames || mayMeet(result.names, other.names)
            : result.names != other.names || space.program.hasRowProducts;
    if (!mayJoin)
      return std::nullopt;
    result.phase = high;
    result.names |= other.names;
    result.axes |= other.axes;
  }
  if (step.over != kNoName)
    result.names &= ~toSet(step.over);
  if (step.accumulates && !step.gridAxis)
    result.phase = Phase::After;
  if (step.gridAxis) {
    result.phase = getPhaseOfJoin(result.phase);
    result.axes &= ~(1u << *step.gridAxis);
  }
  result.joinedAxis = step.gridAxis;
  result.numUses = result.numUsesToShare = 0;
  result.offer = &space.offers[step.offer];
  result.isAccumulated = step.accumulates;
  result.reducedName = result.offer->isLinearReduction ? step.over : kNoName;
  return result;
}

/// The rules that give factors, signs, reciprocals and sums one place each. A
/// place elsewhere is another spelling, unless the operand is there for others
/// as well: then the other spelling takes an operator more.
Enumerator::Place Enumerator::getPlace(const Step &step, unsigned operand,
                                       unsigned position) const {
  using Position = OperatorOffer::Position;
  const OperatorOffer &offer = space.offers[step.offer];
  const Tensor &tensor = tensors[operand];
  if (!tensor.offer || limits.off.inAnyPlace)
    return Place::Right;
  const OperatorOffer &from = *tensor.offer;
  bool isContraction = offer.row->kind == OperatorKind::Contraction;
  Position where = isContraction ? Position::Factor : offer.positions[position];
  if (from.isFactor && where == Position::Factor)
    return offer.isFactor && tensor.offer <= &offer ? Place::Right
                                                    : Place::Shared;
  // A number plus something is no difference.
  if (from.isNegation && where == Position::Summand && step.isBinary)
    return Place::Shared;
  if (from.isReciprocal && offer.multiplies() && where == Position::Factor)
    return getPlaceOfReciprocal(step, operand, position);
  bool isInOrder = !offer.isLinearReduction || !from.isLinearReduction ||
                   isInOrderOfSums(step, tensor);
  return isInOrder ? Place::Right : Place::Shared;
}

/// x·(1/y) is x/y, and so is x·(1/f(y)), of as many operators, unless 1/f(y) is
/// there for others as well. Σ x·(1/y) is a sum of quotients, which takes one
/// more where several such sums read 1/y; Σ x·(1/f(y)) would take one more in
/// any case, as (1/f(x))/y does written as 1/(f(x)·y).
Enumerator::Place Enumerator::getPlaceOfReciprocal(const Step &step,
                                                   unsigned operand,
                                                   unsigned position) const {
  const OperatorOffer &offer = space.offers[step.offer];
  bool invertsFunction = tensors[operand].offer->invertsFunction;
  if (offer.row->kind == OperatorKind::Contraction) {
    // Where a quotient may not have the names of both there is no other way.
    const Tensor &other = tensors[position == 0 ? step.rhs : step.lhs];
    bool mayDivide = mayMeet(tensors[operand].names, other.names);
    return invertsFunction || !mayDivide ? Place::Right : Place::Shared;
  }
  if (offer.row->commutes)
    return invertsFunction ? Place::Shared : Place::Wrong;
  return invertsFunction ? Place::Right : Place::Shared;
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
  return getPlace(step, step.lhs, 0) != Place::Wrong &&
         (!step.isBinary || getPlace(step, step.rhs, 1) != Place::Wrong);
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
  if (form == FormId::None)
    return {form, PruneReason::Size};
  if (!space.prunes())
    return {form, std::nullopt};
  if (space.context.get(form).total > space.test->getMaxTotal())
    return {form, PruneReason::Size};
  if (!space.getPruner().contains(form))
    return {form, PruneReason::Expression};
  if (offer.isFactor && !limits.off.inAnyPlace &&
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
