//===- BoxedTile.h - Tiles whose pieces change places -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The copy engine writes a box into shared memory row by row, and with a
// swizzle rows have at most 128 bytes (TensorMap.h). A tile with longer rows is
// several boxes side by side, *panels*. 64 rows of 128 f16 elements:
//
//   panel 0, columns 0-63      rows 0 to 63, 128 bytes each     8192 bytes
//   panel 1, columns 64-127    rows 0 to 63                     8192 bytes
//
// In a panel the pieces of 16 bytes of a row change places, so that eight rows
// of one piece are in different banks: piece p of row r is at p xor r mod 8.
// Nothing is between rows (but rows of 96 bytes, say, are 128 apart: the engine
// knows spans of 32, 64 and 128). Dimensions before the last two make rows,
// too.
//
// That is what ldmatrix reads without a conflict, and what wgmma takes where it
// lies.
//
// Threads may swizzle a tile that they load, of rows of any multiple of 32
// bytes. Rows lie one behind the other, whole, and pieces change places in
// spans of the largest power of two that divides a row, up to 128. So rows of
// 192 bytes have three spans of 64, and begin in the first and in the second
// half of all banks in turn; after two of them pieces have to be at other
// places of their spans:
//
//   rows 0 and 1   0 1 2 3      rows 4 and 5   2 3 0 1
//   rows 2 and 3   1 0 3 2      rows 6 and 7   3 2 1 0
//
// In general piece p of row r is at p xor (r / (128 / span)) mod (span / 16),
// which for rows of 32, 64 and 128 bytes is what the engine does. Rows of an
// odd multiple of 16 bytes begin in different banks as they are.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LAYOUT_BOXEDTILE_H
#define MIRAGE_LAYOUT_BOXEDTILE_H

#include "Mirage/Layout/TensorMap.h"

namespace mlir::mirage {

/// How a tile lies in shared memory that is loaded by boxes, or swizzled alike.
struct BoxedTile {
  int64_t numRows = 0;
  int64_t rowElements = 0; ///< of the tile
  unsigned elementBytes = 2;
  Swizzle swizzle = Swizzle::None;
  /// Elements of a panel's row, free ones included.
  int64_t pitchElements = 0;

  static constexpr int64_t kPieceBytes = 16;
  /// Rows after which the pattern of a swizzle begins anew. To the engine it is
  /// one of absolute addresses, so every place of a tile that it loads starts
  /// at a multiple of so many spans, and its panels have a multiple of so many
  /// rows.
  static constexpr int64_t kPatternRows = 8;

  /// As the engine loads it. \returns none where rows are no multiple of 16
  /// bytes, or, if they are longer than 128, of that.
  static std::optional<BoxedTile> find(llvm::ArrayRef<int64_t> shape,
                                       unsigned elementBytes);
  /// As threads load it. \returns none where rows are no multiple of 32 bytes.
  static std::optional<BoxedTile> findOfThreads(llvm::ArrayRef<int64_t> shape,
                                                unsigned elementBytes);

  int64_t getSpanElements() const {
    return getSpanBytes(swizzle) / elementBytes;
  }
  /// Rows behind which pieces lie otherwise, and how many times they do before
  /// they lie as at first.
  int64_t getRowsOfOrder() const;
  int64_t getNumOrders() const;
  int64_t getNumPanels() const;
  /// Whether so many columns side by side, from a multiple of so many on, are
  /// panels, or all of the row.
  bool areWholePanels(int64_t columns) const {
    return columns % pitchElements == 0 || columns == rowElements;
  }
  /// The same, or lie in one panel.
  bool keepToPanels(int64_t columns) const {
    return areWholePanels(columns) || pitchElements % columns == 0;
  }
  /// Bytes that stay free behind each row.
  int64_t getRowPadding() const;
  int64_t getBytes() const;
  /// Where an element lies, in bytes from the start of the tile.
  int64_t getOffset(int64_t row, int64_t column) const;
};

/// The boxes of which such a tile is made, and the tensor that they are cut
/// from.
struct TileBoxes {
  TensorMap map;
  unsigned numPanels = 1;
  /// Boxes below each other in a panel, of `map.box[1]` rows each.
  unsigned numParts = 1;

  unsigned getNumBoxes() const { return numPanels * numParts; }
};

/// \param sizes, strides  of the tensor, in elements, the innermost dimension
///                        last; its first element is aligned to 16 bytes.
/// \param tile            of as many dimensions.
/// \returns none where the engine cannot load the tile: its rows do not lie
/// along the tensor's rows; a stride is no multiple of 16 bytes, or not
/// positive; a dimension is too long for a box, but for rows of a tile of two
/// dimensions, which may be cut; there are more than 5 dimensions; or the tile
/// is no `BoxedTile`, or its rows no multiple of a swizzle's pattern.
std::optional<TileBoxes> findTileBoxes(llvm::ArrayRef<int64_t> sizes,
                                       llvm::ArrayRef<int64_t> strides,
                                       llvm::ArrayRef<int64_t> tile,
                                       unsigned elementBytes);

/// Boxes of the same tile, at the same places, of which so many blocks can load
/// as many each. Where the tile is too few boxes, panels are cut between rows;
/// of four blocks, the tile above:
///
///   panel 0   rows 0-31 by block 0, rows 32-63 by block 1
///   panel 1   rows 0-31 by block 2, rows 32-63 by block 3
///
/// \returns none where parts would not begin with the pattern of a swizzle, or
/// rows are of several dimensions, which are not cut.
std::optional<TileBoxes> shareBoxes(TileBoxes boxes, int64_t numBlocks);

} // namespace mlir::mirage

#endif // MIRAGE_LAYOUT_BOXEDTILE_H
