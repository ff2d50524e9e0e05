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
#include <random>
#include <set>

using namespace mlir::mirage;
using namespace mlir::mirage::test;
using llvm::ArrayRef;

/// The example of the header, and sizes that tiles do not divide.
TEST(DeviceTraffic, BlocksThatDoNotCutReadAgain) {
  auto kernel = fusedRmsLinear(8, 4096, 512, 8, 48, 128);
  EXPECT_EQ(countReadBytes(*kernel, 0, f16({8, 4096})), 128. * 8 * 4096 * 2);
  EXPECT_EQ(countReadBytes(*kernel, 1, f16({4096, 6144})), 4096. * 6144 * 2);
  EXPECT_EQ(countWrittenBytes(*kernel, 0, f16({8, 6144})), 8. * 6144 * 2);
  EXPECT_EQ(countReadBytes(*kernel, 0, f16({8, 4001})), 128. * 8 * 4001 * 2);
  EXPECT_EQ(countReadBytes(*kernel, 1, f16({4001, 6143})), 4001. * 6143 * 2);
}

constexpr int64_t kRows = 13, kColumns = 50; // of tiles 4 x 8

/// Blocks along y read rows of tiles again; what is added to each tile is kept.
static TileGraph addUpRows(int64_t again) {
  TileGraph kernel;
  kernel.grid = {4, again};
  kernel.loop = 7;
  ValueId x = kernel.addInput(f16({4, 8})), kept = kernel.addInput(f16({4, 8}));
  kernel.tileInputs = {{{0, kReplicated}, 1}, {{0, kReplicated}, kReplicated}};
  ValueId sum = kernel.add(Opcode::Add, {x, kept}, f32({4, 8}));
  kernel.addOutput(kernel.add(Opcode::Accumulate, {sum}, f32({4, 8}),
                              accumulate(Opcode::Sum)));
  kernel.tileOutputs = {{{0, kSummed}}};
  return kernel;
}

/// Bytes and sectors of a row-major input, element by element of every tile of
/// every block.
static std::pair<double, double> countByForce(const TileGraph &kernel,
                                              BlockIterations iterations) {
  double bytes = 0, sectors = 0;
  for (int64_t block = 0; block < kernel.grid[0]; ++block)
    for (int64_t again = 0; again < kernel.grid[1]; ++again)
      for (int64_t iteration = 0; iteration < iterations({block, again});
           ++iteration) {
        std::set<int64_t> ofTile;
        for (int64_t row = 4 * block; row < 4 * block + 4; ++row)
          for (int64_t col = 8 * iteration; col < 8 * iteration + 8; ++col) {
            if (row >= kRows || col >= kColumns)
              continue;
            bytes += 2;
            ofTile.insert((row * kColumns + col) * 2 / kSectorBytes);
          }
        sectors += double(ofTile.size());
      }
  return {bytes, sectors};
}

TEST(DeviceTraffic, IsThatOfAllTiles) {
  TileGraph kernel = addUpRows(/*again=*/3);
  TensorSpec tensor = f16({kRows, kColumns});
  auto [bytes, sectors] =
      countByForce(kernel, [](ArrayRef<int64_t>) { return 7; });
  EXPECT_EQ(countReadBytes(kernel, 0, tensor), bytes);
  EXPECT_EQ(countReadSectors(kernel, 0, tensor, {kColumns, 1}, 0), sectors);
  // Each of the three blocks along y leaves a part of its own.
  EXPECT_EQ(countWrittenBytes(kernel, 0, f32({kRows, 8})), 3. * kRows * 8 * 4);
}

TEST(DeviceTraffic, LoopsThatEndEarlyReadNoMore) {
  TileGraph kernel = addUpRows(/*again=*/2);
  TensorSpec tensor = f16({kRows, kColumns});
  auto iterations = [](ArrayRef<int64_t> block) {
    return 1 + block[0] + 2 * block[1];
  };
  auto [bytes, sectors] = countByForce(kernel, iterations);
  EXPECT_EQ(countReadBytes(kernel, 0, tensor, iterations), bytes);
  EXPECT_EQ(countReadSectors(kernel, 0, tensor, {kColumns, 1}, 0, iterations),
            sectors);
  // A tile that the loop does not cut is read once, whenever that ends.
  EXPECT_EQ(countReadBytes(kernel, 1, f16({kRows, 8}), iterations),
            2. * kRows * 8 * 2);
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

/// Against a set of sectors for each tile.
static double countSectorsByForce(const TensorSpec &tensor,
                                  ArrayRef<int64_t> tile,
                                  ArrayRef<int64_t> strides, int64_t offset) {
  double count = 0;
  int64_t bytes = getSizeBytes(tensor.element);
  for (int64_t row = 0; row < tensor.shape[0]; row += tile[0])
    for (int64_t col = 0; col < tensor.shape[1]; col += tile[1]) {
      std::set<int64_t> sectors;
      for (int64_t i = row; i < std::min(row + tile[0], tensor.shape[0]); ++i)
        for (int64_t j = col; j < std::min(col + tile[1], tensor.shape[1]); ++j)
          sectors.insert((offset + i * strides[0] + j * strides[1]) * bytes /
                         kSectorBytes);
      count += double(sectors.size());
    }
  return count;
}

TEST(DeviceTraffic, SectorsAreThoseOfAllTiles) {
  std::mt19937 random(1);
  auto draw = [&](int64_t most) { return 1 + int64_t(random() % most); };
  for (unsigned round = 0; round < 500; ++round) {
    int64_t rows = draw(40), columns = draw(90), numRows = draw(4),
            numColumns = draw(4), again = draw(3), offset = draw(20) - 1;
    Shape tile = {(rows + numRows - 1) / numRows,
                  (columns + numColumns - 1) / numColumns};
    Strides strides = {columns + draw(3) - 1, 1};
    if (random() % 2)
      strides = {1, rows + draw(3) - 1};
    if (random() % 4 == 0)
      strides[random() % 2] = 0;
    bool isWide = random() % 2;
    auto make = [&](const Shape &shape) {
      return isWide ? f32(shape) : f16(shape);
    };
    TileGraph kernel;
    kernel.grid = {numRows, again};
    kernel.loop = numColumns;
    ValueId x = kernel.addInput(make(tile));
    kernel.tileInputs = {{{0, kReplicated}, 1}};
    kernel.addOutput(kernel.add(Opcode::Accumulate, {x}, f32(tile),
                                accumulate(Opcode::Sum)));
    kernel.tileOutputs = {{{0, kSummed}}};
    TensorSpec tensor = make({rows, columns}), result = make({rows, tile[1]});
    EXPECT_EQ(countReadSectors(kernel, 0, tensor, strides, offset),
              double(again) *
                  countSectorsByForce(tensor, tile, strides, offset));
    EXPECT_EQ(countWrittenSectors(kernel, 0, result, strides, offset),
              double(again) *
                  countSectorsByForce(result, tile, strides, offset));
  }
}

/// A block that leaves one number writes a sector, and all blocks that read the
/// same row read it once each.
TEST(DeviceTraffic, SectorsAreNotHadInPart) {
  TileGraph kernel;
  kernel.grid = {8};
  ValueId x = kernel.addInput(f32({1, 64}));
  kernel.addInput(f32({1, 64}));
  kernel.tileInputs = {{{0}, kReplicated}, {{0}, kReplicated}};
  Attributes rows;
  rows.dims = {1};
  kernel.addOutput(kernel.add(Opcode::Sum, {x}, f32({1, 1}), rows));
  kernel.tileOutputs = {{{0}}};
  EXPECT_EQ(countReadSectors(kernel, 0, f32({8, 64}), {64, 1}, 0), 8. * 8);
  EXPECT_EQ(countReadSectors(kernel, 0, f32({8, 64}), {0, 1}, 0), 8. * 8);
  EXPECT_EQ(countReadSectors(kernel, 1, f32({8, 64}), {64, 1}, 0), 0.);
  EXPECT_EQ(countWrittenSectors(kernel, 0, f32({8, 1}), {1, 1}, 0), 8.);
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
