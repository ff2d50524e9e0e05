//===- SignDegreeTest.cpp -------------------------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SignDegree.h"
#include "Programs.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;
using O = Opcode;

static unsigned
degreeOf(llvm::function_ref<ValueId(Builder &, ValueId x, ValueId y)> formula) {
  Graph graph;
  Builder b(graph);
  ValueId x = b.input({4, 4}), y = b.input({4, 4});
  b.output(formula(b, x, y));
  return computeSignDegree(graph);
}

TEST(SignDegree, ProductsOfSignsAddUp) {
  auto abs = [](Builder &b, ValueId x) { return b.op(O::Abs, {x}); };
  EXPECT_EQ(degreeOf([](Builder &b, ValueId x, ValueId y) {
              return b.op(O::Mul, {x, y});
            }),
            0u);
  EXPECT_EQ(degreeOf([&](Builder &b, ValueId x, ValueId y) {
              return b.op(O::Add, {abs(b, x), abs(b, y)});
            }),
            1u);
  EXPECT_EQ(degreeOf([&](Builder &b, ValueId x, ValueId y) {
              return b.op(O::Mul, {b.op(O::Add, {abs(b, x), x}),
                                   b.op(O::Sub, {abs(b, y), y})});
            }),
            2u);
  EXPECT_EQ(degreeOf([&](Builder &b, ValueId x, ValueId y) {
              return b.op(O::Matmul, {abs(b, x), abs(b, y)});
            }),
            2u);
}

/// (√x)² has no sign, nor has |x|², and 1/√x has one.
TEST(SignDegree, SquaresLoseSigns) {
  EXPECT_EQ(degreeOf([](Builder &b, ValueId x, ValueId) {
              return b.op(O::Square, {b.op(O::Sqrt, {x})});
            }),
            0u);
  EXPECT_EQ(degreeOf([](Builder &b, ValueId x, ValueId y) {
              return b.op(O::Div, {y, b.op(O::Sqrt, {x})});
            }),
            1u);
  EXPECT_EQ(degreeOf([](Builder &b, ValueId x, ValueId) {
              return b.op(O::Abs, {b.op(O::Sqrt, {b.op(O::Square, {x})})});
            }),
            2u);
}

/// The inverse of a sum of signs may have all of them in a term, and a sum over
/// a dimension has as many as elements.
TEST(SignDegree, InversesHaveAll) {
  auto offset = [](Builder &b, ValueId x) {
    Attributes attributes;
    attributes.scalars = {1};
    return b.op(O::Offset, {x}, attributes);
  };
  EXPECT_EQ(degreeOf([&](Builder &b, ValueId x, ValueId y) {
              return b.op(O::Div, {y, offset(b, b.op(O::Abs, {x}))});
            }),
            1u);
  EXPECT_EQ(degreeOf([&](Builder &b, ValueId x, ValueId y) {
              ValueId sum = b.reduce(O::Sum, b.op(O::Abs, {x}), 1);
              return b.op(O::Div, {y, sum});
            }),
            kManySigns);
}

/// A function of a sum of two signs may be any function of both.
TEST(SignDegree, FunctionsMayHaveAllSignsInATerm) {
  for (O function : {O::Exp, O::Log, O::Sqrt})
    EXPECT_EQ(degreeOf([&](Builder &b, ValueId x, ValueId y) {
                return b.op(function, {b.op(O::Add, {b.op(O::Abs, {x}),
                                                     b.op(O::Abs, {y})})});
              }),
              function == O::Sqrt ? 3u : 2u);
}

TEST(SignDegree, OfPrograms) {
  for (const FusedProgram &program : listFusedPrograms())
    EXPECT_EQ(computeSignDegree(program.plain),
              computeSignDegree(program.fused))
        << program.name;
}
