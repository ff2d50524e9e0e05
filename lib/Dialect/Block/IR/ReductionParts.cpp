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

static bool reducesTiles(block::AccumulateOp op) {
  DenseI64ArrayAttr dims = op.getDimsAttr();
  return dims && !dims.empty();
}

/// An accumulation of parts, with what is done to the whole behind it.
static block::AccumulateOp joinParts(block::AccumulateOp op) {
  Opcode reduction = readOperatorAttributes(op).reduction;
  ReductionKind join = *block::findJoin(reduction);
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  Value part = block::emitElements(builder, reduction, op.getOperand());
  if (reducesTiles(op))
    part = block::emitPart(builder, join, part, op.getDimsAttr());
  auto whole = block::AccumulateOp::create(builder, part, op.getRescale(),
                                           op.getAxis(), join,
                                           /*dims=*/nullptr,
                                           /*count=*/nullptr);
  op.replaceAllUsesWith(
      block::emitWhole(builder, reduction, whole, countAveraged(op)));
  op.erase();
  return whole;
}

void block::reduceBeforeJoining(AccumulateOp op) {
  if (reducesTiles(op) && findJoin(readOperatorAttributes(op).reduction))
    joinParts(op);
}

block::AccumulateOp block::sumBeforeAveraging(AccumulateOp op) {
  Opcode reduction = readOperatorAttributes(op).reduction;
  bool isAverage = !reducesTiles(op) && getOperatorInfo(reduction).averages() &&
                   findJoin(reduction);
  return isAverage ? joinParts(op) : op;
}
