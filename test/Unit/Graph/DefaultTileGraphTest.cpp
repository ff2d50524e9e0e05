//===- DefaultTileGraphTest.cpp - Tests of default block graphs -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/DefaultTileGraph.h"
#include "Mirage/Graph/ExchangeSteps.h"
#include "Mirage/Graph/TileMemory.h"
#include "TileGraphs.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

/// The default block graph of a one-operation program verifies in its place.
static TileGraph buildDefault(const Graph &graph, DefaultTileSizes sizes = {}) {
  const Node &operation = graph.getNodes()[0];
  TileGraph tiles =
      llvm::cantFail(buildDefaultTileGraph(graph, operation, 227 << 10, sizes));
  llvm::Error error = verify(tiles, graph.getTypes(operation.operands),
                             graph.getTypes(operation.results));
  EXPECT_FALSE(static_cast<bool>(error)) << llvm::toString(std::move(error));
  EXPECT_LE(getSharedBytes(tiles), 227 << 10);
  return tiles;
}

TEST(DefaultTileGraph, MatmulOfOddSizes) {
  Graph graph;
  ValueId a = graph.addInput(f16({3, 1, 100, 77})),
          b = graph.addInput(f16({2, 77, 130}));
  graph.addOutput(graph.add(Opcode::Matmul, {a, b}, f16({3, 2, 100, 130})));
  TileGraph tiles = buildDefault(graph);
  EXPECT_GT(tiles.loop, 1);
}

TEST(DefaultTileGraph, TilesAreNoLargerThanAskedFor) {
  Graph graph;
  ValueId a = graph.addInput(f16({5, 6})), b = graph.addInput(f16({6, 3}));
  graph.addOutput(graph.add(Opcode::Matmul, {a, b}, f16({5, 3})));
  TileGraph whole = buildDefault(graph), tiles = buildDefault(graph, {4, 2});
  EXPECT_EQ(whole.getNumBlocks(), 1);
  EXPECT_EQ(whole.loop, 1);
  EXPECT_EQ(tiles.getType(0).shape, Shape({2, 2}));
  EXPECT_EQ(tiles.getType(1).shape, Shape({2, 2}));
  EXPECT_EQ(tiles.getNumBlocks(), 3 * 2);
  EXPECT_EQ(tiles.loop, 3);
}

/// A product of f32 matrices with these batch dimensions.
static Graph makeProduct(Shape batch, int64_t rows, int64_t depth,
                         int64_t columns) {
  auto append = [&](int64_t first, int64_t second) {
    Shape shape = batch;
    shape.append({first, second});
    return f32(shape);
  };
  Graph graph;
  ValueId a = graph.addInput(append(rows, depth)),
          b = graph.addInput(append(depth, columns));
  graph.addOutput(graph.add(Opcode::Matmul, {a, b}, append(rows, columns)));
  return graph;
}

TEST(DefaultTileGraph, BatchesAreCutUntilExchangedTilesFit) {
  constexpr int64_t kSharedBytes = 227 << 10;
  Graph graph = makeProduct({32, 7}, 2, 24, 7);
  TileGraph whole = buildDefault(graph);
  EXPECT_EQ(whole.getNumBlocks(), 1);
  EXPECT_GT(getSharedBytesByColumns(whole, 1), kSharedBytes);
  TileGraph cut = llvm::cantFail(
      buildDefaultTileGraph(graph, graph.getNodes()[0], kSharedBytes, {}, 1));
  EXPECT_GT(cut.getNumBlocks(), 1);
  EXPECT_LE(getSharedBytesByColumns(cut, 1), kSharedBytes);
}

TEST(DefaultTileGraph, ProductsByColumnsOfAnyRankFit) {
  constexpr int64_t kSharedBytes = 48 << 10;
  for (const Shape &batch :
       {Shape{}, Shape{40}, Shape{4, 40}, Shape{4, 1, 40}, Shape{3, 2, 3, 5}}) {
    Graph graph = makeProduct(batch, 20, 100, 30);
    const Node &operation = graph.getNodes()[0];
    for (const llvm::SmallVector<unsigned> &byColumns :
         {llvm::SmallVector<unsigned>{0}, {1}, {0, 1}}) {
      TileGraph tiles = llvm::cantFail(
          buildDefaultTileGraph(graph, operation, kSharedBytes, {}, byColumns));
      EXPECT_LE(getSharedBytesByColumns(tiles, byColumns), kSharedBytes);
      llvm::Error error = verify(tiles, graph.getTypes(operation.operands),
                                 graph.getTypes(operation.results));
      EXPECT_FALSE(static_cast<bool>(error))
          << llvm::toString(std::move(error));
    }
  }
}

TEST(DefaultTileGraph, WhatFitsNoTilingNamesDemandAndLimit) {
  Graph graph = makeProduct({}, 2, 24, 7);
  llvm::Expected<TileGraph> tiles =
      buildDefaultTileGraph(graph, graph.getNodes()[0], 256);
  ASSERT_FALSE(static_cast<bool>(tiles));
  EXPECT_EQ(llvm::toString(tiles.takeError()),
            "matmul has no tiling that fits: the smallest tried needs 512 "
            "bytes of shared memory, a block has 256");
}

TEST(DefaultTileGraph, EveryElementwiseAndReductionOperator) {
  for (const OperatorInfo &row : getOperatorTable()) {
    if ((row.kind != OperatorKind::Elementwise &&
         row.kind != OperatorKind::Reduction) ||
        row.numOperands == 0 || !row.existsAt(Level::Kernel))
      continue;
    Graph graph;
    Attributes attributes;
    attributes.scalars.assign(row.parameters.size(), 1.5);
    llvm::SmallVector<ValueId, 2> operands = {
        graph.addInput(f16({70, 5, 1000}))};
    if (row.numOperands == 2)
      operands.push_back(graph.addInput(f16({5, 1})));
    Shape result = {70, 5, 1000};
    if (row.kind == OperatorKind::Reduction) {
      attributes.dims = {0, 2};
      result = {1, 5, 1};
    }
    graph.addOutput(graph.add(row.opcode, operands, f16(result), attributes));
    buildDefault(graph);
  }
}

TEST(DefaultTileGraph, SumsOverPaddingAreMasked) {
  Graph graph;
  ValueId x = graph.addInput(f16({4, 100}));
  Attributes dims;
  dims.dims = {1};
  graph.addOutput(graph.add(Opcode::Max, {x}, f16({4, 1}), dims));
  EXPECT_EQ(countMasks(buildDefault(graph)), 1);
}
