//===- BoundsTest.cpp - Bounds on cost are bounds -------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branch and bound rests on three figures for one kernel: what it moves at the
// least, what kernels of its tiling take at the least, and what it is estimated
// to take. Each is held against the next, over tilings of structures as the
// search finds them.
//
//===----------------------------------------------------------------------===//

#include "CountedPrograms.h"
#include "Mirage/Planning/LaunchBarrier.h"
#include "Mirage/Search/JoinedParts.h"
#include "Mirage/Search/KernelSketch.h"
#include "Mirage/Search/KernelTraffic.h"
#include "Mirage/Search/Search.h"
#include "Programs.h"
#include "TilingLists.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {
class BoundChecker {
public:
  explicit BoundChecker(llvm::StringRef targetName)
      : target(llvm::cantFail(getTarget(targetName))), model(target) {}

  /// Some of the tilings of all kernels of every eighth structure, and boxes
  /// that they are in.
  void check(const Graph &graph, unsigned maxOps = 8,
             uint64_t maxStates = 2000) {
    SearchOptions options;
    options.target = target.name;
    options.maxOps = options.maxBlockOps = maxOps;
    options.maxStates = maxStates;
    options.cutsKernels = options.cutsProgram = false;
    options.verify = [](const Graph &, const Graph &) { return true; };
    options.onStructure = [&](const TargetProgram &program,
                              const Structure &structure) {
      auto plans = planKernels(program, structure);
      if (plans && numStructures++ % 8 == 0)
        check(program, *plans);
    };
    llvm::cantFail(superoptimize(graph, options));
  }

  unsigned getNumChecked() const { return numChecked; }
  unsigned getNumStaged() const { return numStaged; }
  unsigned getNumAhead() const { return numAhead; }
  /// Of estimates, what sketches of one tiling give of them.
  double getMeanShare() const { return sumOfShares / numChecked; }

private:
  void check(const TargetProgram &program, llvm::ArrayRef<KernelPlan> plans) {
    llvm::SmallVector<int64_t> extents = program.getExtents();
    for (const KernelPlan &plan : plans) {
      TilingSpace space(plan.kernel, extents, sizes);
      std::optional<TilingBox> whole = space.getAll();
      if (!whole)
        return;
      for (unsigned i = 0; i < 16; ++i)
        check(program, plan, extents, space, descend(space, *whole, random));
      // What later kernels read has as many parts as this one left.
      setPartExtents(program, plan, space.getTiling(findOne(space, *whole)),
                     extents);
    }
  }

  TilingBox findOne(const TilingSpace &space, const TilingBox &whole) {
    for (;;)
      if (TilingBox box = descend(space, whole, random).back(); box.isOne())
        return box;
  }

  /// Boxes one in the other, and the tiling that is left.
  void check(const TargetProgram &program, const KernelPlan &plan,
             llvm::SmallVector<int64_t> extents, const TilingSpace &space,
             llvm::ArrayRef<TilingBox> boxes) {
    if (!boxes.back().isOne())
      return;
    Tiling tiling = space.getTiling(boxes.back());
    LoadSketch loads(program, plan, extents);
    KernelSketch work(program, plan, extents);
    setPartExtents(program, plan, tiling, extents);
    auto inputs = plan.getInputTypes(extents);
    auto results = plan.getResultTypes(extents);
    TileGraph tiles = buildTileGraph(program, plan, extents, tiling);
    auto estimate = model.chooseBlockSize(tiles, inputs, results);
    if (!estimate)
      return; // it does not fit
    ++numChecked;
    for (const JoinedParts &join : listJoins(tiles))
      numAhead += join.isBeforeLoop;
    double trafficUs =
        kBoundRounding * model.boundTrafficUs(getTraffic(program, plan));
    double outerLoadsUs = 0, outerWorkUs = 0;
    for (const TilingBox &box : boxes) {
      TilingEnds ends = space.getEnds(box);
      double loadsUs = model.boundUs(loads.getWork(ends));
      double workUs = model.boundUs(work.getWork(ends));
      EXPECT_LE(outerLoadsUs * kBoundRounding, loadsUs)
          << toString(plan.kernel);
      EXPECT_LE(outerWorkUs * kBoundRounding, workUs) << toString(plan.kernel);
      EXPECT_LE(loadsUs * kBoundRounding, workUs) << toString(plan.kernel);
      EXPECT_LE(workUs, estimate->us) << toString(plan.kernel);
      outerLoadsUs = loadsUs;
      outerWorkUs = workUs;
    }
    EXPECT_LE(trafficUs * kBoundRounding, outerLoadsUs)
        << toString(plan.kernel);
    sumOfShares += outerWorkUs / estimate->us;
    checkStages(tiles, inputs, results, outerWorkUs);
  }

  /// Nor is a bound above what a kernel takes with stages that are not chosen.
  void checkStages(const TileGraph &tiles, llvm::ArrayRef<TensorSpec> inputs,
                   llvm::ArrayRef<TensorSpec> results, double boundUs) {
    for (unsigned stages = 1; stages <= kMostChosenStages; ++stages) {
      auto forced = AnalyticCostModel(target, stages)
                        .chooseBlockSize(tiles, inputs, results);
      numStaged += forced->stages > 1;
      EXPECT_LE(boundUs, forced->us) << stages;
    }
  }

  Target target;
  AnalyticCostModel model;
  TileSizes sizes{TileSizeSet::All};
  std::minstd_rand random;
  unsigned numStructures = 0, numChecked = 0, numStaged = 0, numAhead = 0;
  double sumOfShares = 0;
};

TEST(BoundsTest, NoBoundIsAboveAnEstimate) {
  for (llvm::StringRef target : {"sm_90a", "sm_86"}) {
    BoundChecker checker(target);
    for (const Graph &graph :
         {rmsNormLinear(8, 512, 768), rmsNormLinear(5, 203, 77),
          gatedMlp(8, 512, 512), lora(8, 300, 20, 70),
          attention(2, 40, 300, 32), safeAttention(2, 20, 200, 16),
          softmaxRows(100, 1000)})
      checker.check(graph);
    EXPECT_GT(checker.getNumChecked(), 1000u);
    EXPECT_GT(checker.getNumStaged(), 1000u);
    EXPECT_GT(checker.getMeanShare(), 0.8);
  }
}

/// Loops that read what blocks have joined have more operators.
TEST(BoundsTest, NoBoundIsAboveAnEstimateOfKernelsAhead) {
  for (llvm::StringRef target : {"sm_90a", "sm_86"}) {
    BoundChecker checker(target);
    checker.check(attentionLinear(false), /*maxOps=*/11, /*maxStates=*/60000);
    EXPECT_GT(checker.getNumAhead(), 100u);
  }
}

/// Along which of two axes blocks are joined first is up to the operators, here
/// along the second one; which order takes less depends on how many there are
/// along each. Loads do not say, and so promise no more than the better one.
TEST(BoundsTest, LoadsTakeNoLongerThanAnyOrderOfJoins) {
  ProgramBuilder b;
  ValueId square = b.apply(Opcode::Square, {b.input({8, 4096})});
  Graph graph =
      b.finish({b.reduce(Opcode::Max, b.reduce(Opcode::Sum, square, 1), 0)});
  AnalyticCostModel model(llvm::cantFail(getTarget("sm_90a")));
  TileSizes sizes(TileSizeSet::Round);
  unsigned numJoined = 0;
  auto visit = [&](const TargetProgram &program, const Structure &,
                   llvm::ArrayRef<KernelPlan> plans) {
    if (getJoinedAxes(plans.front().kernel).size() < 2)
      return;
    const KernelPlan &plan = plans.front();
    llvm::SmallVector<int64_t> extents = program.getExtents();
    LoadSketch loads(program, plan, extents);
    KernelSketch work(program, plan, extents);
    for (const Tiling &tiling :
         listTilings(TilingSpace(plan.kernel, extents, sizes))) {
      TilingEnds ends = getEnds(plan.kernel, extents, tiling);
      EXPECT_LE(model.boundUs(loads.getWork(ends)) * kBoundRounding,
                model.boundUs(work.getWork(ends)))
          << toString(plan.kernel);
      ++numJoined;
    }
  };
  forEachPlan(graph, 1, 6, visit);
  EXPECT_GT(numJoined, 100u);
}

/// One resource at a time, against the target's rates.
TEST(BoundsTest, TrafficTakesAsLongAsTheSlowestWay) {
  Target target = llvm::cantFail(getTarget("sm_90a"));
  AnalyticCostModel model(target);
  auto bound = [&](const KernelTraffic &traffic) {
    return model.boundTrafficUs(traffic) - target.launchUs;
  };
  KernelTraffic stores;
  stores.resultBytes = 1e9;
  double memoryUs = 1e9 / target.memoryBytesPerUs;
  EXPECT_GE(bound(stores), memoryUs);
  EXPECT_LE(bound(stores), 1.1 * memoryUs); // a little for L2
  // One block reads everything; two read it at twice the rate of one SM.
  KernelTraffic loads;
  loads.inputs.push_back({/*bytes=*/1e6, /*maxShares=*/1, /*minReaders=*/1,
                          /*leastTileBytes=*/16});
  double oneUs = 1e6 / target.loadBytesPerUsSM;
  EXPECT_NEAR(bound(loads), oneUs, 1e-3 * oneUs);
  loads.inputs[0].maxShares = 2;
  EXPECT_NEAR(bound(loads), oneUs / 2, 1e-3 * oneUs);
  // As many readers as are twice all SMs pass two of its copies each.
  loads.inputs[0].maxShares = 1000;
  loads.inputs[0].minReaders = 2 * double(target.numSMs);
  EXPECT_GE(bound(loads), 2 * oneUs);
  loads.numJoins = 1;
  double joined = bound(loads);
  loads.numJoins = 0;
  EXPECT_GE(joined - bound(loads), getLeastLaunchBarrierUs(target));
  loads.inputs[0].leastTileBytes = double(target.sharedBytesPerBlock) + 1;
  EXPECT_TRUE(std::isinf(bound(loads)));
}
} // namespace
