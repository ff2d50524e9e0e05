//===- LateProducts.cpp - Products that later steps wait for --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LateProducts.h"
#include "Mirage/Analysis/AheadProducts.h"
#include "Mirage/Analysis/HeldTiles.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::mirage;

SmallVector<Value> mlir::mirage::emitAwait(BlockEmitter &emitter,
                                           ArrayRef<Value> started,
                                           int64_t numPending) {
  auto op = thread::AwaitOp::create(emitter.builder, started, numPending);
  return SmallVector<Value>(op.getResults());
}

LateProducts::LateProducts(BlockEmitter &emitter, block::GraphOp graph,
                           HeldValues &held)
    : emitter(emitter), graph(graph), held(held) {
  for (auto op : graph.getBody().getOps<thread::GraphOp>())
    if (op->hasAttr(kWaitsLateAttr)) {
      products.push_back(op);
      leftSteps[op] = findLeftStep(op);
    }
}

/// Of a warp, each of which is a group of wgmma.
int64_t LateProducts::countItems() {
  int64_t numWarps = graph.getThreads() >> kLaneBits, count = 0;
  for (thread::GraphOp op : products)
    count += llvm::divideCeil(ShapedType::getNumElements(getHeldExtents(op)),
                              numWarps);
  return count;
}

/// Waits for a product of the iteration before, which its sum holds, and has
/// operands of a step come behind that. Products that this iteration has
/// started might still run, but ptxas does not follow that: it has all wait
/// wherever accumulators are read (its message C7514).
void LateProducts::land(thread::GraphOp product, ValueRange operands) {
  auto sum = cast<block::AccumulateOp>(*product->user_begin());
  SmallVector<Value> values = {sum.getResult()};
  for (Value operand : operands)
    if (isHeld(operand) &&
        cast<RankedTensorType>(operand.getType()).getElementType().isF32())
      values.push_back(operand);
  auto current = llvm::map_to_vector(
      values, [&](Value value) { return held.current.at(value); });
  for (auto [value, result] :
       llvm::zip_equal(values, emitAwait(emitter, current, /*numPending=*/0)))
    held.current[value] = result;
}

void LateProducts::landBefore(thread::GraphOp step) {
  for (thread::GraphOp product : products)
    if (leftSteps.lookup(product) == step)
      land(product, step.getInputs());
}

void LateProducts::landAll() {
  for (thread::GraphOp product : products)
    land(product, {});
}

SmallVector<Value> LateProducts::emitAwaitAtEnd(ArrayRef<Value> started) {
  bool isWaitedFor = llvm::all_of(
      leftSteps, [](const auto &late) { return late.second != nullptr; });
  if (started.empty() && isWaitedFor)
    return {};
  return emitAwait(emitter, started, countItems());
}
