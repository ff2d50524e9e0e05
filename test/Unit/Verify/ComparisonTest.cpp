//===- ComparisonTest.cpp - Outputs of two graphs, side by side -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comparison.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using kernels::kMinusInfinity;
using kernels::kNonSquare;
using kernels::kUndefined;

namespace {
/// Two outputs of three elements, one word each.
Graph makeGraph() {
  Graph graph;
  for (unsigned output = 0; output < 2; ++output)
    graph.addOutput(graph.addInput({{3}}));
  return graph;
}

struct Case {
  Outputs lhs, rhs;
  std::optional<size_t> disagreement;
  unsigned leastCounted;
};

/// Whether graphs disagree is what a comparison says, whose counts do not
/// depend on whether all words are the same.
TEST(Comparison, DisagreesWhereBothHaveValues) {
  const Case cases[] = {
      {{{1, 2, 3}, {4, 5, 6}}, {{1, 2, 3}, {4, 5, 6}}, std::nullopt, 1},
      {{{1, 2, 3}, {4, 5, 6}}, {{1, 2, 3}, {4, 5, 7}}, 5, 1},
      {{{1, 2, 3}, {4, 5, kMinusInfinity}},
       {{1, 2, 3}, {4, 5, kMinusInfinity}},
       std::nullopt,
       1},
      {{{1, 2, kMinusInfinity}, {4, 5, 6}}, {{1, 2, 3}, {4, 5, 6}}, 2, 1},
      {{{1, kUndefined, 3}, {4, 5, 6}},
       {{1, 2, 3}, {4, 5, 6}},
       std::nullopt,
       0},
      {{{1, 2, 3}, {kNonSquare, 5, 6}},
       {{1, 2, 3}, {kUndefined, 5, 6}},
       std::nullopt,
       0},
      {{{kUndefined, 2, 3}, {4, 5, 6}}, {{kUndefined, 9, 3}, {4, 5, 6}}, 1, 0},
  };
  for (const auto &[lhs, rhs, expected, leastCounted] : cases) {
    EXPECT_EQ(disagree(lhs, rhs), expected.has_value());
    Comparison comparison(makeGraph());
    comparison.add(lhs, rhs, /*words=*/1);
    EXPECT_EQ(comparison.getDisagreement(), expected);
    EXPECT_EQ(comparison.getCounted(comparison.getLeastCounted()),
              leastCounted);
  }
}
} // namespace
