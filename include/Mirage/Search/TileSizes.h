//===- TileSizes.h - Sizes that tiles may have ------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of a name that is split may have any size that leaves at least two.
//
// Sizes that are dominated are left out: those for which there is a smaller one
// with as many tiles, that is a multiple of as large a power of two, up to the
// 16 bytes of one access, whose rows take no more shared memory with their
// padding (Mirage/Graph/TileMemory.h), and are as long or long enough to be
// loaded at the full rate (BlockTime.h). A kernel with the smaller one loads
// and computes less, and no other thing changes.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_SEARCH_TILESIZES_H
#define MIRAGE_SEARCH_TILESIZES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <mutex>
#include <vector>

namespace mlir::mirage::search {

/// Tiles of a name that both the loop and an axis of the grid split: those of 1
/// could be padding as a whole.
constexpr int64_t kLeastTileSplitTwice = 2;

/// What is larger along one dimension fits into no block's shared memory.
constexpr int64_t kLargestTile = 1 << 18;

/// Blocks along an axis whose name the loop has too: with more of them there is
/// no use for the loop.
constexpr int64_t kMostLoopedBlocks = 1 << 16;

/// Which sizes the search takes.
enum class TileSizeChoice : uint8_t {
  Round,   ///< few
  Refined, ///< round ones; candidates then get the best of aligned ones
  All,     ///< that are not dominated
};
llvm::StringRef getTileSizeChoiceName(TileSizeChoice choice);
/// \returns an error that lists the choices there are if the name is none.
llvm::Expected<TileSizeChoice> parseTileSizeChoice(llvm::StringRef name);

enum class TileSizeSet : uint8_t {
  /// What instructions and accesses take, and what cuts an extent evenly.
  Round,
  /// Multiples of 16, and up to 8: what code takes for fragments and accesses
  /// without detours.
  Aligned,
  All, ///< that are not dominated
};

/// Sizes of a set, worked out once for each extent; by any thread.
class TileSizes {
public:
  explicit TileSizes(TileSizeSet set) : set(set) {}

  /// Tiles that leave at least two, ascending.
  llvm::ArrayRef<int64_t> getTiles(int64_t extent);
  /// How many blocks there may be, up to `kMostLoopedBlocks`, each of at least
  /// `kLeastTileSplitTwice` by two elements; ascending, from two.
  llvm::ArrayRef<int64_t> getBlockCounts(int64_t extent);

private:
  struct Lists {
    std::vector<int64_t> tiles, blockCounts;
  };
  const Lists &getLists(int64_t extent);

  TileSizeSet set;
  std::mutex mutex; ///< of the map, whose entries stay where they are
  std::map<int64_t, Lists> lists;
};

} // namespace mlir::mirage::search

#endif // MIRAGE_SEARCH_TILESIZES_H
