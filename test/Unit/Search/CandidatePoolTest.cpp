//===- CandidatePoolTest.cpp - The cheapest structures --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CandidatePool.h"
#include "Programs.h"
#include "TilingLists.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {
/// All structures, by ascending cost.
std::vector<Candidate> rankAll(const TargetProgram &program) {
  SearchOptions options;
  options.numCandidates = 100000;
  options.maxBlockOps = 6;
  options.maxKernels = 1;
  options.tileSizes = TileSizeChoice::Round;
  options.cutsKernels = options.cutsInstances = false;
  options.judgesCandidates = options.cutsProgram = false;
  return llvm::cantFail(superoptimize(program.graph, options)).candidates;
}

class CandidatePoolTest : public testing::Test {
protected:
  explicit CandidatePoolTest(const Graph &graph = lora(16, 256, 16, 200))
      : target(llvm::cantFail(getTarget("sm_90a"))), model(target),
        program(llvm::cantFail(makeTargetProgram(graph))),
        ranked(rankAll(program)) {}

  CandidatePool makePool(unsigned numCandidates,
                         TileSizeChoice sizes = TileSizeChoice::Round) {
    CandidatePool::Limits limits;
    limits.numCandidates = limits.numKept = numCandidates;
    limits.tileSizes = sizes;
    return CandidatePool(program, model, limits);
  }
  /// As batches of one, so that each has the limit that those before it left.
  void add(CandidatePool &pool, size_t rank) {
    pool.add(ranked[rank].structure);
    pool.sizeBatch();
  }

  Target target;
  AnalyticCostModel model;
  TargetProgram program;
  std::vector<Candidate> ranked;
};

/// 28672 columns are 256 tiles of 112, two for nearly each SM. Of 8-bit floats:
/// tiles of f16 with so many columns are none that the copy engine loads.
class RefinedPoolTest : public CandidatePoolTest {
protected:
  RefinedPoolTest()
      : CandidatePoolTest(lora(8, 4096, 16, 28672, ElementType::F8E4M3FN)) {}
};

/// No size is worse than a round one, and what is refined is better by enough.
TEST_F(RefinedPoolTest, MoreSizesTakeNoMore) {
  auto size = [&](const Structure &structure, TileSizeChoice sizes) {
    CandidatePool pool = makePool(1, sizes);
    pool.add(structure);
    pool.sizeBatch();
    return pool.takeRanked().front().predictedUs;
  };
  unsigned numRefined = 0;
  for (size_t rank = 0; rank < ranked.size(); rank += 1 + ranked.size() / 32) {
    const Candidate &candidate = ranked[rank];
    double refinedUs = size(candidate.structure, TileSizeChoice::Refined);
    double leastUs = size(candidate.structure, TileSizeChoice::All);
    EXPECT_EQ(size(candidate.structure, TileSizeChoice::Round),
              candidate.predictedUs);
    EXPECT_LE(leastUs, refinedUs);
    if (refinedUs == candidate.predictedUs)
      continue;
    EXPECT_LE(refinedUs, 0.98 * candidate.predictedUs);
    ++numRefined;
  }
  EXPECT_GT(numRefined, 0u);
}

/// A structure's predicted time, by its text.
using Times = std::map<std::string, double>;

/// Numbers of parts of which no later kernel fits any tile are more than are
/// tried: what round sizes have is there all the same.
TEST(CandidatePoolOfAllSizes, IsNoWorseThanOfRoundOnes) {
  AnalyticCostModel model(llvm::cantFail(getTarget("sm_90a")));
  CandidatePool::Limits limits;
  limits.cuts = false;
  std::optional<CandidatePool> round, all;
  auto visit = [&](const TargetProgram &program, const Structure &structure,
                   llvm::ArrayRef<KernelPlan>) {
    if (!round) {
      limits.tileSizes = TileSizeChoice::Round;
      round.emplace(program, model, limits);
      limits.tileSizes = TileSizeChoice::All;
      all.emplace(program, model, limits);
    }
    for (CandidatePool *pool : {&*round, &*all}) {
      pool->add(structure);
      pool->sizeBatch();
    }
  };
  ProgramBuilder b;
  ValueId x = b.input({8, 32768}), w = b.input({32768, 512});
  forEachPlan(b.finish({b.matmul(b.apply(Opcode::Square, {x}), w)}), 2, 5,
              visit);
  auto take = [](CandidatePool &pool) {
    Times times;
    for (const Candidate &candidate : pool.takeRanked())
      times[toString(candidate.structure)] = candidate.predictedUs;
    return times;
  };
  Times roundTimes = take(*round), allTimes = take(*all);
  EXPECT_GT(roundTimes.size(), 10u);
  for (const auto &[structure, us] : roundTimes) {
    ASSERT_TRUE(allTimes.count(structure)) << structure;
    EXPECT_LE(allTimes[structure], us) << structure;
  }
}

/// Some get ahead of others with it.
TEST_F(RefinedPoolTest, WhatIsRefinedIsRankedAgain) {
  CandidatePool round = makePool(16),
                refined = makePool(16, TileSizeChoice::Refined);
  for (CandidatePool *pool : {&round, &refined}) {
    for (const Candidate &candidate : ranked)
      pool->add(candidate.structure);
    while (!pool->isEmpty())
      pool->sizeBatch();
  }
  std::vector<Candidate> before = round.takeRanked(),
                         after = refined.takeRanked();
  auto isCheaper = [](const Candidate &a, const Candidate &b) {
    return a.predictedUs < b.predictedUs;
  };
  EXPECT_TRUE(llvm::is_sorted(before, isCheaper));
  EXPECT_TRUE(llvm::is_sorted(after, isCheaper));
  EXPECT_LT(after.front().predictedUs, before.front().predictedUs);
}

/// The last of those that are asked for comes last, after as many others as
/// make a limit.
TEST_F(CandidatePoolTest, TheLimitLetsTheLastOfTheBestPass) {
  for (unsigned asked : {1u, 2u, 3u, 8u, 16u}) {
    ASSERT_GT(ranked.size(), asked + 1);
    // Of equal ones either may be kept.
    if (ranked[asked - 1].predictedUs == ranked[asked].predictedUs)
      continue;
    CandidatePool pool = makePool(asked);
    for (size_t rank = 0; rank + 1 < asked; ++rank)
      add(pool, rank);
    add(pool, asked);
    EXPECT_EQ(pool.getLimitUs(), ranked[asked].predictedUs);
    add(pool, asked - 1);
    EXPECT_EQ(pool.getLimitUs(), ranked[asked - 1].predictedUs);
    std::vector<Candidate> kept = pool.takeRanked();
    ASSERT_GE(kept.size(), asked);
    for (size_t rank = 0; rank < asked; ++rank)
      EXPECT_EQ(kept[rank].predictedUs, ranked[rank].predictedUs) << asked;
  }
}

/// Until there are as many as are asked for, anything may be among them.
TEST_F(CandidatePoolTest, ThereIsNoLimitBeforeThereAreEnough) {
  CandidatePool pool = makePool(3);
  for (size_t rank : {1, 0}) {
    add(pool, rank);
    EXPECT_TRUE(std::isinf(pool.getLimitUs()));
  }
  add(pool, ranked.size() - 1);
  EXPECT_EQ(pool.getLimitUs(), ranked.back().predictedUs);
  EXPECT_EQ(pool.getBestUs(), ranked.front().predictedUs);
}
} // namespace
