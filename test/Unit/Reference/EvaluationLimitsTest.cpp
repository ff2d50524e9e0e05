//===- EvaluationLimitsTest.cpp - What is too much to evaluate ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileWalkSupport.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

/// What one block holds for others of a kernel that sums the rows of tiles of 4
/// x 16 over blocks, and multiplies columns by that in a loop, or behind it.
static std::string explainHeld(bool isReadInLoop) {
  Graph graph;
  TileGraph tiles;
  tiles.grid = {int64_t(1) << 30};
  tiles.loop = 2;
  ValueId x = tiles.addInput(f32({4, 16})), y = tiles.addInput(f32({4, 1}));
  tiles.tileInputs = {{{kReplicated}, kReplicated}, {{kReplicated}, 1}};
  ValueId rows = tiles.add(Opcode::Sum, {x}, f32({4, 1}), over({1}));
  ValueId all = tiles.add(Opcode::Accumulate, {rows}, f32({4, 1}),
                          accumulate(Opcode::Sum, {}, 0, Axis::X));
  ValueId part = tiles.add(Opcode::Mul, {x, y}, f32({4, 16}));
  if (isReadInLoop)
    part = tiles.add(Opcode::Mul, {part, all}, f32({4, 16}));
  ValueId sum = tiles.add(Opcode::Accumulate, {part}, f32({4, 1}),
                          accumulate(Opcode::Sum, {1}));
  tiles.addOutput(tiles.add(Opcode::Mul, {sum, all}, f32({4, 1})));
  tiles.tileOutputs = {{{kReplicated}}};
  llvm::SmallVector<ValueId> operands = {graph.addInput(f32({4, 16})),
                                         graph.addInput(f32({4, 2}))};
  graph.addOutput(graph.addGraph(operands, std::make_shared<TileGraph>(tiles),
                                 f32({4, 1})));
  return llvm::toString(checkEvaluable(graph));
}

/// Sums; or, before the loop, the tile that it reads, and parts and sums of
/// rows.
TEST(EvaluationLimits, BlocksHoldWhatIsReadFromWhereTheyWait) {
  auto expect = [](const char *elements) {
    return std::string("operation 0 (graph): the reference holds at most "
                       "2147483648 elements of blocks that wait for each "
                       "other, got 1073741824 blocks of ") +
           elements;
  };
  EXPECT_EQ(explainHeld(/*isReadInLoop=*/false), expect("16"));
  EXPECT_EQ(explainHeld(/*isReadInLoop=*/true), expect("72"));
}

/// Sums `rows` copies of a tile of 4 elements.
static Graph sumOfCopies(int64_t rows) {
  Graph program;
  ValueId x = program.addInput(f32({1, 4}));
  program.addOutput(program.add(Opcode::Exp, {x}, f32({1, 4})));
  TileGraph tiles;
  ValueId tile = tiles.addInput(f32({1, 4}));
  tiles.grid = {1};
  tiles.tileInputs = {{{kReplicated}, kReplicated}};
  ValueId copies = tiles.add(Opcode::Broadcast, {tile}, f32({rows, 4}));
  tiles.addOutput(tiles.add(Opcode::Sum, {copies}, f32({1, 4}), over({0})));
  tiles.tileOutputs = {{{kReplicated}}};
  return makeKernel(program, std::move(tiles));
}

TEST(EvaluationLimits, TilesThatAreTooLargeAreSaid) {
  EXPECT_EQ(llvm::toString(checkEvaluable(sumOfCopies(1 << 20))), "");
  EXPECT_EQ(llvm::toString(checkEvaluable(sumOfCopies(int64_t(1) << 36))),
            "operation 0 (graph): the reference takes tensors of at most "
            "67108864 elements, got %1 of type tensor<68719476736x4xf32>");
}

/// The largest of a tile that `blocks` blocks hold alike, each after `loop`
/// iterations.
static Graph joinAlike(int64_t blocks, int64_t loop, bool waits) {
  Graph program;
  ValueId x = program.addInput(f32({8}));
  program.addOutput(program.add(Opcode::Abs, {x}, f32({8})));
  TileGraph tiles;
  ValueId value = tiles.addInput(f32({8}));
  tiles.grid = {blocks};
  tiles.loop = loop;
  tiles.tileInputs = {{{kReplicated}, kReplicated}};
  tiles.tileOutputs = {{{kReplicated}}};
  Attributes join;
  join.axis = Axis::X;
  join.reduction = Opcode::Max;
  if (waits)
    value = tiles.add(Opcode::Accumulate, {value}, f32({8}), join);
  tiles.addOutput(tiles.add(Opcode::Abs, {value}, f32({8})));
  return makeKernel(program, std::move(tiles));
}

TEST(EvaluationLimits, WorkThatIsTooMuchIsSaid) {
  EXPECT_EQ(llvm::toString(checkEvaluable(joinAlike(1 << 20, 1, true))), "");
  EXPECT_EQ(llvm::toString(checkEvaluable(joinAlike(1 << 30, 1, false))), "");
  EXPECT_EQ(llvm::toString(checkEvaluable(joinAlike(1 << 30, 1, true))),
            "operation 0 (graph): the reference holds at most 2147483648 "
            "elements of blocks that wait for each other, got 1073741824 "
            "blocks of 24");
  for (auto [blocks, loop] : {std::pair(int64_t(1) << 40, int64_t(1)),
                              std::pair(int64_t(1) << 20, int64_t(1) << 20)})
    EXPECT_EQ(llvm::toString(checkEvaluable(joinAlike(blocks, loop, false))),
              "operation 0 (graph): the reference walks at most 4294967296 "
              "iterations of blocks, got a grid and a loop of more");
}
