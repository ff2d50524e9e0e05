//===- CandidateFilterTest.cpp - Quick tests of many candidates -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Verify/CandidateFilter.h"
#include "Mutants.h"
#include "Programs.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;
using Answer = CandidateFilter::Answer;

static void expectFiltered(const Graph &program, const Graph &fused) {
  CandidateFilter filter =
      llvm::cantFail(CandidateFilter::create(program, hashToSeed("filter")));
  EXPECT_EQ(filter.test(program), Answer::Agrees);
  EXPECT_EQ(filter.test(fused), Answer::Agrees);
  for (const Mutant &mutant : makeMutants(fused))
    if (getExpectedVerdict(program, mutant.graph) == Verdict::Different)
      EXPECT_NE(filter.test(mutant.graph), Answer::Agrees)
          << mutant.mutation.str();
}

TEST(CandidateFilter, KeepsEqualAndDropsDifferentCandidates) {
  expectFiltered(rmsLinear(3, 7, 5), rmsLinearFused(3, 7, 5, 3, 2));
  expectFiltered(gatedMlp(3, 5, 7), gatedMlpFused(3, 5, 7, 2, 3));
  expectFiltered(softmax(5, 3, false), softmaxFused(5, 3, 2));
  expectFiltered(attention(2, 9, 3, false), attentionFused(2, 9, 3, 2, 2));
}

TEST(CandidateFilter, DeeperExponentialsAreUndecided) {
  Graph program = softmax(2, 3, false);
  CandidateFilter filter =
      llvm::cantFail(CandidateFilter::create(program, Seed{}));
  Graph deep;
  Builder b(deep);
  b.output(b.op(Opcode::Exp, {b.op(Opcode::Exp, {b.input({2, 3})})}));
  EXPECT_EQ(filter.test(deep), Answer::Undecided);
}
