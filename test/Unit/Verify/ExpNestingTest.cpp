//===- ExpNestingTest.cpp - How deeply exponentials nest ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpNesting.h"
#include "Programs.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

namespace {
unsigned nestUnary(llvm::ArrayRef<Opcode> opcodes) {
  Graph graph;
  Builder b(graph);
  ValueId value = b.input({2, 3});
  for (Opcode opcode : opcodes)
    value = b.op(opcode, {value});
  b.output(value);
  return computeExpNesting(graph);
}

TEST(ExpNesting, CountsThoseInsideOneAnother) {
  EXPECT_EQ(nestUnary({}), 0u);
  EXPECT_EQ(nestUnary({Opcode::Square, Opcode::Sqrt}), 0u);
  EXPECT_EQ(nestUnary({Opcode::Exp}), 1u);
  EXPECT_EQ(nestUnary({Opcode::Exp, Opcode::Square, Opcode::Exp}), 2u);
  // What an operator is defined by counts.
  EXPECT_EQ(nestUnary({Opcode::Silu, Opcode::Abs, Opcode::Sigmoid}), 2u);
}

TEST(ExpNesting, OfSeveralOperandsIsTheDeepest) {
  Graph graph;
  Builder b(graph);
  ValueId x = b.input({2, 3}), once = b.op(Opcode::Exp, {x});
  ValueId twice = b.op(Opcode::Exp, {once});
  b.output(b.op(Opcode::Mul, {x, b.op(Opcode::Add, {once, once})}));
  EXPECT_EQ(computeExpNesting(graph), 1u);
  b.output(b.op(Opcode::Mul, {twice, x}));
  EXPECT_EQ(computeExpNesting(graph), 2u);
}

/// By what parts are rescaled is an exponent, and what is in a kernel counts.
TEST(ExpNesting, OfRescaledSums) {
  EXPECT_EQ(computeExpNesting(attention(2, 6, 3, /*safe=*/false)), 1u);
  EXPECT_EQ(computeExpNesting(attentionFused(2, 6, 3, 2)), 1u);
  TileGraph tiles;
  Builder b(tiles);
  tiles.loop = 2;
  ValueId x = b.input({2, 3});
  tiles.tileInputs = {{{}, 0}};
  b.output(b.rescaledSum(x, b.reduce(Opcode::Max, b.op(Opcode::Exp, {x}), 1)));
  tiles.tileOutputs = {{{}}};
  EXPECT_EQ(computeExpNesting(wrap(tiles, {{4, 3}}, {{2, 3}})), 2u);
}
} // namespace
