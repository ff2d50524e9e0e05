//===- LeastBytes.h - What the best plan takes ------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_TEST_LIB_CHECKPLANS_LEASTBYTES_H
#define MIRAGE_TEST_LIB_CHECKPLANS_LEASTBYTES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace mlir::mirage::test {

/// Tiles that are to be put somewhere.
struct PlacedTiles {
  struct Tile {
    int64_t bytes, alignment;
  };
  std::vector<Tile> tiles;
  /// By two tiles: they may not share bytes.
  std::vector<llvm::SmallVector<bool>> keptApart;

  unsigned size() const { return tiles.size(); }
};

/// The largest sum of bytes of tiles that are all kept apart.
int64_t findLiveBytes(const PlacedTiles &tiles);

/// By all orders in which tiles are put at the lowest free place, one of which
/// gives the best plan: that one from the lowest tile to the highest.
/// \param liveBytes  below which no plan is.
/// \returns none for more tiles than can be tried.
std::optional<int64_t> findLeastBytes(const PlacedTiles &tiles,
                                      int64_t liveBytes);

} // namespace mlir::mirage::test

#endif // MIRAGE_TEST_LIB_CHECKPLANS_LEASTBYTES_H
