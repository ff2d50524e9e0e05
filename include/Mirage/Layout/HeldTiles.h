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
// Numbers of 3 or 12 warps have no bits, and 5 x 3 items count as 8 x 4 above.
// There the layout's warp bits count *shares* of the tile, one for each item,
// and shares are dealt to warps as items are: the s-th share to warp s mod W,
// in its round s / W. The map of a share is linear, and who has it is not asked
// by what works on shares alone. 6 items of 8 columns, 3 warps:
//
//   tile     16x64  register [0, 1] [8, 0]          lane ...
//                   warp [0, 8] [0, 16] [0, 32], shares 0 to 5 dealt to 3 warps
//
// Warp 1 has shares 1 and 4; its registers are those of share 1, then those of
// share 4. In the last round some warps may have no share; their registers have
// no meaning then. A later step reads the tile where it is if it has the same
// shares. Of 5 x 3 shares the warp bits have the number in 5 x 4: each extent
// but the slowest leaves out the numbers behind its end.
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

/// How the shares of a tile, which the warp bits of its layout count, come to
/// the warps of a block: the s-th to warp s mod `numWarps`.
struct ShareDeal {
  /// Of the shares, the slowest first: none is 1, and none but the first a
  /// power of two, which is part of the one before it.
  llvm::SmallVector<int64_t, 3> extents;
  unsigned numWarps;

  int64_t getNumShares() const;
  /// Of a share's number in the layout: of all extents, each on its own.
  unsigned getNumBits() const;
  /// Shares of a warp, where it has the most.
  unsigned getNumRounds() const;
  /// Whether each warp has a share in each round.
  bool isEven() const { return getNumShares() % numWarps == 0; }
  /// Whether shares are warps, and their numbers those of warps.
  bool isOneEach() const;
  bool operator==(const ShareDeal &other) const {
    return extents == other.extents && numWarps == other.numWarps;
  }
};

/// A power of two of warps as shares, one each.
ShareDeal dealWarps(unsigned numWarps);
/// Of items with such extents, each of which is a share.
ShareDeal dealShares(llvm::ArrayRef<int64_t> extents, unsigned numWarps);
/// The extents that items count with: the next powers of two where shares are
/// warps.
llvm::SmallVector<int64_t> countExtents(llvm::ArrayRef<int64_t> extents,
                                        const ShareDeal &deal);

/// Whether nothing carries where an offset is added to a warp's number, digit
/// by digit, the numbers of items being counted by these extents: where the
/// items of all warps lie is then what the first ones are found by, and a
/// constant. 3 warps of 2 x 4 items: 0 + 3 is (0, 3), and 2 + 3 is (1, 1).
bool addsDigits(llvm::ArrayRef<int64_t> extents, unsigned numWarps,
                int64_t offset);
/// Rounds of items that are shares in which something does.
int64_t countCarryingRounds(llvm::ArrayRef<int64_t> extents, unsigned numWarps);

/// The extents of items that are shares, out of what they are rounded up to.
/// \returns none if such items have other shares.
std::optional<llvm::SmallVector<int64_t>>
findExtents(llvm::ArrayRef<int64_t> roundedUp, const ShareDeal &deal);

/// What the warps of a block have of a tile in the first step of their items,
/// if each item has one fragment of it. Extents count as the next power of two;
/// what then lies beyond the tile is nobody's. Warps that are left over repeat
/// the items of others. Registers of a warp's items follow each other in the
/// order of the items.
/// \param numWarps  a power of two; or, of shares, how many numbers they have.
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
