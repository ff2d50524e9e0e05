//===- MutantsTest.cpp - Almost equal graphs are told apart ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutants.h"
#include "DoubleArithmetic.h"
#include "Programs.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

/// Judges every mutant of `fused` against `program`. Those that differ in
/// float64 must not be Equal; those that do not must not be Different. \returns
/// how many were rejected.
static unsigned judgeMutants(const Graph &program, const Graph &fused) {
  VerifyOptions options;
  options.findWitness = findWitness;
  options.maxTowers = 16;
  unsigned rejected = 0, equal = 0, unknown = 0;
  for (const Mutant &mutant : makeMutants(fused)) {
    llvm::Expected<Verdict> verdict =
        verifyEqual(program, mutant.graph, options);
    if (!verdict) {
      ADD_FAILURE() << llvm::toString(verdict.takeError());
      continue;
    }
    bool differs = findDifference(program, mutant.graph).has_value();
    if (!differs) {
      EXPECT_NE(verdict->kind, Verdict::Different) << mutant.what;
      (verdict->kind == Verdict::Equal ? equal : unknown) += 1;
      continue;
    }
    ++rejected;
    EXPECT_NE(verdict->kind, Verdict::Equal) << mutant.what << "\n"
                                             << toString(mutant.graph);
    if (verdict->kind == Verdict::Unknown)
      std::printf("  %s: unknown: %s\n", mutant.what.c_str(),
                  verdict->reason.c_str());
  }
  std::printf("  %u mutants that differ, all rejected; %u equal, %u unknown\n",
              rejected, equal, unknown);
  return rejected;
}

TEST(Mutants, RmsNormLinear) {
  unsigned rejected = 0;
  rejected += judgeMutants(rmsLinear(2, 6, 4), rmsLinearFused(2, 6, 4, 3, 2));
  rejected += judgeMutants(rmsLinear(3, 7, 5), rmsLinearFused(3, 7, 5, 3, 2));
  rejected += judgeMutants(rmsLinear(4, 4, 4), rmsLinear(4, 4, 4));
  EXPECT_GE(rejected, 20u);
}
TEST(Mutants, GatedMlp) {
  unsigned rejected = 0;
  rejected += judgeMutants(gatedMlp(2, 6, 4), gatedMlpFused(2, 6, 4, 2, 2));
  rejected += judgeMutants(gatedMlp(3, 5, 7), gatedMlpFused(3, 5, 7, 2, 3));
  EXPECT_GE(rejected, 20u);
}
TEST(Mutants, Softmax) {
  unsigned rejected = 0;
  rejected += judgeMutants(softmax(5, 3, false), softmaxFused(5, 3, 2));
  rejected += judgeMutants(softmax(3, 4, true), softmax(3, 4, true));
  EXPECT_GE(rejected, 20u);
}
TEST(Mutants, Lora) {
  unsigned rejected = 0;
  rejected += judgeMutants(lora(2, 6, 4, 3), loraFused(2, 6, 4, 3, 2, 2));
  rejected += judgeMutants(lora(3, 5, 7, 2), loraFused(3, 5, 7, 2, 2, 3));
  EXPECT_GE(rejected, 20u);
}
TEST(Mutants, Attention) {
  unsigned rejected = 0;
  rejected +=
      judgeMutants(attention(2, 5, 3, false), attentionFused(2, 5, 3, 2));
  rejected +=
      judgeMutants(attention(2, 9, 3, false), attentionFused(2, 9, 3, 2, 2));
  EXPECT_GE(rejected, 20u);
}
TEST(Mutants, RootsInsideExponents) {
  unsigned rejected = 0;
  rejected += judgeMutants(qkNorm(2, 3, 2), qkNormLate(2, 3, 2));
  EXPECT_GE(rejected, 20u);
}
