//===- LeastBytes.cpp - What the best plan takes --------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LeastBytes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir::mirage::test;

/// \param sum    of tiles that are kept apart.
/// \param others that each of these is kept apart from.
static void addToClique(const PlacedTiles &tiles, int64_t sum,
                        llvm::ArrayRef<unsigned> others, int64_t &largest) {
  largest = std::max(largest, sum);
  int64_t rest = 0;
  for (unsigned tile : others)
    rest += tiles.tiles[tile].bytes;
  for (auto [position, tile] : llvm::enumerate(others)) {
    if (sum + rest <= largest)
      return;
    llvm::SmallVector<unsigned> next;
    for (unsigned other : others.drop_front(position + 1))
      if (tiles.keptApart[tile][other])
        next.push_back(other);
    addToClique(tiles, sum + tiles.tiles[tile].bytes, next, largest);
    rest -= tiles.tiles[tile].bytes;
  }
}

int64_t mlir::mirage::test::findLiveBytes(const PlacedTiles &tiles) {
  int64_t largest = 0;
  addToClique(tiles, 0, llvm::to_vector(llvm::seq(0u, tiles.size())), largest);
  return largest;
}

namespace {
class OrderSearch {
public:
  OrderSearch(const PlacedTiles &tiles, int64_t liveBytes)
      : tiles(tiles), liveBytes(liveBytes), offsets(tiles.size(), kNowhere) {}

  int64_t run() {
    placeRest(/*height=*/0, tiles.size());
    return best;
  }

private:
  static constexpr int64_t kNowhere = -1;

  void placeRest(int64_t height, unsigned numLeft) {
    if (height >= best || best == liveBytes)
      return;
    if (numLeft == 0) {
      best = height;
      return;
    }
    for (unsigned tile = 0; tile < tiles.size(); ++tile) {
      if (offsets[tile] != kNowhere)
        continue;
      int64_t offset = findLowest(tile);
      offsets[tile] = offset;
      placeRest(std::max(height, offset + tiles.tiles[tile].bytes),
                numLeft - 1);
      offsets[tile] = kNowhere;
    }
  }

  int64_t findLowest(unsigned tile) const {
    int64_t offset = 0;
    for (bool isFree = false; !isFree;) {
      isFree = true;
      for (unsigned other = 0; other < tiles.size(); ++other) {
        int64_t end = offsets[other] + tiles.tiles[other].bytes;
        if (offsets[other] == kNowhere || !tiles.keptApart[tile][other] ||
            offset + tiles.tiles[tile].bytes <= offsets[other] || end <= offset)
          continue;
        offset = llvm::alignTo(end, tiles.tiles[tile].alignment);
        isFree = false;
      }
    }
    return offset;
  }

  const PlacedTiles &tiles;
  int64_t liveBytes;
  llvm::SmallVector<int64_t> offsets;
  int64_t best = std::numeric_limits<int64_t>::max();
};
} // namespace

std::optional<int64_t>
mlir::mirage::test::findLeastBytes(const PlacedTiles &tiles,
                                   int64_t liveBytes) {
  constexpr unsigned kMostTiles = 8;
  if (tiles.size() > kMostTiles)
    return std::nullopt;
  return OrderSearch(tiles, liveBytes).run();
}
