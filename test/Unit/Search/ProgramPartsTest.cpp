//===- ProgramPartsTest.cpp - Cutting large programs ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/ProgramParts.h"
#include "Mirage/Reference/RandomInputs.h"
#include "Mirage/Reference/Reference.h"
#include "Mirage/Search/Search.h"
#include "Programs.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {

Graph normAndTwoProjections() {
  ProgramBuilder b;
  ValueId x = b.input({8, 16}), v = b.input({16, 8}), w = b.input({16, 8});
  ValueId n = b.apply(Opcode::Div, {x, b.reduce(Opcode::Rms, x, 1)});
  return b.finish({b.apply(Opcode::Mul, {b.matmul(n, v), b.matmul(n, w)})});
}

std::set<std::vector<unsigned>> getSets(llvm::ArrayRef<ProgramPart> parts) {
  std::set<std::vector<unsigned>> sets;
  for (const ProgramPart &part : parts)
    sets.insert(part.operations);
  return sets;
}

TEST(ProgramPartsTest, AChainIsCutAnywhere) {
  ProgramBuilder b;
  ValueId x = b.input({4, 4}), u = b.input({4, 4}), v = b.input({4, 4}),
          w = b.input({4, 4});
  Graph graph = b.finish({b.matmul(b.matmul(b.matmul(x, u), v), w)});
  auto parts = enumerateParts(graph, {});
  EXPECT_EQ(getSets(parts), (std::set<std::vector<unsigned>>{
                                {0}, {1}, {2}, {0, 1}, {1, 2}, {0, 1, 2}}));
  PartLimits small;
  small.maxOperations = 2;
  EXPECT_EQ(enumerateParts(graph, small).size(), 5u);
  small.maxInputs = 2;
  EXPECT_EQ(enumerateParts(graph, small).size(), 3u);
}

TEST(ProgramPartsTest, PartsAreConvex) {
  Graph graph = normAndTwoProjections(); // 0 rms, 1 div, 2 and 3 matmul, 4 mul
  std::set<std::vector<unsigned>> sets = getSets(enumerateParts(graph, {}));
  EXPECT_TRUE(sets.count({0, 1, 2, 3, 4}));
  EXPECT_TRUE(sets.count({2, 3, 4}));
  EXPECT_TRUE(sets.count({0, 1, 2})) << "the norm is computed twice";
  EXPECT_FALSE(sets.count({1, 2, 4}))
      << "operation 3 reads 1, which is inside, and is read by 4";
}

TEST(ProgramPartsTest, ViewsAndFunctionsOfOneValueAreNotStored) {
  ProgramBuilder b;
  ValueId x = b.input({4, 6}), w = b.input({4, 6});
  ValueId product = b.matmul(x, b.transpose(w, {1, 0}));
  ValueId result = b.matmul(b.apply(Opcode::Exp, {product}), product);
  Graph graph = b.finish({result}); // 0 transpose, 1 matmul, 2 exp, 3 matmul
  EXPECT_EQ(countOperations(graph), 3u);
  EXPECT_EQ(getSets(enumerateParts(graph, {})),
            (std::set<std::vector<unsigned>>{{0, 1}, {2, 3}, {0, 1, 2, 3}}));
}

/// Half as many bytes.
TEST(ProgramPartsTest, WhatIsRoundedIsStoredSo) {
  ProgramBuilder b;
  ValueId x = b.input({4, 4}), v = b.input({4, 4});
  TensorSpec f32{{4, 4}, ElementType::F32}, f16{{4, 4}, ElementType::F16};
  ValueId product = b.graph.add(Opcode::Matmul, {x, v}, f32);
  ValueId rounded = b.graph.add(Opcode::Cast, {product}, f16);
  ValueId next = b.graph.add(Opcode::Matmul, {rounded, v}, f32);
  ValueId exp = b.graph.add(Opcode::Exp, {next}, f32);
  ValueId half = b.graph.add(Opcode::Cast, {exp}, f16);
  ValueId last = b.graph.add(Opcode::Matmul, {half, v}, f32);
  Graph graph = b.finish({last});
  // 0 matmul, 1 cast, 2 matmul, 3 exp, 4 cast, 5 matmul
  EXPECT_EQ(getSets(enumerateParts(graph, {})),
            (std::set<std::vector<unsigned>>{{0, 1},
                                             {2},
                                             {0, 1, 2},
                                             {3, 4, 5},
                                             {2, 3, 4, 5},
                                             {0, 1, 2, 3, 4, 5}}));
  // Where something else reads it as it is, that may be stored as well.
  graph.addOutput(product);
  EXPECT_TRUE(getSets(enumerateParts(graph, {})).count({0}));
}

TEST(ProgramPartsTest, APartComputesItsValue) {
  Graph graph = normAndTwoProjections();
  std::vector<HostTensor> inputs = makeRandomInputs(graph, /*seed=*/1);
  std::vector<ProgramPart> parts = enumerateParts(graph, {});
  for (const ProgramPart &part : parts)
    EXPECT_FALSE(bool(verify(part.graph)));
  // All of it as single operations.
  std::vector<unsigned> chosen;
  for (auto [number, part] : llvm::enumerate(parts))
    if (part.operations.size() == 1)
      chosen.push_back(number);
  Graph joined =
      joinParts(graph, parts, chosen, [&](unsigned number) -> const Graph & {
        return parts[number].graph;
      });
  EXPECT_FALSE(bool(verify(joined)));
  auto expected = llvm::cantFail(evaluateReference(graph, inputs));
  auto found = llvm::cantFail(evaluateReference(joined, inputs));
  EXPECT_EQ(expected[0].values, found[0].values);
}

/// The least sum over all sets of at most `maxParts` parts that give what they
/// read and the outputs.
double findCheapestByForce(const Graph &graph,
                           llvm::ArrayRef<ProgramPart> parts,
                           llvm::ArrayRef<double> us, unsigned maxParts) {
  double best = 1e30;
  for (uint64_t set = 0; set < uint64_t(1) << parts.size(); ++set) {
    if (unsigned(llvm::popcount(set)) > maxParts)
      continue;
    std::set<ValueId> stored,
        wanted(graph.getOutputs().begin(), graph.getOutputs().end());
    double sum = 0;
    for (unsigned i = 0; i < parts.size(); ++i)
      if (set >> i & 1) {
        stored.insert(parts[i].output);
        wanted.insert(parts[i].inputs.begin(), parts[i].inputs.end());
        sum += us[i];
      }
    bool isComplete = llvm::all_of(wanted, [&](ValueId value) {
      return graph.isInput(value) || stored.count(value);
    });
    if (isComplete)
      best = std::min(best, sum);
  }
  return best;
}

TEST(ProgramPartsTest, TheChoiceIsTheCheapest) {
  Graph graph = normAndTwoProjections();
  std::vector<ProgramPart> parts = enumerateParts(graph, {});
  ASSERT_LE(parts.size(), 20u);
  uint64_t state = 1;
  std::set<std::vector<unsigned>> choices;
  for (unsigned round = 0; round < 30; ++round) {
    std::vector<double> us;
    for (size_t i = 0; i < parts.size(); ++i) {
      state = state * 6364136223846793005 + 1442695040888963407;
      us.push_back(1 + double(state >> 33) / double(uint64_t(1) << 31) * 4);
    }
    auto getCost = [&](unsigned part) {
      return std::optional<PartCost>({us[part]});
    };
    for (unsigned maxKernels = 1; maxKernels < 5; ++maxKernels) {
      auto few = chooseParts(graph, parts, getCost, maxKernels);
      ASSERT_TRUE(few);
      EXPECT_LE(few->parts.size(), maxKernels);
      EXPECT_NEAR(few->us, findCheapestByForce(graph, parts, us, maxKernels),
                  1e-9);
    }
    EXPECT_FALSE(chooseParts(graph, parts, getCost, 0));
    auto choice = chooseParts(graph, parts, getCost);
    ASSERT_TRUE(choice);
    EXPECT_NEAR(choice->us, findCheapestByForce(graph, parts, us, parts.size()),
                1e-9);
    choices.insert(choice->parts);
    std::set<ValueId> stored;
    for (unsigned part : choice->parts) {
      for (ValueId input : parts[part].inputs)
        EXPECT_TRUE(graph.isInput(input) || stored.count(input))
            << "read before it is there";
      stored.insert(parts[part].output);
    }
  }
  EXPECT_GT(choices.size(), 2u);
}

TEST(ProgramPartsTest, WhatCannotBeHadIsGoneAround) {
  Graph graph = normAndTwoProjections();
  std::vector<ProgramPart> parts = enumerateParts(graph, {});
  auto choose = [&](unsigned largest) {
    return chooseParts(graph, parts,
                       [&](unsigned part) -> std::optional<PartCost> {
                         if (parts[part].operations.size() > largest)
                           return std::nullopt;
                         return PartCost{1};
                       });
  };
  EXPECT_EQ(choose(5)->parts.size(), 1u);
  EXPECT_EQ(choose(1)->parts.size(), 5u);
  EXPECT_FALSE(choose(0));
}

/// Parts of equal extents that compute different things, and read different
/// numbers of inputs.
TEST(ProgramPartsTest, PartsAreJudgedByTheirOwnTrials) {
  ProgramBuilder b;
  std::vector<ValueId> inputs;
  for (unsigned i = 0; i < 13; ++i)
    inputs.push_back(b.input({64, 64}));
  ValueId last = inputs[0];
  for (unsigned i = 1; i < inputs.size(); ++i)
    last = b.apply(i % 3 == 0 ? Opcode::Mul : Opcode::Add, {last, inputs[i]});
  SearchOptions options;
  options.maxStates = 2000;
  SearchResult result =
      llvm::cantFail(superoptimize(b.finish({last}), options));
  ASSERT_EQ(result.candidates.size(), 1u);
  EXPECT_GT(result.candidates[0].claims.size(), 1u) << "parts were chosen";
  EXPECT_EQ(result.report.filtered, 0u);
  EXPECT_EQ(result.report.rejected, 0u);
}

/// Keys are split over blocks, and a second kernel joins what is left of them:
/// two kernels of one part, behind that of the norm of the values. As one
/// kernel with a join, which is all that other parts have, more would be better
/// left together.
TEST(ProgramPartsTest, PartsOfTwoProductsHaveTwoKernels) {
  ProgramBuilder b;
  ValueId q = b.input({2, 256, 64}), k = b.input({2, 64, 4096}),
          v = b.input({2, 4096, 64});
  auto addRounded = [&](Opcode opcode, llvm::ArrayRef<ValueId> operands,
                        Attributes attributes = {}) {
    llvm::SmallVector<TensorSpec> types = b.graph.getTypes(operands);
    Shape shape = llvm::cantFail(inferShape(opcode, attributes, types, {}));
    return b.graph.add(opcode, operands, {shape, ElementType::F16}, attributes);
  };
  auto addNormed = [&](ValueId x) {
    ValueId mean = b.reduce(Opcode::Mean, b.apply(Opcode::Square, {x}), 2);
    return addRounded(Opcode::Div, {x, addRounded(Opcode::Sqrt, {mean})});
  };
  Attributes overKeys;
  overKeys.dims = {2};
  ValueId scores = addRounded(Opcode::Matmul, {addNormed(q), k});
  ValueId e = addRounded(Opcode::Exp, {scores});
  ValueId sum = addRounded(Opcode::Sum, {e}, overKeys);
  ValueId p = addRounded(Opcode::Div, {e, sum});
  ValueId output = addRounded(Opcode::Matmul, {p, addNormed(v)});
  SearchResult result =
      llvm::cantFail(superoptimize(b.finish({output}), SearchOptions()));
  ASSERT_FALSE(result.candidates.empty());
  const Candidate &best = result.candidates[0];
  auto countKernels = [](const Graph &graph) {
    return llvm::count_if(graph.getNodes(), [](const Node &node) {
      return node.body != nullptr;
    });
  };
  EXPECT_EQ(countKernels(best.graph), 3);
  EXPECT_TRUE(llvm::any_of(best.claims, [&](const Claim &claim) {
    return countKernels(claim.graph) == 2;
  }));
}

/// What no search takes stands as a kernel of its own between what it does.
TEST(ProgramPartsTest, ProgramsThatCannotBeNamedAreCut) {
  ProgramBuilder b;
  ValueId x = b.input({32, 16}), v = b.input({16, 16}), w = b.input({16, 32});
  Attributes even;
  even.offsets = {0, 0};
  even.strides = {2, 1};
  ValueId rows = b.apply(Opcode::Slice, {x}, even, {16, 16});
  ValueId result = b.apply(Opcode::Exp, {b.matmul(b.matmul(rows, v), w)});
  Graph graph = b.finish({result});
  SearchOptions options;
  options.cutsProgram = false;
  llvm::Expected<SearchResult> whole = superoptimize(graph, options);
  EXPECT_FALSE(bool(whole));
  llvm::consumeError(whole.takeError());
  options.cutsProgram = true;
  SearchResult cut = llvm::cantFail(superoptimize(graph, options));
  ASSERT_EQ(cut.candidates.size(), 1u);
  EXPECT_EQ(llvm::count_if(cut.candidates[0].graph.getNodes(),
                           [](const Node &node) { return bool(node.body); }),
            2);
  EXPECT_EQ(cut.candidates[0].claims.size(), 2u);
  EXPECT_LT(cut.report.bestUs, cut.report.baselineUs);
  // That a part has one kernel is nobody's limit.
  EXPECT_FALSE(cut.report.limits.has(SpaceLimit::Kernels));
  EXPECT_EQ(cut.stopReason, StopReason::Exhausted);
  options.maxStates = 100; // and each part a share of them
  cut = llvm::cantFail(superoptimize(graph, options));
  EXPECT_EQ(cut.stopReason, StopReason::StateLimit);
}

/// A mean of two dimensions, of which a scale has one: there are too many ways
/// to write it for the states, and fewer for each part.
TEST(ProgramPartsTest, ProgramsWithTooManyStatesAreCut) {
  ProgramBuilder b;
  ValueId x = b.input({16, 8, 1024}), scale = b.input({8, 1}),
          shift = b.input({8, 1});
  Attributes over;
  over.dims = {1, 2};
  auto addMean = [&](ValueId of) { return b.apply(Opcode::Mean, {of}, over); };
  ValueId centred = b.apply(Opcode::Sub, {x, addMean(x)});
  ValueId variance = addMean(b.apply(Opcode::Square, {centred}));
  ValueId deviation = b.apply(Opcode::Sqrt, {variance});
  ValueId normed = b.apply(Opcode::Div, {centred, deviation});
  ValueId scaled = b.apply(Opcode::Mul, {normed, scale});
  Graph graph = b.finish({b.apply(Opcode::Add, {scaled, shift})});
  SearchOptions options;
  options.maxStates = 8000;
  options.cutsProgram = false;
  SearchResult whole = llvm::cantFail(superoptimize(graph, options));
  EXPECT_TRUE(whole.candidates.empty());
  EXPECT_EQ(whole.stopReason, StopReason::StateLimit);
  options.cutsProgram = true;
  SearchResult cut = llvm::cantFail(superoptimize(graph, options));
  ASSERT_EQ(cut.candidates.size(), 1u);
  EXPECT_GT(cut.candidates[0].claims.size(), 1u);
  EXPECT_LT(2 * cut.report.bestUs, cut.report.baselineUs);
}

} // namespace
