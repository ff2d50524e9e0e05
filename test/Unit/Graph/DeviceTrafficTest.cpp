//===- DeviceTrafficTest.cpp - What maps imply of device memory -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/DeviceTraffic.h"
#include "Mirage/Graph/Strides.h"
#include "TileGraphs.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

/// The example of the header, and sizes that tiles do not divide.
TEST(DeviceTraffic, BlocksThatDoNotCutReadAgain) {
  auto kernel = fusedRmsLinear(8, 4096, 512, 8, 48, 128);
  EXPECT_EQ(countReadBytes(*kernel, 0, f16({8, 4096})), 128. * 8 * 4096 * 2);
  EXPECT_EQ(countReadBytes(*kernel, 1, f16({4096, 6144})), 4096. * 6144 * 2);
  EXPECT_EQ(countWrittenBytes(*kernel, 0, f16({8, 6144})), 8. * 6144 * 2);
  EXPECT_EQ(countReadBytes(*kernel, 0, f16({8, 4001})), 128. * 8 * 4001 * 2);
  EXPECT_EQ(countReadBytes(*kernel, 1, f16({4001, 6143})), 4001. * 6143 * 2);
}

/// Against a count of the elements of every tile of every block.
TEST(DeviceTraffic, IsThatOfAllTiles) {
  constexpr int64_t kRows = 13, kColumns = 50; // of tiles 4 x 8
  TileGraph kernel;
  kernel.grid = {4, 3};
  kernel.loop = 7;
  ValueId x = kernel.addInput(f16({4, 8}));
  kernel.tileInputs = {{{0, kReplicated}, 1}};
  kernel.addOutput(kernel.add(Opcode::Accumulate, {x}, f32({4, 8}),
                              accumulate(Opcode::Sum)));
  kernel.tileOutputs = {{{0, kSummed}}};
  double bytes = 0;
  for (int64_t block = 0; block < 4; ++block)
    for (int64_t again = 0; again < 3; ++again)
      for (int64_t iteration = 0; iteration < 7; ++iteration)
        for (int64_t row = 4 * block; row < 4 * block + 4; ++row)
          for (int64_t col = 8 * iteration; col < 8 * iteration + 8; ++col)
            bytes += row < kRows && col < kColumns ? 2 : 0;
  EXPECT_EQ(countReadBytes(kernel, 0, f16({kRows, kColumns})), bytes);
  // Each of the three blocks along y leaves a part of its own.
  EXPECT_EQ(countWrittenBytes(kernel, 0, f32({kRows, 8})), 3. * kRows * 8 * 4);
}

TEST(DeviceTraffic, UnreadInputsAreNotLoaded) {
  TileGraph kernel;
  kernel.grid = {2};
  ValueId x = kernel.addInput(f16({4, 8}));
  kernel.addInput(f16({4, 8}));
  kernel.tileInputs = {{{0}, kReplicated}, {{0}, kReplicated}};
  kernel.addOutput(kernel.add(Opcode::Exp, {x}, f32({4, 8})));
  kernel.tileOutputs = {{{0}}};
  EXPECT_EQ(countReadBytes(kernel, 0, f16({8, 8})), 8. * 8 * 2);
  EXPECT_EQ(countReadBytes(kernel, 1, f16({8, 8})), 0.);
}

static int64_t getWidest(TensorSpec tile, TensorSpec tensor) {
  return getWidestAccessBytes(tile, tensor, getRowMajorStrides(tensor.shape),
                              0);
}

TEST(DeviceTraffic, WidestAccess) {
  EXPECT_EQ(getWidest(f16({8, 64}), f16({8, 4096})), 16);
  EXPECT_EQ(getWidest(f32({8, 64}), f32({8, 4096})), 16);
  // Tiles that begin or end in mid-access, and rows that do.
  EXPECT_EQ(getWidest(f16({8, 60}), f16({8, 4096})), 8);
  EXPECT_EQ(getWidest(f16({8, 64}), f16({8, 4098})), 4);
  EXPECT_EQ(getWidest(f16({8, 64}), f16({8, 4097})), 2);
  EXPECT_EQ(getWidest(f32({8, 1}), f32({8, 3})), 4);
  // Whole rows of 3 elements lie one behind the other: 8 of them are a run of
  // 24, one is a run of 3.
  EXPECT_EQ(getWidest(f16({8, 3}), f16({64, 3})), 16);
  EXPECT_EQ(getWidest(f16({1, 3}), f16({64, 3})), 2);
  EXPECT_EQ(getWidest(f16({64, 3}), f16({64, 3})), 16);
  // What the tile has beyond the tensor is not moved.
  EXPECT_EQ(getWidest(f16({8, 64}), f16({8, 56})), 16);
  EXPECT_EQ(getWidest(f16({1, 64}), f16({8, 50})), 4);
  EXPECT_EQ(getWidest(f16({4, 64}), f16({8, 50})), 16); // a run of 200
  // Dimensions of size 1 lie anywhere.
  EXPECT_EQ(getWidest(f16({8, 64, 1}), f16({8, 128, 1})), 16);
  EXPECT_EQ(getWidest(f16({}), f16({})), 2);
}

TEST(DeviceTraffic, WidestAccessGoesByStrides) {
  TensorSpec tile = f16({64, 32}), tensor = f16({256, 128});
  auto getBytes = [&](Strides strides, int64_t offset) {
    return getWidestAccessBytes(tile, tensor, strides, offset);
  };
  EXPECT_EQ(getBytes({1, 256}, 0), 16); // transposed
  EXPECT_EQ(getBytes({130, 1}, 0), 4);  // rows with gaps
  EXPECT_EQ(getBytes({128, 1}, 4), 8);  // part of another tensor
  EXPECT_EQ(getBytes({256, 2}, 0), 2);  // every other element
  EXPECT_EQ(getBytes({0, 1}, 0), 16);   // the same row again
}
