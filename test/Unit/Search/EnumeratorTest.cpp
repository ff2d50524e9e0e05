//===- EnumeratorTest.cpp - All structures of one kernel, each once -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Enumerator.h"
#include "Mirage/Search/Tilings.h"
#include "Programs.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {

constexpr AtomReading kAtoms = AtomReading::Function;
constexpr AtomReading kWrittenOut = AtomReading::WrittenOut;

struct Found {
  uint64_t states = 0; ///< of one pass with the largest budget
  std::vector<KernelStructure> structures;
};

struct Space {
  unsigned maxOperators = 11, maxGridAxes = 2;
  GridJoins joins = {/*inOutputs=*/true};
  bool inAnyOrder = false, joinsAnyNames = false, ignoresFunctions = false;
};

Found enumerate(const Graph &graph, AtomReading reading, Space options = {}) {
  TargetProgram program = llvm::cantFail(makeTargetProgram(graph));
  EnumerationSpace space(program, reading);
  EXPECT_TRUE(space.isSearchable());
  Found found;
  for (unsigned size = 1; size <= options.maxOperators; ++size) {
    EnumerationCounts counts;
    EnumerationLimits limits{size,
                             /*maxStates=*/10000000,
                             options.joins,
                             options.inAnyOrder,
                             options.joinsAnyNames,
                             options.ignoresFunctions};
    KernelSite site = makeWholeSite(space);
    for (const KernelChoice &kernel : enumerateKernelChoices(
             program, site, options.maxGridAxes, options.joins))
      EXPECT_TRUE(Enumerator(space, limits, counts)
                      .run(site, kernel,
                           [&](const KernelStructure &structure, auto results) {
                             EXPECT_TRUE(results.empty());
                             found.structures.push_back(structure);
                           }));
    found.states = counts.states;
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

struct Count {
  const char *name;
  Graph graph;
  AtomReading reading;
  uint64_t maxStates;   ///< as measured, with some room
  size_t minStructures; ///< that an independent prototype found
};

/// 11 operators, 2 grid axes: the space stays small, and nothing in it is lost.
TEST(EnumeratorTest, CountsStayAsMeasured) {
  Count counts[] = {
      {"rms norm + linear", rmsNormLinear(8, 64, 48), kWrittenOut, 1100, 16},
      {"epsilon, weight", rmsNormWeightLinear(8, 64, 48), kWrittenOut, 1400,
       24},
      {"gated mlp", gatedMlp(8, 64, 48), kAtoms, 110, 8},
      {"silu spelled", gatedMlpSpelled(8, 64, 48), kAtoms, 110, 8},
      {"silu written out", gatedMlpSpelled(8, 64, 48), kWrittenOut, 2200, 24},
      {"softmax rows", softmaxRows(8, 64), kWrittenOut, 20, 2},
      {"lora", lora(8, 64, 4, 48), kWrittenOut, 3800, 52},
      {"attention", attention(2, 8, 64, 16), kWrittenOut, 320, 35},
      {"keys transposed", attention(2, 8, 64, 16, 1, true), kWrittenOut, 320,
       35},
      {"scaled attention", attention(2, 8, 64, 16, 0.125), kWrittenOut, 350,
       35},
      {"normed q and k", qkNormAttention(2, 8, 64, 16), kAtoms, 5200, 88},
      {"rms + gated mlp", rmsNormGatedMlp(8, 64, 48), kAtoms, 850, 44},
      {"layer norm + linear", layerNormLinear(8, 64, 48, false), kAtoms, 2400,
       56},
  };
  for (const Count &count : counts) {
    Found found = enumerate(count.graph, count.reading);
    EXPECT_LE(found.states, count.maxStates) << count.name;
    EXPECT_GE(found.structures.size(), count.minStructures) << count.name;
  }
}

/// The same, with 3 grid axes and accumulations over them.
TEST(EnumeratorTest, CountsWithGridAccumulationsStayAsMeasured) {
  Count counts[] = {
      {"rms norm + linear", rmsNormLinear(8, 64, 48), kWrittenOut, 3500, 44},
      {"gated mlp", gatedMlp(8, 64, 48), kAtoms, 250, 24},
      {"softmax rows", softmaxRows(8, 64), kWrittenOut, 25, 2},
      {"lora", lora(8, 64, 4, 48), kWrittenOut, 17600, 264},
      {"attention", attention(2, 8, 64, 16), kWrittenOut, 1300, 148},
      {"normed q and k", qkNormAttention(2, 8, 64, 16), kAtoms, 7900, 152},
      {"rms + gated mlp", rmsNormGatedMlp(8, 64, 48), kAtoms, 900, 32},
      {"layer norm + linear", layerNormLinear(8, 64, 48, false), kAtoms, 2500,
       56},
  };
  for (const Count &count : counts) {
    Space space;
    space.maxGridAxes = 3;
    space.joins = {/*inOutputs=*/true, /*inKernel=*/true};
    Found found = enumerate(count.graph, count.reading, space);
    EXPECT_LE(found.states, count.maxStates) << count.name;
    EXPECT_GE(found.structures.size(), count.minStructures) << count.name;
  }
}

/// norm(x + norm(h)), nothing recognised beforehand: a root of a root.
Graph normOfNorm(int64_t m, int64_t k) {
  ProgramBuilder b;
  ValueId x = b.input({m, k}), h = b.input({m, k});
  auto normalize = [&](ValueId value) {
    ValueId mean = b.reduce(Opcode::Mean, b.apply(Opcode::Square, {value}), 1);
    return b.apply(Opcode::Div, {value, b.apply(Opcode::Sqrt, {mean})});
  };
  return b.finish({normalize(b.apply(Opcode::Add, {x, normalize(h)}))});
}

/// What is missing of the program's functions and roots has to come: that many
/// operators are kept free, and no structure is lost.
TEST(EnumeratorTest, WhatIsMissingTakesOperators) {
  struct Case {
    Graph graph;
    AtomReading reading;
    unsigned maxOperators;
  } cases[] = {{rmsNormLinear(8, 64, 48), kWrittenOut, 9},
               {rmsNormWeightLinear(8, 64, 48), kWrittenOut, 8},
               {gatedMlpSpelled(8, 64, 48), kWrittenOut, 9},
               {normOfNorm(8, 64), kWrittenOut, 6},
               {normOfNorm(8, 64), kAtoms, 9},
               {qkNormAttention(2, 8, 64, 16), kWrittenOut, 9},
               {layerNormLinear(8, 64, 48, false), kAtoms, 9},
               {softmaxRows(8, 64), kWrittenOut, 8}};
  uint64_t numStates = 0, numAllStates = 0;
  for (const Case &one : cases) {
    Space space;
    space.maxOperators = one.maxOperators;
    space.joins = {/*inOutputs=*/true, /*inKernel=*/true};
    Found some = enumerate(one.graph, one.reading, space);
    space.ignoresFunctions = true;
    Found all = enumerate(one.graph, one.reading, space);
    EXPECT_EQ(some.structures, all.structures);
    EXPECT_LE(some.states, all.states);
    EXPECT_FALSE(all.structures.empty());
    numStates += some.states;
    numAllStates += all.states;
  }
  EXPECT_LT(numStates, numAllStates / 2);
}

//===----------------------------------------------------------------------===//
// Each structure once
//===----------------------------------------------------------------------===//

/// What a structure computes and how, without the order of its operators.
std::string describe(const KernelStructure &structure) {
  std::vector<std::string> tensors;
  for (unsigned input : structure.inputs)
    tensors.push_back("%" + std::to_string(input));
  std::multiset<std::string> operators;
  for (const StructureOperator &op : structure.operators) {
    const OperatorInfo &row = getOperatorInfo(op.opcode);
    std::vector<std::string> operands;
    for (unsigned operand : op.operands)
      operands.push_back(tensors[operand]);
    if (row.commutes || row.kind == OperatorKind::Contraction)
      llvm::sort(operands);
    std::string text = row.name.str() + std::to_string(int(op.reduction)) +
                       "." + std::to_string(op.over) + "." +
                       (op.gridAxis ? std::to_string(*op.gridAxis) : "") + "(";
    for (double scalar : op.scalars)
      text += std::to_string(scalar) + ",";
    for (const std::string &operand : operands)
      text += operand + ",";
    tensors.push_back(text + ")");
    operators.insert(tensors.back());
  }
  std::string text = "loop" + std::to_string(structure.loopName) + " grid";
  for (NameId name : structure.gridNames)
    text += std::to_string(name) + ",";
  for (const std::string &op : operators)
    text += op + ";";
  for (unsigned output : structure.results)
    text += tensors[output];
  return text;
}

std::multiset<std::string> describeAll(const Found &found) {
  std::multiset<std::string> all;
  for (const KernelStructure &structure : found.structures)
    all.insert(describe(structure));
  return all;
}

TEST(EnumeratorTest, TheCanonicalOrderLosesAndRepeatsNothing) {
  std::pair<Graph, AtomReading> programs[] = {
      {rmsNormLinear(8, 64, 48), kWrittenOut},
      {gatedMlp(8, 64, 48), kAtoms},
      {lora(8, 64, 4, 48), kWrittenOut},
      {attention(2, 8, 64, 16), kWrittenOut}};
  for (auto &[graph, reading] : programs) {
    Space ordered{6, 1, {true, true}},
        free{6, 1, {true, true}, /*inAnyOrder=*/true};
    std::multiset<std::string> once =
        describeAll(enumerate(graph, reading, ordered));
    std::multiset<std::string> often =
        describeAll(enumerate(graph, reading, free));
    std::set<std::string> distinct(once.begin(), once.end());
    EXPECT_EQ(distinct.size(), once.size()) << "a structure came twice";
    EXPECT_EQ(distinct, std::set<std::string>(often.begin(), often.end()));
    EXPECT_GT(often.size(), once.size()) << "the order cut nothing";
  }
}

//===----------------------------------------------------------------------===//
// What is found
//===----------------------------------------------------------------------===//

bool hasStructure(const Found &found,
                  llvm::function_ref<bool(const KernelStructure &)> property) {
  return llvm::any_of(found.structures, property);
}

bool isLooped(const KernelStructure &structure) {
  return structure.loopName != kNoName;
}

TEST(EnumeratorTest, FindsLoopedKernels) {
  for (const Graph &graph :
       {rmsNormLinear(8, 64, 48), gatedMlp(8, 64, 48), lora(8, 64, 4, 48),
        attention(2, 8, 64, 16), rmsNormGatedMlp(8, 64, 48),
        layerNormLinear(8, 64, 48, true)})
    EXPECT_TRUE(hasStructure(enumerate(graph, kAtoms), isLooped));
}

/// Keys shared among blocks, which join their sums before they divide.
TEST(EnumeratorTest, FindsKernelsThatJoinBlocks) {
  Space space;
  space.joins = {/*inOutputs=*/false, /*inKernel=*/true};
  Found found = enumerate(attention(2, 8, 64, 16), kWrittenOut, space);
  EXPECT_TRUE(hasStructure(found, [](const KernelStructure &structure) {
    return isLooped(structure) &&
           structure.operators.back().opcode == Opcode::Div &&
           llvm::count_if(structure.operators, [](const StructureOperator &op) {
             return op.gridAxis.has_value();
           }) == 2;
  }));
}

TEST(EnumeratorTest, FindsKernelsWithTwoOutputs) {
  Found found = enumerate(twoOutputs(8, 64, 48), kAtoms);
  EXPECT_TRUE(hasStructure(found, isLooped));
  for (const KernelStructure &structure : found.structures)
    EXPECT_EQ(structure.results.size(), 2u);
}

TEST(EnumeratorTest, FindsAMaximumInALoop) {
  // The maximum can be accumulated, but the difference needs all of X again.
  Found found = enumerate(subtractMaximum(8, 64), kAtoms);
  EXPECT_FALSE(found.structures.empty());
}

TEST(EnumeratorTest, FindsElementwiseOperatorsOfAllNames) {
  Space space, anyNames;
  space.maxOperators = anyNames.maxOperators = 5;
  anyNames.joinsAnyNames = true;
  for (const Graph &graph : {distances(8, 6, 64), sumOfExpProducts(8, 6, 64)}) {
    Found found = enumerate(graph, kAtoms, space);
    EXPECT_TRUE(hasStructure(found, isLooped));
    EXPECT_EQ(describeAll(found),
              describeAll(enumerate(graph, kAtoms, anyNames)));
  }
}

/// With the rule on names off, a matrix product may be spelled out, and nothing
/// else is found.
TEST(EnumeratorTest, TheRuleOnNamesLeavesOutSpelledProducts) {
  Space space, anyNames;
  space.maxOperators = anyNames.maxOperators = 5;
  anyNames.joinsAnyNames = true;
  Graph graph = expMatmul(8, 64, 48);
  std::multiset<std::string> with =
      describeAll(enumerate(graph, kAtoms, space));
  size_t numLeftOut = 0;
  for (const KernelStructure &structure :
       enumerate(graph, kAtoms, anyNames).structures) {
    auto isMatmul = [](const StructureOperator &op) {
      return op.opcode == Opcode::Matmul;
    };
    bool isSpelled = llvm::none_of(structure.operators, isMatmul);
    EXPECT_EQ(isSpelled, with.count(describe(structure)) == 0);
    numLeftOut += isSpelled;
  }
  EXPECT_GT(numLeftOut, 0u);
}

TEST(EnumeratorTest, TransposedKeysAreNoOperator) {
  EXPECT_EQ(enumerate(attention(2, 8, 64, 16), kWrittenOut).states,
            enumerate(attention(2, 8, 64, 16, 1, true), kWrittenOut).states);
}

TEST(EnumeratorTest, RecognisesSiluByItsForm) {
  Found spelled = enumerate(gatedMlpSpelled(8, 64, 48), kAtoms);
  Found atom = enumerate(gatedMlp(8, 64, 48), kAtoms);
  EXPECT_EQ(describeAll(spelled), describeAll(atom));
}

TEST(EnumeratorTest, AxesStayWithinOutputsUnlessSumsAreAllowed) {
  Graph graph = expMatmul(8, 64, 48);
  TargetProgram program = llvm::cantFail(makeTargetProgram(graph));
  EnumerationSpace space(program, kAtoms);
  for (const KernelChoice &kernel :
       enumerateKernelChoices(program, makeWholeSite(space), 3, {}))
    for (NameId name : kernel.gridNames)
      EXPECT_TRUE(contains(program.getNames(graph.getOutputs()[0]), name));
}

//===----------------------------------------------------------------------===//
// What is refused
//===----------------------------------------------------------------------===//

std::string getRefusal(const Graph &graph) {
  llvm::Expected<TargetProgram> program = makeTargetProgram(graph);
  return program ? "" : llvm::toString(program.takeError());
}

TEST(EnumeratorTest, RefusesATensorTimesItself) {
  ProgramBuilder b;
  ValueId x = b.input({8, 8});
  EXPECT_NE(getRefusal(b.finish({b.matmul(x, x)})).find("operation 0 (matmul)"),
            std::string::npos);
}

TEST(EnumeratorTest, RefusesAReshapeThatJoinsDimensions) {
  ProgramBuilder b;
  ValueId x = b.input({4, 8});
  ValueId flat = b.apply(Opcode::Reshape, {x}, {}, {32});
  EXPECT_NE(getRefusal(b.finish({flat})).find("neither splits nor joins"),
            std::string::npos);
}

TEST(EnumeratorTest, TestExtentsDifferAndAreCutUnevenlyOnce) {
  Graph graph = attention(2, 8, 64, 16);
  TargetProgram program = llvm::cantFail(makeTargetProgram(graph));
  EnumerationSpace space(program, AtomReading::Function);
  EnumerationCounts counts;
  EnumerationLimits limits{/*numOperators=*/5, /*maxStates=*/10000, {true}};
  KernelSite site = makeWholeSite(space);
  for (const KernelChoice &kernel :
       enumerateKernelChoices(program, site, 3, {true}))
    Enumerator(space, limits, counts)
        .run(site, kernel, [&](const KernelStructure &s, auto) {
          llvm::SmallVector<int64_t> a = getTestSizes(program, {s}, 0).extents,
                                     b = getTestSizes(program, {s}, 1).extents;
          a.resize(program.names.getNumNames());
          b.resize(program.names.getNumNames());
          for (const auto &extents : {a, b})
            EXPECT_EQ(std::set<int64_t>(extents.begin(), extents.end()).size(),
                      extents.size());
          for (auto [first, second] : llvm::zip(a, b))
            EXPECT_NE(first % 2, second % 2);
        });
}

TEST(EnumeratorTest, TimeEndsASearchWithinARound) {
  Graph graph = qkNormAttention(2, 8, 64, 16);
  TargetProgram program = llvm::cantFail(makeTargetProgram(graph));
  EnumerationSpace space(program, AtomReading::Function);
  EnumerationCounts counts;
  EnumerationLimits limits{/*numOperators=*/16, /*maxStates=*/1000000, {true}};
  limits.isOutOfTime = [] { return true; };
  KernelChoice whole;
  EXPECT_FALSE(Enumerator(space, limits, counts)
                   .run(makeWholeSite(space), whole,
                        [](const KernelStructure &, auto) {}));
  EXPECT_LE(counts.trials, 1024u);
}

} // namespace
