//===- HeldItems.cpp - Thread graphs on tiles in registers ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphLowering.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Analysis/WarpWindows.h"
#include "Mirage/Layout/HeldTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::mirage;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

bool GraphLowering::isHeld(unsigned input) {
  return isa<RankedTensorType>(graph.getInputs()[input].getType());
}

LogicalResult GraphLowering::checkHeldResult(unsigned number) {
  thread::StoreOp store = getStore(graph, number);
  Type type = graph.getResult(number).getType();
  std::optional<LinearLayout> layout =
      holdWindows(*thread::getFragmentLayout(store.getOperand().getType()),
                  {header.grid, header.tileOutputs[number].gridMap},
                  1u << deal->getNumBits());
  if (layout && thread::getFragmentLayout(type) == layout)
    return success();
  InFlightDiagnostic error =
      graph.emitOpError()
      << "expects a result with the layout in which its items leave it";
  if (layout)
    error << ", "
          << thread::getFragmentType(*layout, getElementTypeOrSelf(type),
                                     *deal);
  return error << ", got " << type;
}

LogicalResult GraphLowering::checkDeal() {
  if (numThreads && *numThreads != int64_t(deal->numWarps) << kLaneBits)
    return graph.emitOpError()
           << "expects tiles that the block's " << (*numThreads >> kLaneBits)
           << " warps hold, got layouts of " << deal->numWarps;
  for (Type type : llvm::concat<const Type>(graph->getOperandTypes(),
                                            graph->getResultTypes()))
    if (thread::getFragmentLayout(type) &&
        !(thread::getShareDeal(cast<RankedTensorType>(type)) == *deal))
      return graph.emitOpError()
             << "expects tiles in registers that come to warps alike, got "
             << type;
  if (deal->isOneEach() || dealShares(header.grid, deal->numWarps) == *deal)
    return success();
  return graph.emitOpError()
         << "expects items that are the shares of tiles in "
            "registers, got "
         << ShapedType::getNumElements(graph.getGrid()) << " items and "
         << deal->getNumShares() << " shares";
}

LogicalResult GraphLowering::checkHeldTiles() {
  if (!deal)
    return success();
  if (failed(checkDeal()))
    return failure();
  for (int64_t extent : graph.getGrid())
    if (!llvm::isPowerOf2_64(extent))
      return graph.emitOpError() << "expects items whose extents are powers of "
                                    "two, where tiles are held, got "
                                 << extent;
  for (auto [input, tile] : llvm::enumerate(graph.getInputs()))
    if (isHeld(input) &&
        !canReadHeld(graph, input, cast<RankedTensorType>(tile.getType())))
      return graph.emitOpError()
             << "expects windows that its warps hold of operand " << input
             << ", got " << tile.getType();
  for (unsigned number = 0; number < graph->getNumResults(); ++number)
    if (failed(checkHeldResult(number)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Items and steps
//===----------------------------------------------------------------------===//

void GraphLowering::takeHeldInputs() {
  for (auto [input, tile] : llvm::enumerate(graph.getInputs())) {
    if (!isHeld(input))
      continue;
    auto type = cast<RankedTensorType>(tile.getType());
    SmallVector<Type> registers(thread::countElements(type),
                                type.getElementType());
    heldInputs[input] = SmallVector<Value>(
        UnrealizedConversionCastOp::create(builder, location, registers, tile)
            .getResults());
  }
}

void GraphLowering::replaceResults() {
  for (auto [result, registers] :
       llvm::zip_equal(graph.getResults(), heldResults))
    result.replaceAllUsesWith(
        UnrealizedConversionCastOp::create(builder, location, result.getType(),
                                           registers)
            .getResult(0));
}

LogicalResult GraphLowering::lowerHeldItems() {
  takeHeldInputs();
  for (; shareRound < deal->getNumRounds(); ++shareRound) {
    Value number = position.warp;
    if (shareRound > 0)
      number = arith::AddIOp::create(
          builder, location, number,
          emitIndex(builder, location, shareRound * deal->numWarps));
    bool haveAll = (shareRound + 1) * deal->numWarps <= deal->getNumShares();
    if (failed(haveAll ? lowerShare(number) : lowerShareIfAny(number)))
      return failure();
  }
  replaceResults();
  return success();
}

LogicalResult GraphLowering::lowerShare(Value number) {
  int64_t offset = shareRound * deal->numWarps;
  if (!deal->isOneEach() && addsDigits(header.grid, deal->numWarps, offset)) {
    round = 0;
    values.clear();
    sharesTooMuch = !hasRoomForShared(graph, header, deal->numWarps);
    if (sharesTooMuch && shareRound > 0)
      emitForgetLoads();
    return lowerItem(position.warp, offset);
  }
  unsigned numNumbers = deal->getNumShares();
  unsigned numItems = header.getNumBlocks();
  Value first = number;
  if (numItems < numNumbers) {
    first = arith::AndIOp::create(builder, location, first,
                                  emitIndex(builder, location, numItems - 1));
    isOwner =
        arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ult,
                              number, emitIndex(builder, location, numItems));
  }
  sharesTooMuch = !hasRoomForShared(graph, header, deal->numWarps);
  for (round = 0; round * numNumbers < numItems; ++round) {
    values.clear();
    Value item = first;
    if (round > 0)
      item = arith::AddIOp::create(
          builder, location, item,
          emitIndex(builder, location, round * numNumbers));
    if (sharesTooMuch && round + shareRound > 0)
      emitForgetLoads();
    if (failed(lowerItem(item)))
      return failure();
  }
  return success();
}

/// Registers of a share that a warp does not have are zeros, of which nothing
/// comes.
LogicalResult GraphLowering::lowerShareIfAny(Value number) {
  SmallVector<Type> types;
  for (Type type : graph->getResultTypes())
    types.append(thread::getFragmentLayout(type)->getNumRegisters(),
                 getElementTypeOrSelf(type));
  Value hasShare = arith::CmpIOp::create(
      builder, location, arith::CmpIPredicate::ult, number,
      emitIndex(builder, location, deal->getNumShares()));
  auto choice = scf::IfOp::create(builder, location, types, hasShare,
                                  /*withElseRegion=*/!types.empty());
  SmallVector<SmallVector<Value>> before(heldResults.size());
  std::swap(before, heldResults);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(choice.thenBlock());
    if (failed(lowerShare(number)))
      return failure();
    if (!types.empty()) {
      SmallVector<Value> registers;
      for (ArrayRef<Value> result : heldResults)
        llvm::append_range(registers, result);
      scf::YieldOp::create(builder, location, registers);
      builder.setInsertionPointToStart(choice.elseBlock());
      scf::YieldOp::create(builder, location,
                           llvm::map_to_vector(types, [&](Type type) -> Value {
                             return arith::ConstantOp::create(
                                 builder, location,
                                 builder.getFloatAttr(type, 0.0));
                           }));
    }
  }
  std::swap(before, heldResults);
  ValueRange registers = choice.getResults();
  for (auto [result, own] : llvm::zip_equal(heldResults, before)) {
    llvm::append_range(result, registers.take_front(own.size()));
    registers = registers.drop_front(own.size());
  }
  return success();
}

/// Each item of the warp has as many registers of the window's as the fragment.
Fragment GraphLowering::loadHeld(BlockArgument window,
                                 const LinearLayout &layout) {
  unsigned input = window.getArgNumber();
  auto type = cast<RankedTensorType>(graph.getInputs()[input].getType());
  SmallVector<unsigned> registers = *findHeldWindow(graph, input, type, step);
  unsigned numRegisters = layout.getNumRegisters();
  // Items that differ along no dimension of the operand have one window.
  unsigned from = round * numRegisters % registers.size();
  unsigned ofShare =
      shareRound * thread::getFragmentLayout(type)->getNumRegisters();
  return {layout,
          llvm::map_to_vector(ArrayRef(registers).slice(from, numRegisters),
                              [&](unsigned number) {
                                return heldInputs[input][ofShare + number];
                              })};
}

LogicalResult GraphLowering::lowerUnrolledLoop() {
  setAccumulators({});
  for (step = 0; step < header.loop; ++step) {
    coordinates[static_cast<unsigned>(Axis::Loop)] =
        emitIndex(builder, location, step);
    if (failed(lowerStep()))
      return failure();
  }
  step = 0;
  return success();
}

//===----------------------------------------------------------------------===//
// Sums that began before
//===----------------------------------------------------------------------===//

std::optional<GraphLowering::JoinedSum>
GraphLowering::getJoinedSum(thread::AccumulateOp op) {
  if (!getFusedProduct(op))
    return std::nullopt;
  // A reshape leaves the registers where they are.
  Value part = op.getResult();
  if (part.hasOneUse())
    if (auto reshape = dyn_cast<thread::ReshapeOp>(*part.user_begin()))
      part = reshape.getResult();
  auto sum = part.hasOneUse() ? dyn_cast<thread::AddOp>(*part.user_begin())
                              : thread::AddOp();
  if (!sum)
    return std::nullopt;
  Value other = sum.getLhs() == part ? sum.getRhs() : sum.getLhs();
  auto load = other.getDefiningOp<thread::LoadOp>();
  auto window =
      load ? dyn_cast<BlockArgument>(load.getOperand()) : BlockArgument();
  if (!window || !isHeld(window.getArgNumber()) ||
      header.tileInputs[window.getArgNumber()].loopMap >= 0)
    return std::nullopt;
  LinearLayout layout = *thread::getFragmentLayout(op.getType()),
               before = *thread::getFragmentLayout(load.getType());
  bool isAlike = load.getType() == part.getType() &&
                 layout.reshape(before.getShape()) == before;
  return isAlike ? std::optional(JoinedSum{sum, load}) : std::nullopt;
}
