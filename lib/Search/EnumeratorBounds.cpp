//===- EnumeratorBounds.cpp - What a kernel still needs -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Enumerator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;

/// Axes that something open varies along and no output may: an accumulation
/// over each has to come, unless sums in outputs do it. Another kernel gets
/// together what still has the axis's name, and has to sum parts.
unsigned Enumerator::countAxesToLeave(unsigned axes) const {
  bool mayStay = site->isLast() && limits.joins.inOutputs;
  return mayStay ? 0 : llvm::popcount(axes & joinedAxes);
}

struct Enumerator::OpenTensors {
  unsigned number = 0;
  bool anyInLoop = false;
  unsigned axes = 0; ///< that have to be left: countAxesToLeave
  FunctionBound::FunctionSet missing = 0; ///< of the goal, in no tensor
  unsigned missingRoots = 0; ///< of those that stand inside one another
};

/// \param present  in tensors that the kernel does not read.
Enumerator::OpenTensors
Enumerator::findOpenTensors(PresentFunctions present) const {
  OpenTensors open;
  for (const Tensor &tensor : tensors) {
    present |= tensor.present;
    if (tensor.numUses > 0)
      continue;
    ++open.number;
    open.anyInLoop |= tensor.phase == Phase::Loop;
    for (auto [axis, name] : llvm::enumerate(structure.gridNames))
      if (site->isLast() || !contains(tensor.names, name))
        open.axes |= tensor.axes & (1u << axis);
  }
  if (!space.prunes() || limits.off.ignoresFunctions)
    return open;
  open.missing = goal.functions & ~present.functions;
  if (goal.rootDepth > present.rootDepth)
    open.missingRoots = goal.rootDepth - present.rootDepth;
  return open;
}

/// A lower bound: joining two open tensors takes an operator, leaving the loop
/// takes one, leaving a grid axis one more, and so does each function that is
/// still missing, and each root of a root; a missing reduction may be the one
/// that leaves the loop.
unsigned Enumerator::getOperatorsNeeded(const OpenTensors &open,
                                        unsigned numOutputs) const {
  unsigned needed = open.number > numOutputs ? open.number - numOutputs : 0;
  needed += llvm::popcount(open.missing) + open.missingRoots +
            countAxesToLeave(open.axes);
  bool mayLeaveLoop = (open.missing & space.functions->getReductions()) ||
                      (open.missingRoots > 0 && space.hasRootReductions);
  return open.anyInLoop && !mayLeaveLoop ? needed + 1 : needed;
}

/// Whether the tensor and each one before it that nothing has read may both be
/// used.
bool Enumerator::mayBeUsed(unsigned number) const {
  return limits.off.ignoresPairs ||
         llvm::all_of(llvm::seq<unsigned>(number), [&](unsigned other) {
           return tensors[other].numUses > 0 ||
                  space.mayBothBeUsed(tensors[other].form,
                                      tensors[number].form);
         });
}

unsigned Enumerator::getOperatorsNeeded() const {
  return site->isLast()
             ? getOperatorsNeeded(findOpenTensors({}), site->outputs.size())
             : getOperatorsNeededBeforeOthers();
}

/// Whether too few operators are left: of this kernel, or of it and those after
/// it.
std::optional<PruneReason> Enumerator::findShortage() const {
  unsigned left = limits.numOperators - steps.size();
  unsigned needed = limits.off.ignoresBounds ? 0 : getOperatorsNeeded();
  if (!limits.off.ignoresBounds || left == 0)
    needed = std::max(needed, getOperatorsNeededToShare());
  if (needed > left)
    return PruneReason::Open;
  if (site->isLast() || limits.off.ignoresBounds)
    return std::nullopt;
  OpenTensors open = findOpenTensors(site->toCome.present);
  open.number += site->toCome.numInputs;
  if (getOperatorsNeeded(open, site->toCome.numOutputs) >
      left + site->toCome.maxOperators)
    return PruneReason::OpenLater;
  return std::nullopt;
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

bool Enumerator::isToBeShared(const Tensor &tensor) const {
  return tensor.numUsesToShare > 0 && tensor.numUses < 2;
}

/// An operator reads at most two tensors that have to be read again. One of
/// several outputs may be what is shared.
unsigned Enumerator::getOperatorsNeededToShare() const {
  if (site->outputs.size() > 1)
    return 0;
  unsigned number = llvm::count_if(
      tensors, [&](const Tensor &tensor) { return isToBeShared(tensor); });
  return (number + 1) / 2;
}
