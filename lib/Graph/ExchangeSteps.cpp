//===- ExchangeSteps.cpp - What loading by columns takes ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/ExchangeSteps.h"
#include "Mirage/Graph/TileMemory.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir::mirage;

llvm::SmallVector<int64_t> mlir::mirage::getRowColumnExchange(int64_t rank) {
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(dims[rank - 2], dims[rank - 1]);
  return dims;
}

/// The operations with these inputs exchanged, and exchanged back before
/// anything reads them.
static Graph exchangeTiles(const TileGraph &graph,
                           llvm::ArrayRef<unsigned> inputs) {
  Graph body;
  body.f32Products = graph.f32Products;
  llvm::SmallVector<ValueId> tiles;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input) {
    TensorSpec tile = graph.getType(input);
    if (llvm::is_contained(inputs, input))
      std::swap(tile.shape[tile.getRank() - 2], tile.shape.back());
    tiles.push_back(body.addInput(tile, graph.getInputName(input)));
  }
  for (unsigned input : inputs) {
    const TensorSpec &tile = graph.getType(input);
    Attributes exchange;
    exchange.dims = getRowColumnExchange(tile.getRank());
    tiles[input] = body.add(Opcode::Transpose, tiles[input], tile, exchange);
  }
  for (ValueId output : inlineGraph(graph, tiles, body))
    body.addOutput(output);
  return body;
}

TileGraph mlir::mirage::exchangeInputs(const TileGraph &graph,
                                       llvm::ArrayRef<unsigned> inputs) {
  TileGraph exchanged = graph;
  static_cast<Graph &>(exchanged) = exchangeTiles(graph, inputs);
  for (unsigned input : inputs) {
    llvm::SmallVector<int64_t> dims =
        getRowColumnExchange(graph.getType(input).getRank());
    TileInput &map = exchanged.tileInputs[input];
    auto exchange = [&](int &dim) {
      if (dim != kReplicated)
        dim = dims[dim];
    };
    llvm::for_each(map.gridMap, exchange);
    exchange(map.loopMap);
  }
  return exchanged;
}

llvm::SmallVector<unsigned>
mlir::mirage::findExchangeSteps(const TileGraph &graph,
                                llvm::ArrayRef<unsigned> byColumns) {
  TileGraph exchanged = exchangeInputs(graph, byColumns);
  llvm::SmallVector<unsigned> steps;
  // The exchanges are the first operations.
  for (auto [number, input] : llvm::enumerate(byColumns))
    if (!isLoadedTransposed(exchanged, exchanged.getNodes()[number]))
      steps.push_back(input);
  return steps;
}

int64_t
mlir::mirage::getSharedBytesByColumns(const TileGraph &graph,
                                      llvm::ArrayRef<unsigned> byColumns) {
  return getSharedBytes(
      exchangeInputs(graph, findExchangeSteps(graph, byColumns)));
}
