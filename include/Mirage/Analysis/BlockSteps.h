//===- BlockSteps.h - A block graph as steps over tiles ---------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a thread block does, one step after the other, and which tiles of shared
// memory each step touches. An op of a `mirage_block.graph` is one step, but
// for
//   - an input, whose tile is loaded from device memory,
//   - inputs with rings of places (Mirage/Graph/TileMemory.h), which are all
//     loaded by two steps: one fills the places of the first iterations before
//     the loop, one in the loop refills that of the iteration before,
//   - an accumulator, which is set to the neutral element before the loop,
//     joined with a value in it and finished after it (the mean divides); its
//     place holds all that it carries (a variance: three tiles); one that
//     carries its sum in registers (Mirage/Analysis/HeldTiles.h) touches its
//     tile when it is finished, by bringing the sum there,
//   - a reshape, which is no step: its result is the operand's tile.
// What bypasses shared memory (Mirage/Analysis/BypassingTiles.h) is neither
// loaded nor stored by a step of its own, and touches no tile.
// Scheduling, planning of shared memory and lowering all read this one list.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_ANALYSIS_BLOCKSTEPS_H
#define MIRAGE_ANALYSIS_BLOCKSTEPS_H

#include "Mirage/Analysis/BypassingTiles.h"
#include "Mirage/Analysis/TileForms.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Planning/ScheduleProblem.h"
#include "Mirage/Planning/StorageProblem.h"
#include "Mirage/Planning/Target.h"

namespace mlir::mirage {

struct BlockStep {
  enum class Kind : uint8_t {
    Fill,
    Load,
    Refill,
    Init,
    Compute,
    Update,
    Finish,
    Store
  };
  Kind kind = Kind::Compute;
  /// Load: the block argument. Init, Update, Finish: the accumulator's result.
  Value tile;
  /// The op that the step belongs to; of loads the graph, of a store the yield.
  Operation *op = nullptr;
  ScheduledStep scheduled;
};

class BlockSteps {
public:
  /// Lists steps by phase, within each in the order of the ops.
  explicit BlockSteps(block::GraphOp graph)
      : BlockSteps(graph, readBypassingValues(graph)) {}
  /// The same if these, and no others, bypassed shared memory.
  BlockSteps(block::GraphOp graph, BypassingValues withoutTile);

  block::GraphOp getGraph() const { return graph; }
  ArrayRef<BlockStep> getSteps() const { return steps; }
  /// The values that have a place in shared memory of their own; an unused
  /// input has none, nor what is held in registers or bypasses it.
  ArrayRef<Value> getTiles() const { return tiles; }
  /// The number of the tile that a value is held in, or none.
  std::optional<unsigned> getTile(Value value) const;
  /// What a place of such a value holds: its elements, or all that an
  /// accumulation carries for each of them, one tile after the other; with what
  /// stays free behind each row.
  static int64_t getPlaceBytes(Value tile, int64_t rowPadding);
  /// Bytes from one place of a tile's ring to the next.
  static int64_t getPlaceStride(Value tile, TileForm form);
  /// How many places a tile has, `getPlaceStride` apart.
  int64_t getNumPlaces(unsigned tile) const { return numPlaces[tile]; }
  /// Bytes of all of them.
  int64_t getRingBytes(unsigned tile, TileForm form) const;

  /// How tiles lie for all that the search reckons with, by tile: boxed, where
  /// that is wanted and `findInputBoxes` has boxes; of what stays free behind
  /// rows Mirage/Graph/TileMemory.h is the rule.
  SmallVector<TileForm> getReckonedForms(bool hasCopyEngine) const;
  /// How each tile can lie: boxed, where that is wanted and there are boxes,
  /// and, unless `wgmma` reads it there, row by row with up to 112 bytes behind
  /// each, in steps of 16, or swizzled by threads. More bytes do what less do,
  /// since after 128 the banks are the same.
  SmallVector<SmallVector<TileForm>> listForms(bool hasCopyEngine) const;
  /// How tiles lie as attributes state it: `mirage.row_paddings` on ops, and on
  /// the graph `mirage.input_row_paddings`, `mirage.input_swizzles` and
  /// `mirage.thread_swizzles`, or nothing for 0; or an error that says why rows
  /// cannot lie so.
  llvm::Expected<SmallVector<TileForm>> readForms() const;

  /// Whether the steps of an iteration need no barrier of the block but for the
  /// places of rings, all of which are boxed.
  /// \param schedule  that holds.
  /// \param forms     by tile.
  bool canHandBackPlaces(const Schedule &schedule,
                         ArrayRef<TileForm> forms) const;
  /// What `mirage.hands_back_places` states; none where it is not there; or an
  /// error that says why it cannot be.
  /// \param forms  by tile.
  llvm::Expected<std::optional<int64_t>>
  readHandBack(const Schedule &schedule, ArrayRef<TileForm> forms) const;

  ScheduleProblem makeScheduleProblem() const;
  /// The schedule that attributes of the graph's ops state:
  /// `mirage.barrier` on an op, and on the graph `mirage.barrier_at_entry`,
  /// `mirage.barrier_at_head` and `mirage.barrier_at_exit`.
  Schedule readSchedule() const;
  /// The plan that attributes state: `mirage.offsets` on ops, and on the graph
  /// `mirage.input_offsets`, `mirage.copy_barriers` and `mirage.shared_bytes`;
  /// or an error that says which is missing or no such number. Whether it
  /// holds, `verify` says.
  /// \param forms  by tile.
  llvm::Expected<StoragePlan> readPlan(ArrayRef<TileForm> forms) const;
  /// Leaves a plan in these attributes.
  void statePlan(const StoragePlan &plan) const;
  /// Tiles with their live ranges under a schedule, and, where some are boxed,
  /// behind them the barriers by which the copy engine tells that boxes are
  /// there: one for each place of the rings. Rings of persistent blocks
  /// (PersistentBlocks.h) are live all the time.
  StorageProblem makeStorageProblem(const Schedule &schedule,
                                    ArrayRef<TileForm> forms) const;

private:
  void addTile(Value value, int64_t places);
  /// Calls `action` with each value that a tile holds, and the tile's number.
  void forEachHeld(llvm::function_ref<void(Value, unsigned)> action) const;
  llvm::Expected<SmallVector<TileForm>> readStatedForms() const;
  llvm::Error checkForm(Value value, Value tile, TileForm form) const;
  void addFill();
  void addRefill();
  void addLoads(Phase phase);
  SmallVector<block::AccumulateOp> getLoopAccumulations();
  void addInits();
  void addOps(Phase phase);
  void addFinishes();
  void addStore();
  void addStep(BlockStep::Kind kind, Value tile, Operation *op, StepPhase phase,
               SmallVector<TileAccess, 4> accesses);
  SmallVector<TileAccess, 4> readAll(ValueRange values) const;
  TileAccess access(Value value, bool writes, bool isOwn = false) const;
  TileAccess accessRegisters(Value value, bool writes) const;
  TileAccess accessAccumulator(Value value) const;
  bool hasLoop() const { return block::GraphOp(graph).getLoop() > 1; }

  block::GraphOp graph;
  BypassingValues bypassing;
  SmallVector<Value> tiles;
  SmallVector<int64_t> numPlaces; ///< by tile
  DenseMap<Value, unsigned> tileOf;
  DenseMap<Value, unsigned> registersOf; ///< numbers of what is held in them
  DenseMap<Value, Phase> phases;
  SmallVector<BlockStep> steps;
};

/// Whether an accumulation keeps the maximum over the loop of a value, element
/// by element.
bool isRunningMaximum(block::AccumulateOp op, Value value);

/// The accumulation that keeps the maximum which a sum is relative to that is
/// rescaled over the loop: the first one behind the sum of the value that
/// rescales it. So the sum is updated while the maximum is still the old one.
/// Null if there is none; --mirage-keep-running-maxima sees to it.
block::AccumulateOp findRunningMaximum(block::AccumulateOp sum);

/// Names of the attributes that plans leave in IR.
inline constexpr llvm::StringLiteral kStepAttr = "mirage.step";
inline constexpr llvm::StringLiteral kBarrierAttr = "mirage.barrier";
inline constexpr llvm::StringLiteral kBarrierAtEntryAttr =
    "mirage.barrier_at_entry";
inline constexpr llvm::StringLiteral kBarrierAtHeadAttr =
    "mirage.barrier_at_head";
inline constexpr llvm::StringLiteral kBarrierAtExitAttr =
    "mirage.barrier_at_exit";
/// Bytes from the start of the block's shared memory: of an op's results, of a
/// graph's inputs (-1 for an unused one), and how many there are in all.
inline constexpr llvm::StringLiteral kOffsetsAttr = "mirage.offsets";
inline constexpr llvm::StringLiteral kInputOffsetsAttr = "mirage.input_offsets";
inline constexpr llvm::StringLiteral kSharedBytesAttr = "mirage.shared_bytes";

/// What `mirage.shared_bytes` states of a graph, from 0 to what a block of the
/// target can have; or failure after an error.
FailureOr<int64_t> readSharedBytes(block::GraphOp graph, const Target &target);

} // namespace mlir::mirage

#endif // MIRAGE_ANALYSIS_BLOCKSTEPS_H
