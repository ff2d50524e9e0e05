//===- AheadProducts.cpp - Products of the next iteration -----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/AheadProducts.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Analysis/TileForms.h"
#include "Mirage/Planning/RingPlaces.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage;

bool mlir::mirage::isSumOfProduct(Value value) {
  auto sum = value.getDefiningOp<thread::AccumulateOp>();
  if (!sum || !sum->hasOneUse() || sum.getReduction() != ReductionKind::Sum ||
      sum.getDims())
    return false;
  auto product = sum.getOperand().getDefiningOp<thread::WgmmaOp>();
  return product && product->hasOneUse();
}

bool mlir::mirage::isOnlyProduct(thread::GraphOp graph) {
  thread::StoreOp store = getStore(graph);
  return graph.getLoop() == 1 && store &&
         getElementTypeOrSelf(store.getType()).isF32() &&
         isSumOfProduct(store.getOperand());
}

/// Whether the warps hold the result of a graph, and all of them as much of it:
/// they wait for as many products as they have started.
static bool holdAlike(thread::GraphOp graph) {
  RankedTensorType held = isHeld(graph.getResult(0))
                              ? getHeldType(graph.getResult(0))
                              : RankedTensorType();
  return held && thread::getShareDeal(held).isEven();
}

/// How many iterations later places are refilled; 0 where warps do not hand
/// them back.
static int64_t getNumBehind(block::GraphOp block) {
  auto behind = block->getAttrOfType<IntegerAttr>(kHandsBackPlacesAttr);
  return behind ? behind.getInt() : 0;
}

llvm::Error mlir::mirage::verifyStartsAhead(thread::GraphOp graph) {
  auto block = graph->getParentOfType<block::GraphOp>();
  if (!block || !isOnlyProduct(graph) || !holdAlike(graph))
    return llvm::createStringError(
        "a step that is a product of four warps, whose result they hold");
  if (llvm::any_of(graph->getUsers(), llvm::IsaPred<block::AccumulateOp>))
    return llvm::createStringError("a product that no sum grows with");
  DenseMap<Value, Phase> phases =
      computePhases(cast<TileGraphOpInterface>(block.getOperation()));
  if (phases.lookup(graph.getResult(0)) != Phase::Loop)
    return llvm::createStringError("a product that each iteration has");
  SmallVector<unsigned> boxed = getBoxedInputs(block);
  for (Value tile : graph.getInputs()) {
    auto input = dyn_cast<BlockArgument>(tile);
    bool isLoaded = input && llvm::is_contained(boxed, input.getArgNumber());
    if (phases.lookup(tile) != Phase::Invariant && !isLoaded)
      return llvm::createStringError(
          "operands of before the loop, or that the copy engine loads");
  }
  int64_t behind = getNumBehind(block);
  if (behind == 0 || !areTwoOnTheWay(block.getStages(), behind))
    return llvm::createStringError(
        "two iterations on their way or more, where warps hand places back "
        "('" +
        kHandsBackPlacesAttr + "')");
  return llvm::Error::success();
}

/// The one product of a graph, or null.
static thread::WgmmaOp findProduct(thread::GraphOp graph) {
  auto products = graph.getBody().getOps<thread::WgmmaOp>();
  return llvm::hasSingleElement(products) ? *products.begin() : nullptr;
}

bool mlir::mirage::readsPlacesAlone(thread::GraphOp graph) {
  thread::WgmmaOp product = findProduct(graph);
  return product && thread::findOperandWindow(product.getLhs(), /*isLhs=*/true);
}

thread::GraphOp mlir::mirage::findLeftStep(thread::GraphOp graph) {
  thread::WgmmaOp product = findProduct(graph);
  if (!product)
    return nullptr;
  auto load = product.getLhs().getDefiningOp<thread::LoadOp>();
  auto window = load ? dyn_cast<BlockArgument>(load.getOperand()) : nullptr;
  if (!window || window.getArgNumber() >= graph.getInputs().size())
    return nullptr;
  Value left = graph.getInputs()[window.getArgNumber()];
  auto step = left.getDefiningOp<thread::GraphOp>();
  return step && isHeld(left) ? step : nullptr;
}

/// Fails unless the next iteration waits for a product before it computes the
/// left operand anew.
static llvm::Error verifyLeftStep(thread::GraphOp graph,
                                  const DenseMap<Value, Phase> &phases) {
  thread::GraphOp left = findLeftStep(graph);
  if (!left || phases.lookup(left.getResult(0)) != Phase::Loop)
    return llvm::createStringError(
        "a left operand that a step of the loop leaves in registers, or that "
        "is read where the copy engine put it");
  auto isOfLoop = [&](Value tile) {
    return phases.lookup(tile) == Phase::Loop;
  };
  auto canWait = [](Value tile) {
    return isHeld(tile) && getElementTypeOrSelf(tile.getType()).isF32();
  };
  SmallVector<Value> read = llvm::filter_to_vector(left.getInputs(), isOfLoop);
  if (read.empty() || !llvm::all_of(read, canWait))
    return llvm::createStringError(
        "a left operand computed of what the loop holds in f32");
  return llvm::Error::success();
}

llvm::Error mlir::mirage::verifyWaitsLate(thread::GraphOp graph) {
  auto block = graph->getParentOfType<block::GraphOp>();
  if (!block || !isOnlyProduct(graph) || !holdAlike(graph) ||
      !graph->hasOneUse())
    return llvm::createStringError(
        "a step that is a product of four warps, which they hold");
  auto sum = dyn_cast<block::AccumulateOp>(*graph->user_begin());
  if (!sum || sum.getReduction() != ReductionKind::Sum ||
      !isCarriedSum(sum.getResult()) || !growsWithParts(sum))
    return llvm::createStringError("a product that a sum grows with");
  DenseMap<Value, Phase> phases =
      computePhases(cast<TileGraphOpInterface>(block.getOperation()));
  if (!readsPlacesAlone(graph))
    if (llvm::Error error = verifyLeftStep(graph, phases))
      return error;
  if (!canWaitLate(block.getStages(), getNumBehind(block)))
    return llvm::createStringError(
        "places that warps hand back two iterations later or more, with two on "
        "their way ('" +
        kHandsBackPlacesAttr + "')");
  return llvm::Error::success();
}
