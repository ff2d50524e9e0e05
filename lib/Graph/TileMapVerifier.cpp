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
#include "llvm/ADT/STLFunctionalExtras.h"

using namespace mlir::mirage;

/// How much of a dimension tiles cover: enough or exactly the tensor's size.
static llvm::Error checkCover(llvm::ArrayRef<int64_t> extents, int64_t tile,
                              int64_t size, int dim, bool mayOverhang) {
  llvm::SmallVector<int64_t, 4> factors(extents);
  factors.push_back(tile);
  std::optional<int64_t> covered = multiplyCounts(factors);
  if (covered && (mayOverhang ? *covered >= size : *covered == size))
    return llvm::Error::success();
  return llvm::createStringError(
      "expects tiles that cover dimension " + llvm::Twine(dim) + " of size " +
      llvm::Twine(size) + ", got tiles that cover " +
      (covered ? std::to_string(*covered) : "more than 2^40"));
}

/// A tile has its tensor's rank, and a map an entry for each axis of the grid.
static llvm::Error checkRank(const TileGraph &graph,
                             llvm::ArrayRef<int> gridMap,
                             const TensorSpec &tile, const TensorSpec &tensor) {
  if (tile.getRank() != tensor.getRank())
    return llvm::createStringError("expects a tile of rank " +
                                   llvm::Twine(tensor.getRank()) + ", got " +
                                   llvm::Twine(tile.getRank()));
  if (gridMap.size() != graph.grid.size())
    return llvm::createStringError(
        "expects a map for each of " + llvm::Twine(graph.grid.size()) +
        " grid axes, got " + llvm::Twine(gridMap.size()));
  return llvm::Error::success();
}

/// The tiles cover every dimension: \p getAxes gives the axes that walk one.
/// Fragments have sizes that are powers of two, so they may overhang anywhere.
static llvm::Error
checkCovers(const TileGraph &graph, const TensorSpec &tile,
            const TensorSpec &tensor,
            llvm::function_ref<llvm::SmallVector<Axis, 2>(int)> getAxes) {
  for (int dim = 0, rank = tensor.getRank(); dim < rank; ++dim) {
    llvm::SmallVector<int64_t, 4> extents;
    for (Axis axis : getAxes(dim))
      extents.push_back(graph.getExtent(axis));
    bool mayOverhang = graph.level == Level::Thread || !extents.empty();
    if (llvm::Error error = checkCover(extents, tile.shape[dim],
                                       tensor.shape[dim], dim, mayOverhang))
      return error;
  }
  return llvm::Error::success();
}

static llvm::Error checkInput(const TileGraph &graph, unsigned input,
                              const TensorSpec &tensor) {
  const TileInput &map = graph.tileInputs[input];
  const TensorSpec &tile = graph.getType(input);
  if (llvm::Error error = checkRank(graph, map.gridMap, tile, tensor))
    return error;
  if (tile.element != tensor.element)
    return llvm::createStringError("expects a tile of " +
                                   getElementTypeName(tensor.element) +
                                   ", got " + getElementTypeName(tile.element));
  int rank = tensor.getRank();
  for (int dim :
       llvm::concat<const int>(map.gridMap, llvm::ArrayRef(map.loopMap)))
    if (dim < kReplicated || dim >= rank)
      return llvm::createStringError(
          "expects an axis to cut a dimension in [0, " + llvm::Twine(rank) +
          ") or none, got " + llvm::Twine(dim));
  return checkCovers(graph, tile, tensor,
                     [&](int dim) { return graph.getCuttingAxes(input, dim); });
}

static llvm::Error checkOutput(const TileGraph &graph, unsigned output,
                               const TensorSpec &tile,
                               const TensorSpec &tensor) {
  llvm::ArrayRef<int> gridMap = graph.tileOutputs[output].gridMap;
  if (llvm::Error error = checkRank(graph, gridMap, tile, tensor))
    return error;
  int rank = tensor.getRank();
  for (int dim : gridMap)
    if (dim < kSummed || dim >= rank)
      return llvm::createStringError(
          "expects an axis to join a dimension in [0, " + llvm::Twine(rank) +
          "), to be summed, or neither, got " + llvm::Twine(dim));
  return checkCovers(graph, tile, tensor,
                     [&](int dim) { return graph.getJoinedAxes(output, dim); });
}

/// A cluster is a part of the grid: whole ones fill it.
static llvm::Error checkCluster(const TileGraph &graph) {
  if (graph.cluster.empty())
    return llvm::Error::success();
  if (graph.level != Level::Block)
    return llvm::createStringError("expects clusters of blocks, got one in a " +
                                   getLevelName(graph.level) + " graph");
  if (graph.cluster.size() != graph.grid.size())
    return llvm::createStringError(
        "expects a cluster with an extent for each of " +
        llvm::Twine(graph.grid.size()) + " grid axes, got " +
        llvm::Twine(graph.cluster.size()));
  for (auto [axis, extent] : llvm::enumerate(graph.cluster))
    if (extent < 1 || graph.grid[axis] % extent != 0)
      return llvm::createStringError("expects a cluster that divides the " +
                                     llvm::Twine(graph.grid[axis]) +
                                     " blocks along " +
                                     getAxisName(static_cast<Axis>(axis)) +
                                     ", got " + llvm::Twine(extent));
  std::optional<int64_t> blocks = multiplyCounts(graph.cluster);
  if (blocks && *blocks <= kMaxClusterBlocks)
    return llvm::Error::success();
  return llvm::createStringError(
      "expects a cluster of at most " + llvm::Twine(kMaxClusterBlocks) +
      " blocks, got " + (blocks ? std::to_string(*blocks) : "more than 2^40"));
}

/// More stages than iterations would hold tiles that nothing is loaded into.
static llvm::Error checkStages(const TileGraph &graph) {
  if (graph.stages == 1)
    return llvm::Error::success();
  if (graph.level != Level::Block)
    return llvm::createStringError("expects stages of a block's loop, got " +
                                   llvm::Twine(graph.stages) + " in a " +
                                   getLevelName(graph.level) + " graph");
  if (graph.stages > graph.loop)
    return llvm::createStringError(
        "expects no more stages than the loop's iterations, " +
        llvm::Twine(graph.loop) + ", got " + llvm::Twine(graph.stages));
  if (graph.stages >= 1 && graph.stages <= kMaxStages)
    return llvm::Error::success();
  return llvm::createStringError("expects 1 to " + llvm::Twine(kMaxStages) +
                                 " stages, got " + llvm::Twine(graph.stages));
}

static llvm::Error checkExtents(const TileGraph &graph) {
  if (graph.grid.size() > 3)
    return llvm::createStringError("expects a grid of at most 3 axes, got " +
                                   llvm::Twine(graph.grid.size()));
  for (int64_t extent : graph.grid)
    if (extent < 1)
      return llvm::createStringError(
          "expects grid extents of at least 1, got " + llvm::Twine(extent));
  if (!multiplyCounts(graph.grid))
    return llvm::createStringError(
        "expects a grid of at most 2^40 blocks, got more");
  if (graph.loop < 1 || graph.loop > kMaxCount)
    return llvm::createStringError(
        "expects a loop of 1 to 2^40 iterations, got " +
        llvm::Twine(graph.loop));
  if (graph.level == Level::Thread && graph.threads != 32 &&
      graph.threads != 128)
    return llvm::createStringError(
        "expects items of 32 threads, a warp, or 128, a warpgroup, got " +
        llvm::Twine(graph.threads));
  if (graph.threads < 32 || graph.threads > kMaxBlockThreads ||
      graph.threads % 32 != 0)
    return llvm::createStringError(
        "expects 32 to " + llvm::Twine(kMaxBlockThreads) +
        " threads in multiples of 32, got " + llvm::Twine(graph.threads));
  if (llvm::Error error = checkStages(graph))
    return error;
  return checkCluster(graph);
}

llvm::Error mlir::mirage::verifyMaps(const TileGraph &graph,
                                     llvm::ArrayRef<TensorSpec> operands,
                                     llvm::ArrayRef<TensorSpec> outputTiles,
                                     llvm::ArrayRef<TensorSpec> results) {
  if (llvm::Error error = checkExtents(graph))
    return error;
  if (operands.size() != graph.getNumInputs() ||
      operands.size() != graph.tileInputs.size())
    return llvm::createStringError(
        "expects a tile for each of " + llvm::Twine(operands.size()) +
        " operands, got " + llvm::Twine(graph.getNumInputs()));
  if (results.size() != outputTiles.size() ||
      results.size() != graph.tileOutputs.size())
    return llvm::createStringError(
        "expects a tile for each of " + llvm::Twine(results.size()) +
        " results, got " + llvm::Twine(outputTiles.size()));
  for (auto [number, tensor] : llvm::enumerate(operands))
    if (llvm::Error error = checkInput(graph, number, tensor))
      return prefixError("operand " + llvm::Twine(number), std::move(error));
  for (auto [number, tensor] : llvm::enumerate(results))
    if (llvm::Error error =
            checkOutput(graph, number, outputTiles[number], tensor))
      return prefixError("result " + llvm::Twine(number), std::move(error));
  return llvm::Error::success();
}
