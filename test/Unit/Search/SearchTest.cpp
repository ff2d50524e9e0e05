//===- SearchTest.cpp - Superoptimizing tensor programs -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Search.h"
#include "Mirage/Reference/RandomInputs.h"
#include "Mirage/Reference/Reference.h"
#include "Mirage/Verify/Verify.h"
#include "Programs.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {

/// Equality over finite fields, as the pipeline judges structures.
bool isEqual(const Graph &program, const Graph &candidate) {
  VerifyOptions options;
  options.errorBoundBits = 20;
  options.maxTowers = 64;
  Verdict verdict = llvm::cantFail(verifyEqual(program, candidate, options));
  if (verdict.kind != Verdict::Equal)
    printf("%s: %s\n%s\n%s\n", getVerdictName(verdict.kind).data(),
           verdict.reason.c_str(), toString(program).c_str(),
           toString(candidate).c_str());
  return verdict.kind == Verdict::Equal;
}

SearchResult run(const Graph &graph, SearchOptions options = {}) {
  options.verify = isEqual;
  return llvm::cantFail(superoptimize(graph, options));
}

/// The best µGraph computes what the program computes, in double precision, at
/// the program's own sizes.
void expectSameNumbers(const Graph &program, const Graph &candidate) {
  std::vector<HostTensor> inputs = makeRandomInputs(program, /*seed=*/1);
  auto expected = llvm::cantFail(evaluateReference(program, inputs));
  auto found = llvm::cantFail(evaluateReference(candidate, inputs));
  ASSERT_EQ(expected.size(), found.size());
  for (auto [e, f] : llvm::zip(expected, found))
    for (size_t i = 0; i < e.values.size(); ++i)
      ASSERT_NEAR(e.values[i], f.values[i], 1e-9 * (1 + std::abs(e.values[i])))
          << "element " << i;
}

/// A single kernel is found, every structure is equal over the fields, and the
/// best one computes the right numbers.
SearchResult expectFused(const Graph &program) {
  SearchResult result = run(program);
  EXPECT_EQ(result.stopReason, StopReason::Exhausted);
  EXPECT_GT(result.report.verified, 0u);
  EXPECT_EQ(result.report.rejected, 0u);
  EXPECT_LT(result.report.bestUs, result.report.baselineUs);
  const Graph &best = result.getBest();
  EXPECT_EQ(best.getNodes().size(), 1u);
  EXPECT_TRUE(best.getNodes()[0].body);
  for (const Candidate &candidate : result.candidates)
    expectSameNumbers(program, candidate.graph);
  if (getenv("SHOW")) {
    const SearchReport &r = result.report;
    printf("states %llu structures %u verified %u instances %llu fit %llu "
           "baseline %.2f best %.2f limit %.2f  %.3f s\n",
           (unsigned long long)r.counts.states, r.structures, r.verified,
           (unsigned long long)r.instances, (unsigned long long)r.fitting,
           r.baselineUs, r.bestUs, r.limitUs, r.seconds);
    for (const Candidate &candidate :
         llvm::ArrayRef(result.candidates).take_front(2))
      printf("%.2f\n%s%s\n", candidate.predictedUs,
             toString(candidate.structure).c_str(),
             toString(candidate.graph).c_str());
  }
  return result;
}

TEST(SearchTest, RmsNormLinear) { expectFused(rmsNormLinear(8, 512, 768)); }

TEST(SearchTest, RmsNormLinearOddSizes) {
  expectFused(rmsNormLinear(7, 1000, 130));
}

TEST(SearchTest, RmsNormWithEpsilonAndWeight) {
  expectFused(rmsNormWeightLinear(8, 512, 192));
}

TEST(SearchTest, GatedMlp) { expectFused(gatedMlp(8, 512, 192)); }

TEST(SearchTest, GatedMlpSpelledOut) {
  expectFused(gatedMlpSpelled(8, 100, 70));
}

TEST(SearchTest, ExpMatmul) { expectFused(expMatmul(8, 100, 70)); }

TEST(SearchTest, SoftmaxRows) { expectFused(softmaxRows(70, 300)); }

TEST(SearchTest, Lora) { expectFused(lora(16, 256, 16, 200)); }

TEST(SearchTest, Attention) { expectFused(attention(2, 40, 300, 32)); }

TEST(SearchTest, ScaledAttentionWithTransposedKeys) {
  expectFused(attention(2, 40, 300, 32, 0.125, true));
}

} // namespace
