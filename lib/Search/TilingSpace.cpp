//===- TilingSpace.cpp - All tilings of a kernel --------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/TilingSpace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <tuple>

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

bool TilingBox::isOne() const {
  return blocks.isOne() &&
         llvm::all_of(tiles, [](Range range) { return range.isOne(); });
}

bool TilingBox::operator<(const TilingBox &other) const {
  return std::tie(tiles, blocks) < std::tie(other.tiles, other.blocks);
}

TilingSpace::TilingSpace(const KernelStructure &kernel,
                         ArrayRef<int64_t> extents, TileSizes &sizes)
    : kernel(kernel), sizes(sizes), extents(extents),
      names(ArrayRef<NameId>(kernel.gridNames)),
      isSplitTwice(splitsLoopedName(kernel)) {
  if (kernel.loopName == kNoName)
    return;
  if (!isSplitTwice)
    names.push_back(kernel.loopName);
  loopAxis = llvm::find(names, kernel.loopName) - names.begin();
}

/// What tiles along an axis are to be taken from: of a name that is split twice
/// they are those of one block's share, where that is known.
std::optional<ArrayRef<int64_t>> TilingSpace::getSizes(const TilingBox &box,
                                                       unsigned axis) const {
  int64_t extent = extents[names[axis]];
  if (!isSplitTwice || axis != loopAxis)
    return sizes.getTiles(extent);
  if (!box.blocks.isOne())
    return std::nullopt;
  return sizes.getTiles(llvm::divideCeil(extent, box.blocks.least));
}

/// How many blocks there may be along an axis of the grid.
TilingBox::Range TilingSpace::getBlocks(const TilingBox &box,
                                        unsigned axis) const {
  if (isSplitTwice && axis == loopAxis)
    return box.blocks;
  int64_t extent = extents[names[axis]];
  int64_t least = llvm::divideCeil(extent, box.tiles[axis].most);
  int64_t most = llvm::divideCeil(extent, box.tiles[axis].least);
  return {least, most};
}

/// How many iterations: of each block's share.
TilingBox::Range TilingSpace::getLoop(const TilingBox &box) const {
  if (!loopAxis)
    return {};
  int64_t extent = extents[kernel.loopName];
  int64_t least = llvm::divideCeil(llvm::divideCeil(extent, box.blocks.most),
                                   box.tiles[*loopAxis].most);
  int64_t most = llvm::divideCeil(llvm::divideCeil(extent, box.blocks.least),
                                  box.tiles[*loopAxis].least);
  return {std::max<int64_t>(least, 2), most};
}

/// Has ranges end at sizes that there are. \returns whether there are any.
bool TilingSpace::narrow(TilingBox &box) const {
  if (isSplitTwice) {
    int64_t share =
        llvm::divideCeil(extents[kernel.loopName], box.blocks.least);
    TilingBox::Range &tile = box.tiles[*loopAxis];
    tile.most = std::min(tile.most, share - 1);
    if (tile.least > tile.most)
      return false;
  }
  for (auto [axis, range] : llvm::enumerate(box.tiles)) {
    std::optional<ArrayRef<int64_t>> list = getSizes(box, axis);
    if (!list)
      continue;
    const auto *first = llvm::lower_bound(*list, range.least);
    const auto *last = llvm::upper_bound(*list, range.most);
    if (first >= last)
      return false;
    range = {*first, *std::prev(last)};
  }
  // Whole iterations may cover another block's share.
  if (!isSplitTwice || !box.isOne())
    return true;
  int64_t covered = box.tiles[*loopAxis].least * getLoop(box).least;
  return int64_t(llvm::divideCeil(extents[kernel.loopName], covered)) ==
         box.blocks.least;
}

std::optional<TilingBox> TilingSpace::getAll() const {
  if (!canBeSplit(kernel.gridNames, kernel.loopName, extents))
    return std::nullopt;
  TilingBox box;
  for (NameId name : names)
    box.tiles.push_back({1, extents[name] - 1});
  if (isSplitTwice) {
    ArrayRef<int64_t> counts = sizes.getBlockCounts(extents[kernel.loopName]);
    if (counts.empty())
      return std::nullopt;
    box.blocks = {counts.front(), counts.back()};
    box.tiles[*loopAxis].least = kLeastTileSplitTwice;
  }
  return narrow(box) ? std::optional(box) : std::nullopt;
}

std::optional<TilingBox> TilingSpace::getAll(ArrayRef<int64_t> grid) const {
  std::optional<TilingBox> box = getAll();
  for (auto [axis, count] : llvm::enumerate(grid)) {
    if (!box || count == 0)
      continue;
    if (isSplitTwice && axis == loopAxis) {
      box->blocks = {count, count};
      continue;
    }
    int64_t extent = extents[names[axis]];
    box->tiles[axis].least = llvm::divideCeil(extent, count);
    box->tiles[axis].most = llvm::divideCeil(extent, count - 1) - 1;
  }
  return box && narrow(*box) ? box : std::nullopt;
}

std::optional<BlockCounts> TilingSpace::getGrid(const TilingBox &box,
                                                NameSet among) const {
  BlockCounts grid;
  for (auto [axis, name] : llvm::enumerate(kernel.gridNames)) {
    if (!contains(among, name)) {
      grid.push_back(0);
      continue;
    }
    TilingBox::Range blocks = getBlocks(box, axis);
    if (!blocks.isOne())
      return std::nullopt;
    grid.push_back(blocks.least);
  }
  return grid;
}

/// Two parts of a list, or of all numbers, about as many times as large each.
static SmallVector<TilingBox::Range, 2>
halve(TilingBox::Range range, std::optional<ArrayRef<int64_t>> list) {
  auto middle =
      static_cast<int64_t>(std::sqrt(double(range.least) * double(range.most)));
  middle = std::clamp(middle, range.least, range.most - 1);
  if (!list)
    return {{range.least, middle}, {middle + 1, range.most}};
  const auto *next = llvm::upper_bound(*list, middle);
  return {{range.least, *std::prev(next)}, {*next, range.most}};
}

SmallVector<TilingBox, 2> TilingSpace::split(const TilingBox &box) const {
  return split(box, toSet(names));
}

SmallVector<TilingBox, 2> TilingSpace::split(const TilingBox &box,
                                             NameSet among) const {
  TilingBox half = box;
  TilingBox::Range *widest = nullptr;
  std::optional<ArrayRef<int64_t>> list;
  double widestRatio = 1;
  auto look = [&](TilingBox::Range &range,
                  std::optional<ArrayRef<int64_t>> sizes) {
    double ratio = double(range.most) / double(range.least);
    if (ratio <= widestRatio)
      return;
    widestRatio = ratio;
    widest = &range;
    list = sizes;
  };
  for (auto [axis, range] : llvm::enumerate(half.tiles))
    if (contains(among, names[axis]))
      look(range, getSizes(box, axis));
  if (isSplitTwice && contains(among, kernel.loopName))
    look(half.blocks, sizes.getBlockCounts(extents[kernel.loopName]));
  SmallVector<TilingBox, 2> halves;
  if (!widest)
    return halves;
  for (TilingBox::Range range : halve(*widest, list)) {
    *widest = range;
    if (TilingBox narrowed = half; narrow(narrowed))
      halves.push_back(std::move(narrowed));
  }
  return halves;
}

//===----------------------------------------------------------------------===//
// Ends of boxes
//===----------------------------------------------------------------------===//

void TilingSpace::setEnds(const TilingBox &box, TilingEnds &ends) const {
  for (auto [name, range] : llvm::zip_equal(names, box.tiles)) {
    ends.leastTile[name] = range.least;
    ends.mostTile[name] = range.most;
  }
  for (unsigned axis = 0; axis < kernel.gridNames.size(); ++axis) {
    TilingBox::Range blocks = getBlocks(box, axis);
    ends.leastGrid[axis] = blocks.least;
    ends.mostGrid[axis] = blocks.most;
  }
  TilingBox::Range loop = getLoop(box);
  ends.leastLoop = loop.least;
  ends.mostLoop = loop.most;
}

TilingEnds TilingSpace::getEnds(const TilingBox &box) const {
  TilingEnds ends;
  ends.leastTile.assign(extents.begin(), extents.end());
  ends.mostTile = ends.leastTile;
  ends.leastGrid.assign(kernel.gridNames.size(), 1);
  ends.mostGrid = ends.leastGrid;
  setEnds(box, ends);
  return ends;
}

Tiling TilingSpace::getTiling(const TilingBox &box) const {
  assert(box.isOne() && "of several tilings");
  Tiling tiling;
  tiling.tile.assign(extents.begin(), extents.end());
  for (auto [name, range] : llvm::zip_equal(names, box.tiles))
    tiling.tile[name] = range.least;
  if (isSplitTwice)
    tiling.loop = getLoop(box).least;
  return tiling;
}
