//===- Dimensions.cpp - What dimensions of tiles stand for ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dimensions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

bool Dimension::isCutBy(Axis axis) const {
  return llvm::is_contained(axes, axis);
}

/// Odd ones, powers of two, and multiples of what instructions take.
static constexpr int64_t kTileSizes[] = {
    1, 2, 3, 4, 5, 7, 8, 8, 9, 12, 13, 16, 16, 16, 17, 24, 31, 32, 33, 40};
/// Tensors' dimensions that are longer are always cut.
constexpr int64_t kLongestUncut = 40;

/// Numbers its sizes that are not 1, some of them as those of other tensors of
/// the same size.
void Dimensions::create(llvm::ArrayRef<TensorSpec> tensors) {
  for (const TensorSpec &tensor : tensors) {
    DimList dims;
    for (int64_t size : tensor.shape) {
      DimId dim = size == 1 ? kUnit : DimId(list.size());
      for (DimId known = 0; known < DimId(list.size()) && size != 1; ++known)
        if (list[known].extent == size && !llvm::is_contained(dims, known) &&
            draw.chance(80))
          dim = known;
      if (dim == DimId(list.size()))
        list.push_back({size});
      dims.push_back(dim);
    }
    tensorDims.push_back(std::move(dims));
  }
  unsigned wanted = draw.between(3, 5);
  while (list.size() < wanted)
    list.push_back({/*extent=*/0});
  numCreated = list.size();
  chooseAxes();
  for (Dimension &dimension : list)
    chooseSizes(dimension);
}

DimId Dimensions::addUncut(int64_t size) {
  if (size == 1)
    return kUnit;
  list.push_back({size, size});
  return list.size() - 1;
}

/// The loop cuts one dimension of an operand.
bool Dimensions::mayLoopOver(DimId dim, llvm::ArrayRef<DimId> looped) const {
  return llvm::none_of(tensorDims, [&](const DimList &dims) {
    return llvm::is_contained(dims, dim) &&
           llvm::any_of(looped, [&](DimId other) {
             return llvm::is_contained(dims, other);
           });
  });
}

void Dimensions::cut(Axis axis, DimId dim) {
  list[dim].axes.push_back(axis);
  list[dim].numTiles *= header.getExtent(axis);
}

void Dimensions::chooseAxes() {
  auto drawDim = [&] {
    for (DimId dim = 0; dim < DimId(list.size()); ++dim)
      if (list[dim].extent > kLongestUncut && list[dim].axes.empty())
        return dim;
    return DimId(draw.below(list.size()));
  };
  for (unsigned axis = 0; axis < header.grid.size(); ++axis)
    if (draw.chance(88))
      cut(Axis(axis), drawDim());
  if (header.loop == 1 && draw.chance(60))
    return;
  llvm::SmallVector<DimId> looped = {drawDim()};
  if (draw.chance(20)) {
    DimId other = drawDim();
    if (other != looped[0] && mayLoopOver(other, looped))
      looped.push_back(other);
  }
  for (DimId dim : looped)
    cut(Axis::Loop, dim);
}

/// Tiles cover the extent, and may overhang. Those of one element do not: it is
/// no longer known which dimensions of size 1 are then partial.
void Dimensions::chooseSizes(Dimension &dimension) {
  if (dimension.extent != 0) {
    dimension.tile = llvm::divideCeil(dimension.extent, dimension.numTiles);
    if (!dimension.axes.empty() && draw.chance(30))
      dimension.tile = llvm::alignTo(dimension.tile, 8);
    if (dimension.tile == 1 && dimension.isPartial())
      dimension.tile = 2;
    return;
  }
  dimension.tile = draw.oneOf(kTileSizes);
  int64_t covered = dimension.tile * dimension.numTiles;
  int64_t beyond = 0;
  if (!dimension.axes.empty() && dimension.tile > 1 && draw.chance(60))
    beyond = draw.chance(85)
                 ? draw.below(dimension.tile)
                 : draw.below(std::min(covered, 2 * dimension.tile));
  dimension.extent = covered - beyond;
}

Shape Dimensions::getTileShape(llvm::ArrayRef<DimId> dims) const {
  Shape shape;
  for (DimId dim : dims)
    shape.push_back(dim == kUnit ? 1 : list[dim].tile);
  return shape;
}

Shape Dimensions::getTensorShape(llvm::ArrayRef<DimId> dims) const {
  Shape shape;
  for (DimId dim : dims)
    shape.push_back(dim == kUnit ? 1 : list[dim].extent);
  return shape;
}

TileInput Dimensions::getMap(llvm::ArrayRef<DimId> dims) const {
  TileInput map;
  map.gridMap.assign(header.grid.size(), kReplicated);
  for (auto [position, dim] : llvm::enumerate(dims)) {
    if (dim == kUnit)
      continue;
    for (Axis axis : list[dim].axes)
      (axis == Axis::Loop ? map.loopMap : map.gridMap[unsigned(axis)]) =
          position;
  }
  return map;
}
