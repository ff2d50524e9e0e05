//===- CandidatePoolTest.cpp - The cheapest structures --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CandidatePool.h"
#include "Programs.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {
class CandidatePoolTest : public testing::Test {
protected:
  CandidatePoolTest()
      : target(llvm::cantFail(getTarget("sm_90a"))), model(target),
        program(llvm::cantFail(makeTargetProgram(lora(16, 256, 16, 200)))) {
    // All structures, by ascending cost.
    SearchOptions options;
    options.numCandidates = 100000;
    options.maxBlockOps = 6;
    options.maxKernels = 1;
    options.cutsKernels = options.cutsInstances = false;
    options.judgesCandidates = options.cutsProgram = false;
    ranked = llvm::cantFail(superoptimize(program.graph, options)).candidates;
  }

  CandidatePool makePool(unsigned numCandidates) {
    CandidatePool::Limits limits;
    limits.numCandidates = numCandidates;
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
