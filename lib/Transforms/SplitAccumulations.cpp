//===- SplitAccumulations.cpp - Tiles are reduced, then joined ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Analysis/HeldTiles.h"
#include "Mirage/Dialect/Block/IR/ReductionParts.h"
#include "Mirage/Graph/LevelRules.h"
#include "Mirage/Transforms/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::mirage {
#define GEN_PASS_DEF_SPLITACCUMULATIONSPASS
#include "Mirage/Transforms/Passes.h.inc"
} // namespace mlir::mirage

using namespace mlir;
using namespace mlir::mirage;

namespace {
/// Splits one accumulation over the loop that reduces dimensions.
class AccumulationSplitter {
public:
  /// \param join  of its parts.
  AccumulationSplitter(block::AccumulateOp op, ReductionKind join)
      : op(op), join(join), reduction(readOperatorAttributes(op).reduction),
        dims(op.getDimsAttr()), builder(op.getLoc(), op) {}

  void run() {
    Value elements = block::emitElements(builder, reduction, op.getOperand());
    Value whole = accumulate(block::emitPart(builder, join, elements, dims));
    op.replaceAllUsesWith(
        block::emitWhole(builder, reduction, whole, countElements()));
    op.erase();
  }

private:
  Value accumulate(Value part) {
    return block::AccumulateOp::create(builder, part, op.getRescale(),
                                       AxisKind::Loop, join, /*dims=*/nullptr,
                                       /*count=*/nullptr);
  }

  double countElements() {
    if (std::optional<uint64_t> count = op.getCount())
      return double(*count);
    auto graph = op->getParentOfType<block::GraphOp>();
    double elements = graph.getLoop();
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(op.getOperand().getType()).getShape();
    for (int64_t dim : dims.asArrayRef())
      elements *= shape[dim];
    return elements;
  }

  block::AccumulateOp op;
  ReductionKind join;
  Opcode reduction;
  DenseI64ArrayAttr dims;
  ImplicitLocOpBuilder builder;
};

/// Whether an accumulation adds up an input element by element, so many of them
/// that each thread has some, and no more than it has registers for.
bool canGrowInRegisters(block::AccumulateOp op) {
  auto graph = dyn_cast<block::GraphOp>(op->getParentOp());
  auto tile = cast<RankedTensorType>(op.getOperand().getType());
  int64_t threads = graph ? graph.getThreads() : 0;
  return graph && graph.getLoop() > 1 && isa<BlockArgument>(op.getOperand()) &&
         llvm::isPowerOf2_64(threads) && op.getAxis() == AxisKind::Loop &&
         accumulatesElements(readOperatorAttributes(op),
                             /*numOperands=*/1) &&
         threads <= tile.getNumElements() &&
         tile.getNumElements() <= countFreeRegisters(threads) * threads;
}

/// Puts a step before it that leaves the tile in registers as f32.
void loadIntoRegisters(block::AccumulateOp op) {
  OpBuilder builder(op);
  auto tile = cast<RankedTensorType>(op.getOperand().getType());
  op.getOperandMutable().assign(block::CastOp::create(
      builder, op.getLoc(), tile.clone(builder.getF32Type()), op.getOperand()));
}

struct SplitAccumulationsPass
    : mirage::impl::SplitAccumulationsPassBase<SplitAccumulationsPass> {
  void runOnOperation() override {
    SmallVector<block::AccumulateOp> accumulations;
    getOperation()->walk([&](block::AccumulateOp op) {
      if (op.getAxis() == AxisKind::Loop && op.getDimsAttr() &&
          !op.getDimsAttr().empty())
        accumulations.push_back(op);
    });
    // Warps reduce the tiles of a variance already.
    for (block::AccumulateOp op : accumulations)
      if (auto join = block::findJoin(readOperatorAttributes(op).reduction))
        AccumulationSplitter(op, *join).run();
    getOperation()->walk([](block::AccumulateOp op) {
      if (canGrowInRegisters(op))
        loadIntoRegisters(op);
    });
  }
};
} // namespace
