//===- BlockWalk.h - The blocks of a grid that one computes -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_BLOCKTOGPU_BLOCKWALK_H
#define MIRAGE_LIB_CONVERSION_BLOCKTOGPU_BLOCKWALK_H

#include "BlockEmitter.h"

namespace mlir::mirage {

/// How many blocks are launched where they are persistent
/// (Mirage/Analysis/PersistentBlocks.h).
struct PersistentGrid {
  int64_t numLaunched = 0;
  SmallVector<int64_t, 3> order; ///< of grid axes, the fastest one first
  /// Extents by grid axis of the clusters that blocks are, if they are: blocks
  /// are counted cluster by cluster then, and go on from one to the next
  /// together.
  SmallVector<int64_t, 3> cluster;
};

/// What one launched block computes of the grid: the one block that it is, or,
/// if blocks are persistent, several, in a loop.
class BlockWalk {
public:
  BlockWalk(BlockEmitter &emitter, std::optional<PersistentGrid> persistent)
      : emitter(emitter), persistent(std::move(persistent)) {}

  bool hasSeveral() const { return persistent.has_value(); }
  /// Has `body` emit what is done for a block of the grid, whose coordinates
  /// are the emitter's then.
  /// \param initial  what is carried from one to the next.
  /// \param body     gives what is carried on.
  /// \returns what the last one gives.
  SmallVector<Value>
  forEach(ValueRange initial,
          llvm::function_ref<SmallVector<Value>(ValueRange carried)> body);
  /// An i1, in such code, where there are several: another block comes behind
  /// the present one.
  Value emitHasNext();

private:
  void setCoordinates();
  SmallVector<Value, 3> emitCoordinates(Value number,
                                        ArrayRef<int64_t> extents);

  BlockEmitter &emitter;
  std::optional<PersistentGrid> persistent;
  Value number; ///< of the present block, in the order in which blocks start
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_BLOCKTOGPU_BLOCKWALK_H
