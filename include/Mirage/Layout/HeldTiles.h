//===- HeldTiles.h - Tiles in the registers of a block ----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step of a block is shared out among its warps as work items, each of which
// reads windows of tiles and leaves a fragment of the result. If the result
// stays where it is, the block holds it in registers: the lanes as the fragment
// says, and which warp holds what as the items are dealt, item i to warp i mod
// W. That is a linear layout again, as long as extents of the items are powers
// of two. 16 rows and 64 columns by items of 8 columns, 4 warps:
//
//   fragment 16x8   register [0, 1] [8, 0]          lane ...
//   tile     16x64  register [0, 1] [8, 0] [0, 32]  lane ...  warp [0, 8] [0,
//   16]
//
// Each warp has two items, the second of which are registers 4 to 7. A later
// step reads the tile where it is if its own items come to the same warps and
// lanes.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LAYOUT_HELDTILES_H
#define MIRAGE_LAYOUT_HELDTILES_H

#include "Mirage/Layout/LinearLayout.h"

namespace mlir::mirage {

/// How work items and their steps cut one tile into windows. Items count the
/// last axis fastest; where several axes cut one dimension, the first is the
/// slowest and the steps are the fastest.
struct WindowMap {
  llvm::ArrayRef<int64_t> extents; ///< of the items' axes
  llvm::ArrayRef<int> dims;        ///< that each of them cuts, or negative
  int64_t numSteps = 1;
  int stepDim = -1; ///< that the steps cut, or negative
};

/// What the warps of a block have of a tile in the first step of their items,
/// if each item has one fragment of it. Extents count as the next power of two;
/// what then lies beyond the tile is nobody's. Warps that are left over repeat
/// the items of others. Registers of a warp's items follow each other in the
/// order of the items.
/// \param numWarps  a power of two.
/// \returns none where numbers of items are not linear over F2 (several axes
/// along one dimension, the faster of which are no powers of two), or a lane
/// would have more than 2^kMaxRegisterBits registers.
std::optional<LinearLayout> holdWindows(const LinearLayout &fragment,
                                        const WindowMap &map,
                                        unsigned numWarps);

/// The registers of a held tile that are a window's.
/// \param held     a tile's layout.
/// \param windows  what `holdWindows` gives for the windows that are read.
/// \param origin   of the window of a step, relative to the first step's.
/// \returns by register of `windows`, or none if some lane does not have the
/// element that it needs.
std::optional<llvm::SmallVector<unsigned>>
findHeldWindow(const LinearLayout &held, const LinearLayout &windows,
               llvm::ArrayRef<int64_t> origin);

} // namespace mlir::mirage

#endif // MIRAGE_LAYOUT_HELDTILES_H
