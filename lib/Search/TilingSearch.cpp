//===- TilingSearch.cpp - The cheapest sizes of a structure ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/TilingSearch.h"
#include "Mirage/Graph/LevelRules.h"
#include "Mirage/Search/KernelSketch.h"
#include "Mirage/Search/KernelTraffic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <cmath>
#include <limits>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;
using llvm::SmallVector;

/// The benchmarks' kernels take up to 32,000 boxes with all sizes and 5,000
/// with aligned ones; names of millions of elements have more tilings that are
/// nearly alike than anybody waits for. Of round sizes there are few.
static TilingSearch::Limits getLimits(TileSizeSet set) {
  switch (set) {
  case TileSizeSet::Round:
    return {};
  case TileSizeSet::Aligned:
    return {/*boxes=*/1 << 13, /*groups=*/128};
  case TileSizeSet::All:
    return {/*boxes=*/1 << 16, /*groups=*/128};
  }
  llvm_unreachable("all sets are handled");
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TilingSearch::TilingSearch(const TargetProgram &program,
                           const CostModel &costModel, TileSizeSet sizes,
                           bool cuts, std::function<bool()> isToEnd)
    : program(program), costModel(costModel), cuts(cuts),
      isToEnd(std::move(isToEnd)), limits(getLimits(sizes)), sizes(sizes) {}

//===----------------------------------------------------------------------===//
// Kernels that have something in common
//===----------------------------------------------------------------------===//

/// The parts that a kernel's results have, whose number its grid decides.
static NameSet getOwnParts(const TargetProgram &program,
                           const KernelPlan &plan) {
  NameSet parts = 0;
  for (const KernelTensor &result : plan.results)
    for (NameId name : result.stored.layout)
      parts |= program.isPartOf(name, plan.position) ? toSet(name) : 0;
  return parts;
}

/// The names of the grid that the kernel's results have parts along.
static NameSet getPartedNames(const TargetProgram &program,
                              const KernelPlan &plan) {
  NameSet names = 0;
  for (NameId part : toList(getOwnParts(program, plan)))
    names |= toSet(program.getPart(part)->of);
  return names;
}

static TextHash hashNumbers(ArrayRef<int64_t> numbers) {
  return hashText({reinterpret_cast<const char *>(numbers.data()),
                   numbers.size() * sizeof(int64_t)});
}

/// All that tilings and their bounds depend on.
static TextHash hashHeader(const TargetProgram &program, const KernelPlan &plan,
                           ArrayRef<int64_t> extents) {
  SmallVector<int64_t> read(extents);
  for (NameId own : toList(getOwnParts(program, plan)))
    read[own] = 0; // decided by the tiling
  const KernelStructure &kernel = plan.kernel;
  SmallVector<int64_t, 64> numbers = {plan.position, kernel.loopName};
  auto addList = [&](ArrayRef<NameId> names) {
    numbers.push_back(names.size());
    llvm::append_range(numbers, names);
  };
  addList(kernel.gridNames);
  SmallVector<unsigned, 3> joinedAxes = getJoinedAxes(kernel);
  numbers.push_back(joinedAxes.size());
  llvm::append_range(numbers, joinedAxes);
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

TilingSearch::Header &TilingSearch::getHeader(const KernelPlan &plan,
                                              ArrayRef<int64_t> extents) {
  TextHash key = hashHeader(program, plan, extents);
  std::lock_guard<std::mutex> lock(mutex);
  return headers[key];
}

TilingSearch::SizedKernel &
TilingSearch::getSizedKernel(const KernelPlan &plan, ArrayRef<int64_t> extents,
                             ArrayRef<int64_t> grid) {
  SmallVector<int64_t> numbers(grid);
  for (TextHash hash :
       {hashHeader(program, plan, extents), hashText(toString(plan.kernel))})
    numbers.append(
        {static_cast<int64_t>(hash.first), static_cast<int64_t>(hash.second)});
  std::lock_guard<std::mutex> lock(mutex);
  return kernels[hashNumbers(numbers)];
}

//===----------------------------------------------------------------------===//
// Boxes by ascending bounds
//===----------------------------------------------------------------------===//

void TilingSearch::BoxFrontier::add(SmallVector<BoundedBox, 2> boxes,
                                    size_t maxBoxes, bool isToEnd) {
  numBoxes += boxes.size();
  if (!isDiving && (numBoxes > maxBoxes || isToEnd))
    startDive();
  if (isDiving && !takesSmall && numBoxes > mostDiving / 2) {
    takesSmall = true;
    std::reverse(stack.begin(), stack.end());
  }
  if (takesSmall) // halves come with the smaller tiles first
    std::reverse(boxes.begin(), boxes.end());
  else
    llvm::sort(boxes, std::greater<>());
  for (BoundedBox &box : boxes)
    if (isDiving)
      stack.push_back(std::move(box));
    else
      queue.push(std::move(box));
}

/// Nobody waits for as many boxes again; but the way down takes some.
void TilingSearch::BoxFrontier::startDive() {
  constexpr size_t kWayDown = 1024;
  isDiving = true;
  mostDiving = 4 * std::max(numBoxes, kWayDown);
  for (; !queue.empty(); queue.pop())
    stack.push_back(queue.top());
  std::reverse(stack.begin(), stack.end());
}

bool TilingSearch::BoxFrontier::isOver() const {
  return isDiving ? stack.empty() || hasEnough || numBoxes > mostDiving
                  : queue.empty();
}

TilingSearch::BoundedBox TilingSearch::BoxFrontier::pop() {
  BoundedBox box = top();
  if (isDiving)
    stack.pop_back();
  else
    queue.pop();
  return box;
}

/// Those of which some tiling may be of use, and whose bound is finite.
void TilingSearch::addBoxes(
    BoxFrontier &boxes, llvm::MutableArrayRef<TilingBox> more,
    llvm::function_ref<double(const TilingBox &)> boundUs) {
  SmallVector<BoundedBox, 2> bounded;
  for (TilingBox &box : more)
    if (double us = boundUs(box); us < kInfinity)
      bounded.push_back({us, std::move(box)});
  boxes.add(std::move(bounded), limits.boxes, isToEnd && isToEnd());
}

namespace {
/// Bounds on what the tilings of a kernel take, by a sketch of it.
template <typename Sketch>
class BoxBounds {
public:
  BoxBounds(const TargetProgram &program, const CostModel &costModel,
            const KernelPlan &plan, ArrayRef<int64_t> extents,
            const TilingBox &whole, const TilingSpace &space)
      : costModel(costModel), launchUs(costModel.getLaunchUs(plan.position)),
        sketch(program, plan, extents), space(space),
        ends(space.getEnds(whole)) {}

  /// What none of a box takes less than; infinite if none fits.
  double getUs(const TilingBox &box) {
    space.setEnds(box, ends);
    return launchUs + costModel.boundUs(sketch.getWork(ends));
  }

private:
  const CostModel &costModel;
  double launchUs;
  Sketch sketch;
  const TilingSpace &space;
  TilingEnds ends; ///< of the last box
};
} // namespace

/// By what they load.
double TilingSearch::findLeastUs(const KernelPlan &plan,
                                 ArrayRef<int64_t> extents) {
  TilingSpace space(plan.kernel, extents, sizes);
  std::optional<TilingBox> whole = space.getAll();
  if (!whole)
    return kInfinity;
  BoxBounds<LoadSketch> bounds(program, costModel, plan, extents, *whole,
                               space);
  BoxQueue boxes;
  boxes.push({bounds.getUs(*whole), *whole});
  for (unsigned number = 0;
       !boxes.empty() && !boxes.top().box.isOne() && number < limits.boxes;
       number += 2) {
    TilingBox box = boxes.top().box;
    boxes.pop();
    for (TilingBox &half : space.split(box))
      if (double us = bounds.getUs(half); us < kInfinity)
        boxes.push({us, std::move(half)});
  }
  return boxes.empty() ? kInfinity : boxes.top().boundUs;
}

double TilingSearch::getLeastUs(const KernelPlan &plan,
                                ArrayRef<int64_t> extents) {
  Header &header = getHeader(plan, extents);
  std::lock_guard<std::mutex> lock(header.mutex);
  if (!header.leastUs)
    header.leastUs = findLeastUs(plan, extents);
  return *header.leastUs;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Finds more groups, until there are as many or the next ones take more.
void TilingSearch::findGroups(const KernelPlan &plan, ArrayRef<int64_t> extents,
                              size_t number, double limitUs, Header &header) {
  TilingSpace space(plan.kernel, extents, sizes);
  std::optional<TilingBox> whole = space.getAll();
  if (!whole)
    return;
  NameSet parted = getPartedNames(program, plan);
  BoxBounds<LoadSketch> bounds(program, costModel, plan, extents, *whole,
                               space);
  auto add = [&](llvm::MutableArrayRef<TilingBox> more) {
    addBoxes(header.boxes, more,
             [&](const TilingBox &box) { return bounds.getUs(box); });
  };
  if (!std::exchange(header.hasBoxes, true))
    add(*whole);
  while (header.groups.size() < number && !header.boxes.isOver() &&
         header.boxes.top().boundUs <= limitUs) {
    BoundedBox next = header.boxes.pop();
    std::optional<BlockCounts> grid = space.getGrid(next.box, parted);
    if (!grid) {
      auto halves = space.split(next.box, parted);
      add(halves);
    } else if (header.grids.insert(*grid).second) {
      header.groups.push_back({next.boundUs, std::move(*grid)});
      header.boxes.noteFound();
    }
  }
}

std::optional<TilingSearch::Group>
TilingSearch::getGroup(const KernelPlan &plan, ArrayRef<int64_t> extents,
                       size_t number, double limitUs) {
  Header &header = getHeader(plan, extents);
  std::lock_guard<std::mutex> lock(header.mutex);
  if (header.groups.size() <= number)
    findGroups(plan, extents, number + 1, limitUs, header);
  if (header.groups.size() <= number || header.groups[number].boundUs > limitUs)
    return std::nullopt;
  return header.groups[number];
}

//===----------------------------------------------------------------------===//
// One kernel
//===----------------------------------------------------------------------===//

namespace {
/// What a kernel takes with one tiling after another.
class TilingCosts {
public:
  TilingCosts(const TargetProgram &program, const CostModel &costModel,
              const KernelPlan &plan, ArrayRef<int64_t> extents)
      : program(program), costModel(costModel), plan(plan), extents(extents),
        inputs(plan.getInputTypes(extents)) {}

  /// None if it fits with no number of threads, or cannot be launched or
  /// stored.
  std::optional<BlockSize> get(const Tiling &tiling) {
    NameSet partial = getPartialNames(plan.kernel, extents, tiling);
    auto kernel = kernels.find(partial);
    if (kernel == kernels.end())
      kernel = kernels.try_emplace(partial, program, plan, partial).first;
    SmallVector<int64_t> own = extents;
    setPartExtents(program, plan, tiling, own);
    const TileGraph &graph = kernel->second.resize(extents, tiling);
    SmallVector<TensorSpec> results = plan.getResultTypes(own);
    if (!isLegal(graph, results))
      return std::nullopt;
    return costModel.chooseBlockSize(graph, inputs, results);
  }

private:
  static bool isLegal(const TileGraph &graph, ArrayRef<TensorSpec> results) {
    for (auto [axis, extent] : llvm::enumerate(graph.grid))
      if (extent > kMaxGridExtents[axis])
        return false;
    return multiplyCounts(graph.grid) &&
           llvm::all_of(results, [](const TensorSpec &result) {
             return multiplyCounts(result.shape).has_value();
           });
  }

  const TargetProgram &program;
  const CostModel &costModel;
  const KernelPlan &plan;
  SmallVector<int64_t> extents;
  SmallVector<TensorSpec> inputs;
  std::map<NameSet, SizelessKernel> kernels; ///< by partial names
};
} // namespace

/// Looks at one tiling, which is the kernel's best if it is. \returns whether
/// it fits.
bool TilingSearch::tryTiling(const BoundedBox &box, Tiling tiling,
                             std::optional<BlockSize> size, double launchUs,
                             SizedKernel &kernel) {
  if (kernel.last < box) { // not looked at under a lower limit
    kernel.last = box;
    ++numTried;
    numFitting += size.has_value();
  }
  BestTiling &best = kernel.best;
  if (!size || (best.tiling && launchUs + size->us >= best.us))
    return size.has_value();
  best.tiling = std::move(tiling);
  best.us = launchUs + size->us;
  best.tiling->threads = size->threads;
  best.tiling->stages = size->stages;
  return true;
}

void TilingSearch::findBest(const KernelPlan &plan, ArrayRef<int64_t> extents,
                            ArrayRef<int64_t> grid, double limitUs,
                            SizedKernel &kernel) {
  BestTiling &best = kernel.best;
  best.isLeast = true;
  // What is no better but for rounding is no better.
  auto isCut = [&](double boundUs) {
    return (cuts && boundUs > limitUs) ||
           (best.tiling && boundUs >= best.us * kBoundRounding);
  };
  TilingSpace space(plan.kernel, extents, sizes);
  std::optional<TilingBox> whole = space.getAll(grid);
  if (!whole)
    return;
  BoxBounds<KernelSketch> bounds(program, costModel, plan, extents, *whole,
                                 space);
  TilingCosts costs(program, costModel, plan, extents);
  double launchUs = costModel.getLaunchUs(plan.position);
  BoxFrontier boxes;
  auto add = [&](llvm::MutableArrayRef<TilingBox> more) {
    addBoxes(boxes, more, [&](const TilingBox &box) {
      double us = bounds.getUs(box);
      return isCut(us) ? kInfinity : us;
    });
  };
  add(*whole);
  while (!boxes.isOver()) {
    BoundedBox next = boxes.pop();
    if (isCut(next.boundUs))
      continue;
    if (!next.box.isOne()) {
      auto halves = space.split(next.box);
      add(halves);
      continue;
    }
    Tiling tiling = space.getTiling(next.box);
    std::optional<BlockSize> size = costs.get(tiling);
    if (tryTiling(next, std::move(tiling), size, launchUs, kernel))
      boxes.noteFound();
  }
  best.isLeast = !boxes.hasDived();
  // Another one between the limit and this was not looked at, perhaps.
  if (cuts && best.tiling && best.us > limitUs)
    best.tiling.reset();
}

TilingSearch::BestTiling TilingSearch::getBest(const KernelPlan &plan,
                                               ArrayRef<int64_t> extents,
                                               ArrayRef<int64_t> grid,
                                               double limitUs) {
  SizedKernel &kernel = getSizedKernel(plan, extents, grid);
  std::lock_guard<std::mutex> lock(kernel.mutex);
  bool isKnown =
      kernel.limitUs && (kernel.best.tiling || limitUs <= *kernel.limitUs);
  if (!isKnown) {
    findBest(plan, extents, grid, limitUs, kernel);
    kernel.limitUs = limitUs;
  }
  return kernel.best;
}

//===----------------------------------------------------------------------===//
// Structures
//===----------------------------------------------------------------------===//

/// What all kernels cannot go below, whatever their tiles.
double TilingSearch::boundTraffic(ArrayRef<KernelPlan> plans) const {
  double us = 0;
  for (const KernelPlan &plan : plans)
    us += costModel.getLaunchUs(plan.position) +
          costModel.boundTrafficUs(getTraffic(program, plan));
  return us * kBoundRounding;
}

/// What each kernel cannot go below, by what it loads.
SmallVector<double> TilingSearch::boundKernels(ArrayRef<KernelPlan> plans) {
  SmallVector<int64_t> extents = getLeastExtents(program);
  return llvm::map_to_vector(
      plans, [&](const KernelPlan &plan) { return getLeastUs(plan, extents); });
}

double TilingSearch::boundUs(ArrayRef<KernelPlan> plans) {
  double us = 0;
  for (double kernelUs : boundKernels(plans))
    us += kernelUs;
  return us;
}

/// Puts what kernels after the first one take, with as few parts to read as
/// there may be, in the place of bounds. \returns whether the limit leaves as
/// much to each.
bool TilingSearch::tighten(ArrayRef<KernelPlan> plans, double limitUs,
                           llvm::MutableArrayRef<double> kernelsUs) {
  SmallVector<int64_t> extents = getLeastExtents(program);
  double slackUs = limitUs;
  for (double us : kernelsUs)
    slackUs -= us;
  for (size_t i = plans.size(); slackUs >= 0 && i-- > 1;) {
    BlockCounts anyGrid(plans[i].kernel.gridNames.size(), 0);
    double mostUs = kernelsUs[i] + slackUs;
    BestTiling best = getBest(plans[i], extents, anyGrid, mostUs);
    if (!best.isLeast)
      continue;
    if (!best.tiling || best.us > mostUs)
      return false;
    slackUs -= best.us * kBoundRounding - kernelsUs[i];
    kernelsUs[i] = best.us * kBoundRounding;
  }
  return slackUs >= 0;
}

std::optional<TilingSearch::Choice>
TilingSearch::findCheapest(ArrayRef<KernelPlan> plans, double limitUs) {
  if (cuts && boundTraffic(plans) > limitUs)
    return std::nullopt;
  SmallVector<double> kernelsUs = boundKernels(plans);
  if (cuts && !tighten(plans, limitUs, kernelsUs))
    return std::nullopt;
  Walk walk{plans, SmallVector<double>(plans.size() + 1, 0), limitUs, {}, {}};
  for (size_t i = plans.size(); i-- > 0;)
    walk.restsUs[i] = walk.restsUs[i + 1] + kernelsUs[i];
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
  for (size_t number = 0; number < limits.groups; ++number) {
    double limitUs = walk.best ? walk.best->predictedUs
                     : cuts    ? walk.limitUs
                               : kInfinity;
    limitUs -= spentUs + walk.restsUs[kernel + 1];
    std::optional<Group> group = getGroup(plan, extents, number, limitUs);
    if (!group)
      return;
    BestTiling chosen = getBest(plan, extents, group->grid, limitUs);
    if (!chosen.tiling || chosen.us > limitUs)
      continue;
    SmallVector<int64_t> own(extents);
    setPartExtents(program, plan, *chosen.tiling, own);
    walk.tilings.push_back(*chosen.tiling);
    search(walk, kernel + 1, own, spentUs + chosen.us);
    walk.tilings.pop_back();
  }
}
