//===- TilingSpace.h - All tilings of a kernel ------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of a split name may have any size that leaves two blocks along each
// axis, and two iterations. There are too many of them to list (4096³ of three
// axes), so that they come in boxes, between a least and a most size along each
// axis, which a search splits where it has to (TilingSearch.h).
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_TILINGSPACE_H
#define MIRAGE_SEARCH_TILINGSPACE_H

#include "Mirage/Search/TileSizes.h"
#include "Mirage/Search/Tilings.h"
#include <optional>
#include <tuple>

namespace mlir::mirage::search {

/// All tilings between two.
struct TilingBox {
  struct Range {
    int64_t least = 1, most = 1;

    bool isOne() const { return least == most; }
    bool operator<(const Range &other) const {
      return std::tie(least, most) < std::tie(other.least, other.most);
    }
  };
  /// By axis of the grid, then of the loop if no axis has its name.
  llvm::SmallVector<Range, 4> tiles;
  /// Along the axis whose name the loop has, if there is one. How many
  /// iterations there are follows.
  Range blocks;

  bool isOne() const;
  bool operator<(const TilingBox &other) const;
};

/// Blocks along each axis of a grid.
using BlockCounts = llvm::SmallVector<int64_t, 3>;

/// What all tilings of a box have at the least, and at the most.
struct TilingEnds {
  llvm::SmallVector<int64_t, 24> leastTile, mostTile; ///< by name
  BlockCounts leastGrid, mostGrid;
  int64_t leastLoop = 1, mostLoop = 1;
};

/// The tilings of one kernel, which must outlive this, as must the sizes.
class TilingSpace {
public:
  /// \param extents  by name; of the parts that the kernel reads as well.
  TilingSpace(const KernelStructure &kernel, llvm::ArrayRef<int64_t> extents,
              TileSizes &sizes);

  /// None if some axis cannot have two blocks, or the loop two iterations.
  std::optional<TilingBox> getAll() const;
  /// With such a grid, any number of blocks where it is 0.
  std::optional<TilingBox> getAll(llvm::ArrayRef<int64_t> grid) const;
  /// Two halves, some of which may have no tilings. Not of a box of one.
  llvm::SmallVector<TilingBox, 2> split(const TilingBox &box) const;
  /// The same where axes whose names are not among these stay as they are; none
  /// if these cannot be split.
  llvm::SmallVector<TilingBox, 2> split(const TilingBox &box,
                                        NameSet among) const;
  /// How many blocks there are along axes of these names, and 0 along others,
  /// if all tilings of the box have as many.
  std::optional<BlockCounts> getGrid(const TilingBox &box, NameSet among) const;

  TilingEnds getEnds(const TilingBox &box) const;
  /// The same, in what was made for another box of the space.
  void setEnds(const TilingBox &box, TilingEnds &ends) const;
  /// Of a box of one.
  Tiling getTiling(const TilingBox &box) const;

private:
  TilingBox::Range getBlocks(const TilingBox &box, unsigned axis) const;
  TilingBox::Range getLoop(const TilingBox &box) const;
  std::optional<llvm::ArrayRef<int64_t>> getSizes(const TilingBox &box,
                                                  unsigned axis) const;
  bool narrow(TilingBox &box) const;

  const KernelStructure &kernel;
  TileSizes &sizes;
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<NameId, 4> names; ///< by axis
  std::optional<unsigned> loopAxis;   ///< that has the loop's name, and
  bool isSplitTwice = false;          ///< whether it is one of the grid
};

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_TILINGSPACE_H
