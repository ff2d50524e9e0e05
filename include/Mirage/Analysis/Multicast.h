//===- Multicast.h - Clusters whose blocks load together --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a block graph says of clusters in which each box is loaded once
// (Mirage/Planning/MulticastCluster.h). All inputs that are boxed take part
// that blocks of a cluster load alike; others are loaded by each block for
// itself. Nothing else changes: where tiles lie, how many bytes a place waits
// for, and what blocks compute.
//
// A block may write into a place of another one when the warps of that one have
// handed it back, so warps hand places back (`mirage.hands_back_places`), and
// do so to all blocks that load for them. And since they go on together,
// persistent blocks are launched as whole clusters: of 132 that are wanted 120
// in clusters of 4, as 30 of these find SMs (H200).
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ANALYSIS_MULTICAST_H
#define MIRAGE_ANALYSIS_MULTICAST_H

#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Planning/MulticastCluster.h"
#include "llvm/Support/Error.h"

namespace mlir::mirage {

/// Of the first kernel of a launch: how many blocks side by side along each
/// grid axis are a cluster that loads together. --mirage-multicast-boxes
/// decides it.
inline constexpr llvm::StringLiteral kMulticastClusterAttr =
    "mirage.multicast_cluster";

/// What that attribute states, as it stands; empty where it is not there.
ArrayRef<int64_t> getMulticastCluster(block::GraphOp graph);

/// The same; or failure after an error where such extents are none of a cluster
/// of the graph's grid, or of more blocks than its persistent ones.
FailureOr<ArrayRef<int64_t>> readMulticastCluster(block::GraphOp graph);

/// Of whoever changes what it was decided for: drops that attribute, with which
/// all goes that is due to it.
void dropMulticastCluster(block::GraphOp graph);

/// How many blocks are launched of a graph whose blocks are persistent
/// (PersistentBlocks.h): as many as are wanted or, where they load together,
/// whole clusters of them, and no more than find SMs.
std::optional<int64_t> getLaunchedBlocks(block::GraphOp graph,
                                         const Target &target);

/// Fails, with what is expected, where its blocks cannot load together.
/// \param cluster  as `readMulticastCluster` has it.
llvm::Error verifyMulticast(ArrayRef<int64_t> cluster, block::GraphOp graph);

/// By grid axis: whether blocks along it load the same of an input.
SmallVector<bool, 3> getSameAxes(block::GraphOp graph, unsigned input);

/// The boxed inputs of a graph, in their order.
SmallVector<SharableTile> getSharableTiles(block::GraphOp graph);

/// The boxes by which an input is loaded that is boxed: those of
/// `findInputBoxes`, cut where blocks share them.
std::optional<TileBoxes> findLoadedBoxes(block::GraphOp graph, unsigned input);

} // namespace mlir::mirage

#endif // MIRAGE_ANALYSIS_MULTICAST_H
