//===- MulticastCluster.h - Blocks that load for each other -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks along an axis of the grid that does not cut an input load the same
// tiles of it. As a cluster they can have each of them once: of the boxes of a
// tile every block loads a share, and the copy engine writes them into the
// shared memory of all blocks (multicast).
//
//   a product of 128 x 256 a block, grid x = 32, y = 16, cluster x = 2, y = 2
//
//                     y = 0     y = 1
//             x = 0   A0 B0     A0 B1       A: 128 x 64, 16 KiB
//             x = 1   A1 B0     A1 B1       B: 64 x 256, 32 KiB
//
//   L2 gives a block 16 / 2 + 32 / 2 = 24 KiB of the 48 KiB that it gets.
//
// A cluster of x = 4 has L2 give 16 + 32 / 4 = 24 KiB as well.
//
// How many bytes that are is known. Whether it is faster is another question:
// an SM gets as many bytes as before, waits for the slowest of several, and
// clusters find fewer SMs than blocks (`Target::getClusteredSMs`).
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_PLANNING_MULTICASTCLUSTER_H
#define MIRAGE_PLANNING_MULTICASTCLUSTER_H

#include "Mirage/Layout/BoxedTile.h"
#include "Mirage/Planning/Target.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::mirage {

/// How many blocks of a cluster differ along some axes of the grid at the most.
/// \param cluster  extents by grid axis.
/// \param isMeant  the axes, as many.
int64_t countBlocksAlong(llvm::ArrayRef<int64_t> cluster,
                         llvm::ArrayRef<bool> isMeant);

/// An input of a block that the copy engine loads.
struct SharableTile {
  unsigned input = 0; ///< its number
  TileBoxes boxes;    ///< as a block alone loads them
  /// By grid axis: whether blocks along it load the same.
  llvm::SmallVector<bool, 3> isSame;

  /// The bytes of a tile.
  int64_t getBytes() const {
    return boxes.getNumBoxes() * boxes.map.getBoxBytes();
  }
  /// How many blocks of a cluster load the same.
  /// \param cluster  extents by grid axis.
  int64_t getNumSharers(llvm::ArrayRef<int64_t> cluster) const {
    return countBlocksAlong(cluster, isSame);
  }
};

/// Whether blocks along an axis load any of these tiles alike.
bool isAnySame(llvm::ArrayRef<SharableTile> tiles, unsigned axis);

/// What `multicast=` of a pass says.
struct MulticastChoice {
  enum class Kind : uint8_t { Never, Predicted, Always };
  Kind kind = Kind::Never;
  int64_t mostBlocks = 1; ///< of a cluster, where it is `Always`
};

/// \param text  "never"; "auto", where the cost model has it that it takes
///              less; or the number of blocks that a cluster has at the most.
/// \param largest  that such a number may be: `kMaxClusterBlocks`.
/// \returns an error that says what there is for anything else.
llvm::Expected<MulticastChoice> parseMulticast(llvm::StringRef text,
                                               int64_t largest);

/// The clusters there could be, extents by grid axis: of 2 blocks or more,
/// powers of two, as many along an axis as divide the grid, and along no axis
/// along which nothing is the same. The blocks of each can share the boxes of
/// every tile.
llvm::SmallVector<llvm::SmallVector<int64_t, 3>>
listMulticastClusters(llvm::ArrayRef<int64_t> grid,
                      llvm::ArrayRef<SharableTile> tiles, int64_t mostBlocks);

/// The bytes of all tiles of an iteration, and those of them that L2 gives a
/// block of a cluster.
struct MulticastBytes {
  double tiles = 0, fromCache = 0;
};
MulticastBytes countMulticastBytes(llvm::ArrayRef<int64_t> cluster,
                                   llvm::ArrayRef<SharableTile> tiles);

/// Of these clusters that for which L2 gives the fewest bytes, and of several
/// the smallest, of several the first; none of none.
llvm::SmallVector<int64_t, 3>
chooseByBytes(llvm::ArrayRef<llvm::SmallVector<int64_t, 3>> clusters,
              llvm::ArrayRef<SharableTile> tiles);

/// How many persistent blocks are launched where they are clusters: of so many
/// that are wanted no more than clusters find SMs for, and whole clusters; none
/// where that is not even one.
int64_t getClusteredBlocks(int64_t wanted, int64_t clusterBlocks,
                           const Target &target);

} // namespace mlir::mirage

#endif // MIRAGE_PLANNING_MULTICASTCLUSTER_H
