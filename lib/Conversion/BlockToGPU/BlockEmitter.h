//===- BlockEmitter.h - What a kernel's code is built with ------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_BLOCKTOGPU_BLOCKEMITTER_H
#define MIRAGE_LIB_CONVERSION_BLOCKTOGPU_BLOCKEMITTER_H

#include "BlockBarrier.h"
#include "Mirage/Analysis/CausalLoop.h"
#include "Mirage/Analysis/TileForms.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::mirage {

/// LLVM's numbers of the address spaces.
constexpr unsigned kGlobalSpace =
    static_cast<unsigned>(NVVM::NVVMMemorySpace::Global);
constexpr unsigned kSharedSpace =
    static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared);
constexpr unsigned kClusterSharedSpace =
    static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster);

/// A constant, an i32.
Value emitI32(ImplicitLocOpBuilder &builder, int32_t value);
/// An i1: this is the thread of the block with that number.
Value emitIsThread(ImplicitLocOpBuilder &builder, int64_t number);

/// Has LLVM let so many iterations of a loop follow each other; with one it is
/// to stay as it is.
void setUnrolling(scf::ForOp loop, int count);

/// Where a tile, or the first place of its ring, lies in shared memory.
struct TilePlace {
  int64_t offsetBytes = 0;
  TileForm form;
};

/// Where the code of one kernel is inserted, and the values that all of it
/// uses: coordinates of the block and the thread, the iteration, and the tiles
/// as memrefs in shared memory.
class BlockEmitter {
public:
  BlockEmitter(ImplicitLocOpBuilder builder, block::GraphOp graph);

  /// Builds the thread's number and the base of shared memory, which the module
  /// must declare.
  void emitPrologue();
  /// \param coordinates  the block's, by grid axis, as blocks are launched.
  void setBlockCoordinates(ValueRange coordinates);
  /// The iterations of the block that has these coordinates, of type index:
  /// those of the loop, or fewer (Mirage/Analysis/CausalLoop.h).
  Value emitNumIterations();
  /// Builds the memrefs of a tile: of its elements, and behind them of what
  /// else an accumulation carries for each.
  void addTile(Value tile, TilePlace place);
  /// Builds the memref of a tile in one of the places of its ring, which takes
  /// the place of the memref before.
  /// \param number  of the place in the ring, of type index.
  void selectPlace(Value tile, TilePlace ring, Value number);

  /// Zeroes bytes of shared memory, fewer than a block has threads.
  void emitZeros(int64_t offsetBytes, int64_t numBytes);

  ImplicitLocOpBuilder builder;
  const TileGraph header;
  /// Of the loop, that the code does one after the other: two exchange
  /// registers, of a product that is used and of one in flight, which one would
  /// have to move.
  int64_t iterationsAtOnce = 1;
  /// Behind the last one a product of the next place is started, for nothing:
  /// it has to have been filled.
  int64_t leastIterations = 1;
  /// Whether blocks of the last rows of a causal mask are launched first.
  bool launchesLastFirst = false;
  Value iteration;     ///< of the loop; zero outside of it
  Value numIterations; ///< of the present block, where code has come so far
  BlockBarrier barrier;

  /// The memref that holds a value of the block graph.
  Value getTile(Value value) const { return getCarried(value).front(); }
  /// All that its place holds, each of the tile's shape.
  ArrayRef<Value> getCarried(Value value) const {
    return tiles.find(value)->second;
  }
  Value getIndex(int64_t value);
  Value getBlockCoordinate(unsigned axis) const { return blockIds[axis]; }

  /// The number of a tile among those that these axes cut a dimension into.
  Value getTileNumber(ArrayRef<Axis> axes);
  /// Where a tile of that size begins along a dimension that these axes cut.
  Value getBegin(ArrayRef<Axis> axes, int64_t size);
  /// The coordinates in the tensor at which the tile starts, by dimension.
  SmallVector<Value> getOrigin(ArrayRef<SmallVector<Axis, 2>> cuttingAxes,
                               ArrayRef<int64_t> tileShape);

  /// Shares the elements of a tile out over the threads, `width` neighbours of
  /// the last dimension at a time, and calls `body` with the coordinates of the
  /// first. The same shape and width give each thread the same elements.
  void forEachElement(ArrayRef<int64_t> shape, int64_t width,
                      llvm::function_ref<void(ValueRange)> body);

  /// Shares the elements of a tile out over groups of `lanes` neighbouring
  /// threads of a warp, a power of two, and calls `body` with the coordinates,
  /// the thread's number in its group, and whether the element is its group's:
  /// where none is left, the last one is given once more, since exchanges
  /// between lanes take whole warps. The same shape and lanes give each thread
  /// the same elements.
  void forEachElementOfGroups(
      ArrayRef<int64_t> shape, int64_t lanes,
      llvm::function_ref<void(ValueRange, Value, Value)> body);
  /// Coordinates of the element with a row-major number.
  SmallVector<Value> delinearize(Value number, ArrayRef<int64_t> shape);

  /// One element in f32.
  Value readElement(Value memref, ValueRange coordinates);
  /// Rounds to the memref's element type.
  void writeElement(Value memref, ValueRange coordinates, Value value);
  /// A scalar or vector in another float type.
  Value convert(Value value, Type elementType);

  /// Of the threads that are in the kernel's code at the insertion point.
  void emitBarrier() { barrier.emit(builder); }
  /// The thread's number in its warp, of type index.
  Value emitLane();
  /// The number of its warp in the block, of type index.
  Value emitWarp();
  /// An i1: this is lane 0 of its warp.
  Value emitIsFirstLane();

private:
  Value buildTile(RankedTensorType tensor, Value offsetBytes,
                  int64_t rowPadding);
  void emitGuarded(Value chunk, int64_t numChunks,
                   llvm::function_ref<void(Value)> body);

  block::GraphOp graph;
  std::optional<CausalLoop> earlyEnd; ///< bodies of steps move away later
  Value threadId, sharedMemory;
  SmallVector<Value, 3> blockIds;
  DenseMap<Value, SmallVector<Value, 1>> tiles;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_BLOCKTOGPU_BLOCKEMITTER_H
