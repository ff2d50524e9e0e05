//===- JoinedPartsTest.cpp - Kernels that join a kernel's blocks ----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/JoinedParts.h"
#include "Mirage/Planning/LaunchBarrier.h"
#include "Mirage/Search/CostModel.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;

namespace {

/// exp(X) over its sum along y, times columns of W in a loop if that reads the
/// quotient, or added to the sum over the loop if not.
struct Softmax {
  explicit Softmax(bool isBeforeLoop) {
    kernel.grid = {2, 4};
    kernel.threads = 128;
    kernel.loop = 8;
    x = kernel.addInput(f32({16, 64}));
    w = kernel.addInput(f32({64, 16}));
    kernel.tileInputs = {{{0, 1}, kReplicated}, {{kReplicated, 0}, 1}};
    part = kernel.add(Opcode::Exp, {x}, f32({16, 64}));
    sum = accumulate(part, {16, 64}, Axis::Y);
    quotient = kernel.add(Opcode::Div, {part, sum}, f32({16, 64}));
    ValueId factor = isBeforeLoop ? quotient : part;
    ValueId product = kernel.add(Opcode::Matmul, {factor, w}, f32({16, 16}));
    ValueId result = accumulate(product, {16, 16}, Axis::Loop);
    if (!isBeforeLoop) {
      Attributes rows;
      rows.dims = {1};
      ValueId row = kernel.add(Opcode::Sum, {quotient}, f32({16, 1}), rows);
      result = kernel.add(Opcode::Mul, {result, row}, f32({16, 16}));
    }
    kernel.addOutput(result);
    kernel.tileOutputs = {{{0, kSummed}}};
  }

  static TensorSpec f32(Shape shape) { return {shape, ElementType::F32}; }
  ValueId accumulate(ValueId value, Shape shape, Axis axis) {
    Attributes attributes;
    attributes.axis = axis;
    return kernel.add(Opcode::Accumulate, {value}, f32(shape), attributes);
  }
  KernelTime predict() const {
    return AnalyticCostModel(llvm::cantFail(getTarget("sm_90a")))
        .predictKernel(kernel, {f32({32, 256}), f32({256, 128})},
                       {f32({32, 16})});
  }

  TileGraph kernel;
  ValueId x, w, part, sum, quotient;
};

TEST(JoinedParts, WhatTheLoopReadsIsJoinedAheadByOneBlockOfThoseAlongTheAxis) {
  Softmax softmax(/*isBeforeLoop=*/true);
  std::vector<JoinedParts> joins = listJoins(softmax.kernel);
  ASSERT_EQ(joins.size(), 1u);
  EXPECT_EQ(joins[0].axis, Axis::Y);
  EXPECT_TRUE(joins[0].isBeforeLoop);
  EXPECT_FALSE(joins[0].keepsBlocks);
  EXPECT_EQ(joins[0].parts, (llvm::SmallVector<ValueId, 2>{softmax.part}));
}

TEST(JoinedParts, WhatItDoesNotReadIsJoinedBehindIt) {
  Softmax softmax(/*isBeforeLoop=*/false);
  std::vector<JoinedParts> joins = listJoins(softmax.kernel);
  ASSERT_EQ(joins.size(), 1u);
  EXPECT_FALSE(joins[0].isBeforeLoop);
  EXPECT_TRUE(findRepeated(softmax.kernel).none());
}

/// A row of each block for a norm of rows; of an input as it is nothing, as the
/// kernel that joins its tiles reads them where they lie.
TEST(JoinedParts, TilesAreReducedAndInputsStay) {
  TileGraph kernel;
  kernel.grid = {4};
  kernel.threads = 128;
  TensorSpec tile = Softmax::f32({8, 64}), rows = Softmax::f32({8, 1});
  ValueId x = kernel.addInput(tile);
  kernel.tileInputs = {{{1}, kReplicated}};
  Attributes overBlocks, ofRows;
  overBlocks.axis = ofRows.axis = Axis::X;
  ofRows.reduction = Opcode::Rms;
  ofRows.dims = {1};
  ValueId norm = kernel.add(Opcode::Accumulate, {x}, rows, ofRows);
  ValueId sum = kernel.add(Opcode::Accumulate, {x}, tile, overBlocks);
  kernel.addOutput(kernel.add(Opcode::Div, {sum, norm}, tile));
  kernel.tileOutputs = {{{kReplicated}}};
  std::vector<JoinedParts> joins = listJoins(kernel);
  ASSERT_EQ(joins.size(), 1u);
  EXPECT_EQ(joins[0].parts, (llvm::SmallVector<ValueId, 2>{norm}));
  EXPECT_TRUE(joins[0].own.empty());
}

/// What is divided as well as summed, and its operand; not the sum, nor what
/// the loop reads alone.
TEST(JoinedParts, WhatBothReadIsRepeated) {
  Softmax softmax(/*isBeforeLoop=*/true);
  llvm::BitVector repeated = findRepeated(softmax.kernel);
  EXPECT_EQ(repeated.count(), 2u);
  EXPECT_TRUE(repeated[softmax.x]);
  EXPECT_TRUE(repeated[softmax.part]);
}

/// Joins in the loop's kernel stand behind all that come before it.
TEST(JoinedParts, ThoseBehindTheLoopComeLast) {
  Softmax softmax(/*isBeforeLoop=*/true);
  TileGraph &kernel = softmax.kernel;
  ValueId sum = softmax.accumulate(kernel.getOutputs()[0], {16, 16}, Axis::X);
  kernel.addOutput(sum);
  kernel.tileOutputs.push_back({{kReplicated, kSummed}});
  std::vector<JoinedParts> joins = listJoins(kernel);
  ASSERT_EQ(joins.size(), 2u);
  EXPECT_TRUE(joins[0].isBeforeLoop);
  EXPECT_EQ(joins[1].axis, Axis::X);
  EXPECT_FALSE(joins[1].isBeforeLoop);
}

/// A launch, and the exponentials once more.
TEST(JoinedParts, ALaunchAheadTakesItsTime) {
  Target target = llvm::cantFail(getTarget("sm_90a"));
  KernelTime ahead = Softmax(/*isBeforeLoop=*/true).predict(),
             behind = Softmax(/*isBeforeLoop=*/false).predict();
  EXPECT_GT(ahead.joinUs,
            behind.joinUs +
                getLaunchBarrierUs(LaunchBarrier::Launch, target) / 2);
}

} // namespace
