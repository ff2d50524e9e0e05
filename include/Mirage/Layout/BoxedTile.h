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
// lies. Threads may load a tile so, too.
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

  /// Rows after which the pattern of a swizzle begins anew. To the engine it is
  /// one of absolute addresses, so every place of a tile that it loads starts
  /// at a multiple of so many spans, and its panels have a multiple of so many
  /// rows.
  static constexpr int64_t kPatternRows = 8;

  /// \returns none where rows are no multiple of 16 bytes, or, if they are
  /// longer than 128, of that.
  static std::optional<BoxedTile> find(llvm::ArrayRef<int64_t> shape,
                                       unsigned elementBytes);

  /// Elements of a row that lie side by side, free ones included.
  int64_t getPitchElements() const {
    return getSpanBytes(swizzle) / elementBytes;
  }
  int64_t getNumPanels() const;
  /// Whether so many columns side by side, from a multiple of so many on, are
  /// panels, or all of the row.
  bool areWholePanels(int64_t columns) const {
    return columns % getPitchElements() == 0 || columns == rowElements;
  }
  /// The same, or lie in one panel.
  bool keepToPanels(int64_t columns) const {
    return areWholePanels(columns) || getPitchElements() % columns == 0;
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
