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
}

size_t BlockSet::countFrom(unsigned firstAxis) const {
  size_t count = 1;
  for (const IndexSet &set : ArrayRef(coordinates).drop_front(firstAxis))
    count *= set.size();
  return count;
}

size_t BlockSet::count(AxisSet axes) const {
  size_t count = 1;
  for (auto [axis, set] : llvm::enumerate(coordinates))
    if (axes >> axis & 1)
      count *= set.size();
  return count;
}

size_t BlockSet::renumber(size_t block, AxisSet from, AxisSet to) const {
  size_t number = 0, stride = 1;
  for (size_t axis = coordinates.size(); axis-- > 0;) {
    size_t extent = coordinates[axis].size(), coordinate = 0;
    if (from >> axis & 1) {
      coordinate = block % extent;
      block /= extent;
    }
    if (to >> axis & 1) {
      number += coordinate * stride;
      stride *= extent;
    }
  }
  return number;
}

int64_t BlockSet::getCoordinate(size_t block, int64_t iteration,
                                Axis axis) const {
  if (axis == Axis::Loop)
    return iteration;
  const IndexSet &set = coordinates[static_cast<unsigned>(axis)];
  return set[block / countInside(axis) % set.size()];
}

int64_t BlockSet::getPosition(size_t block, int64_t iteration,
                              ArrayRef<Axis> axes) const {
  int64_t position = 0;
  for (Axis axis : axes)
    if (axis == Axis::Loop || static_cast<unsigned>(axis) < extents.size())
      position =
          position * getExtent(axis) + getCoordinate(block, iteration, axis);
  return position;
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
