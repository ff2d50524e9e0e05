//===- BoxCopies.h - Tiles that the copy engine loads -----------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rings of boxed inputs (Mirage/Layout/BoxedTile.h). Each place of the
// rings has an mbarrier, of which iteration i completes the phase number
// i / places: when thread 0 has announced the bytes of all boxes that come into
// the place, and the copy engine has written as many.
//
//   thread 0       expect bytes, copy boxes      iteration 3 into place 0
//   the engine     ..............write
//   all threads    wait for the parity of phase 1 of place 0, read
//
// Reads by threads and writes by the engine are of different proxies (PTX ISA
// 8.9.5): before the barrier behind which a place is filled again, each thread
// that has read it fences. What tensor cores alone have read (wgmma) needs
// none.
//
// That barrier is one of the block at the head of an iteration; or it is an
// mbarrier of the place, at which each warp arrives when it has read it, and
// for which thread 0 waits (`mirage.hands_back_places`). An iteration may then
// refill the place of one that is further behind than the last:
//
//   4 places    iteration 5: place 3 = (5 - 2) mod 4 gets the boxes of 7
//
// Elsewhere a place is a stage, and its two mbarriers are known as the full
// one, by which the engine says that boxes are there, and the empty one.
//
// Where warps do nothing but load, the first lane of theirs is in the place of
// thread 0, and waits for each place in turn.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_BLOCKTOGPU_BOXCOPIES_H
#define MIRAGE_LIB_CONVERSION_BLOCKTOGPU_BOXCOPIES_H

#include "BlockEmitter.h"
#include "Mirage/Layout/BoxedTile.h"

namespace mlir::mirage {

/// One of these inputs.
struct BoxedInput {
  unsigned input;
  Type tile; ///< a tensor
  TileBoxes boxes;
  Value map; ///< the kernel's parameter, a memref: a tensor map by address
  TilePlace ring;
  int64_t placeStride; ///< bytes from one place of the ring to the next
};

class BoxCopies {
public:
  /// \param barriersOffset  where the mbarriers lie, in bytes from the start of
  ///                        the block's shared memory.
  /// \param areReadByThreads  and not by tensor cores alone.
  /// \param hasLoadingWarps   behind the graph's threads, which start copies
  ///                          (Mirage/Analysis/LoadingWarps.h).
  BoxCopies(BlockEmitter &emitter, SmallVector<BoxedInput> inputs,
            int64_t barriersOffset, unsigned numPlaces, bool handsBack,
            bool areReadByThreads, bool hasLoadingWarps)
      : emitter(emitter), inputs(std::move(inputs)),
        barriersOffset(barriersOffset), numPlaces(numPlaces),
        handsBack(handsBack), areReadByThreads(areReadByThreads),
        hasLoadingWarps(hasLoadingWarps) {}

  /// Makes the mbarriers, once; with a barrier of the block.
  void emitInit();
  /// Guards what the thread is to do that starts copies: the first one, or
  /// that of the loading warps.
  void emitByLoadingThread(llvm::function_ref<void()> body);
  /// Starts the copies of the emitter's iteration, when the place is free; for
  /// one thread.
  /// \param place   of the rings, of type index.
  /// \param parity  of the iteration's phase of the place, an i32.
  void emitCopies(Value place, Value parity);
  /// Waits until they are there.
  /// \param parity  of the phase, an i32.
  void emitWait(Value place, Value parity);
  /// This warp has read the place. Where places are not handed back, that is
  /// for a barrier of the block to say.
  void emitHandBack(Value place);
  /// What this thread has read may be overwritten by the engine, behind a
  /// barrier.
  void emitReadFence();
  /// Their bytes may be used for something else, behind a barrier; begins with
  /// one.
  void emitInvalidate();

private:
  Value getPointer(Value offsetBytes);
  /// The mbarrier of a place.
  enum class Barrier { IsThere, IsFree };
  Value getBarrier(Barrier barrier, Value place);
  void forEachBarrier(llvm::function_ref<void(Barrier, Value)> action);
  void emitWaitFor(Value barrier, Value parity);
  void emitByThread(int64_t number, llvm::function_ref<void()> body);
  void emitBoxes(const BoxedInput &input, Value place, Value barrier);

  BlockEmitter &emitter;
  SmallVector<BoxedInput> inputs;
  int64_t barriersOffset;
  unsigned numPlaces;
  bool handsBack, areReadByThreads, hasLoadingWarps;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_BLOCKTOGPU_BOXCOPIES_H
