//===- MaterializeViews.cpp - Copies where no view will do ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/TensorView.h"
#include "Mirage/Dialect/Operator/TileGraphInterface.h"
#include "Mirage/Graph/DefaultTileGraph.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/IR/Builders.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_MATERIALIZEVIEWSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

static Type getElementType(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

/// A kernel that writes the same elements, one after the other.
static Value copy(OpBuilder &builder, Location location, Value value,
                  Type element) {
  auto type = cast<RankedTensorType>(value.getType()).clone(element);
  return kernel::BroadcastOp::create(builder, location, type, value);
}

/// A view rounds nothing; a kernel after it does.
static void roundAfter(Operation *view) {
  Value shown = view->getResult(0);
  Type element = getElementType(view->getOperand(0));
  if (getElementType(shown) == element)
    return;
  OpBuilder builder(view->getContext());
  builder.setInsertionPointAfter(view);
  Value rounded = copy(builder, view->getLoc(), shown, getElementType(shown));
  shown.replaceAllUsesExcept(rounded, rounded.getDefiningOp());
  shown.setType(cast<RankedTensorType>(shown.getType()).clone(element));
}

/// Elements at distances that no strides state have no other shape.
static void copyBefore(kernel::ReshapeOp reshape) {
  if (findView(reshape.getResult()))
    return;
  Value operand = reshape.getOperand();
  OpBuilder builder(reshape);
  reshape.getOperandMutable().assign(
      copy(builder, reshape.getLoc(), operand, getElementType(operand)));
}

/// Whether a kernel can write a value as a part of another tensor: it writes it
/// for nothing else, and as it is to be stored.
static bool canWriteInPlace(Value part, Type element) {
  if (!part.hasOneUse() || getElementType(part) != element)
    return false;
  if (part.getDefiningOp<TileGraphOpInterface>())
    return true;
  auto row = part.getDefiningOp<OperatorOpInterface>();
  return row && hasDefaultTileGraph(row.getTableOpcode());
}

static void copyParts(kernel::ConcatOp concat) {
  OpBuilder builder(concat);
  Type element = getElementType(concat.getResult());
  for (OpOperand &part : concat.getPartsMutable())
    if (!canWriteInPlace(part.get(), element))
      part.set(copy(builder, concat.getLoc(), part.get(), element));
}

namespace {
struct MaterializeViewsPass
    : mirage::impl::MaterializeViewsPassBase<MaterializeViewsPass> {
  void runOnOperation() override {
    getOperation()->walk([](mlir::Operation *op) {
      if (isView(op))
        roundAfter(op);
    });
    getOperation()->walk([](kernel::ReshapeOp op) { copyBefore(op); });
    getOperation()->walk([](kernel::ConcatOp op) { copyParts(op); });
  }
};
} // namespace
