//===- EmitSchedule.h - The steps of a block as code ------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_BLOCKTOGPU_EMITSCHEDULE_H
#define MIRAGE_LIB_CONVERSION_BLOCKTOGPU_EMITSCHEDULE_H

#include "BlockEmitter.h"
#include "BlockWalk.h"
#include "ClusterRanks.h"
#include "Mirage/Analysis/BlockSteps.h"
#include "Mirage/Analysis/LoadingWarps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::mirage {

/// How tiles lie in shared memory: rows, and places.
struct TilePlacement {
  SmallVector<TileForm> forms; ///< by tile
  StoragePlan plan;
  std::optional<int64_t> handBack; ///< `mirage.hands_back_places`
  LoadingWarps loadingWarps;

  TilePlace getPlace(unsigned tile) const {
    return {plan.offsets[tile], forms[tile]};
  }
};

/// What a block graph has of the kernel that it is in.
struct KernelContext {
  ValueRange buffers; ///< of the graph's inputs and results
  ValueRange maps;    ///< of the inputs that are boxed, in their order
  /// The block's, by grid axis; none where blocks are persistent.
  ValueRange coordinates;
  std::optional<PersistentGrid> persistent;
  /// Of the blocks that load boxes together.
  ClusterRanks cluster;
  /// Blocks that do most iterations are to come first (CausalLoop.h), which
  /// others of the launch that are counted alike would have to know.
  bool longestFirst = false;
  bool isLast = true; ///< no graph follows that has tiles, too
  /// It is the first of a launch that may begin before the one before it has
  /// ended.
  bool waitsForLaunch = false;
  /// It is the first of a launch behind which the next may begin at once.
  bool admitsNextLaunch = false;
  /// Of the threads that come to it.
  BlockBarrier barrier;
};

/// Carries the schedule of one block graph out, step by step, at the builder's
/// insertion point, which then is where the threads go on that compute.
/// Schedule, placement and held values must hold; regions of thread graphs move
/// along.
void emitSchedule(ImplicitLocOpBuilder &builder, const BlockSteps &steps,
                  const TilePlacement &placement, const KernelContext &context);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_BLOCKTOGPU_EMITSCHEDULE_H
