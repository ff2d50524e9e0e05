//===- TileSizes.cpp - Sizes that tiles may have --------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/TileSizes.h"
#include "Mirage/Graph/TileMemory.h"
#include "Mirage/Search/BlockTime.h"
#include "Mirage/Search/NamedChoice.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;

static constexpr llvm::StringLiteral kChoices[] = {"round", "refined", "all"};

llvm::StringRef
mlir::mirage::search::getTileSizeChoiceName(TileSizeChoice choice) {
  return kChoices[static_cast<unsigned>(choice)];
}

llvm::Expected<TileSizeChoice>
mlir::mirage::search::parseTileSizeChoice(llvm::StringRef name) {
  llvm::Expected<unsigned> choice =
      parseNamedChoice("tile-sizes", kChoices, name);
  if (!choice)
    return choice.takeError();
  return static_cast<TileSizeChoice>(*choice);
}

/// Elements of one byte in one access of 16.
static constexpr int64_t kMostAligned = 16;

static int64_t getAlignment(int64_t tile) {
  return std::min(tile & -tile, kMostAligned);
}

/// A row of so many elements, with what `chooseRowPaddings` puts behind it.
static int64_t getRowBytes(int64_t tile, ElementType element) {
  TensorSpec rows{{2, tile}, element};
  return tile * getSizeBytes(element) + getRowPadding(rows);
}

/// Whether a smaller tile that leaves as many has all that a larger one has.
static bool dominates(int64_t smaller, int64_t larger) {
  return getAlignment(smaller) >= getAlignment(larger) &&
         smaller >= std::min(larger, kFullRowBytes) &&
         llvm::all_of(ArrayRef({ElementType::F8E4M3FN, ElementType::F16,
                                ElementType::F32}),
                      [&](ElementType element) {
                        return getRowBytes(smaller, element) <=
                               getRowBytes(larger, element);
                      });
}

/// The most that leaves as many tiles as this one.
static int64_t getLargestOfAsMany(int64_t extent, int64_t tile) {
  int64_t count = llvm::divideCeil(extent, tile);
  return llvm::divideCeil(extent, count - 1) - 1;
}

static std::vector<int64_t> listTiles(int64_t extent) {
  std::vector<int64_t> tiles;
  for (int64_t least = 1; least < std::min(extent, kLargestTile);) {
    int64_t most = getLargestOfAsMany(extent, least);
    // Of long rows the first multiple of 16 dominates all that are 16 larger.
    int64_t last =
        std::min(most, std::max(least, kFullRowBytes) + 2 * kMostAligned);
    size_t first = tiles.size();
    for (int64_t tile = least; tile <= last; ++tile)
      if (llvm::none_of(ArrayRef(tiles).drop_front(first),
                        [&](int64_t other) { return dominates(other, tile); }))
        tiles.push_back(tile);
    least = most + 1;
  }
  return tiles;
}

static std::vector<int64_t> listBlockCounts(int64_t extent) {
  std::vector<int64_t> counts;
  int64_t leastShare = std::max<int64_t>(
      2 * kLeastTileSplitTwice, llvm::divideCeil(extent, kMostLoopedBlocks));
  for (int64_t share = leastShare; share < extent;
       share = getLargestOfAsMany(extent, share) + 1)
    counts.push_back(llvm::divideCeil(extent, share));
  std::reverse(counts.begin(), counts.end());
  return counts;
}

/// Multiples of what matrix instructions and 128-bit accesses take, small ones
/// for names that only count rows, and what cuts an extent into few tiles of
/// nearly one size.
static std::vector<int64_t> listRoundTiles(int64_t extent) {
  static constexpr int64_t kSizes[] = {1,  2,  4,   8,   16,  32, 48,
                                       64, 96, 128, 192, 256, 512};
  constexpr int64_t kMostEvenTiles = 8, kStep = 8;
  std::vector<int64_t> sizes(std::begin(kSizes), std::end(kSizes));
  for (int64_t count = 2; count <= kMostEvenTiles; ++count)
    sizes.push_back(llvm::alignTo(llvm::divideCeil(extent, count), kStep));
  llvm::erase_if(sizes, [&](int64_t size) {
    return size >= extent || size > std::end(kSizes)[-1];
  });
  llvm::sort(sizes);
  sizes.erase(llvm::unique(sizes), sizes.end());
  return sizes;
}

/// Powers of two, and what is half as many again.
static std::vector<int64_t> listRoundBlockCounts(int64_t extent) {
  std::vector<int64_t> counts;
  for (int64_t count : listBlockCounts(extent))
    if (llvm::isPowerOf2_64(count) ||
        (count % 3 == 0 && llvm::isPowerOf2_64(count / 3)))
      counts.push_back(count);
  return counts;
}

const TileSizes::Lists &TileSizes::getLists(int64_t extent) {
  std::lock_guard<std::mutex> lock(mutex);
  auto [entry, isNew] = lists.try_emplace(extent);
  if (!isNew)
    return entry->second;
  if (set == TileSizeSet::Round)
    entry->second = {listRoundTiles(extent), listRoundBlockCounts(extent)};
  else
    entry->second = {listTiles(extent), listBlockCounts(extent)};
  if (set == TileSizeSet::Aligned)
    llvm::erase_if(entry->second.tiles, [](int64_t tile) {
      return tile > kMostAligned / 2 && tile % kMostAligned != 0;
    });
  return entry->second;
}

ArrayRef<int64_t> TileSizes::getTiles(int64_t extent) {
  return getLists(extent).tiles;
}

ArrayRef<int64_t> TileSizes::getBlockCounts(int64_t extent) {
  return getLists(extent).blockCounts;
}
