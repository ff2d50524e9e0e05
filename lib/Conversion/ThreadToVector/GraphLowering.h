//===- GraphLowering.h - Thread graphs as code of a lane --------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_THREADTOVECTOR_GRAPHLOWERING_H
#define MIRAGE_LIB_CONVERSION_THREADTOVECTOR_GRAPHLOWERING_H

#include "Fragment.h"
#include "FragmentOps.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "TileAccess.h"

namespace mlir::mirage {

/// Writes the code of one thread graph on memrefs:
/// \code
///   for item = warp; item < items; item += warps
///     load and compute what the steps do not change
///     for step = 0 .. steps, accumulators in registers
///       load, compute, accumulate
///     join accumulators over lanes, compute, store
/// \endcode
/// Every warp runs every statement with all of its lanes.
///
/// Where operands or results are tiles that the block holds in registers, each
/// warp has as many items as any other, which follow each other without a loop,
/// and so do steps that read such an operand: registers have no numbers at run
/// time. Their values come and go as casts of a tensor to its registers and
/// back
/// (`HeldTileConversion.h` makes registers of the tensors between two graphs).
/// Where items are shares (Mirage/Layout/HeldTiles.h), warps that have none in
/// the last round pass it over.
class GraphLowering {
public:
  /// \param numThreads  of a block, where that is known.
  GraphLowering(OpBuilder &builder, thread::GraphOp graph,
                const LanePosition &position,
                std::optional<int64_t> numThreads);

  /// \returns failure after an error at the graph or at an operation in it.
  LogicalResult lower();

private:
  LogicalResult check();
  LogicalResult checkDeal();
  LogicalResult checkHeldTiles();
  LogicalResult checkHeldResult(unsigned number);
  /// The items of this warp, when tiles are held.
  LogicalResult lowerHeldItems();
  /// Those of one of its shares.
  LogicalResult lowerShare(Value number);
  /// The same of a share that some warps do not have.
  LogicalResult lowerShareIfAny(Value number);
  void takeHeldInputs();
  void replaceResults();
  /// Of the number `item` + `offset`, whose digits are sums of theirs.
  LogicalResult lowerItem(Value item, int64_t offset = 0);
  void decodeItem(Value item, int64_t offset);
  LogicalResult lowerLoop();
  LogicalResult lowerUnrolledLoop();
  /// One step: loads, operations of the loop, accumulators joined.
  LogicalResult lowerStep();
  LogicalResult lowerPhase(Phase phase);
  LogicalResult lowerRow(Operation *op);
  LogicalResult lowerLoad(Operation *op);
  /// The same of an operand that the block holds.
  Fragment loadHeld(BlockArgument window, const LinearLayout &layout);
  void lowerAccumulate(thread::AccumulateOp op);
  void finishAccumulators();
  /// Whether fragments of a size that axes count may reach beyond a tile.
  bool reachesBeyond(Value tile, unsigned dim, ArrayRef<Axis> axes,
                     int64_t size) const;
  /// The window of an operand at the present item and step, as a fragment.
  TileAccess accessInput(BlockArgument window, const LinearLayout &layout);
  /// Whether of some items the window of an operand in device memory lies
  /// beyond it.
  bool mayLieBeyond(BlockArgument window, const LinearLayout &layout);
  void storeOutputs();

  Fragment computeRow(Operation *op, Opcode opcode, const LinearLayout &layout);
  Fragment multiply(Operation *product, const Fragment &accumulator);
  LogicalResult checkWarpgroupProduct(thread::WgmmaOp op);
  LogicalResult checkOperandWindow(thread::WgmmaOp op, bool isLhs);
  LogicalResult checkInFlight();
  bool isKeptByLoop(Value lhs);
  Fragment multiplyTogether(thread::WgmmaOp op, const Fragment &accumulator,
                            const LinearLayout &layout);
  DescribedOperand describe(const thread::OperandWindow &operand);
  Value emitWindowAddress(const thread::OperandWindow &operand,
                          const BoxedTile &boxed);
  Fragment reduce(Operation *op, const OperatorInfo &info,
                  const LinearLayout &layout);
  Fragment move(Operation *op, const LinearLayout &layout);
  Fragment mask(thread::MaskOp op);
  /// The product that an accumulate adds up, if it is the product's only user:
  /// then the accumulator is an operand of the product.
  Operation *getFusedProduct(thread::AccumulateOp op);
  /// The sum of what came before and an accumulate of products, if that is used
  /// for nothing else: then the accumulator starts from what came before, which
  /// the block holds.
  struct JoinedSum {
    thread::AddOp sum;
    thread::LoadOp before;
  };
  std::optional<JoinedSum> getJoinedSum(thread::AccumulateOp op);
  /// The coordinate that axes give a dimension of fragments of size `fragment`;
  /// null for 0.
  Value emitOrigin(ArrayRef<Axis> axes, int64_t fragment) {
    return emitOrigin(axes, fragment, coordinates);
  }
  Value emitOrigin(ArrayRef<Axis> axes, int64_t fragment,
                   ArrayRef<Value> coordinates);
  Value emitOutputGuard(const TileOutput &output);
  const Fragment &get(Value value) const { return values.find(value)->second; }
  void set(Value value, Fragment fragment);
  /// Keeps products out of the branches that store them.
  void keepWithAllLanes(Fragment &product);
  /// Keeps what comes behind from what was read before.
  void emitForgetLoads();
  bool isHeld(unsigned input);
  SmallVector<Value> getInitialAccumulators();
  void setAccumulators(ValueRange registers);

  OpBuilder &builder;
  Location location;
  thread::GraphOp graph;
  const LanePosition &position;
  TileGraph header;
  FragmentOps ops;
  DenseMap<Value, Phase> phases;
  SmallVector<thread::AccumulateOp> accumulates;
  SmallVector<Value, 4> coordinates; ///< by Axis; null for 0
  DenseMap<Value, Fragment> values;
  DenseMap<Operation *, Fragment> accumulators;
  std::optional<int64_t> numThreads;
  DenseMap<unsigned, SmallVector<Value>> heldInputs; ///< registers, by input
  SmallVector<SmallVector<Value>> heldResults;       ///< the same, by result
  std::optional<ShareDeal> deal; ///< of tiles that are held; none if none are
  unsigned shareRound = 0;       ///< of the warp's shares
  unsigned round = 0;            ///< of a share's items
  /// Whether a warp's items share more than there are registers for.
  bool sharesTooMuch = false;
  int64_t step = 0; ///< where steps follow each other without a loop
  /// Whether no warp before this one has the same items; null where none has.
  Value isOwner;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_THREADTOVECTOR_GRAPHLOWERING_H
