//===- SearchLimitsTest.cpp - What limits on a search leave out -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Search.h"
#include "Programs.h"
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
  options.maxOps = 3;
  EXPECT_EQ(getLimitsHit(graph, options), (Names{"max-ops", "max-kernels"}));
  options.maxOps = 4;
  EXPECT_EQ(getLimitsHit(graph, options), Names{"max-kernels"});
  options.maxStates = 20;
  EXPECT_EQ(getLimitsHit(graph, options).back(), "max-states");
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
