//===- CopySteps.cpp - Steps that move a tile, no more --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopySteps.h"
#include "Mirage/Analysis/BypassingTiles.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::mirage;

static Value emitLoad(OpBuilder &builder, Location location, Value window,
                      const LinearLayout &fragment, bool isMatrixLoad) {
  RankedTensorType type =
      thread::getFragmentType(fragment, getElementTypeOrSelf(window.getType()));
  if (isMatrixLoad)
    return thread::LdmatrixOp::create(builder, location, type, window);
  return thread::LoadOp::create(builder, location, type, window);
}

thread::GraphOp mlir::mirage::createCopyStep(OpBuilder &builder, Value tile,
                                             const ItemWindows &windows,
                                             bool isMatrixLoad,
                                             Type elementType) {
  thread::GraphOp items = windows.items;
  Location location = items.getLoc();
  auto type = cast<RankedTensorType>(tile.getType());
  ArrayAttr map = builder.getArrayAttr(windows.map);
  auto graph = thread::GraphOp::create(
      builder, location, TypeRange(type.clone(elementType)), tile, ValueRange(),
      items.getGridAttr(), builder.getI64IntegerAttr(1 << kLaneBits),
      builder.getI64IntegerAttr(1), map,
      builder.getDenseI64ArrayAttr(kReplicated), map);
  OpBuilder::InsertionGuard insertion(builder);
  auto window =
      RankedTensorType::get(windows.fragment.getShape(), type.getElementType());
  Block *body = builder.createBlock(&graph.getBody(), {}, window, location);
  Value fragment = emitLoad(builder, location, body->getArgument(0),
                            windows.fragment, isMatrixLoad);
  if (elementType != type.getElementType())
    fragment = thread::CastOp::create(
        builder, location,
        thread::getFragmentType(windows.fragment, elementType), fragment);
  Value stored = thread::StoreOp::create(builder, location,
                                         window.clone(elementType), fragment);
  thread::YieldOp::create(builder, location, stored);
  return graph;
}

void mlir::mirage::loadPlainly(Value tile) {
  IRRewriter rewriter(tile.getContext());
  for (OpOperand &use : tile.getUses()) {
    auto reader = dyn_cast<thread::GraphOp>(use.getOwner());
    if (!reader)
      continue;
    BlockArgument window = reader.getBody().getArgument(use.getOperandNumber());
    for (Operation *load : llvm::make_early_inc_range(window.getUsers())) {
      if (!isa<thread::LdmatrixOp>(load))
        continue;
      rewriter.setInsertionPoint(load);
      rewriter.replaceOpWithNewOp<thread::LoadOp>(
          load, load->getResult(0).getType(), window);
    }
  }
}

//===----------------------------------------------------------------------===//
// Outputs that are read on
//===----------------------------------------------------------------------===//

static Operation *getYield(block::GraphOp graph) {
  return graph.getBody().front().getTerminator();
}

void StoredCopy::takeBack() {
  auto graph = step->getParentOfType<block::GraphOp>();
  getYield(graph)->setOperand(output, getSource());
  step.erase();
}

/// The step whose items have a value in registers, if it is held; or null.
static thread::GraphOp findHoldingStep(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto step = dyn_cast_or_null<thread::GraphOp>(op))
    return step->getNumResults() == 1 && getStore(step) ? step
                                                        : thread::GraphOp();
  auto sum = dyn_cast_or_null<block::AccumulateOp>(op);
  bool isSum = sum && canCarry(sum);
  if (isSum || isa_and_nonnull<block::MaskOp, block::CausalMaskOp>(op))
    return findHoldingStep(op->getOperand(0));
  return nullptr;
}

static thread::GraphOp createStoredCopy(OpBuilder &builder, Value result,
                                        thread::GraphOp holder,
                                        Type outputType) {
  Type held = getElementTypeOrSelf(result);
  bool isRounded =
      outputType.getIntOrFloatBitWidth() < held.getIntOrFloatBitWidth();
  ItemWindows windows{
      holder, holder.getOmaps()[0],
      *thread::getFragmentLayout(getStore(holder).getOperand().getType())};
  builder.setInsertionPointAfter(result.getDefiningOp());
  return createCopyStep(builder, result, windows, /*isMatrixLoad=*/false,
                        isRounded ? outputType : held);
}

/// Whether an output has a step that stores it from registers already, or from
/// a tile as widely as lanes can: accumulators of tensor cores lie in pairs.
static bool needsNoCopy(Value result, thread::GraphOp holder) {
  bool isSum = result.getDefiningOp<block::AccumulateOp>() &&
               holder.getBody().getOps<thread::MmaOp>().empty();
  return result.hasOneUse() && !isSum;
}

SmallVector<StoredCopy> mlir::mirage::addStoredCopies(block::GraphOp graph) {
  OpBuilder builder(graph.getContext());
  SmallVector<StoredCopy> copies;
  for (OpOperand &yielded : getYield(graph)->getOpOperands()) {
    Value result = yielded.get();
    thread::GraphOp holder = findHoldingStep(result);
    if (!holder || needsNoCopy(result, holder))
      continue;
    bool isReadOn = !result.hasOneUse();
    unsigned output = yielded.getOperandNumber();
    thread::GraphOp step =
        createStoredCopy(builder, result, holder,
                         getElementTypeOrSelf(graph->getResult(output)));
    yielded.set(step.getResult(0));
    StoredCopy copy{step, output};
    if (isReadOn || isWorthBypassing(step.getResult(0)))
      copies.push_back(copy);
    else
      copy.takeBack();
  }
  return copies;
}
