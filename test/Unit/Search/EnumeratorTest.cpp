//===- EnumeratorTest.cpp - All structures of one kernel, each once -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Enumerator.h"
#include "Programs.h"
#include "gtest/gtest.h"
#include <chrono>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {

struct Found {
  EnumerationCounts counts;
  std::vector<Structure> structures;
  std::vector<unsigned> bySize;
  double seconds = 0;
};

Found enumerate(const Graph &graph, AtomReading reading, unsigned maxOperators,
                bool allowSummedOutputs = true, unsigned maxGridAxes = 2) {
  TargetProgram program = llvm::cantFail(makeTargetProgram(graph));
  EnumerationSpace space(program, reading);
  EXPECT_TRUE(space.isSearchable());
  Found found;
  auto start = std::chrono::steady_clock::now();
  // The states of one pass with the largest budget, as the counts are stated.
  for (unsigned size = 1; size <= maxOperators; ++size) {
    found.counts = EnumerationCounts();
    EnumerationLimits limits{size, 5000000, allowSummedOutputs};
    size_t before = found.structures.size();
    for (const KernelChoice &kernel :
         enumerateKernelChoices(program, maxGridAxes, allowSummedOutputs))
      Enumerator(space, limits, found.counts)
          .run(kernel, [&](const Structure &structure) {
            found.structures.push_back(structure);
          });
    found.bySize.push_back(found.structures.size() - before);
  }
  found.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return found;
}

void print(const char *name, const Found &found) {
  printf("%-24s states %8llu trials %9llu ok %4zu  %.3f s  by size:", name,
         (unsigned long long)found.counts.states,
         (unsigned long long)found.counts.trials, found.structures.size(),
         found.seconds);
  for (unsigned count : found.bySize)
    printf(" %u", count);
  for (unsigned i = 0; i < kNumPruneReasons; ++i)
    printf(" %s %llu", getPruneReasonName(PruneReason(i)).data(),
           (unsigned long long)found.counts.pruned[i]);
  printf("\n");
  if (getenv("SHOW") && !found.structures.empty())
    for (auto &s : found.structures)
      printf("%s\n", toString(s).c_str());
}

TEST(EnumeratorTest, Counts) {
  auto F = AtomReading::Function, W = AtomReading::WrittenOut;
  print("rms linear", enumerate(rmsNormLinear(8, 64, 48), W, 11));
  print("rms linear (a)", enumerate(rmsNormLinear(8, 64, 48), F, 11));
  print("rms eps weight", enumerate(rmsNormWeightLinear(8, 64, 48), W, 11));
  print("gated mlp (a)", enumerate(gatedMlp(8, 64, 48), F, 11));
  print("gated mlp spelled (a)", enumerate(gatedMlpSpelled(8, 64, 48), F, 11));
  print("gated mlp spelled", enumerate(gatedMlpSpelled(8, 64, 48), W, 11));
  print("exp matmul", enumerate(expMatmul(8, 64, 48), W, 11));
  print("softmax", enumerate(softmaxRows(8, 64), W, 11));
  print("lora", enumerate(lora(8, 64, 4, 48), W, 11));
  print("gqa", enumerate(attention(2, 8, 64, 16), W, 11));
  print("scaled attention", enumerate(attention(2, 8, 64, 16, 0.125), W, 11));
  print("transposed attention",
        enumerate(attention(2, 8, 64, 16, 1, true), W, 11));
}

} // namespace
