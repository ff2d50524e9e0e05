//===- Dimensions.h - What dimensions of tiles stand for --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles of different operands fit each other where their dimensions are cut out
// of the same thing in the same way. So a random block graph begins with a few
// dimensions, as a program's index space would have them, and operands are
// tensors over some of these:
//
//   rows      37 elements, tiles of 16, cut by x
//   columns   24 elements, tiles of 24, not cut
//   inner    100 elements, tiles of 17, cut by y and the loop
//
//   input 0   [rows, inner]       input 1   [inner, columns]
//
// A product contracts what both operands have; elementwise operands are brought
// to the same order, with dimensions of size 1 in the place of what one of them
// lacks. What movements and accumulations make is a dimension of its own, cut
// by nothing.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_LIB_RANDOMGRAPHS_DIMENSIONS_H
#define MIRAGE_TEST_LIB_RANDOMGRAPHS_DIMENSIONS_H

#include "Draw.h"
#include "Mirage/Graph/Graph.h"

namespace mlir::mirage::test {

struct Dimension {
  int64_t extent = 1, tile = 1;
  llvm::SmallVector<Axis, 2> axes = {}; ///< that cut it, outermost first
  int64_t numTiles = 1;                 ///< product of the axes' extents

  bool isCutBy(Axis axis) const;
  /// Whether a tile has elements beyond the extent.
  bool isPartial() const { return numTiles * tile > extent; }
  /// Whether a tile has no element at all.
  bool hasEmptyTiles() const { return (numTiles - 1) * tile >= extent; }
};

/// A dimension's number, or kUnit.
using DimId = int;
/// Of size 1, and cut by nothing.
constexpr DimId kUnit = -1;
using DimList = llvm::SmallVector<DimId, 4>;

/// The dimensions of one block graph, and the extents of what cuts them.
class Dimensions {
public:
  Dimensions(Draw &draw, const TileGraph &header)
      : draw(draw), header(header) {}

  /// Makes dimensions for tensors that exist, and others, and lets the grid and
  /// the loop cut them.
  void create(llvm::ArrayRef<TensorSpec> tensors);
  /// Adds one that nothing cuts.
  DimId addUncut(int64_t size);

  const Dimension &operator[](DimId dim) const { return list[dim]; }
  /// Of a tensor that `create` was given.
  const DimList &ofTensor(unsigned tensor) const { return tensorDims[tensor]; }
  unsigned getNumCreated() const { return numCreated; }
  /// Sizes of a tile over some.
  Shape getTileShape(llvm::ArrayRef<DimId> dims) const;
  Shape getTensorShape(llvm::ArrayRef<DimId> dims) const;
  bool isPartial(DimId dim) const {
    return dim != kUnit && list[dim].isPartial();
  }
  /// How an operand over some dimensions is cut.
  TileInput getMap(llvm::ArrayRef<DimId> dims) const;

private:
  bool mayLoopOver(DimId dim, llvm::ArrayRef<DimId> looped) const;
  void cut(Axis axis, DimId dim);
  void chooseAxes();
  void chooseSizes(Dimension &dimension);

  Draw &draw;
  const TileGraph &header;
  llvm::SmallVector<Dimension> list;
  llvm::SmallVector<DimList> tensorDims;
  unsigned numCreated = 0;
};

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_LIB_RANDOMGRAPHS_DIMENSIONS_H
