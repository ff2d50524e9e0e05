//===- RoundedEvaluationTest.cpp - Error bounds of float64 ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Verify/RoundedEvaluation.h"
#include "Programs.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

static std::vector<double> makeNumbers(size_t count) {
  std::vector<double> numbers;
  for (size_t i = 0; i < count; ++i)
    numbers.push_back(std::sin(1 + 7.0 * i));
  return numbers;
}

TEST(RoundedEvaluation, CancellationShows) {
  Graph graph;
  Builder b(graph);
  ValueId value = b.input({16});
  for (double offset : {1e12, -1e12}) {
    Attributes attributes;
    attributes.scalars = {offset};
    value = b.op(Opcode::Offset, {value}, attributes);
  }
  b.output(value);
  std::vector<double> x = makeNumbers(16);
  std::vector<RoundedNumber> y = evaluateRounded(graph, {x})[0];
  double worst = 0;
  for (auto [exact, rounded] : llvm::zip_equal(x, y)) {
    EXPECT_LE(std::fabs(exact - rounded.value), rounded.error);
    EXPECT_LE(rounded.error, 1e-3);
    worst = std::max(worst, std::fabs(exact - rounded.value));
  }
  EXPECT_GT(worst, 1e-6);
}

/// One formula in two orders of evaluation: they differ by no more than both
/// bounds, and these are near what float64 has.
TEST(RoundedEvaluation, BoundsAreTight) {
  std::vector<std::vector<double>> inputs = {
      makeNumbers(4 * 30), makeNumbers(50 * 30), makeNumbers(50 * 30)};
  auto x = evaluateRounded(attention(4, 50, 30, true), inputs)[0];
  auto y = evaluateRounded(attentionFused(4, 50, 30, 16), inputs)[0];
  for (auto [left, right] : llvm::zip_equal(x, y)) {
    EXPECT_LE(std::fabs(left.value - right.value), left.error + right.error);
    EXPECT_LE(left.error, 1e-11);
  }
}

/// Roots of sums of squares of what relu cut off are zero, and exist.
TEST(RoundedEvaluation, ZeroIsExact) {
  Graph graph;
  Builder b(graph);
  ValueId x = b.input({2, 3});
  ValueId zero = b.op(Opcode::Relu, {x});
  ValueId square = b.op(Opcode::Mul, {zero, zero});
  b.output(b.op(Opcode::Sqrt, {b.reduce(Opcode::Sum, square, 1)}));
  b.output(b.op(Opcode::Sqrt, {b.op(Opcode::Div, {square, x})}));
  b.output(b.op(Opcode::Mul, {zero, b.op(Opcode::Sqrt, {x})}));
  auto outputs = evaluateRounded(graph, {{-1, -2, -3, -4, -5, -1e-200}});
  for (unsigned output : {0u, 1u})
    for (RoundedNumber number : outputs[output]) {
      EXPECT_EQ(number.value, 0);
      EXPECT_EQ(number.error, 0);
    }
  for (RoundedNumber number : outputs[2])
    EXPECT_TRUE(std::isnan(number.value));
}

TEST(RoundedEvaluation, WhatMayNotExistIsNoNumber) {
  Graph graph;
  Builder b(graph);
  ValueId x = b.input({1});
  ValueId zero = b.op(Opcode::Sub, {b.scale(x, 3), b.scale(x, 3)});
  b.output(b.op(Opcode::Div, {x, zero}));
  b.output(b.op(Opcode::Sqrt, {zero}));
  b.output(b.op(Opcode::Exp, {b.scale(x, 1e4)}));
  for (const auto &output : evaluateRounded(graph, {{0.3}}))
    EXPECT_TRUE(std::isnan(output[0].value));
}

/// What masks put in stays what it is behind factors whose sign is known.
TEST(RoundedEvaluation, InfinitiesHaveSigns) {
  Graph graph;
  Builder b(graph);
  ValueId x = b.input({1});
  Attributes attributes;
  attributes.scalars = {-INFINITY};
  ValueId lowest = graph.add(Opcode::Constant, {}, tensor({1}), attributes);
  ValueId cancelled = b.op(Opcode::Sub, {b.scale(x, 3), b.scale(x, 3)});
  for (ValueId infinity :
       {b.scale(lowest, 3), b.scale(lowest, -3), b.op(Opcode::Mul, {x, lowest}),
        b.op(Opcode::Div, {lowest, x})})
    b.output(infinity);
  b.output(b.op(Opcode::Exp, {b.scale(lowest, 3)}));
  b.output(b.op(Opcode::Mul, {lowest, cancelled}));
  b.output(b.op(Opcode::Div, {lowest, cancelled}));
  b.output(b.op(Opcode::Div, {lowest, lowest}));
  auto outputs = evaluateRounded(graph, {{0.3}});
  for (auto [output, expected] : llvm::enumerate(
           std::vector<double>{-INFINITY, INFINITY, -INFINITY, -INFINITY, 0})) {
    EXPECT_EQ(outputs[output][0].value, expected) << output;
    EXPECT_EQ(outputs[output][0].error, 0) << output;
  }
  for (unsigned output : {5, 6, 7})
    EXPECT_TRUE(std::isnan(outputs[output][0].value)) << output;
}
