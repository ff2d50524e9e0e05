//===- FunctionBoundTest.cpp - Functions that are left to apply -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/FunctionBound.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;

namespace {

/// Under the matmul the exponential's n is a bound one, and was a free one.
/// That changes what its scopes are, and must not change what it is.
TEST(FunctionBoundTest, AFunctionIsTheSameInAnyScope) {
  ExpressionContext c;
  NameId m = c.addName("m"), n = c.addName("n"), d = c.addName("d");
  FormId x = c.input(0, {m, n}), y = c.input(1, {m, n}), z = c.input(2, {m, n}),
         v = c.input(3, {n, d});
  FormId one = c.function("silu", {c.mul(x, y)});
  FormId other = c.function("silu", {c.mul(x, z)});
  FormId exponential = c.exp(c.mul(one, c.sum(other, n)));
  FormId target = c.sum(c.mul(exponential, v), n);
  FunctionBound bound(c, {target});
  EXPECT_NE(bound.find(exponential), bound.find(c.mul(one, other)));
  EXPECT_EQ(bound.find(exponential), bound.find(target));
}

} // namespace
