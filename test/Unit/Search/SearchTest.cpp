//===- SearchTest.cpp - Superoptimizing tensor programs -------------------===//
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

SearchResult run(const char *name, const Graph &graph) {
  SearchOptions options;
  options.verify = [](const Graph &, const Graph &) { return true; };
  SearchResult result = llvm::cantFail(superoptimize(graph, options));
  const SearchReport &r = result.report;
  printf("%s: %s states %llu structures %u verified %u instances %llu fit %llu "
         "baseline %.2f best %.2f limit %.2f  %.3f s\n",
         name, getStopReasonName(result.stopReason).data(),
         (unsigned long long)r.counts.states, r.structures, r.verified,
         (unsigned long long)r.instances, (unsigned long long)r.fitting,
         r.baselineUs, r.bestUs, r.limitUs, r.seconds);
  if (!result.candidates.empty()) {
    printf("%s\n%s\n", toString(result.candidates[0].structure).c_str(),
           toString(result.getBest()).c_str());
  }
  return result;
}

TEST(SearchTest, Print) {
  run("rms linear", rmsNormLinear(8, 4096, 6144));
  run("rms linear odd", rmsNormLinear(7, 1000, 130));
  run("rms weight", rmsNormWeightLinear(8, 4096, 6144));
  run("gated mlp", gatedMlp(8, 4096, 4096));
  run("gated mlp spelled", gatedMlpSpelled(8, 4096, 4096));
  run("exp matmul", expMatmul(8, 4096, 4096));
  run("softmax", softmaxRows(512, 4096));
  run("lora", lora(16, 256, 16, 4096));
  run("attention", attention(2, 256, 4096, 64));
  run("attention scaled transposed", attention(2, 256, 4096, 64, 0.125, true));
}

} // namespace
