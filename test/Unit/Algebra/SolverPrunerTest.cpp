//===- SolverPrunerTest.cpp - Prefixes kept by a solver's word ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/AlgebraZ3/SolverPruner.h"
#include "Mirage/Algebra/Subexpression.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;

namespace {

class SolverPrunerTest : public testing::Test {
protected:
  ExpressionContext c;
  NameId m = c.addName("m"), n = c.addName("n"), k = c.addName("k");
  SymbolId loop = c.addSymbol("l", k);
  FormId x = c.input(0, {m, k}), w = c.input(1, {k, n}), y = c.input(2, {m, k});
  /// RMSNorm and a linear layer.
  FormId squares = c.sum(c.mul(x, x), k);
  FormId root = c.sqrt(c.div(squares, c.extent({k})));
  FormId target = c.sum(c.mul(c.div(x, root), w), k);
  ProverOptions limits;
};

TEST_F(SolverPrunerTest, KeepsAndDropsWhatNormalFormsDo) {
  SolverPruner solver(c, {target}, limits);
  SubexpressionTest forms(c, {target});
  FormId product = c.mul(x, w);
  const FormId kept[] = {x,
                         squares,
                         root,
                         product,
                         c.sum(product, k),
                         c.sum(product, k, {{loop, -1}}),
                         c.div(c.sum(product, k, {{loop, -1}}), root),
                         target};
  const FormId dropped[] = {y, c.mul(x, y), c.sum(x, k), c.add(x, w), c.exp(x)};
  for (Pruner *pruner : std::initializer_list<Pruner *>{&solver, &forms}) {
    for (FormId form : kept)
      EXPECT_TRUE(pruner->contains(form)) << c.toString(form);
    for (FormId form : dropped)
      EXPECT_FALSE(pruner->contains(form)) << c.toString(form);
  }
}

TEST_F(SolverPrunerTest, AsksOnceAndCountsWhatItCannotTell) {
  SolverPruner solver(c, {target, y}, limits);
  EXPECT_TRUE(solver.contains(y));
  EXPECT_FALSE(solver.contains(c.exp(y)));
  EXPECT_FALSE(solver.contains(c.exp(y)));
  EXPECT_EQ(solver.getNumQuestions(), 2u);
  EXPECT_EQ(solver.getNumUnknown(), 1u);
}

TEST_F(SolverPrunerTest, KeepsWhatNoTreeReads) {
  FormId unreadable =
      c.mul(c.sum(c.sqrt(c.add(x, y)), k), c.sum(c.sqrt(c.add(x, c.one())), k));
  SolverPruner solver(c, {target}, limits);
  EXPECT_TRUE(solver.contains(unreadable));
  EXPECT_EQ(solver.getNumQuestions(), 0u);
}

TEST_F(SolverPrunerTest, GivesUpAtItsLimits) {
  ProverOptions none;
  none.workLimit = 1;
  SolverPruner solver(c, {target}, none);
  EXPECT_FALSE(solver.contains(squares));
  EXPECT_EQ(solver.getNumUnknown(), 1u);
}

} // namespace
