//===- GridEnds.cpp - Blocks that write nothing ---------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/GridEnds.h"
#include "Mirage/Graph/Phases.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::mirage;

/// How far along an axis there are blocks that write something of an output,
/// where they are the first ones along all others; none if there is no end.
static std::optional<int64_t> findLastWriting(const TileGraph &header,
                                              unsigned output, Axis axis,
                                              const TensorSpec &tile,
                                              const TensorSpec &result) {
  int dim = header.tileOutputs[output].gridMap[static_cast<unsigned>(axis)];
  if (dim < 0)
    return std::nullopt;
  llvm::SmallVector<Axis, 2> axes = header.getJoinedAxes(output, dim);
  llvm::ArrayRef<Axis> inner(llvm::find(axes, axis) + 1, axes.end());
  return llvm::divideCeil(result.shape[dim],
                          tile.shape[dim] * header.getExtent(inner));
}

/// The blocks along an axis beyond which none writes, in whole clusters; none
/// if all may.
static std::optional<int64_t>
findNumWriting(const TileGraph &header, Axis axis,
               llvm::ArrayRef<TensorSpec> outputTiles,
               llvm::ArrayRef<TensorSpec> results) {
  int64_t numWriting = 0;
  for (auto [output, tile, result] : llvm::enumerate(outputTiles, results)) {
    std::optional<int64_t> own =
        findLastWriting(header, output, axis, tile, result);
    if (!own)
      return std::nullopt;
    numWriting = std::max(numWriting, *own);
  }
  unsigned number = static_cast<unsigned>(axis);
  int64_t cluster = header.cluster.empty() ? 1 : header.cluster[number];
  return llvm::alignTo(numWriting, cluster);
}

llvm::Error mlir::mirage::checkGridEnds(const TileGraph &header, AxisSet joined,
                                        llvm::ArrayRef<TensorSpec> outputTiles,
                                        llvm::ArrayRef<TensorSpec> results) {
  if (header.level != Level::Block)
    return llvm::Error::success();
  for (auto [number, extent] : llvm::enumerate(header.grid)) {
    Axis axis = static_cast<Axis>(number);
    if (joined & toAxisSet(axis))
      continue;
    std::optional<int64_t> numWriting =
        findNumWriting(header, axis, outputTiles, results);
    if (numWriting && extent > *numWriting)
      return llvm::createStringError(
          "expects at most " + llvm::Twine(*numWriting) + " blocks along " +
          getAxisName(axis) + ", behind which none writes a result, got " +
          llvm::Twine(extent));
  }
  return llvm::Error::success();
}

llvm::Error mlir::mirage::checkGridEnds(const TileGraph &graph,
                                        llvm::ArrayRef<TensorSpec> results) {
  AxisSet joined = 0;
  for (const Node &operation : graph.getNodes())
    if (joinsBlocks(operation))
      joined |= toAxisSet(operation.attributes.axis);
  return checkGridEnds(graph, joined, graph.getTypes(graph.getOutputs()),
                       results);
}
