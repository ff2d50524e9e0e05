//===- PrunersAgreeTest.cpp - The same space with a solver ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/AlgebraZ3/SolverPruner.h"
#include "Mirage/Search/Enumerator.h"
#include "Programs.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;

namespace {

PrunerChoice makeSolver() {
  return {"z3", [](ExpressionContext &context, llvm::ArrayRef<FormId> targets) {
            return std::make_unique<SolverPruner>(context, targets);
          }};
}

struct Counted {
  uint64_t states = 0;
  uint64_t structures = 0;
};

/// Structures of one kernel with up to `maxOperators` operators, one grid axis.
Counted count(const Graph &graph, AtomReading reading, unsigned maxOperators,
              const PrunerChoice &pruner) {
  TargetProgram program = llvm::cantFail(makeTargetProgram(graph));
  EnumerationSpace space(program, reading, pruner);
  EXPECT_TRUE(space.isSearchable());
  Counted counted;
  for (unsigned size = 1; size <= maxOperators; ++size) {
    EnumerationLimits limits;
    limits.numOperators = size;
    limits.maxStates = 100000;
    limits.off.ignoresPairs = true; // which the solver is not asked about
    EnumerationCounts counts;
    KernelSite site = makeWholeSite(space);
    for (const KernelChoice &kernel :
         enumerateKernelChoices(program, site, /*maxGridAxes=*/1, {}))
      EXPECT_TRUE(
          Enumerator(space, limits, counts)
              .run(site, kernel, [&](const KernelStructure &, auto results) {
                ++counted.structures;
              }));
    counted.states += counts.states;
  }
  return counted;
}

struct Both {
  Counted forms, solver;
};

Both countBoth(const Graph &graph, AtomReading reading, unsigned maxOperators) {
  Both both = {count(graph, reading, maxOperators, {}),
               count(graph, reading, maxOperators, makeSolver())};
  EXPECT_GT(both.solver.structures, 0u);
  return both;
}

void expectSameSpace(const Graph &graph, AtomReading reading,
                     unsigned maxOperators) {
  Both both = countBoth(graph, reading, maxOperators);
  EXPECT_EQ(both.forms.structures, both.solver.structures);
  EXPECT_EQ(both.forms.states, both.solver.states);
}

/// Some parts take the solver more than its limits to prove.
void expectSmallerSpace(const Graph &graph, AtomReading reading,
                        unsigned maxOperators) {
  Both both = countBoth(graph, reading, maxOperators);
  EXPECT_GE(both.forms.structures, both.solver.structures);
  EXPECT_GE(both.forms.states, both.solver.states);
}

TEST(PrunersAgreeTest, SoftmaxRows) {
  expectSameSpace(softmaxRows(8, 64), AtomReading::WrittenOut, 5);
}
TEST(PrunersAgreeTest, GatedMlp) {
  expectSameSpace(gatedMlp(8, 64, 48), AtomReading::Function, 6);
}
TEST(PrunersAgreeTest, Attention) {
  expectSameSpace(attention(2, 8, 64, 16), AtomReading::WrittenOut, 6);
}
TEST(PrunersAgreeTest, RmsNormLinear) {
  expectSmallerSpace(rmsNormLinear(8, 64, 48), AtomReading::WrittenOut, 7);
}
TEST(PrunersAgreeTest, Lora) {
  expectSmallerSpace(lora(8, 64, 4, 48), AtomReading::WrittenOut, 5);
}

} // namespace
