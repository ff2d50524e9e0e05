//===- Explorer.cpp - Structures of one and of several kernels ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplorerState.h"
#include "SearchClock.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;
using llvm::SmallBitVector;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

Explorer::Explorer(const TargetProgram &program, AtomReading reading,
                   const ExplorationLimits &limits)
    : program(program), reading(reading), limits(limits) {
  unsigned numThreads = std::max(1u, limits.numThreads);
  for (unsigned worker = 0; worker < numThreads; ++worker)
    workers.push_back(
        std::make_unique<Worker>(program, reading, this->limits.pruner));
  this->limits.maxKernels =
      std::min(limits.maxKernels, program.getMaxKernels());
  hasNamesForKernels = this->limits.maxKernels == limits.maxKernels;
  double weight = workers[0]->getSpace().getStateWeight();
  this->limits.maxStates =
      std::max<uint64_t>(1, uint64_t(double(limits.maxStates) / weight));
  boundaries.push_back(std::make_unique<Boundary>());
  boundaries[0]->inputsRead.resize(program.graph.getNumInputs());
}

Explorer::~Explorer() = default;

bool Explorer::isSearchable() const {
  return workers[0]->getSpace().isSearchable();
}
bool Explorer::hasAtoms() const { return workers[0]->getSpace().hasAtoms(); }

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

Explorer::Stop Explorer::run(Callback callback) {
  found = callback;
  for (unsigned size = 1; size <= limits.maxOps; ++size) {
    SearchClock clock;
    bool goesOn = runRound(size);
    rounds.back().seconds = clock.getSeconds();
    if (!goesOn)
      return stop;
  }
  noteKernels();
  return stop;
}

bool Explorer::runRound(unsigned numOperators) {
  SearchRound round;
  round.reading = reading;
  round.maxKernels = limits.maxKernels;
  round.numOperators = numOperators;
  rounds.push_back(round);
  if (limits.costModel)
    limitUs = limits.getLimitUs();
  return rounds.back().isComplete =
             (numOperators == 1 || runOtherKernels(numOperators - 1)) &&
             runLastKernels(numOperators);
}

/// Kernels that are not the last, with so many operators up to them.
bool Explorer::runOtherKernels(unsigned numOperators) {
  std::vector<Item> items;
  bool goesOn = makeItems(/*isLast=*/false, numOperators, items);
  return goesOn && runItems(items, [&](const Item &item, ItemResult &result) {
           for (ItemResult::Found &way : result.found)
             addWay(item, way.kernel, std::move(way.tensors), numOperators);
         });
}

/// Last kernels, with so many operators in all; then all structures of so many
/// that they are part of.
bool Explorer::runLastKernels(unsigned numOperators) {
  std::vector<Item> items;
  bool goesOn = makeItems(/*isLast=*/true, numOperators, items);
  goesOn =
      goesOn && runItems(items, [&](const Item &item, ItemResult &result) {
        double leastUs = limits.costModel ? boundUs(item) : 0;
        for (ItemResult::Found &last : result.found)
          boundaries[item.boundary]->lastKernels[item.numOperators].push_back(
              {std::move(last.kernel), leastUs});
      });
  for (unsigned number = 0; number < boundaries.size(); ++number)
    emitStructures(number, numOperators);
  return goesOn;
}

//===----------------------------------------------------------------------===//
// Items
//===----------------------------------------------------------------------===//

/// Of kernels that bring a structure to so many operators. \returns false, with
/// the reason noted, if there are too many to look at, or no time.
bool Explorer::makeItems(bool isLast, unsigned numOperators,
                         std::vector<Item> &items) {
  boundBoundaries();
  numReads = 0;
  for (unsigned number = 0; number < boundaries.size(); ++number) {
    Boundary &boundary = *boundaries[number];
    if (boundary.minOperators >= numOperators ||
        (isLast ? boundary.position + 1 < limits.minKernels
                : boundary.position + 1 >= limits.maxKernels))
      continue;
    unsigned size = numOperators - boundary.minOperators;
    boundary.looks.try_emplace({isLast, size});
    for (auto &[key, last] : boundary.looks) {
      if (key.first != isLast)
        continue;
      bool isFirst = key.second == size;
      Look look{boundary.leastUs, limitUs, isFirst ? nullptr : &last};
      if (isFirst || look.leastUs < last.leastUs) {
        if (!addItems(number, look, isLast, key.second, items))
          return false;
        look.before = nullptr;
        last = look;
      }
    }
  }
  return true;
}

/// Whether there is reason to go on after so many choices of what a kernel
/// reads.
bool Explorer::goesOnReading() {
  if (++numReads > limits.maxReads)
    return endRound(Stop::TooManyReads);
  constexpr uint64_t kReadsPerQuestion = 1024;
  if (numReads % kReadsPerQuestion != 0)
    return true;
  if (limits.onProgress)
    limits.onProgress({limits.maxKernels, rounds.back().numOperators, numStates,
                       limits.maxStates});
  bool isOutOfTime = limits.isOutOfTime && limits.isOutOfTime();
  return !isOutOfTime || endRound(Stop::OutOfTime);
}

/// Calls with `chosen` and each subset of at most `maxSize` others, in the
/// order of binary numbers, until one call returns false. \returns whether none
/// did.
static bool forEachSubset(ArrayRef<unsigned> others, unsigned maxSize,
                          SmallVector<unsigned> &chosen,
                          llvm::function_ref<bool()> call) {
  if (others.empty() || maxSize == 0)
    return call();
  if (!forEachSubset(others.drop_back(), maxSize, chosen, call))
    return false;
  chosen.push_back(others.back());
  bool goesOn = forEachSubset(others.drop_back(), maxSize - 1, chosen, call);
  chosen.pop_back();
  return goesOn;
}

/// Every choice of what a kernel reads: all that the kernel before left but the
/// program's outputs, for a last kernel all inputs that are still to be read,
/// and any other tensors. \returns false, with the reason noted, if the round
/// ends with that.
bool Explorer::addItems(unsigned number, const Look &look, bool isLast,
                        unsigned numOperators, std::vector<Item> &items) {
  Item item;
  item.boundary = number;
  item.isLast = isLast;
  item.numOperators = numOperators;
  if (numOperators > limits.maxBlockOps ||
      isCut(item, look, &Explorer::boundRestUs))
    return true;
  const Boundary &boundary = *boundaries[number];
  unsigned numInputs = program.graph.getNumInputs();
  SmallBitVector toRead(numInputs);
  if (isLast)
    toRead = getInputsToRead(item);
  SmallVector<unsigned> needed, free;
  for (unsigned input : program.inputs)
    (toRead[input] ? needed : free).push_back(input);
  for (auto [tensor, info] : llvm::enumerate(boundary.tensors)) {
    bool isNeeded = tensor < boundary.numNew && !info.output;
    (isNeeded ? needed : free).push_back(numInputs + tensor);
  }
  if (!isLast && !hasOperatorsFor(item, needed.size())) {
    limitsHit.add(SpaceLimit::Ops);
    return true;
  }
  // An operator reads two tensors, and what comes of all is one or an output.
  unsigned numOutputs =
      boundary.getOpenOutputs(program.graph.getOutputs().size()).size();
  unsigned maxRead = isLast && !limits.off.ignoresBounds
                         ? numOperators + numOutputs
                         : 2 * numOperators;
  if (needed.size() + free.size() > maxRead)
    noteShortage(item);
  if (needed.size() > maxRead)
    return true;
  SmallVector<unsigned> chosen = needed;
  return forEachSubset(free, maxRead - needed.size(), chosen, [&] {
    item.read = chosen;
    llvm::sort(item.read);
    if (!item.read.empty())
      addItems(item, look, items);
    return goesOnReading();
  });
}

/// Whether there may be a kernel that reads all of them.
static bool mayAllBeUsed(EnumerationSpace &space,
                         ArrayRef<DeviceTensor> inputs) {
  for (unsigned i = 1; i < inputs.size(); ++i)
    for (const DeviceTensor &other : inputs.take_front(i))
      if (!space.mayBothBeUsed(other.form, inputs[i].form))
        return false;
  return true;
}

/// Every choice of axes.
void Explorer::addItems(Item item, const Look &look, std::vector<Item> &items) {
  if (isCut(item, look, &Explorer::boundMovedUs))
    return;
  KernelSite site = makeSite(*workers[0], item);
  if (item.isLast && site.outputs.empty())
    return;
  if (!limits.off.ignoresPairs &&
      !mayAllBeUsed(workers[0]->getSpace(), site.inputs))
    return;
  for (KernelChoice &choice : enumerateKernelChoices(
           program, site, limits.maxGridAxes, limits.joins)) {
    item.choice = std::move(choice);
    if (!isCut(item, look, &Explorer::boundUs) && !isDone(item, look))
      items.push_back(item);
  }
  noteGridAxes(item, look, site);
}

KernelSite Explorer::makeSite(Worker &worker, const Item &item) {
  const Boundary &boundary = *boundaries[item.boundary];
  replay(worker, item.boundary);
  ArrayRef<FormId> forms = worker.forms[item.boundary];
  unsigned numInputs = program.graph.getNumInputs();
  KernelSite site;
  site.position = boundary.position;
  for (unsigned tensor : item.read)
    if (tensor < numInputs)
      site.inputs.push_back(worker.getSpace().getInput(tensor));
    else
      site.inputs.push_back({tensor, forms[tensor - numInputs],
                             boundary.tensors[tensor - numInputs].names});
  if (item.isLast)
    site.outputs = boundary.getOpenOutputs(program.graph.getOutputs().size());
  else
    site.toCome = getKernelsToCome(worker, item);
  return site;
}

/// The most that all kernels after the item's may have.
unsigned Explorer::getOperatorsToCome(const Item &item) const {
  unsigned before = boundaries[item.boundary]->minOperators + item.numOperators;
  return limits.maxOps - std::min(limits.maxOps, before);
}

/// Whether the item's kernel and those after it can join what it needs of the
/// boundary and the inputs that nobody has read, whatever it reads.
bool Explorer::hasOperatorsFor(const Item &item, unsigned numNeeded) const {
  const Boundary &boundary = *boundaries[item.boundary];
  unsigned numOpen = numNeeded + getInputsToRead(item).count();
  unsigned numOutputs =
      boundary.getOpenOutputs(program.graph.getOutputs().size()).size();
  return limits.off.ignoresBounds ||
         numOpen <= item.numOperators + getOperatorsToCome(item) + numOutputs;
}

KernelsToCome Explorer::getKernelsToCome(Worker &worker, const Item &item) {
  const Boundary &boundary = *boundaries[item.boundary];
  KernelsToCome toCome;
  toCome.maxOperators = getOperatorsToCome(item);
  SmallVector<unsigned> open =
      boundary.getOpenOutputs(program.graph.getOutputs().size());
  toCome.numOutputs = open.size();
  toCome.numInputs = getInputsToRead(item).count();
  unsigned numInputs = program.graph.getNumInputs();
  for (auto [tensor, form] : llvm::enumerate(worker.forms[item.boundary]))
    if (!llvm::is_contained(item.read, numInputs + tensor))
      toCome.present |= worker.getSpace().findFunctions(form);
  return toCome;
}

/// Makes the forms of a boundary's tensors in the worker's context, by building
/// the kernels again that lead to it.
void Explorer::replay(Worker &worker, unsigned number) {
  Boundary &boundary = *boundaries[number];
  if (boundary.ways.empty() || worker.forms.count(number))
    return;
  const Way &way = boundary.ways.front();
  replay(worker, way.from);
  Item item;
  item.boundary = way.from;
  llvm::append_range(item.read, way.kernel.inputs);
  item.isLast = false;
  KernelSite site = makeSite(worker, item);
  EnumerationLimits none;
  EnumerationCounts counts;
  std::vector<FormId> forms;
  for (const KernelResult &result :
       Enumerator(worker.getSpace(), none, counts).replay(site, way.kernel))
    forms.push_back(result.form);
  llvm::append_range(forms, ArrayRef<FormId>(worker.forms[way.from]));
  worker.forms[number] = std::move(forms);
}

bool Explorer::endRound(Stop why) {
  stop = why;
  return false;
}
