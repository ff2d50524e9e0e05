//===- RespellingTest.cpp - What the rules of place leave out -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs too large for brute force are enumerated with factors, signs and
// sums anywhere. What the search does not visit has to be another spelling of
// what it does. Products that the rule on names leaves out are counted.
//
//===----------------------------------------------------------------------===//

#include "Respelling.h"
#include "CountedPrograms.h"
#include "KernelEnumeration.h"
#include "Mirage/Search/RewrittenProgram.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {

constexpr AtomReading kAtoms = AtomReading::Function;
constexpr AtomReading kWrittenOut = AtomReading::WrittenOut;

using Choice = std::pair<llvm::SmallVector<NameId, 3>, NameId>;
using KernelsOfChoices = std::map<Choice, std::vector<KernelStructure>>;

KernelsOfChoices sortByChoice(llvm::ArrayRef<KernelStructure> structures) {
  KernelsOfChoices sorted;
  for (const KernelStructure &structure : structures)
    sorted[{structure.gridNames, structure.loopName}].push_back(structure);
  return sorted;
}

std::set<BruteKernel> toTerms(TermTable &table,
                              llvm::ArrayRef<KernelStructure> structures) {
  std::set<BruteKernel> kernels;
  for (const KernelStructure &structure : structures)
    kernels.insert(test::toTerms(table, structure));
  return kernels;
}

/// Every step has to be right and no longer than the one before.
void expectRespelled(TermTable &table, BruteKernel kernel,
                     const std::set<BruteKernel> &visited) {
  std::string text = toString(table, kernel);
  while (!visited.count(kernel)) {
    std::optional<Respelled> respelled = respell(table, kernel);
    ASSERT_TRUE(respelled) << "lost: " << text
                           << "\nin the end: " << toString(table, kernel);
    EXPECT_LE(respelled->kernel.operators.size(), kernel.operators.size());
    EXPECT_TRUE(table.isOutput(respelled->kernel.output)) << text;
    kernel = respelled->kernel;
  }
}

/// \param numAnywhere  structures with factors, signs and sums anywhere.
void expectRespelled(const Graph &graph, AtomReading reading, KernelSpace space,
                     size_t numAnywhere) {
  TargetProgram program = makeProgram(graph);
  KernelsOfChoices visited =
      sortByChoice(enumerateKernels(graph, reading, space).structures);
  space.off.inAnyPlace = true;
  std::vector<KernelStructure> anywhere =
      enumerateKernels(graph, reading, space).structures;
  EXPECT_EQ(anywhere.size(), numAnywhere);
  for (const auto &[choice, structures] : sortByChoice(anywhere)) {
    TermTable table(program, reading, {choice.first, choice.second});
    std::set<BruteKernel> found = toTerms(table, visited[choice]),
                          all = toTerms(table, structures);
    EXPECT_TRUE(
        std::includes(all.begin(), all.end(), found.begin(), found.end()));
    for (const BruteKernel &kernel : all)
      expectRespelled(table, kernel, found);
  }
}

constexpr KernelSpace kTwoAxes{11, 2, {}};
constexpr KernelSpace kJoinedBlocks{11,
                                    3,
                                    {/*inOutputs=*/false,
                                     /*inKernel=*/true}};

/// With a factor after any reduction, as an independent prototype has them,
/// there are 49 and 263.
TEST(RespellingTest, ScaledAttention) {
  Graph graph = attention(2, 8, 64, 16, 0.125);
  expectRespelled(graph, kWrittenOut, kTwoAxes, 119);
  expectRespelled(graph, kWrittenOut, kJoinedBlocks, 559);
}

TEST(RespellingTest, LayerNormLinear) {
  expectRespelled(layerNormLinear(8, 64, 48, false), kAtoms, kTwoAxes, 252);
}

TEST(RespellingTest, GatedMlpWithSiluSpelled) {
  expectRespelled(gatedMlpSpelled(8, 64, 48), kWrittenOut, kTwoAxes, 432);
}

/// Sums over blocks with keys and over blocks with columns of the values,
/// behind loops and before those that read them.
TEST(RespellingTest, AttentionThenLinear) {
  expectRespelled(attentionLinear(false), kWrittenOut, kJoinedBlocks, 1110);
}

//===----------------------------------------------------------------------===//
// Outer products
//===----------------------------------------------------------------------===//

bool allMayMeet(const TermTable &table, const BruteKernel &kernel) {
  return llvm::all_of(kernel.operators, [&](TermId term) {
    const StructureOperator &op = table.get(term).op;
    return op.operands.size() < 2 || op.over != kNoName ||
           table.program.mayMeet(table.get(op.operands[0]).names,
                                 table.get(op.operands[1]).names);
  });
}

/// Structures with all products of names that some value has.
size_t countWithOuterProducts(const Graph &graph, AtomReading reading,
                              KernelSpace space) {
  TargetProgram program = makeProgram(graph);
  space.off.joinsAnyNames = true;
  size_t number = 0;
  for (const auto &[choice, structures] :
       sortByChoice(enumerateKernels(graph, reading, space).structures)) {
    TermTable table(program, reading, {choice.first, choice.second});
    number += llvm::count_if(
        toTerms(table, structures),
        [&](const BruteKernel &kernel) { return allMayMeet(table, kernel); });
  }
  return number;
}

/// E/(Σ·r), the denominators of attention on normed values multiplied with one
/// another, is what `outer products left out` is about.
TEST(RespellingTest, QuotientsByOuterProductsAreLeftOut) {
  Graph graph = normedAttention(2, 8, 64, 16, {0, 2});
  EXPECT_EQ(countWithOuterProducts(graph, kAtoms, kTwoAxes), 88u);
  EXPECT_EQ(countWithOuterProducts(graph, kAtoms, kJoinedBlocks), 152u);
}

} // namespace
