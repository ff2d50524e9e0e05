//===- VerifyTest.cpp - Verdicts on pairs of graphs -----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Verify/Verify.h"
#include "Mirage/Graph/DefaultTileGraph.h"
#include "Programs.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

static Verdict judge(const Graph &lhs, const Graph &rhs,
                     VerifyOptions options = {}) {
  for (const Graph *graph : {&lhs, &rhs})
    if (llvm::Error error = verify(*graph)) {
      ADD_FAILURE() << llvm::toString(std::move(error)) << toString(*graph);
      return {};
    }
  llvm::Expected<Verdict> verdict = verifyEqual(lhs, rhs, options);
  if (!verdict) {
    ADD_FAILURE() << llvm::toString(verdict.takeError());
    return {};
  }
  return *verdict;
}

/// Equal, and proved to 2^-64.
static void expectProved(const Graph &lhs, const Graph &rhs) {
  Verdict verdict = judge(lhs, rhs);
  EXPECT_EQ(verdict.kind, Verdict::Equal) << verdict.reason;
  EXPECT_LE(verdict.bound.provedLog2, -64);
  EXPECT_LE(verdict.bound.conjecturedLog2, verdict.bound.provedLog2);
  std::printf("  proved 2^%.1f, conjectured 2^%.1f, %u trials, %u towers\n",
              verdict.bound.provedLog2, verdict.bound.conjecturedLog2,
              verdict.bound.trials, verdict.bound.towers);
}

TEST(Verify, RmsNormLinear) {
  expectProved(rmsLinear(2, 6, 4), rmsLinearFused(2, 6, 4, 3, 2));
  expectProved(rmsLinear(3, 7, 5), rmsLinearFused(3, 7, 5, 3, 2));
}
TEST(Verify, GatedMlp) {
  expectProved(gatedMlp(2, 6, 4), gatedMlpFused(2, 6, 4, 2, 2));
  expectProved(gatedMlp(3, 5, 7), gatedMlpFused(3, 5, 7, 2, 3));
}
TEST(Verify, Softmax) {
  expectProved(softmax(4, 3, false), softmaxFused(4, 3, 2));
  expectProved(softmax(5, 3, false), softmaxFused(5, 3, 2));
}
TEST(Verify, Lora) {
  expectProved(lora(2, 6, 4, 3), loraFused(2, 6, 4, 3, 2, 2));
  expectProved(lora(3, 5, 7, 2), loraFused(3, 5, 7, 2, 2, 3));
}
TEST(Verify, Attention) {
  expectProved(attention(2, 6, 3, false), attentionFused(2, 6, 3, 2));
  expectProved(attention(2, 5, 3, false), attentionFused(2, 5, 3, 2));
  expectProved(attention(2, 9, 3, false), attentionFused(2, 9, 3, 2, 2));
}
TEST(Verify, SafeSoftmaxDoesNotDependOnTheMaximum) {
  expectProved(softmax(2, 3, true), softmax(2, 3, false));
  expectProved(attention(2, 3, 2, true), attentionFused(2, 3, 2, 2));
}
TEST(Verify, RootsInsideExponents) {
  expectProved(qkNorm(2, 3, 2), qkNormLate(2, 3, 2));
}
