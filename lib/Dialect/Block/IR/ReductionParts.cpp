//===- ReductionParts.cpp - Reductions whose parts are joined -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Block/IR/ReductionParts.h"

using namespace mlir;
using namespace mlir::mirage;

std::optional<ReductionKind> block::findJoin(Opcode reduction) {
  switch (reduction) {
  case Opcode::Max:
    return ReductionKind::Max;
  case Opcode::Sum:
  case Opcode::Mean:
  case Opcode::Rms:
    return ReductionKind::Sum;
  default:
    return std::nullopt;
  }
}

Value block::emitElements(ImplicitLocOpBuilder &builder, Opcode reduction,
                          Value operand) {
  if (reduction != Opcode::Rms)
    return operand;
  return block::SquareOp::create(builder, operand);
}

Value block::emitPart(ImplicitLocOpBuilder &builder, ReductionKind join,
                      Value tile, DenseI64ArrayAttr dims) {
  if (join == ReductionKind::Max)
    return block::MaxOp::create(builder, tile, dims, /*count=*/nullptr);
  assert(join == ReductionKind::Sum && "nothing else joins parts");
  return block::SumOp::create(builder, tile, dims, /*count=*/nullptr);
}

/// Averages are divided, and their roots taken, once.
Value block::emitWhole(ImplicitLocOpBuilder &builder, Opcode reduction,
                       Value joined, double count) {
  bool isRms = reduction == Opcode::Rms;
  if (!isRms && reduction != Opcode::Mean)
    return joined;
  Value mean =
      block::UnscaleOp::create(builder, joined, builder.getF64FloatAttr(count));
  return isRms ? Value(block::SqrtOp::create(builder, mean)) : mean;
}

static double countAveraged(block::AccumulateOp op) {
  Attributes attributes = readOperatorAttributes(op);
  auto graph = cast<TileGraphOpInterface>(op->getParentOp());
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op.getOperand().getType()).getShape();
  return double(getAveragedCount(attributes, shape,
                                 graph.getHeader().getExtent(attributes.axis)));
}

void block::reduceBeforeJoining(AccumulateOp op) {
  Opcode reduction = readOperatorAttributes(op).reduction;
  std::optional<ReductionKind> join = findJoin(reduction);
  DenseI64ArrayAttr dims = op.getDimsAttr();
  if (!join || !dims || dims.empty())
    return;
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  Value elements = emitElements(builder, reduction, op.getOperand());
  Value whole = AccumulateOp::create(
      builder, emitPart(builder, *join, elements, dims), op.getRescale(),
      op.getAxis(), *join, /*dims=*/nullptr, /*count=*/nullptr);
  op.replaceAllUsesWith(
      emitWhole(builder, reduction, whole, countAveraged(op)));
  op.erase();
}
