//===- ExactProofTest.cpp - Proofs by canonical forms ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Verify/ExactProof.h"
#include "DoubleArithmetic.h"
#include "Mirage/Graph/DefaultTileGraph.h"
#include "Mirage/Verify/VerdictJSON.h"
#include "Mutants.h"
#include "Programs.h"
#include "gtest/gtest.h"
#include <chrono>
#include <random>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

namespace {

ExactProof prove(const Graph &lhs, const Graph &rhs) {
  for (const Graph *graph : {&lhs, &rhs})
    if (llvm::Error error = verify(*graph))
      ADD_FAILURE() << llvm::toString(std::move(error)) << toString(*graph);
  auto start = std::chrono::steady_clock::now();
  ExactProof proof = proveEqual(lhs, rhs);
  double ms = std::chrono::duration<double, std::milli>(
                  std::chrono::steady_clock::now() - start)
                  .count();
  std::printf("  %s: %zu operations on terms, %.1f ms\n", proof.sizes.c_str(),
              proof.work, ms);
  return proof;
}

void expectProved(const Graph &lhs, const Graph &rhs) {
  ExactProof proof = prove(lhs, rhs);
  EXPECT_EQ(proof.outcome, ExactProof::Proved) << proof.reason;
  EXPECT_FALSE(proof.whereBothDefined);
}

void expectOpen(const Graph &lhs, const Graph &rhs) {
  ExactProof proof = prove(lhs, rhs);
  EXPECT_EQ(proof.outcome, ExactProof::Open) << proof.reason;
  EXPECT_FALSE(proof.reason.empty());
}

//===----------------------------------------------------------------------===//
// Fused kernels against programs as a user writes them
//===----------------------------------------------------------------------===//

TEST(ExactProof, RmsNormLinear) {
  expectProved(rmsLinear(2, 6, 4), rmsLinearFused(2, 6, 4, 3, 2));
  expectProved(rmsLinear(3, 7, 5), rmsLinearFused(3, 7, 5, 3, 2));
}
TEST(ExactProof, GatedMlp) {
  expectProved(gatedMlp(2, 6, 4), gatedMlpFused(2, 6, 4, 2, 2));
  expectProved(gatedMlp(3, 5, 7), gatedMlpFused(3, 5, 7, 2, 3));
}
TEST(ExactProof, Softmax) {
  expectProved(softmax(4, 3, false), softmaxFused(4, 3, 2));
  expectProved(softmax(5, 3, false), softmaxFused(5, 3, 2));
}
TEST(ExactProof, Lora) {
  expectProved(lora(2, 6, 4, 3), loraFused(2, 6, 4, 3, 2, 2));
  expectProved(lora(3, 5, 7, 2), loraFused(3, 5, 7, 2, 2, 3));
}
TEST(ExactProof, Attention) {
  expectProved(attention(2, 6, 3, false), attentionFused(2, 6, 3, 2));
  expectProved(attention(2, 5, 3, false), attentionFused(2, 5, 3, 2));
  expectProved(attention(2, 9, 3, false), attentionFused(2, 9, 3, 2, 2));
}
TEST(ExactProof, SafeSoftmaxDoesNotDependOnTheMaximum) {
  expectProved(softmax(2, 3, true), softmax(2, 3, false));
  expectProved(attention(2, 3, 2, true), attentionFused(2, 3, 2, 2));
}
TEST(ExactProof, OnlineSoftmax) {
  expectProved(attention(2, 6, 3, true), attentionOnline(2, 6, 3, 2));
  expectProved(attention(2, 7, 3, false), attentionOnline(2, 7, 3, 2));
  expectProved(attention(2, 9, 3, true), attentionOnline(2, 9, 3, 2, 2));
}
TEST(ExactProof, RootsInsideExponents) {
  expectProved(qkNorm(2, 3, 2), qkNormLate(2, 3, 2));
  expectProved(qkNorm(3, 16, 2), qkNormLate(3, 16, 2));
}

} // namespace
