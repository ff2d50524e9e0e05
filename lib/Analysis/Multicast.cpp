//===- Multicast.cpp - Clusters whose blocks load together ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/Multicast.h"
#include "Mirage/Analysis/PersistentBlocks.h"
#include "Mirage/Analysis/TileForms.h"

using namespace mlir;
using namespace mlir::mirage;

ArrayRef<int64_t> mlir::mirage::getMulticastCluster(block::GraphOp graph) {
  auto extents = graph->getAttrOfType<DenseI64ArrayAttr>(kMulticastClusterAttr);
  return extents ? extents.asArrayRef() : ArrayRef<int64_t>();
}

static llvm::Error verifyCluster(ArrayRef<int64_t> cluster,
                                 block::GraphOp graph) {
  ArrayRef<int64_t> grid = graph.getGrid();
  if (cluster.size() != grid.size())
    return llvm::createStringError("an extent for each of " +
                                   Twine(grid.size()) + " grid axes, got " +
                                   Twine(cluster.size()));
  int64_t numBlocks = 1;
  for (auto [axis, extent] : llvm::enumerate(cluster)) {
    if (extent < 1 || grid[axis] % extent != 0)
      return llvm::createStringError(
          "clusters that divide the " + Twine(grid[axis]) + " blocks along " +
          getAxisName(static_cast<Axis>(axis)) + ", got " + Twine(extent));
    numBlocks *= extent;
  }
  if (numBlocks < 2 || numBlocks > kMaxClusterBlocks)
    return llvm::createStringError("clusters of 2 to " +
                                   Twine(kMaxClusterBlocks) + " blocks, got " +
                                   Twine(numBlocks));
  std::optional<int64_t> wanted = getPersistentBlocks(graph);
  if (!wanted || *wanted >= numBlocks)
    return llvm::Error::success();
  return llvm::createStringError(
      "clusters of no more than the " + Twine(*wanted) + " blocks that '" +
      kPersistentBlocksAttr + "' wants, got " + Twine(numBlocks));
}

FailureOr<ArrayRef<int64_t>>
mlir::mirage::readMulticastCluster(block::GraphOp graph) {
  ArrayRef<int64_t> cluster = getMulticastCluster(graph);
  if (!graph->hasAttr(kMulticastClusterAttr))
    return cluster;
  if (llvm::Error error = verifyCluster(cluster, graph))
    return graph.emitError() << "expects as '" << kMulticastClusterAttr << "' "
                             << llvm::toString(std::move(error));
  return cluster;
}

void mlir::mirage::dropMulticastCluster(block::GraphOp graph) {
  graph->removeAttr(kMulticastClusterAttr);
}

std::optional<int64_t> mlir::mirage::getLaunchedBlocks(block::GraphOp graph,
                                                       const Target &target) {
  std::optional<int64_t> wanted = getPersistentBlocks(graph);
  ArrayRef<int64_t> cluster = getMulticastCluster(graph);
  if (!wanted || cluster.empty())
    return wanted;
  return getClusteredBlocks(*wanted, ShapedType::getNumElements(cluster),
                            target);
}

llvm::Error mlir::mirage::verifyMulticast(ArrayRef<int64_t> cluster,
                                          block::GraphOp graph) {
  if (!graph->hasAttr(kHandsBackPlacesAttr))
    return llvm::createStringError("warps that hand places back ('" +
                                   kHandsBackPlacesAttr + "')");
  SmallVector<SharableTile> tiles = getSharableTiles(graph);
  for (auto [axis, extent] : llvm::enumerate(cluster))
    if (extent > 1 && !isAnySame(tiles, axis))
      return llvm::createStringError(
          "one block of a cluster along " +
          getAxisName(static_cast<Axis>(axis)) +
          ", along which the boxes of all inputs vary, got " + Twine(extent));
  for (const SharableTile &tile : tiles)
    if (!shareBoxes(tile.boxes, tile.getNumSharers(cluster)))
      return llvm::createStringError(
          "boxes of input " + Twine(tile.input) + " that " +
          Twine(tile.getNumSharers(cluster)) + " blocks can share, got " +
          Twine(tile.boxes.getNumBoxes()) + " of " +
          Twine(tile.boxes.map.box[1]) + " rows");
  return llvm::Error::success();
}

SmallVector<bool, 3> mlir::mirage::getSameAxes(block::GraphOp graph,
                                               unsigned input) {
  TileGraph header =
      cast<TileGraphOpInterface>(graph.getOperation()).getHeader();
  SmallVector<bool, 3> axes;
  for (int dim : header.tileInputs[input].gridMap)
    axes.push_back(dim == kReplicated);
  return axes;
}

static SharableTile makeSharable(block::GraphOp graph, unsigned input,
                                 TileBoxes boxes) {
  return {input, std::move(boxes), getSameAxes(graph, input)};
}

SmallVector<SharableTile> mlir::mirage::getSharableTiles(block::GraphOp graph) {
  SmallVector<SharableTile> tiles;
  for (unsigned input : getBoxedInputs(graph))
    if (std::optional<TileBoxes> boxes = findInputBoxes(graph, input))
      tiles.push_back(makeSharable(graph, input, std::move(*boxes)));
  return tiles;
}

std::optional<TileBoxes> mlir::mirage::findLoadedBoxes(block::GraphOp graph,
                                                       unsigned input) {
  std::optional<TileBoxes> boxes = findInputBoxes(graph, input);
  ArrayRef<int64_t> cluster = getMulticastCluster(graph);
  if (!boxes || cluster.empty())
    return boxes;
  SharableTile tile = makeSharable(graph, input, std::move(*boxes));
  return shareBoxes(tile.boxes, tile.getNumSharers(cluster));
}
