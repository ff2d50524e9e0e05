//===- TileMemoryTest.cpp - What a block's tiles take ---------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/TileMemory.h"
#include "TileGraphs.h"
#include "llvm/ADT/Sequence.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir::mirage;
using namespace mlir::mirage::test;

namespace {
/// A loop over the columns of one tile, 16 x 48.
struct LoopOverColumns {
  TileGraph graph;
  ValueId x;

  LoopOverColumns() {
    graph.grid = {4};
    graph.loop = 8;
    x = graph.addInput(f16({16, 48}));
    graph.tileInputs = {{{0}, 1}};
  }
  int64_t getSharedBytes(ValueId result) {
    graph.addOutput(result);
    graph.tileOutputs = {{{0}}};
    return mlir::mirage::getSharedBytes(graph);
  }
};

/// The accumulation that reduces each tile itself.
int64_t getBytesTogether(Opcode reduction) {
  LoopOverColumns loop;
  return loop.getSharedBytes(loop.graph.add(
      Opcode::Accumulate, {loop.x}, f32({16, 1}), accumulate(reduction, {1})));
}

/// What `--mirage-split-accumulations` makes of it, up to the last steps, which
/// are once for all iterations.
int64_t getBytesApart(Opcode reduction) {
  LoopOverColumns loop;
  ValueId tile = loop.x;
  if (reduction == Opcode::Rms)
    tile = loop.graph.add(Opcode::Square, {tile}, f32({16, 48}));
  Attributes columns;
  columns.dims = {1};
  bool isMax = reduction == Opcode::Max;
  ValueId reduced = loop.graph.add(isMax ? Opcode::Max : Opcode::Sum, {tile},
                                   f32({16, 1}), columns);
  return loop.getSharedBytes(
      loop.graph.add(Opcode::Accumulate, {reduced}, f32({16, 1}),
                     accumulate(isMax ? Opcode::Max : Opcode::Sum)));
}

/// The tile that an accumulation reduces first has a place, as it has once the
/// accumulation is two steps; squares have one, too.
TEST(TileMemory, AccumulationsThatReduceTakeWhatTheirStepsTake) {
  for (Opcode reduction : {Opcode::Sum, Opcode::Mean, Opcode::Max, Opcode::Rms})
    EXPECT_EQ(getBytesTogether(reduction), getBytesApart(reduction))
        << getOperatorInfo(reduction).name.str();
}
} // namespace

/// Places begin at multiples of 128 bytes, and only what the loop loads has
/// more than one.
TEST(TileMemory, StagesTakePlacesOfWhatTheLoopLoads) {
  TileGraph tiles;
  tiles.loop = 8;
  ValueId looped = tiles.addInput(f16({4, 33})),
          whole = tiles.addInput(f32({4, 1}));
  tiles.tileInputs = {{{}, 1}, {{}, kReplicated}};
  // Tiles are reduced first, into one more of 128 bytes.
  ValueId sum = tiles.add(Opcode::Accumulate, {looped}, f32({4, 1}),
                          accumulate(Opcode::Sum, {1}));
  tiles.addOutput(tiles.add(Opcode::Add, {sum, whole}, f32({4, 1})));
  tiles.tileOutputs = {{{}}};
  EXPECT_EQ(getNumPlaces(tiles, looped), 1);
  EXPECT_EQ(getStageBytes(tiles), 384); // 264 bytes
  // The loop's tile, what it is reduced to, sum and whole tile; the result is
  // there when the first two are gone.
  EXPECT_EQ(getSharedBytes(tiles), 384 + 3 * 128);
  EXPECT_EQ(getPhaseBytes(tiles).behindLoop, 3 * 128);
  tiles.stages = 5;
  EXPECT_EQ(getNumPlaces(tiles, looped), 5);
  EXPECT_EQ(getNumPlaces(tiles, whole), 1);
  EXPECT_EQ(getStageBytes(tiles), 384);
  EXPECT_EQ(getSharedBytes(tiles), 5 * 384 + 3 * 128);
}

/// The larger of what the loop needs and what follows it, a sum over the loop
/// in both. One iteration is no loop: all has a place of its own.
TEST(TileMemory, WhatFollowsTheLoopLiesWhereItsTilesLay) {
  TileGraph tiles;
  tiles.loop = 8;
  tiles.stages = 2;
  ValueId x = tiles.addInput(f16({16, 48})); // 1536 bytes
  tiles.tileInputs = {{{}, 1}};
  ValueId square = tiles.add(Opcode::Square, {x}, f32({16, 48}));
  ValueId sum = tiles.add(Opcode::Accumulate, {square}, f32({16, 48}),
                          accumulate(Opcode::Sum));
  ValueId root = tiles.add(Opcode::Sqrt, {sum}, f32({16, 48}));
  ValueId exp = tiles.add(Opcode::Exp, {root}, f32({16, 48}));
  tiles.addOutput(tiles.add(Opcode::Sqrt, {exp}, f32({16, 48})));
  tiles.tileOutputs = {{{}}};
  constexpr int64_t kTile = 1536, kResult = 2 * kTile;
  EXPECT_EQ(getPhaseBytes(tiles).inLoop, 2 * kTile + 2 * kResult);
  EXPECT_EQ(getPhaseBytes(tiles).behindLoop, 4 * kResult);
  EXPECT_EQ(getSharedBytes(tiles), 4 * kResult);
  tiles.stages = 8;
  EXPECT_EQ(getSharedBytes(tiles), 8 * kTile + 2 * kResult);
  tiles.stages = 1;
  tiles.loop = 1;
  EXPECT_EQ(getSharedBytes(tiles), kTile + 5 * kResult);
}

/// Eight rows that a product reads begin in different banks: multiples of 32
/// bytes have 16 more, and all else none.
TEST(TileMemory, RowsThatProductsReadBeginInDifferentBanks) {
  EXPECT_EQ(getRowPadding(f16({8, 64})), 16);
  EXPECT_EQ(getRowPadding(f16({8, 16})), 16);
  EXPECT_EQ(getRowPadding(f32({2, 8, 8})), 16);
  for (const Shape &shape : {Shape{8, 8}, {8, 24}, {8, 20}, {8, 1}, {1, 64}})
    EXPECT_EQ(getRowPadding(f16(shape)), 0) << shape.back();
  EXPECT_EQ(getTileBytes(f16({8, 64}), 16), 8 * 144);
  for (int64_t columns = 8; columns <= 512; columns += 8) {
    int64_t pitch =
        getTileBytes(f16({8, columns}), getRowPadding(f16({8, columns}))) / 8;
    std::set<int64_t> banks;
    for (int64_t row = 0; row < 8; ++row)
      banks.insert(row * pitch % 128 / 16);
    EXPECT_EQ(banks.size(), 8u) << columns;
  }
}

/// Of a tile that a product reads through a reshape too, if that keeps rows.
TEST(TileMemory, BytesOfRowsThatProductsReadCount) {
  TileGraph tiles;
  tiles.loop = 2;
  tiles.stages = 2;
  ValueId x = tiles.addInput(f16({1, 8, 64})),
          w = tiles.addInput(f16({64, 32})), v = tiles.addInput(f16({16, 64}));
  tiles.tileInputs = {{{}, 2}, {{}, 0}, {{}, kReplicated}};
  ValueId rows = tiles.add(Opcode::Reshape, {x}, f16({8, 64}));
  ValueId others = tiles.add(Opcode::Reshape, {v}, f16({32, 32}));
  EXPECT_EQ(getStageBytes(tiles), 1024 + 4096);
  ValueId product = tiles.add(Opcode::Matmul, {rows, w}, f32({8, 32}));
  tiles.addOutput(tiles.add(Opcode::Matmul, {product, others}, f32({8, 32})));
  EXPECT_EQ(llvm::ArrayRef(chooseRowPaddings(tiles)),
            llvm::ArrayRef<int64_t>({16, 16, 0, 16, 0, 16, 0}));
  int64_t stageBytes = 8 * 144 + 64 * 80; // both multiples of 128
  EXPECT_EQ(getStageBytes(tiles), stageBytes);
  EXPECT_EQ(getSharedBytes(tiles),
            2 * stageBytes + 2048 + 8 * 144 + 2048 + 8 * 144 + 1024);
}

/// Q · Kᵀ of tiles with such batch dimensions, and 8 rows and keys of 64.
struct ProductOfTransposed {
  TileGraph graph;

  explicit ProductOfTransposed(Shape batch) {
    auto with = [&](int64_t rows, int64_t columns) {
      Shape shape = batch;
      shape.append({rows, columns});
      return shape;
    };
    ValueId q = graph.addInput(f16(with(8, 64))),
            k = graph.addInput(f16(with(8, 64)));
    graph.tileInputs.resize(2);
    Attributes dims;
    dims.dims.append(llvm::seq<int64_t>(0, batch.size()).begin(),
                     llvm::seq<int64_t>(0, batch.size()).end());
    dims.dims.append({int64_t(batch.size()) + 1, int64_t(batch.size())});
    ValueId turned = graph.add(Opcode::Transpose, {k}, f16(with(64, 8)), dims);
    graph.addOutput(graph.add(Opcode::Matmul, {q, turned}, f32(with(8, 8))));
  }
  const Node &getTranspose() const { return graph.getNodes().front(); }
};

/// Whatever the rank is: steps count their items along three dimensions that
/// are larger than 1.
TEST(TileMemory, ProductsLoadTransposesOfTilesThatStepsCanCount) {
  for (const Shape &batch :
       {Shape{}, {1}, {5}, {1, 1}, {1, 5}, {2, 1}, {1, 1, 5}}) {
    ProductOfTransposed product(batch);
    EXPECT_TRUE(isLoadedTransposed(product.graph, product.getTranspose()))
        << batch.size();
  }
  ProductOfTransposed large({2, 5});
  EXPECT_FALSE(isLoadedTransposed(large.graph, large.getTranspose()));
  EXPECT_TRUE(mayBeLoadedTransposed(large.graph, large.getTranspose()));
  ProductOfTransposed shared({1});
  TileGraph &graph = shared.graph;
  ValueId turned = shared.getTranspose().results[0];
  graph.addOutput(graph.add(Opcode::Matmul, {0, turned}, f32({1, 8, 8})));
  EXPECT_TRUE(isLoadedTransposed(graph, shared.getTranspose()));
  graph.addOutput(graph.add(Opcode::Exp, {turned}, f16({1, 64, 8})));
  EXPECT_FALSE(isLoadedTransposed(graph, shared.getTranspose()));
  ProductOfTransposed left({1, 1});
  left.graph.addOutput(left.getTranspose().results[0]);
  EXPECT_FALSE(mayBeLoadedTransposed(left.graph, left.getTranspose()));
}

/// Lowering makes such a transpose a step of the phase before.
TEST(TileMemory, ProductsOfOtherPhasesReadTransposesAsTiles) {
  llvm::SmallVector<int64_t> exchanged = {1, 0}, batched = {0, 2, 1};
  llvm::SmallVector<int64_t> result = {8, 8};
  TileReader product{Opcode::Matmul, Phase::Loop, result};
  auto isLoaded = [&](llvm::ArrayRef<int64_t> dims, Phase phase,
                      llvm::ArrayRef<TileReader> readers) {
    return isLoadedTransposed(dims, phase, {64, 8}, readers);
  };
  EXPECT_TRUE(isLoaded(exchanged, Phase::Loop, {product, product}));
  EXPECT_TRUE(isLoaded(batched, Phase::Loop, product));
  EXPECT_FALSE(isLoaded({0, 1}, Phase::Loop, product));
  EXPECT_FALSE(isLoaded(exchanged, Phase::Invariant, product));
  product.phase = Phase::Joined;
  EXPECT_FALSE(isLoaded(exchanged, Phase::Invariant, product));
  EXPECT_TRUE(isLoaded(exchanged, Phase::Joined, product));
  TileReader other{Opcode::Graph, Phase::Joined, {}};
  EXPECT_FALSE(isLoaded(exchanged, Phase::Joined, {product, other}));
  EXPECT_FALSE(isLoaded(exchanged, Phase::Joined, {}));
}

/// What accumulates over dimensions reduces a tile first, of squares for an
/// rms; blocks that join what they have reduced do not.
TEST(TileMemory, BytesOfTilesThatAreReducedFirstCount) {
  auto getBytes = [](Opcode reduction, Axis axis, bool reduces) {
    TileGraph tiles;
    tiles.grid = {2};
    tiles.loop = 2;
    ValueId x = tiles.addInput(f16({8, 64}));
    tiles.tileInputs = {{{kReplicated}, 1}};
    Attributes attributes;
    attributes.axis = axis;
    attributes.reduction = reduction;
    if (reduces)
      attributes.dims = {1};
    tiles.addOutput(tiles.add(Opcode::Accumulate, {x},
                              f32({8, reduces ? 1 : 64}), attributes));
    return getSharedBytes(tiles);
  };
  int64_t tile = 1024, sums = 128, squares = 2048;
  EXPECT_EQ(getBytes(Opcode::Sum, Axis::Loop, true), tile + 2 * sums);
  EXPECT_EQ(getBytes(Opcode::Rms, Axis::Loop, true), tile + 2 * sums + squares);
  EXPECT_EQ(getBytes(Opcode::Sum, Axis::Loop, false), tile + squares);
  // Joined behind the loop, in the place of its tile, and of no tile between.
  EXPECT_EQ(getBytes(Opcode::Sum, Axis::X, true), std::max(tile, sums));
}
