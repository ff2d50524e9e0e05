//===- SearchTest.cpp - Superoptimizing tensor programs -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Search.h"
#include "Mirage/Graph/DefaultTileGraph.h"
#include "Mirage/Reference/RandomInputs.h"
#include "Mirage/Reference/Reference.h"
#include "Mirage/Reference/Stability.h"
#include "Mirage/Search/KernelTraffic.h"
#include "Mirage/Search/ProgramParts.h"
#include "Programs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <cmath>
#include <map>
#include <set>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {

SearchResult run(const Graph &graph, SearchOptions options = {}) {
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

bool isOneKernel(const Candidate &candidate) {
  llvm::ArrayRef<Node> nodes = candidate.graph.getNodes();
  return nodes.size() == 1 && nodes[0].body;
}

/// A single kernel is among the cheapest, no candidate differs over the fields,
/// and all of them compute the right numbers.
/// \param losesSome  whether there are some that fall out as they overflow.
SearchResult expectFused(const Graph &program, bool losesSome = false) {
  SearchResult result = run(program);
  EXPECT_GT(result.report.verified, 0u);
  EXPECT_EQ(result.report.rejected, result.report.unstable)
      << describeMisses(result);
  EXPECT_EQ(result.report.unstable > 0, losesSome) << describeMisses(result);
  EXPECT_LT(result.report.bestUs, result.report.baselineUs);
  EXPECT_TRUE(llvm::any_of(result.candidates, isOneKernel));
  for (const Candidate &candidate : result.candidates)
    expectSameNumbers(program, candidate.graph);
  return result;
}

TEST(SearchTest, RmsNormLinear) { expectFused(rmsNormLinear(8, 512, 768)); }

TEST(SearchTest, RmsNormLinearOddSizes) {
  expectFused(rmsNormLinear(7, 1000, 130));
}

TEST(SearchTest, RmsNormWithEpsilonAndWeight) {
  expectFused(rmsNormWeightLinear(8, 128, 192));
}

/// Numbers far beyond what exp takes come out as those of the program, and of
/// kernels that loop over the keys.
TEST(SearchTest, SafeSoftmaxStaysSafeInALoop) {
  Graph graph = safeAttention(2, 20, 200, 16);
  SearchOptions options;
  options.numCandidates = 200; // at this size loops are not the cheapest
  SearchResult result = run(graph, options);
  EXPECT_EQ(result.report.rejected, 0u);
  std::vector<HostTensor> inputs = makeRandomInputs(graph, /*seed=*/1);
  std::vector<double> queries = decode(inputs[0]);
  for (double &query : queries)
    query *= 1000;
  inputs[0] = encode(inputs[0].type, queries);
  auto expected = llvm::cantFail(evaluateReference(graph, inputs));
  unsigned numLooped = 0;
  for (const Candidate &candidate : result.candidates) {
    numLooped += llvm::any_of(candidate.structure.kernels,
                              [](const KernelStructure &kernel) {
                                return kernel.loopName != kNoName;
                              });
    auto found = llvm::cantFail(evaluateReference(candidate.graph, inputs));
    for (auto [e, f] : llvm::zip(expected[0].values, found[0].values))
      ASSERT_NEAR(e, f, 1e-6) << toString(candidate.structure);
  }
  EXPECT_GT(numLooped, 0u);
}

/// The maximum is no stabiliser to be taken out if nothing divides by the sum;
/// and exp x · exp(−max x) overflows.
TEST(SearchTest, AMaximumThatMattersStays) {
  ProgramBuilder b;
  ValueId x = b.input({8, 64});
  ValueId shifted = b.apply(Opcode::Sub, {x, b.reduce(Opcode::Max, x, 1)});
  expectFused(b.finish({b.apply(Opcode::Exp, {shifted})}), /*losesSome=*/true);
}

TEST(SearchTest, GatedMlp) { expectFused(gatedMlp(8, 512, 192)); }

TEST(SearchTest, GatedMlpSpelledOut) {
  expectFused(gatedMlpSpelled(8, 100, 70));
}

TEST(SearchTest, ExpMatmul) { expectFused(expMatmul(8, 100, 70)); }

TEST(SearchTest, SoftmaxRows) { expectFused(softmaxRows(70, 300)); }

TEST(SearchTest, Lora) { expectFused(lora(16, 256, 16, 200)); }

/// With few keys: many are shared out, for a second kernel to join.
TEST(SearchTest, Attention) { expectFused(attention(2, 40, 70, 32)); }

TEST(SearchTest, ManyKeysAreSharedAmongBlocks) {
  for (const Graph &graph :
       {attention(2, 40, 300, 32), attention(2, 40, 300, 32, 0.125, true)}) {
    SearchResult result = run(graph);
    ASSERT_FALSE(result.candidates.empty());
    // In two kernels, or in one that joins them.
    const auto &kernels = result.candidates[0].structure.kernels;
    EXPECT_TRUE(kernels.size() == 2 || !getJoinedAxes(kernels[0]).empty());
    for (const Candidate &candidate : result.candidates)
      expectSameNumbers(graph, candidate.graph);
  }
}

TEST(SearchTest, ScaledAttentionWithTransposedKeys) {
  expectFused(attention(2, 40, 70, 32, 0.125, true));
}

TEST(SearchTest, AttentionOnNormedQueriesAndKeys) {
  expectFused(qkNormAttention(2, 20, 70, 16));
}

TEST(SearchTest, RmsNormGatedMlp) { expectFused(rmsNormGatedMlp(8, 256, 192)); }

TEST(SearchTest, TwoOutputs) { expectFused(twoOutputs(20, 64, 48)); }

TEST(SearchTest, OneElementTensors) {
  for (const Graph &graph : {softmaxRows(1, 1), rmsNormLinear(1, 1, 1),
                             expMatmul(1, 5, 1), softmaxRows(1, 300)}) {
    SearchResult result = run(graph);
    expectSameNumbers(graph, result.getBest());
  }
}

/// √x·√x is √(x·x) by the laws, and no number where x is negative.
TEST(SearchTest, RootsOfFactorsAreRejected) {
  ProgramBuilder b;
  ValueId x = b.input({8, 64});
  ValueId square = b.apply(Opcode::Square, {x});
  Graph graph = b.finish({b.apply(Opcode::Sqrt, {square})});
  SearchOptions options;
  options.numCandidates = 100;
  SearchResult result = run(graph, options);
  EXPECT_GT(result.report.filtered, 0u);
  EXPECT_FALSE(result.candidates.empty());
  for (const Candidate &candidate : result.candidates)
    expectSameNumbers(graph, candidate.graph);
}

/// exp(x − m)·V is (exp x · V)·exp(−m) by the laws, which is cheaper where m
/// takes a loop, and infinite where x is large.
TEST(SearchTest, WhatLosesItsNumbersIsRejected) {
  ProgramBuilder b;
  ValueId x = b.input({16, 512}), z = b.input({16, 512}),
          v = b.input({512, 64});
  ValueId m = b.reduce(Opcode::Sum, z, 1);
  ValueId e = b.apply(Opcode::Exp, {b.apply(Opcode::Sub, {x, m})});
  Graph graph = b.finish({b.matmul(e, v)});
  SearchResult result = run(graph);
  EXPECT_GT(result.report.unstable, 0u);
  EXPECT_EQ(result.report.unstable, result.report.rejected);
  ASSERT_FALSE(result.candidates.empty());
  StabilityOptions options;
  options.onlyLosses = true;
  for (const Candidate &candidate : result.candidates)
    for (const TestPair &pair : candidate.claims[0].testPairs)
      EXPECT_FALSE(llvm::cantFail(
          findInstability(pair.program, pair.candidate, options)));
  // Those that were rejected stand in the report with the reason.
  EXPECT_TRUE(llvm::any_of(result.nearMisses, [](const NearMiss &miss) {
    return llvm::StringRef(miss.why).starts_with("loses its numbers: on ");
  }));
}

TEST(SearchTest, AReshapeIsAViewAndNoKernel) {
  ProgramBuilder b;
  ValueId x = b.input({1, 8, 64});
  ValueId flat = b.apply(Opcode::Reshape, {x}, {}, {8, 64});
  Graph graph = b.finish({b.apply(Opcode::Exp, {flat})});
  SearchResult result = run(graph);
  EXPECT_EQ(result.baseline.getNodes()[0].opcode, Opcode::Reshape);
  EXPECT_FALSE(result.baseline.getNodes()[0].body);
  ProgramBuilder plain;
  SearchResult alone =
      run(plain.finish({plain.apply(Opcode::Exp, {plain.input({8, 64})})}));
  // The reshape rounds to f32 and nothing more.
  EXPECT_NEAR(result.report.baselineUs, alone.report.baselineUs, 0.1);
  expectSameNumbers(graph, result.getBest());
}

/// Nested graphs too.
void expectInTF32(const Graph &graph) {
  EXPECT_EQ(graph.f32Products, F32Products::TF32);
  for (const Node &node : graph.getNodes())
    if (node.body)
      expectInTF32(*node.body);
}

/// Whatever a program was rewritten as on the way to a candidate: in one piece,
/// without its maxima, in pieces of its dimensions, and in parts.
TEST(SearchTest, CandidatesTakeProductsAsTheProgramDoes) {
  ProgramBuilder b;
  ValueId x = b.input({2, 8, 64}), w = b.input({64, 48});
  Attributes first;
  first.offsets = {0, 0};
  first.strides = {1, 1};
  ValueId rows =
      b.apply(Opcode::Slice, {b.apply(Opcode::Reshape, {x}, {}, {16, 64})},
              first, {8, 64});
  Graph slice = b.finish({b.apply(Opcode::Exp, {b.matmul(rows, w)})});
  for (const Graph &graph :
       {rmsNormLinear(8, 512, 768), safeAttention(2, 64, 64, 32), slice,
        normalizedLayers(8, 256, 3)}) {
    SearchOptions options;
    options.maxStates = 2000;
    Graph program = inTF32(graph);
    SearchResult result = run(program, options);
    expectInTF32(result.baseline);
    EXPECT_FALSE(result.candidates.empty());
    for (const Candidate &candidate : result.candidates) {
      expectInTF32(candidate.graph);
      for (const Claim &claim : candidate.claims)
        expectInTF32(claim.graph);
    }
    program.f32Products = F32Products::Exact;
    SearchResult exact = run(program, options);
    // Small default kernels wait for what they load, however they multiply.
    EXPECT_LE(result.report.baselineUs, exact.report.baselineUs);
    EXPECT_LT(result.report.bestUs, exact.report.bestUs);
  }
}

TEST(SearchTest, UnusedInputsAreLeftAlone) {
  ProgramBuilder b;
  ValueId unused = b.input({3, 3}), x = b.input({8, 64}), w = b.input({64, 48});
  (void)unused;
  SearchResult result = expectFused(b.finish({b.matmul(x, w)}));
  EXPECT_EQ(result.getBest().getNumInputs(), 3u);
}

/// The normal form and the index rule let nothing wrong through: all structures
/// are judged, not only the cheapest.
TEST(SearchTest, NoStructureIsWrong) {
  SearchOptions options;
  options.numCandidates = 1000;
  options.allowSummedOutputs = true;
  options.allowGridAccumulates = true;
  options.maxBlockOps = 9;
  options.maxKernels = 1;
  for (const Graph &graph :
       {rmsNormLinear(8, 100, 70), gatedMlpSpelled(8, 100, 70),
        lora(8, 100, 20, 70), attention(2, 20, 70, 16, 0.125, true)}) {
    SearchResult result = run(graph, options);
    EXPECT_EQ(result.stopReason, StopReason::Exhausted);
    EXPECT_EQ(result.report.verified, result.report.structures);
    EXPECT_EQ(result.report.rejected, 0u);
  }
}

/// One operator more, with which loops accumulate mean and variance; tiles
/// divide nothing.
TEST(SearchTest, NoStructureOfALayerNormIsWrong) {
  SearchOptions options;
  options.numCandidates = 1000;
  options.maxBlockOps = 10;
  options.maxKernels = 1;
  SearchResult result = run(layerNormLinear(8, 100, 70, false), options);
  EXPECT_EQ(result.report.verified, result.report.structures);
  EXPECT_EQ(result.report.rejected, 0u);
  EXPECT_TRUE(llvm::any_of(result.candidates, [](const Candidate &candidate) {
    return llvm::any_of(candidate.structure.kernels[0].operators,
                        [](const StructureOperator &op) {
                          return op.opcode == Opcode::Accumulate &&
                                 op.reduction == Opcode::Variance;
                        });
  }));
}

/// The same of two and of three kernels.
TEST(SearchTest, NoStructureOfSeveralKernelsIsWrong) {
  SearchOptions options;
  options.numCandidates = 100000;
  options.cutsInstances = false;
  options.maxBlockOps = 4;
  std::set<size_t> numKernels;
  for (auto [maxKernels, maxOps] : {std::pair(2u, 5u), std::pair(3u, 4u)})
    for (const Graph &graph : {rmsNormLinear(8, 10, 12), twoOutputs(8, 10, 7),
                               lora(8, 10, 5, 7), attention(2, 8, 10, 5)}) {
      options.maxKernels = maxKernels;
      options.maxOps = maxOps;
      SearchResult result = run(graph, options);
      EXPECT_EQ(result.report.verified, result.report.structures);
      EXPECT_EQ(result.report.rejected, 0u);
      for (const Candidate &candidate : result.candidates)
        numKernels.insert(candidate.structure.kernels.size());
    }
  EXPECT_EQ(numKernels, (std::set<size_t>{1, 2, 3}));
}

/// z·Σ(x·y) and y·Σ(x·z) have the same inputs, letters and sums. A kernel that
/// leaves one of them leaves something else to the next than one that leaves
/// the other.
TEST(SearchTest, OutputsThatDifferInOneLetterAreTwo) {
  ProgramBuilder b;
  ValueId x = b.input({8, 64}), y = b.input({8, 64}), z = b.input({8, 64});
  auto scale = [&](ValueId scaled, ValueId summed) {
    ValueId product = b.apply(Opcode::Mul, {x, summed});
    return b.apply(Opcode::Mul, {scaled, b.reduce(Opcode::Sum, product, 1)});
  };
  SearchOptions options;
  options.maxKernels = 2;
  options.maxOps = options.maxBlockOps = 6;
  options.numCandidates = 100000;
  options.cutsInstances = false;
  SearchResult result = run(b.finish({scale(z, y), scale(y, z)}), options);
  EXPECT_EQ(result.report.rejected, 0u);
  std::set<unsigned> leftFirst;
  for (const Candidate &candidate : result.candidates)
    if (candidate.structure.kernels.size() == 2)
      leftFirst.insert(candidate.structure.outputs[0] <
                       candidate.structure.outputs[1]);
  EXPECT_EQ(leftFirst.size(), 2u) << "either output may come first";
}

TEST(SearchTest, SameOptionsSameResult) {
  Graph graph = gatedMlp(8, 100, 70);
  SearchResult first = run(graph), second = run(graph);
  ASSERT_EQ(first.candidates.size(), second.candidates.size());
  for (auto [a, b] : llvm::zip(first.candidates, second.candidates))
    EXPECT_EQ(toString(a.graph), toString(b.graph));
  EXPECT_EQ(first.report.counts.states, second.report.counts.states);
}

SearchOptions makeOptions(llvm::StringRef presetName) {
  const SearchPreset &preset = *findPreset(presetName);
  SearchOptions options;
  options.maxKernels = preset.maxKernels;
  options.maxOps = preset.maxOps;
  options.maxBlockOps = preset.maxBlockOps;
  options.maxGridAxes = preset.maxGridAxes;
  return options;
}

/// A preset saves time and nothing else.
TEST(SearchTest, DefaultsFindWhatPresetsFind) {
  for (auto [name, graph] :
       {std::pair("attention", attention(2, 40, 300, 32)),
        std::pair("attention", qkNormAttention(2, 20, 70, 16)),
        std::pair("mlp", gatedMlp(8, 512, 192)),
        std::pair("mlp", rmsNormLinear(8, 512, 768)),
        std::pair("lora", lora(16, 256, 16, 200))}) {
    SearchResult preset = run(graph, makeOptions(name)), all = run(graph);
    EXPECT_EQ(toString(preset.getBest()), toString(all.getBest())) << name;
    EXPECT_LE(preset.report.counts.states, all.report.counts.states);
  }
  EXPECT_EQ(findPreset("conv"), nullptr);
}

TEST(SearchTest, OptionsOutOfRangeAreErrors) {
  SearchOptions options;
  options.maxKernels = 4;
  llvm::Expected<SearchResult> result =
      superoptimize(expMatmul(8, 100, 70), options);
  ASSERT_FALSE(result);
  EXPECT_EQ(llvm::toString(result.takeError()),
            "expects max-kernels of 1 to 3, got 4");
}

TEST(SearchTest, AWrongCandidateIsRejected) {
  SearchOptions options;
  options.verify = [](const Graph &, const Graph &) { return false; };
  SearchResult result =
      llvm::cantFail(superoptimize(expMatmul(8, 100, 70), options));
  EXPECT_GT(result.report.rejected, 0u);
  EXPECT_TRUE(result.candidates.empty());
  EXPECT_EQ(toString(result.getBest()), toString(result.baseline));
}

/// Of a program in parts only those that are chosen are judged. One that is not
/// right is searched again, until there is another choice.
TEST(SearchTest, AWrongPartIsNotChosen) {
  Graph graph = normalizedLayers(8, 256, 3);
  SearchOptions options;
  options.maxStates = 2000;
  SearchResult all = run(graph, options);
  ASSERT_GT(all.report.parts, 0u);
  auto countFused = [](const SearchResult &result) {
    size_t count = 0;
    for (const Candidate &candidate : result.candidates)
      for (const Claim &claim : candidate.claims)
        count += countOperations(claim.program) > 1 &&
                 countOperations(claim.graph) == 1;
    return count;
  };
  EXPECT_GT(countFused(all), 0u);
  EXPECT_LT(all.report.verified, all.report.parts);
  options.verify = [](const Graph &program, const Graph &) {
    return countOperations(program) == 1;
  };
  SearchResult single = run(graph, options);
  EXPECT_GT(single.report.rejected, 0u);
  EXPECT_FALSE(single.candidates.empty());
  EXPECT_EQ(countFused(single), 0u);
}

/// The whole takes half of the time, and leaves the parts the other.
TEST(SearchTest, TimeIsForTheProgramAndForItsParts) {
  SearchOptions options;
  options.maxStates = 1000000000;
  options.maxKernels = 3;
  options.maxOps = options.maxBlockOps = 40;
  options.timeLimitS = 1;
  SearchResult result = run(normalizedLayers(8, 256, 3), options);
  EXPECT_EQ(result.stopReason, StopReason::TimeLimit);
  EXPECT_GT(result.report.parts, 0u);
  EXPECT_TRUE(llvm::any_of(result.candidates, [](const Candidate &candidate) {
    return candidate.claims.size() > 1; // of parts
  }));
}

/// Structures with one operand or operator exchanged are told apart from the
/// program before anything is verified; what is right is let pass.
TEST(SearchTest, QuickTestsRejectWrongStructures) {
  Graph graph = rmsNormLinear(8, 512, 768);
  TargetProgram program = llvm::cantFail(makeTargetProgram(graph));
  TestPairFilter filter(/*seed=*/0);
  auto rejects = [&](const Structure &structure) {
    return llvm::any_of(
        buildTestPairs(program, structure, *planKernels(program, structure)),
        [&](const TestPair &pair) { return filter.rejects(pair); });
  };
  SearchResult result = run(graph);
  EXPECT_EQ(result.report.filtered, 0u);
  ASSERT_FALSE(result.candidates.empty());
  unsigned numWrong = 0;
  for (const Candidate &candidate : result.candidates) {
    EXPECT_FALSE(rejects(candidate.structure));
    for (unsigned i = 0; i < candidate.structure.kernels[0].operators.size();
         ++i) {
      Structure wrong = candidate.structure;
      StructureOperator &op = wrong.kernels[0].operators[i];
      if (op.opcode == Opcode::Div)
        op.opcode = Opcode::Mul;
      else if (op.opcode == Opcode::Accumulate && op.reduction == Opcode::Sum)
        op.reduction = Opcode::Max;
      else
        continue;
      EXPECT_TRUE(rejects(wrong)) << toString(wrong);
      ++numWrong;
    }
  }
  EXPECT_GE(numWrong, 8u);
}

TEST(SearchTest, OuterProductsLeftOutAreReported) {
  SearchOptions options;
  options.maxBlockOps = 8;
  options.maxKernels = 1;
  EXPECT_EQ(run(rmsNormWeightLinear(8, 64, 48), options).stopReason,
            StopReason::OuterProducts);
  EXPECT_EQ(run(distances(8, 6, 64), options).stopReason,
            StopReason::Exhausted);
}

TEST(SearchTest, Distances) { expectFused(distances(20, 30, 64)); }

TEST(SearchTest, AnUnknownTargetIsAnError) {
  SearchOptions options;
  options.target = "sm_10";
  llvm::Expected<SearchResult> result =
      superoptimize(expMatmul(8, 100, 70), options);
  ASSERT_FALSE(result);
  EXPECT_EQ(llvm::toString(result.takeError()),
            "expects one of the targets " + llvm::join(getTargetNames(), ", ") +
                ", got 'sm_10'");
}

int64_t getMostSharedBytes(const Graph &graph) {
  int64_t bytes = 0;
  for (const Node &op : graph.getNodes())
    if (op.body)
      bytes = std::max(bytes, getSharedBytes(*op.body));
  return bytes;
}

/// One program for two GPUs: blocks keep to the limit of each, and what is best
/// on the one with more shared memory does not fit the other.
TEST(SearchTest, SharedMemoryOfTheTargetBindsTheBlocks) {
  Graph program = softmaxRows(64, 16384);
  std::map<std::string, int64_t> most;
  for (const char *target : {"sm_80", "sm_86", "sm_90a", "sm_120"}) {
    SearchOptions options;
    options.target = target;
    int64_t limit = llvm::cantFail(getTarget(target)).sharedBytesPerBlock;
    SearchResult result = run(program, options);
    ASSERT_FALSE(result.candidates.empty());
    for (const Candidate &candidate : result.candidates) {
      int64_t bytes = getMostSharedBytes(candidate.graph);
      EXPECT_LE(bytes, limit) << target;
      most[target] = std::max(most[target], bytes);
    }
    EXPECT_LE(getMostSharedBytes(result.baseline), limit) << target;
  }
  EXPECT_GT(most["sm_90a"], 99 * 1024);
}

} // namespace
