//===- MutantsTest.cpp - Almost equal graphs are told apart ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutants.h"
#include "../TestSizes.h"
#include "DoubleArithmetic.h"
#include "Mirage/Verify/ExactProof.h"
#include "Programs.h"
#include "gtest/gtest.h"
#include <map>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

/// That what is not negative equals its positive part is a law of the order,
/// which fields do not have.
static bool needsAnOrder(const Mutant &mutant) {
  return mutant.mutation == "negative numbers cut off";
}

/// Of maxima of many values inside exponents no number of trials proves
/// anything; the exact mode has to.
static bool isLeftToExactMode(const Verdict &verdict) {
  return verdict.kind == Verdict::Unknown &&
         llvm::StringRef(verdict.reason)
             .contains("inside an exponent picks but once in a batch");
}

/// Judges mutants of `fused` against `program`, every third at CI sizes: all
/// must get the verdict they deserve, and exact proofs are of what is Equal.
/// \returns how many are Different.
static unsigned judgeMutants(const Graph &program, const Graph &fused) {
  VerifyOptions options;
  options.findWitness = findWitness;
  options.maxTowers = 16;
  std::map<Verdict::Kind, unsigned> counts;
  unsigned numProved = 0;
  for (const auto &[number, mutant] : llvm::enumerate(makeMutants(fused))) {
    if (!isFullSize() && number % 3 != 0)
      continue;
    llvm::Expected<Verdict> verdict =
        verifyEqual(program, mutant.graph, options);
    if (!verdict) {
      ADD_FAILURE() << llvm::toString(verdict.takeError());
      continue;
    }
    Verdict::Kind expected = getExpectedVerdict(program, mutant.graph);
    if (expected == Verdict::Equal && needsAnOrder(mutant))
      continue;
    if (expected != Verdict::Equal || !isLeftToExactMode(*verdict))
      EXPECT_EQ(getVerdictName(verdict->kind), getVerdictName(expected))
          << mutant.mutation.str() << ": " << verdict->reason << "\n"
          << toString(mutant.graph);
    ++counts[verdict->kind];
    ExactProof proof = proveEqual(program, mutant.graph);
    numProved += proof.outcome == ExactProof::Proved;
    if (expected != Verdict::Unknown)
      EXPECT_EQ(proof.outcome == ExactProof::Proved, expected == Verdict::Equal)
          << mutant.mutation.str() << ": " << proof.reason << "\n"
          << toString(mutant.graph);
  }
  std::printf("  %u mutants different, %u equal, %u unknown; %u proved equal\n",
              counts[Verdict::Different], counts[Verdict::Equal],
              counts[Verdict::Unknown], numProved);
  return counts[Verdict::Different];
}

TEST(Mutants, RmsNormLinear) {
  unsigned different = 0;
  different += judgeMutants(rmsLinear(2, 6, 4), rmsLinearFused(2, 6, 4, 3, 2));
  different += judgeMutants(rmsLinear(3, 7, 5), rmsLinearFused(3, 7, 5, 3, 2));
  different += judgeMutants(rmsLinear(4, 4, 4), rmsLinear(4, 4, 4));
  EXPECT_GE(different, 20u);
}
TEST(Mutants, GatedMlp) {
  unsigned different = 0;
  different += judgeMutants(gatedMlp(2, 6, 4), gatedMlpFused(2, 6, 4, 2, 2));
  different += judgeMutants(gatedMlp(3, 5, 7), gatedMlpFused(3, 5, 7, 2, 3));
  EXPECT_GE(different, 20u);
}
TEST(Mutants, Softmax) {
  unsigned different = 0;
  different += judgeMutants(softmax(5, 3, false), softmaxFused(5, 3, 2));
  different += judgeMutants(softmax(3, 4, true), softmax(3, 4, true));
  EXPECT_GE(different, 20u);
}
TEST(Mutants, Lora) {
  unsigned different = 0;
  different += judgeMutants(lora(2, 6, 4, 3), loraFused(2, 6, 4, 3, 2, 2));
  different += judgeMutants(lora(3, 5, 7, 2), loraFused(3, 5, 7, 2, 2, 3));
  EXPECT_GE(different, 20u);
}
TEST(Mutants, Attention) {
  unsigned different = 0;
  different +=
      judgeMutants(attention(2, 5, 3, false), attentionFused(2, 5, 3, 2));
  different +=
      judgeMutants(attention(2, 9, 3, false), attentionFused(2, 9, 3, 2, 2));
  EXPECT_GE(different, 20u);
}
TEST(Mutants, RootsInsideExponents) {
  unsigned different = 0;
  different += judgeMutants(qkNorm(2, 3, 2), qkNormLate(2, 3, 2));
  EXPECT_GE(different, 20u);
}
