//===- CarriedSums.h - Sums that grow in registers --------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_BLOCKTOGPU_CARRIEDSUMS_H
#define MIRAGE_LIB_CONVERSION_BLOCKTOGPU_CARRIEDSUMS_H

#include "BlockEmitter.h"
#include "PlaceThreadGraphs.h"

namespace mlir::mirage {

/// What the registers of a block's warps hold.
struct HeldValues {
  DenseMap<Value, HeldTile> tiles; ///< by result of a thread graph, or mask
  DenseMap<Value, Value> current;  ///< tensors: what they hold now
};

/// The accumulations of a block whose sums its loop carries in registers
/// (Mirage/Analysis/HeldTiles.h). One that is rescaled has each part relative
/// to its tile's maximum, and is corrected where sum and part meet; or, where
/// the block says so (Mirage/Analysis/RunningScale.h), parts are relative to
/// the maximum so far, and the sum is corrected before.
class CarriedSums {
public:
  /// \param held  knows all thread graphs whose results are held.
  CarriedSums(BlockEmitter &emitter, block::GraphOp graph, HeldValues &held);

  ArrayRef<block::AccumulateOp> list() const { return sums; }
  /// Before the loop: what nothing is added to yet.
  void emitInit(block::AccumulateOp sum);
  /// In each iteration, behind the part that is added; a sum that grows with
  /// its parts has grown when its part was computed.
  void emitUpdate(block::AccumulateOp sum);
  /// What a part is added to.
  Value emitSumSoFar(block::AccumulateOp sum);
  /// From here on the maximum of a tile is the one so far, if that is what its
  /// parts are to be relative to.
  void emitRunningScale(Value maximumOfTile);

private:
  /// A memref, or a tensor in registers.
  Value getCurrent(Value value);

  BlockEmitter &emitter;
  HeldValues &held;
  SmallVector<block::AccumulateOp> sums;
  DenseMap<Operation *, StretchedWindow> scaleWindows; ///< by rescaled sum
  /// The maxima that replace what they accumulate, by that.
  DenseMap<Value, block::AccumulateOp> scaledBy;
  DenseMap<Operation *, RunningScale> runningScales; ///< by maximum
};

/// How parts of a sum are joined.
Combiner getCombiner(block::AccumulateOp sum);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_BLOCKTOGPU_CARRIEDSUMS_H
