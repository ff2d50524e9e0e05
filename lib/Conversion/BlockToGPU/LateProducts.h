//===- LateProducts.h - Products that later steps wait for ------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CONVERSION_BLOCKTOGPU_LATEPRODUCTS_H
#define MIRAGE_LIB_CONVERSION_BLOCKTOGPU_LATEPRODUCTS_H

#include "BlockEmitter.h"
#include "CarriedSums.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"

namespace mlir::mirage {

/// Waits for what is in flight
/// (`wgmma.wait_group`), but for so many that started last.
SmallVector<Value> emitAwait(BlockEmitter &emitter, ArrayRef<Value> started,
                             int64_t numPending);

/// The products of a block graph that the next iteration waits for
/// (`mirage.waits_late`, Mirage/Analysis/AheadProducts.h).
class LateProducts {
public:
  /// Before thread graphs move to where they are placed.
  LateProducts(BlockEmitter &emitter, block::GraphOp graph, HeldValues &held);

  bool empty() const { return products.empty(); }
  /// Waits for those of the iteration before whose left operand a step
  /// computes, so that it may.
  void landBefore(thread::GraphOp step);
  /// Waits behind the loop.
  void landAll();
  /// At the end of an iteration, for what it has started for the next one, and
  /// for those of the iteration before where no step has waited.
  SmallVector<Value> emitAwaitAtEnd(ArrayRef<Value> started);

private:
  void land(thread::GraphOp product, ValueRange operands);
  int64_t countItems();

  BlockEmitter &emitter;
  block::GraphOp graph;
  HeldValues &held;
  SmallVector<thread::GraphOp> products;
  /// What computes the left operand of each.
  DenseMap<Operation *, Operation *> leftSteps;
};

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CONVERSION_BLOCKTOGPU_LATEPRODUCTS_H
