//===- Rings.h - Tiles that are loaded ahead --------------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who fills the places of a block's rings (Mirage/Graph/TileMemory.h), when,
// and what waits for it: threads by cp.async, the first one of them by boxes
// (BoxCopies.h), or warps that do nothing else
// (Mirage/Analysis/LoadingWarps.h). But for the last, iterations do so on the
// way:
//
//   before the loop     fill the places of the first iterations
//   iteration i         wait for its tiles; refill the place of an earlier one
//                       for one that comes later; compute; hand back a place
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_BLOCKTOGPU_RINGS_H
#define MIRAGE_LIB_CONVERSION_BLOCKTOGPU_RINGS_H

#include "BoxCopies.h"
#include "EmitSchedule.h"
#include "RingPosition.h"

namespace mlir::mirage {

class Rings {
public:
  /// All of which must outlive this.
  Rings(BlockEmitter &emitter, const BlockSteps &steps,
        const TilePlacement &placement, const KernelContext &context);

  /// A loop that loads nothing has none, however many stages it has.
  bool empty() const;
  /// Whether the copy engine loads a tile.
  bool isBoxed(Value tile) const;
  bool isRing(Value tile) const;
  /// For all values that are held in rings, inputs and what reshapes them.
  void selectPlace(Value number);

  /// Of the first iteration.
  RingPosition getFirst();
  /// What the loop carries of a position: its parity if boxes come.
  SmallVector<Value> listValues(RingPosition position) const;
  /// \param carried  begins with these.
  RingPosition readValues(ValueRange carried) const;

  /// What is done once, before and behind all else, also if the block is
  /// persistent.
  void emitInit();
  /// \param end  the position behind the last iteration.
  void emitInvalidate(ValueRange end);
  /// Where there are loading warps, these have code of their own from here on,
  /// and are gone at its end; the insertion point is that of the others.
  void partWarps();

  void emitFill();
  /// \param place  of the emitter's iteration, which is the one selected then.
  void emitRefill(RingPosition place);
  /// Until the tiles of an iteration are there, for this thread.
  void emitWaitAtHead(RingPosition place);
  /// The same of boxes alone.
  void emitWait(Value number, Value parity);
  /// This warp has read the place of the emitter's iteration, or of the one
  /// before, if there is one.
  void emitHandBack(RingPosition place, bool isOfBefore);
  /// The same of the last iteration's, behind the loop.
  /// \param end  the position behind that one.
  void emitLastHandBack(RingPosition end);
  /// Whether the last places have to be handed back as well: others wait for
  /// them.
  bool areAllHandedBack() const;
  /// At the end of a block: nothing of others is on its way to it any more.
  /// \param end  the position behind the last iteration.
  void emitDrain(ValueRange end);

private:
  void addBoxCopies();
  bool areBoxesReadByThreads();
  bool hasLoadingWarps() const { return placement.loadingWarps.number > 0; }
  bool hasThreadCopies();
  int64_t getNumAhead();
  void emitLoadsOfWarps();
  SmallVector<Value> emitLoadLoop(ValueRange initial);
  void emitLoadsInto(Value iteration, RingPosition ahead);
  void emitCommitOfThreads();
  void emitWaitUntilAllAreFree(RingPosition end);

  BlockEmitter &emitter;
  const BlockSteps &steps;
  const TilePlacement &placement;
  const KernelContext &context;
  block::GraphOp graph;
  std::optional<BoxCopies> boxCopies;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_BLOCKTOGPU_RINGS_H
