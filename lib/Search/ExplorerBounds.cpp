//===- ExplorerBounds.cpp - Which items are worth enumerating -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplorerState.h"
#include "Mirage/Search/KernelTraffic.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::SmallBitVector;
using llvm::SmallVector;

/// Those of a list of device tensors that are inputs of the program.
static void addInputs(SmallBitVector &inputs, llvm::ArrayRef<unsigned> read) {
  for (unsigned tensor : read)
    if (tensor < inputs.size())
      inputs.set(tensor);
}

/// The inputs that no kernel up to the item's has read.
static SmallBitVector getUnread(const TargetProgram &program,
                                SmallBitVector read,
                                llvm::ArrayRef<unsigned> byItem) {
  addInputs(read, byItem);
  SmallBitVector unread(read.size());
  addInputs(unread, program.inputs);
  return unread.reset(read);
}

/// The inputs that kernels after the item's have to read for the outputs that
/// are left: what an output depends on is an atom of whatever equals it.
SmallBitVector Explorer::getInputsToRead(const Item &item) const {
  const Boundary &boundary = *boundaries[item.boundary];
  SmallBitVector unread = getUnread(program, boundary.inputsRead, item.read);
  SmallBitVector needed(unread.size());
  for (unsigned output :
       boundary.getOpenOutputs(program.graph.getOutputs().size()))
    for (ValueId input : program.inputsOfOutputs[output])
      needed.set(input);
  return needed &= unread;
}

static StoredTensor getStored(const TargetProgram &program,
                              llvm::ArrayRef<BoundaryTensor> tensors,
                              unsigned number) {
  unsigned numInputs = program.graph.getNumInputs();
  return number < numInputs ? program.getStored(number)
                            : tensors[number - numInputs].stored;
}

/// Of the item's kernel, whatever its operators.
KernelTraffic Explorer::getTraffic(const Item &item) const {
  const Boundary &boundary = *boundaries[item.boundary];
  SmallVector<StoredTensor> inputs, results;
  for (unsigned tensor : item.read)
    inputs.push_back(getStored(program, boundary.tensors, tensor));
  NameSet written = 0;
  if (item.isLast)
    for (unsigned output :
         boundary.getOpenOutputs(program.graph.getOutputs().size())) {
      results.push_back(program.getStored(program.graph.getOutputs()[output]));
      written |= toSet(results.back().layout);
    }
  const KernelChoice &choice = item.choice;
  KernelTraffic traffic = search::getTraffic(program, inputs, results,
                                             choice.gridNames, choice.loopName);
  if (item.isLast && !limits.joins.inOutputs)
    traffic.numJoins = llvm::count_if(choice.gridNames, [&](NameId name) {
      return !contains(written, name);
    });
  return traffic;
}

/// What the item's kernel, and those that have to come after it, cannot go
/// below.
double Explorer::boundUs(const Item &item) const {
  double us =
      limits.costModel->boundTrafficUs(getTraffic(item)) +
      limits.costModel->getLaunchUs(boundaries[item.boundary]->position);
  return item.isLast ? us : us + boundRestUs(item);
}

/// The same whatever its axes are.
double Explorer::boundMovedUs(const Item &item) const {
  KernelTraffic traffic = getTraffic(item);
  for (const KernelTraffic::Input &input : traffic.inputs)
    traffic.resultBytes += input.bytes;
  traffic.inputs.clear();
  traffic.numJoins = 0;
  double us =
      limits.costModel->boundTrafficUs(traffic) +
      limits.costModel->getLaunchUs(boundaries[item.boundary]->position);
  return item.isLast ? us : us + boundRestUs(item);
}

/// What one kernel takes that reads of the program what nobody has read: the
/// one after the item, or, where the item is a last kernel that reads nothing
/// yet and stands for all of them, that kernel itself.
double Explorer::boundRestUs(const Item &item) const {
  const Boundary &boundary = *boundaries[item.boundary];
  SmallBitVector unread = getUnread(program, boundary.inputsRead, item.read);
  KernelTraffic rest;
  for (unsigned input : unread.set_bits())
    rest.resultBytes += program.graph.getType(input).getSizeBytes();
  unsigned position = boundary.position + (item.isLast ? 0 : 1);
  return limits.costModel->boundTrafficUs(rest) +
         limits.costModel->getLaunchUs(position);
}

/// Whether a look leaves the item, and all that the bound holds for, out.
bool Explorer::isCut(const Item &item, const Look &look, Bound bound) {
  bool isTooExpensive = limits.costModel && look.cuts((this->*bound)(item));
  rounds.back().cuts += isTooExpensive;
  return isTooExpensive;
}

/// Whether the look before has not cut the item.
bool Explorer::isDone(const Item &item, const Look &look) const {
  return look.before && !look.before->cuts(boundUs(item));
}

/// What the way's kernel cannot go below.
double Explorer::boundWayUs(const Way &way, const Boundary &to) const {
  const Boundary &from = *boundaries[way.from];
  SmallVector<StoredTensor> inputs, results;
  for (unsigned tensor : way.kernel.inputs)
    inputs.push_back(getStored(program, from.tensors, tensor));
  for (unsigned i = 0; i < to.numNew; ++i)
    results.push_back(to.tensors[i].stored);
  KernelTraffic traffic = search::getTraffic(
      program, inputs, results, way.kernel.gridNames, way.kernel.loopName);
  traffic.numJoins = getJoinedAxes(way.kernel).size();
  return limits.costModel->boundTrafficUs(traffic) +
         limits.costModel->getLaunchUs(from.position);
}

/// Sums along the cheapest ways. Ways lead from one position to the next.
void Explorer::boundBoundaries() {
  if (!limits.costModel)
    return;
  for (unsigned position = 1; position < limits.maxKernels; ++position)
    for (auto &to : boundaries)
      if (to->position == position)
        for (const Way &way : to->ways)
          to->leastUs = std::min(to->leastUs,
                                 boundaries[way.from]->leastUs + way.leastUs);
}

/// The inputs that a kernel after the boundary leaves read.
SmallBitVector Explorer::getInputsRead(const Way &way) const {
  SmallBitVector read = boundaries[way.from]->inputsRead;
  addInputs(read, way.kernel.inputs);
  return read;
}
