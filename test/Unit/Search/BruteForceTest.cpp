//===- BruteForceTest.cpp - The search's kernels are all there are --------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BruteForce.h"
#include "../TestSizes.h"
#include "Programs.h"
#include "Respelling.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {

struct SmallSpace {
  Graph graph;
  AtomReading reading = AtomReading::WrittenOut;
  std::vector<OperatorKindOf> operators;
  unsigned maxOperators = 4;
  /// More with MIRAGE_TEST_SIZES=full.
  unsigned numMoreOperators = 1;
  unsigned maxGridAxes = 1;
};

/// Compares the kernels of one program that both enumerators give.
class Comparison {
public:
  explicit Comparison(const SmallSpace &space)
      : space(space), maxOperators(space.maxOperators +
                                   (isFullSize() ? space.numMoreOperators : 0)),
        program(llvm::cantFail(makeTargetProgram(space.graph))),
        searched(program, space.reading) {
    EXPECT_TRUE(searched.isSearchable());
  }

  void run() {
    std::vector<NameId> loops = {kNoName};
    NameSet names = 0;
    for (ValueId input : program.inputs)
      names |= program.getNames(input);
    llvm::append_range(loops, toList(names));
    for (NameId loop : loops) {
      compare({{}, loop});
      for (NameId axis : toList(names))
        if (space.maxGridAxes > 0)
          compare({{axis}, loop});
    }
    EXPECT_GT(numFound, 0u);
    if (testing::Test::HasNonfatalFailure())
      ADD_FAILURE() << numForced << " kernels by force, " << numFound
                    << " by the search; rewritten: " << describeRules();
  }

  std::map<RespellingRule, unsigned> numRespelled;

private:
  std::string describeRules() const {
    std::string text;
    for (auto [rule, number] : numRespelled)
      text +=
          getRuleName(rule).str() + " " + std::to_string(number) + " times, ";
    return text;
  }

  std::multiset<BruteKernel> search(TermTable &table) {
    GridJoins joins = {/*inOutputs=*/true, /*inKernel=*/true};
    KernelSite site = makeWholeSite(searched);
    std::vector<KernelChoice> choices =
        enumerateKernelChoices(program, site, space.maxGridAxes, joins);
    bool isChoice = llvm::any_of(choices, [&](const KernelChoice &choice) {
      return choice.gridNames == table.choice.gridNames &&
             choice.loopName == table.choice.loopName;
    });
    std::multiset<BruteKernel> found;
    if (!isChoice)
      return found;
    for (unsigned size = 1; size <= maxOperators; ++size) {
      EnumerationCounts counts;
      EnumerationLimits limits{size, /*maxStates=*/10000000, joins};
      limits.off.joinsAnyNames = true;
      EXPECT_TRUE(Enumerator(searched, limits, counts)
                      .run(site, table.choice,
                           [&](const KernelStructure &kernel, auto) {
                             found.insert(toTerms(table, kernel));
                           }));
    }
    return found;
  }

  void compare(const KernelChoice &choice) {
    TermTable table(program, space.reading, choice);
    std::set<BruteKernel> forced =
        enumerateByForce(table, space.operators, maxOperators);
    std::multiset<BruteKernel> often = search(table);
    std::set<BruteKernel> found(often.begin(), often.end());
    EXPECT_EQ(found.size(), often.size()) << "a kernel came twice";
    numForced += forced.size();
    numFound += found.size();
    for (const BruteKernel &kernel : found) {
      EXPECT_TRUE(forced.count(kernel))
          << "only the search has " << toString(table, kernel);
      EXPECT_FALSE(respell(table, kernel))
          << "the search has two spellings of " << toString(table, kernel);
    }
    for (const BruteKernel &kernel : forced)
      expectFound(table, kernel, found);
  }

  /// Every step of the way has to be right and no longer than the one before.
  void expectFound(TermTable &table, BruteKernel kernel,
                   const std::set<BruteKernel> &found) {
    std::string text = toString(table, kernel);
    while (!found.count(kernel)) {
      std::optional<Respelled> respelled = respell(table, kernel);
      if (!respelled) {
        ADD_FAILURE() << "lost: " << text
                      << "\nin the end: " << toString(table, kernel);
        return;
      }
      ++numRespelled[respelled->rule];
      EXPECT_LE(respelled->kernel.operators.size(), kernel.operators.size());
      EXPECT_TRUE(table.isOutput(respelled->kernel.output))
          << getRuleName(respelled->rule).str() << " breaks "
          << toString(table, kernel);
      kernel = respelled->kernel;
    }
  }

  const SmallSpace &space;
  unsigned maxOperators;
  TargetProgram program;
  EnumerationSpace searched;
  unsigned numForced = 0, numFound = 0;
};

/// \param rules  those that the kernels by force need, no more and no less.
void compare(const SmallSpace &space, std::set<RespellingRule> rules) {
  Comparison comparison(space);
  comparison.run();
  std::set<RespellingRule> applied;
  for (auto [rule, number] : comparison.numRespelled)
    applied.insert(rule);
  if (!isFullSize())
    EXPECT_EQ(applied, rules);
}

TEST(BruteForceTest, MatmulThenExponential) {
  compare({expMatmul(8, 64, 48),
           AtomReading::WrittenOut,
           {{Opcode::Matmul}, {Opcode::Sum}, {Opcode::Mul}, {Opcode::Exp}},
           4},
          {RespellingRule::PartialSum});
}

TEST(BruteForceTest, SoftmaxRows) {
  compare({softmaxRows(8, 64),
           AtomReading::WrittenOut,
           {{Opcode::Exp},
            {Opcode::Sum},
            {Opcode::Div},
            {Opcode::Mul},
            {Opcode::Add},
            {Opcode::Square},
            {Opcode::Reciprocal}},
           4},
          {RespellingRule::Reciprocal});
}

/// x / sqrt(sum x²).
TEST(BruteForceTest, NormOfRows) {
  ProgramBuilder b;
  ValueId x = b.input({8, 64});
  ValueId sum = b.reduce(Opcode::Sum, b.apply(Opcode::Square, {x}), 1);
  Graph graph =
      b.finish({b.apply(Opcode::Div, {x, b.apply(Opcode::Sqrt, {sum})})});
  compare({graph,
           AtomReading::WrittenOut,
           {{Opcode::Square},
            {Opcode::Sum},
            {Opcode::Sqrt},
            {Opcode::Div},
            {Opcode::Mul}},
           4},
          {RespellingRule::Square});
}

TEST(BruteForceTest, RmsThenMatmul) {
  ProgramBuilder b;
  ValueId x = b.input({8, 64}), w = b.input({64, 48});
  Graph graph = b.finish({b.matmul(addRms(b, x), w)});
  compare({graph,
           AtomReading::Function,
           {{Opcode::Rms},
            {Opcode::Matmul},
            {Opcode::Sum},
            {Opcode::Div},
            {Opcode::Mul}},
           4,
           /*numMoreOperators=*/0},
          {});
}

/// A product divided by its sums over rows: what is summed is used twice.
TEST(BruteForceTest, MatmulOverItsSums) {
  ProgramBuilder b;
  ValueId x = b.input({8, 64}), w = b.input({64, 48});
  ValueId y = b.matmul(x, w);
  Graph graph =
      b.finish({b.apply(Opcode::Div, {y, b.reduce(Opcode::Sum, y, 1)})});
  compare({graph,
           AtomReading::WrittenOut,
           {{Opcode::Matmul}, {Opcode::Sum}, {Opcode::Div}, {Opcode::Mul}},
           4,
           /*numMoreOperators=*/0},
          {RespellingRule::OrderOfSums});
}

/// Sums of columns over the sum of all.
TEST(BruteForceTest, SumsOverTheirSum) {
  ProgramBuilder b;
  ValueId x = b.input({8, 64});
  ValueId sums = b.reduce(Opcode::Sum, x, 1);
  Graph graph =
      b.finish({b.apply(Opcode::Div, {sums, b.reduce(Opcode::Sum, sums, 0)})});
  compare({graph,
           AtomReading::WrittenOut,
           {{Opcode::Sum}, {Opcode::Div}, {Opcode::Mul}},
           4},
          {RespellingRule::PartialSum, RespellingRule::OrderOfSums});
}

TEST(BruteForceTest, ScaledMatmulThenExponential) {
  ProgramBuilder b;
  ValueId x = b.input({8, 64}), w = b.input({64, 48});
  Graph graph = b.finish(
      {b.apply(Opcode::Exp, {b.apply(Opcode::Scale, {b.matmul(x, w)}, 0.25)})});
  compare({graph,
           AtomReading::WrittenOut,
           {{Opcode::Matmul},
            {Opcode::Sum},
            {Opcode::Exp},
            {Opcode::Scale, {0.25}},
            {Opcode::Mul}},
           4},
          {RespellingRule::Factor});
}

/// c·x in an exponential and outside of it.
TEST(BruteForceTest, AScaledTensorUsedTwice) {
  ProgramBuilder b;
  ValueId x = b.input({8, 64}), y = b.input({8, 64});
  ValueId scaled = b.apply(Opcode::Scale, {x}, 0.25);
  Graph graph =
      b.finish({b.apply(Opcode::Mul, {b.apply(Opcode::Exp, {scaled}),
                                      b.apply(Opcode::Mul, {scaled, y})})});
  compare({graph,
           AtomReading::WrittenOut,
           {{Opcode::Exp}, {Opcode::Mul}, {Opcode::Scale, {0.25}}},
           4},
          {});
}

TEST(BruteForceTest, AQuotientByAReciprocal) {
  ProgramBuilder b;
  ValueId x = b.input({8, 64}), y = b.input({8, 64});
  Graph graph =
      b.finish({b.apply(Opcode::Div, {x, b.apply(Opcode::Reciprocal, {y})})});
  compare({graph,
           AtomReading::WrittenOut,
           {{Opcode::Div}, {Opcode::Mul}, {Opcode::Reciprocal}},
           3},
          {RespellingRule::Reciprocal});
}

TEST(BruteForceTest, AProductWithReciprocals) {
  ProgramBuilder b;
  ValueId x = b.input({8, 64}), y = b.input({64, 48});
  Graph graph = b.finish({b.matmul(x, b.apply(Opcode::Reciprocal, {y}))});
  compare({graph,
           AtomReading::WrittenOut,
           {{Opcode::Div},
            {Opcode::Mul},
            {Opcode::Matmul},
            {Opcode::Sum},
            {Opcode::Reciprocal}},
           3},
          {RespellingRule::Reciprocal, RespellingRule::PartialSum});
}

} // namespace
