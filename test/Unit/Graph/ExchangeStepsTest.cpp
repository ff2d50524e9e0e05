//===- ExchangeStepsTest.cpp - Tests of what loading by columns takes -----===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/ExchangeSteps.h"
#include "Mirage/Graph/TileMemory.h"
#include "TileGraphs.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

/// Tiles of a batched product: the grid cuts rows, the loop what is summed.
static TileGraph makeProduct(Shape batch) {
  auto append = [&](int64_t first, int64_t second) {
    Shape shape = batch;
    shape.append({first, second});
    return f32(shape);
  };
  int rows = batch.size(), columns = rows + 1;
  TileGraph tiles;
  tiles.grid = {2};
  tiles.loop = 4;
  ValueId a = tiles.addInput(append(16, 8)), b = tiles.addInput(append(8, 32));
  tiles.tileInputs = {{{rows}, columns}, {{kReplicated}, rows}};
  ValueId product = tiles.add(Opcode::Matmul, {a, b}, append(16, 32));
  tiles.addOutput(
      tiles.add(Opcode::Accumulate, product, append(16, 32), Attributes()));
  tiles.tileOutputs = {{{rows}}};
  return tiles;
}

TEST(ExchangeSteps, OfTilesWithMoreDimensionsThanASteps) {
  EXPECT_TRUE(findExchangeSteps(makeProduct({}), {0, 1}).empty());
  EXPECT_TRUE(findExchangeSteps(makeProduct({3}), {0, 1}).empty());
  EXPECT_TRUE(findExchangeSteps(makeProduct({1, 3}), {0, 1}).empty());
  EXPECT_EQ(findExchangeSteps(makeProduct({2, 3}), 1),
            llvm::SmallVector<unsigned>({1}));
}

TEST(ExchangeSteps, TakeASecondTile) {
  TileGraph few = makeProduct({3}), many = makeProduct({2, 3});
  EXPECT_EQ(getSharedBytesByColumns(few, 1), getSharedBytes(few));
  int64_t tileBytes = 2 * 3 * 8 * 32 * 4;
  EXPECT_GE(getSharedBytesByColumns(many, 1), getSharedBytes(many) + tileBytes);
}

TEST(ExchangeSteps, InputsKeepTheirMaps) {
  TileGraph tiles = exchangeInputs(makeProduct({2, 3}), {0, 1});
  EXPECT_EQ(tiles.getType(0), f32({2, 3, 8, 16}));
  EXPECT_EQ(tiles.tileInputs[0].gridMap[0], 3);
  EXPECT_EQ(tiles.tileInputs[0].loopMap, 2);
  EXPECT_EQ(tiles.tileInputs[1].gridMap[0], kReplicated);
  EXPECT_EQ(tiles.tileInputs[1].loopMap, 3);
  llvm::Error error = verify(tiles, {f32({2, 3, 32, 32}), f32({2, 3, 32, 32})},
                             f32({2, 3, 32, 32}));
  EXPECT_FALSE(static_cast<bool>(error)) << llvm::toString(std::move(error));
}
