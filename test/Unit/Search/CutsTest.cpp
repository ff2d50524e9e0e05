//===- CutsTest.cpp - What the search cuts off is not missed --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that need more operators than are left, and kernels and tilings that
// cost too much: the candidates are those of a search that cuts nothing off.
//
//===----------------------------------------------------------------------===//

#include "CountedPrograms.h"
#include "Mirage/Search/Explorer.h"
#include "Mirage/Search/Search.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {

SearchResult run(const Graph &graph, const SearchOptions &options) {
  return llvm::cantFail(superoptimize(graph, options));
}

/// What a kernel leaves must be within what later ones have operators for. With
/// more of them to come fewer kernels are left out, and what has no more
/// operators than before is the same.
TEST(CutsTest, KernelsToComeLoseNothing) {
  for (const Graph &graph :
       {rmsNormLinear(8, 10, 12), twoOutputs(8, 10, 7), lora(8, 10, 5, 7),
        attention(2, 8, 10, 5), softmaxLinear(8, 10, 7)}) {
    auto findAll = [&](unsigned maxOps) {
      SearchOptions options;
      options.maxOps = maxOps;
      options.cutsKernels = false;
      options.numCandidates = 1;
      std::set<std::string> found;
      options.onStructure = [&](const TargetProgram &,
                                const Structure &structure) {
        if (structure.kernels.size() > 1 && structure.getNumOperators() <= 6)
          found.insert(toString(structure));
      };
      SearchResult result = run(graph, options);
      EXPECT_EQ(result.report.cuts, 0u);
      return found;
    };
    std::set<std::string> few = findAll(6), more = findAll(8);
    EXPECT_FALSE(few.empty());
    EXPECT_EQ(few, more);
  }
}

/// Structures at any cost, and how many states there are on the way to them.
struct Walk {
  std::set<std::string> structures;
  uint64_t states = 0;
};

Walk walk(const Graph &graph, AtomReading reading, ExplorationLimits limits) {
  limits.maxBlockOps = limits.maxOps;
  limits.maxGridAxes = 2;
  limits.joins.inKernel = true;
  limits.maxStates = 100000000;
  TargetProgram program = llvm::cantFail(makeTargetProgram(graph));
  Explorer explorer(program, reading, limits);
  Walk result;
  auto stop = explorer.run([&](const Structure &structure, double) {
    return result.structures.insert(toString(structure)).second;
  });
  EXPECT_EQ(stop, Explorer::Stop::Exhausted);
  for (const SearchRound &round : explorer.getRounds())
    result.states += round.counts.states;
  return result;
}

/// With and without bounds on the operators that a kernel and those after it
/// still need.
TEST(CutsTest, BoundsOnOperatorsLoseNothing) {
  struct Space {
    Graph graph;
    unsigned maxKernels, maxOps;
  };
  uint64_t states = 0, allStates = 0;
  for (const Space &space : {Space{softmaxRows(8, 10), 2, 8},
                             {twoOutputs(8, 10, 7), 2, 6},
                             {lora(8, 10, 5, 7), 2, 6},
                             {attention(2, 8, 10, 5), 2, 7},
                             {rmsNormLinear(8, 10, 12), 2, 7},
                             {softmaxRows(8, 10), 3, 6},
                             {lora(8, 10, 5, 7), 3, 5}}) {
    ExplorationLimits limits;
    limits.maxKernels = space.maxKernels;
    limits.maxOps = space.maxOps;
    Walk some = walk(space.graph, AtomReading::Function, limits);
    limits.off.ignoresBounds = true;
    Walk all = walk(space.graph, AtomReading::Function, limits);
    EXPECT_FALSE(some.structures.empty());
    EXPECT_EQ(some.structures, all.structures);
    states += some.states;
    allStates += all.states;
  }
  EXPECT_LT(states, allStates / 2);
}

/// With and without tensors of which no expression has a use for both.
TEST(CutsTest, PairsLoseNothing) {
  struct Space {
    Graph graph;
    AtomReading reading;
    unsigned maxKernels, maxOps;
  };
  constexpr AtomReading kAtoms = AtomReading::Function;
  constexpr AtomReading kWrittenOut = AtomReading::WrittenOut;
  for (const Space &space :
       {Space{lora(8, 10, 5, 7), kAtoms, 1, 12},
        {lora(8, 10, 5, 7), kAtoms, 2, 8},
        {lora(8, 10, 5, 7), kAtoms, 3, 6},
        {rmsNormLinear(8, 10, 12), kWrittenOut, 2, 9},
        {rmsNormWeightLinear(8, 10, 12), kWrittenOut, 1, 11},
        {gatedMlpSpelled(8, 10, 12), kWrittenOut, 1, 10},
        {gatedMlp(8, 10, 12), kAtoms, 2, 8},
        {attention(2, 8, 10, 5, 0.125), kAtoms, 2, 9},
        {causalAttention(2, 8, 10, 5, false), kAtoms, 1, 11},
        {softmaxRows(8, 10), kAtoms, 3, 8},
        {twoOutputs(8, 10, 7), kAtoms, 2, 8},
        {normalizedStep(8, 10), kAtoms, 1, 11},
        {layerNormLinear(8, 10, 12, false), kWrittenOut, 1, 10},
        {distances(4, 5, 6), kAtoms, 2, 8},
        {normedAttention(2, 8, 10, 5, {0, 2}), kAtoms, 1, 11},
        {projectedAttention(), kAtoms, 1, 12},
        {residualMlp(), kAtoms, 1, 9},
        {minusNormLinear(), kAtoms, 2, 8},
        {subtractMaximum(8, 10), kAtoms, 3, 6}}) {
    ExplorationLimits limits;
    limits.maxKernels = space.maxKernels;
    limits.maxOps = space.maxOps;
    Walk some = walk(space.graph, space.reading, limits);
    limits.off.ignoresPairs = true;
    Walk all = walk(space.graph, space.reading, limits);
    EXPECT_FALSE(some.structures.empty());
    EXPECT_EQ(some.structures, all.structures);
    EXPECT_LT(some.states, all.states);
  }
}

/// A kernel that stores an output which takes a function, and what a last one
/// goes on with: that needs no such function any more.
TEST(CutsTest, TheLastKernelNeedsWhatItsOwnOutputsNeed) {
  ProgramBuilder b;
  ValueId x = b.input({8, 10}), w = b.input({10, 7}), v = b.input({7, 12});
  ValueId product = b.matmul(x, w);
  Graph graph =
      b.finish({b.apply(Opcode::Exp, {product}), b.matmul(product, v)});
  SearchOptions options;
  options.maxOps = 4;
  options.cutsKernels = false;
  unsigned numFound = 0;
  options.onStructure = [&](const TargetProgram &, const Structure &structure) {
    auto isExp = [](const StructureOperator &op) {
      return op.opcode == Opcode::Exp;
    };
    numFound += structure.kernels.size() == 2 &&
                llvm::any_of(structure.kernels[0].operators, isExp) &&
                llvm::none_of(structure.kernels[1].operators, isExp);
  };
  run(graph, options);
  EXPECT_GT(numFound, 0u);
}

/// Bounds cut most kernels and tilings off, and none of the best.
void expectBoundsLoseNothing(llvm::ArrayRef<Graph> graphs,
                             SearchOptions cutting) {
  SearchOptions plain = cutting;
  plain.cutsKernels = plain.cutsInstances = false;
  uint64_t instances[2] = {}, states[2] = {};
  for (const Graph &graph : graphs) {
    SearchResult some = run(graph, cutting), all = run(graph, plain);
    EXPECT_EQ(all.stopReason, StopReason::Exhausted);
    EXPECT_EQ(some.stopReason, StopReason::Exhausted);
    ASSERT_EQ(some.candidates.size(), all.candidates.size());
    for (auto [a, b] : llvm::zip(some.candidates, all.candidates))
      EXPECT_EQ(toString(a.graph), toString(b.graph));
    EXPECT_LE(some.report.structures, all.report.structures);
    EXPECT_EQ(all.report.cuts, 0u);
    for (auto [i, result] : {std::pair(0, &some), std::pair(1, &all)}) {
      instances[i] += result->report.instances;
      states[i] += result->report.counts.states;
    }
  }
  EXPECT_LT(instances[0], instances[1] / 2);
  EXPECT_LT(states[0], states[1]);
}

TEST(CutsTest, BoundsLoseNothing) {
  SearchOptions options;
  options.maxStates = 1000000;
  options.maxOps = options.maxBlockOps = 6;
  std::vector<Graph> graphs = {
      rmsNormLinear(8, 512, 768), gatedMlp(8, 512, 512), lora(8, 512, 20, 70),
      attention(2, 64, 512, 64), softmaxRows(100, 1000)};
  expectBoundsLoseNothing(graphs, options);
  options.numCandidates = 1;
  expectBoundsLoseNothing(graphs, options);
}

/// Where a kernel in the middle can have a cheaper way to it later.
TEST(CutsTest, BoundsLoseNothingOfThreeKernels) {
  SearchOptions options;
  options.maxStates = 1000000;
  options.maxKernels = 3;
  options.maxOps = options.maxBlockOps = 5;
  options.numCandidates = 40;
  expectBoundsLoseNothing({rmsNormLinear(8, 512, 768), lora(8, 64, 20, 70),
                           attention(2, 64, 512, 64), twoOutputs(64, 512, 256)},
                          options);
}

/// Whoever is rejected may stand in for what bounds cut off: then everything
/// was enumerated, and the report says so.
TEST(CutsTest, ARejectionEndsBranchAndBound) {
  SearchOptions cutting;
  cutting.maxOps = cutting.maxBlockOps = 5;
  cutting.cutsProgram = false;
  cutting.verify = [](const Graph &, const Graph &) { return false; };
  SearchOptions plain = cutting;
  plain.cutsKernels = plain.cutsInstances = false;
  Graph graph = lora(8, 512, 20, 70);
  SearchResult some = run(graph, cutting), all = run(graph, plain);
  EXPECT_GT(some.report.rejected, 0u);
  EXPECT_EQ(some.report.rejected, all.report.rejected);
  EXPECT_EQ(some.report.structures, all.report.structures);
  EXPECT_EQ(some.report.counts, all.report.counts);
  EXPECT_EQ(some.report.rounds.size(), all.report.rounds.size());
  EXPECT_EQ(some.report.cuts, 0u);
  EXPECT_EQ(some.stopReason, all.stopReason);
}

} // namespace
