//===- OperatorTableTest.cpp - Tests of the operator table ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/Operators.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace mlir::mirage;

static double apply(Opcode opcode, llvm::ArrayRef<double> arguments,
                    llvm::ArrayRef<double> parameters = {}) {
  return evaluateDouble(getOperatorInfo(opcode).definition, arguments,
                        parameters);
}

TEST(OperatorTable, RowsAreInTheOrderOfOpcodesAndNamesAreUnique) {
  for (const OperatorInfo &row : getOperatorTable()) {
    EXPECT_EQ(&row, &getOperatorInfo(row.opcode));
    EXPECT_EQ(parseOpcode(row.name), row.opcode);
  }
}

TEST(OperatorTable, DefinitionsAgreeWithTheMathLibrary) {
  for (double x : {-3.0, -0.5, 0.25, 2.0, 7.0}) {
    EXPECT_DOUBLE_EQ(apply(Opcode::Exp, {x}), std::exp(x));
    EXPECT_NEAR(apply(Opcode::Exp2, {x}), std::exp2(x), 1e-12 * std::exp2(x));
    EXPECT_DOUBLE_EQ(apply(Opcode::Square, {x}), x * x);
    EXPECT_DOUBLE_EQ(apply(Opcode::Neg, {x}), -x);
    EXPECT_NEAR(apply(Opcode::Tanh, {x}), std::tanh(x), 1e-12);
    EXPECT_DOUBLE_EQ(apply(Opcode::Sigmoid, {x}), 1 / (1 + std::exp(-x)));
    EXPECT_DOUBLE_EQ(apply(Opcode::Silu, {x}), x / (1 + std::exp(-x)));
    EXPECT_NEAR(apply(Opcode::Gelu, {x}),
                0.5 * x * std::erfc(-x / std::sqrt(2.0)), 1e-14);
    EXPECT_DOUBLE_EQ(apply(Opcode::Relu, {x}), x > 0 ? x : 0.0);
    EXPECT_DOUBLE_EQ(apply(Opcode::Clamp, {x}, {-1, 2}),
                     std::fmin(std::fmax(x, -1), 2));
    EXPECT_DOUBLE_EQ(apply(Opcode::Scale, {x}, {0.125}), 0.125 * x);
    EXPECT_DOUBLE_EQ(apply(Opcode::Unscale, {x}, {10}), x / 10);
    EXPECT_DOUBLE_EQ(apply(Opcode::Sub, {x, 3}), x - 3);
    EXPECT_DOUBLE_EQ(apply(Opcode::Minimum, {x, 0.5}), std::fmin(x, 0.5));
  }
  EXPECT_DOUBLE_EQ(apply(Opcode::Rsqrt, {4}), 0.5);
  EXPECT_DOUBLE_EQ(apply(Opcode::Tanh, {1000}), 1.0);
  EXPECT_DOUBLE_EQ(apply(Opcode::Tanh, {-1000}), -1.0);
  EXPECT_TRUE(std::isnan(apply(Opcode::Maximum, {NAN, 1})));
  EXPECT_TRUE(std::isnan(apply(Opcode::Maximum, {1, NAN})));
}

TEST(OperatorTable, MovementsInPlaceAreElementwise) {
  for (Opcode opcode : {Opcode::Constant, Opcode::Exp, Opcode::Mul,
                        Opcode::Cast, Opcode::Broadcast})
    EXPECT_TRUE(isElementwise(opcode));
  for (Opcode opcode : {Opcode::Sum, Opcode::Matmul, Opcode::Reshape,
                        Opcode::Transpose, Opcode::Mask, Opcode::Graph})
    EXPECT_FALSE(isElementwise(opcode));
}

TEST(OperatorTable, EqualSubtermsAreOneNode) {
  // x / (1 + exp(-1 * x)): x, -1, -1*x, exp, 1, add, div.
  EXPECT_EQ(getOperatorInfo(Opcode::Silu).definition.nodes().size(), 7u);
  EXPECT_EQ(getOperatorInfo(Opcode::Silu).definition.countArithmetic(), 4u);
  EXPECT_EQ(getOperatorInfo(Opcode::Silu).definition.countSpecial(), 2u);
}

TEST(OperatorTable, ReductionsAreJoinedAndFinished) {
  const OperatorInfo &rms = getOperatorInfo(Opcode::Rms);
  double sum = getNeutral(rms.combiner);
  for (double x : {3.0, 4.0, -5.0, 1.0})
    sum = combine(rms.combiner, sum, evaluateDouble(rms.definition, {x}, {}));
  EXPECT_DOUBLE_EQ(evaluateDouble(rms.finish, {sum}, {}, 4),
                   std::sqrt(51 / 4.0));
  EXPECT_EQ(combine(Combiner::Max, getNeutral(Combiner::Max), -7), -7);
}

TEST(OperatorTable, MeansAverageWhatIsThereUnlessTheyCount) {
  Attributes attributes;
  attributes.dims = {0, 2};
  EXPECT_EQ(getAveragedCount(attributes, {3, 5, 7}), 21);
  EXPECT_EQ(getAveragedCount(attributes, {3, 5, 7}, /*numOperands=*/4), 84);
  attributes.count = 19; // of 21 elements, two are padding
  EXPECT_EQ(getAveragedCount(attributes, {3, 5, 7}), 19);
  EXPECT_EQ(getAveragedCount(attributes, {3, 5, 7}, 4), 19);
  EXPECT_EQ(getAveragedCount({}, {3, 5, 7}, 4), 4);
}

TEST(OperatorTable, MeansAndNormsAverage) {
  for (const OperatorInfo &row : getOperatorTable())
    EXPECT_EQ(row.averages(),
              row.opcode == Opcode::Mean || row.opcode == Opcode::Rms)
        << row.name.str();
}

TEST(OperatorTable, LevelsLackWhatTheyCannotSay) {
  for (const OperatorInfo &row : getOperatorTable()) {
    bool isInstruction =
        row.kind == OperatorKind::Copy || row.opcode == Opcode::Shuffle ||
        row.opcode == Opcode::Mma || row.opcode == Opcode::Wgmma ||
        row.opcode == Opcode::Vanish;
    bool needsTiles = isInstruction || row.opcode == Opcode::Mask ||
                      row.opcode == Opcode::Accumulate ||
                      row.opcode == Opcode::Variance;
    EXPECT_EQ(row.existsAt(Level::Kernel), !needsTiles) << row.name.str();
    EXPECT_EQ(row.existsAt(Level::Block), row.kind != OperatorKind::Composed &&
                                              !isInstruction &&
                                              row.opcode != Opcode::Variance)
        << row.name.str();
    bool isOfWarps =
        row.kind != OperatorKind::Composed && row.opcode != Opcode::Slice &&
        row.opcode != Opcode::Concat && row.opcode != Opcode::CausalMask &&
        row.opcode != Opcode::Constant && row.opcode != Opcode::Graph &&
        row.opcode != Opcode::Variance;
    EXPECT_EQ(row.existsAt(Level::Thread), isOfWarps) << row.name.str();
  }
}

TEST(OperatorTable, WhatIsRescaledFromNothingVanishes) {
  const ScalarDefinition &vanish = getOperatorInfo(Opcode::Vanish).definition;
  EXPECT_EQ(evaluateDouble(vanish, {3.0, 2.0}, {}), 3.0);
  EXPECT_EQ(evaluateDouble(vanish, {NAN, -INFINITY}, {}), 0.0);
  EXPECT_EQ(evaluateDouble(vanish, {3.0, INFINITY}, {}), 3.0);
}

/// 1/0 is not 1/-0, and NaN is an attribute like any other.
TEST(OperatorTable, ScalarsAreComparedBitByBit) {
  auto make = [](double scalar) {
    Attributes attributes;
    attributes.scalars = {1, scalar};
    return attributes;
  };
  double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(make(0.0), make(0.0));
  EXPECT_EQ(make(-0.0), make(-0.0));
  EXPECT_FALSE(make(0.0) == make(-0.0));
  EXPECT_EQ(make(nan), make(nan));
  EXPECT_FALSE(make(nan) == make(-nan));
  EXPECT_FALSE(make(nan) == make(0.0));
  EXPECT_FALSE(make(1) == Attributes());
}

TEST(OperatorTable, OperandsMayBeLeftOut) {
  auto counts = [](Opcode opcode) {
    std::string taken;
    for (size_t count = 0; count < 5; ++count)
      taken += getOperatorInfo(opcode).takes(count) ? 'y' : 'n';
    return taken;
  };
  EXPECT_EQ(counts(Opcode::Constant), "ynnnn");
  EXPECT_EQ(counts(Opcode::Exp), "nynnn");
  EXPECT_EQ(counts(Opcode::Add), "nnynn");
  EXPECT_EQ(counts(Opcode::RmsNorm), "nyynn");
  EXPECT_EQ(counts(Opcode::LayerNorm), "nyyyn");
  EXPECT_EQ(counts(Opcode::Concat), "nyyyy");
}

static std::string inferenceError(Opcode opcode, const Attributes &attributes,
                                  llvm::ArrayRef<TensorSpec> operands,
                                  llvm::ArrayRef<int64_t> result = {}) {
  llvm::Expected<Shape> shape =
      inferShape(opcode, attributes, operands, result);
  return shape ? "no error" : llvm::toString(shape.takeError());
}

TEST(ShapeInference, Matmul) {
  TensorSpec lhs{{3, 1, 5, 7}}, rhs{{2, 7, 4}};
  EXPECT_EQ(llvm::cantFail(inferShape(Opcode::Matmul, {}, {lhs, rhs})),
            (Shape{3, 2, 5, 4}));
  EXPECT_EQ(inferenceError(Opcode::Matmul, {},
                           {TensorSpec{{4, 5}}, TensorSpec{{6, 7}}}),
            "expects dim(lhs, 1) = dim(rhs, 0), got 5 and 6");
  EXPECT_EQ(
      inferenceError(Opcode::Matmul, {}, {TensorSpec{{5}}, TensorSpec{{5, 7}}}),
      "expects operands of rank 2 or more, got ranks 1 and 2");
  EXPECT_EQ(
      inferenceError(Opcode::Matmul, {},
                     {TensorSpec{{2, 4, 5}}, TensorSpec{{3, 5, 7}}}),
      "expects batch dimensions that broadcast, got [2, 4, 5] and [3, 5, 7]");
}

TEST(ShapeInference, ElementwiseBroadcasts) {
  EXPECT_EQ(
      llvm::cantFail(inferShape(
          Opcode::Add, {}, {TensorSpec{{1, 4, 1, 10}}, TensorSpec{{4, 1}}})),
      (Shape{1, 4, 4, 10}));
  EXPECT_EQ(
      inferenceError(Opcode::Add, {}, {TensorSpec{{2, 3}}, TensorSpec{{2, 4}}}),
      "expects shapes that broadcast, got [2, 3] and [2, 4]");
  EXPECT_EQ(inferenceError(Opcode::Add, {}, {TensorSpec{{2, 3}}}),
            "expects 2 operands, got 1");
  EXPECT_EQ(inferenceError(Opcode::Scale, {}, {TensorSpec{{2, 3}}}),
            "expects 1 scalar attributes, got 0");
}

TEST(ShapeInference, ReductionsAndMovements) {
  Attributes dims;
  dims.dims = {1};
  EXPECT_EQ(
      llvm::cantFail(inferShape(Opcode::Sum, dims, {TensorSpec{{10, 8, 3}}})),
      (Shape{10, 1, 3}));
  dims.dims = {3};
  EXPECT_EQ(inferenceError(Opcode::Max, dims, {TensorSpec{{10, 8, 3}}}),
            "expects dimensions in [0, 3), got 3");
  dims.dims = {1, 0};
  EXPECT_EQ(inferenceError(Opcode::Max, dims, {TensorSpec{{10, 8, 3}}}),
            "expects ascending dimensions, got [1, 0]");
  EXPECT_EQ(llvm::cantFail(
                inferShape(Opcode::Transpose, dims, {TensorSpec{{10, 8}}})),
            (Shape{8, 10}));
  dims.dims = {1, 1};
  EXPECT_EQ(inferenceError(Opcode::Transpose, dims, {TensorSpec{{10, 8}}}),
            "expects a permutation of 2 dimensions, got [1, 1]");
  EXPECT_EQ(inferenceError(Opcode::Reshape, {}, {TensorSpec{{10, 8}}}, {9, 9}),
            "expects as many elements as the operand, 80, got 81");
  EXPECT_EQ(
      inferenceError(Opcode::Broadcast, {}, {TensorSpec{{10, 8}}}, {10, 9}),
      "expects a result that [10, 8] broadcasts to, got [10, 9]");
}

TEST(ShapeInference, Slices) {
  Attributes attributes;
  attributes.offsets = {2, 0};
  attributes.strides = {3, 1};
  TensorSpec x{{12, 5}};
  EXPECT_EQ(llvm::cantFail(inferShape(Opcode::Slice, attributes, {x}, {4, 5})),
            (Shape{4, 5})); // 2, 5, 8, 11
  EXPECT_EQ(inferenceError(Opcode::Slice, attributes, {x}, {5, 5}),
            "expects elements among the 12 of the operand's dimension, got 5 "
            "from 2 on with stride 3");
  EXPECT_EQ(inferenceError(Opcode::Slice, attributes, {x}, {4}),
            "expects a result of rank 2, got [4]");
  attributes.offsets = {12, 0};
  EXPECT_EQ(inferenceError(Opcode::Slice, attributes, {x}, {1, 5}),
            "expects elements among the 12 of the operand's dimension, got 1 "
            "from 12 on with stride 3");
  attributes.offsets = {-1, 0};
  EXPECT_EQ(inferenceError(Opcode::Slice, attributes, {x}, {1, 5}),
            "expects offsets of at least 0, got -1");
  // Far beyond what a sum would hold.
  attributes.offsets = {0, 0};
  attributes.strides = {std::numeric_limits<int64_t>::max(), 1};
  EXPECT_EQ(llvm::cantFail(inferShape(Opcode::Slice, attributes, {x}, {1, 5})),
            (Shape{1, 5}));
  EXPECT_NE(inferenceError(Opcode::Slice, attributes, {x}, {2, 5}), "no error");
}

TEST(ShapeInference, Concats) {
  Attributes attributes;
  attributes.dims = {1};
  EXPECT_EQ(llvm::cantFail(inferShape(
                Opcode::Concat, attributes,
                {TensorSpec{{2, 3}}, TensorSpec{{2, 1}}, TensorSpec{{2, 4}}})),
            (Shape{2, 8}));
  EXPECT_EQ(inferenceError(Opcode::Concat, attributes,
                           {TensorSpec{{2, 3}}, TensorSpec{{3, 3}}}),
            "expects operands that differ in dimension 1 alone, got [2, 3] and "
            "[3, 3]");
  EXPECT_EQ(inferenceError(Opcode::Concat, attributes,
                           {TensorSpec{{2, 3}}, TensorSpec{{3}}}),
            "expects operands that differ in dimension 1 alone, got [2, 3] and "
            "[3]");
  EXPECT_EQ(inferenceError(Opcode::Concat, attributes, {}),
            "expects at least 1 operands, got 0");
}

TEST(ShapeInference, ComposedOperatorsHaveThatOfTheirDefinitions) {
  Attributes attributes;
  attributes.dims = {2};
  TensorSpec x{{3, 1, 8}};
  EXPECT_EQ(inferenceError(Opcode::Softmax, attributes, {x}), "no error");
  attributes.dims = {3};
  EXPECT_EQ(inferenceError(Opcode::Softmax, attributes, {x}),
            "expects dimensions in [0, 3), got 3");
  attributes.dims = {2};
  attributes.scalars = {-1};
  EXPECT_EQ(inferenceError(Opcode::L2Norm, attributes, {x}),
            "expects an epsilon of at least 0, got -1.000000");
  attributes.scalars = {0};
  EXPECT_EQ(
      inferenceError(Opcode::RmsNorm, attributes, {x, TensorSpec{{4, 8}}}),
      "expects a weight and a bias that broadcast to [3, 1, 8], got "
      "[4, 8]");
  EXPECT_EQ(inferenceError(Opcode::LayerNorm, attributes, {x, x, x, x}),
            "expects 1 to 3 operands, got 4");
  EXPECT_EQ(llvm::cantFail(inferShape(Opcode::Repeat, {}, {x}, {3, 5, 16})),
            (Shape{3, 5, 16}));
  EXPECT_EQ(inferenceError(Opcode::Repeat, {}, {x}, {3, 5, 12}),
            "expects a result whose sizes are multiples of the operand's, "
            "[3, 1, 8], got [3, 5, 12]");
}

TEST(OperatorTable, FlopsOfAComposedOperatorAreThoseOfItsSteps) {
  Attributes attributes;
  attributes.dims = {1};
  TensorSpec x{{4, 10}};
  // Maximum, difference, power, sum and quotient; a difference is a product
  // with -1 and a sum.
  EXPECT_EQ(countFlops(Opcode::Softmax, attributes, {x}, x),
            (1 + 2 + 1 + 1 + 1) * 40);
}
