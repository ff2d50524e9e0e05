//===- TilingSearch.cpp - The cheapest sizes of a structure ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/TilingSearch.h"
#include "Mirage/Search/KernelSketch.h"
#include "Mirage/Search/KernelTraffic.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <limits>
#include <queue>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;
using llvm::SmallVector;

TilingSearch::TilingSearch(const TargetProgram &program,
                           const CostModel &costModel, bool cuts)
    : program(program), costModel(costModel), cuts(cuts) {}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// The parts that a kernel's results have, whose number its grid decides.
static SmallVector<NameId> getOwnParts(const TargetProgram &program,
                                       const KernelPlan &plan) {
  NameSet parts = 0;
  for (const KernelTensor &result : plan.results)
    for (NameId name : result.stored.layout)
      if (auto part = program.getPart(name))
        parts |= part->kernel == plan.position ? toSet(name) : 0;
  return toList(parts);
}

static TextHash hashNumbers(ArrayRef<int64_t> numbers) {
  return hashText({reinterpret_cast<const char *>(numbers.data()),
                   numbers.size() * sizeof(int64_t)});
}

/// All that tilings and their bounds depend on.
static TextHash hashHeader(const TargetProgram &program, const KernelPlan &plan,
                           ArrayRef<int64_t> extents) {
  SmallVector<int64_t> read(extents);
  for (NameId own : getOwnParts(program, plan))
    read[own] = 0; // decided by the tiling
  const KernelStructure &kernel = plan.kernel;
  SmallVector<int64_t, 64> numbers = {plan.position, countJoinedAxes(kernel),
                                      kernel.loopName};
  auto addList = [&](ArrayRef<NameId> names) {
    numbers.push_back(names.size());
    llvm::append_range(numbers, names);
  };
  addList(kernel.gridNames);
  for (ArrayRef<KernelTensor> tensors :
       {ArrayRef(plan.inputs), ArrayRef(plan.results)}) {
    numbers.push_back(tensors.size());
    for (const KernelTensor &tensor : tensors) {
      numbers.push_back(static_cast<int64_t>(tensor.stored.element));
      addList(tensor.stored.layout);
      for (NameId name : tensor.stored.layout)
        numbers.push_back(name == kNoName ? 1 : read[name]);
    }
  }
  return hashNumbers(numbers);
}

TilingSearch::TilingGroups
TilingSearch::boundTilings(const KernelPlan &plan,
                           ArrayRef<int64_t> extents) const {
  TilingSpace space(plan.kernel, extents);
  KernelSketch sketch(program, plan, extents);
  SmallVector<NameId> ownParts = getOwnParts(program, plan);
  SmallVector<int64_t> own(extents), parts(ownParts.size());
  TilingGroups groups;
  for (size_t number = 0; number < space.size(); ++number) {
    Tiling tiling = space.get(number);
    double boundUs = costModel.getLaunchUs(plan.position) +
                     costModel.boundUs(sketch.getLoads(tiling));
    if (std::isinf(boundUs))
      continue;
    setPartExtents(program, plan, tiling, own);
    llvm::transform(ownParts, parts.begin(),
                    [&](NameId part) { return own[part]; });
    groups[parts].push_back({boundUs, static_cast<uint32_t>(number)});
  }
  for (auto &[counts, tilings] : groups)
    llvm::sort(tilings);
  return groups;
}

const TilingSearch::TilingGroups &
TilingSearch::getGroups(const KernelPlan &plan, ArrayRef<int64_t> extents) {
  TextHash key = hashHeader(program, plan, extents);
  std::unique_lock<std::mutex> lock(mutex);
  Header &header = headers[key];
  lock.unlock();
  std::call_once(header.isBounded,
                 [&] { header.groups = boundTilings(plan, extents); });
  return header.groups;
}

/// What all kernels cannot go below, whatever their tiles.
double TilingSearch::boundTraffic(ArrayRef<KernelPlan> plans) const {
  double us = 0;
  for (const KernelPlan &plan : plans)
    us += costModel.getLaunchUs(plan.position) +
          costModel.boundTrafficUs(getTraffic(program, plan));
  return us * kBoundRounding;
}

/// What the kernels from each one on cannot go below.
SmallVector<double> TilingSearch::boundRests(ArrayRef<KernelPlan> plans) {
  SmallVector<int64_t> extents = getLeastExtents(program);
  SmallVector<double> rests(plans.size() + 1, 0);
  for (size_t i = plans.size(); i-- > 0;) {
    double least = std::numeric_limits<double>::infinity();
    for (const auto &[counts, tilings] : getGroups(plans[i], extents))
      least = std::min(least, tilings.front().boundUs);
    rests[i] = rests[i + 1] + least;
  }
  return rests;
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

/// Keeps the tiling if it is the cheapest so far, the first one of several.
void TilingSearch::build(const KernelPlan &plan, ArrayRef<int64_t> extents,
                         const BoundedTiling &bounded, Tiling tiling,
                         SizedKernel &kernel) {
  SmallVector<int64_t> own(extents);
  setPartExtents(program, plan, tiling, own);
  TileGraph tiles = buildTileGraph(program, plan, own, tiling);
  std::optional<BlockSize> size = costModel.chooseBlockSize(
      tiles, plan.getInputTypes(own), plan.getResultTypes(own));
  if (kernel.last < bounded) { // not built under a lower limit
    kernel.last = bounded;
    ++numTried;
    numFitting += size.has_value();
  }
  if (!size)
    return;
  BestTiling &best = kernel.best;
  double us = costModel.getLaunchUs(plan.position) + size->us;
  if (best.tiling &&
      std::tie(best.us, best.number) <= std::tie(us, bounded.number))
    return;
  best.tiling = std::move(tiling);
  best.tiling->threads = size->threads;
  best.tiling->stages = size->stages;
  best.number = bounded.number;
  best.us = us;
}

/// By ascending bounds of what is loaded and computed, which are worked out as
/// far as bounds of what is loaded are lower still.
void TilingSearch::findBest(const KernelPlan &plan, ArrayRef<int64_t> extents,
                            const BoundedTilings &tilings, double limitUs,
                            SizedKernel &kernel) {
  BestTiling &best = kernel.best;
  auto isCut = [&](double boundUs) {
    return cuts && (boundUs > limitUs || (best.tiling && boundUs > best.us));
  };
  TilingSpace space(plan.kernel, extents);
  KernelSketch sketch(program, plan, extents);
  std::priority_queue<BoundedTiling, std::vector<BoundedTiling>, std::greater<>>
      sketched;
  auto next = tilings.begin();
  while (next != tilings.end() || !sketched.empty()) {
    bool isSketched =
        next == tilings.end() || (!sketched.empty() && sketched.top() < *next);
    BoundedTiling tiling = isSketched ? sketched.top() : *next++;
    if (isCut(tiling.boundUs))
      break;
    if (isSketched) {
      sketched.pop();
      build(plan, extents, tiling, space.get(tiling.number), kernel);
      continue;
    }
    tiling.boundUs =
        costModel.getLaunchUs(plan.position) +
        costModel.boundUs(sketch.getWork(space.get(tiling.number)));
    if (!isCut(tiling.boundUs))
      sketched.push(tiling);
  }
  // Another one between the limit and this was not looked at, perhaps.
  if (cuts && best.tiling && best.us > limitUs)
    best.tiling.reset();
}

TilingSearch::BestTiling TilingSearch::getBest(const KernelPlan &plan,
                                               ArrayRef<int64_t> extents,
                                               ArrayRef<int64_t> parts,
                                               const BoundedTilings &tilings,
                                               double limitUs) {
  SmallVector<int64_t> numbers(parts);
  for (TextHash hash :
       {hashHeader(program, plan, extents), hashText(toString(plan.kernel))})
    numbers.append(
        {static_cast<int64_t>(hash.first), static_cast<int64_t>(hash.second)});
  std::unique_lock<std::mutex> lock(mutex);
  SizedKernel &kernel = kernels[hashNumbers(numbers)];
  lock.unlock();
  std::lock_guard<std::mutex> kernelLock(kernel.mutex);
  bool isKnown =
      kernel.limitUs && (kernel.best.tiling || limitUs <= *kernel.limitUs);
  if (!isKnown) {
    findBest(plan, extents, tilings, limitUs, kernel);
    kernel.limitUs = limitUs;
  }
  return kernel.best;
}

double TilingSearch::boundUs(ArrayRef<KernelPlan> plans) {
  return boundRests(plans).front();
}

std::optional<TilingSearch::Choice>
TilingSearch::findCheapest(ArrayRef<KernelPlan> plans, double limitUs) {
  if (cuts && boundTraffic(plans) > limitUs)
    return std::nullopt;
  SmallVector<double> rests = boundRests(plans);
  Walk walk{plans, rests, limitUs, {}, std::nullopt};
  if (!cuts || rests.front() <= limitUs)
    search(walk, 0, program.getExtents(), 0);
  return walk.best;
}

/// Sizes for kernel number `kernel`, then for those after it.
void TilingSearch::search(Walk &walk, size_t kernel, ArrayRef<int64_t> extents,
                          double spentUs) {
  if (kernel == walk.plans.size()) {
    if (!walk.best || spentUs < walk.best->predictedUs)
      walk.best = Choice{walk.tilings, spentUs};
    return;
  }
  const KernelPlan &plan = walk.plans[kernel];
  for (const auto &[parts, tilings] : getGroups(plan, extents)) {
    double limitUs = walk.best ? walk.best->predictedUs : walk.limitUs;
    limitUs -= spentUs + walk.restsUs[kernel + 1];
    if (cuts && tilings.front().boundUs > limitUs)
      continue;
    BestTiling chosen = getBest(plan, extents, parts, tilings, limitUs);
    if (!chosen.tiling || chosen.us > limitUs)
      continue;
    SmallVector<int64_t> own(extents);
    setPartExtents(program, plan, *chosen.tiling, own);
    walk.tilings.push_back(*chosen.tiling);
    search(walk, kernel + 1, own, spentUs + chosen.us);
    walk.tilings.pop_back();
  }
}
