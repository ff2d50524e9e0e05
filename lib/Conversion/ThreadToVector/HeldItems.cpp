//===- HeldItems.cpp - Thread graphs on tiles in registers ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphLowering.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Layout/HeldTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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

unsigned GraphLowering::getNumHoldingWarps() {
  for (Type type : llvm::concat<const Type>(graph->getOperandTypes(),
                                            graph->getResultTypes()))
    if (auto layout = thread::getFragmentLayout(type))
      return 1u << layout->getBases(LayoutInput::Warp).size();
  return 0;
}

LogicalResult GraphLowering::checkHeldResult(unsigned number) {
  thread::StoreOp store = getStore(graph, number);
  Type type = graph.getResult(number).getType();
  std::optional<LinearLayout> layout = holdWindows(
      *thread::getFragmentLayout(store.getOperand().getType()),
      {header.grid, header.tileOutputs[number].gridMap}, getNumHoldingWarps());
  if (layout && thread::getFragmentLayout(type) == layout)
    return success();
  InFlightDiagnostic error =
      graph.emitOpError()
      << "expects a result with the layout in which its items leave it";
  if (layout)
    error << ", "
          << thread::getFragmentType(*layout, getElementTypeOrSelf(type));
  return error << ", got " << type;
}

LogicalResult GraphLowering::checkHeldTiles() {
  unsigned numWarps = getNumHoldingWarps();
  if (numWarps == 0)
    return success();
  if (numThreads && *numThreads != int64_t(numWarps) << kLaneBits)
    return graph.emitOpError()
           << "expects tiles that the block's " << (*numThreads >> kLaneBits)
           << " warps hold, got layouts of " << numWarps;
  for (int64_t extent : header.grid)
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

LogicalResult GraphLowering::lowerHeldItems() {
  unsigned numWarps = getNumHoldingWarps(), numItems = header.getNumBlocks();
  for (auto [input, tile] : llvm::enumerate(graph.getInputs())) {
    if (!isHeld(input))
      continue;
    auto type = cast<RankedTensorType>(tile.getType());
    SmallVector<Type> registers(
        thread::getFragmentLayout(type)->getNumRegisters(),
        type.getElementType());
    heldInputs[input] = SmallVector<Value>(
        UnrealizedConversionCastOp::create(builder, location, registers, tile)
            .getResults());
  }
  Value first = position.warp;
  if (numItems < numWarps) {
    first = arith::AndIOp::create(builder, location, first,
                                  emitIndex(builder, location, numItems - 1));
    isOwner = arith::CmpIOp::create(builder, location,
                                    arith::CmpIPredicate::ult, position.warp,
                                    emitIndex(builder, location, numItems));
  }
  hasSeveralItems = numItems > numWarps;
  for (; round * numWarps < numItems; ++round) {
    values.clear();
    Value item = first;
    if (round > 0)
      item =
          arith::AddIOp::create(builder, location, item,
                                emitIndex(builder, location, round * numWarps));
    if (failed(lowerItem(item)))
      return failure();
  }
  for (auto [result, registers] :
       llvm::zip_equal(graph.getResults(), heldResults))
    result.replaceAllUsesWith(
        UnrealizedConversionCastOp::create(builder, location, result.getType(),
                                           registers)
            .getResult(0));
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
  return {layout,
          llvm::map_to_vector(
              ArrayRef(registers).slice(from, numRegisters),
              [&](unsigned number) { return heldInputs[input][number]; })};
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
