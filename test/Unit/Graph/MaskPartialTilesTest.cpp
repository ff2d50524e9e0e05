//===- MaskPartialTilesTest.cpp - Tests of masks on partial tiles ---------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileGraphs.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

TEST(MaskPartialTiles, ZerosUnderASumNeedNoMask) {
  auto tiles = fusedRmsLinear(7, 1000, 64, 16, 32, 5);
  TileGraph completed = llvm::cantFail(
      maskPartialTiles(*tiles, {f16({7, 1000}), f16({1000, 130})}));
  EXPECT_EQ(countMasks(completed), 0);
}

TEST(MaskPartialTiles, ExponentialsUnderASumNeedOne) {
  TileGraph tiles;
  tiles.loop = 4;
  ValueId x = tiles.addInput(f16({5, 32}));
  tiles.tileInputs = {{{}, 1}};
  ValueId e = tiles.add(Opcode::Exp, {x}, f32({5, 32}));
  tiles.addOutput(tiles.add(Opcode::Accumulate, {e}, f32({5, 1}),
                            accumulate(Opcode::Sum, {1})));
  tiles.tileOutputs = {{{}}};
  EXPECT_EQ(
      countMasks(llvm::cantFail(maskPartialTiles(tiles, {f16({5, 128})}))), 0);
  TileGraph completed =
      llvm::cantFail(maskPartialTiles(tiles, {f16({5, 100})}));
  ASSERT_EQ(countMasks(completed), 1);
  const Node &mask = completed.getNodes()[1];
  EXPECT_EQ(mask.opcode, Opcode::Mask);
  EXPECT_EQ(mask.attributes.extent, 100);
  EXPECT_EQ(mask.attributes.scalars[0], 0.0);
}

/// Neither what is summed nor the maximum that it is relative to may come from
/// beyond the end.
TEST(MaskPartialTiles, RescaledSumsNeedOnes) {
  std::shared_ptr<TileGraph> tiles = onlineSum(100, 9);
  EXPECT_EQ(
      countMasks(llvm::cantFail(maskPartialTiles(*tiles, {f16({8, 100})}))), 2);
  TileGraph completed =
      llvm::cantFail(maskPartialTiles(*tiles, {f16({8, 100})}));
  EXPECT_EQ(completed.cluster, tiles->cluster);
  EXPECT_EQ(completed.stages, tiles->stages);
  // A maximum that has the padded dimension itself is masked by itself.
  TileGraph columns;
  columns.loop = 2;
  ValueId x = columns.addInput(f32({4, 9})), m = columns.addInput(f32({4, 9}));
  columns.tileInputs = {{{}, 1}, {{}, 1}};
  columns.addOutput(columns.add(Opcode::Accumulate, {x, m}, f32({4, 9}),
                                accumulate(Opcode::Sum)));
  columns.tileOutputs = {{{}}};
  TileGraph masked =
      llvm::cantFail(maskPartialTiles(columns, {f32({4, 16}), f32({4, 16})}));
  ASSERT_EQ(countMasks(masked), 1);
  EXPECT_EQ(masked.getNodes()[0].operands[0], m);
  EXPECT_EQ(masked.getNodes()[0].attributes.scalars[0], -HUGE_VAL);
}

TEST(MaskPartialTiles, ZerosUnderAMaximumNeedOne) {
  TileGraph tiles;
  tiles.grid = {2};
  ValueId x = tiles.addInput(f16({5, 32}));
  tiles.tileInputs = {{{0}, kReplicated}};
  Attributes rows;
  rows.dims = {0};
  ValueId m = tiles.add(Opcode::Max, {x}, f32({1, 32}), rows);
  tiles.addOutput(m);
  TileGraph completed = llvm::cantFail(maskPartialTiles(tiles, {f16({9, 32})}));
  ASSERT_EQ(countMasks(completed), 1);
  EXPECT_EQ(completed.getNodes()[0].attributes.scalars[0], -INFINITY);
}

/// A row of five tiles of 32 of which 100 elements are there, and what an
/// operation makes of it.
static std::string
maskMessage(llvm::function_ref<void(TileGraph &, ValueId)> addTo) {
  TileGraph tiles;
  tiles.grid = {4};
  tiles.loop = 4;
  ValueId x = tiles.addInput(f32({5, 32}));
  tiles.addInput(f32({5, 32}));
  tiles.tileInputs = {{{kReplicated}, 1}, {{1}, kReplicated}};
  addTo(tiles, x);
  llvm::Expected<TileGraph> masked =
      maskPartialTiles(tiles, {f32({5, 100}), f32({5, 100})});
  return masked ? "" : llvm::toString(masked.takeError());
}

TEST(MaskPartialTiles, OperandsEndAtOneElement) {
  EXPECT_EQ(maskMessage([](TileGraph &tiles, ValueId x) {
              tiles.add(Opcode::Mul, {x, x}, f32({5, 32}));
            }),
            "");
  EXPECT_EQ(maskMessage([](TileGraph &tiles, ValueId x) {
              tiles.add(Opcode::Mul, {x, x + 1}, f32({5, 32}));
            }),
            "operation 0 (mul): expects operands that end at one element along "
            "dimension 1, got one cut out of 100 elements by loop and one out "
            "of 100 by x");
  EXPECT_EQ(maskMessage([](TileGraph &tiles, ValueId x) {
              Attributes rows;
              rows.dims = {0};
              tiles.add(Opcode::Concat, {x, x + 1}, f32({10, 32}), rows);
            }),
            "operation 0 (concat): expects operands that end at one element "
            "along dimension 1, got one cut out of 100 elements by loop and "
            "one out of 100 by x");
}

TEST(MaskPartialTiles, PartialDimensionsAreMovedAsAWhole) {
  EXPECT_EQ(maskMessage([](TileGraph &tiles, ValueId x) {
              Attributes columns;
              columns.dims = {1};
              tiles.add(Opcode::Concat, {x, x}, f32({5, 64}), columns);
            }),
            "operation 0 (concat): expects whole tiles to put side by side, "
            "got operand 0 partial along dimension 1");
  EXPECT_EQ(maskMessage([](TileGraph &tiles, ValueId x) {
              Attributes part;
              part.offsets = {0, 0};
              part.strides = {1, 1};
              tiles.add(Opcode::Slice, {x}, f32({5, 16}), part);
            }),
            "operation 0 (slice): expects a slice to take the partial "
            "dimension 1 as a whole, got 16 of 32 elements");
  EXPECT_EQ(maskMessage([](TileGraph &tiles, ValueId x) {
              tiles.add(Opcode::Reshape, {x}, f32({5, 4, 8}));
            }),
            "operation 0 (reshape): expects a reshape to keep the partial "
            "dimension 1 of size 32, got [5, 4, 8]");
  EXPECT_EQ(maskMessage([](TileGraph &tiles, ValueId x) {
              Attributes lanes;
              lanes.dims = {0, 4};
              tiles.add(Opcode::Shuffle, {x}, f32({5, 32}), lanes);
            }),
            "operation 0 (shuffle): expects whole fragments to exchange "
            "elements of, got partial ones");
}

/// Of a tile with rows of a loop's 32 of 100 elements, the padding of exp(x) is
/// masked in the last dimension, however the others are split and joined.
TEST(MaskPartialTiles, WholeDimensionsBesidePartialOnesAreReshaped) {
  for (Shape shape : {Shape{2, 3, 4, 32}, Shape{6, 4, 32}, Shape{24, 32},
                      Shape{1, 3, 8, 1, 32}}) {
    TileGraph tiles;
    tiles.loop = 4;
    ValueId x = tiles.addInput(f32({4, 1, 6, 32}));
    tiles.tileInputs = {{{}, 3}};
    ValueId e = tiles.add(Opcode::Exp, {x}, f32({4, 1, 6, 32}));
    ValueId y = tiles.add(Opcode::Reshape, {e}, f32(shape));
    Attributes last;
    last.dims = {int64_t(shape.size()) - 1};
    Shape sums = shape;
    sums.back() = 1;
    tiles.add(Opcode::Sum, {y}, f32(sums), last);
    llvm::Expected<TileGraph> masked =
        maskPartialTiles(tiles, {f32({4, 1, 6, 100})});
    ASSERT_TRUE(bool(masked)) << llvm::toString(masked.takeError());
    ASSERT_EQ(masked->getNodes().size(), 4u);
    const Node &mask = masked->getNodes()[2];
    EXPECT_EQ(mask.opcode, Opcode::Mask);
    EXPECT_EQ(mask.attributes.dims, last.dims);
    EXPECT_EQ(mask.attributes.extent, 100);
  }
}

/// Minus infinity, which no maximum sees, is none of the 8-bit floats' numbers.
TEST(MaskPartialTiles, MaximaOfTypesWithoutInfinities) {
  for (ElementType element :
       {ElementType::F8E4M3FN, ElementType::F8E5M2, ElementType::F16}) {
    TileGraph tiles;
    tiles.loop = 4;
    ValueId x = tiles.addInput({{5, 32}, element});
    tiles.tileInputs = {{{}, 1}};
    Attributes columns;
    columns.dims = {1};
    columns.reduction = Opcode::Max;
    tiles.addOutput(tiles.add(Opcode::Accumulate, {x}, f32({5, 1}), columns));
    tiles.tileOutputs = {{{}}};
    TensorSpec tensor{{5, 100}, element};
    llvm::Expected<TileGraph> masked = maskPartialTiles(tiles, {tensor});
    ASSERT_TRUE(bool(masked)) << llvm::toString(masked.takeError());
    EXPECT_EQ(masked->getNodes().size(), storesInfinities(element) ? 2u : 3u);
    llvm::Error error = verify(*masked, {tensor}, {f32({5, 1})});
    EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  }
}

/// Zeros under a sum need no mask, but what somebody's own mask put there does,
/// unless it reaches as far as the padding.
TEST(MaskPartialTiles, AMaskOfOneElementMoreIsNotTheirs) {
  auto countWith = [](int64_t extent) {
    TileGraph tiles;
    tiles.loop = 4;
    ValueId x = tiles.addInput(f32({5, 32}));
    tiles.tileInputs = {{{}, 1}};
    Attributes mask;
    mask.scalars = {0.0};
    mask.dims = {1};
    mask.axes = {Axis::Loop};
    mask.extent = extent;
    ValueId e = tiles.add(Opcode::Exp, {x}, f32({5, 32}));
    ValueId m = tiles.add(Opcode::Mask, {e}, f32({5, 32}), mask);
    tiles.addOutput(tiles.add(Opcode::Accumulate, {m}, f32({5, 1}),
                              accumulate(Opcode::Sum, {1})));
    tiles.tileOutputs = {{{}}};
    return countMasks(llvm::cantFail(maskPartialTiles(tiles, {f32({5, 100})})));
  };
  EXPECT_EQ(countWith(100), 1);
  EXPECT_EQ(countWith(90), 1);
  EXPECT_EQ(countWith(101), 2);
}
