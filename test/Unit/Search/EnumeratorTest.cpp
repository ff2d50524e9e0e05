//===- EnumeratorTest.cpp - All structures of one kernel, each once -------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEnumeration.h"
#include "Mirage/Search/Tilings.h"
#include "Programs.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <set>
#include <thread>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {

constexpr AtomReading kAtoms = AtomReading::Function;
constexpr AtomReading kWrittenOut = AtomReading::WrittenOut;

//===----------------------------------------------------------------------===//
// Lower bounds
//===----------------------------------------------------------------------===//

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
    KernelSpace space;
    space.maxOperators = one.maxOperators;
    space.joins = {/*inOutputs=*/true, /*inKernel=*/true};
    FoundKernels some = enumerateKernels(one.graph, one.reading, space);
    space.off.ignoresFunctions = true;
    FoundKernels all = enumerateKernels(one.graph, one.reading, space);
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

/// (X·V)·(X·W) and exp(X·W), which may be computed in either order.
Graph productAndExponential() {
  ProgramBuilder b;
  ValueId x = b.input({8, 64}), v = b.input({64, 48}), w = b.input({64, 48});
  ValueId y = b.matmul(x, w);
  return b.finish(
      {b.apply(Opcode::Mul, {b.matmul(x, v), y}), b.apply(Opcode::Exp, {y})});
}

constexpr GridJoins kJoinsAll{/*inOutputs=*/true, /*inKernel=*/true};

void expectEachOnce(const std::multiset<std::string> &ordered,
                    const std::multiset<std::string> &free) {
  std::set<std::string> distinct(ordered.begin(), ordered.end());
  EXPECT_EQ(distinct.size(), ordered.size()) << "a structure came twice";
  EXPECT_EQ(distinct, std::set<std::string>(free.begin(), free.end()));
  EXPECT_GT(free.size(), ordered.size()) << "the order cut nothing";
}

TEST(EnumeratorTest, TheCanonicalOrderLosesAndRepeatsNothing) {
  struct Case {
    const char *name;
    Graph graph;
    AtomReading reading;
    unsigned maxOperators, maxGridAxes;
  } cases[] = {
      {"rms norm + linear", rmsNormLinear(8, 64, 48), kWrittenOut, 7, 2},
      {"gated mlp", gatedMlp(8, 64, 48), kAtoms, 7, 2},
      {"silu written out", gatedMlpSpelled(8, 64, 48), kWrittenOut, 8, 1},
      {"lora", lora(8, 64, 4, 48), kWrittenOut, 6, 1},
      {"attention", attention(2, 8, 64, 16), kWrittenOut, 6, 2},
      {"normed keys", normedAttention(2, 8, 64, 16, {1}), kAtoms, 8, 1},
      {"normed q and k", qkNormAttention(2, 8, 64, 16), kAtoms, 9, 1},
      {"normalized step", normalizedStep(8, 64), kAtoms, 9, 1},
      {"layer norm + linear", layerNormLinear(8, 64, 48, false), kAtoms, 9, 1},
      {"two outputs", productAndExponential(), kAtoms, 7, 2},
  };
  for (const Case &one : cases) {
    SCOPED_TRACE(one.name);
    KernelSpace space{one.maxOperators, one.maxGridAxes, kJoinsAll};
    std::multiset<std::string> ordered =
        describeAll(enumerateKernels(one.graph, one.reading, space).structures);
    space.off.inAnyOrder = true;
    expectEachOnce(
        ordered,
        describeAll(
            enumerateKernels(one.graph, one.reading, space).structures));
  }
}

/// Kernels that leave up to three tensors to another one. Many are of use to
/// none, as something in them has no use; when that is seen is a matter of the
/// order.
TEST(EnumeratorTest, TheCanonicalOrderIsThatOfKernelsBeforeOthers) {
  struct Case {
    const char *name;
    Graph graph;
    AtomReading reading;
  } cases[] = {{"rms norm + linear", rmsNormLinear(8, 64, 48), kWrittenOut},
               {"lora", lora(8, 64, 4, 48), kWrittenOut},
               {"attention", attention(2, 8, 64, 16), kWrittenOut},
               {"rms + gated mlp", rmsNormGatedMlp(8, 64, 48), kAtoms}};
  for (const Case &one : cases) {
    SCOPED_TRACE(one.name);
    KernelSpace space{5, 2, {/*inOutputs=*/false, /*inKernel=*/true}};
    space.off.ignoresPairs = true;
    std::multiset<std::string> ordered =
        describeAll(enumerateFirstKernels(one.graph, one.reading, space));
    space.off.inAnyOrder = true;
    expectEachOnce(ordered, describeAll(enumerateFirstKernels(
                                one.graph, one.reading, space)));
  }
}

//===----------------------------------------------------------------------===//
// What is found
//===----------------------------------------------------------------------===//

bool hasStructure(const FoundKernels &found,
                  llvm::function_ref<bool(const KernelStructure &)> property) {
  return llvm::any_of(found.structures, property);
}

TEST(EnumeratorTest, FindsLoopedKernels) {
  for (const Graph &graph :
       {rmsNormLinear(8, 64, 48), gatedMlp(8, 64, 48), lora(8, 64, 4, 48),
        attention(2, 8, 64, 16), rmsNormGatedMlp(8, 64, 48),
        layerNormLinear(8, 64, 48, true)})
    EXPECT_TRUE(hasStructure(enumerateKernels(graph, kAtoms), isLooped));
}

/// Keys shared among blocks, which join their sums before they divide.
TEST(EnumeratorTest, FindsKernelsThatJoinBlocks) {
  KernelSpace space;
  space.joins = {/*inOutputs=*/false, /*inKernel=*/true};
  FoundKernels found =
      enumerateKernels(attention(2, 8, 64, 16), kWrittenOut, space);
  EXPECT_TRUE(hasStructure(found, [](const KernelStructure &structure) {
    return isLooped(structure) &&
           structure.operators.back().opcode == Opcode::Div &&
           llvm::count_if(structure.operators, [](const StructureOperator &op) {
             return op.gridAxis.has_value();
           }) == 2;
  }));
}

TEST(EnumeratorTest, FindsKernelsWithTwoOutputs) {
  FoundKernels found = enumerateKernels(twoOutputs(8, 64, 48), kAtoms);
  EXPECT_TRUE(hasStructure(found, isLooped));
  for (const KernelStructure &structure : found.structures)
    EXPECT_EQ(structure.results.size(), 2u);
}

bool hasMaximum(const KernelStructure &structure, bool isAccumulated) {
  return llvm::any_of(structure.operators, [&](const StructureOperator &op) {
    return isAccumulated
               ? op.opcode == Opcode::Accumulate && op.reduction == Opcode::Max
               : op.opcode == Opcode::Max;
  });
}

/// The greatest product of each row with all columns, which the loop walks.
TEST(EnumeratorTest, FindsAMaximumInALoop) {
  ProgramBuilder b;
  ValueId x = b.input({8, 64}), w = b.input({64, 48});
  Graph graph = b.finish({b.reduce(Opcode::Max, b.matmul(x, w), 1)});
  FoundKernels found = enumerateKernels(graph, kAtoms);
  EXPECT_TRUE(hasStructure(found, [](const KernelStructure &structure) {
    return isLooped(structure) && hasMaximum(structure, true);
  }));
}

/// The maximum could be accumulated, but the difference needs all of X again.
TEST(EnumeratorTest, WhatMaximaAreSubtractedFromIsThereAsAWhole) {
  FoundKernels found = enumerateKernels(subtractMaximum(8, 64), kAtoms);
  EXPECT_FALSE(found.structures.empty());
  for (const KernelStructure &structure : found.structures)
    EXPECT_TRUE(!isLooped(structure) && hasMaximum(structure, false));
}

TEST(EnumeratorTest, FindsElementwiseOperatorsOfAllNames) {
  KernelSpace space, anyNames;
  space.maxOperators = anyNames.maxOperators = 5;
  anyNames.off.joinsAnyNames = true;
  for (const Graph &graph : {distances(8, 6, 64), sumOfExpProducts(8, 6, 64)}) {
    FoundKernels found = enumerateKernels(graph, kAtoms, space);
    EXPECT_TRUE(hasStructure(found, isLooped));
    EXPECT_EQ(
        describeAll(found.structures),
        describeAll(enumerateKernels(graph, kAtoms, anyNames).structures));
  }
}

/// With the rule on names off, a matrix product may be spelled out, and nothing
/// else is found.
TEST(EnumeratorTest, TheRuleOnNamesLeavesOutSpelledProducts) {
  KernelSpace space, anyNames;
  space.maxOperators = anyNames.maxOperators = 5;
  anyNames.off.joinsAnyNames = true;
  Graph graph = expMatmul(8, 64, 48);
  std::multiset<std::string> with =
      describeAll(enumerateKernels(graph, kAtoms, space).structures);
  size_t numLeftOut = 0;
  for (const KernelStructure &structure :
       enumerateKernels(graph, kAtoms, anyNames).structures) {
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
  EXPECT_EQ(
      enumerateKernels(attention(2, 8, 64, 16), kWrittenOut).states,
      enumerateKernels(attention(2, 8, 64, 16, 1, true), kWrittenOut).states);
}

TEST(EnumeratorTest, RecognisesSiluByItsForm) {
  FoundKernels spelled = enumerateKernels(gatedMlpSpelled(8, 64, 48), kAtoms);
  FoundKernels atom = enumerateKernels(gatedMlp(8, 64, 48), kAtoms);
  EXPECT_EQ(describeAll(spelled.structures), describeAll(atom.structures));
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

/// Different extents of seven names are 181,440 elements, which every structure
/// would be tested at.
TEST(EnumeratorTest, ManyNamesHaveSmallTestExtents) {
  ProgramBuilder b;
  ValueId x = b.input({8, 8, 8, 8, 8, 8, 8});
  ValueId exp = b.apply(Opcode::Exp, {x});
  TargetProgram program = llvm::cantFail(
      makeTargetProgram(b.finish({b.reduce(Opcode::Sum, exp, 6)})));
  KernelStructure kernel;
  kernel.gridNames = {1, 3};
  kernel.loopName = 6;
  for (unsigned variant : {0, 1}) {
    llvm::SmallVector<int64_t> extents =
        getTestSizes(program, {kernel}, variant).extents;
    int64_t count = 1;
    for (NameId name = 0; name < 7; ++name) {
      count *= extents[name];
      EXPECT_GE(extents[name], name == 1 || name == 3 || name == 6 ? 5 : 2);
    }
    EXPECT_LE(count, 1 << 14);
    // What is summed over has its own number of elements.
    EXPECT_EQ(llvm::count(extents, extents[6]), 1);
  }
}

/// Structures of one kernel with the prefixes that lead there, of several
/// enumerators that share it.
struct SharedKernel {
  SharedKernel(const TargetProgram &program, const KernelChoice &choice,
               unsigned numOperators, unsigned numThreads, unsigned depth) {
    PrefixShares shares(depth);
    std::vector<Part> parts(numThreads);
    std::vector<std::thread> threads;
    for (Part &part : parts)
      threads.emplace_back(
          [&] { part.run(program, choice, numOperators, shares); });
    for (std::thread &thread : threads)
      thread.join();
    for (const Part &part : parts) {
      counts += part.counts;
      for (const auto &[prefix, structures] : part.found)
        EXPECT_TRUE(found.try_emplace(prefix, structures).second)
            << "two threads had prefix " << prefix;
      EXPECT_TRUE(part.isComplete);
    }
  }

  /// In the order of prefixes.
  std::vector<std::string> list() const {
    std::vector<std::string> all;
    for (const auto &[prefix, structures] : found)
      all.insert(all.end(), structures.begin(), structures.end());
    return all;
  }

  using Found = std::map<uint64_t, std::vector<std::string>>;
  struct Part {
    EnumerationCounts counts;
    Found found;
    bool isComplete = false;

    void run(const TargetProgram &program, const KernelChoice &choice,
             unsigned numOperators, PrefixShares &shares) {
      EnumerationSpace space(program, kAtoms);
      EnumerationLimits limits{
          numOperators, /*maxStates=*/1000000, {true, true}};
      limits.shares = &shares;
      Enumerator enumerator(space, limits, counts);
      isComplete = enumerator.run(
          makeWholeSite(space), choice, [&](const KernelStructure &s, auto) {
            found[enumerator.getPrefix()].push_back(toString(s));
          });
    }
  };
  EnumerationCounts counts;
  Found found;
};

TEST(EnumeratorTest, SharesOfAKernelAreTheWhole) {
  uint64_t numStructures = 0;
  for (const Graph &graph : {lora(8, 64, 16, 48), attention(2, 8, 64, 16)}) {
    TargetProgram program = makeProgram(graph);
    EnumerationSpace space(program, kAtoms);
    for (const KernelChoice &choice :
         enumerateKernelChoices(program, makeWholeSite(space), 2, {true, true}))
      for (unsigned numOperators : {2u, 6u, 7u}) {
        EnumerationCounts counts;
        std::vector<std::string> whole;
        EnumerationLimits limits{
            numOperators, /*maxStates=*/1000000, {true, true}};
        Enumerator(space, limits, counts)
            .run(makeWholeSite(space), choice,
                 [&](const KernelStructure &s, auto) {
                   whole.push_back(toString(s));
                 });
        numStructures += whole.size();
        for (unsigned depth : {0u, 1u, 2u, 3u}) {
          SharedKernel shared(program, choice, numOperators, /*numThreads=*/3,
                              depth);
          EXPECT_EQ(shared.list(), whole);
          EXPECT_EQ(shared.counts, counts);
        }
      }
  }
  EXPECT_GT(numStructures, 100u);
}

/// One that begins when another has found its first structure has what is left
/// then, and the other goes on to nothing.
TEST(EnumeratorTest, WhoComesLateHasTheRest) {
  TargetProgram program = makeProgram(lora(8, 64, 16, 48));
  EnumerationSpace space(program, kAtoms);
  EnumerationLimits limits{
      /*numOperators=*/7, /*maxStates=*/1000000, {true, true}};
  unsigned numShared = 0;
  for (const KernelChoice &choice :
       enumerateKernelChoices(program, makeWholeSite(space), 2, {true, true})) {
    EnumerationCounts whole;
    std::multiset<std::string> all, found;
    Enumerator(space, limits, whole)
        .run(makeWholeSite(space), choice,
             [&](const KernelStructure &s, auto) { all.insert(toString(s)); });
    PrefixShares shares;
    EnumerationLimits sharing = limits;
    sharing.shares = &shares;
    SharedKernel::Part late;
    EnumerationCounts counts;
    Enumerator(space, sharing, counts)
        .run(makeWholeSite(space), choice, [&](const KernelStructure &s, auto) {
          found.insert(toString(s));
          if (!late.isComplete)
            late.run(program, choice, limits.numOperators, shares);
        });
    numShared += !late.found.empty();
    for (const auto &[prefix, structures] : late.found)
      found.insert(structures.begin(), structures.end());
    EXPECT_EQ(found, all);
    counts += late.counts;
    EXPECT_EQ(counts, whole);
  }
  EXPECT_GT(numShared, 0u);
}

/// All together have the limit of one.
TEST(EnumeratorTest, SharesHaveOneLimitOnStates) {
  TargetProgram program = makeProgram(lora(8, 64, 16, 48));
  EnumerationSpace space(program, kAtoms);
  PrefixShares shares;
  EnumerationLimits limits{/*numOperators=*/8, /*maxStates=*/5, {true, true}};
  limits.shares = &shares;
  EnumerationCounts counts, late;
  auto ignore = [](const KernelStructure &, auto) {};
  KernelChoice choice;
  EXPECT_FALSE(Enumerator(space, limits, counts)
                   .run(makeWholeSite(space), choice, ignore));
  EXPECT_EQ(counts.states, 5u);
  EXPECT_FALSE(Enumerator(space, limits, late)
                   .run(makeWholeSite(space), choice, ignore));
  EXPECT_LE(late.states, 1u);
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
