//===- BlockSet.cpp - Some blocks of a tile graph -------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockSet.h"
#include "Mirage/Graph/Phases.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using llvm::ArrayRef;

BlockSet::BlockSet(const TileGraph &tiles)
    : extents(tiles.grid), loop(tiles.loop) {
  for (int64_t extent : tiles.grid)
    coordinates.push_back(IndexSet::all(extent));
  countBlocks();
}

BlockSet::BlockSet(const TileGraph &tiles, ArrayRef<Region> results)
    : extents(tiles.grid), coordinates(tiles.grid.size()), loop(tiles.loop) {
  for (const Node &operation : tiles.getNodes())
    if (joinsBlocks(operation)) {
      Axis axis = operation.attributes.axis;
      add(axis, IndexSet::all(getExtent(axis)));
    }
  for (auto [output, region] : llvm::enumerate(results))
    if (!region.empty())
      addWritersOf(tiles, output, region);
  countBlocks();
}

void BlockSet::countBlocks() {
  for (auto [axis, set] : llvm::enumerate(coordinates))
    for (AxisSet axes = 0; axes < counts.size(); ++axes)
      if (axes >> axis & 1)
        counts[axes] *= set.size();
}

void BlockSet::addTo(OffsetWalk &walk, AxisSet axes, AxisSet own,
                     size_t unit) const {
  for (size_t axis = 0; axis < coordinates.size(); ++axis) {
    AxisSet inside = getAllAxes() & ~((2u << axis) - 1);
    if (axes >> axis & 1)
      walk.addDimension(coordinates[axis].size(),
                        own >> axis & 1 ? count(own & inside) * unit : 0);
  }
}

BlockSet::Positions BlockSet::listPositions(AxisSet varying, int64_t iteration,
                                            ArrayRef<Axis> axes) const {
  // How many tiles lie between those of neighbours along an axis.
  int64_t apart[] = {0, 0, 0, 0}, inside = 1;
  for (Axis axis : llvm::reverse(axes)) {
    apart[static_cast<unsigned>(axis)] = inside;
    inside *= getExtent(axis);
  }
  Positions positions(count(varying));
  positions[0] = iteration * apart[static_cast<unsigned>(Axis::Loop)];
  size_t numKnown = 1; // of blocks that differ along the axes so far
  for (auto [axis, set] : llvm::enumerate(coordinates)) {
    size_t inside = varying >> axis & 1 ? set.size() : 1;
    // Each becomes several, from the last one on.
    for (size_t i = numKnown *= inside; i-- > 0;)
      positions[i] = positions[i / inside] + set[i % inside] * apart[axis];
  }
  return positions;
}

//===----------------------------------------------------------------------===//
// Positions of tiles
//===----------------------------------------------------------------------===//

/// {p · extent + c} over positions p and coordinates c.
static IndexSet splitPositions(const IndexSet &positions,
                               const IndexSet &coordinates, int64_t extent) {
  std::vector<IndexSet::Range> ranges;
  for (const IndexSet::Run &run : positions.runs()) {
    if (coordinates.isAll(extent)) {
      ranges.emplace_back(run.begin * extent, run.end * extent);
      continue;
    }
    for (int64_t position = run.begin; position < run.end; ++position)
      for (const IndexSet::Run &inner : coordinates.runs())
        ranges.emplace_back(position * extent + inner.begin,
                            position * extent + inner.end);
  }
  return IndexSet::fromRanges(std::move(ranges));
}

/// {p / extent} over positions p.
static IndexSet dividePositions(const IndexSet &positions, int64_t extent) {
  std::vector<IndexSet::Range> ranges;
  for (const IndexSet::Run &run : positions.runs())
    ranges.emplace_back(run.begin / extent, (run.end - 1) / extent + 1);
  return IndexSet::fromRanges(std::move(ranges));
}

/// {p mod extent} over positions p.
static IndexSet wrapPositions(const IndexSet &positions, int64_t extent) {
  std::vector<IndexSet::Range> ranges;
  for (const IndexSet::Run &run : positions.runs()) {
    int64_t begin = run.begin % extent, end = begin + run.end - run.begin;
    if (end - begin >= extent)
      return IndexSet::all(extent);
    ranges.emplace_back(begin, std::min(end, extent));
    ranges.emplace_back(0, std::max<int64_t>(end - extent, 0));
  }
  return IndexSet::fromRanges(std::move(ranges));
}

/// What tiles at these positions have of a dimension.
static IndexSet coverTiles(const IndexSet &positions, int64_t tile,
                           int64_t size) {
  std::vector<IndexSet::Range> ranges;
  for (const IndexSet::Run &run : positions.runs())
    ranges.emplace_back(std::min(run.begin * tile, size),
                        std::min(run.end * tile, size));
  return IndexSet::fromRanges(std::move(ranges));
}

IndexSet BlockSet::getPositions(ArrayRef<Axis> axes) const {
  IndexSet positions = IndexSet::all(1);
  for (Axis axis : axes)
    positions =
        splitPositions(positions, getCoordinates(axis), getExtent(axis));
  return positions;
}

void BlockSet::addWritersOf(const TileGraph &tiles, unsigned output,
                            const Region &region) {
  ArrayRef<int> map = tiles.tileOutputs[output].gridMap;
  for (auto [number, dim] : llvm::enumerate(map)) {
    Axis axis = static_cast<Axis>(number);
    if (dim == kSummed)
      add(axis, IndexSet::all(getExtent(axis)));
    else if (dim == kReplicated)
      add(axis, IndexSet::all(1)); // the block that writes
  }
  const Shape &tile = tiles.getType(tiles.getOutputs()[output]).shape;
  for (unsigned dim = 0; dim < tile.size(); ++dim) {
    IndexSet positions = dividePositions(region[dim], tile[dim]);
    llvm::SmallVector<Axis, 2> joined = tiles.getJoinedAxes(output, dim);
    for (Axis axis : llvm::reverse(joined)) {
      add(axis, wrapPositions(positions, getExtent(axis)));
      positions = dividePositions(positions, getExtent(axis));
    }
  }
}

Region BlockSet::getRead(const TileGraph &tiles, unsigned input,
                         ArrayRef<int64_t> tensor) const {
  Region region;
  for (auto [dim, tile] : llvm::enumerate(tiles.getType(input).shape))
    region.push_back(coverTiles(getPositions(tiles.getCuttingAxes(input, dim)),
                                tile, tensor[dim]));
  return region;
}

Region BlockSet::getWritten(const TileGraph &tiles, unsigned output,
                            ArrayRef<int64_t> tensor) const {
  Region region;
  const Shape &tiled = tiles.getType(tiles.getOutputs()[output]).shape;
  for (auto [dim, tile] : llvm::enumerate(tiled))
    region.push_back(coverTiles(getPositions(tiles.getJoinedAxes(output, dim)),
                                tile, tensor[dim]));
  return region;
}
