//===- TileMapVerifier.cpp - Extents and maps of a tile graph -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ErrorPrefix.h"
#include "Mirage/Graph/Graph.h"
#include "Mirage/Graph/LevelRules.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;

/// How much of a dimension tiles cover: enough or exactly the tensor's size.
static llvm::Error checkCover(llvm::ArrayRef<int64_t> extents, int64_t tile,
                              int64_t size, int dim, bool mayOverhang) {
  llvm::SmallVector<int64_t, 4> factors(extents);
  factors.push_back(tile);
  std::optional<int64_t> covered = multiplyCounts(factors);
  if (covered && (mayOverhang ? *covered >= size : *covered == size))
    return llvm::Error::success();
  return llvm::createStringError("expects tiles that cover dimension " + llvm::Twine(dim) +
                   " of size " + llvm::Twine(size) + ", got tiles that cover " +
                   (covered ? std::to_string(*covered) : "more than 2^40"));
}

/// An axis cuts one dimension that exists, and the tiles cover the tensor.
static llvm::Error checkInput(const TileGraph &graph, unsigned input,
                              const TensorSpec &tensor) {
  const TileInput &map = graph.tileInputs[input];
  const TensorSpec &tile = graph.getType(input);
  int rank = tensor.getRank();
  if (static_cast<int>(tile.getRank()) != rank)
    return llvm::createStringError("expects a tile of rank " + llvm::Twine(rank) + ", got " +
                     llvm::Twine(tile.getRank()));
  if (tile.element != tensor.element)
    return llvm::createStringError("expects a tile of " + getElementTypeName(tensor.element) +
                     ", got " + getElementTypeName(tile.element));
  if (map.gridMap.size() != graph.grid.size())
    return llvm::createStringError("expects a map for each of " +
                     llvm::Twine(graph.grid.size()) + " grid axes, got " +
                     llvm::Twine(map.gridMap.size()));
  for (int dim :
       llvm::concat<const int>(map.gridMap, llvm::ArrayRef(map.loopMap)))
    if (dim < kReplicated || dim >= rank)
      return llvm::createStringError("expects an axis to cut a dimension in [0, " +
                       llvm::Twine(rank) + ") or none, got " +
                       llvm::Twine(dim));
  for (int dim = 0; dim < rank; ++dim) {
    llvm::SmallVector<Axis, 2> axes = graph.getCuttingAxes(input, dim);
    llvm::SmallVector<int64_t, 4> extents;
    for (Axis axis : axes)
      extents.push_back(graph.getExtent(axis));
    if (llvm::Error error =
            checkCover(extents, tile.shape[dim], tensor.shape[dim], dim,
                       graph.level == Level::Thread || !axes.empty()))
      return error;
  }
  return llvm::Error::success();
}

static llvm::Error checkOutput(const TileGraph &graph, const TileOutput &map,
                               const TensorSpec &tile,
                               const TensorSpec &tensor) {
  int rank = tensor.getRank();
  if (static_cast<int>(tile.getRank()) != rank)
    return llvm::createStringError("expects a tile of rank " + llvm::Twine(rank) + ", got " +
                     llvm::Twine(tile.getRank()));
  if (map.gridMap.size() != graph.grid.size())
    return llvm::createStringError("expects a map for each of " +
                     llvm::Twine(graph.grid.size()) + " grid axes, got " +
                     llvm::Twine(map.gridMap.size()));
  llvm::SmallVector<llvm::SmallVector<int64_t, 3>> extents(rank);
  for (auto [axis, dim] : llvm::enumerate(map.gridMap)) {
    if (dim < kSummed || dim >= rank)
      return llvm::createStringError("expects an axis to join a dimension in [0, " +
                       llvm::Twine(rank) + "), to be summed, or neither, got " +
                       llvm::Twine(dim));
    if (dim >= 0)
      extents[dim].push_back(graph.grid[axis]);
  }
  // Fragments have sizes that are powers of two, so they may overhang anywhere.
  for (int dim = 0; dim < rank; ++dim)
    if (llvm::Error error =
            checkCover(extents[dim], tile.shape[dim], tensor.shape[dim], dim,
                       graph.level == Level::Thread || !extents[dim].empty()))
      return error;
  return llvm::Error::success();
}

static llvm::Error checkExtents(const TileGraph &graph) {
  if (graph.grid.size() > 3)
    return llvm::createStringError("expects a grid of at most 3 axes, got " +
                     llvm::Twine(graph.grid.size()));
  for (int64_t extent : graph.grid)
    if (extent < 1)
      return llvm::createStringError("expects grid extents of at least 1, got " +
                       llvm::Twine(extent));
  if (!multiplyCounts(graph.grid))
    return llvm::createStringError("expects a grid of at most 2^40 blocks, got more");
  if (graph.loop < 1 || graph.loop > kMaxCount)
    return llvm::createStringError("expects a loop of 1 to 2^40 iterations, got " +
                     llvm::Twine(graph.loop));
  if (graph.threads < 32 || graph.threads > 1024 || graph.threads % 32 != 0)
    return llvm::createStringError("expects 32 to 1024 threads in multiples of 32, got " +
                     llvm::Twine(graph.threads));
  return llvm::Error::success();
}

llvm::Error mlir::mirage::verifyMaps(const TileGraph &graph,
                                     llvm::ArrayRef<TensorSpec> operands,
                                     llvm::ArrayRef<TensorSpec> outputTiles,
                                     llvm::ArrayRef<TensorSpec> results) {
  if (llvm::Error error = checkExtents(graph))
    return error;
  if (operands.size() != graph.getNumInputs() ||
      operands.size() != graph.tileInputs.size())
    return llvm::createStringError("expects a tile for each of " +
                     llvm::Twine(operands.size()) + " operands, got " +
                     llvm::Twine(graph.getNumInputs()));
  if (results.size() != outputTiles.size() ||
      results.size() != graph.tileOutputs.size())
    return llvm::createStringError("expects a tile for each of " +
                     llvm::Twine(results.size()) + " results, got " +
                     llvm::Twine(outputTiles.size()));
  for (auto [number, tensor] : llvm::enumerate(operands))
    if (llvm::Error error = checkInput(graph, number, tensor))
      return prefixError("operand " + llvm::Twine(number), std::move(error));
  for (auto [number, tensor] : llvm::enumerate(results))
    if (llvm::Error error = checkOutput(graph, graph.tileOutputs[number],
                                        outputTiles[number], tensor))
      return prefixError("result " + llvm::Twine(number), std::move(error));
  return llvm::Error::success();
}

