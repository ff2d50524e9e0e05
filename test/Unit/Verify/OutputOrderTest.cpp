//===- OutputOrderTest.cpp - Which output is which ------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Verify/OutputOrder.h"
#include "Programs.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

namespace {
/// Functions of x that fields know, some of them equal where roots exist.
enum Function { X, Abs, SquaredRoot, SquaredRootOfAbs, Negative };
} // namespace

static ValueId add(Builder &b, ValueId x, Function function) {
  auto square = [&](ValueId value) {
    return b.op(Opcode::Mul, {value, value});
  };
  switch (function) {
  case X:
    return x;
  case Abs:
    return b.op(Opcode::Abs, {x});
  case SquaredRoot:
    return square(b.op(Opcode::Sqrt, {x}));
  case SquaredRootOfAbs:
    return square(b.op(Opcode::Sqrt, {b.op(Opcode::Abs, {x})}));
  case Negative:
    return b.scale(x, -1);
  }
  return x;
}

static Graph make(llvm::ArrayRef<Function> functions) {
  Graph graph;
  Builder b(graph);
  ValueId x = b.input({4});
  for (Function function : functions)
    b.output(add(b, x, function));
  return graph;
}

static std::vector<unsigned> match(llvm::ArrayRef<Function> lhs,
                                   llvm::ArrayRef<Function> rhs) {
  auto order = llvm::cantFail(matchOutputs(make(lhs), make(rhs), {}));
  return std::vector<unsigned>(order.begin(), order.end());
}

using Order = std::vector<unsigned>;

TEST(OutputOrder, EqualOutputsAreMatched) {
  EXPECT_EQ(match({X, Abs, Negative}, {X, Abs, Negative}), Order({0, 1, 2}));
  EXPECT_EQ(match({X, Abs, Negative}, {Negative, X, Abs}), Order({1, 2, 0}));
  EXPECT_EQ(match({X, X}, {X, X}), Order({0, 1}));
}

TEST(OutputOrder, WhatEqualsNothingTakesWhatIsLeft) {
  EXPECT_EQ(match({X, Abs}, {Negative, X}), Order({1, 0}));
  EXPECT_EQ(match({X, X, Abs}, {Abs, Abs, X}), Order({2, 1, 0}));
}

/// (√x)² is |x| where both are defined, which another output is everywhere.
TEST(OutputOrder, WhatIsEqualEverywhereComesFirst) {
  EXPECT_EQ(match({SquaredRoot, Abs}, {Abs, X}), Order({1, 0}));
  EXPECT_EQ(match({SquaredRoot, Abs}, {X, Abs}), Order({0, 1}));
}

/// Of maxima in exponents a few trials prove next to nothing.
TEST(OutputOrder, OutputsThatNothingIsProvedOf) {
  auto exps = [](bool isSwapped, bool isJoined) {
    Graph graph;
    Builder b(graph);
    ValueId x = b.input({2, 4}), y = b.input({2, 4});
    std::vector<ValueId> outputs;
    for (ValueId value : {x, y}) {
      ValueId largest = b.reduce(Opcode::Max, value, 1);
      ValueId exp = b.op(Opcode::Exp, {largest});
      outputs.push_back(isJoined ? b.op(Opcode::Exp, {b.scale(largest, 2)})
                                 : b.op(Opcode::Mul, {exp, exp}));
    }
    for (bool first : {true, false})
      b.output(outputs[first == isSwapped]);
    return graph;
  };
  auto order =
      llvm::cantFail(matchOutputs(exps(false, false), exps(true, true), {}));
  EXPECT_EQ(Order(order.begin(), order.end()), Order({1, 0}));
}

/// (√x)² takes what is left to it, so that (√|x|)² can have |x|.
TEST(OutputOrder, OutputsMakeRoomForOthers) {
  EXPECT_EQ(match({SquaredRoot, SquaredRootOfAbs}, {Abs, X}), Order({1, 0}));
  EXPECT_EQ(match({SquaredRoot, SquaredRootOfAbs}, {X, Abs}), Order({0, 1}));
}
