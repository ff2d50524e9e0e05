//===- MulticastCluster.cpp - Blocks that load for each other -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Planning/MulticastCluster.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir::mirage;

using Extents = llvm::SmallVector<int64_t, 3>;

static int64_t countBlocks(llvm::ArrayRef<int64_t> cluster) {
  return std::accumulate(cluster.begin(), cluster.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

int64_t mlir::mirage::countBlocksAlong(llvm::ArrayRef<int64_t> cluster,
                                       llvm::ArrayRef<bool> isMeant) {
  int64_t number = 1;
  for (auto [extent, counts] : llvm::zip_equal(cluster, isMeant))
    number *= counts ? extent : 1;
  return number;
}

bool mlir::mirage::isAnySame(llvm::ArrayRef<SharableTile> tiles,
                             unsigned axis) {
  return llvm::any_of(
      tiles, [&](const SharableTile &tile) { return tile.isSame[axis]; });
}

llvm::Expected<MulticastChoice>
mlir::mirage::parseMulticast(llvm::StringRef text, int64_t largest) {
  MulticastChoice choice;
  if (text == "never")
    return choice;
  if (text == "auto") {
    choice.kind = MulticastChoice::Kind::Predicted;
    return choice;
  }
  choice.kind = MulticastChoice::Kind::Always;
  if (!text.getAsInteger(10, choice.mostBlocks) && choice.mostBlocks >= 2 &&
      choice.mostBlocks <= largest)
    return choice;
  return llvm::createStringError("expects multicast never, auto or 2 to " +
                                 llvm::Twine(largest) + " blocks, got '" +
                                 text + "'");
}

/// Whether each tile is boxes of which those that share it load as many each,
/// and each axis with several blocks is one along which a tile is the same.
static bool canShare(llvm::ArrayRef<int64_t> cluster,
                     llvm::ArrayRef<SharableTile> tiles) {
  for (auto [axis, extent] : llvm::enumerate(cluster))
    if (extent > 1 && !isAnySame(tiles, axis))
      return false;
  return llvm::all_of(tiles, [&](const SharableTile &tile) {
    return shareBoxes(tile.boxes, tile.getNumSharers(cluster)).has_value();
  });
}

llvm::SmallVector<Extents>
mlir::mirage::listMulticastClusters(llvm::ArrayRef<int64_t> grid,
                                    llvm::ArrayRef<SharableTile> tiles,
                                    int64_t mostBlocks) {
  llvm::SmallVector<Extents> clusters = {{}};
  for (int64_t extent : grid) {
    llvm::SmallVector<Extents> longer;
    for (const Extents &cluster : clusters)
      for (int64_t blocks = 1;
           extent % blocks == 0 && countBlocks(cluster) * blocks <= mostBlocks;
           blocks *= 2) {
        longer.push_back(cluster);
        longer.back().push_back(blocks);
      }
    clusters = std::move(longer);
  }
  llvm::erase_if(clusters, [&](const Extents &cluster) {
    return countBlocks(cluster) < 2 || !canShare(cluster, tiles);
  });
  return clusters;
}

MulticastBytes
mlir::mirage::countMulticastBytes(llvm::ArrayRef<int64_t> cluster,
                                  llvm::ArrayRef<SharableTile> tiles) {
  MulticastBytes bytes;
  for (const SharableTile &tile : tiles) {
    bytes.tiles += tile.getBytes();
    bytes.fromCache += double(tile.getBytes()) / tile.getNumSharers(cluster);
  }
  return bytes;
}

Extents mlir::mirage::chooseByBytes(llvm::ArrayRef<Extents> clusters,
                                    llvm::ArrayRef<SharableTile> tiles) {
  auto getCost = [&](llvm::ArrayRef<int64_t> cluster) {
    return std::pair(countMulticastBytes(cluster, tiles).fromCache,
                     countBlocks(cluster));
  };
  auto best =
      llvm::min_element(clusters, [&](const Extents &lhs, const Extents &rhs) {
        return getCost(lhs) < getCost(rhs);
      });
  return best == clusters.end() ? Extents() : *best;
}

int64_t mlir::mirage::getClusteredBlocks(int64_t wanted, int64_t clusterBlocks,
                                         const Target &target) {
  int64_t most = std::min(wanted, target.getClusteredSMs(clusterBlocks));
  return most / clusterBlocks * clusterBlocks;
}
