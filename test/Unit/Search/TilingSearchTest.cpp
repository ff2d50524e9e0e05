//===- TilingSearchTest.cpp - Nothing cheaper is left out -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/TilingSearch.h"
#include "Mirage/Search/Search.h"
#include "Programs.h"
#include "TilingLists.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Every tiling there is, dominated or not, built and estimated.
class BruteForce {
public:
  BruteForce(const TargetProgram &program, const CostModel &model,
             llvm::ArrayRef<KernelPlan> plans)
      : program(program), model(model), plans(plans) {}

  double getLeastUs() { return getLeastUs(0, program.getExtents()); }

private:
  double getLeastUs(size_t number, const llvm::SmallVector<int64_t> &extents) {
    if (number == plans.size())
      return 0;
    const KernelPlan &plan = plans[number];
    double leastUs = kInfinity;
    if (!canBeSplit(plan.kernel.gridNames, plan.kernel.loopName, extents))
      return leastUs;
    // What later kernels take depends on the extents of parts alone.
    std::map<llvm::SmallVector<int64_t>, double> least;
    Tiling tiling;
    tiling.tile.assign(extents.begin(), extents.end());
    llvm::SmallVector<NameId> names =
        llvm::to_vector_of<NameId>(plan.kernel.gridNames);
    if (plan.kernel.loopName != kNoName && !splitsLoopedName(plan.kernel))
      names.push_back(plan.kernel.loopName);
    forEachTiling(plan, extents, names, tiling, [&](const Tiling &sized) {
      llvm::SmallVector<int64_t> own = extents;
      setPartExtents(program, plan, sized, own);
      auto size = model.chooseBlockSize(
          buildTileGraph(program, plan, own, sized), plan.getInputTypes(own),
          plan.getResultTypes(own));
      ++numTried;
      if (!size)
        return;
      auto [entry, isNew] = least.try_emplace(own, size->us);
      entry->second = std::min(entry->second, size->us);
    });
    for (const auto &[own, us] : least)
      leastUs = std::min(leastUs, model.getLaunchUs(plan.position) + us +
                                      getLeastUs(number + 1, own));
    return leastUs;
  }

  template <typename Visit>
  static void forEachTiling(const KernelPlan &plan,
                            llvm::ArrayRef<int64_t> extents,
                            llvm::ArrayRef<NameId> names, Tiling &tiling,
                            const Visit &visit) {
    if (names.empty())
      return visit(tiling);
    NameId name = names.front();
    bool isSplitTwice =
        name == plan.kernel.loopName && splitsLoopedName(plan.kernel);
    for (int64_t tile = isSplitTwice ? kLeastTileSplitTwice : 1;
         tile < extents[name]; ++tile) {
      tiling.tile[name] = tile;
      for (int64_t loop = isSplitTwice ? 2 : 1; loop * tile < extents[name];
           ++loop) {
        if (isSplitTwice)
          tiling.loop = loop;
        forEachTiling(plan, extents, names.drop_front(), tiling, visit);
        if (!isSplitTwice)
          break;
      }
    }
    tiling.tile[name] = extents[name];
  }

  const TargetProgram &program;
  const CostModel &model;
  llvm::ArrayRef<KernelPlan> plans;

public:
  uint64_t numTried = 0;
};

class TilingSearchChecker {
public:
  explicit TilingSearchChecker(llvm::StringRef targetName)
      : target(llvm::cantFail(getTarget(targetName))), model(target) {}

  /// All structures of so many kernels.
  void check(const Graph &graph, unsigned numKernels) {
    SearchOptions options;
    options.target = target.name;
    options.maxKernels = numKernels;
    options.maxOps = options.maxBlockOps = 6;
    options.cutsKernels = options.cutsProgram = false;
    options.judgesCandidates = false;
    options.onStructure = [&](const TargetProgram &program,
                              const Structure &structure) {
      auto plans = planKernels(program, structure);
      if (plans && plans->size() == numKernels)
        check(program, structure, *plans);
    };
    llvm::cantFail(superoptimize(graph, options));
  }

  uint64_t numTried = 0, numFound = 0, numForced = 0;
  unsigned numSizes = 0;

private:
  void check(const TargetProgram &program, const Structure &structure,
             llvm::ArrayRef<KernelPlan> plans) {
    SCOPED_TRACE(toString(structure));
    BruteForce bruteForce(program, model, plans);
    double leastUs = bruteForce.getLeastUs();
    numForced += bruteForce.numTried;
    TilingSearch search(program, model, TileSizeSet::All, /*cuts=*/true);
    auto found = search.findCheapest(plans, kInfinity);
    numTried += search.getNumTried();
    ASSERT_EQ(found.has_value(), std::isfinite(leastUs));
    if (!found)
      return;
    ++numSizes;
    EXPECT_NEAR(found->predictedUs, leastUs, 1e-8 * leastUs);
    EXPECT_LE(search.boundUs(plans), leastUs * (1 + 1e-9));
    checkLimits(program, plans, *found);
    TilingSearch round(program, model, TileSizeSet::Round, /*cuts=*/true);
    auto roundSizes = round.findCheapest(plans, kInfinity);
    if (roundSizes)
      EXPECT_GE(roundSizes->predictedUs, leastUs * (1 - 1e-9));
  }

  /// The same is found under a limit that allows it, and nothing under others.
  void checkLimits(const TargetProgram &program,
                   llvm::ArrayRef<KernelPlan> plans,
                   const TilingSearch::Choice &best) {
    TilingSearch search(program, model, TileSizeSet::All, /*cuts=*/true);
    EXPECT_FALSE(search.findCheapest(plans, 0.999 * best.predictedUs));
    auto found = search.findCheapest(plans, 1.001 * best.predictedUs);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->predictedUs, best.predictedUs);
    for (auto [ours, theirs] : llvm::zip_equal(found->tilings, best.tilings)) {
      EXPECT_EQ(ours.tile, theirs.tile);
      EXPECT_EQ(ours.loop, theirs.loop);
      EXPECT_EQ(ours.threads, theirs.threads);
      EXPECT_EQ(ours.stages, theirs.stages);
    }
  }

  Target target;
  AnalyticCostModel model;
};

TEST(TilingSearch, FindsTheCheapestOfAllTilings) {
  for (llvm::StringRef target : {"sm_90a", "sm_86"}) {
    TilingSearchChecker checker(target);
    checker.check(rmsNormLinear(5, 37, 18), 1);
    checker.check(gatedMlp(3, 33, 40), 1);
    checker.check(attention(2, 5, 34, 16), 1);
    EXPECT_GT(checker.numSizes, 20u);
    EXPECT_GT(checker.numForced, 20 * checker.numTried);
  }
}

/// What is found does not depend on what was asked for before: of other
/// structures, or with limits that allow nothing. Nor does what is counted.
TEST(TilingSearch, EarlierCallsChangeNothing) {
  AnalyticCostModel model(llvm::cantFail(getTarget("sm_90a")));
  unsigned numStructures = 0, numSized = 0;
  std::optional<TilingSearch> all; // of one program
  auto visit = [&](const TargetProgram &program, const Structure &structure,
                   llvm::ArrayRef<KernelPlan> plans) {
    if (++numStructures % 16 != 0)
      return;
    SCOPED_TRACE(toString(structure));
    if (!all)
      all.emplace(program, model, TileSizeSet::Round, /*cuts=*/true);
    TilingSearch once(program, model, TileSizeSet::Round, /*cuts=*/true);
    auto best = once.findCheapest(plans, kInfinity);
    if (!best)
      return;
    ++numSized;
    TilingSearch often(program, model, TileSizeSet::Round, /*cuts=*/true);
    for (double share : {0.7, 0.9, 0.97, 0.999})
      EXPECT_FALSE(often.findCheapest(plans, share * best->predictedUs));
    auto among = all->findCheapest(plans, kInfinity);
    ASSERT_TRUE(among);
    EXPECT_EQ(among->predictedUs, best->predictedUs);
    for (double limitUs : {1.0001 * best->predictedUs, kInfinity}) {
      auto found = often.findCheapest(plans, limitUs);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->predictedUs, best->predictedUs);
    }
    EXPECT_EQ(often.getNumTried(), once.getNumTried());
  };
  for (const Graph &graph :
       {rmsNormLinear(8, 512, 768), attention(2, 40, 300, 32),
        softmaxRows(100, 1000)}) {
    all.reset();
    forEachPlan(graph, 2, 6, visit);
  }
  EXPECT_GT(numSized, 100u);
}

/// Of more boxes and numbers of parts than anybody waits for, some tiling is
/// found all the same.
TEST(TilingSearch, EndsWhereTilingsAreTooMany) {
  ProgramBuilder b;
  ValueId x = b.input({8, int64_t(1) << 33}),
          w = b.input({int64_t(1) << 33, 16});
  Graph graph = b.finish({b.matmul(b.apply(Opcode::Square, {x}), w)});
  Target target = llvm::cantFail(getTarget("sm_90a"));
  AnalyticCostModel model(target);
  unsigned numStructures = 0, numSized = 0;
  auto visit = [&](const TargetProgram &program, const Structure &structure,
                   llvm::ArrayRef<KernelPlan> plans) {
    if (plans.size() < 2 || ++numStructures % 16 != 0)
      return;
    TilingSearch round(program, model, TileSizeSet::Round, /*cuts=*/true);
    TilingSearch search(program, model, TileSizeSet::Aligned, /*cuts=*/true);
    auto found = search.findCheapest(plans, kInfinity);
    // What fits with round sizes fits with these, which are more.
    EXPECT_TRUE(found || !round.findCheapest(plans, kInfinity))
        << toString(structure);
    numSized += found.has_value();
  };
  forEachPlan(graph, 2, 5, visit);
  EXPECT_GT(numSized, 0u);
}

/// Counts boxes.
class CountingCostModel : public AnalyticCostModel {
public:
  using AnalyticCostModel::AnalyticCostModel;
  double boundUs(const KernelWork &work) const override {
    ++numBounded;
    return AnalyticCostModel::boundUs(work);
  }

  mutable uint64_t numBounded = 0;
};

/// Two kernels for a product of squares are given sizes, and not one of them
/// takes a million boxes.
void expectFewBoxes(Shape lhs, Shape rhs, TileSizeSet sizes) {
  ProgramBuilder b;
  ValueId x = b.input(lhs), w = b.input(rhs);
  Graph graph = b.finish({b.matmul(b.apply(Opcode::Square, {x}), w)});
  CountingCostModel model(llvm::cantFail(getTarget("sm_90a")));
  unsigned numStructures = 0, numSized = 0;
  auto visit = [&](const TargetProgram &program, const Structure &structure,
                   llvm::ArrayRef<KernelPlan> plans) {
    if (plans.size() < 2 || ++numStructures % 16 != 0)
      return;
    model.numBounded = 0;
    TilingSearch search(program, model, sizes, /*cuts=*/true);
    numSized += search.findCheapest(plans, kInfinity).has_value();
    EXPECT_LT(model.numBounded, 1000000u) << toString(structure);
  };
  forEachPlan(graph, 2, 5, visit);
  EXPECT_GT(numSized, 0u);
}

/// Once boxes are too many, the next tiling that fits is the last. To go on
/// until no box could have a better one takes some millions.
TEST(TilingSearch, TooManyBoxesEndWithTheNextTiling) {
  expectFewBoxes({4096, 1 << 26}, {1 << 26, 4096}, TileSizeSet::Aligned);
}

/// Numbers of parts come in boxes as well. To find all with the least bounds of
/// 2^33 numbers takes more than a million boxes for one structure.
TEST(TilingSearch, TooManyNumbersOfPartsEndWithTheNextOne) {
  int64_t many = int64_t(1) << 33;
  expectFewBoxes({8, many}, {many, 16}, TileSizeSet::All);
}

/// Whenever the time is out, a kernel that can have sizes gets some: those that
/// were the best so far, or the first that fit from then on.
TEST(TilingSearch, OnceTimeIsOutTheNextTilingThatFitsIsTheLast) {
  Target target = llvm::cantFail(getTarget("sm_90a"));
  AnalyticCostModel model(target);
  unsigned numSized = 0, numWorse = 0;
  auto visit = [&](const TargetProgram &program, const Structure &structure,
                   llvm::ArrayRef<KernelPlan> plans) {
    SCOPED_TRACE(toString(structure));
    TilingSearch whole(program, model, TileSizeSet::All, /*cuts=*/true);
    auto best = whole.findCheapest(plans, kInfinity);
    for (unsigned whenOut : {0, 10, 100}) {
      unsigned numAsked = 0;
      TilingSearch search(program, model, TileSizeSet::All, /*cuts=*/true,
                          [&] { return numAsked++ >= whenOut; });
      auto found = search.findCheapest(plans, kInfinity);
      ASSERT_EQ(found.has_value(), best.has_value());
      if (!found)
        continue;
      ++numSized;
      EXPECT_GE(found->predictedUs, best->predictedUs);
      numWorse += found->predictedUs > best->predictedUs;
    }
  };
  for (const Graph &graph :
       {rmsNormLinear(8, 4096, 6144), softmaxRows(64, 60000)})
    forEachPlan(graph, 1, 6, visit);
  EXPECT_GT(numSized, 20u);
  EXPECT_GT(numWorse, 0u);
}

/// One kernel after the other, as a single search sees them: they share what
/// their tilings have in common and nothing else.
TEST(TilingSearch, KernelsThatDifferShareNoSizes) {
  Target target = llvm::cantFail(getTarget("sm_90a"));
  AnalyticCostModel model(target);
  unsigned numKernels = 0;
  auto visit = [&](const TargetProgram &program, const Structure &structure,
                   llvm::ArrayRef<KernelPlan> plans) {
    TilingSearch both(program, model, TileSizeSet::Round, /*cuts=*/true);
    if (!both.findCheapest(plans, kInfinity))
      return;
    SCOPED_TRACE(toString(structure));
    ++numKernels;
    auto check = [&](llvm::ArrayRef<KernelPlan> others) {
      TilingSearch alone(program, model, TileSizeSet::Round, /*cuts=*/true);
      auto expected = alone.findCheapest(others, kInfinity);
      auto found = both.findCheapest(others, kInfinity);
      ASSERT_TRUE(expected && found);
      EXPECT_EQ(found->predictedUs, expected->predictedUs);
      EXPECT_EQ(both.boundUs(others), alone.boundUs(others));
    };
    KernelPlan later = plans.front(), wider = later;
    later.position = 1;
    check(later);
    for (KernelTensor &input : wider.inputs)
      input.stored.element = ElementType::F32;
    check(wider);
  };
  forEachPlan(rmsNormLinear(8, 512, 768), 1, 6, visit);
  EXPECT_GT(numKernels, 5u);
}

/// What kernels from one on take with the best of all round tilings.
double getLeastRoundUs(const TargetProgram &program, const CostModel &model,
                       llvm::ArrayRef<KernelPlan> plans,
                       llvm::ArrayRef<int64_t> extents) {
  if (plans.empty())
    return 0;
  const KernelPlan &plan = plans.front();
  TileSizes sizes(TileSizeSet::Round);
  std::map<llvm::SmallVector<int64_t>, double> least; // by extents of parts
  for (const Tiling &tiling :
       listTilings(TilingSpace(plan.kernel, extents, sizes))) {
    llvm::SmallVector<int64_t> own(extents);
    setPartExtents(program, plan, tiling, own);
    auto size = model.chooseBlockSize(
        buildTileGraph(program, plan, own, tiling), plan.getInputTypes(own),
        plan.getResultTypes(own));
    if (!size)
      continue;
    auto [entry, isNew] = least.try_emplace(own, size->us);
    entry->second = std::min(entry->second, size->us);
  }
  double leastUs = kInfinity;
  for (const auto &[own, us] : least)
    leastUs = std::min(
        leastUs, model.getLaunchUs(plan.position) + us +
                     getLeastRoundUs(program, model, plans.drop_front(), own));
  return leastUs;
}

/// The more parts of its sums the first kernel leaves, the less it takes
/// itself, and the more the second one takes, which adds them up.
TEST(TilingSearch, PartsAreAsManyAsSuitBothKernels) {
  ProgramBuilder b;
  ValueId square = b.apply(Opcode::Square, {b.input({4096, 256})});
  Graph graph = b.finish({b.reduce(Opcode::Sum, square, 0)});
  AnalyticCostModel model(llvm::cantFail(getTarget("sm_90a")));
  unsigned numWithParts = 0;
  auto visit = [&](const TargetProgram &program, const Structure &structure,
                   llvm::ArrayRef<KernelPlan> plans) {
    if (plans.size() < 2)
      return;
    TilingSearch search(program, model, TileSizeSet::Round, /*cuts=*/true);
    auto found = search.findCheapest(plans, kInfinity);
    double leastUs =
        getLeastRoundUs(program, model, plans, program.getExtents());
    ASSERT_EQ(found.has_value(), std::isfinite(leastUs));
    if (!found)
      return;
    EXPECT_NEAR(found->predictedUs, leastUs, 1e-8 * leastUs)
        << toString(structure);
    llvm::SmallVector<int64_t> extents = program.getExtents();
    setPartExtents(program, plans.front(), found->tilings.front(), extents);
    numWithParts += extents != program.getExtents();
  };
  forEachPlan(graph, 2, 5, visit);
  EXPECT_GT(numWithParts, 0u);
}

/// Where memory is what a kernel waits for, it matters how fast short rows are
/// loaded: no round size may be dominated by one that is loaded more slowly.
TEST(TilingSearch, AllSizesTakeNoMoreWhereMemoryIsSlow) {
  AnalyticCostModel model(llvm::cantFail(getTarget("sm_89")));
  unsigned numSized = 0;
  auto visit = [&](const TargetProgram &program, const Structure &structure,
                   llvm::ArrayRef<KernelPlan> plans) {
    TilingSearch round(program, model, TileSizeSet::Round, /*cuts=*/true);
    TilingSearch all(program, model, TileSizeSet::All, /*cuts=*/true);
    auto least = round.findCheapest(plans, kInfinity);
    if (!least)
      return;
    ++numSized;
    auto found = all.findCheapest(plans, kInfinity);
    ASSERT_TRUE(found) << toString(structure);
    EXPECT_LE(found->predictedUs, least->predictedUs * (1 + 1e-9))
        << toString(structure);
  };
  ProgramBuilder b;
  ValueId x = b.input({66, 4096, 64});
  ValueId centred = b.apply(Opcode::Sub, {x, b.reduce(Opcode::Mean, x, 1)});
  ValueId square = b.apply(Opcode::Square, {centred});
  forEachPlan(b.finish({b.reduce(Opcode::Mean, square, 1)}), 1, 6, visit);
  EXPECT_GT(numSized, 0u);
}

/// Of tensors that are as large as any, some tilings have more blocks than can
/// be launched, or leave more parts than a tensor may have elements.
TEST(TilingSearch, GridsCanBeLaunchedAndResultsStored) {
  AnalyticCostModel model(llvm::cantFail(getTarget("sm_90a")));
  unsigned numSized = 0;
  auto visit = [&](const TargetProgram &program, const Structure &structure,
                   llvm::ArrayRef<KernelPlan> plans) {
    TilingSearch search(program, model, TileSizeSet::Round, /*cuts=*/true);
    auto found = search.findCheapest(plans, kInfinity);
    if (!found)
      return;
    ++numSized;
    llvm::SmallVector<int64_t> extents = program.getExtents();
    for (auto [plan, tiling] : llvm::zip_equal(plans, found->tilings)) {
      setPartExtents(program, plan, tiling, extents);
      auto grid = getGrid(plan.kernel, extents, tiling);
      for (auto [axis, blocks] : llvm::enumerate(grid))
        EXPECT_LE(blocks, kMaxGridExtents[axis]) << toString(structure);
    }
    Graph graph = buildGraph(program, structure, plans, program.getExtents(),
                             found->tilings);
    EXPECT_FALSE(bool(verify(graph))) << toString(structure);
  };
  ProgramBuilder b;
  constexpr int64_t kSize = 1 << 20;
  ValueId x = b.input({kSize, kSize}), w = b.input({kSize, kSize});
  forEachPlan(b.finish({b.matmul(b.apply(Opcode::Square, {x}), w)}), 2, 4,
              visit);
  EXPECT_GT(numSized, 0u);
}

TEST(TilingSearch, FindsTheCheapestOfSeveralKernels) {
  TilingSearchChecker checker("sm_90a");
  checker.check(rmsNormLinear(3, 19, 17), 2);
  checker.check(attention(2, 3, 18, 7), 2);
  EXPECT_GT(checker.numSizes, 20u);
  EXPECT_GT(checker.numForced, 2 * checker.numTried); // most are cut
}
} // namespace
