//===- HeldRowsTest.cpp - What warps hold of their rows -------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpRowsSupport.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

//===----------------------------------------------------------------------===//
// What is held
//===----------------------------------------------------------------------===//

TEST(HeldRows, AttentionHoldsAllBetweenItsProducts) {
  Attention graph({64});
  for (ValueId value :
       {graph.scores, graph.largest, graph.shifted, graph.exponentials,
        graph.halves, graph.product, graph.total})
    EXPECT_TRUE(isHeld(graph, value)) << value;
  // What has grown is divided where it is held; inputs, and what is stored, are
  // not.
  for (const Node &op : graph.getNodes())
    if (op.opcode == Opcode::Accumulate)
      EXPECT_TRUE(isHeld(graph, op.results[0]));
  for (ValueId value = 0; value < graph.getNumInputs(); ++value)
    EXPECT_FALSE(isHeld(graph, value)) << value;
  EXPECT_FALSE(isHeld(graph, graph.getOutputs().front()));
}

/// A sum that comes to shared memory behind the loop, since its columns are
/// reduced there, or since it is stored.
TEST(HeldRows, SumsThatOthersReadAreNotHeld) {
  Attention graph({64});
  ValueId sum = graph.getNodes()[6].results[0];
  ASSERT_EQ(graph.getDefinition(sum)->opcode, Opcode::Accumulate);
  EXPECT_TRUE(isHeld(graph, sum));
  Attention stored({64});
  stored.addOutput(sum);
  EXPECT_FALSE(isHeld(stored, sum));
  graph.addOutput(graph.add(Opcode::Sum, {sum}, f32({1, 32}), over({0})));
  EXPECT_FALSE(isHeld(graph, sum));
}

/// Something is done with a mean behind the loop, where no warp does it.
TEST(HeldRows, MeansAreNotHeld) {
  auto isHeldBehindTheLoop = [](Opcode reduction, Shape dims, Shape result) {
    Tiles graph(32);
    ValueId x = graph.addWhole(f16({16, 16})),
            y = graph.addLooped(f16({16, 16}));
    ValueId product = graph.add(Opcode::Matmul, {x, y}, f32({16, 16}));
    ValueId whole = graph.add(Opcode::Accumulate, {product}, f32(result),
                              accumulate(reduction, dims));
    graph.addOutput(graph.add(Opcode::Exp, {whole}, f32(result)));
    return isHeld(graph, whole);
  };
  EXPECT_TRUE(isHeldBehindTheLoop(Opcode::Sum, {}, {16, 16}));
  EXPECT_TRUE(isHeldBehindTheLoop(Opcode::Sum, {1}, {16, 1}));
  EXPECT_FALSE(isHeldBehindTheLoop(Opcode::Mean, {}, {16, 16}));
  EXPECT_FALSE(isHeldBehindTheLoop(Opcode::Mean, {1}, {16, 1}));
}

/// All warps read what a product has on its right, whatever else reads it.
TEST(HeldRows, RightOperandsAreNotHeld) {
  Tiles graph(32);
  ValueId x = graph.addWhole(f16({32, 16})), y = graph.addLooped(f16({16, 16}));
  ValueId left = graph.add(Opcode::Matmul, {x, y}, f16({32, 16}));
  ValueId right = graph.add(Opcode::Matmul, {y, y}, f16({16, 16}));
  graph.addOutput(graph.add(Opcode::Sum, {right}, f32({16, 1}), over({1})));
  ValueId product = graph.add(Opcode::Matmul, {left, right}, f32({32, 16}));
  graph.addOutput(graph.add(Opcode::Exp, {product}, f32({32, 16})));
  EXPECT_EQ(listMembers(graph), " matmul matmul sum matmul exp");
  EXPECT_TRUE(isHeld(graph, left));
  EXPECT_FALSE(isHeld(graph, right));
  EXPECT_TRUE(isHeld(graph, product));
}

/// A product of something with itself has it on its right as well.
TEST(HeldRows, SquaresOfMatricesAreNotHeld) {
  Tiles graph(32);
  ValueId x = graph.addWhole(f16({16, 16})), y = graph.addLooped(f16({16, 16}));
  ValueId product = graph.add(Opcode::Matmul, {x, y}, f16({16, 16}));
  ValueId square = graph.add(Opcode::Matmul, {product, product}, f32({16, 16}));
  ValueId sum = graph.add(Opcode::Sum, {product}, f32({16, 1}), over({1}));
  graph.addOutput(graph.add(Opcode::Add, {square, sum}, f32({16, 16})));
  EXPECT_EQ(listMembers(graph), " matmul matmul sum add");
  EXPECT_FALSE(isHeld(graph, product));
  EXPECT_TRUE(isHeld(graph, square));
}

TEST(HeldRows, WhatIsStoredIsNotHeld) {
  Attention graph({64});
  graph.addOutput(graph.halves);
  EXPECT_EQ(listMembers(graph), kAttention);
  EXPECT_FALSE(isHeld(graph, graph.halves));
  EXPECT_TRUE(isHeld(graph, graph.exponentials));
}

TEST(HeldRows, WhatOthersReadIsNotHeld) {
  Attention graph({64});
  ValueId columns =
      graph.add(Opcode::Sum, {graph.exponentials}, f32({1, 64}), over({0}));
  graph.addOutput(graph.add(Opcode::Accumulate, {columns}, f32({1, 64})));
  EXPECT_EQ(listMembers(graph), kAttention);
  EXPECT_FALSE(isHeld(graph, graph.exponentials));
  EXPECT_TRUE(isHeld(graph, graph.halves));
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// One warp, rows of 16 and of 8 elements. A thread has 1/32 of a tile:
///
///   scores 16x16 f32, exponentials   1024 bytes / 32 = 32, or 8 registers
///   halves 16x16 f16                  512 bytes / 32 = 16, or 4
///   product 16x8 f32                  512 bytes / 32 = 16, or 4
///   largest 16x1 f32, total           2, as four lanes have the same
///
///   scores, then with largest       8, 10
///   shifted, exponentials           8
///   halves, then with product       4, 8
///   halves with total               6
///
/// 10 at the most, and 4 and 2 of the sums over the loop all the time.
TEST(HeldRows, RegistersAreCountedWhereRowsTakeMost) {
  EXPECT_EQ(
      findWarpRows(Attention({16}, 16, 8, /*numThreads=*/32)).numRegisters,
      10 + 4 + 2);
  // As many rows for each of four warps.
  EXPECT_EQ(findWarpRows(Attention({64}, 16, 8)).numRegisters, 10 + 4 + 2);
}

/// Of what is not held nothing counts: without the exponentials' 8 registers
/// the most are still the 10 before them, and without the scores 8 are left.
TEST(HeldRows, RegistersOfWhatIsHeldAlone) {
  auto count = [](ValueId Attention::*stored) {
    Attention graph({16}, 16, 8, /*numThreads=*/32);
    graph.addOutput(graph.*stored);
    return findWarpRows(graph).numRegisters;
  };
  EXPECT_EQ(count(&Attention::exponentials), 10 + 4 + 2);
  EXPECT_EQ(count(&Attention::scores), 8 + 4 + 2);
}

TEST(HeldRows, RowsThatTakeTooManyRegistersAreNotKept) {
  Attention graph({64}, 16, 8);
  EXPECT_TRUE(findWarpRows(graph, /*mostRegisters=*/16).members.any());
  WarpRows none = findWarpRows(graph, /*mostRegisters=*/15);
  EXPECT_TRUE(none.members.none());
  EXPECT_EQ(none.numRegisters, 0);
}

TEST(HeldRows, NoChainTakesNoRegisters) {
  EXPECT_EQ(findWarpRows(Attention({32})).numRegisters, 0);
}
