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
// Blocks of a cluster that load alike do so together (Mirage/Analysis/
// Multicast.h): each copies a share of the boxes of a tile, into the same place
// of all of them, and the engine counts the bytes at the mbarrier of each. So
// every block waits for the bytes of all boxes, whoever loads them; and every
// warp hands a place back to all blocks that copy into it, whose loading
// threads wait for as many arrivals. In a cluster of two, of one box in halves:
//
//   block 0    wait for its own warps and those of block 1; expect the bytes of
//              a box; copy its first half into both blocks
//   block 1    ... copy its second half into both
//   a warp     lane 0 arrives at the empty mbarrier of block 0, lane 1 at that
//              of block 1
//
// That a block may copy into a place of another one says that its warps are
// through with the phase before; that this other one has not announced the
// bytes yet does no harm, as its phase waits for that. At first all wait for
// each other, since mbarriers have to be there, and at last for their places to
// be handed back, since arrivals come from blocks that are not done yet.
//
// An arrival releases for threads of its own block, if one goes by the letter
// of PTX ISA, and would have to say `.release.cluster` in order to do more.
// What it has to order here is that this warp has read its own block's place
// before an engine writes to it; reads are done when the arrival leaves, by the
// fence between proxies or because tensor cores were waited for. CUTLASS says
// no more than that. The longer form waits for writes, too: products took 2.4
// times as long with it on an H200. The emulator takes an arrival that names no
// scope for one of the cluster, so that it finds no race here says nothing of
// this (docs/Emulator.md, "What is not found").
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_BLOCKTOGPU_BOXCOPIES_H
#define MIRAGE_LIB_CONVERSION_BLOCKTOGPU_BOXCOPIES_H

#include "BlockEmitter.h"
#include "ClusterRanks.h"
#include "Mirage/Layout/BoxedTile.h"
#include <vector>

namespace mlir::mirage {

/// One of these inputs.
struct BoxedInput {
  unsigned input;
  Type tile; ///< a tensor
  TileBoxes boxes;
  Value map; ///< the kernel's parameter, a memref: a tensor map by address
  TilePlace ring;
  int64_t placeStride; ///< bytes from one place of the ring to the next
  /// Along which axes blocks of a cluster load the same.
  AxisFlags sameAlong;
};

/// What there is of their places.
struct BoxPlaces {
  /// Where the mbarriers lie, in bytes from the start of the block's shared
  /// memory.
  int64_t barriersOffset;
  unsigned number;
  bool areHandedBack;
  bool areReadByThreads; ///< and not by tensor cores alone
  /// Behind the graph's threads, which start copies
  /// (Mirage/Analysis/LoadingWarps.h).
  bool hasLoadingWarps;
  /// Of blocks that load together; of none where each loads for itself.
  ClusterRanks cluster;
};

class BoxCopies {
public:
  BoxCopies(BlockEmitter &emitter, std::vector<BoxedInput> inputs,
            BoxPlaces places)
      : emitter(emitter), inputs(std::move(inputs)), places(std::move(places)) {
  }

  /// Whether blocks of a cluster load together.
  bool areShared() const { return !places.cluster.empty(); }

  /// Makes the mbarriers, once; with a barrier of the block, or the cluster.
  void emitInit();
  /// Guards what the thread is to do that starts copies: the first one, or
  /// that of the loading warps.
  void emitByLoadingThread(llvm::function_ref<void()> body);
  /// Starts the copies of the emitter's iteration, when the place is free; for
  /// one thread.
  /// \param place   of the rings, of type index.
  /// \param parity  of the iteration's phase of the place, an i32.
  void emitCopies(Value place, Value parity);
  /// Waits until what the place had before that phase is handed back, where
  /// places are.
  void emitWaitUntilFree(Value place, Value parity);
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
  /// \param prepare  what the thread does before that makes mbarriers invalid.
  void emitInvalidate(llvm::function_ref<void()> prepare);

private:
  Value getPointer(Value offsetBytes);
  /// The mbarrier of a place.
  enum class Barrier { IsThere, IsFree };
  Value getBarrier(Barrier barrier, Value place);
  void forEachBarrier(llvm::function_ref<void(Barrier, Value)> action);
  void emitWaitFor(Value barrier, Value parity);
  void emitByThread(int64_t number, llvm::function_ref<void()> body);
  void emitBoxes(const BoxedInput &input, Value place, Value barrier);
  SmallVector<Value> getFirstCoordinates(const BoxedInput &input);
  /// How many blocks load the input together.
  int64_t getNumSharers(const BoxedInput &input) const;
  /// Whether a block loads for another one.
  bool loadsFor(int64_t rank, int64_t other) const;
  int64_t countArrivals(Barrier barrier) const;
  Value emitLoadsFor(Value rank, Value other);
  void emitArrivals(Value barrier);

  BlockEmitter &emitter;
  std::vector<BoxedInput> inputs;
  BoxPlaces places;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_BLOCKTOGPU_BOXCOPIES_H
