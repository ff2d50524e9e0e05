//===- BlockSet.h - Some blocks of a tile graph -----------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_VERIFY_BLOCKSET_H
#define MIRAGE_LIB_VERIFY_BLOCKSET_H

#include "IndexSet.h"
#include "Mirage/Graph/VaryingAxes.h"
#include "OffsetWalk.h"
#include <array>

namespace mlir::mirage {

/// The blocks of a tile graph that are evaluated: those whose coordinate is,
/// along each axis of the grid, one of a set. They are numbered with the last
/// axis fastest, and none that is left out has a number.
class BlockSet {
public:
  BlockSet() = default;                      ///< of no tile graph
  explicit BlockSet(const TileGraph &tiles); ///< all
  /// Those that compute these elements of the results, an empty region for a
  /// result that nobody asks for, and whatever blocks these join with.
  BlockSet(const TileGraph &tiles, llvm::ArrayRef<Region> results);

  size_t size() const { return count(getAllAxes()); }
  /// How many there are along an axis.
  size_t size(Axis axis) const {
    return axis == Axis::Loop ? loop
                              : coordinates[static_cast<unsigned>(axis)].size();
  }
  /// How many there are of those that differ along some axes alone, which are
  /// numbered in the same order.
  size_t count(AxisSet axes) const { return counts[axes]; }
  /// Appends dimensions to a walk: over the blocks that differ along `axes`, by
  /// the numbers that they have among those of `own`, each `unit` wide.
  void addTo(OffsetWalk &walk, AxisSet axes, AxisSet own, size_t unit) const;
  AxisSet getAllAxes() const { return (1u << coordinates.size()) - 1; }
  /// Where along a dimension that some axes cut tiles begin, in tiles: of all
  /// blocks that differ along `varying`, and of the first one where several are
  /// one of these. What no axis cuts begins at its beginning.
  using Positions = llvm::SmallVector<int64_t, 64>;
  Positions listPositions(AxisSet varying, int64_t iteration,
                          llvm::ArrayRef<Axis> axes) const;

  /// What these blocks read of an operand, in all iterations.
  Region getRead(const TileGraph &tiles, unsigned input,
                 llvm::ArrayRef<int64_t> tensor) const;
  /// What they write of a result.
  Region getWritten(const TileGraph &tiles, unsigned output,
                    llvm::ArrayRef<int64_t> tensor) const;

private:
  int64_t getExtent(Axis axis) const {
    return axis == Axis::Loop ? loop : extents[static_cast<unsigned>(axis)];
  }
  IndexSet getCoordinates(Axis axis) const {
    return axis == Axis::Loop ? IndexSet::all(loop)
                              : coordinates[static_cast<unsigned>(axis)];
  }
  /// The positions of all blocks and iterations.
  IndexSet getPositions(llvm::ArrayRef<Axis> axes) const;
  void addWritersOf(const TileGraph &tiles, unsigned output,
                    const Region &region);
  void countBlocks();
  void add(Axis axis, const IndexSet &more) {
    IndexSet &set = coordinates[static_cast<unsigned>(axis)];
    set = IndexSet::join(set, more);
  }

  llvm::SmallVector<int64_t, 3> extents; ///< by grid axis
  llvm::SmallVector<IndexSet, 3> coordinates;
  int64_t loop = 1;
  /// By set of axes of the grid, of which there are three at most.
  std::array<size_t, 8> counts = {1, 1, 1, 1, 1, 1, 1, 1};
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_VERIFY_BLOCKSET_H
