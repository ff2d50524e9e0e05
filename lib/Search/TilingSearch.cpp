//===- TilingSearch.cpp - The cheapest sizes of a structure ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/TilingSearch.h"
#include "Mirage/Reference/ParallelFor.h"
#include "Mirage/Search/KernelTraffic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <limits>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;
using llvm::SmallVector;

TilingSearch::TilingSearch(const TargetProgram &program, const Target &target,
                           const CostModel &costModel, bool cuts,
                           unsigned numThreads)
    : program(program), target(target), costModel(costModel), cuts(cuts),
      numThreads(numThreads) {}

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

static void printTensors(llvm::raw_ostream &os, ArrayRef<KernelTensor> tensors,
                         ArrayRef<int64_t> extents) {
  for (const KernelTensor &tensor : tensors) {
    os << getElementTypeName(tensor.stored.element);
    for (NameId name : tensor.stored.layout)
      os << ' ' << name << ':' << (name == kNoName ? 1 : extents[name]);
    os << '\n';
  }
}

/// All that tilings and their bounds depend on.
static std::string getHeaderText(const TargetProgram &program,
                                 const KernelPlan &plan,
                                 ArrayRef<int64_t> extents) {
  SmallVector<int64_t> read(extents);
  for (NameId own : getOwnParts(program, plan))
    read[own] = 0; // decided by the tiling
  std::string text;
  llvm::raw_string_ostream os(text);
  const KernelStructure &kernel = plan.kernel;
  os << plan.position << ' ' << countJoinedAxes(kernel) << ' '
     << kernel.loopName;
  for (NameId name : kernel.gridNames)
    os << ' ' << name;
  os << '\n';
  printTensors(os, plan.inputs, read);
  os << "->\n";
  printTensors(os, plan.results, read);
  return text;
}

TilingSearch::BoundedTiling TilingSearch::boundTiling(const KernelPlan &plan,
                                                      ArrayRef<int64_t> extents,
                                                      Tiling tiling) const {
  SmallVector<int64_t> own(extents);
  setPartExtents(program, plan, tiling, own);
  BoundedTiling bounded;
  for (NameId part : getOwnParts(program, plan))
    bounded.parts.push_back(own[part]);
  bounded.bound = costModel.boundKernel(
      buildTileHeader(program, plan, own, tiling), plan.getInputTypes(own),
      plan.getResultTypes(own), countJoinedAxes(plan.kernel));
  bounded.boundUs = getLaunchUs(plan) + bounded.bound.getUs(0);
  bounded.tiling = std::move(tiling);
  return bounded;
}

TilingSearch::TilingGroups
TilingSearch::boundTilings(const KernelPlan &plan,
                           ArrayRef<int64_t> extents) const {
  std::vector<Tiling> tilings =
      enumerateTilings(plan, extents, target.sharedBytesPerBlock);
  BoundedTilings all(tilings.size());
  constexpr int64_t kGrain = 64;
  parallelFor(numThreads, tilings.size(), kGrain,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  all[i] = boundTiling(plan, extents, std::move(tilings[i]));
                  all[i].number = i;
                }
              });
  TilingGroups groups;
  for (BoundedTiling &bounded : all)
    groups[bounded.parts].push_back(std::move(bounded));
  for (auto &[counts, tilings] : groups)
    llvm::sort(tilings, [](const auto &a, const auto &b) {
      return std::tie(a.boundUs, a.number) < std::tie(b.boundUs, b.number);
    });
  return groups;
}

const TilingSearch::TilingGroups &
TilingSearch::getGroups(const KernelPlan &plan, ArrayRef<int64_t> extents) {
  auto [entry, isNew] =
      groups.try_emplace(getHeaderText(program, plan, extents));
  if (isNew)
    entry->second = boundTilings(plan, extents);
  return entry->second;
}

/// What a kernel takes more, or less, than alone.
double TilingSearch::getLaunchUs(const KernelPlan &plan) const {
  return plan.position == 0 ? 0 : costModel.getFurtherKernelUs();
}

/// What all kernels cannot go below, whatever their tiles.
double TilingSearch::boundTraffic(ArrayRef<KernelPlan> plans) const {
  double us = 0;
  for (const KernelPlan &plan : plans)
    us +=
        getLaunchUs(plan) + costModel.boundTrafficUs(getTraffic(program, plan));
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

TilingSearch::BestTiling TilingSearch::findBest(const KernelPlan &plan,
                                                ArrayRef<int64_t> extents,
                                                const BoundedTilings &tilings,
                                                double limitUs) {
  BestTiling best;
  best.limitUs = limitUs;
  double productsUs = costModel.getProductsUs(countProducts(plan, extents));
  auto operations = listOperations(plan);
  auto boundWhole = [&](const BoundedTiling &next) {
    double stepsUs = costModel.getStepsUs(operations, next.tiling.tile,
                                          next.bound.atOnce.time.numIterations);
    return getLaunchUs(plan) + next.bound.getUs(productsUs, stepsUs);
  };
  auto isCut = [&](double boundUs) {
    return cuts && (boundUs > limitUs || (best.tiling && boundUs >= best.us));
  };
  for (const BoundedTiling &next : tilings) {
    if (isCut(next.boundUs))
      break;
    if (isCut(boundWhole(next)))
      continue;
    ++numTried;
    SmallVector<int64_t> own(extents);
    setPartExtents(program, plan, next.tiling, own);
    TileGraph tiles = buildTileGraph(program, plan, own, next.tiling);
    std::optional<BlockSize> size = costModel.chooseBlockSize(
        tiles, plan.getInputTypes(own), plan.getResultTypes(own));
    if (!size)
      continue;
    ++numFitting;
    double us = getLaunchUs(plan) + size->us;
    if (best.tiling && us >= best.us)
      continue;
    best.tiling = next.tiling;
    best.tiling->threads = size->threads;
    best.tiling->stages = size->stages;
    best.us = us;
  }
  // Another one between the limit and this was not looked at, perhaps.
  if (cuts && best.tiling && best.us > limitUs)
    best.tiling.reset();
  return best;
}

const TilingSearch::BestTiling &
TilingSearch::getBest(const KernelPlan &plan, ArrayRef<int64_t> extents,
                      ArrayRef<int64_t> parts, const BoundedTilings &tilings,
                      double limitUs) {
  std::string key =
      getHeaderText(program, plan, extents) + toString(plan.kernel);
  for (int64_t count : parts)
    key += " " + std::to_string(count);
  auto [entry, isNew] = bests.try_emplace(std::move(key));
  BestTiling &best = entry->second;
  if (isNew || (!best.tiling && best.limitUs < limitUs))
    best = findBest(plan, extents, tilings, limitUs);
  return best;
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
    const BestTiling &chosen = getBest(plan, extents, parts, tilings, limitUs);
    if (!chosen.tiling || chosen.us > limitUs)
      continue;
    SmallVector<int64_t> own(extents);
    setPartExtents(program, plan, *chosen.tiling, own);
    walk.tilings.push_back(*chosen.tiling);
    search(walk, kernel + 1, own, spentUs + chosen.us);
    walk.tilings.pop_back();
  }
}
