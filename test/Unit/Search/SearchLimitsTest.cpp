//===- SearchLimitsTest.cpp - What limits on a search leave out -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Explorer.h"
#include "Mirage/Search/Search.h"
#include "Programs.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {

SearchResult run(const Graph &graph, const SearchOptions &options) {
  return llvm::cantFail(superoptimize(graph, options));
}

TEST(SearchLimitsTest, LimitsEndTheSearchWithWhatWasFound) {
  SearchOptions options;
  options.maxStates = 3000;
  options.maxKernels = 1;
  SearchResult result = run(rmsNormLinear(8, 128, 96), options);
  EXPECT_EQ(result.stopReason, StopReason::StateLimit);
  EXPECT_LE(result.report.counts.states, options.maxStates);
  EXPECT_FALSE(result.candidates.empty());
  auto &rounds = result.report.rounds;
  ASSERT_GT(rounds.size(), 1u);
  EXPECT_TRUE(rounds.front().isComplete);
  EXPECT_FALSE(rounds.back().isComplete);
}

std::vector<std::string> getLimitsHit(const Graph &graph,
                                      const SearchOptions &options) {
  std::vector<std::string> names;
  for (const llvm::json::Value &name : listLimitsHit(run(graph, options)))
    names.push_back(name.getAsString()->str());
  return names;
}

/// Where a limit keeps something out, one more brings states: the last round
/// has more than the one before, which went over the same beginnings.
TEST(SearchLimitsTest, LimitsThatKeepSomethingOutAreNamed) {
  using Names = std::vector<std::string>;
  Graph graph = expMatmul(8, 100, 70);
  SearchOptions options;
  options.cutsKernels = false;
  options.maxKernels = 1;
  auto countStates = [&] {
    return run(graph, options).report.rounds.back().counts.states;
  };
  // No structure of exp(X·W) in one kernel has more than four operators.
  for (unsigned maxBlockOps = 1; maxBlockOps <= 6; ++maxBlockOps) {
    options.maxBlockOps = maxBlockOps;
    uint64_t states = countStates();
    Names expected = {"max-block-ops", "max-kernels"};
    EXPECT_EQ(getLimitsHit(graph, options),
              maxBlockOps < 4 ? expected : Names{"max-kernels"});
    ++options.maxBlockOps;
    EXPECT_EQ(countStates() > states, maxBlockOps < 4) << maxBlockOps;
  }
  options.maxGridAxes = 1;
  EXPECT_EQ(getLimitsHit(graph, options),
            (Names{"max-kernels", "max-grid-axes"}));
  options = {};
  options.cutsKernels = false;
  options.maxOps = 4;
  EXPECT_EQ(getLimitsHit(graph, options), (Names{"max-ops", "max-kernels"}));
  options.maxOps = 5;
  EXPECT_EQ(getLimitsHit(graph, options), Names{"max-kernels"});
  options.maxStates = 20;
  EXPECT_EQ(getLimitsHit(graph, options).back(), "max-states");
}

/// Functions of one another: eight operators, and no other way.
Graph chainOfFunctions() {
  ProgramBuilder b;
  ValueId x = b.input({64, 64});
  for (Opcode opcode :
       {Opcode::Exp, Opcode::Tanh, Opcode::Gelu, Opcode::Log, Opcode::Silu,
        Opcode::Sigmoid, Opcode::Exp2, Opcode::GeluTanh})
    x = b.apply(opcode, {x});
  return b.finish({x});
}

/// Eight operators are more than the six of two kernels, whatever there may be
/// in one: nothing is begun.
TEST(SearchLimitsTest, OperatorsOfLaterKernelsAreNamedByTheirOwnLimit) {
  using Names = std::vector<std::string>;
  SearchOptions options;
  options.cutsKernels = options.cutsProgram = false;
  options.maxBlockOps = 4;
  options.maxOps = 6;
  EXPECT_EQ(getLimitsHit(chainOfFunctions(), options),
            (Names{"max-block-ops", "max-ops"}));
  options.maxOps = 12;
  EXPECT_EQ(getLimitsHit(chainOfFunctions(), options),
            (Names{"max-block-ops", "max-kernels"}));
  EXPECT_GT(run(chainOfFunctions(), options).report.structures, 0u);
}

TEST(SearchLimitsTest, WhatCannotBeRaisedIsNotNamed) {
  SearchOptions options;
  options.maxKernels = kMaxKernels;
  options.maxBlockOps = 1;
  std::vector<std::string> names = getLimitsHit(expMatmul(8, 100, 70), options);
  EXPECT_EQ(names, std::vector<std::string>{"max-block-ops"});
}

struct Walk {
  SpaceLimits limitsHit;
  uint64_t states = 0;
  Explorer::Stop stop;
};

Walk walk(const Graph &graph, const ExplorationLimits &limits) {
  TargetProgram program = llvm::cantFail(makeTargetProgram(graph));
  Explorer explorer(program, AtomReading::Function, limits);
  Walk result;
  result.stop = explorer.run([](const Structure &, double) { return true; });
  result.limitsHit = explorer.getLimitsHit();
  for (const SearchRound &round : explorer.getRounds())
    result.states += round.counts.states;
  return result;
}

/// A limit on costs may leave something to enumerate and nothing that another
/// limit keeps out: a third axis joins blocks, another kernel is another
/// launch.
TEST(SearchLimitsTest, WhatCostsTooMuchIsKeptOutByNoOtherLimit) {
  AnalyticCostModel model(llvm::cantFail(getTarget("sm_90a")));
  ExplorationLimits limits;
  limits.maxOps = limits.maxBlockOps = 4;
  limits.maxGridAxes = 2;
  limits.joins.inKernel = true;
  limits.maxStates = 1000000;
  limits.costModel = &model;
  double limitUs = 0;
  limits.getLimitUs = [&] { return limitUs; };
  for (SpaceLimit limit : {SpaceLimit::Kernels, SpaceLimit::GridAxes}) {
    bool isNamed = false, isNot = false;
    for (limitUs = 1; limitUs < 20; limitUs *= 1.02) {
      Walk some = walk(expMatmul(8, 4096, 64), limits);
      if (some.states == 0)
        continue;
      bool isHit = some.limitsHit.has(limit);
      EXPECT_TRUE(isHit || !isNamed) << "named where less was affordable";
      isNamed |= isHit;
      isNot |= !isHit;
    }
    EXPECT_TRUE(isNamed && isNot) << getOption(limit).name.str();
  }
}

/// x0 + x1 + ..
Graph sumOf(unsigned numInputs) {
  ProgramBuilder b;
  std::vector<ValueId> inputs;
  for (unsigned i = 0; i < numInputs; ++i)
    inputs.push_back(b.input({64, 64}));
  ValueId sum = inputs.front();
  for (ValueId input : llvm::drop_begin(inputs))
    sum = b.apply(Opcode::Add, {sum, input});
  return b.finish({sum});
}

/// x / sqrt(mean x²) · v, stored as f16, for a library to multiply by W.
Graph normOfWeightThenLinear(int64_t m, int64_t k, int64_t n) {
  ProgramBuilder b;
  ValueId x = b.input({m, k}), v = b.input({1, k}), w = b.input({k, n});
  ValueId mean = b.reduce(Opcode::Mean, b.apply(Opcode::Square, {x}), 1);
  ValueId normed = b.apply(Opcode::Div, {x, b.apply(Opcode::Sqrt, {mean})});
  ValueId weighted =
      b.graph.add(Opcode::Mul, {normed, v}, {Shape{m, k}, ElementType::F16});
  return b.finish({b.matmul(weighted, w)});
}

/// The whole is exhausted but for outer products; parts are not.
TEST(SearchLimitsTest, ALimitThatStopsPartsIsNamedWhateverStopsTheWhole) {
  SearchOptions options;
  options.libraryKernels = LibraryKernels::Always;
  options.maxKernels = 1;
  options.maxBlockOps = 6;
  options.maxStates = 40000;
  Graph program = normOfWeightThenLinear(8, 64, 48);
  SearchResult result = run(program, options);
  EXPECT_GT(result.report.parts, 0u);
  EXPECT_GT(result.report.counts.pruned[unsigned(PruneReason::OuterProduct)],
            0u);
  EXPECT_EQ(result.stopReason, StopReason::StateLimit);
  options.cutsProgram = false;
  EXPECT_EQ(run(program, options).stopReason, StopReason::OuterProducts);
}

TEST(SearchLimitsTest, TooManyChoicesOfInputsEndTheWalk) {
  ExplorationLimits limits;
  limits.minKernels = limits.maxKernels = 2;
  limits.maxBlockOps = 4;
  limits.maxOps = 12;
  limits.maxStates = 10000;
  limits.maxReads = 100;
  Walk some = walk(sumOf(10), limits);
  EXPECT_EQ(some.stop, Explorer::Stop::TooManyReads);
  limits.maxReads = 10000;
  EXPECT_NE(walk(sumOf(10), limits).stop, Explorer::Stop::TooManyReads);
}

/// Twelve operators do not join 26 tensors, whichever of the 2^26 sets of them
/// a first kernel reads.
TEST(SearchLimitsTest, InputsThatNoKernelsCanJoinAreNotTriedInSets) {
  SearchOptions options;
  options.cutsProgram = false;
  SearchResult result = run(sumOf(26), options);
  EXPECT_EQ(result.stopReason, StopReason::NothingToSearch);
  EXPECT_TRUE(result.report.limits.has(SpaceLimit::Ops));
  EXPECT_EQ(result.report.counts, EnumerationCounts());
}

TEST(SearchLimitsTest, LimitsThatLeaveNothingAreToldFromAnEmptySearch) {
  SearchOptions options;
  options.maxKernels = options.maxBlockOps = 1;
  SearchResult nothing = run(expMatmul(8, 100, 70), options);
  EXPECT_EQ(nothing.stopReason, StopReason::NothingToSearch);
  EXPECT_EQ(nothing.report.counts.states, 0u);
  // Three inputs are more than one operator reads.
  SearchResult wide = run(gatedMlp(8, 64, 48), options);
  EXPECT_EQ(wide.stopReason, StopReason::NothingToSearch);
  EXPECT_TRUE(wide.report.limits.has(SpaceLimit::BlockOps));
  options.maxBlockOps = 2;
  SearchResult some = run(expMatmul(8, 100, 70), options);
  EXPECT_EQ(some.stopReason, StopReason::Exhausted);
  // The functions written out are too large a form to be searched at all.
  options.cutsProgram = false;
  options.maxBlockOps = 3;
  EXPECT_EQ(run(chainOfFunctions(), options).stopReason,
            StopReason::NothingToSearch);
  options.maxBlockOps = 8;
  EXPECT_EQ(run(chainOfFunctions(), options).stopReason,
            StopReason::ProgramTooLarge);
}

TEST(SearchLimitsTest, LoweredLimitsAreToldFromThoseByDefault) {
  SpaceLimits all;
  for (unsigned limit = 0; limit != kNumSpaceLimits; ++limit)
    all.add(SpaceLimit(limit));
  SearchOptions options;
  EXPECT_TRUE(onlyLowered(all, options).list().empty());
  options.maxKernels = 3; // more than by default
  options.maxBlockOps = 4;
  options.maxGridAxes = 0;
  EXPECT_EQ(describe(onlyLowered(all, options), options),
            "max-block-ops=4 max-grid-axes=0");
  SpaceLimits kernels;
  kernels.add(SpaceLimit::Kernels);
  EXPECT_EQ(describe(onlyLowered(kernels, options), options), "");
}

/// Ten rounds of x <- (x + y) * x have too many terms when multiplied out.
TEST(SearchLimitsTest, AProgramThatIsTooLargeIsReportedAsSuch) {
  ProgramBuilder b;
  ValueId x = b.input({8, 16}), y = b.input({8, 16});
  for (unsigned round = 0; round < 10; ++round)
    x = b.apply(Opcode::Mul, {b.apply(Opcode::Add, {x, y}), x});
  SearchOptions options;
  options.cutsProgram = false;
  SearchResult result = run(b.finish({x}), options);
  EXPECT_EQ(result.stopReason, StopReason::ProgramTooLarge);
  EXPECT_TRUE(result.candidates.empty());
  EXPECT_TRUE(result.report.rounds.empty());
}

} // namespace
